"""When a peer is dialled again that was lost, at the address where it had proved itself (SPEC §13.9)."""

from __future__ import annotations

from collections import deque
from typing import Callable

from .session.entries import Address

_PAUSES = (250, 250, 500)
_LATER = 2_000
_MINUTE = 60_000
ATTEMPTS_AT_MOST = 32


class Reconnector:
    """`random` spreads each pause by a quarter."""

    def __init__(self, random: Callable[[int], bytes]) -> None:
        self._random = random
        self._next: dict[bytes, tuple[int, int]] = {}  # when, and how many attempts there were since the loss
        self._addresses: dict[bytes, Address] = {}
        self._tried: dict[bytes, deque[int]] = {}

    def begin(self, peer: bytes, address: Address, now: int) -> None:
        """The first attempt is at once."""
        self._addresses[peer] = address
        self._next[peer] = now, 0

    def drop(self, peer: bytes) -> None:
        """It is connected, or its association has ended. What was tried counts for its minute."""
        self._next.pop(peer, None)

    def due(self, now: int) -> list[tuple[bytes, Address]]:
        """[R13.9-10]."""
        dials = []
        for peer, (at, count) in list(self._next.items()):
            if now < at:
                continue
            tried = self._tried.setdefault(peer, deque())
            while tried and now >= tried[0] + _MINUTE:
                tried.popleft()
            if len(tried) >= ATTEMPTS_AT_MOST:
                self._next[peer] = tried[0] + _MINUTE, count
                continue
            tried.append(now)
            dials.append((peer, self._addresses[peer]))
            pause = _PAUSES[count] if count < len(_PAUSES) else _LATER
            self._next[peer] = now + pause * (384 + self._random(1)[0]) // 512, count + 1
        return dials

    @property
    def deadline(self) -> int | None:
        return min((at for at, _ in self._next.values()), default=None)
