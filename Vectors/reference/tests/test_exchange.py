"""SPEC §14.5, §14.6: who sends what on the links of a session, and whether rosters become equal."""

from __future__ import annotations

import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.entries import LEFT
from multipeer_reference.session.exchange import Exchange
from multipeer_reference.session.frames import Admit, Digest, Item, Roster, Summary, Want, rosters
from multipeer_reference.session.instances import Shown
from multipeer_reference.session.member import Membership

from .helpers import FULL
from .members import CHARTER, FOUNDER, chain, entry, key

X, M, E = ErrorCode.UNEXPECTED_FRAME, ErrorCode.MALFORMED, ErrorCode.ENTRY_INVALID
NEW, EXISTING, BETWEEN = SessionKind.NEW, SessionKind.EXISTING, SessionKind.MEMBERS
#: By their keys: of 1 to 40 those that are lesser, and greater, than the founder's.
LESSER = next(number for number in range(2, 40) if key(number).public < FOUNDER.public)
GREATER = next(number for number in range(2, 40) if key(number).public > FOUNDER.public)


def names(frames: list[Frame]) -> list[str]:
    return [frame.name for frame in frames]


def take(exchange: Exchange) -> list[Frame]:
    frames, exchange.frames = exchange.frames, []
    return frames


def member(number: int, wall: int = 100, **values) -> Membership:
    links = None if number == 1 else chain(number, 1)
    return Membership(key(number), CHARTER, Shown(f"m{number}"), wall, values.pop("links", links), **values)


def linked(mine: Membership, theirs: int, kind=BETWEEN, invited=False) -> Exchange:
    return Exchange(mine, key(theirs).public, kind, invited, 0)


def roster_of(*entries) -> Frame:
    frames = rosters(entries)
    assert len(frames) == 1
    return Frame(T.ROSTER, frames[0].encode())


def refuses(code, exchange, frame, now=0):
    with pytest.raises(ProtocolError) as caught:
        exchange.receive(frame, now)
    assert caught.value.code is code, caught.value


def admit(links) -> Frame:
    return Frame(T.ADMIT, Admit(links).encode())


def test_the_inviter_admits():
    """R14.5-1: ADMIT, then its own entry; the newcomer becomes a member by it."""
    founder, newcomer = Membership(FOUNDER, CHARTER), Membership(key(2), CHARTER)
    one, other = linked(founder, 2, NEW, True), linked(newcomer, 1, NEW)
    frames = take(one)
    assert names(frames) == ["ADMIT", "ROSTER"] and not take(other)
    other.receive(frames[0], 0)
    assert newcomer.chain == chain(2, 1)
    other.receive(frames[1], 0)
    assert newcomer.roster.get(FOUNDER.public).bytes == founder.own.newest.bytes
    refuses(X, other, frames[0])
    refuses(X, one, admit(()))


def test_admit_between_members_and_for_the_founder():
    refuses(X, linked(member(2), 1), admit(chain(2, 1)))
    for wrong in ((), chain(3, 1), chain(2, 3)):
        refuses(E, linked(Membership(key(2), CHARTER), 1, EXISTING), admit(wrong))
    founder = linked(Membership(FOUNDER, CHARTER), 2, EXISTING)
    refuses(E, founder, admit(chain(2, 1)))
    linked(Membership(FOUNDER, CHARTER), 2, EXISTING).receive(admit(()), 0)


def test_guests():
    """R14.5-5: they send nothing, and look only whether things decode."""
    guest = linked(Membership(key(2), CHARTER, stays_guest=True), 1, NEW)
    guest.receive(admit(chain(2, 1)), 0)
    guest.receive(roster_of(entry(1)), 0)
    guest.receive(Frame(T.ROSTER, Roster(entry(1).bytes[:-1] + b"\xff").encode()), 0)  # a bad signature
    guest.receive(Frame(T.DIGEST, Digest(bytes(32)).encode()), 0)
    assert not guest.frames
    refuses(M, guest, Frame(T.ROSTER, Roster(entry(1).bytes[:-1]).encode()))
    refuses(X, guest, Frame(T.SUMMARY, Summary(()).encode()))


@pytest.mark.parametrize("number, digests", [(LESSER, 1), (GREATER, 0)])
def test_who_begins(number, digests):
    """R14.6-2: the lesser key, behind both own entries, once."""
    exchange = linked(member(number), 1)
    assert names(take(exchange)) == ["ROSTER"]
    exchange.receive(roster_of(entry(9)), 0)
    assert not take(exchange) and not exchange.is_neighbour
    exchange.receive(roster_of(entry(1)), 0)
    assert names(take(exchange)) == ["DIGEST"] * digests and exchange.is_neighbour
    exchange.receive(roster_of(entry(1, 2)), 0)
    assert not take(exchange)


def test_digest_and_summary():
    """R14.6-4: nothing for an equal one; one answer in 10 s."""
    mine = member(2)
    exchange = linked(mine, 1)
    take(exchange)
    exchange.receive(Frame(T.DIGEST, Digest(mine.roster.digest).encode()), 0)
    assert not exchange.frames
    other = Frame(T.DIGEST, Digest(bytes(32)).encode())
    for now, answers in ((5, 1), (10_004, 0), (10_005, 1)):
        exchange.receive(other, now)
        assert names(take(exchange)) == ["SUMMARY"] * answers


def test_what_nobody_asked_for():
    """R14.5-4."""
    exchange = linked(member(2), 1)
    refuses(X, exchange, Frame(T.SUMMARY, Summary(()).encode()))
    refuses(X, exchange, Frame(T.WANT, Want((bytes(32),)).encode()))
    exchange.send_digest()
    exchange.receive(Frame(T.SUMMARY, Summary(()).encode()), 0)
    refuses(X, exchange, Frame(T.SUMMARY, Summary(()).encode()))
    exchange.receive(Frame(T.DIGEST, Digest(bytes(32)).encode()), 0)
    take(exchange)
    exchange.receive(Frame(T.WANT, Want((bytes(32), key(2).public)).encode()), 0)
    assert [Roster.decode(frame.payload).content for frame in take(exchange)] == [exchange._member.own.newest.bytes]
    refuses(X, exchange, Frame(T.WANT, Want((bytes(32),)).encode()))


def test_an_answer_to_summary():
    """R14.6-5: what the peer lacks, then what we lack."""
    mine = member(2)
    for value in (entry(3, 5), entry(4, 5), entry(5, 5)):
        mine.take(value, 0)
    exchange = linked(mine, 1)
    exchange.send_digest()
    take(exchange)
    items = [Item.of(value) for value in (mine.own.newest, entry(3, 4), entry(4, 6), entry(6, 1), entry(5, 5))]
    summary = Summary(tuple(sorted(items, key=lambda item: item.member)))
    exchange.receive(Frame(T.SUMMARY, summary.encode()), 0)
    roster, want = take(exchange)
    assert [value.member for value in Roster.decode(roster.payload).entries()] == [key(3).public]
    assert Want.decode(want.payload).members == tuple(sorted((key(4).public, key(6).public)))


def test_those_before_a_faulty_one_are_kept():
    """R14.5-3, R14.3-2."""
    good = sorted((entry(number) for number in (3, 4, 5)), key=lambda value: value.member)
    for content, code in (
        (good[0].bytes + good[1].bytes[:-1] + bytes([good[1].bytes[-1] ^ 1]) + good[2].bytes, E),
        (good[0].bytes + good[2].bytes[:-9], M), (good[0].bytes + good[0].bytes, M), (good[1].bytes + good[0].bytes, M),
    ):
        exchange = linked(member(2), 1)
        refuses(code, exchange, Frame(T.ROSTER, Roster(content).encode()))
        assert len(exchange._member.roster) == 2


def test_an_older_entry_of_the_neighbour_goes_back():
    """R14.7-3, and R14.7-2 on the other side."""
    mine, restarted = member(2), member(1, wall=50)
    mine.take(entry(1, 5_000), 0)
    one, other = linked(mine, 1), linked(restarted, 2)
    take(one)
    one.receive(take(other)[0], 0)
    frames = [frame for frame in take(one) if frame.name == "ROSTER"]
    assert [Roster.decode(frame.payload).content for frame in frames] == [entry(1, 5_000).bytes]
    other.receive(frames[0], 0)
    assert restarted.own.newest.place == (5_001, 0) and restarted.roster.get(FOUNDER.public).place == (5_001, 0)
    assert isinstance(restarted.events[-1], events.OwnEntrySigned)


def test_how_many_entries():
    """R14.6-8: 512 sent and 1,024 taken within a minute."""
    exchange = linked(member(2), 1)
    for _ in range(600):
        exchange.send_entries([entry(3)], 0)
    assert names(take(exchange)) == ["ROSTER"] * 512
    exchange.send_entries([entry(3)], 59_999)
    assert not take(exchange)
    exchange.send_entries([entry(3)], 60_000)
    assert take(exchange)
    for _ in range(1_024):
        exchange.receive(roster_of(entry(3)), 0)
    refuses(ErrorCode.LIMIT_EXCEEDED, exchange, roster_of(entry(3)), 59_999)


def test_a_newcomer_is_passed_on():
    """R14.6-7: its first entry, by whoever admitted it."""
    founder = member(1)
    inviting, between = linked(founder, 2, NEW, True), linked(founder, 3)
    inviting.receive(roster_of(entry(2, 7)), 0)
    between.receive(roster_of(entry(3, 7)), 0)
    firsts = [event for event in founder.events if isinstance(event, events.FirstEntry)]
    assert [(event.peer, event.passes_on) for event in firsts] == [(key(2).public, True), (key(3).public, False)]


# Many members, links that come and go, and frames that take their time


class Net:
    """Members and links between them. Whoever signs tells its neighbours; whoever admits passes on."""

    def __init__(self, seed: int, count: int) -> None:
        self.chance = random.Random(seed)
        self.now = 0
        self.members = {number: member(number, wall=self.chance.randrange(100)) for number in range(1, count + 1)}
        self.links: dict[tuple[int, int], tuple[Exchange, list[Frame]]] = {}  # from, to: the sender's end, and what flies

    def link(self, one: int, other: int) -> None:
        if (one, other) not in self.links:
            for mine, theirs in ((one, other), (other, one)):
                exchange = Exchange(self.members[mine], key(theirs).public, BETWEEN, False, self.now)
                self.links[mine, theirs] = exchange, []

    def cut(self, one: int, other: int) -> None:
        self.links.pop((one, other), None)
        self.links.pop((other, one), None)

    def spread(self, number: int) -> None:
        for event in self.members[number].events:
            if isinstance(event, events.OwnEntrySigned):
                for (mine, _), (exchange, _) in self.links.items():
                    if mine == number:
                        exchange.own_signed(event.entry, self.now)
        self.members[number].events.clear()

    def step(self) -> None:
        for number in self.members:
            self.spread(number)
            self.members[number].exceed(self.now)
        if not self.links:
            return
        mine, theirs = self.chance.choice(list(self.links))
        exchange, flying = self.links[mine, theirs]
        flying += take(exchange)
        for frame in flying[: self.chance.randrange(3)]:
            flying.pop(0)
            self.links[theirs, mine][0].receive(frame, self.now)

    def settle(self, rounds: int = 12) -> None:
        """Every member asks each neighbour in turn, as it does every 30 s."""
        for _ in range(rounds):
            self.now += 30_000
            for exchange, _ in list(self.links.values()):
                if exchange.is_neighbour:
                    exchange.send_digest()
            while any(flying or exchange.frames for exchange, flying in self.links.values()):
                self.step()


def random_net(seed: int) -> Net:
    net = Net(seed, net_size := random.Random(seed).randrange(2, 8))
    chance = net.chance
    for _ in range(150):
        one, other = chance.sample(range(1, net_size + 1), 2)
        match chance.randrange(8):
            case 0:
                net.link(one, other)
            case 1 if chance.random() < 0.3:
                net.cut(one, other)
            case 2:
                net.members[one].sign(chance.randrange(2))
            case 3 if chance.random() < 0.3:
                for peer in net.members:
                    net.cut(one, peer)
                net.members[one] = member(one, wall=chance.randrange(100))  # began anew, and remembers nothing
            case _:
                net.step()
        net.now += chance.randrange(500)
    for number in range(2, net_size + 1):
        net.link(number - 1, number)
    return net


SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(200 if FULL else 12))


@pytest.mark.parametrize("seed", SEEDS)
def test_rosters_become_equal(seed):
    """No honest frame is a fault, and in the end all hold the same, each one's newest entry in it."""
    try:
        net = random_net(seed)
        net.settle()
        digests = {mine.roster.digest for mine in net.members.values()}
        assert len(digests) == 1
        for number, mine in net.members.items():
            assert mine.roster.get(key(number).public).bytes == mine.own.newest.bytes and len(mine.roster) == len(net.members)
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error


def test_the_left_stay_left():
    net = Net(1, 4)
    for number in (2, 3, 4):
        net.link(1, number)
    net.settle(3)
    net.members[4].leave()
    net.settle(3)
    assert {mine.roster.get(key(4).public).presence for mine in net.members.values()} == {LEFT}
