"""The roster: of each member the greatest valid entry (SPEC §14.4)."""

from __future__ import annotations

import hashlib
from enum import Enum, auto
from typing import Iterator

from ..charter import Charter
from .entries import Entry

LABEL = b"multipeer/1 roster\x00"
MAXIMUM_ENTRIES = 256


class Taken(Enum):
    """What became of an entry that came."""

    KEPT = auto()  # it is greater than what was there, or the first
    SAME = auto()  # byte by byte what is there
    LESSER = auto()  # dropped, and not verified unless it contradicts
    NO_ROOM = auto()  # valid and greater, but behind the 256 that come first


def rank(entry: Entry) -> tuple[bool, int, int, bytes]:
    """Those that come first are kept ([R14.4-3])."""
    return not entry.is_present, len(entry.chain), -entry.instance, entry.member


def digest_of(session: bytes, entries: list[Entry]) -> bytes:
    ordered = sorted(entries, key=lambda entry: entry.member)
    hashes = b"".join(entry.hash for entry in ordered)
    return hashlib.sha256(LABEL + session + len(ordered).to_bytes(2, "big") + hashes).digest()


class Roster:
    """`contradictions` has the members that have signed two entries for one place, each once."""

    def __init__(self, charter: Charter) -> None:
        self.charter = charter
        self._entries: dict[bytes, Entry] = {}
        self.contradictions: list[bytes] = []

    def __iter__(self) -> Iterator[Entry]:
        """In ascending order of member."""
        return iter(sorted(self._entries.values(), key=lambda entry: entry.member))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, member: bytes) -> Entry | None:
        return self._entries.get(member)

    @property
    def digest(self) -> bytes:
        return digest_of(self.charter.identifier, list(self._entries.values()))

    def take(self, entry: Entry) -> Taken:
        """ProtocolError with entry_invalid; one that is not greater costs no signature, unless it contradicts."""
        held = self._entries.get(entry.member)
        if held is not None and held.bytes == entry.bytes:
            return Taken.SAME
        contradicts = held is not None and held.place == entry.place
        is_greater = held is None or entry.order > held.order
        if is_greater or (contradicts and entry.member not in self.contradictions):
            entry.check(self.charter)
            if contradicts and entry.member not in self.contradictions:
                self.contradictions.append(entry.member)
        if not is_greater:
            return Taken.LESSER
        self._entries[entry.member] = entry
        return Taken.KEPT if self._drop_the_last() != entry.member else Taken.NO_ROOM

    def _drop_the_last(self) -> bytes | None:
        """Who had to go, if there were too many ([R14.4-3])."""
        if len(self._entries) <= MAXIMUM_ENTRIES:
            return None
        last = max(self._entries.values(), key=rank)
        del self._entries[last.member]
        return last.member
