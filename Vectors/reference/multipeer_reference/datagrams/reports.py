"""What a receiver reports of the packets that came ([R26.7-1])."""

from __future__ import annotations

from .packets import LONGEST_DELAY, Report

#: Microseconds from a message to the report that counts it.
WAIT = 20_000


class Reports:
    """`due`: when a report goes, once the port of the own path is proved; None where none is due."""

    def __init__(self) -> None:
        self._received = self._greatest = self._came = 0
        self.due: int | None = None

    def verified(self, counter: int, is_greatest: bool, now: int) -> None:
        """A packet of any kind."""
        self._received += 1
        if is_greatest:
            self._greatest, self._came = counter, now

    def message_came(self, now: int) -> None:
        """Whatever has become of it."""
        if self.due is None:
            self.due = now + WAIT

    def take(self, now: int) -> Report:
        self.due = None
        return Report(self._greatest, self._received, min(now - self._came, LONGEST_DELAY))
