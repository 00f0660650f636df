"""How much may happen within a minute (SPEC §14.6)."""

from __future__ import annotations

from collections import deque

_WITHIN = 60_000
_OF_NEIGHBOUR, _OF_BRANCH, _OF_SESSION = 1_024, 4_096, 8_192


class Rate:
    """How many there were within the last minute."""

    def __init__(self) -> None:
        self._times: deque[int] = deque()

    def count(self, now: int) -> int:
        while self._times and self._times[0] <= now - _WITHIN:
            self._times.popleft()
        return len(self._times)

    def add(self, now: int) -> None:
        self._times.append(now)


class Judged:
    """How many entries a session has judged within the last minute: by neighbour, by branch, and in all ([R14.6-8])."""

    def __init__(self) -> None:
        self._neighbours: dict[bytes, Rate] = {}
        self._branches: dict[bytes | None, Rate] = {}
        self._all = Rate()

    def take(self, neighbour: bytes, of: bytes | None, is_own: bool, now: int) -> bool:
        """Whether one more may be judged. A local entry does not count for the branch."""
        rates = [(self._neighbours.setdefault(neighbour, Rate()), _OF_NEIGHBOUR), (self._all, _OF_SESSION)]
        if not is_own:
            rates.append((self._branches.setdefault(of, Rate()), _OF_BRANCH))
        if any(rate.count(now) >= most for rate, most in rates):
            return False
        for rate, _ in rates:
            rate.add(now)
        return True
