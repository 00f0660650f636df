"""ADMIT, ROSTER, DIGEST, SUMMARY and WANT (SPEC §14.5), UNITE and ENTER (SPEC §14.11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from .. import ed25519
from ..charter import Charter
from ..errors import ErrorCode, ProtocolError, malformed
from ..fields import Field, read_fields, write_fields
from ..reader import Reader
from ..writer import Writer
from . import admissions
from .admissions import Admission, Chain, encode_chain, read_chain
from .entries import Entry

#: A list of members has at most this number ([R14.5-2]).
MAXIMUM_MEMBERS = 256
MAXIMUM_ENTRIES = 65_504


@dataclass(frozen=True)
class Admit:
    """Empty for the founder."""

    chain: Chain
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().vector(encode_chain(self.chain), 0, 768), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Admit":
        reader = Reader(payload)
        admit = Admit(read_chain(reader), read_fields(reader))
        reader.finish()
        return admit


@dataclass(frozen=True)
class Roster:
    """Entries in ascending order of member."""

    entries: tuple[Entry, ...]

    def encode(self) -> bytes:
        content = b"".join(entry.bytes for entry in self.entries)
        return Writer().vector(content, 1, MAXIMUM_ENTRIES).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Roster":
        """All of it, before anything of it is kept; signatures are judged after that ([R14.5-3])."""
        reader = Reader(payload)
        content, members = Reader(reader.vector(1, MAXIMUM_ENTRIES)), _Ascending("entries")
        entries: list[Entry] = []
        while content.remaining:
            entry = Entry.read(content)
            members.take(entry.member)
            entries.append(entry)
        reader.finish()
        return Roster(tuple(entries))


def rosters(entries: Iterable[Entry]) -> list[Roster]:
    """All of them, in as few frames as will do."""
    made: list[list[Entry]] = []
    length = 0
    for entry in in_order(entries):
        if not made or length + len(entry.bytes) > MAXIMUM_ENTRIES:
            made.append([])
            length = 0
        made[-1].append(entry)
        length += len(entry.bytes)
    return [Roster(tuple(part)) for part in made]


@dataclass(frozen=True)
class Digest:
    digest: bytes
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().raw(self.digest, 32), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Digest":
        reader = Reader(payload)
        digest = Digest(reader.take(32), read_fields(reader))
        reader.finish()
        return digest


@dataclass(frozen=True)
class Item:
    """What SUMMARY says of one entry."""

    member: bytes
    instance: int
    sequence: int
    hash: bytes

    @property
    def order(self) -> tuple[int, int, bytes]:
        return self.instance, self.sequence, self.hash

    @staticmethod
    def of(entry: Entry) -> "Item":
        return Item(entry.member, entry.instance, entry.sequence, entry.hash)


@dataclass(frozen=True)
class Summary:
    items: tuple[Item, ...]
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        content = Writer()
        for item in self.items:
            content.raw(item.member, 32).varint(item.instance).varint(item.sequence).raw(item.hash, 32)
        return write_fields(Writer().vector(content.bytes(), 0, 32_768), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Summary":
        reader = Reader(payload)
        content, members = Reader(reader.vector(0, 32_768)), _Ascending("items")
        items: list[Item] = []
        while content.remaining:
            item = Item(content.take(32), content.varint(), content.varint(), content.take(32))
            members.take(item.member)
            items.append(item)
        fields = read_fields(reader)
        reader.finish()
        return Summary(tuple(items), fields)


@dataclass(frozen=True)
class Want:
    members: tuple[bytes, ...]
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().vector(b"".join(self.members), 1, 8192), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Want":
        reader = Reader(payload)
        content, members = Reader(reader.vector(1, 8192)), _Ascending("members")
        wanted: list[bytes] = []
        while content.remaining:
            wanted.append(content.take(32))
            members.take(wanted[-1])
        fields = read_fields(reader)
        reader.finish()
        return Want(tuple(wanted), fields)


@dataclass(frozen=True)
class Unite:
    """Its sender is a member of this session; `admission` is the signature by which it admits the receiver, or empty."""

    charter: Charter
    chain: Chain
    admission: bytes = b""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().raw(self.charter.encode()).vector(encode_chain(self.chain), 0, 768)
        return write_fields(writer.vector(self.admission, 0, 64), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Unite":
        reader = Reader(payload)
        charter, chain, admission = Charter.read(reader), read_chain(reader), reader.vector(0, 64)
        if len(admission) not in (0, 64):
            raise malformed(f"an admission of {len(admission)} bytes")  # [R14.11-2]
        unite = Unite(charter, chain, admission, read_fields(reader))
        reader.finish()
        return unite

    def check(self, sender: bytes, receiver: bytes) -> None:
        """Chain and admission ([R14.11-2])."""
        admissions.check(self.chain, self.charter, sender)
        if not self.admission:
            return
        signed = admissions.signed_bytes(self.charter.identifier, receiver)
        may_admit = admissions.may_admit(self.charter, sender, self.chain)
        if not may_admit or not ed25519.verify(sender, self.admission, signed):
            raise ProtocolError(ErrorCode.ENTRY_INVALID, "an admission that does not verify")

    def chain_of(self, sender: bytes, receiver: bytes) -> Chain:
        """The receiver's own."""
        return () if receiver == self.charter.founder else (Admission(sender, self.admission), *self.chain)


@dataclass(frozen=True)
class Enter:
    """From here on the sender's direction has this session."""

    session: bytes
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().raw(self.session, 32), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Enter":
        reader = Reader(payload)
        enter = Enter(reader.take(32), read_fields(reader))
        reader.finish()
        return enter


class _Ascending:
    """[R14.5-2]."""

    def __init__(self, what: str) -> None:
        self._what, self._last, self._count = what, b"", 0

    def take(self, member: bytes) -> None:
        self._count += 1
        if self._count > MAXIMUM_MEMBERS:
            raise malformed(f"more than {MAXIMUM_MEMBERS} {self._what}")
        if self._last and member <= self._last:
            raise malformed(f"{self._what} are not strictly ascending")
        self._last = member


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.member)
