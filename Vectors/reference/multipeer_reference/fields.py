"""Field lists, by which later versions add to a structure (SPEC §3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Sequence

from .errors import ErrorCode, ProtocolError, malformed
from .reader import Reader
from .writer import Writer

#: The longest list of most structures; entries have shorter ones, CERTIFICATES, INVITE and ACCEPT longer ones.
MAXIMUM_LIST = 1024
MAXIMUM_VALUE = 4096

#: Of each known even type: what judges its value, in its place.
Known = Mapping[int, Callable[[bytes], object]]


@dataclass(frozen=True)
class Field:
    """One field; SPEC §22.5 lists the types that are defined."""

    type: int
    value: bytes


def write_fields(writer: Writer, fields: Sequence[Field], maximum: int = MAXIMUM_LIST) -> Writer:
    """Appends `Field fields<0..maximum>`."""
    content = Writer()
    for field in fields:
        content.varint(field.type).vector(field.value, 0, MAXIMUM_VALUE)
    return writer.vector(content.bytes(), 0, maximum)


def read_fields(
    reader: Reader, maximum: int = MAXIMUM_LIST, known: Known = {}, even: ErrorCode = ErrorCode.UNSUPPORTED
) -> tuple[Field, ...]:
    """Reads `Field fields<0..maximum>`, field by field: order, whether the type is known, then the value.

    Odd types are unknown in this draft: they are skipped (and returned, to be passed on), an unknown even one
    is `even`, which is `unsupported` but in entries ([R3.4-1..3], [R14.3-1]).
    """
    content = Reader(reader.vector(0, maximum))
    fields: list[Field] = []
    while content.remaining:
        type_ = content.varint()
        if fields and type_ <= fields[-1].type:
            raise malformed("field types are not strictly ascending")
        if type_ % 2 == 0 and type_ not in known:
            raise ProtocolError(even, f"unknown critical field {type_}")
        value = content.vector(0, MAXIMUM_VALUE)
        if type_ in known:
            known[type_](value)
        fields.append(Field(type_, value))
    return tuple(fields)


def find_field(fields: Sequence[Field], type_: int) -> bytes | None:
    """The value of the field of this type; None if there is none."""
    return next((field.value for field in fields if field.type == type_), None)
