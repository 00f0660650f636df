"""One member of one session, with any number of links (SPEC §8.7, §14.5 to §14.10), without sockets and clocks.

The owner of the links says what happens on them, and carries `commands` out. Frames of §14 go through the Exchange of a
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
from .nodeevents import Contradiction, Dial, Ghost, MemberSeen, NoPlace
from .nodelink import NodeLink, Stage
from .nodelinks import NodeLinks
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
        self._instances: dict[bytes, int] = {}  # the greatest of each member
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
        self._digest_at = self._now + DIGEST_EVERY
        self.membership = Membership(
            self.key, charter, self._shown, self._wall + self._now, chain, self._remembered, emit=self._note
        )

    def invite(self, link: object) -> None:
        """To become a member, or to come back ([R14.1-2], [R8.7-2], [R13.5-6])."""
        held = self.links[link]
        if self.membership is None:
            self.found()
        assert self.membership is not None
        mine = self.membership
        invited = {other.key for other in self.links.values() if other.by_us and other.is_alive}
        if not mine.may_admit or not mine.has_place_for(held.key, invited):
            raise MisuseError("this node may not admit anybody now")
        if held.stage is not Stage.IDENTIFIED or self._may_not_invite(held.key):
            raise MisuseError("there is an invitation, or a link, already")
        if self._has_left_too_much(held.key):
            raise MisuseError("too much of this peer's former links has not been taken")
        self._lift(held.key)
        self._send_invite(held, InviteRequest(charter=mine.charter, chain=mine.chain))

    def invite_anew(self, link: object) -> None:
        """To a session that is founded for it, and that this node is in once the peer has accepted."""
        held = self.links[link]
        if self.membership is not None or held.stage is not Stage.IDENTIFIED or self._may_not_invite(held.key):
            raise MisuseError("this node is in a session, or there is an invitation already")
        self._lift(held.key)
        self._send_invite(held, InviteRequest(charter=Charter(self.key.public, self._random(32)), is_new=True))

    def _may_not_invite(self, key: bytes) -> bool:
        """[R8.7-2]."""
        return any(held.forbids_invite for held in self._links_of(key))

    def accepted(self, link: object) -> None:
        super().accepted(link)
        if self.links[link].is_alive:
            self._enter(self.links[link])

    def _accept(self, held: NodeLink) -> None:
        self._enter(held)
        super()._accept(held)

    def _enter(self, held: NodeLink) -> None:
        """The session of an INVITE that was accepted, unless this node is in it."""
        assert held.invite is not None
        if self.membership is None:
            self._join(held.invite.charter, None)

    def membership_for(self, charter: Charter) -> Membership:
        """Of a link that opens. Of the sessions that two peers have founded for each other, one link has chosen one."""
        if self.membership is None or self.membership.charter.identifier != charter.identifier and self.may_enter(charter):
            self._join(charter, None)
        assert self.membership is not None
        return self.membership

    def accept(self, link: object) -> None:
        """Answers Asked. Where another link has opened since, the INVITE waits for its end ([R8.7-7])."""
        held = self.links[link]
        if not self._is_asked_about(held) or held.invite is None:
            raise MisuseError("there is nothing to accept")
        if self.membership is not None and self.membership.charter.identifier != held.invite.charter.identifier:
            raise MisuseError("this node is in another session")
        self._lift(held.key)
        self._accepted.add(held)
        if held.waits:
            held.is_accepted = True
        else:
            self._accept(held)

    def _is_asked_about(self, held: NodeLink) -> bool:
        return held.stage is Stage.INVITED and held.asks and held.is_alive

    def decline(self, link: object, reason: DeclineReason = DeclineReason.DECLINED) -> None:
        held = self.links[link]
        if not self._is_asked_about(held):
            raise MisuseError("there is nothing to decline")
        self._asks_for.add(held.key)
        self._accepted.forget(held.key)
        self._decline(held, reason)

    def leave(self) -> None:
        """[R14.9-1]: the entry goes before CLOSE on each link."""
        entry = self.membership.leave() if self.membership else None
        self._accepted.forget_all()
        for held in list(self.links.values()):
            if entry is not None and held.exchange is not None and not held.exchange.is_neighbour:
                held.exchange.send_entries([entry], self._now)
            self._close(held, ErrorCode.NO_ERROR)
        for member in [entry.member for entry in self.membership.roster] if self.membership else ():
            self.dialler.drop(member)

    def come_back(self) -> None:
        """By the old chain; the others are dialled (SPEC §14.9)."""
        mine = self.membership
        if mine is None or mine.come_back() is None:
            return
        for entry in mine.roster:
            if entry.member != self.key.public:
                self.dial(entry.member)

    def disconnect(self, key: bytes) -> None:
        """The app closes the link to one member, which then is not dialled, and asked about if it invites ([R14.8-2])."""
        self._asks_for.add(key)
        self._asked_for.discard(key)
        self._accepted.forget(key)
        self.dialler.drop(key)
        for held in self._links_of(key):
            self._close(held, ErrorCode.NO_ERROR)
        self._reconsider_those_admitted_by(key)

    def block(self, key: bytes) -> None:
        self._blocked.add(key)
        self.disconnect(key)

    def dial(self, key: bytes) -> None:
        """The app asks; what stood against it is lifted."""
        self._blocked.discard(key)
        self._lift(key)
        self.dialler.begin_anew(key)
        entry = self.membership.roster.get(key) if self.membership else None
        if entry is not None:
            self.dialler.asked_for(entry)
        self._want(key, at_once=True)
        self._reconsider_those_admitted_by(key)

    def _lift(self, key: bytes) -> None:
        self._misbehaved.discard(key)
        self._asks_for.discard(key)
        self._asked_for.add(key)
        self._forgive(key)

    # Entries

    def _note(self, event: events.SessionEvent) -> None:
        match event:
            case events.OwnEntrySigned(entry=entry, has_place=has_place):
                for held in self.links.values():
                    if held.exchange is not None:
                        held.exchange.own_signed(entry, self._now)
                if not has_place:
                    self.events.append(NoPlace())
            case events.FirstEntry(peer=peer, entry=entry):
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
            self._forgive(entry.member)
        former = self._instances.setdefault(entry.member, entry.instance)  # the first one is no greater one
        if entry.instance > former:
            self._instances[entry.member] = entry.instance
            self.dialler.has_greater_instance(entry.member, self._now)
        self._want(entry.member)

    # Time

    @property
    def deadline(self) -> int | None:
        times = [self.dialler.deadline, self.membership.deadline if self.membership else None, self._digest_at]
        times += self._verdict_deadlines()
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: int) -> None:
        """Dials, signs, judges and asks what is due."""
        self._now = now
        self._review()
        mine = self.membership
        if mine is None:
            return
        mine.exceed(now)
        entries = {entry.member: entry for entry in mine.roster}
        self.dialler.on_this_host = mine.on_this_host
        self.commands += [Dial(*dial) for dial in self.dialler.due(now, entries)]
        if now >= self._digest_at:
            self._digest_at = now + DIGEST_EVERY
            neighbours = [held.exchange for held in self.links.values() if held.exchange and held.exchange.is_neighbour]
            if neighbours and mine.is_member:
                neighbours[self._random(1)[0] % len(neighbours)].send_digest()
