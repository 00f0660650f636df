"""Which counters may still come (SPEC §26.4)."""

from __future__ import annotations

WINDOW = 2_048
LEAP = 65_536


class ReplayWindow:
    """`greatest` is G, None before a packet has verified."""

    def __init__(self) -> None:
        self.greatest: int | None = None
        self._marks = 0  # bit n is the mark of G - n

    def admits(self, counter: int) -> bool:
        """Whether a packet with this counter is opened ([R26.4-2])."""
        if self.greatest is None:
            return counter < LEAP
        below = self.greatest - counter
        return -LEAP <= below < WINDOW and (below < 0 or not self._marks >> below & 1)

    def mark(self, counter: int) -> bool:
        """It has verified ([R26.4-3]); whether its counter is G now."""
        if self.greatest is not None and counter < self.greatest:
            self._marks |= 1 << (self.greatest - counter)
            return False
        above = 0 if self.greatest is None else counter - self.greatest
        self._marks = (self._marks << min(above, WINDOW) | 1) & ((1 << WINDOW) - 1)
        self.greatest = counter
        return True
