"""The frames of files (SPEC §15.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum

from .errors import ErrorCode, ProtocolError, malformed
from .fields import Field, read_fields, write_fields
from .integers import LIMIT
from .names import decode_utf8
from .reader import Reader
from .writer import Writer

MAXIMUM_SIZE = (1 << 53) - 1
MAXIMUM_MANIFEST = 4_194_304
NO_TAG = bytes(16)
HASH_OF_NOTHING = hashlib.sha256().digest()


class FileKind(IntEnum):
    """`type` of FILE_OFFER and of a folder's members."""

    FILE = 0
    PROGRAM = 1
    FOLDER = 2


class CancelFileReason(IntEnum):
    DECLINED = 1
    CANCELLED = 2
    STORAGE_FAILED = 3
    SOURCE_FAILED = 4
    HASH_MISMATCH = 5
    TOO_LARGE = 6
    BEGINNING_DIFFERS = 7
    SOURCE_CHANGED = 8
    NO_SPACE = 9
    NO_PERMISSION = 10
    BAD_MANIFEST = 11
    INTERRUPTED = 12
    STALLED = 13

    @property
    def keeps_beginning(self) -> bool:
        """Whether what the receiver holds may serve a later offer; of 3 that is its choice, and we keep it."""
        return self in (3, 4, 9, 10, 12, 13)


@dataclass(frozen=True)
class FileOffer:
    id: int
    size: int
    name: str
    fields: tuple[Field, ...] = ()
    tag: bytes = NO_TAG
    type: int = FileKind.FILE
    modified: int = 0
    manifest: int = 0

    def encode(self) -> bytes:
        writer = Writer().varint(self.id).varint(self.size).raw(self.tag, 16).u8(self.type).varint(self.modified)
        writer.varint(self.manifest).vector(self.name.encode(), 1, 255)
        return write_fields(writer, self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileOffer":
        """[R15.3-8]."""
        reader = Reader(payload)
        id_, size = reader.varint(), reader.varint()
        if size > MAXIMUM_SIZE:
            raise malformed(f"a file of {size} bytes")
        tag, type_ = reader.take(16), reader.u8()
        if type_ not in FileKind._value2member_map_:
            raise ProtocolError(ErrorCode.UNSUPPORTED, f"a file of type {type_}")
        modified, manifest = reader.varint(), reader.varint()
        if manifest > (min(size, MAXIMUM_MANIFEST) if type_ == FileKind.FOLDER else 0):
            raise malformed(f"a manifest of {manifest} bytes")
        name, fields = decode_utf8(reader.vector(1, 255)), read_fields(reader)
        reader.finish()
        return FileOffer(id_, size, name, fields, tag, FileKind(type_), modified, manifest)


@dataclass(frozen=True)
class FileAccept:
    """`sha256` is over the `offset` bytes that are held already."""

    id: int
    offset: int = 0
    sha256: bytes = HASH_OF_NOTHING
    credit: int = 1 << 20
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().varint(self.id).varint(self.offset).raw(self.sha256, 32).varint(self.credit)
        return write_fields(writer, self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileAccept":
        reader = Reader(payload)
        id_, offset, sha256, credit = reader.varint(), reader.varint(), reader.take(32), reader.varint()
        if offset + credit >= LIMIT:
            raise malformed("credit beyond all numbers")  # [R15.3-9]
        fields = read_fields(reader)
        reader.finish()
        return FileAccept(id_, offset, sha256, credit, fields)


@dataclass(frozen=True)
class FileDone:
    id: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.id), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "FileDone":
        reader = Reader(payload)
        done = FileDone(reader.varint(), read_fields(reader))
        reader.finish()
        return done


@dataclass(frozen=True)
class FileCancel:
    """The number shows whose file it is (SPEC §15.4)."""

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
