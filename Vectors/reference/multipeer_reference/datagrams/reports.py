"""What a receiver reports of the packets that came ([R26.7-1])."""

from __future__ import annotations

from .packets import LONGEST_DELAY, Report

#: Microseconds from a message to the report that counts it, and from there to the same once more.
WAIT, REPEAT = 20_000, 250_000


class Reports:
    """`due`: when a report goes, once the own path has a port; None where none is due."""

    def __init__(self) -> None:
        self._received = self._greatest = self._came = 0
        self.due: int | None = None
        self._is_repeat = False  # whether the one that is due repeats the last

    def verified(self, counter: int, is_greatest: bool, now: int) -> None:
        """A packet of any kind."""
        self._received += 1
        if is_greatest:
            self._greatest, self._came = counter, now

    def message_came(self, now: int) -> None:
        """Whatever has become of it. Its own report takes the place of a repeated one."""
        if self.due is None or self._is_repeat:
            self.due, self._is_repeat = now + WAIT, False

    def take(self, now: int) -> Report:
        """It goes now, and once more if no message comes until then."""
        self.due, self._is_repeat = (None, False) if self._is_repeat else (now + REPEAT, True)
        return Report(self._greatest, self._received, min(now - self._came, LONGEST_DELAY))
