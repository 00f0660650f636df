"""Field lists, by which later versions add to a structure (SPEC §3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from .errors import ErrorCode, ProtocolError, malformed
from .reader import Reader
from .writer import Writer

MAXIMUM_LIST = 1024
MAXIMUM_VALUE = 512


@dataclass(frozen=True)
class Field:
    """One field; version 1 defines none (SPEC §22.5)."""

    type: int
    value: bytes


def write_fields(writer: Writer, fields: Sequence[Field]) -> None:
    """Appends `Field fields<0..1024>`."""
    content = Writer()
    for field in fields:
        content.varint(field.type).vector(field.value, 0, MAXIMUM_VALUE)
    writer.vector(content.bytes(), 0, MAXIMUM_LIST)


def read_fields(reader: Reader) -> tuple[Field, ...]:
    """Reads `Field fields<0..1024>`, field by field: order, whether the type is known, then the value.

    All types are unknown in version 1: the odd ones are skipped (and returned, for vectors), an even one is
    `unsupported` ([R3.4-1..3]).
    """
    content = Reader(reader.vector(0, MAXIMUM_LIST))
    fields: list[Field] = []
    while content.remaining:
        type_ = content.varint()
        if fields and type_ <= fields[-1].type:
            raise malformed("field types are not strictly ascending")
        if type_ % 2 == 0:
            raise ProtocolError(ErrorCode.UNSUPPORTED, f"unknown critical field {type_}")
        value = content.vector(0, MAXIMUM_VALUE)
        fields.append(Field(type_, value))
    return tuple(fields)
