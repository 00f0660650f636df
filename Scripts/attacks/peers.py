"""What the attacks have in common: processes of the tool, their figures, and bad peers on sockets."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / folder) for folder in ("Vectors/reference", "Scripts")]

from multipeer_reference import events  # noqa: E402
from multipeer_reference.charter import Charter  # noqa: E402
from multipeer_reference.config import AcceptInvitation, Config, InviteRequest, Verdict  # noqa: E402
from multipeer_reference.ed25519 import SigningKey  # noqa: E402
from multipeer_reference.errors import ErrorCode  # noqa: E402
from multipeer_reference.frames import FrameType  # noqa: E402
from multipeer_reference.link import Link  # noqa: E402
from multipeer_reference.proofs import Role  # noqa: E402
from multipeer_reference.session.admissions import Chain, extended  # noqa: E402
from multipeer_reference.session.entries import Address, Entry  # noqa: E402
from multipeer_reference.session.frames import rosters  # noqa: E402
from multipeer_reference.session.instances import Shown  # noqa: E402
from multipeer_reference.session.member import Membership  # noqa: E402
from testing.programs import program  # noqa: E402


def now() -> int:
    return time.monotonic_ns() // 1_000_000


class NoAttack(Exception):
    """Something that the attack needs is not there."""


class Report:
    """Figures of one attack, and whether what should hold held."""

    def __init__(self) -> None:
        self.held = self.broken = 0
        self.figures: list[str] = []

    def figure(self, text: str) -> None:
        print(f"  {text}", flush=True)
        self.figures.append(text)

    def expect(self, holds: bool, text: str) -> None:
        """`text` says what was seen, whatever it was."""
        self.held += bool(holds)
        self.broken += not holds
        print(f"  {'✔ held' if holds else '✘ broken'}: {text}", flush=True)

    def fault(self, text: str) -> None:
        """The attack could not be carried out, which shows nothing and counts as broken."""
        self.expect(False, f"no attack: {text}")


#: Processes of the tool that have not ended.
LIVING: list[Tool] = []
#: Temporary folders that are in use.
FOLDERS: list[str] = []


class Tool:
    """A process of the tool, with the events that it prints. With `typed` it has a standard input, which stays open."""

    def __init__(
        self, tool: str, *arguments: str, descriptors: int | None = None, typed: bool = False, as_json: bool = True
    ) -> None:
        command = [program(tool, arguments[0]), *arguments, *(["--json"] if as_json else [])]
        if descriptors is not None:
            command = ["/bin/sh", "-c", f'ulimit -n {descriptors}; exec "$0" "$@"', *command]
        environment = {**os.environ, "XDG_DATA_HOME": "/nonexistent", "SWIFT_BACKTRACE": "enable=no"}
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE if typed else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if as_json else subprocess.STDOUT, env=environment)
        self.arguments = arguments
        self.events: list[dict] = []
        self.printed = 0
        self.lines: list[str] = []
        LIVING.append(self)
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            with self._news:
                self.printed += len(line)
                self.lines.append(line.decode(errors="replace").rstrip())
                try:
                    self.events.append(json.loads(line))
                except ValueError:
                    pass
                self._news.notify_all()

    def event(self, kind: str, timeout: float = 20, /, **members: object) -> dict | None:
        """The first event of this name with these members; None if it does not come in time."""
        def found() -> dict | None:
            return next((event for event in self.all(kind) if all(event.get(key) == value for key, value in members.items())), None)
        with self._news:
            self._news.wait_for(lambda: found() is not None, timeout)
            return found()

    def all(self, name: str) -> list[dict]:
        return [event for event in self.events if event["event"] == name]

    def waits_for(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Whether its events come to be such."""
        with self._news:
            return self._news.wait_for(holds, timeout)

    def type(self, text: str) -> None:
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def address(self) -> tuple[str, int]:
        event = self.event("advertised" if self.arguments[0] == "receive" else "listening")
        if event is None:
            raise NoAttack(f"{self.arguments[0]} does not listen: {self.wait(1)}")
        return "127.0.0.1", event["port"]

    def send(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, timeout: float) -> str:
        """How it ended, and when."""
        begin = time.monotonic()
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return f"still alive after {timeout:.0f} s"
        failed = [event for event in self.events if event["event"] == "failed"]
        reason = f" ({failed[-1]['phase']}: {failed[-1]['reason']})" if failed else ""
        return f"ended with status {status} after {time.monotonic() - begin:.1f} s{reason}"

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        self.send(signal.SIGKILL)
        self.process.wait()
        if self in LIVING:
            LIVING.remove(self)


class BadPeer:
    """A peer that goes as far as it is asked, and then does nothing more. `source` is the address that it comes from.

    It answers what it is asked with yes, unless it `withholds` its verdict. With `shown` it lists these addresses where it is a member. Without
    `grants` it leaves the first credit for messages as it is.
    """

    def __init__(
        self, connection: socket.socket, role: Role, key: SigningKey | None = None, invites: bool = False, name: str = "Mallory",
        request: InviteRequest | None = None, features: tuple[int, ...] = (), shown: tuple[Address, ...] | None = None,
        withholds: bool = False, within_host: bool = True,
        grants: bool = True,
    ) -> None:
        self.key = key or SigningKey(os.urandom(32))
        self._shown = shown
        wall = time.time_ns() // 1_000_000 - now()
        config = Config(
            identity=self.key, display_name=name, maximum_message=1 << 24, features=features, wall_offset=wall, is_within_host=within_host,
            membership=None if shown is None else self._member)
        self.connection, self.link = connection, Link(config, role, now())
        self.connection.settimeout(10)
        self.is_identified = self.is_open = self.is_asked = self.is_over = False
        self.events: list[events.Event] = []
        self.room = 1 << 62
        self._withholds, self._grants = withholds, grants
        if invites or request is not None:
            self.link.invite(request or InviteRequest(), now())

    @staticmethod
    def connecting(address: tuple[str, int], source: str | None = None, **options) -> BadPeer:
        connection = socket.create_connection(address, timeout=10, source_address=(source, 0) if source else None)
        return BadPeer(connection, Role.INITIATOR, **options)

    def _member(self, charter) -> Membership:
        return Membership(self.key, charter, Shown("Mallory", self._shown), time.time_ns() // 1_000_000)

    # As a member of a session

    @property
    def membership(self) -> Membership:
        return self.link.standing.membership

    @property
    def is_member(self) -> bool:
        return self.is_open and self.membership.is_member

    @property
    def charter(self) -> Charter:
        return self.link.core.charter

    def send_frame(self, kind: FrameType, payload: bytes) -> None:
        """A frame of sessions, whatever the rules say about it."""
        self.link.standing.exchange._send(kind, payload)
        self.flush()

    def send_entries(self, entries: Iterable[Entry]) -> None:
        for roster in rosters(entries):
            self.send_frame(FrameType.ROSTER, roster.encode())

    def admits(self, key: SigningKey) -> Chain:
        """The chain of another key that this member lets in."""
        return extended(self.key, self.membership.chain, self.charter.identifier, key.public)

    def entry_of(self, key: SigningKey, chain: Chain, **values) -> Entry:
        values.setdefault("instance", time.time_ns() // 1_000_000)
        return Entry(key.public, sequence=0, chain=chain, **values).signed(key, self.charter.identifier)

    # Bytes

    def run(self, until: str, limit: float = 10) -> bool:
        """Continues until it is identified, open or a member. False if the link ended before."""
        return pump([self], lambda: getattr(self, until), limit)

    def turn(self) -> None:
        """Takes what has come. Reads only what is there."""
        try:
            data = self.connection.recv(262_144)
            if data:
                self.link.receive(data, now())
            else:
                self.is_over = True
        except (BlockingIOError, TimeoutError):
            pass
        except OSError:
            self.is_over = True
        self._react()

    def flush(self) -> int:
        """Sends what waits, with at most about `room` bytes of messages."""
        if not self._grants and (association := self.link.standing.association) is not None:
            association.incoming.grant = lambda now: None
        if self.is_over or not (output := self.link.take_output(self.room)):
            return 0
        try:
            self.connection.sendall(output)
        except OSError:
            self.is_over = True
        return len(output)

    def close(self) -> None:
        self.is_over = True
        self.connection.close()

    def _react(self) -> None:
        for event in self.link.take_events():
            self.events.append(event)
            match event:
                case events.Identified():
                    self.is_identified = True
                case events.InvitationReceived(token=token):
                    self.link.resolve(token, AcceptInvitation(), now())
                case events.CertificatesReceived(token=token):
                    self.is_asked = True
                    if not self._withholds:
                        self.link.resolve(token, Verdict(ErrorCode.NO_ERROR), now())
                case events.Opened():
                    self.is_open = True
        if self.is_open and not self.link.is_closed and self.membership is not None and self.membership.is_member:
            self.link.standing.exchange.catch_up(now())

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]


def pump(peers: list[BadPeer], until: Callable[[], bool], limit: float) -> bool:
    """Runs the links of all these peers until something holds. False if it does not in time, or all of them are over."""
    end = time.monotonic() + limit
    while True:
        for peer in peers:
            peer.flush()
        if until():
            return True
        there = [peer for peer in peers if not peer.is_over]
        rest = end - time.monotonic()
        if not there or rest <= 0:
            return False
        with selectors.DefaultSelector() as selector:
            for peer in there:
                selector.register(peer.connection, selectors.EVENT_READ, peer)
            for key, _ in selector.select(min(rest, 0.1)):
                key.data.turn()
        for peer in there:
            peer.link.timeout(now())
            peer._react()


def joined(address: tuple[str, int], report: Report, **options) -> BadPeer | None:
    """A peer that has asked `multipeer chat --accept all` to be invited, and is a member."""
    peer = BadPeer.connecting(address, **{"shown": (), **options})
    if peer.run("is_member", 30):
        return peer
    report.fault("the attacker could not join")
    return None


def silent(address: tuple[str, int], source: str) -> socket.socket:
    """A connection that says nothing."""
    return socket.create_connection(address, timeout=10, source_address=(source, 0))


def honest(tool: str, address: tuple[str, int], *arguments: str, timeout: float = 30) -> str:
    """An honest peer comes and sends a message: what becomes of it."""
    peer = Tool(tool, "connect", f"{address[0]}:{address[1]}", "--accept-unverified", "--message", "x", *arguments)
    outcome = peer.wait(timeout)
    peer.end()
    return outcome


@dataclass(frozen=True)
class Guest:
    """`seconds` is None for one that did not come in."""

    seconds: float | None
    said: str

    def __str__(self) -> str:
        return self.said


def guest(tool: str, address: tuple[str, int], command: str, *arguments: str, timeout: float = 90) -> Guest:
    """Somebody comes in, and goes again: what becomes of it, and when the link was open."""
    peer = Tool(tool, command, f"{address[0]}:{address[1]}", "--stay", *arguments)
    name = "memberConnected" if command == "chat" else "opened"
    peer.waits_for(lambda: bool(peer.all(name) or peer.all("failed")), timeout)
    opened = peer.event(name, 0)
    passed = time.monotonic() - peer.started
    if opened is not None:
        peer.send(signal.SIGINT)
    outcome = peer.wait(20)
    peer.end()
    return Guest(passed if opened is not None else None, f"in after {passed:.1f} s" if opened is not None else f"not in: {outcome}")


class Crowd:
    """Connections from many addresses that say nothing. One that is turned away comes back."""

    def __init__(self, address: tuple[str, int], count: int, addresses: int) -> None:
        self._address, self._selector, self._over = address, selectors.DefaultSelector(), False
        self.made = 0
        self._sources = [f"127.1.{number // 250}.{1 + number % 250}" for number in range(addresses)]
        for number in range(count):
            self._come(self._sources[number % addresses])
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _come(self, source: str) -> None:
        connection = socket.socket()
        connection.setblocking(False)
        connection.bind((source, 0))
        connection.connect_ex(self._address)
        self.made += 1
        self._selector.register(connection, selectors.EVENT_READ, source)

    def _run(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.2):
                # Nobody speaks to somebody who is silent: this is the end.
                self._selector.unregister(key.fileobj)
                key.fileobj.close()
                self._come(key.data)

    def end(self) -> None:
        self._over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()


def identities(tool: str, folder: str, *names: str) -> dict[str, tuple[str, str]]:
    """An identity for each name, and the options that mean it."""
    for name in names:
        subprocess.run([tool, "identity", "create", name, "--store", f"{folder}/{name}"], capture_output=True, check=True)
    return {name: ("--store", f"{folder}/{name}") for name in names}


def nearby() -> tuple[str, ...]:
    """Options with which a command is seen on this host alone, and by no other run."""
    return ("--interface", "lo", "--discovery", "embedded", "--service", f"a{os.getpid()}")


@contextlib.contextmanager
def temporary_folder():
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as folder:
        FOLDERS.append(folder)
        yield folder
        FOLDERS.remove(folder)


class Canary:
    """Notes connections to an address: when each came, and to which address of this host."""

    def __init__(self, host: str, port: int = 0) -> None:
        self._server = socket.create_server((host, port), backlog=1_024)
        self.address: tuple[str, int] = self._server.getsockname()[:2]
        self.times: list[float] = []
        self.places: list[str] = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self.places.append(connection.getsockname()[0])
            self.times.append(time.monotonic())
            connection.close()

    def end(self) -> None:
        self._server.close()
