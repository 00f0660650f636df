"""The feature *verification* and its frames (SPEC §25.6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .errors import malformed
from .fields import Field, read_fields, write_fields
from .reader import Reader
from .writer import Writer

#: What PEER_INFO lists.
FEATURE = 0x0001
NUMBERS = range(1, 1000)


class Means(StrEnum):
    """How a key was verified by people (SPEC §25.1)."""

    STRING = "short-string"
    CODE = "one-time-code"


@dataclass(frozen=True)
class Ask:
    """STRING_ASK."""

    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer(), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Ask":
        reader = Reader(payload)
        ask = Ask(read_fields(reader))
        reader.finish()
        return ask


@dataclass(frozen=True)
class Bytes:
    """STRING_COMMIT, STRING_NONCE, STRING_REVEAL, CODE_ANSWER and CODE_CONFIRM: 32 bytes and the fields."""

    content: bytes
    fields: tuple[Field, ...] = ()

    @property
    def associated_data(self) -> bytes:
        """AD of CODE_ANSWER (SPEC §25.5)."""
        return write_fields(Writer(), self.fields).bytes()

    def encode(self) -> bytes:
        return Writer().raw(self.content, 32).raw(self.associated_data).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Bytes":
        reader = Reader(payload)
        frame = Bytes(reader.take(32), read_fields(reader))
        reader.finish()
        return frame


@dataclass(frozen=True)
class Begin:
    """CODE_BEGIN."""

    share: bytes
    number: int
    fields: tuple[Field, ...] = ()

    @property
    def associated_data(self) -> bytes:
        """AD (SPEC §25.5)."""
        return write_fields(Writer().varint(self.number), self.fields).bytes()

    def encode(self) -> bytes:
        return Writer().raw(self.share, 32).raw(self.associated_data).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Begin":
        reader = Reader(payload)
        share, number = reader.take(32), reader.varint()
        if number not in NUMBERS:
            raise malformed("the number of a code is 1 to 999")
        begin = Begin(share, number, read_fields(reader))
        reader.finish()
        return begin
