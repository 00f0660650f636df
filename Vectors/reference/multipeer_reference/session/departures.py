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


#: Codes of a verdict, or of what people found when they verified, whichever peer gave it.
VERDICTS = frozenset({0x10, 0x11, 0x12, 0x13, 0x27, 0x28, 0x2A})
#: Lost, found or told: a failure of one peer's own, and every deadline.
_LOST = frozenset({
    ErrorCode.HANDSHAKE_TIMEOUT, ErrorCode.INVITATION_TIMEOUT, ErrorCode.VERDICT_TIMEOUT, ErrorCode.SILENT,
    ErrorCode.INTERNAL, ErrorCode.DUPLICATE_LINK,
})
_LOST_DECLINES = (DeclineReason.BUSY, DeclineReason.TIMEOUT)


@dataclass(frozen=True)
class End:
    """How a link ended.

    `code` is of CLOSE, or of an error that the local peer found; None is the end of the stream, or a deadline while
    closing. `by_app`: the local app closed it. `in_frame`: the local peer found it in the frames of a record that
    verifies. `proved`: the remote peer's PROOF was verified. `offends`: the local peer closed it after another link to the
    same peer had ended as misbehaved.
    """

    code: int | None = None
    by_peer: bool = False
    in_frame: bool = False
    proved: bool = True
    decline: int | None = None
    cancel: int | None = None
    by_app: bool = False
    offends: bool = False


def departure_of(end: End, says_left: bool, has_other_link: bool) -> Departure:
    """The first row that fits ([R14.9-2]).

    `says_left`: the member's own entry says so; `has_other_link`: another one to it is open or under way.
    """
    why = _by_end(end)
    if says_left:
        return Departure.LEFT
    if has_other_link and why is not Departure.MISBEHAVED:
        return Departure.REPLACED
    return why


def _by_end(end: End) -> Departure:
    """The rows that speak of the link alone. Before the member's PROOF nothing speaks for it, but the local app
    does."""
    if end.offends:
        return Departure.MISBEHAVED
    if end.by_app and end.decline is None and end.cancel is None:
        return Departure.CLOSED
    if not end.proved:
        return Departure.LOST
    if end.decline is not None:
        return Departure.LOST if end.decline in _LOST_DECLINES else Departure.REFUSED
    if end.cancel is not None:
        return Departure.LOST if end.cancel == CancelReason.TIMEOUT else Departure.REFUSED
    return _by_code(end)


def _by_code(end: End) -> Departure:
    if end.by_peer and end.code in (ErrorCode.NO_ERROR, ErrorCode.SHUTTING_DOWN):
        return Departure.CLOSED
    if end.code is None or end.code in _LOST:
        return Departure.LOST
    if end.code in VERDICTS:
        return Departure.REFUSED
    if end.by_peer:
        return Departure.FAILED
    if not end.in_frame:
        return Departure.LOST
    return Departure.FAILED if end.code == ErrorCode.UNSUPPORTED else Departure.MISBEHAVED
