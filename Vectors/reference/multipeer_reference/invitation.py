"""PEER_INFO, INVITE, ACCEPT, DECLINE, CANCEL and the tie-break (SPEC §8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .charter import Charter
from .errors import ErrorCode, ProtocolError, malformed
from .fields import Field, find_field, read_fields, write_fields
from .names import decode_display_name
from .reader import Reader
from .session import admissions
from .session.admissions import Chain, decode_chain
from .writer import Writer

MAXIMUM_MESSAGE_LIMIT = 4_294_967_295
MAXIMUM_TIMEOUT = 600_000
#: The longest field list of INVITE and ACCEPT (SPEC §3.4).
MAXIMUM_LIST = 8192
#: The field of INVITE with the sender's chain of admissions (SPEC §8.2).
CHAIN = 0x02


class IdentityKind(IntEnum):
    NONE = 0
    X509 = 1


class SessionKind(IntEnum):
    EXISTING = 0
    NEW = 1
    MEMBERS = 2


class DeclineReason(IntEnum):
    DECLINED = 1
    BUSY = 2
    ENCRYPTION_POLICY = 3
    TIMEOUT = 4
    NO_SESSION = 6
    FULL = 7


class CancelReason(IntEnum):
    CANCELLED = 1
    TIMEOUT = 2


@dataclass(frozen=True)
class PeerInfo:
    """SPEC §8.1. An empty name is one that the sender does not show."""

    display_name: str
    maximum_message: int
    features: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().vector(self.display_name.encode(), 0, 63).varint(self.maximum_message)
        return write_fields(writer.u16_vector(self.features, 0, 256), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "PeerInfo":
        reader = Reader(payload)
        shown = reader.vector(0, 63)
        name = decode_display_name(shown) if shown else ""
        maximum = reader.varint()
        if not 1 <= maximum <= MAXIMUM_MESSAGE_LIMIT:
            raise malformed("maximumMessage is out of range")
        features = reader.u16_vector(0, 256)
        if any(low >= high for low, high in zip(features, features[1:])):
            raise malformed("features are not strictly ascending")  # [R8.1-3]
        fields = read_fields(reader)
        reader.finish()
        return PeerInfo(name, maximum, features, fields)


def _preference(reader: Reader) -> int:
    value = reader.u8()
    if value > 2:
        raise malformed(f"preference {value}")
    return value


def _session_kind(reader: Reader) -> SessionKind:
    value = reader.u8()
    if value > 2:
        raise ProtocolError(ErrorCode.UNSUPPORTED, f"session kind {value}")
    return SessionKind(value)


def _identity_kind(reader: Reader) -> IdentityKind:
    value = reader.u8()
    if value > 1:
        raise ProtocolError(ErrorCode.UNSUPPORTED, f"identity kind {value}")
    return IdentityKind(value)


@dataclass(frozen=True)
class Invite:
    """SPEC §8.2; `timeout` in milliseconds."""

    charter: Charter
    session_kind: int
    preference: int
    identity_kind: int
    timeout: int
    context: bytes = b""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().raw(self.charter.encode()).u8(self.session_kind).u8(self.preference)
        writer.u8(self.identity_kind).varint(self.timeout).vector(self.context, 0, 16_384)
        return write_fields(writer, self.fields, MAXIMUM_LIST).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Invite":
        reader = Reader(payload)
        charter, session_kind = Charter.read(reader), _session_kind(reader)
        preference, kind = _preference(reader), _identity_kind(reader)
        timeout = reader.varint()
        if not 1 <= timeout <= MAXIMUM_TIMEOUT:
            raise malformed("timeout is out of range")
        context, fields = reader.vector(0, 16_384), read_fields(reader, MAXIMUM_LIST, {CHAIN: decode_chain})
        reader.finish()
        if (find_field(fields, CHAIN) is not None) == (session_kind is SessionKind.NEW):
            raise malformed("a chain where none belongs, or none where one does")  # [R8.2-7]
        return Invite(charter, session_kind, preference, kind, timeout, context, fields)

    def check_founder(self, sender: bytes) -> None:
        """The founder of a new session is its inviter ([R8.2-5])."""
        if self.session_kind == SessionKind.NEW and self.charter.founder != sender:
            raise malformed("a new session of another founder")

    @property
    def chain(self) -> Chain:
        """The sender's admissions, of an INVITE to a session that exists ([R8.2-7])."""
        return decode_chain(find_field(self.fields, CHAIN) or b"")

    def check_chain(self, sender: bytes | None) -> None:
        """The sender is a member of the session that it invites to ([R8.2-8])."""
        if self.session_kind != SessionKind.NEW:
            admissions.check(self.chain, self.charter, sender or b"")


@dataclass(frozen=True)
class Accept:
    """SPEC §8.3."""

    preference: int
    identity_kind: int
    outcome: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().u8(self.preference).u8(self.identity_kind).u8(self.outcome)
        return write_fields(writer, self.fields, MAXIMUM_LIST).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Accept":
        reader = Reader(payload)
        preference, kind, outcome = _preference(reader), _identity_kind(reader), reader.u8()
        if outcome > 1:
            raise malformed(f"outcome {outcome}")
        fields = read_fields(reader, MAXIMUM_LIST)
        reader.finish()
        return Accept(preference, kind, outcome, fields)


@dataclass(frozen=True)
class Decline:
    """SPEC §8.4."""

    reason: int
    detail: bytes = b""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().u8(self.reason).vector(self.detail, 0, 64), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Decline":
        reader = Reader(payload)
        reason, detail = reader.u8(), reader.vector(0, 64)
        if reason == DeclineReason.ENCRYPTION_POLICY:
            if len(detail) != 1 or detail[0] > 2:
                raise malformed("the detail is not a preference")
        elif reason in DeclineReason._value2member_map_ and detail:
            raise malformed("the detail is not empty")
        decline = Decline(reason, detail, read_fields(reader))
        reader.finish()
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
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().u8(self.reason), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Cancel":
        reader = Reader(payload)
        cancel = Cancel(reader.u8(), read_fields(reader))
        reader.finish()
        return cancel

    @property
    def meaning(self) -> CancelReason:
        return CancelReason.TIMEOUT if self.reason == 2 else CancelReason.CANCELLED


def own_invite_stands(own: bytes, own_session: bytes, peer: bytes, peers_session: bytes) -> bool:
    """Of two crossing INVITEs, that for the lesser session identifier wins; for one session that of the lesser key (SPEC §8.6)."""
    return (own_session, own) < (peers_session, peer)
