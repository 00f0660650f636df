"""What a node asks of the owner of its links, and what it reports to its app (SPEC §8.7, §14.8, §14.9)."""

from __future__ import annotations

from dataclasses import dataclass

from .invitation import DeclineReason
from .config import InviteRequest
from .session.departures import Departure, End
from .session.entries import Address


@dataclass(frozen=True)
class Dial:
    """Open a link to this address, with `member` as the expected peer."""

    member: bytes
    address: Address


@dataclass(frozen=True)
class SendInvite:
    link: object
    request: InviteRequest


@dataclass(frozen=True)
class Accept:
    """Answer the INVITE of this link without asking the app."""

    link: object


@dataclass(frozen=True)
class DeclineWith:
    link: object
    reason: DeclineReason


@dataclass(frozen=True)
class CloseLink:
    """`end`: what the end of the link is then."""

    link: object
    code: int
    end: End


@dataclass(frozen=True)
class AskForLife:
    """PING, on an open link; without a record it ends 2 s later ([R8.7-7])."""

    link: object


@dataclass(frozen=True)
class Judge:
    """Ask for the verdict, and send READY or CLOSE ([R8.7-8])."""

    link: object


@dataclass(frozen=True)
class SendResume:
    """For the association with the peer that the link expects (SPEC §13.9)."""

    link: object


Command = Dial | SendInvite | SendResume | Accept | DeclineWith | CloseLink | AskForLife | Judge


@dataclass(frozen=True)
class Asked:
    """An INVITE that the app answers: `accept` or `decline` of the node."""

    link: object
    key: bytes
    session: bytes


@dataclass(frozen=True)
class TakenPlaceOf:
    """The app was asked about `former`; `link` has taken its place, by a new INVITE of the same peer ([R8.7-5]) or because it
    has opened ([R8.7-3])."""

    link: object
    former: object


@dataclass(frozen=True)
class MemberSeen:
    """A new or greater entry of another member."""

    key: bytes
    presence: int


@dataclass(frozen=True)
class Connected:
    key: bytes


@dataclass(frozen=True)
class Reconnecting:
    """The link was lost, and the association is resumable (SPEC §14.9). *Connected* again, or *Departed*, follows."""

    key: bytes


@dataclass(frozen=True)
class Departed:
    key: bytes
    why: Departure


@dataclass(frozen=True)
class Contradiction:
    key: bytes


@dataclass(frozen=True)
class Ghost:
    """Another program uses our identity (SPEC §14.7, §14.9)."""


@dataclass(frozen=True)
class NoPlace:
    """Our entry is not among those that a full roster keeps (SPEC §14.4)."""


@dataclass(frozen=True)
class United:
    """The home has fallen to this session (SPEC §14.11)."""

    session: bytes


@dataclass(frozen=True)
class Apart:
    """The group has followed too often to follow into this session ([R14.11-4])."""

    session: bytes


NodeEvent = (
    Asked | TakenPlaceOf | MemberSeen | Connected | Reconnecting | Departed | Contradiction | Ghost | NoPlace | United | Apart
)
