"""A live member of a session: a node on sockets, with one thread and one loop."""

from __future__ import annotations

import ipaddress
import os
import selectors
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace

from .app import DONE, FAILED, Plan
from .association.pools import Pools
from .config import Config
from .dialling import Dialler
from .errors import MisuseError
from .hosting import Host
from .link import Link
from .node import Node
from .nodeevents import (
    Apart, Asked, Connected, Contradiction, Departed, Dial, Ghost, MemberSeen, NodeEvent, NoPlace, United,
)
from .proofs import Role
from .reporting import report
from .session.entries import IPV4, IPV6, Address
from .session.instances import Shown

_READ_SIZE = 65_536
_WRITE_AHEAD = 262_144
_LONGEST_WAIT = 0.2
_STAYS = 3.0


def now() -> int:
    return time.monotonic_ns() // 1_000_000


def address_of(host: str, port: int) -> Address:
    parsed = ipaddress.ip_address(host)
    return Address(IPV4 if parsed.version == 4 else IPV6, parsed.packed + port.to_bytes(2, "big"))


@dataclass
class Connection:
    """`attempt` is the Dial that it is for; `invites`: the app invites the peer that is there."""

    socket: socket.socket
    link: Link
    attempt: Dial | None = None
    invites: bool = False
    output: bytearray = field(default_factory=bytearray)
    reads: bool = True
    is_shut: bool = False
    is_dead: bool = False


class Member:
    """`founds` the session, or waits for an invitation; both then find all others by themselves."""

    def __init__(
        self, config: Config, plan: Plan, listening: tuple[str, int], founds: bool, loopback: bool, stays: float = _STAYS
    ) -> None:
        self._plan, self._stays = plan, stays
        self._listener = socket.create_server(listening)
        self._listener.setblocking(False)
        host, port = self._listener.getsockname()[:2]
        wall = time.time_ns() // 1_000_000 - now()
        shown = Shown(config.display_name, (address_of(host, port),))
        self.node = Node(config.identity, os.urandom, shown, now(), wall)
        self.node.dialler = Dialler(loopback)
        if founds:
            self.node.found()
        self.host = Host(self.node)
        self._config = replace(config, pools=Pools(), membership=self.node.membership_for)
        self._connections: dict[int, Connection] = {}
        self._count = self._told = self._received = 0
        self.address = host, port
        report(plan, "listening", {"host": host, "port": port, "key": config.identity.public.hex()})

    # Links

    def connect(self, address: tuple[str, int], expected: bytes | None, attempt: Dial | None, invites: bool) -> None:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.setblocking(False)
        connection.connect_ex(address)
        config = replace(self._config, expected_peer=expected)
        self._add(connection, Link(config, Role.INITIATOR, now()), attempt, invites)

    def _add(self, connection: socket.socket, link: Link, attempt: Dial | None = None, invites: bool = False) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._count += 1
        self._connections[self._count] = Connection(connection, link, attempt, invites)
        self.host.add(self._count, link, attempt.address if attempt else None)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        self._add(connection, Link(self._config, Role.RESPONDER, now()))

    def _dial(self, dial: Dial) -> None:
        host = str(ipaddress.ip_address(dial.address.value[:-2]))
        self.connect((host, int.from_bytes(dial.address.value[-2:], "big")), dial.member, dial, False)

    # The loop

    def run(self, members: int, seconds: float) -> int:
        """Until `members` members were met and the plan's messages have come; or until the time is over.

        Then it leaves, after a while in which others can still learn of each other by it.
        """
        end = time.monotonic() + seconds
        leaves_at: float | None = None
        met: set[bytes] = set()
        is_leaving = False
        while time.monotonic() < end and not (is_leaving and not self._connections):
            self._turn(met)
            if leaves_at is None and len(met) >= members and self._received >= self._plan.await_messages:
                leaves_at = time.monotonic() + self._stays
            if leaves_at is not None and time.monotonic() >= leaves_at and self._plan.closes and not is_leaving:
                is_leaving = True
                self.node.leave()
                end = min(end, time.monotonic() + 10)
            self._wait()
        self._listener.close()
        return DONE if len(met) >= members and self._received >= self._plan.await_messages else FAILED

    def _turn(self, met: set[bytes]) -> None:
        for connection in self._connections.values():
            connection.link.timeout(now())
        for dial in self.host.turn(now()):
            self._dial(dial)
        for number, connection in self._connections.items():
            held = self.node.links.get(number)
            if connection.invites and held is not None and held.invite is None:
                connection.invites = False
                self.node.invite(number)
        for event in self.node.events[self._told :]:
            self._tell(event, met)
        self._told = len(self.node.events)
        for key, data in self.host.messages[self._received :]:
            report(self._plan, "message-received", {"from": key.hex(), "text": data.decode("utf-8", "replace")})
        self._received = len(self.host.messages)
        for number, connection in list(self._connections.items()):
            self._fill(number, connection)

    def _tell(self, event: NodeEvent, met: set[bytes]) -> None:
        match event:
            case Asked(link=link, key=key):
                report(self._plan, "invited", {"key": key.hex()})
                with suppress(MisuseError):  # another link may have taken its place in the same turn
                    self.node.accept(link)
            case Connected(key=key):
                met.add(key)
                report(self._plan, "connected", {"key": key.hex()})
                for held in self.node.links.values():
                    if held.key == key and held.exchange is not None and held.closed_by_us is None:
                        for message in self._plan.messages:
                            self.host.links[held.id].send_message(message, now())
            case Departed(key=key, why=why):
                report(self._plan, "departed", {"key": key.hex(), "why": str(why)})
            case MemberSeen(key=key, presence=presence):
                report(self._plan, "member", {"key": key.hex(), "presence": presence})
            case Contradiction(key=key):
                report(self._plan, "contradiction", {"key": key.hex()})
            case United(session=session) | Apart(session=session):
                report(self._plan, type(event).__name__.lower(), {"session": session.hex()})
            case Ghost() | NoPlace():
                report(self._plan, type(event).__name__.lower(), {})

    def _fill(self, number: int, connection: Connection) -> None:
        link = connection.link
        connection.output += link.take_output(max(0, _WRITE_AHEAD - len(connection.output)))
        if link.has_sent_all and not connection.output and not connection.is_shut:
            connection.is_shut = True
            try:
                connection.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        if connection.is_dead or (link.is_closed and not connection.output and number not in self.host.links):
            self._drop(number, connection)

    def _drop(self, number: int, connection: Connection) -> None:
        connection.socket.close()
        del self._connections[number]

    def _wait(self) -> None:
        """For what comes first: bytes, room to write, a connection, or a moment."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            for connection in self._connections.values():
                events = (selectors.EVENT_READ if connection.reads else 0) | (selectors.EVENT_WRITE if connection.output else 0)
                if events:
                    selector.register(connection.socket, events, connection)
            times = [link.deadline for link in self.host.links.values()] + [self.node.deadline]
            due = min((time_ for time_ in times if time_ is not None), default=now() + 1_000)
            for key, events in selector.select(min(_LONGEST_WAIT, max(0.0, (due - now()) / 1_000))):
                if key.data is None:
                    self._accept()
                else:
                    self._move(key.data, events)

    def _move(self, connection: Connection, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE and connection.output:
                del connection.output[: connection.socket.send(connection.output)]
            if events & selectors.EVENT_READ:
                data = connection.socket.recv(_READ_SIZE)
                connection.reads = bool(data)
                if data:
                    connection.link.receive(data, now())
                else:
                    connection.link.end_of_stream(now())
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            connection.is_dead = True
            connection.reads = False
            connection.output.clear()
            connection.link.end_of_stream(now())
