"""The roster: of each member the greatest valid entry (SPEC §14.4)."""

from __future__ import annotations

import hashlib
from enum import Enum, auto
from typing import Iterable, Iterator

from ..charter import Charter
from .entries import Entry

LABEL = b"multipeer/1 roster\x00"
MAXIMUM_ENTRIES = 256


class Taken(Enum):
    """What became of an entry that came."""

    KEPT = auto()  # it is greater than what was there, or the first
    SAME = auto()  # byte by byte what is there
    LESSER = auto()  # dropped, and not verified unless it contradicts
    OUTDATED = auto()  # dropped, since a greater one is kept apart ([R14.4-4])
    NO_ROOM = auto()  # valid and greater, but after the 256 that come first


def branch(entry: Entry) -> bytes:
    """The member that the founder admitted in its chain: the admitter before the last, or the member itself (SPEC
    §14.4)."""
    return entry.chain[-2].admitter if len(entry.chain) > 1 else entry.member


def _rank(entry: Entry, turn: int = 0) -> tuple[bool, int, int, int, bytes]:
    return not entry.is_present, turn, len(entry.chain), -entry.instance, entry.member


def ranked(entries: Iterable[Entry], left_first: bool = False) -> list[Entry]:
    """Those that come first are kept ([R14.4-3]). A member that admits many competes with those that it has
    admitted."""
    places: dict[bytes, int] = {}  # of the last one, by branch
    turns: dict[bytes, int] = {}
    listed = sorted(entries, key=_rank)
    for entry in listed:
        turns[entry.member] = places[branch(entry)] = places.get(branch(entry), 0) + 1
    return sorted(listed, key=lambda entry: (left_first and entry.is_present, *_rank(entry, turns[entry.member])))


def digest_of(session: bytes, entries: list[Entry]) -> bytes:
    ordered = sorted(entries, key=lambda entry: entry.member)
    hashes = b"".join(entry.hash for entry in ordered)
    return hashlib.sha256(LABEL + session + len(ordered).to_bytes(2, "big") + hashes).digest()


class Roster:
    """`contradictions` has the members that have signed two entries for one place, each once."""

    def __init__(self, charter: Charter) -> None:
        self.charter = charter
        self._entries: dict[bytes, Entry] = {}
        self._apart: dict[bytes, Entry] = {}  # those for which there was no room, of other members ([R14.4-4])
        self.contradictions: list[bytes] = []

    def __iter__(self) -> Iterator[Entry]:
        """In ascending order of member."""
        return iter(sorted(self._entries.values(), key=lambda entry: entry.member))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, member: bytes) -> Entry | None:
        return self._entries.get(member)

    def apart(self, member: bytes) -> Entry | None:
        return self._apart.get(member)

    @property
    def digest(self) -> bytes:
        return digest_of(self.charter.identifier, list(self._entries.values()))

    def take(self, entry: Entry, reports: bool = True) -> Taken:
        """ProtocolError with entry_invalid; one that is not greater costs no signature, unless it contradicts.

        Without `reports` a contradiction is none: it is the owner's of the roster.
        """
        apart = self._apart.get(entry.member)
        if apart is not None and entry.bytes == apart.bytes:
            return self._keep(entry)
        if apart is not None and entry.order < apart.order:
            return Taken.OUTDATED
        held = self._entries.get(entry.member)
        if held is not None and held.bytes == entry.bytes:
            return Taken.SAME
        contradicts = reports and held is not None and held.place == entry.place
        is_greater = held is None or entry.order > held.order
        if is_greater or (contradicts and entry.member not in self.contradictions):
            entry.check(self.charter)
            if contradicts and entry.member not in self.contradictions:
                self.contradictions.append(entry.member)
        if not is_greater:
            return Taken.LESSER
        return self._keep(entry)

    def _keep(self, entry: Entry) -> Taken:
        self._apart.pop(entry.member, None)
        self._entries[entry.member] = entry
        return Taken.KEPT if self._drop_the_last() != entry.member else Taken.NO_ROOM

    def _drop_the_last(self) -> bytes | None:
        """The member that had to go, if there were too many ([R14.4-3])."""
        if len(self._entries) <= MAXIMUM_ENTRIES:
            return None
        last = ranked(self._entries.values())[-1]
        self._apart[last.member] = self._entries.pop(last.member)
        if len(self._apart) > MAXIMUM_ENTRIES:
            del self._apart[ranked(self._apart.values(), left_first=True)[-1].member]
        return last.member
