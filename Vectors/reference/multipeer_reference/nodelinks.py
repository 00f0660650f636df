"""A node's links: INVITEs between members, several links to one peer, and how links end (SPEC §8.7, §14.8, §14.9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .config import InviteRequest
from .dialling import Dialler
from .ed25519 import SigningKey
from .errors import ErrorCode
from .invitation import DeclineReason, Invite, SessionKind, own_invite_stands
from .nodeevents import (
    Accept, Asked, CloseLink, Command, Connected, DeclineWith, Departed, Ghost, NodeEvent, SendInvite,
)
from .session import admissions
from .session.departures import Departure, End, departure_of
from .session.exchange import Exchange
from .session.member import Membership


class Stage(IntEnum):
    """How far a link has come."""

    IDENTIFIED = 0
    INVITING = 1
    INVITED = 2
    AGREED = 3
    OPEN = 4


@dataclass
class NodeLink:
    """`order` is that of the INVITEs; `exchange` is there once the link is open."""

    id: object
    key: bytes
    dialled: bool
    stage: Stage = Stage.IDENTIFIED
    invite: Invite | None = None
    by_us: bool = False
    order: int = 0
    exchange: Exchange | None = None
    closed_by_us: int | None = None


class NodeLinks:
    """The part of a node that is told of links. `commands` is what whoever has them carries out."""

    def __init__(self, key: SigningKey, now: int, has_addresses: bool, maximum_links: int) -> None:
        self.key, self._now = key, now
        self._has_addresses, self._maximum_links = has_addresses, maximum_links
        self.commands: list[Command] = []
        self.events: list[NodeEvent] = []
        self.links: dict[object, NodeLink] = {}
        self.membership: Membership | None = None
        self.dialler = Dialler()
        self._blocked: set[bytes] = set()
        self._avoided: dict[bytes, int] = {}  # refused or misbehaved: until an entry has a greater instance
        self._resting: set[bytes] = set()  # closed by the own app
        self._misbehaved: set[bytes] = set()
        self._order = 0

    def identified(self, link: object, key: bytes, dialled: bool) -> None:
        """A link that this node dialled is for an INVITE between members (SPEC §14.8)."""
        held = self.links[link] = NodeLink(link, key, dialled)
        if dialled and self._is_busy_with(key):
            self._close(held, ErrorCode.NO_ERROR)  # it is not needed any more, and no INVITE was on it
        elif dialled and self.dialler.wants(key):
            assert self.membership is not None
            self.dialler.drop(key)
            self._send_invite(held, InviteRequest(charter=self.membership.charter, chain=self.membership.chain))

    def _send_invite(self, held: NodeLink, request: InviteRequest) -> None:
        assert request.charter is not None
        held.invite = Invite(request.charter, request.kind, 0, 0, request.timeout, b"", request.all_fields)
        held.stage, held.by_us = Stage.INVITING, True
        self._order += 1
        held.order = self._order
        self.commands.append(SendInvite(held.id, request))

    def invited(self, link: object, invite: Invite) -> None:
        """An INVITE came on a link on which we have not invited."""
        held = self.links[link]
        self._order += 1
        held.invite, held.order, held.stage, held.by_us = invite, self._order, Stage.INVITED, False
        if invite.session_kind == SessionKind.MEMBERS:
            if not admissions.is_valid(invite.chain, invite.charter, held.key):
                self._close(held, ErrorCode.ENTRY_INVALID)
                return
        waiting = [other for other in self._links_of(held.key) if self._meets(other, invite)]
        if waiting and own_invite_stands(self.key.public, held.key):
            self.commands.append(DeclineWith(link, DeclineReason.SUPERSEDED))  # [R8.7-1]
            return
        self._answer(held, invite)
        for other in waiting:
            self._close(other, ErrorCode.DUPLICATE_LINK)

    def _meets(self, other: NodeLink, invite: Invite) -> bool:
        """Whether an INVITE of ours waits there that meets this one (SPEC §8.7)."""
        if other.stage is not Stage.INVITING or other.closed_by_us is not None or other.invite is None:
            return False
        both_new = other.invite.session_kind == invite.session_kind == SessionKind.NEW
        return both_new or other.invite.charter.identifier == invite.charter.identifier

    def _answer(self, held: NodeLink, invite: Invite) -> None:
        """[R14.8-2]; others are for the app."""
        if held.key in self._misbehaved or held.key in self._blocked:
            self.commands.append(DeclineWith(held.id, self._decline_of_members(held, invite) or DeclineReason.DECLINED))
        elif invite.session_kind != SessionKind.MEMBERS:
            self.events.append(Asked(held.id, held.key, invite.charter.identifier))
        elif reason := self._decline_of_members(held, invite):
            self.commands.append(DeclineWith(held.id, reason))
        else:
            self._accept(held)

    def _decline_of_members(self, held: NodeLink, invite: Invite) -> DeclineReason | None:
        if invite.session_kind != SessionKind.MEMBERS:
            return None
        mine = self.membership
        if mine is None or not mine.is_present or mine.charter.identifier != invite.charter.identifier:
            return DeclineReason.NO_SESSION
        if held.key in self._blocked:
            return DeclineReason.DECLINED
        others = {other.key for other in self.links.values() if other.stage >= Stage.AGREED}
        return DeclineReason.FULL if len(others - {held.key}) >= self._maximum_links else None

    def _accept(self, held: NodeLink) -> None:
        """The member itself invites, so whatever stood against dialling it is over ([R14.9-3])."""
        held.stage = Stage.AGREED
        self._avoided.pop(held.key, None)
        self._resting.discard(held.key)
        self.dialler.drop(held.key)
        self.commands.append(Accept(held.id))

    def accepted(self, link: object) -> None:
        """ACCEPT came."""
        self.links[link].stage = Stage.AGREED

    def opened(self, link: object, exchange: Exchange) -> None:
        """[R8.7-3]: older links of the session to the same peer are closed."""
        held = self.links[link]
        held.stage, held.exchange = Stage.OPEN, exchange
        was_connected = False
        for other in self._links_of(held.key):
            if other is not held and other.order < held.order and other.invite is not None:
                was_connected |= other.stage is Stage.OPEN
                self._close(other, ErrorCode.DUPLICATE_LINK)
        self.dialler.drop(held.key)
        if not was_connected:
            self.events.append(Connected(held.key))

    def ended(self, link: object, end: End) -> None:
        """[R14.9-2], [R14.9-3]."""
        held = self.links.pop(link)
        others = any(other.stage > Stage.IDENTIFIED and other.closed_by_us is None for other in self._links_of(held.key))
        why = self._why(held, end, others)
        if why is not Departure.REPLACED:
            if held.invite is not None:
                self.events.append(Departed(held.key, why))
            self._remember(held.key, why, end)
            if not others:
                self._want(held.key)

    def _why(self, held: NodeLink, end: End, others: bool) -> Departure:
        entry = self.membership.roster.get(held.key) if self.membership else None
        if held.closed_by_us == ErrorCode.DUPLICATE_LINK and others:
            return Departure.REPLACED
        return departure_of(end, entry is not None and not entry.is_present, others)

    def _remember(self, key: bytes, why: Departure, end: End) -> None:
        entry = self.membership.roster.get(key) if self.membership else None
        unexplained = end.code == ErrorCode.DUPLICATE_LINK and end.by_peer
        if unexplained:
            self.events.append(Ghost())
        if why is Departure.MISBEHAVED:
            self._misbehaved.add(key)
        if why in (Departure.REFUSED, Departure.MISBEHAVED) or unexplained:
            self._avoided[key] = entry.instance if entry else 0

    def _close(self, held: NodeLink, code: ErrorCode) -> None:
        if held.closed_by_us is None:
            held.closed_by_us = code
            self.commands.append(CloseLink(held.id, code))

    def _links_of(self, key: bytes) -> list[NodeLink]:
        return [held for held in self.links.values() if held.key == key]

    def _is_busy_with(self, key: bytes) -> bool:
        """[R8.7-2]."""
        return any(held.invite is not None and held.closed_by_us is None for held in self._links_of(key))

    def _want(self, key: bytes, at_once: bool = False) -> None:
        """Dials a present member to which there is no link, unless something stands against it."""
        mine = self.membership
        entry = mine.roster.get(key) if mine else None
        if mine is None or not mine.is_present or entry is None or not entry.is_present or key == self.key.public:
            return
        if key in self._blocked or key in self._avoided or key in self._resting or self._is_busy_with(key):
            return
        self.dialler.want(self.key.public, entry, self._has_addresses, self._now, at_once)
