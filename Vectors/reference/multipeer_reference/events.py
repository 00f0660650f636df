"""What a link reports to its app. An event with a `token` is a question, answered by `Link.resolve`.

Those of `PathEvent` are of the path beside a live link.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ErrorCode
from .files import FileOffer
from .pathevents import DatagramReceived, PathEvent
from .verificationevents import CodeBurned, PeerVerified, StringReady, StringWanted, VerificationEvent


@dataclass(frozen=True)
class Refused:
    """REFUSAL went or came (SPEC §7.5)."""

    code: int
    versions: tuple[int, ...]
    suites: tuple[int, ...]
    by_us: bool


@dataclass(frozen=True)
class Secured:
    """Split() has happened; nobody is proved yet (SPEC §9.3)."""

    version: int
    suite: int
    handshake_hash: bytes


@dataclass(frozen=True)
class Identified:
    """The peer is proved and has shown its name (SPEC §8.1, §9.5)."""

    identity_key: bytes
    display_name: str
    maximum_message: int
    features: tuple[int, ...] = ()


@dataclass(frozen=True)
class InvitationReceived:
    """`session` is the identifier of `charter`; both are to be passed on byte by byte (SPEC §4.3)."""

    token: int
    session: bytes
    charter: bytes
    session_kind: int
    preference: int
    identity_kind: int
    timeout: int
    context: bytes


@dataclass(frozen=True)
class InvitationAnswered:
    """ACCEPT went or came."""

    session: bytes
    charter: bytes
    outcome: int
    peer_preference: int
    by_us: bool


@dataclass(frozen=True)
class InvitationDeclined:
    reason: int
    detail: bytes
    by_us: bool


@dataclass(frozen=True)
class InvitationCancelled:
    reason: int
    by_us: bool


@dataclass(frozen=True)
class CertificatesReceived:
    """The binding is verified; the app judges key, name and chain (SPEC §10.5)."""

    token: int
    identity_key: bytes
    display_name: str
    chain: tuple[bytes, ...]


@dataclass(frozen=True)
class Opened:
    session: bytes
    charter: bytes
    outcome: int


@dataclass(frozen=True)
class Resumed:
    """The link has opened by RESUMED, and continues this association (SPEC §13.9)."""

    association: bytes


@dataclass(frozen=True)
class Interrupted:
    """The link has ended, and this association can be resumed (SPEC §13.9)."""

    association: bytes


@dataclass(frozen=True)
class LifeShown:
    """PONG has come for the PING that asked whether the peer lives ([R8.7-7])."""


@dataclass(frozen=True)
class MessageReceived:
    data: bytes


@dataclass(frozen=True)
class MessageEnded:
    """What is known of a message of ours: delivered, not sent, or in doubt ([R13.6-3])."""

    tag: object
    result: str


@dataclass(frozen=True)
class StreamStarted:
    """STREAM_OPEN of ours goes, under this number."""

    id: int
    name: str


@dataclass(frozen=True)
class StreamOpened:
    """The peer opened a stream."""

    id: int
    name: str


@dataclass(frozen=True)
class StreamReadable:
    id: int


@dataclass(frozen=True)
class StreamEnded:
    """The peer's direction has ended: complete, after its last byte, or by STREAM_RESET with a code."""

    id: int
    is_complete: bool
    code: int | None


@dataclass(frozen=True)
class StreamStopped:
    """The peer does not want our direction; it is given up."""

    id: int
    code: int


@dataclass(frozen=True)
class FileStarted:
    """FILE_OFFER of ours goes, under this number."""

    id: int
    name: str


@dataclass(frozen=True)
class FileOffered:
    """The app accepts, or cancels."""

    id: int
    offer: FileOffer


@dataclass(frozen=True)
class HashWanted:
    """The peer holds a beginning of our file; the app hashes its own first `length` bytes."""

    id: int
    length: int


@dataclass(frozen=True)
class FileDataReceived:
    """Not verified yet: the hash comes at the end."""

    id: int
    data: bytes


@dataclass(frozen=True)
class FileReceived:
    """Size and hash are right; the app stores the file and says so."""

    id: int
    sha256: bytes


@dataclass(frozen=True)
class FileAccepted:
    """The peer takes our file from `offset` on; the app may supply its data."""

    id: int
    offset: int


@dataclass(frozen=True)
class FileWanted:
    """From `offset` on the peer takes bytes of our file, and none that were supplied wait."""

    id: int
    offset: int
    maximum: int


@dataclass(frozen=True)
class FileDelivered:
    """FILE_DONE came: the peer has stored our file."""

    id: int


@dataclass(frozen=True)
class FileCancelled:
    """A file, ours (`sending`) or the peer's, ended early."""

    id: int
    sending: bool
    reason: int
    by_us: bool


@dataclass(frozen=True)
class Admitted:
    """We have become a member of the session."""

    chain: tuple


@dataclass(frozen=True)
class OwnEntrySigned:
    """It goes to all neighbours. Without a place in the roster others do not hear of us ([R14.4-3])."""

    entry: object
    has_place: bool


@dataclass(frozen=True)
class FirstEntry:
    """The first own entry of a newcomer of ours that is kept: it goes to all other neighbours ([R14.6-7])."""

    peer: bytes
    entry: object


@dataclass(frozen=True)
class EntryKept:
    """The roster has a new or greater entry of another member."""

    entry: object


@dataclass(frozen=True)
class MemberContradicts:
    """This member has signed two entries for one place ([R14.4-2])."""

    member: bytes


@dataclass(frozen=True)
class TwinSuspected:
    """Another program seems to use our identity (SPEC §14.7, §14.9)."""


@dataclass(frozen=True)
class SessionsUnited:
    """The home of the group was another session, and is this lesser one (SPEC §14.11)."""

    session: bytes


@dataclass(frozen=True)
class StaysApart:
    """The group has followed too often, and does not follow into this session ([R14.11-4])."""

    session: bytes


SessionEvent = (
    Admitted | OwnEntrySigned | FirstEntry | EntryKept | MemberContradicts | TwinSuspected | SessionsUnited | StaysApart
)


@dataclass(frozen=True)
class PathBegan:
    """Both DATAGRAMS have gone (SPEC §26.2). `port` is that of the responder, for an initiator."""

    port: int | None


@dataclass(frozen=True)
class Closed:
    """The last event.

    `error` is what we found; `peer_code` what the peer's CLOSE said, None if none came; `outcome` one of the
    names of SPEC §18, of the first thing that ended the link: an error, a code of the peer's or `no_error` among them.
    """

    outcome: str
    error: ErrorCode | None = None
    detail: str = ""
    peer_code: int | None = None
    unfinished_message: bool = False


Event = (
    Refused | Secured | Identified | VerificationEvent | InvitationReceived | InvitationAnswered | InvitationDeclined
    | InvitationCancelled | CertificatesReceived | Opened | Resumed | Interrupted | LifeShown | MessageReceived | MessageEnded
    | StreamStarted | StreamOpened | StreamReadable | StreamEnded | StreamStopped | FileStarted | FileOffered | HashWanted
    | FileDataReceived | FileReceived | FileAccepted | FileWanted | FileDelivered | FileCancelled | SessionEvent | PathBegan
    | PathEvent | Closed
)
