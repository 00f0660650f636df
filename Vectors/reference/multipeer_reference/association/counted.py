"""Counted frames: what is kept of ours, and how many of the peer's are acknowledged (SPEC §13.6, §13.9)."""

from __future__ import annotations

from collections import deque
from typing import Iterable

from ..errors import malformed
from ..frames import COUNTED_TYPES, Frame

#: What an association keeps at most ([R13.9-2]).
KEPT_BYTES, KEPT_FRAMES = 1 << 20, 4_096
_ACK_COUNT, _ACK_BYTES, _ACK_DELAY = 64, 65_536, 20


class Kept:
    """The counted frames that we have sent. Without `keeps` they are counted, and none is kept."""

    def __init__(self, keeps: bool) -> None:
        self._keeps = keeps
        self.sent = self.acknowledged = 0
        self._frames: deque[Frame] = deque()  # those that no ACK counts
        self._bytes = 0

    def add(self, frame: Frame) -> None:
        """It is sent. Frames of other types are not counted."""
        if frame.type in COUNTED_TYPES:
            self.sent += 1
            if self._keeps:
                self._frames.append(frame)
                self._bytes += len(frame.payload)

    def has_room(self, length: int, waiting: Iterable[Frame] = ()) -> bool:
        """For one more payload of `length` bytes, after the counted frames among `waiting` ([R13.9-2])."""
        if not self._keeps:
            return True
        ahead = [frame for frame in waiting if frame.type in COUNTED_TYPES]
        length += self._bytes + sum(len(frame.payload) for frame in ahead)
        return length <= KEPT_BYTES and len(self._frames) + len(ahead) < KEPT_FRAMES

    def check(self, count: int, may_repeat: bool = False) -> None:
        """[R13.6-2]; `received` may repeat what is known."""
        least = self.acknowledged if may_repeat else self.acknowledged + 1
        if not least <= count <= self.sent:
            raise malformed(f"{count} frames acknowledged, after {self.acknowledged} of {self.sent}")

    def acknowledge(self, count: int) -> None:
        """After `check`."""
        for _ in range(count - self.acknowledged if self._keeps else 0):
            self._bytes -= len(self._frames.popleft().payload)
        self.acknowledged = count

    @property
    def unacknowledged(self) -> list[Frame]:
        return list(self._frames)


class Acknowledger:
    """Counts what has been processed, and says when ACK is due ([R13.6-1])."""

    def __init__(self) -> None:
        self.processed = 0
        self._acknowledged = self._bytes = 0
        self._first_at: int | None = None

    def count(self, frame: Frame, now: int) -> None:
        """It has been processed, if it is of a type that is counted."""
        if frame.type not in COUNTED_TYPES:
            return
        self.processed += 1
        self._bytes += len(frame.payload)
        if self._first_at is None:
            self._first_at = now

    @property
    def deadline(self) -> int | None:
        return None if self._first_at is None else self._first_at + _ACK_DELAY

    def due(self, now: int, is_last: bool = False) -> int | None:
        """The count for an ACK that is to go now; `is_last` before CLOSE."""
        new = self.processed - self._acknowledged
        if self._first_at is None or not (
            is_last or new >= _ACK_COUNT or self._bytes >= _ACK_BYTES or now >= self._first_at + _ACK_DELAY
        ):
            return None
        return self.told()

    def told(self) -> int:
        """The count goes, in ACK or as `received`."""
        self._acknowledged, self._bytes, self._first_at = self.processed, 0, None
        return self.processed
