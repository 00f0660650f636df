"""One peer's path beside its link (SPEC §26.4 to §26.7)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable

from ..proofs import Role
from . import packets
from .bounds import Openings, PerSecond
from .frames import may_send_to
from .inbox import Inbox
from .keys import Keys
from .packets import NOTHING, Contents, Message, Probe, Report
from .probing import Probing
from .rate import Rate
from .replay import ReplayWindow
from .reports import Reports

SENT, DROPPED, OVER_LINK = "sent", "dropped", "overLink"
#: Bytes in a second, of all paths of a process ([R26.7-5]).
BYTES_PER_SECOND = 4_000_000


@dataclass(frozen=True)
class MessageCame:
    """It is kept until the app takes it."""

    data: bytes


class Path:
    """It begins when both DATAGRAMS have gone, at `now`. Times are microseconds of any clock that does not go back.

    Inputs are `receive`, `timeout`, `send`, `take` and `close`. After each, drain `packets`, which go to these ports of the
    peer's host, and `events`, and wait until `deadline`. `port` is that of the responder's DATAGRAMS, if the local peer is
    the initiator. `bytes_sent` is shared by all paths of a process.
    """

    def __init__(
        self, role: Role, suite: int, secret: bytes, port: int | None, own_maximum: int, peer_maximum: int, now: int,
        draw: Callable[[], bytes] = lambda: os.urandom(8), factor: Callable[[], float] = lambda: 1,
        bytes_sent: PerSecond | None = None,
    ) -> None:
        self.packets: list[tuple[int, bytes]] = []
        self.events: list[MessageCame] = []
        self._keys, self._peer_keys = Keys(suite, secret, role), Keys(suite, secret, role.other)
        self._counter = 0
        self._replay = ReplayWindow()
        self._openings = Openings(now)
        self._inbox = Inbox(own_maximum)
        self._longest = min(packets.LONGEST_MESSAGE, peer_maximum)
        self._reports = Reports()
        self._bytes_sent = bytes_sent
        self._is_closed = False
        self._now = now
        self.rate = Rate()
        port = port if role is Role.INITIATOR else None
        self.probing = Probing(role, port, draw, factor, self.rate.forget_fires, now)
        self._act(now)

    # What comes

    def receive(self, packet: bytes, port: int, now: int) -> None:
        """A packet from this port of the peer's host; one from elsewhere is not for this path ([R26.4-1])."""
        self.timeout(now)
        if self._is_closed or not packets.fits(packet) or packet[1:9] != self._peer_keys.tag:
            return
        if not may_send_to(port) or self.probing.is_elsewhere(port):
            return
        counter = packets.counter_of(packet)
        if not self._replay.admits(counter) or not self._openings.take(now):
            return
        opened = self._peer_keys.open(packet)
        if opened is None:
            return
        is_newest = self._replay.mark(counter)
        self._reports.verified(counter, is_newest, now)
        contents = packets.decode(packet[0], opened)
        if contents is not None:
            self._handle(contents, counter, port, now)
            self._act(now)

    def _handle(self, contents: Contents, counter: int, port: int, now: int) -> None:
        match contents:
            case Message(data):
                self._reports.message_came(now)
                self.probing.want(now)
                if self._inbox.put(data):
                    self.events.append(MessageCame(data))
            case Probe(challenge, answered):
                if answered != NOTHING:
                    self._answered(answered, port, now)
                if challenge != NOTHING:
                    own = self.probing.answer(port, counter, now, answered != NOTHING)
                    if own is not None:
                        self._send(port, Probe(own, challenge), now)
            case Report():
                if self.rate.take(contents, self._counter, now):
                    self.probing.report_came()

    def _answered(self, challenge: bytes, port: int, now: int) -> None:
        proved = self.probing.answered(challenge, port, now)
        if proved is not None:
            self.rate.begin(*proved)

    # Time

    @property
    def deadline(self) -> int | None:
        """When `timeout` is due."""
        if self._is_closed:
            return None
        times = self.probing.deadline(self._now), self.rate.deadline, self._reports.due
        return min((time for time in times if time is not None), default=None)

    def timeout(self, now: int) -> None:
        """The timer first, and then what is due else."""
        self._now = now
        if self._is_closed:
            return
        if self.rate.expire(now):
            self.probing.timer_fired(self.rate.fires, now)
        self.probing.expire(now)
        self._act(now)

    def _act(self, now: int) -> None:
        """All that is due: asking, then reports."""
        challenge = self.probing.asks(now)
        if challenge is not None:
            assert self.probing.port is not None
            self._send(self.probing.port, Probe(challenge, NOTHING), now)
        if self._reports.due is not None and now >= self._reports.due:
            report = self._reports.take(now)
            if self.probing.port is not None:
                self._send(self.probing.port, report, now)

    # What is sent

    def send(self, message: bytes, now: int) -> str:
        """A message of the app: what has become of it ([R26.6-1])."""
        self.timeout(now)
        if self._is_closed:
            return OVER_LINK
        self.probing.want(now)
        self._act(now)
        if not 1 <= len(message) <= self._longest or not self.probing.holds(now):
            return OVER_LINK
        length = packets.HEADER_LENGTH + len(message) + packets.SEAL_LENGTH
        if not self.rate.has_room(now) or (self._bytes_sent and not self._bytes_sent.has_room(now, length)):
            return DROPPED
        assert self.probing.port is not None
        self._send(self.probing.port, Message(message), now)
        return SENT

    def _send(self, port: int, contents: Contents, now: int) -> None:
        packet = self._keys.seal(contents.kind, self._counter, contents.encode())
        self.rate.sent(self._counter, now, isinstance(contents, Message))
        self._counter += 1
        if self._bytes_sent is not None:
            self._bytes_sent.add(now, len(packet))
        self.packets.append((port, packet))

    # The app and the link

    def take(self, count: int) -> list[bytes]:
        """The app takes at most so many of the messages that have come."""
        return self._inbox.take(count)

    def note_link_message(self, now: int) -> None:
        """A message has gone or come over the link: the path is wanted."""
        self.timeout(now)
        if not self._is_closed:
            self.probing.want(now)
            self._act(now)

    def close(self) -> None:
        """CLOSE was sent or has come, or the stream has ended ([R26.4-5])."""
        self._is_closed = True
        self._keys.destroy()
        self._peer_keys.destroy()
