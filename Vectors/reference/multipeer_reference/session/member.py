"""What all links of one session share: the charter, the chain, the roster and the local entries (SPEC §14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Collection

from ..charter import Charter
from ..ed25519 import SigningKey
from ..events import Admitted, EntryKept, FirstEntry, MemberContradicts, OwnEntrySigned, SessionEvent, TwinSuspected
from . import admissions
from .admissions import Chain, extended, is_valid
from .entries import LEFT, PRESENT, Entry
from .instances import OwnEntries, Shown
from .rates import Judged
from .roster import Roster, Taken

if TYPE_CHECKING:
    from .unions import Group


class Membership:
    """Without a chain that is valid, and not the founder, a peer is no member yet. One that stays a guest never is: it
    takes part in sessions of two alone (R14.5-5).

    `wall` is the clock that instances are taken from, in milliseconds since 1970. `group` is what holds this session
    together with others.
    """

    def __init__(
        self, key: SigningKey, charter: Charter, shown: Shown = Shown(), wall: int = 0, chain: Chain | None = None,
        remembered: int | None = None, stays_guest: bool = False, emit: Callable[[SessionEvent], None] | None = None,
        group: Group | None = None,
    ) -> None:
        self.key, self.charter, self.group = key, charter, group
        self.roster = Roster(charter)
        self.on_this_host: set[bytes] = set()  # those whose entries came over a link within it ([R14.8-4])
        self.judged = Judged()
        self.events: list[SessionEvent] = []
        self._emit = emit or self.events.append
        self._shown, self._wall, self._remembered = shown, wall, remembered
        self.stays_guest = stays_guest
        self.own: OwnEntries | None = None
        self.has_left = False
        if stays_guest:
            return
        if key.public == charter.founder:
            self._become_member(())
        elif chain is not None and is_valid(chain, charter, key.public):
            self._become_member(chain)

    def report_to(self, emit: Callable[[SessionEvent], None]) -> None:
        """Another link has taken the place of the one that it belongs to."""
        self._emit = emit

    @property
    def session(self) -> bytes:
        return self.charter.identifier

    @property
    def is_member(self) -> bool:
        return self.own is not None

    @property
    def is_present(self) -> bool:
        return self.own is not None and not self.has_left

    @property
    def chain(self) -> Chain:
        return self.own.chain if self.own else ()

    @property
    def may_admit(self) -> bool:
        """[R14.1-2], [R14.2-2]."""
        return self.is_present and admissions.may_admit(self.charter, self.key.public, self.chain)

    def has_place_for(self, peer: bytes, invited: Collection[bytes]) -> bool:
        """Whether `maximumMembers` allows that it comes; `invited`: those under way, of which some have no entry yet."""
        if self.roster.get(peer) is not None:
            return True
        present = {entry.member for entry in self.roster if entry.is_present} | {self.key.public}
        coming = {key for key in invited if key != peer and self.roster.get(key) is None}
        return len(present | coming) < self.charter.rules.maximum_members

    def chain_for(self, peer: bytes) -> Chain:
        """What ADMIT carries; nothing for the founder, who may have forgotten its session."""
        if peer == self.charter.founder:
            return ()
        return extended(self.key, self.chain, self.charter.identifier, peer)

    # Own entries

    def _become_member(self, chain: Chain) -> None:
        known = self.roster.get(self.key.public)  # of an earlier run, from others
        remembered = max(
            (instance for instance in (self._remembered, known and known.instance) if instance is not None), default=None
        )
        self.own = OwnEntries(self.key, self.charter, chain, self._shown, self._wall, remembered)
        self.sign()

    def sign(self, presence: int = PRESENT) -> Entry:
        assert self.own is not None
        return self._signed(self.own.sign(presence))

    def _signed(self, entry: Entry) -> Entry:
        """Each new entry of ours goes to all neighbours ([R14.6-1]); the owner of the links hears of it."""
        taken = self.roster.take(entry)
        self._emit(OwnEntrySigned(entry, taken is not Taken.NO_ROOM))
        return entry

    def admitted(self, chain: Chain) -> None:
        """ADMIT came, and its chain is valid: the shorter one is kept, and of equal ones the older (SPEC §14.5)."""
        if self.own is None:
            if not self.stays_guest:
                self._become_member(chain)
                self._emit(Admitted(chain))
        elif len(chain) < len(self.own.chain):
            self.own.chain = chain
            self.sign()

    def leave(self) -> Entry | None:
        """The entry that says so (SPEC §14.9); a guest has none to sign."""
        if not self.is_present:
            return None
        self.has_left = True
        return self.sign(LEFT)

    def come_back(self) -> Entry | None:
        """The old chain serves."""
        if not self.is_member or not self.has_left:
            return None
        self.has_left = False
        return self.sign(PRESENT)

    # Entries that come

    @property
    def has_other_present(self) -> bool:
        """The local peer and another one are present (SPEC §14.11)."""
        return self.is_present and any(entry.is_present and entry.member != self.key.public for entry in self.roster)

    def take(self, entry: Entry, now: int, is_from_this_host: bool = False) -> Taken:
        """ProtocolError where it is not valid. `is_from_this_host`: it came over a link within it ([R14.8-4])."""
        if entry.member == self.key.public and self.own is not None:
            return self._take_own(entry, now)
        known = len(self.roster.contradictions)
        taken = self.roster.take(entry)
        if len(self.roster.contradictions) > known:
            self._emit(MemberContradicts(entry.member))
        if taken is Taken.KEPT and not is_from_this_host:
            self.on_this_host.discard(entry.member)
        is_news = taken is Taken.SAME and entry.member not in self.on_this_host
        if is_from_this_host and taken in (Taken.KEPT, Taken.SAME):
            self.on_this_host = {held.member for held in self.roster if held.member in self.on_this_host} | {entry.member}
        if taken is Taken.KEPT or (is_from_this_host and is_news):
            self._emit(EntryKept(entry))
        return taken

    def _take_own(self, entry: Entry, now: int) -> Taken:
        """One of ourselves is no contradiction of somebody, but to be exceeded ([R14.4-2], [R14.7-2])."""
        assert self.own is not None and self.own.newest is not None
        known = self.roster.get(self.key.public)
        if known is not None and entry.place < known.place:
            return Taken.LESSER
        if not self.own.is_challenged_by(entry):
            return Taken.SAME if entry.bytes == self.own.newest.bytes else Taken.LESSER
        entry.check(self.charter)
        taken = self.roster.take(entry, reports=False)
        self.own.met(entry)
        self.exceed(now)
        return taken

    def first_entry(self, event: FirstEntry) -> None:
        """For the owner of the other links."""
        self._emit(event)

    @property
    def deadline(self) -> int | None:
        return None if self.own is None else self.own.deadline

    def exceed(self, now: int) -> None:
        """[R14.7-2]."""
        if self.own is None:
            return
        had_twin = self.own.has_twin
        entry = self.own.exceed(now)
        if entry is not None:
            self._signed(entry)
        if self.own.has_twin and not had_twin:
            self._emit(TwinSuspected())
