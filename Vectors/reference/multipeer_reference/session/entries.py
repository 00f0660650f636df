"""Roster entries (SPEC §14.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

from .. import ed25519
from ..charter import Charter
from ..errors import ErrorCode, ProtocolError, malformed
from ..fields import Field, read_fields, write_fields
from ..names import decode_display_name
from ..reader import Reader
from ..writer import Writer
from . import admissions
from .admissions import Chain

LABEL = b"multipeer/1 roster entry\x00"
MAXIMUM_LENGTH = 1024
MAXIMUM_ADDRESSES = 8
MAXIMUM_FIELDS = 256
LEFT, PRESENT = 0, 1
IPV4, IPV6 = 1, 2
_LENGTHS = {IPV4: 6, IPV6: 18}


@dataclass(frozen=True)
class Address:
    """An address of an unknown kind is kept and passed on ([R14.3-3])."""

    kind: int
    value: bytes


@dataclass(frozen=True)
class Entry:
    """What a member says of itself. The name may be empty."""

    member: bytes
    instance: int
    sequence: int
    presence: int = PRESENT
    name: str = ""
    addresses: tuple[Address, ...] = ()
    chain: Chain = ()
    fields: tuple[Field, ...] = ()
    signature: bytes = bytes(64)

    def _unsigned(self) -> bytes:
        addresses = Writer()
        for address in self.addresses:
            addresses.u8(address.kind).vector(address.value, 0, 64)
        writer = Writer().raw(self.member, 32).varint(self.instance).varint(self.sequence).u8(self.presence)
        writer.vector(self.name.encode(), 0, 63).vector(addresses.bytes(), 0, 256)
        writer.vector(admissions.encode_chain(self.chain), 0, 768)
        return write_fields(writer, self.fields, MAXIMUM_FIELDS).bytes()

    @cached_property
    def bytes(self) -> bytes:
        """An entry is passed on byte by byte; its encoding is unique, so these are the bytes that came."""
        return self._unsigned() + self.signature

    @cached_property
    def hash(self) -> bytes:
        return hashlib.sha256(self.bytes).digest()

    @property
    def place(self) -> tuple[int, int]:
        return self.instance, self.sequence

    @property
    def order(self) -> tuple[int, int, bytes]:
        """Of the entries of one member the greatest counts (SPEC §14.4)."""
        return self.instance, self.sequence, self.hash

    @property
    def is_present(self) -> bool:
        return self.presence == PRESENT

    def signed_bytes(self, session: bytes) -> bytes:
        return LABEL + session + self._unsigned()

    def signed(self, key: ed25519.SigningKey, session: bytes) -> "Entry":
        """With the signature of `key`, which must be the member's; ValueError where the entry is too long."""
        if key.public != self.member:
            raise ValueError("an entry speaks of its signer alone")
        entry = replace(self, signature=key.sign(self.signed_bytes(session)))
        if len(entry.bytes) > MAXIMUM_LENGTH:
            raise ValueError("an entry is longer than 1,024 bytes")
        return entry

    @staticmethod
    def read(reader: Reader) -> "Entry":
        """[R14.3-1], field by field; the signatures are `check`'s."""
        before = reader.remaining
        member, instance, sequence, presence = reader.take(32), reader.varint(), reader.varint(), reader.u8()
        if presence > PRESENT:
            raise malformed(f"presence {presence}")
        shown = reader.vector(0, 63)
        name = decode_display_name(shown) if shown else ""
        addresses, chain = _read_addresses(Reader(reader.vector(0, 256))), admissions.read_chain(reader)
        fields = read_fields(reader, MAXIMUM_FIELDS, even=ErrorCode.MALFORMED)
        signature = reader.take(64)
        if before - reader.remaining > MAXIMUM_LENGTH:
            raise malformed("an entry of more than 1,024 bytes")
        return Entry(member, instance, sequence, presence, name, addresses, chain, fields, signature)

    @staticmethod
    def decode(data: bytes) -> "Entry":
        reader = Reader(data)
        entry = Entry.read(reader)
        reader.finish()
        return entry

    def check(self, charter: Charter) -> None:
        """Signature and chain, by the entry and the charter alone ([R14.3-2], [R14.3-3])."""
        if not ed25519.verify(self.member, self.signature, self.signed_bytes(charter.identifier)):
            raise ProtocolError(ErrorCode.ENTRY_INVALID, "an entry that its member has not signed")
        admissions.check(self.chain, charter, self.member)


def _read_addresses(reader: Reader) -> tuple[Address, ...]:
    addresses: list[Address] = []
    while reader.remaining:
        kind, value = reader.u8(), reader.vector(0, 64)
        if _LENGTHS.get(kind, len(value)) != len(value):
            raise malformed(f"an address of kind {kind} with {len(value)} bytes")
        addresses.append(Address(kind, value))
        if len(addresses) > MAXIMUM_ADDRESSES:
            raise malformed("more than 8 addresses")
    return tuple(addresses)
