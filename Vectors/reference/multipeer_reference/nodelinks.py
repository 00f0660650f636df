"""A node's links: INVITEs between members, several links to one peer, and how links end (SPEC §8.7, §14.8, §14.9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .association.association import Association
from .config import InviteRequest
from .dialling import Dialler
from .ed25519 import SigningKey
from .errors import ErrorCode
from .invitation import DeclineReason, Invite, SessionKind, own_invite_stands
from .nodeevents import (
    Accept, Asked, CloseLink, Command, Connected, DeclineWith, Departed, Ghost, NodeEvent, SendInvite, TakenPlaceOf,
)
from .session.departures import Departure, End, departure_of
from .session.entries import Address
from .session.exchange import Exchange
from .session.member import Membership

#: How long an own INVITE is taken for alive, once another one has been declined for it ([R8.7-4]); and how long an
#: INVITE may have crossed an ACCEPT ([R8.7-6]).
CROSSING = 10_000
#: What ended links may have left for a new one ([R13.5-6]).
LEFT_AT_MOST = 131_072
_EXPLAINS = 60_000


class Stage(IntEnum):
    """How far a link has come."""

    IDENTIFIED = 0
    INVITING = 1
    INVITED = 2
    AGREED = 3
    OPEN = 4


@dataclass
class NodeLink:
    """`exchange` is there once the link is open."""

    id: object
    key: bytes
    dialled: bool
    stage: Stage = Stage.IDENTIFIED
    invite: Invite | None = None
    by_us: bool = False
    asks: bool = False  # the app has been asked
    began: int = 0  # when it was connected
    agreed_at: int = 0
    declined_for_it: int | None = None  # when an INVITE was first declined because this one, of ours, waits
    declined_with: DeclineReason | None = None
    exchange: Exchange | None = None
    closed_by_us: int | None = None

    @property
    def is_alive(self) -> bool:
        return self.closed_by_us is None and self.declined_with is None

    def is_of(self, session: bytes) -> bool:
        return self.invite is not None and self.invite.charter.identifier == session


class NodeLinks:
    """The part of a node that hears of links. `commands` is what their owner carries out."""

    def __init__(self, key: SigningKey, now: int, has_addresses: bool, maximum_links: int) -> None:
        self.key, self._now = key, now
        self._has_addresses, self._maximum_links = has_addresses, maximum_links
        self.commands: list[Command] = []
        self.events: list[NodeEvent] = []
        self.links: dict[object, NodeLink] = {}
        self._began: dict[object, int] = {}  # of links whose peer is not known yet
        self.membership: Membership | None = None
        self.dialler = Dialler()
        self._blocked: set[bytes] = set()
        self._misbehaved: set[bytes] = set()
        self._avoided: dict[bytes, int] = {}  # not dialled until an entry has a greater instance ([R14.9-3])
        self._full_for: set[bytes] = set()  # of these, the members that the local peer declined with reason 7
        self._asks_for: set[bytes] = set()  # closed or declined by the local app, which has not asked since ([R14.8-2])
        self._linked: set[bytes] = set()  # members to which there has been an open link
        self._asked_for: set[bytes] = set()  # for which the app has asked, whichever member has admitted them ([R14.9-5])
        self._connected: set[bytes] = set()  # as the app has heard
        self._ended_at: dict[bytes, int] = {}
        self._left: dict[bytes, list[Association]] = {}

    # INVITEs

    def connected(self, link: object) -> None:
        """The peer of the link is not known yet; when it came matters all the same ([R8.7-6])."""
        self._began[link] = self._now

    def disconnected(self, link: object) -> None:
        """The peer of the link was never proved."""
        self._began.pop(link, None)

    def identified(self, link: object, key: bytes, dialled: Address | None) -> None:
        """A link that this node dialled, at this address, is for an INVITE between members (SPEC §14.8)."""
        held = self.links[link] = NodeLink(link, key, dialled is not None, began=self._began.pop(link, self._now))
        if dialled is None:
            return
        mine = self.membership
        self.dialler.reached(key, dialled, mine.roster.get(key) if mine else None)
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
        held.stage, held.by_us = Stage.INVITING, True
        self.commands.append(SendInvite(held.id, request))

    def invited(self, link: object, invite: Invite) -> None:
        """An INVITE came on a link on which none of ours wins; its fields, role and chain are right (SPEC §8.2)."""
        held = self.links[link]
        held.invite, held.stage, held.by_us = invite, Stage.INVITED, False
        self.dialler.begin_anew(held.key)
        if self._has_been_overtaken(held, invite):
            self._decline(held, DeclineReason.SUPERSEDED)
            return
        self._close_stale(held, invite)
        waiting = [other for other in self._others(held) if self._meets(other, invite)]
        if waiting and own_invite_stands(self.key.public, held.key) and not self._takes_for_lost(waiting):
            self._decline(held, DeclineReason.SUPERSEDED)  # [R8.7-1]
            return
        for other in waiting:
            self._close(other, ErrorCode.DUPLICATE_LINK)
        if self._has_crossed_ours(held, invite):
            self._decline(held, DeclineReason.SUPERSEDED)
        elif any(other.invite is not None and other.invite.merges_with(invite) for other in waiting):
            self._accept(held)  # [R8.6-3]
        else:
            self._answer(held, invite)

    def _close_stale(self, held: NodeLink, invite: Invite) -> None:
        """What is not open and was agreed for this session, or waits for our answer, is over ([R8.7-5])."""
        for other in self._others(held):
            is_stale = other.stage is Stage.AGREED or (other.stage is Stage.INVITED and not other.by_us)
            if is_stale and other.is_of(invite.charter.identifier):
                self._close(other, ErrorCode.DUPLICATE_LINK)
                if other.asks:
                    self.events.append(TakenPlaceOf(held.id, other.id))

    def _meets(self, other: NodeLink, invite: Invite) -> bool:
        """Whether an INVITE of ours waits there that meets this one (SPEC §8.7)."""
        if other.stage is not Stage.INVITING or other.invite is None:
            return False
        both_new = other.invite.session_kind == invite.session_kind == SessionKind.NEW
        return both_new or other.is_of(invite.charter.identifier)

    def _takes_for_lost(self, waiting: list[NodeLink]) -> bool:
        """A second INVITE, long after the first was declined: ours has not come through ([R8.7-4])."""
        is_late = any(
            other.declined_for_it is not None and self._now >= other.declined_for_it + CROSSING for other in waiting
        )
        for other in waiting:
            if other.declined_for_it is None:
                other.declined_for_it = self._now
        return is_late

    def _has_crossed_ours(self, held: NodeLink, invite: Invite) -> bool:
        """Both have founded a session, and ours was accepted a moment ago ([R8.7-6])."""
        if invite.session_kind != SessionKind.NEW or not own_invite_stands(self.key.public, held.key):
            return False
        return any(
            other.by_us and other.stage >= Stage.AGREED and other.invite is not None
            and other.invite.session_kind == SessionKind.NEW and self._now < other.agreed_at + CROSSING
            for other in self._others(held)
        )

    def _has_been_overtaken(self, held: NodeLink, invite: Invite) -> bool:
        """The ACCEPT of ours, which wins, came while this link was there already ([R8.7-6])."""
        return own_invite_stands(self.key.public, held.key) and any(
            other.by_us and other.stage >= Stage.AGREED and other.is_of(invite.charter.identifier)
            and held.began < other.agreed_at and self._now < other.agreed_at + CROSSING
            for other in self._others(held)
        )

    def _answer(self, held: NodeLink, invite: Invite) -> None:
        """The reasons 6, 1, 7 and 2 to decline, in this order; then the app, where it is asked ([R14.8-2], [R13.5-6])."""
        reason = self._reason_to_decline(held, invite)
        if reason is not None:
            self._decline(held, reason)
        elif invite.session_kind != SessionKind.MEMBERS or held.key in self._asks_for or self._doubt(held.key, invite) > 0:
            held.asks = True
            self.events.append(Asked(held.id, held.key, invite.charter.identifier))
        else:
            self._accept(held)

    def _reason_to_decline(self, held: NodeLink, invite: Invite) -> DeclineReason | None:
        is_of_members, mine = invite.session_kind == SessionKind.MEMBERS, self.membership
        is_mine = mine is not None and mine.is_present and mine.charter.identifier == invite.charter.identifier
        if is_of_members and not is_mine:
            return DeclineReason.NO_SESSION
        if held.key in self._blocked | self._misbehaved or is_of_members and self._doubt(held.key, invite) > 1:
            return DeclineReason.DECLINED
        if is_of_members and not self._takes_more(held.key):
            return DeclineReason.FULL
        return DeclineReason.BUSY if self._has_left_too_much(held.key) else None

    def _doubt(self, key: bytes, invite: Invite | None = None) -> int:
        """What is held against those in a member's chain: 2 for a decline, 1 for a question, 0 for nothing ([R14.9-5])."""
        mine = self.membership
        if mine is None or key in self._linked or key in self._asked_for:
            return 0
        entry, unwanted, doubts = mine.roster.get(key), self._blocked | self._misbehaved, [0]
        for chain in (entry.chain if entry else (), invite.chain if invite else ()):
            for admitter in {admission.admitter for admission in chain} - {self.key.public}:
                if admitter != mine.charter.founder:
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
        held.declined_with = reason
        self.commands.append(DeclineWith(held.id, reason))

    def _accept(self, held: NodeLink) -> None:
        """The member itself invites, so whatever stood against dialling it is over ([R14.9-3])."""
        held.stage, held.agreed_at = Stage.AGREED, self._now
        self._forgive(held.key)
        self.dialler.drop(held.key)
        self.commands.append(Accept(held.id))

    def _reconsider_those_admitted_by(self, admitter: bytes) -> None:
        """What is held against it has changed: they are dialled, or no longer ([R14.9-5])."""
        for entry in self.membership.roster if self.membership else ():
            if any(admission.admitter == admitter for admission in entry.chain):
                if self._doubt(entry.member):
                    self.dialler.drop(entry.member)
                else:
                    self._want(entry.member)

    def _forgive(self, key: bytes) -> None:
        self._avoided.pop(key, None)
        self._full_for.discard(key)

    def accepted(self, link: object) -> None:
        """ACCEPT came."""
        held = self.links[link]
        held.stage, held.agreed_at = Stage.AGREED, self._now

    # Links that open and end

    def opened(self, link: object, exchange: Exchange) -> None:
        """[R8.7-3]: links of the session to the same peer that were open before are closed."""
        held = self.links[link]
        held.stage, held.exchange = Stage.OPEN, exchange
        exchange.catch_up(self._now)
        assert held.invite is not None
        if held.invite.session_kind == SessionKind.MEMBERS and not held.asks:
            if self._doubt(held.key, None if held.by_us else held.invite) > 0:  # since INVITE ([R14.9-5])
                self._close(held, ErrorCode.NO_ERROR, is_found_out=True)
                return
        for other in self._others(held):
            if other.stage is Stage.OPEN and other.is_of(held.invite.charter.identifier):
                self._close(other, ErrorCode.DUPLICATE_LINK)
        self._forgive(held.key)
        self._linked.add(held.key)
        self.dialler.linked(held.key)
        if held.key not in self._connected:
            self._connected.add(held.key)
            self.events.append(Connected(held.key))

    def ended(self, link: object, end: End, association: Association | None = None) -> None:
        """[R14.9-2], [R14.9-3]. `association` is what was on the link, if it was open."""
        held = self.links.pop(link)
        others = any(other.stage > Stage.IDENTIFIED for other in self._others(held))
        entry = self.membership.roster.get(held.key) if self.membership else None
        why = departure_of(end, entry is not None and not entry.is_present, others)
        if association is not None and association.untaken:
            self._left.setdefault(held.key, []).append(association)
        if why is not Departure.REPLACED:
            if held.invite is not None:
                self._connected.discard(held.key)
                self.events.append(Departed(held.key, why))
            self._remember(held, why, end, entry.instance if entry else 0, others)
        if held.invite is not None:
            self._ended_at[held.key] = self._now
        if not others:
            self._want(held.key)
        self._invite_those_turned_away()

    def _remember(self, held: NodeLink, why: Departure, end: End, instance: int, others: bool) -> None:
        """After which ends the local peer does not dial by itself ([R14.9-3])."""
        key = held.key
        recently = self._now < self._ended_at.get(key, -_EXPLAINS) + _EXPLAINS
        unexplained = end.code == ErrorCode.DUPLICATE_LINK and end.by_peer and not others and not recently
        closed = why is Departure.CLOSED and (end.by_app or end.code == ErrorCode.NO_ERROR)
        if unexplained:
            self.events.append(Ghost())
        if why is Departure.MISBEHAVED and held.invite is not None:  # before that it is no departure
            self._misbehaved.add(key)
            self._reconsider_those_admitted_by(key)
        if held.invite is not None and (unexplained or closed or why is Departure.REFUSED):
            self._avoided[key] = instance
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

    def _close(self, held: NodeLink, code: ErrorCode, is_found_out: bool = False) -> None:
        if held.closed_by_us is None:
            held.closed_by_us = code
            self.commands.append(CloseLink(held.id, code, is_found_out))

    def _links_of(self, key: bytes) -> list[NodeLink]:
        return [held for held in self.links.values() if held.key == key]

    def _others(self, held: NodeLink) -> list[NodeLink]:
        """Other links to the same peer that the local peer has not given up."""
        return [other for other in self._links_of(held.key) if other is not held and other.is_alive]

    def _is_busy_with(self, key: bytes) -> bool:
        """[R8.7-2]."""
        return any(held.invite is not None and held.is_alive for held in self._links_of(key))

    def _want(self, key: bytes, at_once: bool = False) -> None:
        """Dials a present member to which there is no link, unless something forbids it."""
        mine = self.membership
        entry = mine.roster.get(key) if mine else None
        if mine is None or not mine.is_present or entry is None or not entry.is_present or key == self.key.public:
            return
        if key in self._blocked | self._misbehaved | self._asks_for or key in self._avoided or self._is_busy_with(key):
            return
        if self._doubt(key):
            return
        if self._takes_more(key) and not self._has_left_too_much(key):
            self.dialler.on_this_host = mine.on_this_host
            self.dialler.want(self.key.public, entry, self._has_addresses, self._now, at_once)
