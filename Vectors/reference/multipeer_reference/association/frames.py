"""CREDIT, ACK, PING and PONG (SPEC §13.4, §13.6, §13.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ..errors import ErrorCode, ProtocolError, malformed
from ..reader import Reader
from ..writer import Writer


class CreditKind(IntEnum):
    """SPEC §13.3."""

    MESSAGES = 0
    OPENINGS = 1
    OFFERS = 2
    STREAM = 3
    FILE = 4


@dataclass(frozen=True)
class Credit:
    """`limit` is absolute; `id` is 0 for the kinds that are kept once."""

    kind: CreditKind
    id: int
    limit: int

    def encode(self) -> bytes:
        return Writer().u8(self.kind).varint(self.id).varint(self.limit).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Credit":
        """[R13.4-1]."""
        reader = Reader(payload)
        kind = reader.u8()
        if kind not in CreditKind._value2member_map_:
            raise ProtocolError(ErrorCode.UNSUPPORTED, f"credit of kind {kind}")
        id_ = reader.varint()
        if id_ and kind <= CreditKind.OFFERS:
            raise malformed("credit with a number that its kind has not")
        credit = Credit(CreditKind(kind), id_, reader.varint())
        reader.finish()
        return credit


@dataclass(frozen=True)
class Ack:
    """How many counted frames have been processed since the association began."""

    count: int

    def encode(self) -> bytes:
        return Writer().varint(self.count).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Ack":
        reader = Reader(payload)
        ack = Ack(reader.varint())
        reader.finish()
        return ack


@dataclass(frozen=True)
class Ping:
    """PING and PONG."""

    data: bytes

    def encode(self) -> bytes:
        return Writer().raw(self.data, 8).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Ping":
        reader = Reader(payload)
        ping = Ping(reader.take(8))
        reader.finish()
        return ping
