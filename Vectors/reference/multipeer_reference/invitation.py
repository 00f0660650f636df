"""PEER_INFO, INVITE, ACCEPT, DECLINE, CANCEL and the tie-break (SPEC §8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .errors import ErrorCode, ProtocolError, malformed
from .fields import Field, read_fields, write_fields
from .names import decode_display_name
from .reader import Reader
from .writer import Writer

MAXIMUM_MESSAGE_LIMIT = 4_294_967_295
MAXIMUM_TIMEOUT = 600_000


class IdentityKind(IntEnum):
    NONE = 0
    X509 = 1


class DeclineReason(IntEnum):
    DECLINED = 1
    BUSY = 2
    ENCRYPTION_POLICY = 3
    TIMEOUT = 4
    SUPERSEDED = 5


class CancelReason(IntEnum):
    CANCELLED = 1
    TIMEOUT = 2


@dataclass(frozen=True)
class PeerInfo:
    """SPEC §8.1."""

    display_name: str
    maximum_message: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().vector(self.display_name.encode(), 1, 63).varint(self.maximum_message)
        write_fields(writer, self.fields)
        return writer.bytes()

    @staticmethod
    def decode(payload: bytes) -> "PeerInfo":
        reader = Reader(payload)
        name = decode_display_name(reader.vector(1, 63))
        maximum = reader.varint()
        if not 1 <= maximum <= MAXIMUM_MESSAGE_LIMIT:
            raise malformed("maximumMessage is out of range")
        fields = read_fields(reader)
        reader.finish()
        return PeerInfo(name, maximum, fields)


def _preference(reader: Reader) -> int:
    value = reader.u8()
    if value > 2:
        raise malformed(f"preference {value}")
    return value


def _identity_kind(reader: Reader) -> IdentityKind:
    value = reader.u8()
    if value > 1:
        raise ProtocolError(ErrorCode.UNSUPPORTED, f"identity kind {value}")
    return IdentityKind(value)


@dataclass(frozen=True)
class Invite:
    """SPEC §8.2; `timeout` in milliseconds."""

    session: bytes
    preference: int
    identity_kind: int
    timeout: int
    context: bytes = b""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().raw(self.session, 16).u8(self.preference).u8(self.identity_kind).varint(self.timeout)
        writer.vector(self.context, 0, 16_384)
        write_fields(writer, self.fields)
        return writer.bytes()

    @staticmethod
    def decode(payload: bytes) -> "Invite":
        reader = Reader(payload)
        session, preference, kind = reader.take(16), _preference(reader), _identity_kind(reader)
        timeout = reader.varint()
        if not 1 <= timeout <= MAXIMUM_TIMEOUT:
            raise malformed("timeout is out of range")
        context, fields = reader.vector(0, 16_384), read_fields(reader)
        reader.finish()
        return Invite(session, preference, kind, timeout, context, fields)


@dataclass(frozen=True)
class Accept:
    """SPEC §8.3."""

    preference: int
    identity_kind: int
    outcome: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().u8(self.preference).u8(self.identity_kind).u8(self.outcome)
        write_fields(writer, self.fields)
        return writer.bytes()

    @staticmethod
    def decode(payload: bytes) -> "Accept":
        reader = Reader(payload)
        preference, kind, outcome = _preference(reader), _identity_kind(reader), reader.u8()
        if outcome > 1:
            raise malformed(f"outcome {outcome}")
        fields = read_fields(reader)
        reader.finish()
        return Accept(preference, kind, outcome, fields)


@dataclass(frozen=True)
class Decline:
    """SPEC §8.4."""

    reason: int
    detail: bytes = b""

    def encode(self) -> bytes:
        return Writer().u8(self.reason).vector(self.detail, 0, 64).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Decline":
        reader = Reader(payload)
        decline = Decline(reader.u8(), reader.vector(0, 64))
        reader.finish()
        if decline.reason == DeclineReason.ENCRYPTION_POLICY:
            if len(decline.detail) != 1 or decline.detail[0] > 2:
                raise malformed("the detail is not a preference")
        elif decline.reason in DeclineReason._value2member_map_ and decline.detail:
            raise malformed("the detail is not empty")
        return decline

    @property
    def meaning(self) -> DeclineReason:
        """Unknown reasons mean *declined* ([R8.4-1])."""
        known = self.reason in DeclineReason._value2member_map_
        return DeclineReason(self.reason) if known else DeclineReason.DECLINED


@dataclass(frozen=True)
class Cancel:
    """SPEC §8.5."""

    reason: int

    def encode(self) -> bytes:
        return Writer().u8(self.reason).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Cancel":
        reader = Reader(payload)
        cancel = Cancel(reader.u8())
        reader.finish()
        return cancel

    @property
    def meaning(self) -> CancelReason:
        return CancelReason.TIMEOUT if self.reason == 2 else CancelReason.CANCELLED


def own_invite_stands(own: bytes, peer: bytes) -> bool:
    """Of two crossing INVITEs, that of the lesser identity key stands (SPEC §8.6, §8.7)."""
    return own < peer
