"""The path of one live link: a Path, a UDP socket, and the clock (SPEC §26)."""

from __future__ import annotations

import random
import socket
import threading
import time
from typing import Callable

from .datagrams.bounds import PerSecond
from .datagrams.frames import may_send_to
from .datagrams.path import BYTES_PER_SECOND, OVER_LINK, Path
from .link import Link
from .pathevents import DatagramReceived, PathEvent, PathHolds, PathLost, UdpOpened
from .proofs import Role
from .udp import UdpSocket, leads_to_a_host

#: The links of a listener have a thread each, and all paths share the bound on bytes ([R26.7-5]): one acts at a time.
_bytes_sent = PerSecond(BYTES_PER_SECOND)
_one_at_a_time = threading.Lock()
_random = random.SystemRandom()
_MILLISECOND = 1_000


def _now() -> int:
    return time.monotonic_ns() // 1_000


class LivePath:
    """Without a connection there is never a path. Where DATAGRAMS is to go the socket is opened (SPEC §26.2).

    Inputs are `begin`, `send`, `note_link_message`, and `turn`, after a wait for `sockets` until `deadline`. The app
    takes at once what has come: `take_events` has it. Packets go out in `turn` alone, so that DATAGRAMS, which is
    written before, is not overtaken.
    """

    def __init__(self, link: Link, connection: socket.socket | None = None) -> None:
        self._link, self._connection = link, connection
        self._udp: UdpSocket | None = None
        self._path: Path | None = None
        self._holds_at: int | None = None  # the port, as was reported
        self._events: list[PathEvent] = []
        link.standing.announcing.open_port = self._open

    # The socket

    def _open(self) -> int | None:
        """What DATAGRAMS says, which an initiator's leaves out. A responder prefers the number at which it listens."""
        if self._connection is None or not leads_to_a_host(self._connection):
            return None
        is_responder = self._link.core.role is Role.RESPONDER
        listens_at = self._connection.getsockname()[1] if is_responder else 0
        for port in (listens_at, 0) if may_send_to(listens_at) else (0,):
            try:
                self._udp = UdpSocket(self._connection, port)
            except OSError:
                continue
            host, port = self._udp.address
            self._events.append(UdpOpened(host, port))
            return port if is_responder else 0
        return None

    @property
    def sockets(self) -> list[socket.socket]:
        """To wait for."""
        return [] if self._udp is None else [self._udp.socket]

    # The path

    def begin(self, port: int | None) -> None:
        """Both DATAGRAMS have gone. `port` is the responder's."""
        core = self._link.core
        if self._link.has_sent_all:
            return
        assert core.peer_info is not None and core.channel.sending is not None
        suite, maxima = core.channel.sending.suite, (core.config.maximum_message, core.peer_info.maximum_message)
        with _one_at_a_time:
            self._path = Path(
                core.role, suite, core.exporter_secret, port, *maxima, _now(),
                factor=lambda: _random.uniform(0.75, 1.25), bytes_sent=_bytes_sent,
            )

    def _act(self, act: Callable[[Path, int], str | None]) -> str | None:
        """Unless the path has not begun, or is over ([R26.4-5])."""
        if self._link.has_sent_all:
            self.close()
        path = self._path
        if path is None:
            return None
        with _one_at_a_time:
            result = act(path, _now())
        taken = path.take(len(path.events))
        path.events.clear()
        self._events += map(DatagramReceived, taken)
        self._note_whether_it_holds(path)
        return result

    def _note_whether_it_holds(self, path: Path) -> None:
        port = path.probing.port if path.probing.holds(_now()) else None
        if port != self._holds_at:
            self._events.append(PathLost() if port is None else PathHolds(port))
        self._holds_at = port

    def send(self, message: bytes) -> str:
        """What has become of it ([R26.6-1])."""
        return self._act(lambda path, now: path.send(message, now)) or OVER_LINK

    def note_link_message(self) -> None:
        """A message has gone or come over the link."""
        self._act(lambda path, now: path.note_link_message(now))

    def turn(self) -> None:
        """What has come, what is due, and what is to be sent by that."""
        packets = [] if self._udp is None else list(self._udp.receive())
        for port, packet in packets:  # those before the path has begun are dropped
            self._act(lambda path, now: path.receive(packet, port, now))
        self._act(lambda path, now: path.timeout(now))
        if self._path is not None and self._udp is not None:
            for port, packet in self._path.packets:
                self._udp.send(port, packet)
            self._path.packets.clear()

    def take_events(self) -> list[PathEvent]:
        events, self._events = self._events, []
        return events

    @property
    def deadline(self) -> int | None:
        """When `turn` is due, in milliseconds, rounded up. What waits to be sent is due at once."""
        if self._path is None:
            return None
        if self._path.packets:
            return 0
        due = self._path.deadline
        return None if due is None else -(-due // _MILLISECOND)

    def close(self) -> None:
        """CLOSE was sent or has come, or the stream has ended."""
        if self._path is not None:
            self._path.close()
        if self._udp is not None:
            self._udp.close()
        self._path = self._udp = None

    # For the app that sends

    @property
    def holds(self) -> bool:
        return self._path is not None and self._path.probing.holds(_now())

    @property
    def has_room(self) -> bool:
        """For a message now."""
        return self.holds and self._path is not None and self._path.rate.has_room(_now())

    @property
    def in_flight(self) -> int:
        return 0 if self._path is None else self._path.rate.in_flight

    @property
    def lacks(self) -> str:
        """What may be done where no path holds."""
        if self._udp is None:
            return "no UDP port can be opened here"
        if self._path is None:
            return "the peer has named no UDP port to send to"
        if self._link.core.role is Role.RESPONDER:
            return f"let UDP from {self._udp.remote_host} through to port {self._udp.address[1]} here"
        return f"let UDP through to port {self._path.probing.port} of {self._udp.remote_host}, and back"
