"""What of an open link outlives it, and those of one group (SPEC §13.9)."""

from __future__ import annotations

import hmac
from typing import Callable, Iterable, Iterator

from . import exporter
from .association.association import Association
from .charter import Charter
from .core import Core, State
from .errors import ErrorCode
from .events import Event
from .policy import Outcome as Policy
from .proofs import Role
from .resume import ASSOCIATION_LABEL, ASSOCIATION_LENGTH, SECRET_LABEL, SECRET_LENGTH, resume_proof
from .session.exchange import Exchange
from .session.member import Membership

#: How many of a process are resumable.
RESUMABLE_AT_MOST = 256


class Lasting:
    """An association with all that belongs to it on whatever link.

    `link` is the one that is read: the first, or the last on which RESUME or RESUMED went ([R13.9-4]). `shown` is the
    greatest epoch that the peer has shown.
    """

    def __init__(
        self, core: Core, association: Association, exchange: Exchange, membership: Membership, grace: int
    ) -> None:
        assert core.peer_key is not None and core.charter is not None and core.policy is not None
        secret = core.exporter_secret
        self.identifier = exporter.export(secret, ASSOCIATION_LABEL, b"", ASSOCIATION_LENGTH)
        self._secret = exporter.export(secret, SECRET_LABEL, b"", SECRET_LENGTH)
        self.peer, self._grace = core.peer_key, grace
        self.association, self.exchange, self.membership = association, exchange, membership
        self.charter: Charter = core.charter
        self.policy: Policy = core.policy
        self.session_kind, self.invited = core.session_kind, core.invited
        self.epoch = self.shown = 0
        self.link: Core | None = core
        self.was_initiator = core.role is Role.INITIATOR  # of the last link that was open
        self.ends_at: int | None = None  # while it is resumable
        self.is_closed_by_app = self.is_over = False
        self.events: list[Event] = []  # while no link is there to report them
        self.on_end: Callable[[Lasting], None] = lambda lasting: None  # while it is resumable
        self.on_lost: Callable[[], None] = lambda: None

    @property
    def is_resumable(self) -> bool:
        return self.ends_at is not None and not self.is_over

    @property
    def may_continue(self) -> bool:
        """It is resumable, or has an open link that its app has not closed."""
        return not self.is_over and not self.is_closed_by_app

    @property
    def waits(self) -> bool:
        """RESUME of ours waits for its answer."""
        link = self.link
        return link is not None and link.close_sent is None and link.state in (State.INFO, State.RESUMING)

    def proof(self, role: Role, handshake_hash: bytes, before_proof: bytes) -> bytes:
        return resume_proof(self._secret, role, handshake_hash, before_proof)

    def verifies(self, proof: bytes, role: Role, handshake_hash: bytes, before_proof: bytes) -> bool:
        return hmac.compare_digest(proof, self.proof(role, handshake_hash, before_proof))

    # Links

    def take_over(self, core: Core) -> None:
        """RESUME or RESUMED goes on this link: no other one is read from here on ([R13.9-4])."""
        former, self.link = self.link, core
        if former is not None and former is not core and former.state is not State.CLOSED:
            former.close(ErrorCode.MOVED)

    def opened(self, core: Core, epoch: int) -> None:
        assert epoch >= self.epoch
        self.epoch, self.ends_at = epoch, None
        self.was_initiator = core.role is Role.INITIATOR

    def frame_came(self, core: Core) -> None:
        """A frame of an open link, so the peer has the epoch of this one. A CLOSE may have crossed RESUMED."""
        if core is self.link:
            self.shown = self.epoch

    def survives(self, core: Core) -> bool:
        """Whether the end of this open link leaves the association resumable ([R13.9-3])."""
        is_lost = core.ended_by in (None, ErrorCode.SILENT, ErrorCode.MOVED) and core.error in (None, ErrorCode.SILENT)
        return is_lost and self.may_continue and self._grace > 0

    def lost(self, core: Core) -> None:
        """The link is over for us."""
        if self.link is core:
            self.link = None
        self.association.report_to(self.events.append)
        self.ends_at = core.now + self._grace
        self.on_lost()

    def end(self) -> None:
        """With all that is unfinished in it; the secret is destroyed ([R13.9-1])."""
        if self.is_over:
            return
        waiting, was_resumable = self.link if self.waits else None, self.is_resumable
        self.is_over, self.ends_at, self._secret = True, None, b""
        self.association.end()
        if waiting is not None:
            waiting.close(ErrorCode.NO_ERROR)
        if was_resumable:
            self.on_end(self)


class Associations:
    """Those of one group, which has one with each peer. `grace` in milliseconds; with 0 nothing is resumed."""

    def __init__(self, grace: int = 60_000) -> None:
        self.grace = grace
        self.on_end: Callable[[Lasting], None] = lambda lasting: None
        self._of: dict[bytes, Lasting] = {}

    def __iter__(self) -> Iterator[Lasting]:
        return iter(list(self._of.values()))

    def began(self, lasting: Lasting) -> None:
        """A link has opened by READY. What was resumable ends by that, and another link by its own end ([R13.9-3])."""
        former = self._of.get(lasting.peer)
        self._of[lasting.peer] = lasting
        lasting.on_end, lasting.on_lost = lambda ended: self.on_end(ended), self.bound
        if former is not None:
            former.is_closed_by_app |= not former.is_resumable
            if former.is_resumable:
                former.end()

    def bound(self) -> None:
        """One more is resumable: of too many the oldest end ([R13.9-3])."""
        resumable = [other for other in self if other.is_resumable]
        for oldest in sorted(resumable, key=lambda other: other.ends_at or 0)[: max(0, len(resumable) - RESUMABLE_AT_MOST)]:
            oldest.end()

    def find(self, peer: bytes, identifier: bytes) -> Lasting | None:
        found = self._of.get(peer)
        is_found = found is not None and found.identifier == identifier and found.may_continue
        return found if is_found else None

    def resumable(self, peer: bytes) -> Lasting | None:
        found = self._of.get(peer)
        return found if found is not None and found.is_resumable else None

    def end(self, peer: bytes) -> None:
        """The app closes what is resumable, blocks the peer or leaves, or the peer has left."""
        found = self.resumable(peer)
        if found is not None:
            found.end()

    @property
    def deadline(self) -> int | None:
        return min((time for lasting in self for time in _times(lasting)), default=None)

    def expire(self, now: int) -> None:
        """The grace time is over, or a message is stalled while others wait ([R13.5-5])."""
        for lasting in self:
            if lasting.ends_at is not None and now >= lasting.ends_at:
                lasting.end()
            elif lasting.is_resumable and lasting.association.is_stalled(now):
                lasting.end()


def _times(lasting: Lasting) -> Iterable[int]:
    if lasting.ends_at is not None:
        yield lasting.ends_at
        if lasting.association.incoming.deadline is not None:
            yield lasting.association.incoming.deadline
