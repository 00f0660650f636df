"""The frames of file transfers (SPEC §15.3, §15.4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .errors import malformed
from .fields import Field, read_fields, write_fields
from .names import decode_utf8
from .reader import Reader
from .writer import Writer

MAXIMUM_SIZE = (1 << 53) - 1


class CancelFileReason(IntEnum):
    DECLINED = 1
    CANCELLED = 2
    STORAGE_FAILED = 3
    SOURCE_FAILED = 4
    HASH_MISMATCH = 5
    TOO_LARGE = 6


@dataclass(frozen=True)
class FileOffer:
    id: int
    size: int
    name: str
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().varint(self.id).varint(self.size).vector(self.name.encode(), 1, 255)
        write_fields(writer, self.fields)
        return writer.bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileOffer":
        reader = Reader(payload)
        id_, size = reader.varint(), reader.varint()
        if size > MAXIMUM_SIZE:
            raise malformed(f"a file of {size} bytes")  # [R15.3-8]
        name, fields = decode_utf8(reader.vector(1, 255)), read_fields(reader)
        reader.finish()
        return FileOffer(id_, size, name, fields)


@dataclass(frozen=True)
class FileNumber:
    """FILE_ACCEPT and FILE_DONE."""

    id: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileNumber":
        reader = Reader(payload)
        number = FileNumber(reader.varint(), read_fields(reader))
        reader.finish()
        return number


@dataclass(frozen=True)
class FileCancel:
    """The number tells whose file it is (SPEC §15.4)."""

    id: int
    reason: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id).u8(self.reason), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileCancel":
        reader = Reader(payload)
        cancel = FileCancel(reader.varint(), reader.u8(), read_fields(reader))
        reader.finish()
        return cancel

    @property
    def meaning(self) -> CancelFileReason:
        """An unknown reason is treated as 2 (SPEC §15.3)."""
        known = self.reason in CancelFileReason._value2member_map_
        return CancelFileReason(self.reason) if known else CancelFileReason.CANCELLED


@dataclass(frozen=True)
class FileData:
    id: int
    offset: int
    data: bytes

    def encode(self) -> bytes:
        return Writer().varint(self.id).varint(self.offset).raw(self.data).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileData":
        """Data of no byte is malformed whatever the state, of a cancelled file too ([R15.3-3], [R15.3-7], [R18-1])."""
        reader = Reader(payload)
        part = FileData(reader.varint(), reader.varint(), reader.rest())
        if not part.data:
            raise malformed("FILE_DATA without data")
        return part


@dataclass(frozen=True)
class FileEnd:
    id: int
    sha256: bytes
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id).raw(self.sha256, 32), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileEnd":
        reader = Reader(payload)
        end = FileEnd(reader.varint(), reader.take(32), read_fields(reader))
        reader.finish()
        return end
