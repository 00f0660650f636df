"""Field lists, by which later versions add to a structure (SPEC §3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from .errors import ErrorCode, ProtocolError, malformed
from .reader import Reader
from .writer import Writer

#: The longest list of most structures; CERTIFICATES, INVITE and ACCEPT have longer ones (SPEC §3.4).
MAXIMUM_LIST = 1024
MAXIMUM_VALUE = 4096


@dataclass(frozen=True)
class Field:
    """One field; version 1 defines none (SPEC §22.5)."""

    type: int
    value: bytes


def write_fields(writer: Writer, fields: Sequence[Field], maximum: int = MAXIMUM_LIST) -> Writer:
    """Appends `Field fields<0..maximum>`."""
    content = Writer()
    for field in fields:
        content.varint(field.type).vector(field.value, 0, MAXIMUM_VALUE)
    return writer.vector(content.bytes(), 0, maximum)


def read_fields(reader: Reader, maximum: int = MAXIMUM_LIST) -> tuple[Field, ...]:
    """Reads `Field fields<0..maximum>`, field by field: order, whether the type is known, then the value.

    All types are unknown in version 1: the odd ones are skipped (and returned, for vectors), an even one is
    `unsupported` ([R3.4-1..3]).
    """
    content = Reader(reader.vector(0, maximum))
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
