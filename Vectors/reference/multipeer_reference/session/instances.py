"""A member's own entries: instances, sequences, and what is done about a greater one of oneself (SPEC §14.7)."""

from __future__ import annotations

from dataclasses import dataclass

from ..charter import Charter
from ..ed25519 import SigningKey
from ..integers import LIMIT
from .admissions import Chain
from .entries import PRESENT, Address, Entry

#: How often a member signs above a greater entry of itself, at most ([R14.7-2]).
AT_MOST_EVERY = 10_000
_TIMES_UNTIL_TOLD = 3


@dataclass(frozen=True)
class Shown:
    """What the entries of a member say beside its keys."""

    name: str = ""
    addresses: tuple[Address, ...] = ()


class OwnEntries:
    """`started` is the wall clock in milliseconds since 1970; `remembered` the greatest instance of earlier runs."""

    def __init__(
        self, key: SigningKey, charter: Charter, chain: Chain, shown: Shown, started: int, remembered: int | None = None
    ) -> None:
        self._key, self._charter = key, charter
        self.chain, self.shown = chain, shown
        self._instance = started if remembered is None else max(started, remembered + 1)  # [R14.7-1]
        self._sequence = -1
        self.newest: Entry | None = None
        self._raised_at: int | None = None
        self._waiting: Entry | None = None
        self._times = 0
        self.has_twin = False  # another program seems to use this identity

    def sign(self, presence: int = PRESENT) -> Entry:
        """The next entry of this run ([R14.3-4], [R14.7-1]); at the last sequence a new instance begins."""
        self._sequence += 1
        if self._sequence == LIMIT:
            self._instance, self._sequence = self._instance + 1, 0
        entry = Entry(
            self._key.public, self._instance, self._sequence, presence, self.shown.name, self.shown.addresses, self.chain
        )
        self.newest = entry.signed(self._key, self._charter.identifier)
        return self.newest

    def is_challenged_by(self, entry: Entry) -> bool:
        """Whether an entry of ourselves, if it is valid, has to be exceeded: it is greater, or contradicts."""
        newest = self.newest
        if newest is None or entry.bytes == newest.bytes:
            return False
        return entry.order > newest.order or entry.place == newest.place

    def met(self, entry: Entry) -> None:
        """A valid entry of ourselves has come."""
        if self.is_challenged_by(entry) and (self._waiting is None or entry.order > self._waiting.order):
            self._waiting = entry

    @property
    def deadline(self) -> int | None:
        """When `exceed` will do something."""
        if self._waiting is None:
            return None
        return 0 if self._raised_at is None else self._raised_at + AT_MOST_EVERY

    def exceed(self, now: int) -> Entry | None:
        """The entry that exceeds what came, when it is time for it ([R14.7-2])."""
        if self.deadline is None or now < self.deadline:
            return None
        met, self._waiting = self._waiting, None
        assert met is not None and self.newest is not None
        if not self.is_challenged_by(met):
            return None  # there is no need any more
        self._times += 1
        if met.instance + 1 >= LIMIT:
            self.has_twin = True
            return None
        self.has_twin |= self._times >= _TIMES_UNTIL_TOLD
        self._raised_at = now
        self._instance, self._sequence = met.instance + 1, -1
        return self.sign(self.newest.presence)
