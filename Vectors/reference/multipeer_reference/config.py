"""What an app decides before and during a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable

from . import kem
from .association.keepalive import KeepAliveTimes
from .association.pools import Pools
from .certificates import Credential
from .charter import Charter
from .codes import Codes, Comparisons
from .ed25519 import SigningKey
from .errors import ErrorCode
from .fields import Field
from .hello import DRAFT_04, SUITES, Extension
from .invitation import CHAIN, DeclineReason, SessionKind
from .policy import Preference
from .session.admissions import Chain, encode_chain
from .session.member import Membership

if TYPE_CHECKING:
    from .lasting import Associations


@dataclass(frozen=True)
class Deadlines:
    """Milliseconds (SPEC §19); *closing* lasts `closing` without a record, and `closing_in_all` at most."""

    handshake: int = 10_000
    invitation: int = 60_000
    certificates: int = 60_000
    closing: int = 5_000
    closing_in_all: int = 60_000
    rekey: int = 600_000  # how long a direction keeps its key while there is something to send ([R12.6-5])


@dataclass(frozen=True)
class Config:
    """One peer of a link. With `grease` the initiator's hello holds random GREASE values ([R7.4-1]).

    With `shows_name_to` a responder shows its name to these identity keys alone ([R8.1-6]).
    """

    identity: SigningKey
    display_name: str
    maximum_message: int = 1 << 20
    preference: Preference = Preference.REQUIRED
    credential: Credential | None = None
    expected_peer: bytes | None = None
    versions: tuple[int, ...] = (DRAFT_04,)
    suites: tuple[int, ...] = SUITES
    #: Of a responder that has chosen a hybrid suite: secret and ciphertext for an encapsulation key (SPEC §7.6).
    encapsulate: Callable[[bytes], tuple[bytes, bytes]] = kem.encapsulate
    extensions: tuple[Extension, ...] = ()
    grease: bool = True
    busy: bool = False
    features: tuple[int, ...] = ()
    #: At which a responder takes datagrams; without it, it sends no DATAGRAMS (SPEC §26.2).
    datagram_port: int | None = None
    info_fields: tuple[Field, ...] = ()
    shows_name_to: frozenset[bytes] | None = None
    deadlines: Deadlines = Deadlines()
    #: Without times the link answers PING, and sends none (SPEC §13.7).
    keep_alive: KeepAliveTimes | None = None
    pools: Pools | None = None
    takes_at_once: bool = True  # what was handed out counts as taken by the app
    wall_offset: int = 0  # what makes `now` milliseconds since 1970, for instances
    stays_guest: bool = False  # in both roles; the link then needs nothing of SPEC §14 ([R14.5-5])
    #: Whether an initiator continues with this peer; of several links to one only the first does ([R14.8-7]).
    goes_on: Callable[[bytes], bool] = lambda peer: True
    #: Of all links of a process that list the feature *verification* (SPEC §25).
    codes: Codes = field(default_factory=Codes, compare=False)
    comparisons: Comparisons = field(default_factory=Comparisons, compare=False)
    associations: Associations | None = None  # of the group; without them no association outlives its link (SPEC §13.9)
    is_within_host: bool = False  # the link does not leave this host ([R14.8-4])
    membership: Callable[[Charter], Membership] | None = None  # of a node; a link alone has one of its own


@dataclass(frozen=True)
class Terms:
    """On what terms the local peer takes part in one session."""

    preference: Preference
    credential: Credential | None = None


@dataclass(frozen=True)
class InviteRequest:
    """An app invites; `timeout` in milliseconds; without `terms` on those of Config.

    `charter` is that of a session which exists already, and `chain` our own there; without them a new session with
    `parameters` is founded (SPEC §4.3). `is_of_members`: an invitation between members (SPEC §14.8). `is_new`: `charter` is
    that of a session which is founded for this invitation.
    """

    charter: Charter | None = None
    timeout: int = 30_000
    context: bytes = b""
    fields: tuple[Field, ...] = ()
    terms: Terms | None = None
    parameters: tuple[Field, ...] = ()
    chain: Chain = ()
    is_of_members: bool = False
    is_new: bool = False

    @property
    def kind(self) -> SessionKind:
        if self.charter is None or self.is_new:
            return SessionKind.NEW
        return SessionKind.MEMBERS if self.is_of_members else SessionKind.EXISTING

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """With the chain in its place ([R8.2-7])."""
        if self.kind is SessionKind.NEW:
            return self.fields
        chain = Field(CHAIN, encode_chain(self.chain))
        return tuple(sorted((chain, *self.fields), key=lambda field: field.type))


@dataclass(frozen=True)
class AcceptInvitation:
    """Answers InvitationReceived."""

    terms: Terms | None = None


@dataclass(frozen=True)
class DeclineInvitation:
    """Answers InvitationReceived."""

    reason: DeclineReason = DeclineReason.DECLINED


@dataclass(frozen=True)
class Verdict:
    """Answers CertificatesReceived: NO_ERROR is *accepted*, otherwise a code of 0x10–0x15 ([R10.5-2])."""

    code: ErrorCode


Decision = AcceptInvitation | DeclineInvitation | Verdict
