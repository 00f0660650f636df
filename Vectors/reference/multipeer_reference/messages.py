"""Messages (SPEC §15.1)."""

from __future__ import annotations

from typing import Iterator

from .errors import ErrorCode, ProtocolError, malformed, unexpected
from .frames import Frame, FrameType
from .integers import encode_varint
from .reader import Reader

#: How many bytes of data we put into one frame; any size that fits a record is allowed.
PART_LENGTH = 32_768


def message_frames(message: bytes, part_length: int = PART_LENGTH) -> Iterator[Frame]:
    """The frames of one message (SPEC §15.1)."""
    yield Frame(FrameType.MESSAGE, encode_varint(len(message)) + message[:part_length])
    for start in range(part_length, len(message), part_length):
        yield Frame(FrameType.MESSAGE_PART, message[start : start + part_length])


class MessageAssembler:
    """Puts messages together; memory follows what has arrived, not `total` ([R15.1-4])."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._total = 0
        self._data: bytearray | None = None

    @property
    def is_unfinished(self) -> bool:
        return self._data is not None

    def handle(self, frame: Frame) -> bytes | None:
        """The message, if the frame completes it. Fields come first, then what is under way ([R18-1])."""
        if frame.type == FrameType.MESSAGE:
            return self._begin(frame.payload)
        if not frame.payload:
            raise malformed("a part is empty")
        if self._data is None:
            raise unexpected("MESSAGE_PART with no message begun")
        return self._append(self._total, self._data, frame.payload)

    def _begin(self, payload: bytes) -> bytes | None:
        reader = Reader(payload)
        total = reader.varint()
        if total > self._maximum:
            raise ProtocolError(ErrorCode.LIMIT_EXCEEDED, f"a message of {total} bytes")
        data = reader.rest()
        if len(data) > total or (total and not data):
            raise malformed("a beginning is empty, or longer than its message")
        if self._data is not None:
            raise unexpected("MESSAGE before the last one is complete")
        return self._append(total, bytearray(), data)

    def _append(self, total: int, begun: bytearray, data: bytes) -> bytes | None:
        """A faulty part changes nothing."""
        if len(data) > total - len(begun):
            raise malformed("a part is longer than what the message lacks")
        begun += data
        self._total, self._data = total, begun
        if len(begun) < total:
            return None
        self._data = None
        return bytes(begun)
