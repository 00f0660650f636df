"""The numbers of streams and files (SPEC §13.2)."""

from __future__ import annotations

from typing import Any, Iterator

from ..errors import malformed, unexpected
from ..frames import FILE_TYPES, STREAM_TYPES, FrameType

#: What can have crossed the end of its number ([R13.2-3]).
_CROSSES = frozenset({
    FrameType.CREDIT, FrameType.STREAM_STOP, FrameType.FILE_ACCEPT, FrameType.FILE_CANCEL, FrameType.FILE_DONE
})


class Numbers:
    """Which numbers live, and of what. Ended ones are not remembered: they are those below the next that do not live.

    What lives has `is_stream`.
    """

    def __init__(self, is_lesser: bool) -> None:
        self._next_own = 0 if is_lesser else 1
        self._next_peers = 1 - self._next_own
        self._live: dict[int, Any] = {}

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._live.values()))

    def assign(self, item: Any) -> int:
        """The next number of our own."""
        number = self._next_own
        self._next_own += 2
        self._live[number] = item
        return number

    def check_next(self, number: int) -> None:
        """The `id` of STREAM_OPEN or FILE_OFFER ([R13.2-1])."""
        if number != self._next_peers:
            raise malformed(f"number {number} where {self._next_peers} comes")

    def begin(self, item: Any) -> None:
        """The next number of the peer's."""
        self._live[self._next_peers] = item
        self._next_peers += 2

    def end(self, number: int) -> None:
        del self._live[number]

    def get(self, number: int) -> Any | None:
        """For the app: what lives under this number."""
        return self._live.get(number)

    def is_unused(self, number: int) -> bool:
        """Neither live nor ended."""
        return number >= (self._next_own if self.is_own(number) else self._next_peers)

    def is_own(self, number: int) -> bool:
        """Whether we give numbers of this parity."""
        return number % 2 == self._next_own % 2

    def named(self, number: int, type_: int) -> Any | None:
        """What a frame of the peer names; None if the frame is to be ignored ([R13.2-2], [R13.2-3])."""
        item = self._live.get(number)
        if item is None:
            if self.is_unused(number) or type_ not in _CROSSES:
                raise unexpected(f"{FrameType(type_).name} of number {number}, which does not live")
            return None
        if type_ in (FILE_TYPES if item.is_stream else STREAM_TYPES):
            raise unexpected(f"{FrameType(type_).name} of a {'stream' if item.is_stream else 'file'}")
        return item
