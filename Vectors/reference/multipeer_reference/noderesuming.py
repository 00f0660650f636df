"""Associations of a node that survive their links (SPEC §13.9, §14.9, §14.10)."""

from __future__ import annotations

from typing import Callable

from .ed25519 import SigningKey
from .errors import ErrorCode
from .invitation import Invite
from .lasting import Associations, Lasting
from .nodeevents import Connected, Departed, Reconnecting, SendResume
from .nodelink import NodeLink, Stage
from .nodelinks import NodeLinks
from .reconnecting import Reconnector
from .session.departures import Departure, End
from .session.entries import Address
from .session.exchange import Exchange
from .session.instances import Shown
from .session.member import Membership

_LATER = 500
#: RESUME (SPEC §13.9).
_ANSWERED_WITHIN = 2_000


class NodeResuming(NodeLinks):
    """`grace` in milliseconds; with 0 an association ends with its link."""

    def __init__(
        self, key: SigningKey, now: int, wall: int, shown: Shown, maximum_links: int, permits_unions: bool, grace: int,
        random: Callable[[int], bytes],
    ) -> None:
        super().__init__(key, now, wall, shown, maximum_links, permits_unions)
        self.associations = Associations(grace)
        self.associations.on_end = self._association_ended
        self.reconnector = Reconnector(random)
        self._opened_by: dict[bytes, tuple[Invite | None, bool]] = {}  # the INVITE of each association, and whether it is ours
        self._want_at: dict[bytes, int] = {}  # when the peer that did not dial the lost link tries addresses of entries
        self._why = Departure.LOST

    # Links

    def identified(self, link: object, key: bytes, dialled: Address | None) -> None:
        """A link that this node dialled carries RESUME, if there is something to resume."""
        lasting = self.associations.resumable(key)
        if dialled is None or lasting is None:
            super().identified(link, key, dialled)
        elif lasting.waits or any(other.resumes and other.is_alive for other in self._links_of(key)):
            held = self.links[link] = NodeLink(link, key, True)
            self._close(held, 0)  # one attempt at a time
        else:
            until = self._now + _ANSWERED_WITHIN
            self.links[link] = NodeLink(link, key, True, resumes=True, resumes_until=until, reached=dialled)
            self.commands.append(SendResume(link))

    def opened(self, link: object, exchange: Exchange) -> None:
        held = self.links[link]
        if held.is_alive:
            self._opened_by[held.key] = held.invite, held.by_us
            self.reconnector.drop(held.key)
            self._want_at.pop(held.key, None)
        super().opened(link, exchange)

    def resumed(self, link: object, exchange: Exchange) -> None:
        """RESUMED went or came: the peer is connected again."""
        held = self.links[link]
        held.stage, held.exchange, held.resumes = Stage.OPEN, exchange, True
        held.invite, held.by_us = self._opened_by.get(held.key, (None, False))
        self.reconnector.drop(held.key)
        self._want_at.pop(held.key, None)
        self.dialler.linked(held.key)
        if not held.is_alive:
            return
        self._keep_alone(held)
        if held.key not in self._connected:
            self._connected.add(held.key)
            self.events.append(Connected(held.key))
        self.group.unite(self._now)

    def interrupted(self, link: object) -> None:
        """It has ended, or will at once, and its association is resumable, unless another link has taken it already."""
        held = self.links[link]
        held.is_interrupted = True
        if self.associations.resumable(held.key) is None:
            return
        entry = self._last_entry(held)
        if entry is not None and not entry.is_present:  # [R13.9-3]
            self._connected.discard(held.key)
            self._end_resumable(held.key, Departure.LEFT)
            return
        if held.key in self._connected:
            self._connected.discard(held.key)
            self.events.append(Reconnecting(held.key))
        if held.reached is not None:
            self.reconnector.begin(held.key, held.reached, self._now)
        else:
            self._want_at[held.key] = self._now + _LATER
        self._review()

    def _remember(self, held: NodeLink, why: Departure, end: End, others: bool) -> None:
        super()._remember(held, why, end, others)
        if why is Departure.MISBEHAVED and held.invite is not None:
            self._end_resumable(held.key, why)

    def _association_ended(self, lasting: Lasting) -> None:
        """While it was resumable: what otherwise comes with the end of its link."""
        self.reconnector.drop(lasting.peer)
        self._want_at.pop(lasting.peer, None)
        if lasting.association.untaken:
            self._left.setdefault(lasting.peer, []).append(lasting.association)
        self.events.append(Departed(lasting.peer, self._why))
        if self._why is Departure.LOST:
            self._want(lasting.peer)

    def _end_resumable(self, key: bytes, why: Departure) -> None:
        self._why = why
        self.associations.end(key)
        self._why = Departure.LOST

    # What counts as a link

    def _may_not_invite(self, key: bytes) -> bool:
        """[R8.7-2], [R14.9-3]."""
        is_forbidden = key in self._blocked or any(held.forbids_invite for held in self._links_of(key))
        return is_forbidden or self.associations.resumable(key) is not None

    def _is_busy_with(self, key: bytes) -> bool:
        """[R14.11-8]; but for the addresses of its entries, by the same rules, so that it can be resumed there."""
        may_try = key not in self._want_at or self._now < self._want_at[key]
        return super()._is_busy_with(key) or (may_try and self.associations.resumable(key) is not None)

    def _resumable_with(self) -> set[bytes]:
        return {lasting.peer for lasting in self.associations if lasting.is_resumable}

    def _takes_more(self, key: bytes) -> bool:
        others = {other.key for other in self.links.values() if other.stage >= Stage.AGREED and other.is_alive}
        return len((others | self._resumable_with()) - {key}) < self._maximum_links

    def _has_link_in(self, mine: Membership) -> bool:
        kept = (lasting.exchange for lasting in self.associations if lasting.is_resumable)
        sessions = {session for one in kept for session in (one.outgoing.session, one.incoming.session)}
        return mine.session in sessions or super()._has_link_in(mine)

    def _invited_to(self, session: bytes) -> list[bytes]:
        invited = (
            key for key in self._resumable_with()
            if (opened := self._opened_by.get(key)) and opened[1] and opened[0] and opened[0].charter.identifier == session
        )
        return [*super()._invited_to(session), *invited]

    # Time

    @property
    def _resuming_deadlines(self) -> list[int | None]:
        waiting = [held.resumes_until for held in self.links.values() if held.is_alive and held.exchange is None]
        return [self.associations.deadline, self.reconnector.deadline, *self._want_at.values(), *waiting]

    def _resume_what_is_due(self) -> list[tuple[bytes, Address]]:
        self.associations.expire(self._now)
        for held in list(self.links.values()):
            is_late = held.resumes_until is not None and self._now >= held.resumes_until
            if is_late and held.exchange is None:
                self._close(held, ErrorCode.MOVED)
        self.dialler.resumable = self._resumable_with()
        for key, at in list(self._want_at.items()):
            if self._now >= at:
                self._want(key)
                self._want_at[key] = max(at, self._now) + _LATER
        return self.reconnector.due(self._now)
