"""What a link reports to its app of SPEC §25; `events` has all of its events."""

from __future__ import annotations

from dataclasses import dataclass

from .verification import Means


@dataclass(frozen=True)
class StringWanted:
    """The remote person wants to compare short strings (SPEC §25.6)."""


@dataclass(frozen=True)
class StringReady:
    """What both screens show, and two persons compare (SPEC §25.3)."""

    digits: str
    words: tuple[str, str, str]


@dataclass(frozen=True)
class CodeBurned:
    """The code of this link's attempt is good for no other one, whatever comes of it (SPEC §25.5)."""

    number: int


@dataclass(frozen=True)
class PeerVerified:
    """The app pins this key."""

    identity_key: bytes
    means: Means


VerificationEvent = StringWanted | StringReady | CodeBurned | PeerVerified
