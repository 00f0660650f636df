"""One member of the sessions of one group, with any number of links (SPEC §8.7, §14.5 to §14.11), without sockets and
clocks.

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
from .nodeevents import Apart, Contradiction, Dial, Ghost, MemberSeen, NoPlace, United
from .nodelink import NodeLink, Stage
from .noderesuming import NodeResuming
from .session.admissions import Chain
from .session.departures import Departure
from .session.entries import Entry
from .session.exchange import Exchange
from .session.instances import Shown
from .session.member import Membership
from .session.parameters import Parameters

DIGEST_EVERY = 30_000


class Node(NodeResuming):
    """`now` is any clock; `wall` what makes it milliseconds since 1970."""

    def __init__(
        self, key: SigningKey, random: Callable[[int], bytes], shown: Shown = Shown(), now: int = 0, wall: int = 0,
        charter: Charter | None = None, chain: Chain | None = None, remembered: int | None = None,
        maximum_links: int = 256, permits_unions: bool = True, grace: int = 0,
    ) -> None:
        super().__init__(key, now, wall, shown, maximum_links, permits_unions, grace, random)
        self._random = random
        self._digest_at = now + DIGEST_EVERY
        self._instances: dict[tuple[bytes, bytes], int] = {}  # the greatest of each member, by session
        if charter is not None:
            if remembered is not None:
                self._remembered[charter.identifier] = remembered
            self._join(charter, chain)

    # Requests of the app

    def found(self, parameters: Parameters = Parameters()) -> Charter:
        """A session of which this node is the founder."""
        if self.membership is not None:
            raise MisuseError("this node is in a session")
        charter = Charter(self.key.public, self._random(32), parameters.fields())
        self._join(charter, None)
        return charter

    def _join(self, charter: Charter, chain: Chain | None, entered: int | None = None) -> Membership:
        self._forget_what_is_over()
        if not len(self.group):
            self._digest_at = self._now + DIGEST_EVERY
        return self._join_at(charter, chain, self._now if entered is None else entered)

    def invite(self, link: object) -> None:
        """To become a member, or to come back ([R14.1-2], [R8.7-2], [R13.5-6])."""
        held = self.links[link]
        if self.membership is None:
            self.found()
        assert self.membership is not None
        mine = self.membership
        if not mine.may_admit or not mine.has_place_for(held.key, self.group.coming(mine.session)):
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

    def accepted(self, link: object) -> None:
        super().accepted(link)
        if self.links[link].is_alive:
            self._enter(self.links[link])

    def _accept(self, held: NodeLink) -> None:
        self._enter(held)
        super()._accept(held)

    def _enter(self, held: NodeLink) -> None:
        """The session of an INVITE that was accepted. What was founded for it was so when it went."""
        assert held.invite is not None
        if self.group.get(held.invite.charter.identifier) is None:
            self._join(held.invite.charter, None, held.invited_at if held.by_us else self._now)

    def membership_for(self, charter: Charter) -> Membership:
        """It is held beside the others, whether or not a link is open in them ([R14.11-8])."""
        return self.group.get(charter.identifier) or self._join(charter, None)

    def accept(self, link: object) -> None:
        """Answers Asked. Where another link has opened since, the INVITE waits for its end ([R8.7-7])."""
        held = self.links[link]
        if not self._is_asked_about(held) or held.invite is None:
            raise MisuseError("there is nothing to accept")
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
        """[R14.9-1], [R14.11-9]: the entry goes before CLOSE on each link, in the session of its direction."""
        for mine in self.group:
            mine.leave()
        self._accepted.forget_all()
        for held in list(self.links.values()):
            if self._is_of_group(held):
                self._close(held, ErrorCode.NO_ERROR)
        for member in self._all_listed():
            self.dialler.drop(member)
        for key in self._resumable_with():
            self._end_resumable(key, Departure.CLOSED)

    def come_back(self) -> None:
        """To all sessions, by the old chains; the others are dialled (SPEC §14.9)."""
        back = [mine for mine in self.group if mine.come_back() is not None]
        for member in sorted({entry.member for mine in back for entry in mine.roster} - {self.key.public}):
            self.dial(member)

    def disconnect(self, key: bytes) -> None:
        """The app closes the link to one member, which then is not dialled, and asked about if it invites ([R14.8-2])."""
        self._asks_for.add(key)
        self._asked_for.discard(key)
        self._accepted.forget(key)
        self.dialler.drop(key)
        for held in self._links_of(key):
            if self._is_of_group(held):
                self._close(held, ErrorCode.NO_ERROR)
        self._end_resumable(key, Departure.CLOSED)
        self._reconsider_those_admitted_by(key)

    def block(self, key: bytes) -> None:
        self._blocked.add(key)
        self.disconnect(key)
        for held in self._links_of(key):
            self._close(held, ErrorCode.NO_ERROR)

    def dial(self, key: bytes) -> None:
        """The app asks for a member that is listed."""
        if self.listed(key) is None:
            raise MisuseError("there is no such member")
        self._ask_for(key)

    def lift(self, key: bytes) -> None:
        """Nothing stands against a peer any more, not even a block; if it is a member, it is dialled."""
        self._blocked.discard(key)
        self._ask_for(key)

    def _ask_for(self, key: bytes) -> None:
        self._lift(key)
        self.dialler.begin_anew(key)
        for _, entry in self._entries_of(key):
            self.dialler.asked_for(entry)
        self._want(key, at_once=True)
        self._reconsider_those_admitted_by(key)

    def _lift(self, key: bytes) -> None:
        self._misbehaved.discard(key)
        self._asks_for.discard(key)
        self._asked_for.add(key)
        self._forgive(key)

    # Entries

    def _note(self, session: bytes, event: events.SessionEvent) -> None:
        match event:
            case events.OwnEntrySigned(entry=entry, has_place=has_place):
                for exchange in self._exchanges_of(session):
                    exchange.own_signed(entry, self._now)
                if not has_place:
                    self.events.append(NoPlace())
                self.group.review()
            case events.FirstEntry(peer=peer, entry=entry):
                for exchange in self._exchanges_of(session):
                    if exchange.is_neighbour_in(session) and exchange.peer != peer:
                        exchange.send_entries([entry], self._now)
            case events.EntryKept(entry=entry):
                self.group.review()
                self._entry_came(session, entry)
            case events.MemberContradicts(member=member):
                self.events.append(Contradiction(member))
            case events.TwinSuspected():
                self.events.append(Ghost())
            case events.SessionsUnited(session=home):
                self.events.append(United(home))
            case events.StaysApart(session=other):
                self.events.append(Apart(other))

    def _exchanges_of(self, session: bytes) -> list[Exchange]:
        """Of links whose own direction has this session."""
        found = (held.exchange for held in self.links.values() if held.exchange is not None)
        return [exchange for exchange in found if exchange.outgoing.session == session]

    def _entry_came(self, session: bytes, entry: Entry) -> None:
        """The rows of SPEC §14.10 that begin with an entry."""
        self.events.append(MemberSeen(entry.member, entry.presence))
        if not entry.is_present:
            _, counted = self.listed(entry.member) or (None, entry)
            if not counted.is_present:
                self.dialler.drop(entry.member)
                self._end_resumable(entry.member, Departure.LEFT)
            return
        if self._is_of_a_later_run(session, entry):
            self._forgive(entry.member)
        former = self._instances.setdefault((session, entry.member), entry.instance)  # the first one is no greater one
        if entry.instance > former:
            self._instances[session, entry.member] = entry.instance
            self.dialler.has_greater_instance(entry.member, self._now)
        self._want(entry.member)

    def _is_of_a_later_run(self, session: bytes, entry: Entry) -> bool:
        """Than what its entries were of when it was last heard of. The first one in a session that is entered by a union is
        of no later one."""
        held = self._avoided.get(entry.member)
        return held is not None and (not held or entry.instance > held.setdefault(session, entry.instance))

    # Time

    @property
    def deadline(self) -> int | None:
        times = [self.dialler.deadline, *(mine.deadline for mine in self.group)]
        times += [self._digest_at] if len(self.group) else []
        times += self._verdict_deadlines()
        times += self._resuming_deadlines
        return min((time for time in times if time is not None), default=None)

    def tick(self, now: int) -> None:
        """Dials, signs, judges and asks what is due."""
        self._now = now
        self._review()
        self.commands += [Dial(*dial) for dial in self._resume_what_is_due()]
        if not len(self.group):
            return
        for mine in self.group:
            mine.exceed(now)
        self.group.unite(now)
        self.dialler.on_this_host = self.on_this_host
        entries = {member: entry for member, (_, entry) in self._all_listed().items()}
        self.commands += [Dial(*dial) for dial in self.dialler.due(now, entries)]
        if now >= self._digest_at:
            self._digest_at = now + DIGEST_EVERY
            self._ask_a_neighbour()

    def _ask_a_neighbour(self) -> None:
        """[R14.6-3], and UNITE again where it has changed nothing yet ([R14.11-1])."""
        exchanges = [held.exchange for held in self.links.values() if held.exchange is not None]
        neighbours = [one for one in exchanges if one.is_neighbour_in(one.outgoing.session) and one.has_sent_own]
        if neighbours:
            chosen = neighbours[self._random(1)[0] % len(neighbours)]
            chosen.send_digest()
            chosen.unite(self._now, again=True)
