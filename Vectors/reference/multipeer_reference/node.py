"""One member of one session, with any number of links (SPEC §8.7, §14.5 to §14.10), without sockets and clocks.

Whoever has the links says what happens on them, and carries `commands` out. Frames of §14 go through the Exchange of a
link, which the node is given when the link is open.
"""

from __future__ import annotations

from typing import Callable

from . import events
from .charter import Charter
from .config import InviteRequest
from .ed25519 import SigningKey
from .errors import ErrorCode, MisuseError
from .invitation import DeclineReason
from .nodeevents import Contradiction, DeclineWith, Dial, Ghost, MemberSeen, NoPlace
from .nodelinks import NodeLinks, Stage
from .session.admissions import Chain
from .session.entries import Entry
from .session.instances import Shown
from .session.member import Membership
from .session.parameters import Parameters

DIGEST_EVERY = 30_000


class Node(NodeLinks):
    """`now` is any clock; `wall` what makes it milliseconds since 1970."""

    def __init__(
        self, key: SigningKey, random: Callable[[int], bytes], shown: Shown = Shown(), now: int = 0, wall: int = 0,
        charter: Charter | None = None, chain: Chain | None = None, remembered: int | None = None,
        maximum_links: int = 256,
    ) -> None:
        super().__init__(key, now, bool(shown.addresses), maximum_links)
        self._random, self._shown = random, shown
        self._wall, self._remembered = wall, remembered
        self._digest_at = now + DIGEST_EVERY
        if charter is not None:
            self._join(charter, chain)

    # Requests of the app

    def found(self, parameters: Parameters = Parameters()) -> Charter:
        """A session of which this node is the founder."""
        if self.membership is not None:
            raise MisuseError("this node is in a session")
        charter = Charter(self.key.public, self._random(32), parameters.fields())
        self._join(charter, None)
        return charter

    def _join(self, charter: Charter, chain: Chain | None) -> None:
        self.membership = Membership(
            self.key, charter, self._shown, self._wall + self._now, chain, self._remembered, emit=self._note
        )

    def invite(self, link: object) -> None:
        """Somebody who is no member yet ([R14.1-2], [R8.7-2])."""
        held = self.links[link]
        if self.membership is None:
            self.found()
        assert self.membership is not None
        is_known = self.membership.roster.get(held.key) is not None
        if not self.membership.is_present or not (is_known or self.membership.may_admit):
            raise MisuseError("this node may not admit anybody now")
        if held.stage is not Stage.IDENTIFIED or self._is_busy_with(held.key):
            raise MisuseError("there is an invitation, or a link, already")
        self._send_invite(held, InviteRequest(charter=self.membership.charter))

    def accept(self, link: object) -> None:
        """Answers Asked."""
        held = self.links[link]
        if held.stage is not Stage.INVITED or held.invite is None:
            raise MisuseError("there is nothing to accept")
        if self.membership is not None and self.membership.charter.identifier != held.invite.charter.identifier:
            raise MisuseError("this node is in another session")
        if self.membership is None:
            self._join(held.invite.charter, None)
        self._accept(held)

    def decline(self, link: object, reason: DeclineReason = DeclineReason.DECLINED) -> None:
        self.commands.append(DeclineWith(link, reason))

    def leave(self) -> None:
        """[R14.9-1]: the entry goes before CLOSE on each link."""
        entry = self.membership.leave() if self.membership else None
        for held in list(self.links.values()):
            if entry is not None and held.exchange is not None and not held.exchange.is_neighbour:
                held.exchange.send_entries([entry], self._now)
            self._close(held, ErrorCode.NO_ERROR)
        for member in [entry.member for entry in self.membership.roster] if self.membership else ():
            self.dialler.drop(member)

    def disconnect(self, key: bytes) -> None:
        """The app closes the link to one member, which then is not dialled until the app asks."""
        self._resting.add(key)
        self.dialler.drop(key)
        for held in self._links_of(key):
            self._close(held, ErrorCode.NO_ERROR)

    def block(self, key: bytes) -> None:
        self._blocked.add(key)
        self.dialler.drop(key)

    def dial(self, key: bytes) -> None:
        """The app asks; what stood against it is lifted."""
        for unwanted in (self._blocked, self._resting, self._misbehaved):
            unwanted.discard(key)
        self._avoided.pop(key, None)
        self._want(key, at_once=True)

    # Entries

    def _note(self, event: events.SessionEvent) -> None:
        match event:
            case events.OwnEntrySigned(entry=entry, has_place=has_place):
                for held in self.links.values():
                    if held.exchange is not None:
                        held.exchange.own_signed(entry, self._now)
                if not has_place:
                    self.events.append(NoPlace())
            case events.FirstEntry(peer=peer, entry=entry, passes_on=True):
                for held in self.links.values():
                    if held.exchange is not None and held.exchange.is_neighbour and held.key != peer:
                        held.exchange.send_entries([entry], self._now)
            case events.EntryKept(entry=entry):
                self._entry_came(entry)
            case events.MemberContradicts(member=member):
                self.events.append(Contradiction(member))
            case events.TwinSuspected():
                self.events.append(Ghost())

    def _entry_came(self, entry: Entry) -> None:
        """The rows of SPEC §14.10 that begin with an entry."""
        self.events.append(MemberSeen(entry.member, entry.presence))
        if not entry.is_present:
            self.dialler.drop(entry.member)
            return
        if entry.instance > self._avoided.get(entry.member, -1):
            self._avoided.pop(entry.member, None)
        self._want(entry.member)

    # Time

    @property
    def deadline(self) -> int | None:
        times = self.dialler.deadline, self.membership.deadline if self.membership else None, self._digest_at
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: int) -> None:
        """Dials, signs and asks what is due."""
        self._now = now
        mine = self.membership
        if mine is None:
            return
        mine.exceed(now)
        entries = {entry.member: entry for entry in mine.roster}
        self.commands += [Dial(*dial) for dial in self.dialler.due(now, entries)]
        if now >= self._digest_at:
            self._digest_at = now + DIGEST_EVERY
            neighbours = [held.exchange for held in self.links.values() if held.exchange and held.exchange.is_neighbour]
            if neighbours and mine.is_member:
                neighbours[self._random(1)[0] % len(neighbours)].send_digest()
