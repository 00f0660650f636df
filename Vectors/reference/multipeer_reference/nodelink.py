"""What a node knows of one link, and of the INVITEs that its app has accepted (SPEC §8.2, §8.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .fields import Field
from .invitation import DeclineReason, Invite
from .session.entries import Address
from .session.exchange import Exchange


class Stage(IntEnum):
    """How far a link has come."""

    IDENTIFIED = 0
    INVITING = 1
    INVITED = 2
    AGREED = 3
    OPEN = 4


@dataclass
class NodeLink:
    """`invite` is the one that counts, of either peer. `exchange` is there once the link is open."""

    id: object
    key: bytes
    dialled: bool
    stage: Stage = Stage.IDENTIFIED
    invite: Invite | None = None
    by_us: bool = False
    invited_at: int = 0  # when INVITE came, or went
    asks: bool = False  # the app has been asked
    is_replaced: bool = False  # the app has heard that another link has taken the place of this question
    is_accepted: bool = False  # by the app, while the INVITE waits
    waits: bool = False  # for the end of an open link ([R8.7-7])
    certificates_at: int | None = None  # when CERTIFICATES came
    judged_at: int | None = None  # when the verdict was asked for, and READY went
    is_silent: bool = False  # CLOSE of *silent* went
    declined_with: DeclineReason | None = None
    exchange: Exchange | None = None
    closed_by_us: int | None = None
    resumes: bool = False  # RESUME went, or RESUMED (SPEC §13.9)
    resumes_until: int | None = None  # how long RESUME waits for its answer
    reached: Address | None = None  # where this node dialled it
    is_interrupted: bool = False  # its association can be resumed, or has been

    @property
    def is_alive(self) -> bool:
        """The local peer has not given it up."""
        return self.closed_by_us is None and self.declined_with is None

    @property
    def is_open(self) -> bool:
        return self.stage is Stage.OPEN and self.is_alive and not self.is_silent and not self.is_interrupted

    @property
    def forbids_invite(self) -> bool:
        """[R8.7-2]."""
        is_under_way = self.stage in (Stage.INVITING, Stage.AGREED) and self.is_alive
        return is_under_way or self.is_open

    @property
    def awaits_judgement(self) -> bool:
        """CERTIFICATES have come, and nobody has been asked for the verdict."""
        is_there = self.certificates_at is not None and self.judged_at is None
        return is_there and self.stage is Stage.AGREED and self.is_alive

    def is_in(self, session: bytes) -> bool:
        """By a direction once it is open, and before by the INVITE that counts."""
        if self.exchange is None:
            return self.is_of(session)
        return session in (self.exchange.outgoing.session, self.exchange.incoming.session)

    def is_of(self, session: bytes) -> bool:
        return self.invite is not None and self.invite.charter.identifier == session


@dataclass(frozen=True)
class _Accepted:
    context: bytes
    parameters: tuple[Field, ...]
    until: int


class AcceptedInvites:
    """By the app, of each peer: they answer an equal INVITE that comes before their time is over ([R8.2-10])."""

    def __init__(self) -> None:
        self._of: dict[bytes, list[_Accepted]] = {}

    def add(self, held: NodeLink) -> None:
        assert held.invite is not None
        parameters, until = held.invite.charter.parameters, held.invited_at + held.invite.timeout
        self._of.setdefault(held.key, []).append(_Accepted(held.invite.context, parameters, until))

    def answers(self, held: NodeLink, now: int) -> bool:
        assert held.invite is not None
        lasting = [accepted for accepted in self._of.get(held.key, ()) if now < accepted.until]
        self._of[held.key] = lasting
        asked = held.invite.context, held.invite.charter.parameters
        return any((accepted.context, accepted.parameters) == asked for accepted in lasting)

    def forget(self, key: bytes) -> None:
        self._of.pop(key, None)

    def forget_all(self) -> None:
        self._of.clear()
