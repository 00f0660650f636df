"""The sessions that a group holds together, and how they unite (SPEC §14.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Collection, Iterable, Iterator

from ..charter import Charter
from ..events import SessionEvent, SessionsUnited, StaysApart
from .admissions import Chain
from .frames import Unite
from .member import Membership
from .rates import Rate
from .roster import branch

if TYPE_CHECKING:
    from .exchange import Exchange

_JUDGED_AT_MOST = 16
_FOLLOWED_AT_MOST, _OF_BRANCH_AT_MOST = 32, 8


class Group:
    """`links` are the open ones, in the order of their numbers; `enter` makes a membership of a session, and adds it.
    Without it the app permits no unions. `invited` has the peers of the invitations to a session that are under way.

    Nothing is followed before a session is shared, and then there is a home until the group leaves all of its sessions.
    """

    def __init__(
        self, key: bytes, links: Callable[[], Iterable[Exchange]] = tuple,
        enter: Callable[[Charter, Chain, int], Membership] | None = None,
        emit: Callable[[SessionEvent], None] = lambda event: None,
        invited: Callable[[bytes], Collection[bytes]] = lambda session: (),
    ) -> None:
        self._key, self._links, self._enter, self._emit, self._invited = key, links, enter, emit, invited
        self._held: dict[bytes, Membership] = {}
        self._shared: set[bytes] = set()
        self.home: Membership | None = None
        self._judged: dict[bytes, Rate] = {}
        self._followed, self._followed_of = Rate(), dict[bytes | None, Rate]()

    # Sessions

    def __iter__(self) -> Iterator[Membership]:
        """The least one first."""
        return iter(sorted(self._held.values(), key=lambda mine: mine.session))

    def __len__(self) -> int:
        return len(self._held)

    def get(self, session: bytes) -> Membership | None:
        return self._held.get(session)

    @property
    def main(self) -> Membership | None:
        """The home, or without one the newest session, those first of which this node is a member."""
        newest = list(reversed(self._held.values()))
        return self.home or next((mine for mine in newest if mine.is_member), next(iter(newest), None))

    def add(self, mine: Membership) -> None:
        self._held[mine.session] = mine
        self.review()

    def forget(self, mine: Membership) -> None:
        """It is none of the group any more."""
        del self._held[mine.session]
        self._shared.discard(mine.session)
        self._settle()

    def review(self) -> None:
        """An entry is new. What is shared stays so."""
        self._shared |= {
            mine.session for mine in self._held.values() if mine.session not in self._shared and mine.has_other_present
        }
        self._settle()

    def _settle(self) -> None:
        former, least = self.home, min(self._shared, default=None)
        self.home = None if least is None else self._held[least]
        if former is not None and least is not None and least < former.session:
            self._emit(SessionsUnited(least))

    # UNITE of others

    def may_judge(self, peer: bytes, now: int) -> bool:
        """One more UNITE of this peer, over all of its links ([R14.11-2])."""
        rate = self._judged.setdefault(peer, Rate())
        if rate.count(now) >= _JUDGED_AT_MOST:
            return False
        rate.add(now)
        return True

    def consider(self, peer: bytes, unite: Unite, of: Membership, now: int) -> None:
        """UNITE has come, and nothing is wrong with it; `of` is the session of its sender's direction ([R14.11-3])."""
        session, home = unite.charter.identifier, self.home
        if not unite.admission or home is None or session >= home.session or not home.is_present or self._enter is None:
            return
        if not self._may_follow(peer, of, now):
            self._emit(StaysApart(session))
            return
        chain, mine = unite.chain_of(peer, self._key), self._held.get(session)
        if mine is None:
            self._enter(unite.charter, chain, now)
        else:
            mine.admitted(chain)
        self._shared.add(session)
        self._settle()

    def _may_follow(self, peer: bytes, of: Membership, now: int) -> bool:
        """[R14.11-4]. If so, it counts. Peers of which there is no entry are one branch."""
        entry = of.roster.get(peer)
        of_branch = self._followed_of.setdefault(None if entry is None else branch(entry), Rate())
        if self._followed.count(now) >= _FOLLOWED_AT_MOST or of_branch.count(now) >= _OF_BRANCH_AT_MOST:
            return False
        self._followed.add(now)
        of_branch.add(now)
        return True

    # UNITE of ours

    def unite(self, now: int) -> None:
        """Something has changed; what is owed by that goes ([R14.11-1])."""
        if self.home is not None:
            for exchange in self._links():
                exchange.unite(now)

    def may_admit(self, peer: bytes) -> bool:
        """Into the home, by UNITE ([R14.1-2], [R14.2-2])."""
        home = self.home
        return home is not None and home.may_admit and home.has_place_for(peer, self.coming(home.session))

    def coming(self, session: bytes) -> Collection[bytes]:
        """Those that are invited, and those that have had an admission on a link that is open ([R14.1-2])."""
        admitted = {exchange.peer for exchange in self._links() if session in exchange.admitted_to}
        return admitted.union(self._invited(session))
