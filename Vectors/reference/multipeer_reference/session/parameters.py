"""The parameters of a charter (SPEC §14.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Sequence

from ..errors import ErrorCode, ProtocolError, malformed
from ..fields import Field, find_field
from ..reader import Reader
from ..writer import Writer

ADMISSION, MAXIMUM_MEMBERS = 0x02, 0x04


class Admits(IntEnum):
    """Which members admit others."""

    EVERY_MEMBER = 0
    FOUNDER = 1


@dataclass(frozen=True)
class Parameters:
    """What a charter says, and what holds where it says nothing."""

    admission: Admits = Admits.EVERY_MEMBER
    maximum_members: int = 256

    @staticmethod
    def of(fields: Sequence[Field]) -> "Parameters":
        admission, maximum = find_field(fields, ADMISSION), find_field(fields, MAXIMUM_MEMBERS)
        return Parameters(
            Admits.EVERY_MEMBER if admission is None else read_admission(admission),
            256 if maximum is None else read_maximum(maximum),
        )

    def fields(self) -> tuple[Field, ...]:
        """Without those that say what holds anyway."""
        made = []
        if self.admission is not Admits.EVERY_MEMBER:
            made.append(Field(ADMISSION, bytes([self.admission])))
        if self.maximum_members != 256:
            made.append(Field(MAXIMUM_MEMBERS, Writer().varint(self.maximum_members).bytes()))
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


#: For `read_fields`: each value is judged in its place.
KNOWN = {ADMISSION: read_admission, MAXIMUM_MEMBERS: read_maximum}
