"""A node's links: INVITEs between members, several links to one peer, and how links end (SPEC §8.7, §14.8, §14.9)."""

from __future__ import annotations

from typing import Iterable

from .association.association import Association
from .charter import Charter
from .config import InviteRequest
from .dialling import Dialler
from .ed25519 import SigningKey
from .errors import ErrorCode
from .invitation import DeclineReason, Invite, SessionKind
from .nodeevents import (
    Accept, AskForLife, Asked, CloseLink, Command, Connected, DeclineWith, Departed, Ghost, Judge, SendInvite, TakenPlaceOf,
)
from .nodelink import AcceptedInvites, NodeLink, Stage
from .nodesessions import NodeSessions
from .session.admissions import Chain
from .session.departures import Departure, End, departure_of
from .session.entries import Address, Entry
from .session.exchange import Exchange
from .session.instances import Shown
from .session.member import Membership

#: How long the controller waits for one link to open before it judges the next one ([R8.7-8]).
OPENS_WITHIN = 10_000
#: What ended links may have left for a new one ([R13.5-6]).
LEFT_AT_MOST = 131_072
_EXPLAINS = 60_000


class NodeLinks(NodeSessions):
    """The part of a node that hears of links, which all belong to its one group (SPEC §8.7). `commands` is what their
    owner carries out. What is held against a peer holds in all sessions ([R14.11-9])."""

    def __init__(
        self, key: SigningKey, now: int, wall: int, shown: Shown, maximum_links: int, permits_unions: bool
    ) -> None:
        super().__init__(key, now, wall, shown, permits_unions)
        self._has_addresses, self._maximum_links = bool(shown.addresses), maximum_links
        self.commands: list[Command] = []
        self.dialler = Dialler()
        self._blocked: set[bytes] = set()
        self._misbehaved: set[bytes] = set()
        # Not dialled until an entry has a greater instance than the one of its session that was held ([R14.9-3])
        self._avoided: dict[bytes, dict[bytes, int]] = {}
        self._full_for: set[bytes] = set()  # of these, the members that the local peer declined with reason 7
        self._asks_for: set[bytes] = set()  # closed or declined by the local app, which has not asked since ([R14.8-2])
        self._linked: set[bytes] = set()  # members to which there has been an open link
        self._asked_for: set[bytes] = set()  # for which the app has asked, whichever member has admitted them ([R14.9-5])
        self._connected: set[bytes] = set()  # as the app has heard
        self._ended_at: dict[bytes, int] = {}
        self._accepted = AcceptedInvites()
        self._left: dict[bytes, list[Association]] = {}

    def _forget(self, mine: Membership) -> None:
        super()._forget(mine)
        for entry in mine.roster:
            if self.listed(entry.member) is None:
                self.dialler.drop(entry.member)

    # INVITEs

    def identified(self, link: object, key: bytes, dialled: Address | None) -> None:
        """A link that this node dialled, at this address, is for an INVITE between members (SPEC §14.8)."""
        held = self.links[link] = NodeLink(link, key, dialled is not None, reached=dialled)
        if dialled is None:
            return
        mine, entry = self.listed(key) or (self.membership, None)
        self.dialler.reached(key, dialled, entry)
        if self._is_busy_with(key) or mine is None or not mine.is_present or key in self._blocked | self._misbehaved:
            self._close(held, ErrorCode.NO_ERROR)  # it is not needed any more, and no INVITE was on it
        elif not self._has_left_too_much(key):
            self.dialler.drop(key)
            self._send_invite(held, InviteRequest(charter=mine.charter, chain=mine.chain, is_of_members=True))
        else:
            self._close(held, ErrorCode.NO_ERROR)

    def _send_invite(self, held: NodeLink, request: InviteRequest) -> None:
        assert request.charter is not None
        held.invite = Invite(request.charter, request.kind, 0, 0, request.timeout, b"", request.all_fields)
        held.stage, held.by_us, held.invited_at = Stage.INVITING, True, self._now
        self.commands.append(SendInvite(held.id, request))

    def invited(self, link: object, invite: Invite) -> None:
        """An INVITE came on a link on which none of ours wins; its fields, role and chain are right (SPEC §8.2)."""
        held = self.links[link]
        held.invite, held.stage, held.by_us, held.invited_at = invite, Stage.INVITED, False, self._now
        self.dialler.begin_anew(held.key)
        self._close_earlier(held)
        self._answer(held)
        self._review()

    def _close_earlier(self, held: NodeLink) -> None:
        """What carries an earlier INVITE of this peer and is not open is over ([R8.7-5])."""
        for other in self._others(held):
            if other.invite is not None and not other.by_us and other.stage is not Stage.OPEN:
                self._close(other, ErrorCode.DUPLICATE_LINK)
                self._take_place_of(other, held)

    def _take_place_of(self, other: NodeLink, held: NodeLink) -> None:
        """If the app has been asked about the other one, and has not answered."""
        if other.asks and other.stage is Stage.INVITED and not other.is_accepted and not other.is_replaced:
            other.is_replaced = True
            self.events.append(TakenPlaceOf(held.id, other.id))

    def _answer(self, held: NodeLink) -> None:
        """The reasons 6, 1, 7 and 2 to decline, in this order ([R14.8-2], [R13.5-6]); an open link; then the app, where it
        is asked."""
        assert held.invite is not None
        reason = self._reason_to_decline(held, held.invite)
        if reason is not None:
            self._decline(held, reason)
        elif any(other.is_open for other in self._others(held)):
            self._let_wait(held)
        elif held.is_accepted or not self._needs_app(held, held.invite):
            self._accept(held)
        else:
            held.asks, held.is_replaced = True, False
            self.events.append(Asked(held.id, held.key, held.invite.charter.identifier))

    def _needs_app(self, held: NodeLink, invite: Invite) -> bool:
        """[R8.2-10], [R14.8-2]."""
        if invite.session_kind == SessionKind.MEMBERS:
            return held.key in self._asks_for or self._doubt(held.key, invite) > 0
        return not self._accepted.answers(held, self._now)

    def _let_wait(self, held: NodeLink) -> None:
        """The INVITE is neither accepted nor shown while it is not known whether the open link lives ([R8.7-7])."""
        held.waits = True
        self.commands += [AskForLife(other.id) for other in self._others(held) if other.is_open]

    def life_shown(self, link: object) -> None:
        """PONG came, so a second link is not needed ([R8.7-7])."""
        held = self.links[link]
        for other in self._others(held) if held.is_open else ():
            if other.waits:
                self._decline(other, DeclineReason.BUSY)

    def fell_silent(self, link: object) -> None:
        """CLOSE of *silent* went; nothing that comes is waited for."""
        self.links[link].is_silent = True
        self._review()

    def _reason_to_decline(self, held: NodeLink, invite: Invite) -> DeclineReason | None:
        is_of_members, mine = invite.session_kind == SessionKind.MEMBERS, self.group.get(invite.charter.identifier)
        if is_of_members and (mine is None or not mine.is_present):
            return DeclineReason.NO_SESSION
        if held.key in self._blocked | self._misbehaved or is_of_members and self._doubt(held.key, invite) > 1:
            return DeclineReason.DECLINED
        if is_of_members and not self._takes_more(held.key):
            return DeclineReason.FULL
        return DeclineReason.BUSY if self._has_left_too_much(held.key) else None

    def _doubt(self, key: bytes, invite: Invite | None = None) -> int:
        """What is held against those in a member's chains, of whatever session: 2 for a decline, 1 for a question, 0 for
        nothing ([R14.9-5])."""
        if not len(self.group) or key in self._linked or key in self._asked_for:
            return 0
        shown = [(mine.charter, entry.chain) for mine, entry in self._entries_of(key)]
        if invite is not None:
            shown.append((invite.charter, invite.chain))
        return max((self._doubt_of(charter, chain) for charter, chain in shown), default=0)

    def _doubt_of(self, charter: Charter, chain: Chain) -> int:
        unwanted, doubts = self._blocked | self._misbehaved, [0]
        for admitter in {admission.admitter for admission in chain} - {self.key.public}:
            if admitter != charter.founder:
                doubts.append(2 if admitter in unwanted else 1 if admitter in self._asks_for else 0)
            elif len(chain) == 1:
                doubts.append(1 if admitter in unwanted | self._asks_for else 0)
        return max(doubts)

    def _takes_more(self, key: bytes) -> bool:
        others = {other.key for other in self.links.values() if other.stage >= Stage.AGREED and other.is_alive}
        return len(others - {key}) < self._maximum_links

    def _has_left_too_much(self, key: bytes) -> bool:
        """Of this peer's ended links, what the app has not taken ([R13.5-6])."""
        left = [association for association in self._left.get(key, ()) if association.untaken]
        self._left[key] = left
        return sum(association.untaken for association in left) > LEFT_AT_MOST

    def _decline(self, held: NodeLink, reason: DeclineReason) -> None:
        held.declined_with, held.waits = reason, False
        self.commands.append(DeclineWith(held.id, reason))

    def _accept(self, held: NodeLink) -> None:
        """The member itself invites, so whatever stood against dialling it is over ([R14.9-3])."""
        held.stage, held.waits = Stage.AGREED, False
        self._forgive(held.key)
        self.dialler.drop(held.key)
        self.commands.append(Accept(held.id))

    def _reconsider_those_admitted_by(self, admitter: bytes) -> None:
        """What is held against it has changed: they are dialled, or no longer ([R14.9-5])."""
        admitted = {
            entry.member for mine in self.group for entry in mine.roster
            if any(admission.admitter == admitter for admission in entry.chain)
        }
        for member in sorted(admitted):
            if self._doubt(member):
                self.dialler.drop(member)
            else:
                self._want(member)

    def _forgive(self, key: bytes) -> None:
        self._avoided.pop(key, None)
        self._full_for.discard(key)

    def accepted(self, link: object) -> None:
        """ACCEPT came."""
        self.links[link].stage = Stage.AGREED

    # Which of several links opens ([R8.7-8])

    def certificates_came(self, link: object) -> None:
        self.links[link].certificates_at = self._now
        self._review()

    def _is_controller(self, key: bytes) -> bool:
        """SPEC §4.3."""
        return self.key.public < key

    def _judge(self) -> None:
        """Asks for the verdicts for which nothing has to be waited, those first whose CERTIFICATES came first."""
        for held in self._unjudged():
            for other in self._judged_before(held):
                due = self._due(held, other)
                if due is not None and self._now >= due:
                    self._close(other, ErrorCode.DUPLICATE_LINK)
            if not self._judged_before(held):
                held.judged_at = self._now
                self.commands.append(Judge(held.id))

    def _unjudged(self) -> list[NodeLink]:
        return sorted((held for held in self.links.values() if held.awaits_judgement), key=lambda held: held.certificates_at or 0)

    def _judged_before(self, held: NodeLink) -> list[NodeLink]:
        """Other links for which this one waits: at the controller alone."""
        if not self._is_controller(held.key):
            return []
        return [other for other in self._others(held) if other.is_open or (other.stage is Stage.AGREED and other.judged_at is not None)]

    def _due(self, held: NodeLink, other: NodeLink) -> int | None:
        """When the controller gives up the other one for this one."""
        if other.is_open:
            return None
        return max(other.judged_at or 0, held.certificates_at or 0) + OPENS_WITHIN

    def _verdict_deadlines(self) -> Iterable[int]:
        for held in self._unjudged():
            yield from (due for other in self._judged_before(held) if (due := self._due(held, other)) is not None)

    def _review(self) -> None:
        """What has waited for the end of another link continues once that is over."""
        for held in list(self.links.values()):
            if held.waits and held.is_alive and not any(other.is_open for other in self._others(held)):
                held.waits = False
                self._answer(held)
        self._judge()

    # Links that open and end

    def opened(self, link: object, exchange: Exchange) -> None:
        """[R8.7-3]: the controller closes all other links of the group to the same peer, the other peer some."""
        held = self.links[link]
        held.stage, held.exchange = Stage.OPEN, exchange
        if not held.is_alive:
            return  # it was given up in the same moment
        exchange.catch_up(self._now)
        assert held.invite is not None
        if held.invite.session_kind == SessionKind.MEMBERS and not held.asks:
            if self._doubt(held.key, None if held.by_us else held.invite) > 0:  # since INVITE ([R14.9-5])
                self._close(held, ErrorCode.NO_ERROR, End())
                self._review()
                return
        self._keep_alone(held)
        self._forgive(held.key)
        self._linked.add(held.key)
        self.dialler.linked(held.key)
        if held.key not in self._connected:
            self._connected.add(held.key)
            self.events.append(Connected(held.key))
        self.group.unite(self._now)

    def _keep_alone(self, held: NodeLink) -> None:
        """Without an INVITE a link belongs to no group. Those that only the controller closes wait for it."""
        is_controller = self._is_controller(held.key)
        for other in self._others(held):
            if other.invite is not None and (is_controller or other.stage in (Stage.INVITING, Stage.OPEN)):
                self._close(other, ErrorCode.DUPLICATE_LINK)
                self._take_place_of(other, held)
            elif other.stage is Stage.INVITED:
                self._take_place_of(other, held)
                self._let_wait(other)  # [R8.7-7]

    def ended(self, link: object, end: End, association: Association | None = None) -> None:
        """[R14.9-2], [R14.9-3]. `association` is what was on the link, if it was open."""
        held = self.links.pop(link)
        if held.is_interrupted or (held.resumes and held.exchange is None):
            self._ended_at[held.key] = self._now
            self._review()  # no departure (SPEC §14.9)
            return
        others = any(other.stage > Stage.IDENTIFIED for other in self._others(held))
        others |= held.closed_by_us == ErrorCode.DUPLICATE_LINK
        entry = self._last_entry(held)
        why = departure_of(end, entry is not None and not entry.is_present, others)
        if association is not None and association.untaken:
            self._left.setdefault(held.key, []).append(association)
        if why is not Departure.REPLACED:
            if held.invite is not None:
                self._connected.discard(held.key)
                self.events.append(Departed(held.key, why))
            self._remember(held, why, end, others)
        if held.invite is not None:
            self._ended_at[held.key] = self._now
            if why not in (Departure.LOST, Departure.REPLACED):
                self._accepted.forget(held.key)
        if not others:
            self._want(held.key)
        self._invite_those_turned_away()
        self._review()

    def _last_entry(self, held: NodeLink) -> Entry | None:
        """In the session of the peer's direction, or of the INVITE while the link is not open."""
        mine: Membership | None = None
        if held.exchange is not None:
            mine = held.exchange.incoming
        elif held.invite is not None:
            mine = self.group.get(held.invite.charter.identifier)
        return None if mine is None else mine.roster.get(held.key)

    def _remember(self, held: NodeLink, why: Departure, end: End, others: bool) -> None:
        """After which ends the local peer does not dial by itself ([R14.9-3])."""
        key = held.key
        recently = self._now < self._ended_at.get(key, -_EXPLAINS) + _EXPLAINS
        unexplained = end.code == ErrorCode.DUPLICATE_LINK and end.by_peer and not others and not recently
        closed = why is Departure.CLOSED and (end.by_app or end.code == ErrorCode.NO_ERROR)
        if held.invite is None:
            return  # no departure
        if unexplained and self._is_of_group(held):
            self.events.append(Ghost())
        if why is Departure.MISBEHAVED:
            self._misbehaved.add(key)
            for other in self._links_of(key):  # [R14.9-4]
                self._close(other, ErrorCode.NO_ERROR, End(offends=True))
            self._reconsider_those_admitted_by(key)
        if unexplained or closed or why is Departure.REFUSED:
            self._avoided[key] = {mine.session: entry.instance for mine, entry in self._entries_of(key)}
        if held.declined_with is DeclineReason.FULL:
            self._full_for.add(key)
        if key in self._avoided or key in self._misbehaved:
            self.dialler.drop(key)

    def _invite_those_turned_away(self) -> None:
        """The local peer takes members again."""
        for key in list(self._full_for):
            if self._takes_more(key):
                self._forgive(key)
                self._want(key)

    def _close(self, held: NodeLink, code: ErrorCode, end: End | None = None) -> None:
        """With no_error it is the app that closes, unless `end` says something else."""
        if held.closed_by_us is None:
            held.closed_by_us = code
            self.commands.append(CloseLink(held.id, code, end or End(code, by_app=code == ErrorCode.NO_ERROR)))

    def _is_of_group(self, held: NodeLink) -> bool:
        """SPEC §8.7."""
        if held.invite is None or held.by_us or held.is_accepted or held.stage >= Stage.AGREED:
            return held.invite is not None or held.resumes
        return self.group.get(held.invite.charter.identifier) is not None

    def _links_of(self, key: bytes) -> list[NodeLink]:
        return [held for held in self.links.values() if held.key == key]

    def _others(self, held: NodeLink) -> list[NodeLink]:
        """Other links to the same peer that the local peer has not given up."""
        return [other for other in self._links_of(held.key) if other is not held and other.is_alive]

    def _is_busy_with(self, key: bytes) -> bool:
        """A link to it is open or under way, so it is not dialled (SPEC §14.8)."""
        return any(held.invite is not None and held.is_alive for held in self._links_of(key))

    def _want(self, key: bytes, at_once: bool = False) -> None:
        """Dials a present member to which there is no link, unless something forbids it."""
        mine, entry = self.listed(key) or (None, None)
        if mine is None or not mine.is_present or entry is None or not entry.is_present or key == self.key.public:
            return
        if key in self._blocked | self._misbehaved | self._asks_for or key in self._avoided or self._is_busy_with(key):
            return
        if self._doubt(key):
            return
        if self._takes_more(key) and not self._has_left_too_much(key):
            self.dialler.on_this_host = self.on_this_host
            self.dialler.want(self.key.public, entry, self._has_addresses, self._now, at_once)
