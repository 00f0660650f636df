"""How much of something may happen in a time. Times are microseconds."""

from __future__ import annotations

from collections import deque

SECOND = 1_000_000


class PerSecond:
    """At most `limit` in any second: answers of a path ([R26.5-3]), bytes of all paths of a process ([R26.7-5])."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._sum = 0
        self._past: deque[tuple[int, int]] = deque()

    def has_room(self, now: int, amount: int = 1) -> bool:
        while self._past and now - self._past[0][0] >= SECOND:
            self._sum -= self._past.popleft()[1]
        return self._sum + amount <= self._limit

    def add(self, now: int, amount: int = 1) -> None:
        self._past.append((now, amount))
        self._sum += amount

    def take(self, now: int, amount: int = 1) -> bool:
        """Adds it if there is room."""
        has_room = self.has_room(now, amount)
        if has_room:
            self.add(now, amount)
        return has_room


class Openings:
    """How many packets of a link are opened: 4,000 in a second, with bursts of 1,024 ([R26.4-4])."""

    _EACH = SECOND // 4_000
    _BURST = 1_024

    def __init__(self, now: int) -> None:
        self._free, self._then = self._BURST * self._EACH, now

    def take(self, now: int) -> bool:
        self._free = min(self._BURST * self._EACH, self._free + now - self._then)
        self._then = now
        if self._free < self._EACH:
            return False
        self._free -= self._EACH
        return True
