"""The frames of sessions on one link: which peer sends what, and when (SPEC §14.5, §14.6, §14.11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from ..errors import unexpected
from ..events import FirstEntry
from ..frames import COUNTED_TYPES, Frame, FrameType
from ..invitation import SessionKind
from . import admissions
from .admissions import admit
from .entries import Entry
from .frames import Admit, Digest, Enter, Item, Roster, Summary, Unite, Want, in_order, rosters
from .member import Membership
from .rates import Rate
from .roster import Taken, branch
from .unions import Group

_SENT_AT_MOST = 512
_UNITES_AT_MOST = 16
_ANSWERED_EVERY = 10_000


@dataclass
class _Outgoing:
    """The session of our direction, and what has gone in it. The numbers are of DIGESTs, and SUMMARYs, that we have sent,
    less the SUMMARYs, or WANTs, that came. After ENTER all of it begins anew ([R14.11-7])."""

    member: Membership
    sent_own: bool = False
    has_begun: bool = False
    digests: int = 0
    summaries: int = 0
    answered_at: int | None = None  # when the last SUMMARY answered a DIGEST ([R14.6-4])


@dataclass
class _Incoming:
    """The session of the peer's direction, and what has come in it."""

    member: Membership
    got_own: Entry | None = None  # the peer's first own entry


class Exchange:
    """One association, on its open link. `invited`: the INVITE that wins is ours. Each direction has a session, at first that of the INVITE.

    Frames that go are queued in `frames`; events of the memberships report what concerns other links.
    """

    def __init__(
        self, member: Membership, peer: bytes, kind: SessionKind, invited: bool, now: int, is_within_host: bool = False
    ) -> None:
        self.peer, self._is_within_host = peer, is_within_host
        self._group = member.group or Group(member.key.public)
        self._out, self._in = _Outgoing(member), _Incoming(member)
        self.frames: list[Frame] = []
        self._takes_admit = kind is not SessionKind.MEMBERS and not invited
        self._is_guest = member.stays_guest  # until the association ends ([R14.5-5])
        self._is_resumed = False
        self.has_admitted = kind is not SessionKind.MEMBERS and invited and not self._is_guest  # by ADMIT
        self._sent = Rate()  # entries of others, in whatever session ([R14.6-8])
        self._unites = Rate()
        self._united: set[bytes] = set()  # sessions for which UNITE went
        self._named: dict[bytes, Membership] = {}  # sessions for which UNITE or ENTER went, so that the peer may enter them
        self.admitted_to: set[bytes] = set()  # sessions to which ADMIT, or UNITE, has admitted the peer
        self._introduced_to: set[bytes] = set()  # those of them in which its first entry has gone on ([R14.6-7])
        if self.has_admitted and member.is_present:
            self.admitted_to.add(member.session)
            self._send(FrameType.ADMIT, Admit(member.chain_for(peer)).encode())
        self.catch_up(now)

    @property
    def outgoing(self) -> Membership:
        """The session of our direction."""
        return self._out.member

    @property
    def incoming(self) -> Membership:
        """The session of the peer's direction."""
        return self._in.member

    @property
    def _is_of_one(self) -> bool:
        """Both directions have the same session."""
        return self._out.member.session == self._in.member.session

    @property
    def is_neighbour(self) -> bool:
        """A member whose own entry has come on this link, in the session of its direction."""
        return self._in.got_own is not None

    def is_neighbour_in(self, session: bytes) -> bool:
        """A neighbour in this session, to which our direction goes too."""
        return self.is_neighbour and self._is_of_one and self._out.member.session == session

    @property
    def has_sent_own(self) -> bool:
        """In the session of our direction."""
        return self._out.sent_own

    def _send(self, type_: FrameType, payload: bytes) -> None:
        self.frames.append(Frame(type_, payload))

    def send_entries(self, entries: Iterable[Entry], now: int) -> None:
        """Not more than 512 of others within a minute on a link; the rest waits for a later DIGEST ([R14.6-8])."""
        chosen: list[Entry] = []
        for entry in in_order(entries):
            if entry.member == self._out.member.key.public:
                self._out.sent_own = True
            elif self._sent.count(now) < _SENT_AT_MOST:
                self._sent.add(now)
            else:
                continue
            chosen.append(entry)
        for roster in rosters(chosen):
            self._send(FrameType.ROSTER, roster.encode())
        self._begin_if_due()

    def own_signed(self, entry: Entry, now: int) -> None:
        """A new entry of ours ([R14.6-1])."""
        self.send_entries([entry], now)

    def catch_up(self, now: int) -> None:
        """ADMIT may have come before anybody heard that the link is open ([R14.6-1])."""
        mine = self._out.member
        if mine.is_member and not self._out.sent_own:
            assert mine.own is not None and mine.own.newest is not None
            self.send_entries([mine.own.newest], now)

    def resume(self, now: int) -> None:
        """Another link takes the place of one that was lost: what is not counted begins anew (SPEC §13.9)."""
        self.frames = [frame for frame in self.frames if frame.type in COUNTED_TYPES]
        self._is_resumed = True
        self._out, self._in = _Outgoing(self._out.member), _Incoming(self._in.member)
        self.catch_up(now)

    def _begin_if_due(self) -> None:
        """The lesser key sends the first DIGEST, after both own entries in one session ([R14.6-2])."""
        is_lesser, out = self._out.member.key.public < self.peer, self._out
        if is_lesser and self._is_of_one and out.sent_own and self.is_neighbour and not out.has_begun:
            out.has_begun = True
            self.send_digest()

    def send_digest(self) -> None:
        """Also every 30 s to one neighbour ([R14.6-3])."""
        self._out.digests += 1
        self._send(FrameType.DIGEST, Digest(self._out.member.roster.digest).encode())

    def unite(self, now: int, again: bool = False) -> None:
        """UNITE for the home, if it is owed; `again` also if it has gone before ([R14.11-1])."""
        home, out = self._group.home, self._out
        if home is None or not home.is_present or not home.session < out.member.session:
            return
        if not self.is_neighbour or not out.sent_own or not _may_unite(home, out.member):
            return
        if (home.session in self._united and not again) or self._unites.count(now) >= _UNITES_AT_MOST:
            return
        may_admit, theirs = self._group.may_admit(self.peer), home.roster.get(self.peer)
        if may_admit or (theirs is not None and theirs.is_present):
            self._unites.add(now)
            self._send_unite(home, may_admit)

    def _send_unite(self, home: Membership, admits: bool) -> None:
        admission = admit(home.key, home.session, self.peer).signature if admits else b""
        self._united.add(home.session)
        self._named[home.session] = home
        if admits:
            self.admitted_to.add(home.session)
        self._send(FrameType.UNITE, Unite(home.charter, home.chain, admission).encode())

    def _enter(self, mine: Membership, now: int) -> None:
        """Our direction has this session from here on, and the own entry is due again ([R14.11-7])."""
        self._named[mine.session] = mine
        self._send(FrameType.ENTER, Enter(mine.session).encode())
        self._out = _Outgoing(mine)
        self.catch_up(now)

    # Frames of the peer

    def receive(self, frame: Frame, now: int) -> None:
        """A frame of SPEC §14; ProtocolError where it is a fault. What it has changed can owe UNITE to any neighbour."""
        try:
            self._receive(frame, now)
        finally:
            self._group.unite(now)

    def _receive(self, frame: Frame, now: int) -> None:
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
            case FrameType.UNITE:
                self._receive_unite(Unite.decode(frame.payload), now)
            case FrameType.ENTER:
                self._receive_enter(Enter.decode(frame.payload), now)

    def _receive_admit(self, admit: Admit) -> None:
        """[R14.5-1]. A peer that becomes a member by it sends its entry on all links of the session; a guest lets it
        pass."""
        if not self._takes_admit:
            raise unexpected("ADMIT from the wrong side, twice, or between members")
        self._takes_admit = False
        admissions.check(admit.chain, self.incoming.charter, self.incoming.key.public)
        self.incoming.admitted(admit.chain)

    def _receive_roster(self, roster: Roster, now: int) -> None:
        """One by one; those before one that fails are kept ([R14.5-3]). A guest has decoded them ([R14.5-5])."""
        if self._is_guest:
            return
        mine = self.incoming
        for entry in roster.entries:
            held = mine.roster.get(self.peer)
            if mine.judged.take(self.peer, branch(held) if held else None, entry.member == self.peer, now):
                self._take(entry, now)
            elif entry.member == self.peer:
                self._own_came(entry)  # it has come, and is dropped like the others ([R14.6-8])
        self._begin_if_due()  # with what all of it has changed

    def _take(self, entry: Entry, now: int) -> None:
        mine = self.incoming
        taken = mine.take(entry, now, self._is_within_host)
        apart = mine.roster.apart(entry.member)
        if entry.member != self.peer:
            if taken is Taken.OUTDATED and apart is not None and entry.is_present and not apart.is_present:
                self._send_back(apart, now)  # the peer does not know that somebody has left ([R14.4-4])
            return
        held = mine.roster.get(self.peer) or apart
        if taken in (Taken.LESSER, Taken.OUTDATED) and held is not None:
            self._send_back(held, now)  # [R14.7-3]
        if taken is Taken.KEPT and mine.session in self.admitted_to - self._introduced_to:
            self._introduced_to.add(mine.session)  # the newcomer, to all other neighbours there ([R14.6-7])
            mine.first_entry(FirstEntry(self.peer, entry))
        self._own_came(entry)

    def _send_back(self, entry: Entry, now: int) -> None:
        """While our direction has another session, there is no place for it."""
        if self._is_of_one:
            self.send_entries([entry], now)

    def _own_came(self, entry: Entry) -> None:
        self._in.got_own = self._in.got_own or entry

    def _require_own(self, name: str) -> None:
        if not self.is_neighbour:
            raise unexpected(f"{name} from a peer whose own entry has not come")

    def _receive_digest(self, digest: Digest, now: int) -> None:
        """[R14.5-4], [R14.6-4]; in another session than ours it is ignored ([R14.11-7])."""
        if self._is_guest or not self._is_of_one:
            return
        self._require_own("DIGEST")
        out, roster = self._out, self._out.member.roster
        if digest.digest == roster.digest:
            return
        if out.answered_at is not None and now < out.answered_at + _ANSWERED_EVERY:
            return
        out.answered_at = now
        out.summaries += 1
        items = tuple(Item.of(entry) for entry in roster)
        self._send(FrameType.SUMMARY, Summary(items).encode())

    def _receive_summary(self, summary: Summary, now: int) -> None:
        """[R14.5-4], [R14.6-5], [R14.11-7]: what the peer lacks goes, and what we lack is asked for."""
        if not self._is_of_one:
            return
        self._require_own("SUMMARY")
        if not self._out.digests:
            raise unexpected("SUMMARY that nobody asked for")
        self._out.digests -= 1
        theirs = {item.member: item.order for item in summary.items}
        ours = {entry.member: entry for entry in self._out.member.roster}
        lacking = [entry for entry in ours.values() if entry.member not in theirs or theirs[entry.member] < entry.order]
        wanted = [member for member, order in theirs.items() if member not in ours or ours[member].order < order]
        self.send_entries(lacking, now)
        if wanted:
            self._send(FrameType.WANT, Want(tuple(sorted(wanted))).encode())

    def _receive_want(self, want: Want, now: int) -> None:
        """[R14.5-4], [R14.6-6], [R14.11-7]."""
        if not self._is_of_one:
            return
        self._require_own("WANT")
        if not self._out.summaries:
            raise unexpected("WANT that nobody asked for")
        self._out.summaries -= 1
        held = (self._out.member.roster.get(member) for member in want.members)
        self.send_entries([entry for entry in held if entry is not None], now)

    def _receive_unite(self, unite: Unite, now: int) -> None:
        """[R14.11-2], in its order; then [R14.11-3] and [R14.11-5]. A guest has decoded it ([R14.5-5])."""
        if self._is_guest or not self._group.may_judge(self.peer, now):
            return
        theirs, session = self.incoming, unite.charter.identifier
        if not self.is_neighbour and not self._is_resumed:
            raise unexpected("UNITE from a peer that is no neighbour")
        if not session < theirs.session:
            raise unexpected("UNITE for a session that is not less than that of its direction")
        if not _may_follow(unite, theirs):
            raise unexpected("UNITE for a session that does not unite with that of its direction")
        unite.check(self.peer, theirs.key.public)
        self._group.consider(self.peer, unite, theirs, now)
        home = self._group.home
        if home is not None and home.session == session and session < self.outgoing.session:
            self._enter(home, now)

    def _receive_enter(self, enter: Enter, now: int) -> None:
        """[R14.11-5], [R14.11-6]."""
        mine = self._named.get(enter.session)
        if mine is None or not enter.session < self.incoming.session:
            raise unexpected("ENTER of a session that was not named, or is not less than that of its direction")
        self._in = _Incoming(mine)
        if enter.session < self.outgoing.session:
            self._enter(mine, now)


def _may_follow(unite: Unite, theirs: Membership) -> bool:
    """Both charters have the same parameters, and these permit it."""
    return unite.charter.parameters == theirs.charter.parameters and unite.charter.rules.permit_uniting


def _may_unite(home: Membership, ours: Membership) -> bool:
    return home.charter.parameters == ours.charter.parameters and home.charter.rules.permit_uniting
