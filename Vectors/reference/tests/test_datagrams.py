"""Two paths with a bad net between them; forged and repeated packets; rests; and DATAGRAMS on links (SPEC §26)."""

from __future__ import annotations

import copy
import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.datagrams import packets
from multipeer_reference.datagrams.bounds import PerSecond
from multipeer_reference.datagrams.frames import FEATURE, Datagrams, may_send_to
from multipeer_reference.datagrams.keys import Keys
from multipeer_reference.datagrams.packets import NOTHING, Kind, Message, Probe, Report
from multipeer_reference.datagrams.rate import Rate
from multipeer_reference.datagrams.replay import LEAP, WINDOW, ReplayWindow
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.hello import SUITE_CHACHAPOLY
from multipeer_reference.link import Link
from multipeer_reference.policy import Preference
from multipeer_reference.proofs import Role
from multipeer_reference.vectors import datagrams as vectors
from multipeer_reference.vectors.scripted import ScriptedLink
from multipeer_reference.vectors.shim import Shim

from .datagram_net import MILLISECOND, OWN_PORT, PORT, SECOND, SECRET, Net, path
from .helpers import ALICE, BOB, FULL, Pair, Side, config, seed_of, seeded

INITIATOR, RESPONDER = Role
SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else range(200 if FULL else 30)


def keys(role: Role) -> Keys:
    return Keys(SUITE_CHACHAPOLY, SECRET, role)


def sealed(role: Role, counter: int, contents) -> bytes:
    return keys(role).seal(contents.kind, counter, contents.encode())


def opened(role: Role, packet: bytes):
    return packets.decode(packet[0], keys(role).open(packet))


# A bad net


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs(seed):
    """No message is delivered twice, and each one was sent; what was dropped, or went over the link, never comes."""
    net = Net(seed, varies=True)
    net.loss, net.doubling = net.random.choice((0, 0.05, 0.3)), net.random.choice((0, 0.2))
    net.delay, net.jitter = net.random.choice((0, 1, 40, 400)), net.random.choice((0, 5, 300))
    given = {role: [] for role in Role}
    last = dict.fromkeys(Role, -SECOND)
    for number in range(1_500):
        if net.random.random() < 0.01:
            net.blocked = not net.blocked and net.random.random() < 0.5
        if net.random.random() < 0.01:
            net.own_port = net.random.choice((OWN_PORT, OWN_PORT + 1))
        role = net.random.choice(list(Role))
        message = bytes([role]) + number.to_bytes(4, "big") + net.random.randbytes(net.random.randint(0, 1_162))
        if net.send(role, message) == "sent":
            given[role].append(message)
            # However full the window is, one goes after 10 ms ([R26.7-3]).
            assert net[role].rate.in_flight <= net[role].rate.window or net.now - last[role] >= 10 * MILLISECOND
            last[role] = net.now
        net.run(net.now + net.random.choice((0, 1, 10, 500)) * MILLISECOND)
    net.run(net.now + 10 * SECOND)
    for role in Role:
        came = net.came[role.other]
        assert len(set(came)) == len(came)
        assert set(came) <= set(given[role])
    counters = [[packets.counter_of(packet) for _, sender, _, packet in net.log if sender is role] for role in Role]
    assert all(ours == list(range(len(ours))) for ours in counters)
    probes = [entry for entry in net.log if entry[3][0] == Kind.PROBE]
    assert len(probes) < 20 * (1 + net.now / SECOND)  # eight answers in a second each, and what is asked


def test_a_good_net_loses_nothing():
    net = Net(delay=10).run(SECOND)
    for number in range(3_000):
        assert net.send(INITIATOR, number.to_bytes(2, "big")) == "sent"
        net.run(net.now + 10 * MILLISECOND)
    net.run(net.now + SECOND)
    assert net.came[RESPONDER] == [number.to_bytes(2, "big") for number in range(3_000)]


def test_probing_proves_a_port_both_ways():
    net = Net(delay=50)
    assert not any(net.holds(role) for role in Role)
    net.run(100 * MILLISECOND)
    assert net.holds(INITIATOR) and not net.holds(RESPONDER)
    net.run(150 * MILLISECOND)
    assert net.holds(RESPONDER) and net[RESPONDER].probing.port == OWN_PORT
    assert len(net.log) == 3
    assert net.send(RESPONDER, b"a") == net.send(INITIATOR, b"b") == "sent"
    net.run(SECOND)
    assert (net.came[INITIATOR], net.came[RESPONDER]) == ([b"a"], [b"b"])


def test_a_path_holds_as_long_as_it_is_wanted():
    net = Net(delay=50)
    for second in range(1, 330):  # asked last after 285 s
        net.run(second * SECOND)
        assert net.holds(INITIATOR) and net.holds(RESPONDER), second
    net.run(350 * SECOND)
    assert not net.holds(INITIATOR)
    silent = len(net.log)
    net.run(3_600 * SECOND)
    assert len(net.log) == silent and net[INITIATOR].deadline is None
    assert net.send(INITIATOR, b"again") == "overLink"
    net.run(net.now + SECOND)
    assert net.send(INITIATOR, b"again") == "sent"


def test_a_new_port_is_proved():
    """A gate of addresses has forgotten the initiator, and gives it another port."""
    net = Net(delay=50).run(SECOND)
    net.own_port = OWN_PORT + 7
    net.run(40 * SECOND)
    assert net[RESPONDER].probing.port == OWN_PORT + 7 and net.holds(RESPONDER)
    assert net.send(RESPONDER, b"there") == "sent"
    net.run(41 * SECOND)
    assert net.came[INITIATOR] == [b"there"]


def rate_of(loss: float) -> float:
    """Messages in a second that are not dropped by a sender which always has one."""
    net = Net(1, loss=loss, delay=20).run(2 * SECOND)
    count, begin = 0, net.now
    while net.now < begin + 20 * SECOND:
        while (result := net.send(INITIATOR, bytes(100))) == "sent":
            count += 1
        net.run(net.now + 5 * MILLISECOND)
    return count / 20


def test_the_rate_falls_with_loss():
    rates = [rate_of(loss) for loss in (0, 0.02, 0.2)]
    assert rates[0] > 1_000 and rates[0] > 5 * rates[1] > 5 * rates[2], rates


# What an attacker sends


def state_of(one) -> object:
    """All that a path remembers, but for how many packets it may still open, and what it derives."""
    def strip(value):
        if hasattr(value, "__dict__"):
            left = {"_openings", "_ciphers", "_draw", "_factor", "_now"}
            return {name: strip(inner) for name, inner in vars(value).items() if name not in left}
        return list(map(strip, value)) if isinstance(value, (list, tuple)) or type(value).__name__ == "deque" else str(value)
    return strip(one)


CONTENTS = (Message(b"hello"), Probe(bytes([1] * 8), NOTHING), Report(0, 1, 5))


@pytest.mark.parametrize("contents", CONTENTS, ids=lambda contents: contents.kind.name)
def test_forged_packets_change_nothing(contents):
    """Each byte flipped, cut, or longer."""
    receiver = path(RESPONDER)
    genuine = sealed(INITIATOR, 0, contents)
    before = state_of(receiver)
    for index in range(len(genuine)):
        for flip in (1, 0x80):
            forged = bytearray(genuine)
            forged[index] ^= flip
            receiver.receive(bytes(forged), OWN_PORT, index * MILLISECOND)
    for forged in (b"", genuine[:-1], genuine[:17], genuine[:33], genuine + b"\0", bytes(1_200)):
        receiver.receive(forged, OWN_PORT, 2 * SECOND)
    assert state_of(receiver) == before
    receiver.receive(genuine, OWN_PORT, 2 * SECOND)
    assert state_of(receiver) != before


def test_packets_of_the_other_direction_are_none():
    receiver = path(RESPONDER)
    before = state_of(receiver)
    for contents in CONTENTS:
        receiver.receive(sealed(RESPONDER, 0, contents), OWN_PORT, 0)
    assert state_of(receiver) == before


def test_replays_are_refused():
    net = Net(3, delay=5).run(SECOND)
    for number in range(100):
        net.send(INITIATOR, bytes([number]))
        net.run(net.now + 30 * MILLISECOND)
    net.run(net.now + SECOND)
    came, before = list(net.came[RESPONDER]), state_of(net[RESPONDER])
    assert len(came) == 100
    for _, role, _, packet in list(net.log):
        if role is INITIATOR:
            net[RESPONDER].receive(packet, OWN_PORT, net.now)
    assert state_of(net[RESPONDER]) == before and not net[RESPONDER].packets


def test_the_window_of_counters():
    """Against a set that never forgets."""
    assert not ReplayWindow().admits(LEAP) and ReplayWindow().admits(LEAP - 1)
    window, seen = ReplayWindow(), set()
    source = random.Random(5)
    place = 0
    for _ in range(5_000):
        place += source.choice((0, 1, 1, 1, 50, 2_000))
        counter = max(0, place - source.randint(0, 3_000))
        greatest = max(seen, default=None)
        is_within = counter < LEAP if greatest is None else greatest - WINDOW < counter <= greatest + LEAP
        expected = is_within and counter not in seen
        assert window.admits(counter) is expected
        if expected:
            window.mark(counter)
            seen.add(counter)
            seen = {one for one in seen if one > max(seen) - WINDOW}


def test_not_more_is_opened_than_in_a_burst():
    receiver = path(RESPONDER)
    for counter in range(2_000):
        receiver.receive(sealed(INITIATOR, counter, Message(b"m")), OWN_PORT, 0)
    assert receiver._replay.greatest == 1_023
    receiver.receive(sealed(INITIATOR, 5_000, Message(b"m")), OWN_PORT, 250)
    assert receiver._replay.greatest == 5_000


def test_what_waits_for_the_app_is_bounded():
    receiver = path(RESPONDER)
    for counter in range(70):
        receiver.receive(sealed(INITIATOR, counter, Message(bytes(960))), OWN_PORT, 0)
    assert len(receiver.events) == 64
    assert len(receiver.take(1)) == 1
    receiver.receive(sealed(INITIATOR, 70, Message(bytes(1_000))), OWN_PORT, 0)
    receiver.receive(sealed(INITIATOR, 71, Message(bytes(960))), OWN_PORT, 0)
    receiver.receive(sealed(INITIATOR, 72, Message(b"")), OWN_PORT, 0)
    assert len(receiver.events) == 65


def test_answers_are_bounded():
    receiver = path(RESPONDER)
    for counter in range(20):
        receiver.receive(sealed(INITIATOR, counter, Probe(bytes([counter + 1] * 8), NOTHING)), OWN_PORT, counter)
    assert len(receiver.packets) == 8
    receiver.packets.clear()
    receiver.receive(sealed(INITIATOR, 20, Probe(b"12345678", NOTHING)), OWN_PORT, SECOND)
    answers = [opened(RESPONDER, packet) for _, packet in receiver.packets]
    assert [probe.answered for probe in answers if probe.answered != NOTHING] == [b"12345678"]


def test_an_answer_counts_only_from_its_port_and_soon():
    for port, after, counts in ((PORT, 3 * SECOND, True), (PORT + 1, 1, False), (PORT, 3 * SECOND + 1, False)):
        sender = path(INITIATOR)
        challenge = opened(INITIATOR, sender.packets[0][1]).challenge
        sender.receive(sealed(RESPONDER, 0, Probe(NOTHING, challenge)), port, after)
        assert sender.probing.is_proved is counts


def test_an_initiator_drops_what_comes_from_another_port():
    sender = path(INITIATOR)
    sender.packets.clear()
    sender.receive(sealed(RESPONDER, 0, Probe(b"12345678", NOTHING)), 53_000, 0)
    assert not sender.packets


def test_all_paths_share_their_bytes():
    budget = PerSecond(4_000)
    paths = [path(INITIATOR, seed, budget=budget) for seed in range(3)]
    for one in paths:  # each has sent a probe of 1,200 bytes
        challenge = opened(INITIATOR, one.packets[0][1]).challenge
        one.receive(sealed(RESPONDER, 0, Probe(NOTHING, challenge)), PORT, 1_000)
    assert [one.send(bytes(300), 2_000) for one in paths] == ["sent", "dropped", "dropped"]
    assert paths[1].send(bytes(300), SECOND) == "sent"


# Rests


def test_a_black_hole_makes_the_path_rest():
    """60 s, then twice as long each time, up to an hour, while the app still sends."""
    net = Net(delay=20).run(SECOND)
    net.blocked = True
    rests, rested = [], False
    while net.now < 30_000 * SECOND:
        net.send(INITIATOR, b"into the dark")
        probing = net[INITIATOR].probing
        if probing.rests and not rested:
            rests.append((probing._rests_until - net.now) // SECOND)
        rested = probing.rests
        net.run(net.now + 200 * MILLISECOND if net.now < 100 * SECOND else net.now + 5 * SECOND)
    assert [round(rest, -1) for rest in rests[:9]] == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]
    net.blocked = False
    net.run(net.now + 3_700 * SECOND)
    net.send(INITIATOR, b"is it light?")
    net.run(net.now + SECOND)
    assert net.send(INITIATOR, b"yes") == "sent"


def stream(net: Net, role: Role, seconds: int) -> None:
    """A message each 100 ms, over the path or the link."""
    end = net.now + seconds * SECOND
    while net.now < end:
        if net.send(role, b"x") == "overLink":
            net[role.other].note_link_message(net.now)
        net.run(net.now + 100 * MILLISECOND)


def test_a_black_hole_is_left_after_three_timers():
    net = Net(delay=20).run(SECOND)
    net.blocked = True
    stream(net, INITIATOR, 10)
    assert not net[INITIATOR].probing.is_proved and not net[INITIATOR].probing.rests
    messages = [entry for entry in net.log if entry[3][0] == Kind.MESSAGE]
    assert len(messages) <= 35 + 1  # all of 3.5 s, which is the time of three timers
    stream(net, INITIATOR, 15)
    assert net[INITIATOR].probing.rests and not net[RESPONDER].probing.rests


def test_a_path_without_reports_rests_with_the_sixth_timer():
    """What proves its port again meanwhile does not begin a new count, but a rest does."""
    net = Net(delay=20).run(SECOND)
    net.refused = Kind.REPORT
    stream(net, INITIATOR, 14)
    assert net[INITIATOR].rate.fires == 5 and net.holds(INITIATOR)
    stream(net, INITIATOR, 10)
    assert net[INITIATOR].rate.fires == 0 and net[INITIATOR].probing.rests
    stream(net, INITIATOR, 80)
    assert net[INITIATOR].probing.rests and net[INITIATOR].probing._last_rest[0] == 120 * SECOND
    net.refused = None
    stream(net, INITIATOR, 140)
    assert net[INITIATOR].rate.fires == 0 and net.holds(INITIATOR)


@pytest.mark.parametrize("loss", (0.1, 0.2))
def test_loss_alone_makes_no_path_rest(loss):
    net = Net(2, loss=loss, delay=20, jitter=5, varies=True).run(2 * SECOND)
    while net.now < 60 * SECOND:
        for role in Role:
            net.send(role, b"x")
            assert not net[role].probing.rests
        net.run(net.now + 50 * MILLISECOND)


@pytest.mark.parametrize("role", Role)
def test_a_port_that_changes_while_messages_go_makes_no_path_rest(role):
    net = Net(delay=20, varies=True).run(SECOND)
    stream(net, role, 10)
    net.own_port = OWN_PORT + 7
    stream(net, role, 20)
    assert net[RESPONDER].probing.port == OWN_PORT + 7 and net.holds(INITIATOR) and net.holds(RESPONDER)
    assert all(net[side].rate.fires == 0 and net[side].probing._last_rest is None for side in Role)


def test_a_rest_belongs_to_a_port():
    """The old one is asked no more; a probe from another one is asked at once, and ends the rest."""
    net = Net(delay=20).run(SECOND)
    net.blocked = True
    stream(net, RESPONDER, 25)
    assert net[RESPONDER].probing.rests
    net.blocked, net.own_port = False, OWN_PORT + 7
    net.run(net.now + 20 * SECOND)
    assert net.holds(RESPONDER) and net[RESPONDER].probing.port == OWN_PORT + 7


def test_the_newest_probe_that_asks_has_the_port():
    """By its counter, not by when it came, and also where it came while another port was proved."""
    receiver = path(RESPONDER)
    for counter, port in ((5, 50_005), (9, 50_009), (7, 50_007)):
        receiver.receive(sealed(INITIATOR, counter, Probe(bytes([counter] * 8), NOTHING)), port, 0)
    receiver.receive(sealed(INITIATOR, 20, Message(b"m")), 50_020, 0)
    receiver.receive(sealed(INITIATOR, 15, Probe(bytes([15] * 8), NOTHING)), 50_015, 0)
    assert receiver.probing.port == 50_015
    challenge = next(opened(RESPONDER, packet).challenge for port, packet in receiver.packets if port == 50_005)
    receiver.receive(sealed(INITIATOR, 21, Probe(NOTHING, challenge)), 50_005, 0)
    assert receiver.probing.port == 50_005 and receiver.probing.is_proved
    for now in range(0, 4 * SECOND, 100 * MILLISECOND):
        receiver.send(b"m", now)
    assert receiver.probing.port == 50_015 and not receiver.probing.is_proved and receiver.rate.fires == 0


def test_nothing_after_the_link():
    net = Net(delay=20).run(SECOND)
    before = len(net.log)
    net[INITIATOR].close()
    net[INITIATOR].close()
    assert net.send(INITIATOR, b"late") == "overLink" and net[INITIATOR].deadline is None
    net.send(RESPONDER, b"to nobody")
    net.run(60 * SECOND)
    assert not [entry for entry in net.log[before:] if entry[1] is INITIATOR] and not net.came[INITIATOR]


# Reports


def test_a_report_goes_twice_at_most():
    receiver = path(INITIATOR)
    counters = {0: 0, 10: 1, 200: 2}  # by when they come, in milliseconds
    for time in range(1_000):
        receiver.timeout(time * MILLISECOND)
        if time in counters:
            receiver.receive(sealed(RESPONDER, counters[time], Message(b"m")), PORT, time * MILLISECOND)
    sent = [opened(INITIATOR, packet) for _, packet in receiver.packets if packet[0] == Kind.REPORT]
    assert [(report.greatest, report.received, report.delay // MILLISECOND) for report in sent] == [
        (1, 2, 10), (2, 3, 20), (2, 3, 270),
    ]


def test_reports_that_lie_are_ignored():
    rate = Rate()
    rate.begin(100 * MILLISECOND, False)
    for counter in range(10):
        rate.sent(counter, 0, True)
    assert not rate.has_room(0)
    for report in (Report(10, 1, 0), Report(5, 0, 0), Report(5, 7, 0)):
        assert not rate.take(report, 10, 1)
    assert rate.take(Report(5, 6, 0), 10, 50 * MILLISECOND) and rate.in_flight == 4
    assert rate.window == 11 and rate.round_trip == 93_750
    for report in (Report(5, 6, 0), Report(4, 5, 0), Report(6, 5, 0)):
        assert not rate.take(report, 10, 1)
    assert rate.take(Report(9, 6, 0xFFFF_FFFF), 10, 200 * MILLISECOND)
    assert rate.window == 5 and rate.round_trip == 93_750


# On links


def pair(**changes) -> Pair:
    return Pair(
        config(ALICE, features=(FEATURE,), **changes), config(BOB, features=(FEATURE,), datagram_port=PORT, **changes)
    ).open()


@pytest.mark.parametrize("by", (0, 1))
def test_both_announce_once(by):
    net = pair()
    net.sides[by].link.use_datagrams(0)
    net.pump()
    net.sides[0].link.use_datagrams(0)
    net.sides[1].link.use_datagrams(0)
    net.pump()
    assert [side.one(events.PathBegan).port for side in net.sides] == [PORT, None]
    assert all(side.error is None for side in net.sides)


def announce(net: Pair, side, port: int, type_=FrameType.DATAGRAMS) -> ErrorCode | None:
    side.inject(Frame(type_, Datagrams(port).encode()))
    net.pump()
    other = net.responder if side is net.initiator else net.initiator
    return other.error


def test_faults_of_the_frame():
    net = pair()
    assert announce(net, net.initiator, 1) == ErrorCode.MALFORMED
    net = pair()
    assert announce(net, net.responder, 0) == ErrorCode.MALFORMED
    net = pair()
    net.initiator.link.use_datagrams(0)
    net.pump()
    assert net.responder.of(events.PathBegan)
    assert announce(net, net.initiator, 0) == ErrorCode.UNEXPECTED_FRAME


def test_only_peers_that_list_the_feature():
    one, other = config(ALICE, features=(FEATURE,)), config(BOB, features=(FEATURE,), datagram_port=PORT)
    net = Pair(one, config(BOB)).open()
    with pytest.raises(MisuseError):
        net.initiator.link.use_datagrams(0)
    assert announce(net, net.initiator, 0) == ErrorCode.UNSUPPORTED
    net = Pair(config(ALICE), other).open()
    assert announce(net, net.initiator, 0) == ErrorCode.UNEXPECTED_FRAME


def test_not_on_a_readable_link():
    net = pair(preference=Preference.NONE)
    with pytest.raises(MisuseError):
        net.initiator.link.use_datagrams(0)
    assert announce(net, net.initiator, 0) == ErrorCode.UNEXPECTED_FRAME


def test_ports_that_nobody_sends_to():
    assert [may_send_to(port) for port in (0, 53, 1023, 1024, 1900, 3702, 5353, 5355, 11211, 65_535)] == [
        False, False, False, True, False, False, False, False, False, True,
    ]
    net = Pair(config(ALICE, features=(FEATURE,)), config(BOB, features=(FEATURE,), datagram_port=5353)).open()
    net.initiator.link.use_datagrams(0)
    net.pump()
    assert not net.initiator.of(events.PathBegan) and net.responder.one(events.PathBegan).port is None


def test_a_scripted_link():
    """`useDatagrams`, and the event."""
    params = {
        "role": "initiator", "suite": SUITE_CHACHAPOLY, "identitySeed": seed_of(ALICE), "displayName": "61",
        "maximumMessage": 1_000, "ephemeralPrivate": "07" * 32, "sessionNonce": "08" * 32, "features": [FEATURE],
    }
    scripted = ScriptedLink(params)
    other = Side(Link(config(BOB, features=(FEATURE,), datagram_port=PORT), Role.RESPONDER, 0, seeded("other")))
    told: list[dict] = []

    def pump() -> None:
        for _ in range(20):
            sent, reported, _ = scripted.poll()
            told.extend(reported)
            other.link.receive(sent, 0)
            other.drain(0)
            scripted.step({"actor": "peer", "bytes": other.link.take_output().hex()})

    use = {"actor": "app", "do": "useDatagrams"}
    scripted.step(use)
    scripted.step({
        "actor": "app", "do": "invite", "timeout": 30_000, "context": "", "identityKind": 0, "preference": 2,
    })
    pump()
    scripted.step({"actor": "app", "do": "resolve", "verdict": "accept"})
    pump()
    assert told[-1]["event"] == "opened"
    scripted.step(use)
    scripted.step(use)
    pump()
    assert told[-1] == {"event": "path", "port": PORT} and len(other.of(events.PathBegan)) == 1
    assert not scripted.link.is_closed


# Vectors


PARAMS = {
    "role": "initiator", "suite": SUITE_CHACHAPOLY, "exporterSecret": SECRET.hex(), "port": PORT,
    "maximumMessage": 1_000, "peerMaximum": 1_000, "challenges": ["0102030405060708", "1112131415161718"],
}


def steps_of_a_script() -> list[dict]:
    answer = sealed(RESPONDER, 0, Probe(b"abcdefgh", bytes.fromhex(PARAMS["challenges"][0])))
    message, late = sealed(RESPONDER, 1, Message(b"hi")), sealed(RESPONDER, 2, Message(b"late"))
    zero = NOTHING.hex()
    return [
        {"actor": "self", "sends": [
            {"port": PORT, "counter": "0", "challenge": PARAMS["challenges"][0], "answered": zero}], "events": []},
        {"actor": "clock", "advance": 30},
        {"actor": "peer", "port": PORT, "packet": answer.hex()},
        {"actor": "app", "do": "send", "message": "aa", "times": 11},
        {"actor": "self", "sends": [
            {"port": PORT, "counter": "1", "challenge": zero, "answered": b"abcdefgh".hex()},
            *({"port": PORT, "counter": str(n), "message": "aa"} for n in range(2, 12))],
         "events": [{"event": "sent"}] * 10 + [{"event": "dropped"}]},
        {"actor": "peer", "port": PORT, "packet": message.hex()},
        {"actor": "clock", "advance": 20},
        {"actor": "self", "sends": [{"port": PORT, "counter": "12", "greatest": "1", "received": "2", "delay": 20_000}],
         "events": [{"event": "message", "bytes": b"hi".hex()}]},
        {"actor": "link", "closing": True},
        {"actor": "peer", "port": PORT, "packet": late.hex()},
        {"actor": "clock", "advance": 100_000},
    ]


def test_a_script():
    assert vectors.run(PARAMS, steps_of_a_script()).result == {"verdict": "accept"}
    for index, step in enumerate(steps_of_a_script()):
        for name in ("sends", "events"):
            if step.get(name):
                changed = copy.deepcopy(steps_of_a_script())
                changed[index][name].pop()
                with pytest.raises(vectors.Disagreement):
                    vectors.run(PARAMS, changed)


def test_a_script_over_the_shim():
    shim = Shim()
    link = shim.answer({"command": "new", "group": "DatagramScript", "params": PARAMS})["link"]
    for step in steps_of_a_script():
        if step["actor"] != "self":
            assert shim.answer({"command": "step", "link": link, "step": step}) == {"ok": True}
            continue
        polled = shim.answer({"command": "poll", "link": link})
        sent = [vectors.show(keys(INITIATOR), one["port"], bytes.fromhex(one["packet"])) for one in polled["packets"]]
        assert (sent, polled["events"]) == (step["sends"], step["events"])
    last = shim.answer({"command": "poll", "link": link})
    assert last == {"ok": True, "sends": "", "packets": [], "events": [], "deadline": None}


def test_a_datagram_alone():
    inputs = {
        "exporterSecret": SECRET.hex(), "sender": "responder", "counter": str(1 << 20), "kind": 4, "contents": "616263",
    }
    shown = Shim().answer({"command": "test", "group": "Datagram", "params": {"suite": 1}, "inputs": inputs})
    expected = shown["expected"]
    assert shown["ok"] and expected["packet"].startswith("04" + expected["tag"] + "0000000000100000")
    assert len(expected["packet"]) == 2 * 36 and len(expected["key"]) == 64
    assert expected["key"] != keys(RESPONDER).key(0).hex() and expected["key"] != keys(INITIATOR).key(1 << 20).hex()
