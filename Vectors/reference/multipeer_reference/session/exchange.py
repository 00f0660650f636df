"""The frames of a session on one link: which peer sends what, and when (SPEC §14.5, §14.6)."""

from __future__ import annotations

from typing import Iterable

from ..errors import unexpected
from ..events import FirstEntry
from ..frames import Frame, FrameType
from ..invitation import SessionKind
from . import admissions
from .entries import Entry
from .frames import Admit, Digest, Item, Roster, Summary, Want, in_order, rosters
from .member import Membership
from .rates import Rate
from .roster import Taken, branch

_SENT_AT_MOST = 512
_ANSWERED_EVERY = 10_000


class Exchange:
    """One open link of a session. `invited`: the INVITE that wins is ours.

    Frames that go are queued in `frames`; events of the membership report what concerns other links.
    """

    def __init__(
        self, member: Membership, peer: bytes, kind: SessionKind, invited: bool, now: int, is_within_host: bool = False
    ) -> None:
        self._member, self._peer, self._is_within_host = member, peer, is_within_host
        self.frames: list[Frame] = []
        self._takes_admit = kind is not SessionKind.MEMBERS and not invited
        self._is_guest = member.stays_guest  # until the link ends ([R14.5-5])
        self.has_admitted = kind is not SessionKind.MEMBERS and invited and not self._is_guest
        self._sent_own = self._has_begun = self._has_introduced = False
        self.got_own: Entry | None = None  # the peer's first own entry on this link
        self._digests = self._summaries = 0  # that we have sent, less the SUMMARYs, or WANTs, that came
        self._answered_at: int | None = None
        self._sent = Rate()
        if self.has_admitted and member.is_present:
            self._send(FrameType.ADMIT, Admit(member.chain_for(peer)).encode())
        if member.is_member:
            assert member.own is not None and member.own.newest is not None
            self.send_entries([member.own.newest], now)

    @property
    def is_neighbour(self) -> bool:
        """A member whose own entry has come on this link."""
        return self.got_own is not None

    def _send(self, type_: FrameType, payload: bytes) -> None:
        self.frames.append(Frame(type_, payload))

    def send_entries(self, entries: Iterable[Entry], now: int) -> None:
        """Not more than 512 of others within a minute; what is left waits for a later DIGEST ([R14.6-8])."""
        chosen: list[Entry] = []
        for entry in in_order(entries):
            if entry.member == self._member.key.public:
                self._sent_own = True
            elif self._sent.count(now) < _SENT_AT_MOST:
                self._sent.add(now)
            else:
                continue
            chosen.append(entry)
        for roster in rosters(chosen):
            self._send(FrameType.ROSTER, roster.encode())
        self._begin_if_due()

    def own_signed(self, entry: Entry, now: int) -> None:
        """A new entry of ours goes to each neighbour, and the first one on each link ([R14.6-1])."""
        if self.is_neighbour or not self._sent_own:
            self.send_entries([entry], now)

    def catch_up(self, now: int) -> None:
        """ADMIT may have come before anybody heard that the link is open ([R14.6-1])."""
        if self._member.is_member and not self._sent_own:
            assert self._member.own is not None and self._member.own.newest is not None
            self.send_entries([self._member.own.newest], now)

    def _begin_if_due(self) -> None:
        """The lesser key sends the first DIGEST, after both own entries on this link ([R14.6-2])."""
        is_lesser = self._member.key.public < self._peer
        if is_lesser and self._sent_own and self.got_own is not None and not self._has_begun:
            self._has_begun = True
            self.send_digest()

    def send_digest(self) -> None:
        """Also every 30 s to one neighbour ([R14.6-3])."""
        self._digests += 1
        self._send(FrameType.DIGEST, Digest(self._member.roster.digest).encode())

    # Frames of the peer

    def receive(self, frame: Frame, now: int) -> None:
        """A frame of SPEC §14; ProtocolError where it is a fault."""
        match frame.type:
            case FrameType.ADMIT:
                self._receive_admit(Admit.decode(frame.payload))
            case FrameType.ROSTER:
                self._receive_roster(Roster.decode(frame.payload), now)
            case FrameType.DIGEST:
                self._receive_digest(Digest.decode(frame.payload), now)
            case FrameType.SUMMARY:
                self._receive_summary(Summary.decode(frame.payload), now)
            case FrameType.WANT:
                self._receive_want(Want.decode(frame.payload), now)

    def _receive_admit(self, admit: Admit) -> None:
        """[R14.5-1]. A peer that becomes a member by it sends its entry on all links of the session; a guest lets it
        pass."""
        if not self._takes_admit:
            raise unexpected("ADMIT from the wrong side, twice, or between members")
        self._takes_admit = False
        admissions.check(admit.chain, self._member.charter, self._member.key.public)
        self._member.admitted(admit.chain)

    def _receive_roster(self, roster: Roster, now: int) -> None:
        """One by one; those before one that fails are kept ([R14.5-3]). A guest has decoded them ([R14.5-5])."""
        if self._is_guest:
            return
        for entry in roster.entries:
            held = self._member.roster.get(self._peer)
            if self._member.judged.take(self._peer, branch(held) if held else None, entry.member == self._peer, now):
                self._take(entry, now)
            elif entry.member == self._peer:
                self._own_came(entry)  # it has come, and is dropped like the others ([R14.6-8])
        self._begin_if_due()  # with what all of it has changed

    def _take(self, entry: Entry, now: int) -> None:
        taken = self._member.take(entry, now, self._is_within_host)
        apart = self._member.roster.apart(entry.member)
        if entry.member != self._peer:
            if taken is Taken.OUTDATED and apart is not None and entry.is_present and not apart.is_present:
                self.send_entries([apart], now)  # the peer does not know that somebody has left ([R14.4-4])
            return
        held = self._member.roster.get(self._peer) or apart
        if taken in (Taken.LESSER, Taken.OUTDATED) and held is not None:
            self.send_entries([held], now)  # [R14.7-3]
        if taken is Taken.KEPT and self.has_admitted and not self._has_introduced:
            self._has_introduced = True  # the newcomer, to all other neighbours ([R14.6-7])
            self._member.first_entry(FirstEntry(self._peer, entry))
        self._own_came(entry)

    def _own_came(self, entry: Entry) -> None:
        self.got_own = self.got_own or entry

    def _require_own(self, name: str) -> None:
        if self.got_own is None:
            raise unexpected(f"{name} from a peer whose own entry has not come")

    def _receive_digest(self, digest: Digest, now: int) -> None:
        """[R14.5-4], [R14.6-4]."""
        if self._is_guest:
            return
        self._require_own("DIGEST")
        if digest.digest == self._member.roster.digest:
            return
        if self._answered_at is not None and now < self._answered_at + _ANSWERED_EVERY:
            return
        self._answered_at = now
        self._summaries += 1
        items = tuple(Item.of(entry) for entry in self._member.roster)
        self._send(FrameType.SUMMARY, Summary(items).encode())

    def _receive_summary(self, summary: Summary, now: int) -> None:
        """[R14.5-4], [R14.6-5]: what the peer lacks goes, and what we lack is asked for."""
        self._require_own("SUMMARY")
        if not self._digests:
            raise unexpected("SUMMARY that nobody asked for")
        self._digests -= 1
        theirs = {item.member: item.order for item in summary.items}
        ours = {entry.member: entry for entry in self._member.roster}
        lacking = [entry for entry in ours.values() if entry.member not in theirs or theirs[entry.member] < entry.order]
        wanted = [member for member, order in theirs.items() if member not in ours or ours[member].order < order]
        self.send_entries(lacking, now)
        if wanted:
            self._send(FrameType.WANT, Want(tuple(sorted(wanted))).encode())

    def _receive_want(self, want: Want, now: int) -> None:
        """[R14.5-4], [R14.6-6]."""
        self._require_own("WANT")
        if not self._summaries:
            raise unexpected("WANT that nobody asked for")
        self._summaries -= 1
        held = (self._member.roster.get(member) for member in want.members)
        self.send_entries([entry for entry in held if entry is not None], now)
