"""Keep-alive (SPEC §13.7), and the question whether a link still lives (SPEC §8.7)."""

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


#: How long a link that is asked for life may be silent ([R8.7-7]).
PROBE = 2_000


class KeepAlive:
    """Without times it answers PING, and does nothing of its own, unless it is asked whether the peer lives."""

    def __init__(self, times: KeepAliveTimes | None, now: int) -> None:
        self._times = times
        self._heard = now
        self._pinged = now
        self._pings = 0
        self._answer: Ping | None = None
        self._probe: int | None = None  # the number of the PING that asks for life
        self._probed = 0  # when it was asked for last

    def record_came(self, now: int) -> None:
        """Any record that verifies shows life."""
        self._heard = self._pinged = now

    def handle_ping(self, ping: Ping) -> None:
        """Only the last of several is answered ([R13.7-1])."""
        self._answer = ping

    def handle_pong(self, pong: Ping) -> bool:
        """Whether it answers the PING that asks for life, or a later one. Another PONG is ignored ([R13.7-2])."""
        number = int.from_bytes(pong.data, "big")
        if self._probe is None or not self._probe <= number <= self._pings:
            return False
        self._probe = None
        return True

    @property
    def deadline(self) -> int | None:
        times = [] if self._probe is None else [self._probe_until]
        if self._times is not None:
            times.append(self._pinged + self._times.ping)
            if self._times.silent is not None:
                times.append(self._heard + self._times.silent)
        return min(times, default=None)

    @property
    def _probe_until(self) -> int:
        return max(self._probed, self._heard) + PROBE

    def expire(self, now: int) -> Frame | None:
        """PING, when it is time for one ([R13.7-3])."""
        if self._probe is not None and now >= self._probe_until:
            raise ProtocolError(ErrorCode.SILENT, "nothing came when it was asked for life")
        if self._times is None:
            return None
        if self._times.silent is not None and now >= self._heard + self._times.silent:
            raise ProtocolError(ErrorCode.SILENT, "nothing came for too long")
        if now < self._pinged + self._times.ping:
            return None
        self._pinged = now
        return self._ping()

    def probe(self, now: int) -> Frame:
        """PING at once. Without a record the link then ends; the times of R13.7-3 stay as they are."""
        ping = self._ping()
        self._probe, self._probed = self._pings, now
        return ping

    def _ping(self) -> Frame:
        self._pings += 1
        return Frame(FrameType.PING, Ping(self._pings.to_bytes(8, "big")).encode())

    def take_answer(self) -> Frame | None:
        answer, self._answer = self._answer, None
        return None if answer is None else Frame(FrameType.PONG, answer.encode())
