"""The parameters of a charter (SPEC §14.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Sequence

from ..errors import ErrorCode, ProtocolError, malformed
from ..fields import Field, find_field
from ..reader import Reader
from ..writer import Writer

ADMISSION, MAXIMUM_MEMBERS, UNITING = 0x02, 0x04, 0x06


class Admits(IntEnum):
    """Which members admit others."""

    EVERY_MEMBER = 0
    FOUNDER = 1


@dataclass(frozen=True)
class Parameters:
    """What a charter says, and what holds where it says nothing; `uniting` is None there."""

    admission: Admits = Admits.EVERY_MEMBER
    maximum_members: int = 256
    uniting: bool | None = None

    @staticmethod
    def of(fields: Sequence[Field]) -> "Parameters":
        admission, maximum = find_field(fields, ADMISSION), find_field(fields, MAXIMUM_MEMBERS)
        uniting = find_field(fields, UNITING)
        return Parameters(
            Admits.EVERY_MEMBER if admission is None else read_admission(admission),
            256 if maximum is None else read_maximum(maximum),
            None if uniting is None else read_uniting(uniting),
        )

    @property
    def permit_uniting(self) -> bool:
        """SPEC §14.11; without the parameter, where every member admits."""
        return self.admission is Admits.EVERY_MEMBER if self.uniting is None else self.uniting

    def fields(self) -> tuple[Field, ...]:
        """Without those that say what holds anyway, unless `uniting` is given."""
        made = []
        if self.admission is not Admits.EVERY_MEMBER:
            made.append(Field(ADMISSION, bytes([self.admission])))
        if self.maximum_members != 256:
            made.append(Field(MAXIMUM_MEMBERS, Writer().varint(self.maximum_members).bytes()))
        if self.uniting is not None:
            made.append(Field(UNITING, bytes([self.uniting])))
        return tuple(made)


def read_admission(value: bytes) -> Admits:
    """[R14.1-1]."""
    if len(value) != 1:
        raise malformed("admission is not one byte")
    if value[0] > 1:
        raise ProtocolError(ErrorCode.UNSUPPORTED, f"admission {value[0]}")
    return Admits(value[0])


def read_maximum(value: bytes) -> int:
    """[R14.1-1]."""
    reader = Reader(value)
    maximum = reader.varint()
    reader.finish()
    if not 2 <= maximum <= 256:
        raise malformed(f"maximumMembers {maximum}")
    return maximum


def read_uniting(value: bytes) -> bool:
    """[R14.1-1]."""
    if len(value) != 1:
        raise malformed("uniting is not one byte")
    if value[0] > 1:
        raise ProtocolError(ErrorCode.UNSUPPORTED, f"uniting {value[0]}")
    return value[0] == 1


#: For `read_fields`: each value is judged in its place.
KNOWN = {ADMISSION: read_admission, MAXIMUM_MEMBERS: read_maximum, UNITING: read_uniting}
