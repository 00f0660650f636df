"""The frames of streams (SPEC §15.6)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import malformed
from ..fields import Field, read_fields, write_fields
from ..names import decode_utf8
from ..reader import Reader
from ..writer import Writer


@dataclass(frozen=True)
class StreamOpen:
    """`credit` is what the opener takes in its own direction at first."""

    id: int
    credit: int
    name: str = ""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().varint(self.id).varint(self.credit).vector(self.name.encode(), 0, 255)
        return write_fields(writer, self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "StreamOpen":
        reader = Reader(payload)
        id_, credit = reader.varint(), reader.varint()
        name, fields = decode_utf8(reader.vector(0, 255)), read_fields(reader)
        reader.finish()
        return StreamOpen(id_, credit, name, fields)


@dataclass(frozen=True)
class StreamData:
    id: int
    data: bytes

    def encode(self) -> bytes:
        return Writer().varint(self.id).raw(self.data).bytes()

    @staticmethod
    def decode(payload: bytes) -> "StreamData":
        """[R15.6-2]."""
        reader = Reader(payload)
        part = StreamData(reader.varint(), reader.rest())
        if not part.data:
            raise malformed("STREAM_DATA without data")
        return part


@dataclass(frozen=True)
class StreamEnd:
    id: int
    size: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id).varint(self.size), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "StreamEnd":
        return StreamEnd(*_two(payload))


@dataclass(frozen=True)
class StreamReset:
    """STREAM_RESET and STREAM_STOP; an unknown code means 0."""

    id: int
    code: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id).varint(self.code), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "StreamReset":
        return StreamReset(*_two(payload))


def _two(payload: bytes) -> tuple[int, int, tuple[Field, ...]]:
    reader = Reader(payload)
    values = reader.varint(), reader.varint(), read_fields(reader)
    reader.finish()
    return values
