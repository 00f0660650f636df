"""The encryption policy (SPEC §11)."""

from __future__ import annotations

from enum import IntEnum


class Preference(IntEnum):
    NONE = 0
    OPTIONAL = 1
    REQUIRED = 2


class Outcome(IntEnum):
    READABLE = 0
    ENCRYPTED = 1


_N, _O, _R = Preference.NONE, Preference.OPTIONAL, Preference.REQUIRED

#: (inviter's, invitee's) preference to outcome; None is *refused*. Written out, to be compared with SPEC §11 by eye.
TABLE: dict[tuple[Preference, Preference], Outcome | None] = {
    (_N, _N): Outcome.READABLE,
    (_N, _O): Outcome.READABLE,
    (_N, _R): None,
    (_O, _N): Outcome.READABLE,
    (_O, _O): Outcome.ENCRYPTED,
    (_O, _R): Outcome.ENCRYPTED,
    (_R, _N): None,
    (_R, _O): Outcome.ENCRYPTED,
    (_R, _R): Outcome.ENCRYPTED,
}


def outcome(inviter: int, invitee: int) -> Outcome | None:
    """What both preferences give; None is *refused* (SPEC §11)."""
    return TABLE[Preference(inviter), Preference(invitee)]
