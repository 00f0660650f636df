"""Messages that came in datagrams and wait for the app ([R26.6-2])."""

from __future__ import annotations

from collections import deque

#: What may wait, each message counted with so many bytes more.
ROOM, EXTRA = 65_536, 64


class Inbox:
    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._waiting: deque[bytes] = deque()
        self._size = 0

    def put(self, message: bytes) -> bool:
        """Whether it is kept, and not dropped."""
        size = len(message) + EXTRA
        if not 1 <= len(message) <= self._maximum or self._size + size > ROOM:
            return False
        self._size += size
        self._waiting.append(message)
        return True

    def take(self, count: int) -> list[bytes]:
        """At most `count`, in the order in which they came."""
        taken = [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]
        self._size -= sum(len(message) + EXTRA for message in taken)
        return taken
