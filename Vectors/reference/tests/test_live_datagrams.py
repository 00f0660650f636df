"""SPEC §26 by the live program on the loopback: against itself, and against a peer that a test leads."""

from __future__ import annotations

import select
import socket
import sys
import threading
from contextlib import contextmanager, suppress
from typing import Callable, Iterator

import pytest

from multipeer_reference import events, livepath
from multipeer_reference.app import Plan
from multipeer_reference.config import Config, InviteRequest
from multipeer_reference.datagrams.frames import FEATURE
from multipeer_reference.datagrams.keys import Keys
from multipeer_reference.datagrams.packets import LONGEST, LONGEST_MESSAGE, Kind
from multipeer_reference.livepath import LivePath
from multipeer_reference.outbox import Outbox
from multipeer_reference.pathevents import DatagramReceived
from multipeer_reference.peer import run_link
from multipeer_reference.proofs import Role
from multipeer_reference.trust import AcceptUnverified

from .helpers import ALICE, BOB, Pair, config
from .live_peer import LivePeer
from .programs import LIMIT, Program, python

HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
#: A path holds long before the limit, however busy the machine is.
PATIENT = ["--accept-unverified", "--timeout", LIMIT]


def has(host: str) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((host, 0))
        except OSError:
            return False
    return True


def needs(host: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not has(host), reason=f"this host has no address {host}")


@contextmanager
def meeting(listener: list, connector: list, host: str = HERE) -> Iterator[tuple[Program, Program]]:
    """Neither closes the link: of a peer that is slow to take it, a datagram may be overtaken by CLOSE."""
    mine = python("listen", "--host", host, "--port", 0, *PATIENT, *listener)
    try:
        with calling(mine, connector, host) as yours:
            yield mine, yours
    finally:
        mine.stop()


@contextmanager
def calling(mine: Program, connector: list, host: str = HERE) -> Iterator[Program]:
    yours = python("connect", f"[{host}]:{mine.port}" if ":" in host else f"{host}:{mine.port}", "--no-close", *PATIENT,
                   *connector)
    try:
        yield yours
    finally:
        yours.stop()


def run(listener: list, connector: list) -> tuple[Program, Program]:
    """To the end, where no datagram is under way."""
    mine = python("listen", "--port", 0, "--once", *PATIENT, *listener)
    yours = python("connect", f"{HERE}:{mine.port}", *PATIENT, *connector)
    assert (yours.wait(), mine.wait()) == (0, 0), (mine.events, yours.events, mine.errors, yours.errors)
    return mine, yours


def datagrams(program: Program) -> list[str]:
    return [event["text"] for event in program.all("datagram-received")]


def messages(program: Program) -> list[str]:
    return [event["text"] for event in program.all("message-received")]


def results(program: Program) -> list[str]:
    return [event["result"] for event in program.all("datagram-ended")]


# Against itself


@pytest.mark.parametrize("host", [HERE, pytest.param("::1", marks=needs("::1"))])
@pytest.mark.parametrize("suite", ["chachapoly", "hybrid-aesgcm"])
def test_both_ways(host, suite):
    """§26.2, §26.6; beside messages of the link."""
    options = ["--datagram", "from the listener", "--message", "over the link"], ["--datagram", "äöü", "--suite", suite]
    with meeting(*options, host) as (mine, yours):
        for name in ("datagram-received", "datagram-ended"):
            mine.await_events(name), yours.await_events(name)
        yours.await_events("message-received")
    assert mine.one("datagram-received") == {
        "event": "datagram-received", "length": 6, "bytes": "äöü".encode().hex(), "text": "äöü",
    }
    assert datagrams(yours) == ["from the listener"] and messages(yours) == ["over the link"] and not messages(mine)
    assert results(mine) == results(yours) == ["sent"] and mine.errors == yours.errors == ""
    opened = mine.one("udp-opened")
    assert opened["host"] == yours.one("udp-opened")["host"] == host
    assert yours.one("path-began")["port"] == yours.one("path-holds")["port"] == opened["port"]
    assert mine.one("path-began")["port"] is None and mine.one("path-holds")["port"] == yours.one("udp-opened")["port"]


@pytest.mark.parametrize("sender", ["listen", "connect"])
def test_the_other_opens_its_socket_when_it_has_to(sender):
    """§26.2: DATAGRAMS is answered."""
    options = ["--datagram", "hello"]
    with meeting(*((options, []) if sender == "listen" else ([], options))) as (mine, yours):
        (yours if sender == "listen" else mine).await_events("datagram-received")
    assert mine.has("udp-opened") and yours.has("udp-opened")


def test_datagrams_are_counted():
    """By `--await-messages`, with those of the link."""
    mine = python("listen", "--port", 0, *PATIENT, "--datagram", "one", "--message", "two")
    try:
        yours = python("connect", f"{HERE}:{mine.port}", *PATIENT, "--await-messages", 2)
        assert yours.wait() == 0 and datagrams(yours) == ["one"] and messages(yours) == ["two"]
    finally:
        mine.stop()


def test_nobody_opens_a_socket_for_nothing():
    mine, yours = run(["--message", "one"], ["--message", "two", "--await-messages", 1])
    assert mine.one("identified")["features"] == yours.one("identified")["features"] == [FEATURE]
    assert not [name for program in (mine, yours) for name in ("udp-opened", "path-began") if program.has(name)]


def test_more_than_a_window():
    """R26.7-3: as reports make room."""
    texts = [f"number {number}" for number in range(40)]
    with meeting([], [option for text in texts for option in ("--datagram", text)]) as (mine, yours):
        mine.await_events("datagram-received", 40)
        yours.await_events("datagram-ended", 40)
    assert results(yours) == ["sent"] * 40 and sorted(datagrams(mine)) == sorted(texts)


def test_a_port_that_is_not_free():
    mine = python("listen", "--port", 0, *PATIENT)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        try:
            with suppress(OSError):  # it was not free before
                other.bind((HERE, mine.port))
            with calling(mine, ["--datagram", "hello"]):
                mine.await_events("datagram-received")
        finally:
            mine.stop()
    assert mine.one("udp-opened")["port"] != mine.port and datagrams(mine) == ["hello"]


@pytest.mark.parametrize("listener,connector,why", [
    (["--no-datagrams"], [], "not both peers list the feature"),
    ([], ["--no-datagrams"], "not both peers list the feature"),
    (["--encryption", "none"], ["--encryption", "none"], "the link is readable"),
])
def test_over_the_link(listener, connector, why):
    """§26.1, R26.2-1: at once, where no path can be."""
    mine, yours = run(
        [*listener, "--datagram", "from the listener"], [*connector, "--datagram", "hello", "--await-messages", 1]
    )
    assert messages(mine) == ["hello"] and messages(yours) == ["from the listener"]
    for program in (mine, yours):
        assert results(program) == ["over link"] and why in program.errors and not program.has("udp-opened")
        assert program.one("message-ended")["result"] == "delivered"


def test_what_does_not_fit():
    """§26.6: 1 to 1,167 bytes."""
    fits, long = "x" * LONGEST_MESSAGE, "x" * (LONGEST_MESSAGE + 1)
    with meeting([], ["--datagram", fits, "--datagram", long, "--datagram", ""]) as (mine, yours):
        mine.await_events("datagram-received")
        mine.await_events("message-received", 2)
        yours.await_events("datagram-ended", 3)
    assert results(yours) == ["sent", "over link", "over link"] and datagrams(mine) == [fits]
    assert [event["length"] for event in mine.all("message-received")] == [len(long), 0]


def test_a_listener_with_several_links():
    """Each has a socket of its own, and what one peer sends does not go to the other."""
    with meeting(["--datagram", "welcome"], ["--datagram", "first"]) as (listener, first):
        first.await_events("datagram-received")
        with calling(listener, ["--datagram", "second"]) as second:
            second.await_events("datagram-received")
            listener.await_events("datagram-received", 2)
    assert datagrams(first) == datagrams(second) == ["welcome"] and sorted(datagrams(listener)) == ["first", "second"]
    assert len({event["port"] for event in listener.all("udp-opened")}) == 2


# Against a peer that the test leads


class LedPath:
    """A LivePeer with a path, and what its keys seal for others to send."""

    def __init__(self, peer: LivePeer, connection: socket.socket) -> None:
        self.peer = peer
        self.path = LivePath(peer.link, connection)
        peer.answers[events.PathBegan] = lambda event: self.path.begin(event.port)

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Continues until the condition holds, or the link is closed."""
        def look() -> bool:
            self.path.turn()
            return until()

        self.peer.run(look)

    def begin(self) -> "LedPath":
        """Until the path holds for this peer."""
        self.peer.link.use_datagrams(self.peer.now)
        self.run(lambda: self.path.holds)
        return self

    def seal(self, counter: int, message: bytes) -> bytes:
        core = self.peer.link.core
        return Keys(core.channel.sending.suite, core.exporter_secret, core.role).seal(Kind.MESSAGE, counter, message)


KNOWING = {"features": (FEATURE,)}


@contextmanager
def listening(*arguments: object) -> Iterator[tuple[Program, LedPath]]:
    """The program listens, and the link to it is open."""
    program = python("listen", "--port", 0, "--once", *PATIENT, *arguments)
    try:
        connection = socket.create_connection((HERE, program.port), LIMIT)
        peer = LivePeer(connection, config(ALICE, **KNOWING), Role.INITIATOR)
        peer.link.invite(InviteRequest(), peer.now)
        yield program, LedPath(peer.until(events.Opened), connection)
    finally:
        program.stop()


@contextmanager
def connecting(settings: Config, *arguments: object) -> Iterator[tuple[Program, LivePeer, socket.socket]]:
    with socket.create_server((HERE, 0)) as server:
        server.settimeout(LIMIT)
        program = python("connect", f"{HERE}:{server.getsockname()[1]}", "--accept-unverified", *arguments)
        try:
            connection = server.accept()[0]
            yield program, LivePeer(connection, settings, Role.RESPONDER), connection
        finally:
            program.stop()


@contextmanager
def outsider(host: str, port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.bind((host, 0))
        it.connect((HERE, port))
        yield it


@needs(ELSEWHERE)
def test_another_host_changes_nothing():
    """R26.4-1, R26.4-3: the same packet is taken when it comes from the peer's host, so it has not even been marked."""
    with listening() as (program, led):
        led.begin()
        port = program.one("udp-opened")["port"]
        packet, longest = led.seal(1_000, b"sealed by the peer"), led.seal(1_001, bytes(LONGEST_MESSAGE))
        with outsider(ELSEWHERE, port) as other, outsider(HERE, port) as same:
            for junk in (packet, b"", b"\x04", bytes(LONGEST), packet + b"\0", bytes(LONGEST + 100)):
                other.send(junk)
            for junk in (b"", b"\x04", longest + b"\0", packet + b"\0", packet[:-1] + bytes([packet[-1] ^ 1])):
                same.send(junk)
            assert led.path.send(b"over the path") == "sent"
            led.run(lambda: program.has("datagram-received"))
            assert datagrams(program) == ["over the path"]
            same.send(packet)
            same.send(packet)
            led.run(lambda: len(datagrams(program)) == 2)
            assert led.path.send(b"last") == "sent"
            led.run(lambda: len(datagrams(program)) == 3)
        assert datagrams(program) == ["over the path", "sealed by the peer", "last"]
        led.peer.close()
        assert program.wait() == 0 and not program.has("path-lost")


def test_another_port_changes_nothing():
    """R26.4-1: an initiator takes packets from one port alone."""
    with connecting(config(BOB, **KNOWING), *PATIENT, "--await-messages", 2) as (program, peer, connection):
        led = LedPath(peer.until(events.Opened), connection).begin()
        program.await_events("path-holds")
        packet = led.seal(1_000, b"sealed by the peer")
        with outsider(HERE, program.one("udp-opened")["port"]) as other:
            other.send(packet)
            for message in (b"first", b"second"):
                assert led.path.send(message) == "sent"
            led.run()
        assert program.wait() == 0 and datagrams(program) == ["first", "second"]


def test_no_path_after_close():
    """R26.4-5: the socket is closed, too, and what is sent goes nowhere."""
    with listening() as (program, led):
        led.begin()
        assert led.path.sockets
        led.peer.close()
        assert led.path.send(b"late") == "overLink" and not led.path.sockets and not led.path.holds
        assert program.wait() == 0 and not program.has("datagram-received")


@pytest.mark.parametrize("wish", ("--datagram", "--message"))
def test_a_link_that_ends_at_once(wish):
    """CLOSE comes with READY: nothing can be sent any more, and that is not done."""
    with connecting(config(BOB, **KNOWING), *PATIENT, wish, "hello") as (program, peer, _):
        peer.answers[events.Opened] = lambda event: peer.link.close(peer.now)
        peer.run()
        assert program.wait() == 76 and not program.has("udp-opened") and not program.has("datagram-ended")


# Where no path holds


@contextmanager
def connections() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of one."""
    with socket.create_server((HERE, 0)) as server:
        with socket.create_connection(server.getsockname()) as one, server.accept()[0] as other:
            yield one, other


def test_a_silent_port(capsys):
    """§26.1: over the link after a while, with a word on what may help. Time is what the test says."""
    with connections() as (connection, _), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((HERE, 0))
        silent.settimeout(LIMIT)
        port = silent.getsockname()[1]
        pair = Pair(config(ALICE, **KNOWING), config(BOB, datagram_port=port, **KNOWING)).open()
        path = LivePath(pair.initiator.link, connection)
        plan = Plan(AcceptUnverified(), datagrams=(b"one", b"two"), patience=5_000)
        outbox = Outbox(plan, pair.initiator.link, path)
        outbox.begin(0)
        pair.pump()
        path.begin(pair.initiator.one(events.PathBegan).port)
        path.turn()
        assert len(silent.recv(2 * LONGEST)) == LONGEST and path.deadline
        assert not outbox.pump(4_999) and outbox.has_left and outbox.deadline == 5_000
        assert outbox.pump(5_000) and outbox.is_done and outbox.deadline is None
        path.close()
    pair.pump()
    assert [event.data for event in pair.responder.of(events.MessageReceived)] == [b"one", b"two"]
    assert f"within 5 seconds (let UDP through to port {port} of {HERE}, and back)" in capsys.readouterr().err


def test_close_waits_for_the_report():
    """A datagram that was sent is not done before the peer has counted it: CLOSE would overtake it."""
    with connections() as ends:
        pair = Pair(config(ALICE, **KNOWING), config(BOB, **KNOWING)).open()
        paths = [LivePath(side.link, end) for side, end in zip(pair.sides, ends)]
        outbox = Outbox(Plan(AcceptUnverified(), datagrams=(b"hello",)), pair.initiator.link, paths[0])
        outbox.begin(0)
        pair.pump()
        for side, path in zip(pair.sides, paths):
            path.begin(side.one(events.PathBegan).port)

        def turn_until(condition: Callable[[], bool]) -> None:
            for _ in range(100 * LIMIT):
                if condition():
                    return
                select.select([one for path in paths for one in path.sockets], [], [], 0.01)
                for path in paths:
                    path.turn()
            pytest.fail("it has not come so far")

        turn_until(lambda: paths[0].holds)
        assert not outbox.pump(0) and not outbox.has_left and not outbox.is_done
        turn_until(lambda: outbox.pump(0))
        assert DatagramReceived(b"hello") in paths[1].take_events() and outbox.is_done
        for path in paths:
            path.close()


def test_the_program_waits_for_no_path(capsys):
    """The peer lists the feature, and names no port: the loop wakes by itself."""
    with connections() as (connection, other):
        plan = Plan(AcceptUnverified(), datagrams=(b"hello",), patience=1, as_json=True)
        arguments = connection, config(ALICE, **KNOWING), Role.INITIATOR, plan, InviteRequest()
        thread = threading.Thread(target=run_link, args=arguments)
        thread.start()
        peer = LivePeer(other, config(BOB, **KNOWING), Role.RESPONDER).run()
        thread.join()
    assert peer.one(events.MessageReceived).data == b"hello"
    assert "the peer has named no UDP port" in capsys.readouterr().err


# Where the socket is opened


def announced(monkeypatch, role: Role, connection: object) -> list[int]:
    """The ports at which UDP was tried, none of which is free."""
    tried: list[int] = []

    def busy(_, port: int):
        tried.append(port)
        raise OSError

    monkeypatch.setattr(livepath, "UdpSocket", busy)
    pair = Pair(config(ALICE, **KNOWING), config(BOB, **KNOWING)).open()
    side = pair.sides[role is Role.RESPONDER]
    path = LivePath(side.link, connection)
    side.link.use_datagrams(0)
    pair.pump()
    assert not path.sockets and not [one for other in pair.sides for one in other.of(events.PathBegan)]
    return tried


class Connection:
    family = socket.AF_INET

    def __init__(self, port: int) -> None:
        self._port = port

    def getsockname(self) -> tuple[str, int]:
        return HERE, self._port


@pytest.mark.parametrize("role,port,tried", [
    (Role.RESPONDER, 7_000, [7_000, 0]), (Role.RESPONDER, 443, [0]), (Role.RESPONDER, 5353, [0]),
    (Role.INITIATOR, 7_000, [0]),
])
def test_which_ports_are_tried(monkeypatch, role, port, tried):
    """A responder's own, if it may be sent to (R26.5-1). Who cannot take datagrams sends no DATAGRAMS (§26.2)."""
    assert announced(monkeypatch, role, Connection(port)) == tried


def test_no_datagrams_beside_a_unix_socket(monkeypatch):
    """R26.5-1."""
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert announced(monkeypatch, Role.RESPONDER, one) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the options of Linux")
@pytest.mark.parametrize("host,level,option,value", [
    (HERE, socket.IPPROTO_IP, 10, 2), pytest.param("::1", socket.IPPROTO_IPV6, 23, 2, marks=needs("::1")),
])
def test_nothing_is_fragmented(host, level, option, value):
    """§26.5, on Linux: IP_MTU_DISCOVER is IP_PMTUDISC_DO, so the packets have DF set."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        with socket.create_connection(server.getsockname()[:2]) as connection:
            udp = livepath.UdpSocket(connection, 0)
            assert udp.socket.getsockopt(level, option) == value and udp.address[0] == host
            udp.close()
