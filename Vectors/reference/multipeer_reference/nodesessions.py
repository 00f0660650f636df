"""The sessions of a node's one group (SPEC §14.11), and what it knows by their rosters."""

from __future__ import annotations

from . import events
from .charter import Charter
from .ed25519 import SigningKey
from .nodeevents import NodeEvent
from .nodelink import NodeLink
from .session.admissions import Chain
from .session.entries import Entry
from .session.exchange import Exchange
from .session.instances import Shown
from .session.member import Membership
from .session.unions import Group

#: Of more sessions, a group forgets the greatest while no link is in it ([R14.11-8]).
HELD_AT_MOST = 8


class _OnThisHost:
    """The members whose loopback addresses are those of this host, by the entries that count ([R14.8-4])."""

    def __init__(self, sessions: NodeSessions) -> None:
        self._sessions = sessions

    def __contains__(self, member: object) -> bool:
        listed = self._sessions.listed(member) if isinstance(member, bytes) else None
        return listed is not None and member in listed[0].on_this_host


class NodeSessions:
    """`wall` is what makes `now` milliseconds since 1970."""

    def __init__(self, key: SigningKey, now: int, wall: int, shown: Shown, permits_unions: bool) -> None:
        self.key, self._now, self._wall, self._shown = key, now, wall, shown
        self.events: list[NodeEvent] = []
        self.links: dict[object, NodeLink] = {}
        self._remembered: dict[bytes, int] = {}  # by session, the greatest instance of former times in it
        enter = self._join_at if permits_unions else None
        self.on_this_host = _OnThisHost(self)
        self.group = Group(key.public, self._exchanges, enter, lambda event: self._note(b"", event), self._invited_to)

    @property
    def membership(self) -> Membership | None:
        """Of the home, or of the newest session while there is no home."""
        return self.group.main

    def _exchanges(self) -> list[Exchange]:
        """Of open links, in the order of their numbers."""
        held = (self.links[link] for link in sorted(self.links))  # type: ignore[type-var]
        return [one.exchange for one in held if one.exchange is not None and one.is_open]

    def _invited_to(self, session: bytes) -> list[bytes]:
        """By us, also where the link is open."""
        return [held.key for held in self.links.values() if held.by_us and held.is_of(session) and held.is_alive]

    def _note(self, session: bytes, event: events.SessionEvent) -> None:
        """What a membership, or the group, reports."""
        raise NotImplementedError

    def _join_at(self, charter: Charter, chain: Chain | None, now: int) -> Membership:
        session = charter.identifier
        mine = Membership(
            self.key, charter, self._shown, self._wall + now, chain, self._remembered.get(session),
            emit=lambda event: self._note(session, event), group=self.group,
        )
        self.group.add(mine)
        self._forget_the_greatest()
        return mine

    def _has_link_in(self, mine: Membership) -> bool:
        return any(held.is_in(mine.session) and held.is_alive for held in self.links.values())

    def _forget_the_greatest(self) -> None:
        """Never the home. What a peer may still ENTER is less than a session with a link in it, and so stays."""
        for mine in reversed(list(self.group)):
            if len(self.group) <= HELD_AT_MOST or mine is self.group.home or self._has_link_in(mine):
                return
            self._forget(mine)

    def _forget_what_is_over(self) -> None:
        """What the app has left, and what no link can make this node a member of any more."""
        for mine in self.group:
            if mine.has_left or not (mine.is_member or self._has_link_in(mine)):
                self._forget(mine)

    def _forget(self, mine: Membership) -> None:
        if mine.own is not None and mine.own.newest is not None:
            self._remembered[mine.session] = mine.own.newest.instance
        self.group.forget(mine)

    def listed(self, member: bytes) -> tuple[Membership, Entry] | None:
        """The least session with an entry of this member: what it says there counts for the others ([R14.11-8])."""
        for mine in self.group:
            entry = mine.roster.get(member)
            if entry is not None:
                return mine, entry
        return None

    def _all_listed(self) -> dict[bytes, tuple[Membership, Entry]]:
        found: dict[bytes, tuple[Membership, Entry]] = {}
        for mine in self.group:
            for entry in mine.roster:
                found.setdefault(entry.member, (mine, entry))
        return found

    def _entries_of(self, member: bytes) -> list[tuple[Membership, Entry]]:
        return [(mine, entry) for mine in self.group if (entry := mine.roster.get(member)) is not None]
