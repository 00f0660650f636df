"""A link of this reference on a real socket, led by a test: it may send what the program never would."""

from __future__ import annotations

import select
import socket
import time
from typing import Callable

from multipeer_reference import events
from multipeer_reference.association.outgoing import OutgoingFile
from multipeer_reference.config import Config
from multipeer_reference.fields import Field
from multipeer_reference.files import CancelFileReason, FileOffer
from multipeer_reference.frames import Frame
from multipeer_reference.link import Link
from multipeer_reference.proofs import Role

from .helpers import Side
from .programs import LIMIT


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


class LivePeer(Side):
    """`chunk` is how many bytes go to the socket at once."""

    def __init__(self, connection: socket.socket, config: Config, role: Role, chunk: int = 1 << 30) -> None:
        super().__init__(Link(config, role, _now()))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._chunk = connection, chunk
        self._shut = False

    @staticmethod
    def connect(port: int, config: Config, **values: int) -> "LivePeer":
        return LivePeer(socket.create_connection(("127.0.0.1", port), LIMIT), config, Role.INITIATOR, **values)

    @property
    def now(self) -> int:
        return _now()

    # Messages bypass the association, and files use it

    def inject(self, *frames: Frame) -> None:
        """Counts them, so that an ACK for them is valid."""
        super().inject(*frames)
        association = self.link.standing.association
        for frame in frames:
            if association:
                association.sent(frame)

    def offer(self, name: str, size: int, fields: tuple[Field, ...] = ()) -> OutgoingFile:
        return self.link.association(_now()).sent_files.offer(FileOffer(0, size, name, fields))

    def supply(self, file: OutgoingFile, data: bytes) -> None:
        """As credit comes."""
        while data:
            self.run(lambda: file.wanted > 0)
            count = min(file.wanted, len(data))
            self.link.association(_now()).sent_files.supply(file, data[:count])
            data = data[count:]

    def cancel(self, number: int, reason: CancelFileReason) -> None:
        self.link.association(_now()).cancel_file(number, reason)

    def takes_files(self, stores: bool = True) -> None:
        """Accepts what is offered, and says that it is stored."""
        def accept(event):
            association = self.link.association(_now())
            association.received_files.accept(association.file(event.id))

        def store(event):
            association = self.link.association(_now())
            association.received_files.stored(association.file(event.id))

        self.answers[events.FileOffered] = accept
        if stores:
            self.answers[events.FileReceived] = store

    def flush(self) -> None:
        data = self.link.take_output()
        for start in range(0, len(data), self._chunk):
            self._connection.sendall(data[start : start + self._chunk])
        if self.link.has_sent_all and not self._shut:
            self._shut = True
            self._connection.shutdown(socket.SHUT_WR)

    def send_apart(self, *frames: Frame) -> None:
        """Each frame in a record of its own."""
        for frame in frames:
            self.inject(frame)
            self.flush()

    def run(self, until: Callable[[], bool] = lambda: False) -> "LivePeer":
        """Continues until the condition holds, or the link is closed."""
        end = time.monotonic() + LIMIT
        while True:
            self.drain(_now())
            self.flush()
            if self.link.is_closed or until():
                return self
            assert time.monotonic() < end, self.events
            if select.select([self._connection], [], [], 0.05)[0]:
                self._read()
            self.link.timeout(_now())

    def _read(self) -> None:
        try:
            data = self._connection.recv(65_536)
        except ConnectionResetError:
            data = b""
        self.link.receive(data, _now()) if data else self.link.end_of_stream(_now())

    def until(self, kind: type) -> "LivePeer":
        self.run(lambda: bool(self.of(kind)))
        assert self.of(kind), self.events
        return self

    def close(self) -> None:
        """Closes in order, and waits for the remote peer to do so."""
        self.link.close(_now())
        self.run()
        self._connection.close()

    def cut(self) -> None:
        """Ends the stream without CLOSE."""
        self._connection.close()
