"""CLOSE (SPEC §16.1)."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Field, read_fields, write_fields
from .reader import Reader
from .writer import Writer


@dataclass(frozen=True)
class Close:
    """The code may be unknown ([R16.1-4])."""

    code: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().varint(self.code), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Close":
        reader = Reader(payload)
        close = Close(reader.varint(), read_fields(reader))
        reader.finish()
        return close
