"""What ended a connection to a member (SPEC §14.9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..errors import ErrorCode
from ..invitation import CancelReason, DeclineReason


class Departure(StrEnum):
    """The table of R14.9-2."""

    LEFT = "left"
    CLOSED = "closed"
    LOST = "lost"
    REPLACED = "replaced"
    REFUSED = "refused"
    MISBEHAVED = "misbehaved"
    FAILED = "failed"


#: Codes that tell of a verdict, whoever gave it.
VERDICTS = frozenset({0x10, 0x11, 0x12, 0x13, 0x15})
_LOST = frozenset({ErrorCode.HANDSHAKE_TIMEOUT, ErrorCode.INVITATION_TIMEOUT, ErrorCode.SILENT})


@dataclass(frozen=True)
class End:
    """How a link ended.

    `code` is of CLOSE, or of an error that this side found; None is the end of the stream, or a deadline while closing.
    `in_frame`: this side found it in the frames of a record that verifies. `proved`: the peer's PROOF was verified.
    """

    code: int | None = None
    by_peer: bool = False
    in_frame: bool = False
    proved: bool = True
    decline: int | None = None
    cancel: int | None = None
    by_app: bool = False


def departure_of(end: End, says_left: bool, has_other_link: bool) -> Departure:
    """`says_left`: the member's own entry says so; `has_other_link`: one that is open or under way takes the place."""
    if not end.proved:
        return Departure.LOST
    if end.decline == DeclineReason.SUPERSEDED or end.code == ErrorCode.DUPLICATE_LINK:
        return Departure.REPLACED if has_other_link else Departure.LOST
    if end.decline is not None:
        lost = end.decline in (DeclineReason.BUSY, DeclineReason.TIMEOUT)
        return Departure.LOST if lost else Departure.REFUSED
    if end.cancel is not None:
        return Departure.LOST if end.cancel == CancelReason.TIMEOUT else Departure.REFUSED
    if says_left:
        return Departure.LEFT
    if end.by_app:
        return Departure.CLOSED
    return _by_code(end)


def _by_code(end: End) -> Departure:
    if end.code is None or end.code in _LOST:
        return Departure.LOST
    if end.code in VERDICTS:
        return Departure.REFUSED
    if end.by_peer:
        closed = end.code in (ErrorCode.NO_ERROR, ErrorCode.SHUTTING_DOWN)
        return Departure.CLOSED if closed else Departure.FAILED
    in_frame = end.in_frame and end.code != ErrorCode.UNEXPECTED_IDENTITY
    return Departure.MISBEHAVED if in_frame else Departure.LOST
