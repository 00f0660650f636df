"""What packets hold, by kind, and how long they are (SPEC §26.4)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

#: Kind, tag, counter, and behind the contents the AEAD's tag.
HEADER_LENGTH, SEAL_LENGTH = 17, 16
LONGEST = 1_200
#: The longest message that goes in a datagram (SPEC §26.6).
LONGEST_MESSAGE = LONGEST - HEADER_LENGTH - SEAL_LENGTH
#: No challenge.
NOTHING = bytes(8)
#: A `delay` that is this long, or longer.
LONGEST_DELAY = 0xFFFF_FFFF

_ZEROS = bytes(LONGEST_MESSAGE - 16)
_REPORT = struct.Struct(">QQI")


class Kind(IntEnum):
    MESSAGE = 0x04
    PROBE = 0x05
    REPORT = 0x06


_LENGTHS = {
    Kind.MESSAGE: range(HEADER_LENGTH + SEAL_LENGTH, LONGEST + 1),
    Kind.PROBE: range(LONGEST, LONGEST + 1),
    Kind.REPORT: range(53, 54),
}


@dataclass(frozen=True)
class Message:
    data: bytes
    kind = Kind.MESSAGE

    def encode(self) -> bytes:
        return self.data


@dataclass(frozen=True)
class Probe:
    """It asks if `challenge` is not zero, and answers if `answered` is not zero (SPEC §26.5)."""

    challenge: bytes
    answered: bytes
    kind = Kind.PROBE

    def encode(self) -> bytes:
        return self.challenge + self.answered + _ZEROS


@dataclass(frozen=True)
class Report:
    """`delay` in microseconds (SPEC §26.7)."""

    greatest: int
    received: int
    delay: int
    kind = Kind.REPORT

    def encode(self) -> bytes:
        return _REPORT.pack(self.greatest, self.received, self.delay)


Contents = Message | Probe | Report


def fits(packet: bytes) -> bool:
    """Whether the kind is known, and the length is one of its kind ([R26.4-1])."""
    return bool(packet) and len(packet) in _LENGTHS.get(packet[0], ())  # type: ignore[call-overload]


def counter_of(packet: bytes) -> int:
    """Of a packet that fits."""
    return int.from_bytes(packet[9:HEADER_LENGTH], "big")


def decode(kind: int, contents: bytes) -> Contents | None:
    """None for contents that are dropped ([R26.4-3]). Their length has been judged."""
    match kind:
        case Kind.MESSAGE:
            return Message(contents)
        case Kind.PROBE:
            return Probe(contents[:8], contents[8:16]) if contents[16:] == _ZEROS else None
        case _:
            return Report(*_REPORT.unpack(contents))
