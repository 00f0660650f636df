"""Keep-alive (SPEC §13.7)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ErrorCode, ProtocolError
from ..frames import Frame, FrameType
from .frames import Ping


@dataclass(frozen=True)
class KeepAliveTimes:
    """Milliseconds without a record until PING goes, and until the link is closed; None never closes it."""

    ping: int = 5_000
    silent: int | None = 15_000


class KeepAlive:
    """Without times it answers PING, and does nothing of its own."""

    def __init__(self, times: KeepAliveTimes | None, now: int) -> None:
        self._times = times
        self._heard = now
        self._pinged = now
        self._pings = 0
        self._answer: Ping | None = None

    def record_came(self, now: int) -> None:
        """Any record that verifies shows life."""
        self._heard = self._pinged = now

    def handle_ping(self, ping: Ping) -> None:
        """Only the last of several is answered ([R13.7-1])."""
        self._answer = ping

    @property
    def deadline(self) -> int | None:
        if self._times is None:
            return None
        ping = self._pinged + self._times.ping
        return ping if self._times.silent is None else min(ping, self._heard + self._times.silent)

    def expire(self, now: int) -> Frame | None:
        """PING, when it is time for one ([R13.7-3])."""
        if self._times is None:
            return None
        if self._times.silent is not None and now >= self._heard + self._times.silent:
            raise ProtocolError(ErrorCode.SILENT, "nothing came for too long")
        if now < self._pinged + self._times.ping:
            return None
        self._pinged = now
        self._pings += 1
        return Frame(FrameType.PING, Ping(self._pings.to_bytes(8, "big")).encode())

    def take_answer(self) -> Frame | None:
        answer, self._answer = self._answer, None
        return None if answer is None else Frame(FrameType.PONG, answer.encode())
