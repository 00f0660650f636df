"""What the parts of a link share: state, channel, events, questions and deadlines (SPEC §17)."""

from __future__ import annotations

from enum import Enum, auto
from typing import Callable

from . import errors, exporter, policy
from .channel import Channel
from .closing import Close
from .config import Config
from .datagrams.frames import FEATURE as DATAGRAMS
from .errors import ErrorCode, MisuseError, Outcome, ProtocolError
from .events import Closed, Event
from .charter import Charter
from .frames import OPEN_TYPES, VERIFICATION_TYPES, Frame, FrameType
from .invitation import PeerInfo
from .proofs import Role
from .verification import FEATURE


class State(Enum):
    """The states of SPEC §17."""

    HELLO = auto()
    PROOF = auto()
    INFO = auto()
    IDENTIFIED = auto()
    PAIRING = auto()
    INVITED = auto()
    INVITING = auto()
    RESUMING = auto()
    CERTIFICATES = auto()
    OPEN = auto()
    CLOSING = auto()
    CLOSED = auto()


class Core:
    """Shared by opening, invitation, judgement and payload of one link; holds no rule of its own but closing."""

    def __init__(self, config: Config, role: Role, random: Callable[[int], bytes], now: int) -> None:
        self.config = config
        self.role = role
        self.random = random
        self.now = now
        self.state = State.HELLO
        self.channel = Channel()
        self.events: list[Event] = []
        self._closing_until = 0
        self.handshake_until = now + config.deadlines.handshake
        self.state_deadline: int | None = self.handshake_until
        self.invite_deadline: int | None = None
        self.handshake_hash = b""
        self.peer_key: bytes | None = None  # proved
        self.peer_info: PeerInfo | None = None
        self.peer_invited = False  # its INVITE came
        self.own_info = self.peer_info_frame = b""  # the whole frames, for the transcript (SPEC §10.3)
        self.exporter_key = self.exporter_secret = b""  # x, and what is made of it once both are proved (SPEC §9.8)
        self.charter: Charter | None = None
        self.session_kind = 0  # of the INVITE that wins, and whether it is ours
        self.invited = False
        self._rekeyed = now  # when our direction got its key: Split() or our last REKEY
        self.policy: policy.Outcome | None = None
        self.local_outcome: Outcome | None = None
        self.was_open = False
        self.close_sent: int | None = None
        self.peer_code: int | None = None
        self.ended_by: int | None = None  # the code of the first CLOSE, sent or received
        self.error: ErrorCode | None = None
        self.error_detail = ""
        self.fault_in_frame = False  # of the peer, once it was proved (SPEC §14.9)
        self.has_unfinished_message: Callable[[], bool] = lambda: False
        self.before_end: Callable[[], None] = lambda: None
        self.before_closing: Callable[[], None] = lambda: None  # CLOSE goes, or the stream is over without it
        self._questions: dict[int, str] = {}
        self._tokens = 0

    @property
    def deadline(self) -> int | None:
        """The earlier of both deadlines ([R19-3])."""
        return min((d for d in (self.state_deadline, self.invite_deadline) if d is not None), default=None)

    def enter(self, state: State, deadline: int | None) -> None:
        """`deadline` in milliseconds from now; None is for *open* alone."""
        self.state = state
        self.state_deadline = None if deadline is None else self.now + deadline

    def emit(self, event: Event) -> None:
        self.events.append(event)

    def send(self, type_: FrameType, payload: bytes = b"") -> Frame:
        frame = Frame(type_, payload)
        self.queue(frame)
        return frame

    def knows(self, frame: Frame) -> bool:
        """The frames of a feature are known to a peer that lists it ([R25.6-2], SPEC §6.3)."""
        if frame.type in VERIFICATION_TYPES:
            return FEATURE in self.config.features
        if frame.type == FrameType.DATAGRAMS:
            return DATAGRAMS in self.config.features
        return frame.is_known

    def require_verification(self) -> None:
        """Frames of SPEC §25 go to no peer that does not know them ([R8.1-5])."""
        if FEATURE not in self.config.features:
            raise MisuseError("the local peer does not list the feature verification")
        if not self.peer_verifies:
            raise MisuseError("the peer does not list the feature verification")

    @property
    def peer_verifies(self) -> bool:
        return self.peer_info is not None and FEATURE in self.peer_info.features

    def queue(self, frame: Frame) -> None:
        """A key that is ten minutes old is replaced before frames of an open link ([R12.6-5])."""
        if frame.type in OPEN_TYPES and self.now - self._rekeyed >= self.config.deadlines.rekey:
            self.rekey()
        self.channel.queue(frame)

    def rekey(self) -> None:
        """REKEY (SPEC §12.6)."""
        self.channel.queue(Frame(FrameType.REKEY, b"\x00"))
        self._rekeyed = self.now

    def secured(self) -> None:
        """Split() has happened."""
        self.state = State.PROOF
        self._rekeyed = self.now

    def proved(self, peer: bytes) -> None:
        """The peer's PROOF is verified. x becomes the exporter secret ([R9.8-2])."""
        self.peer_key = peer
        self.exporter_secret = exporter.exporter_secret(self.exporter_key, self.handshake_hash, *self.identity_keys)
        self.exporter_key = b""

    @property
    def identity_keys(self) -> tuple[bytes, bytes]:
        """The initiator's, and the responder's."""
        assert self.peer_key is not None
        own = self.config.identity.public
        return (own, self.peer_key) if self.role is Role.INITIATOR else (self.peer_key, own)

    @property
    def is_lesser(self) -> bool:
        """Whether our identity key is the lesser one (SPEC §4.3)."""
        assert self.peer_key is not None
        return self.config.identity.public < self.peer_key

    def ask(self, topic: str) -> int:
        """A token for a question to the app."""
        self._tokens += 1
        self._questions[self._tokens] = topic
        return self._tokens

    def answered(self, token: int) -> str | None:
        """The topic, once: an answer that is late or second changes nothing ([R10.5-1])."""
        return self._questions.pop(token, None)

    def restore(self, token: int, topic: str) -> None:
        """The answer was no answer to this question, so it stays."""
        self._questions[token] = topic

    def withdraw(self, token: int | None) -> None:
        if token is not None:
            self._questions.pop(token, None)

    def withdraw_all(self) -> None:
        self._questions.clear()

    def close(self, code: int) -> None:
        """Sends CLOSE as our last frame and waits for the peer's (SPEC §16.1)."""
        if self.close_sent is not None:
            return
        self.before_closing()
        self.send(FrameType.CLOSE, Close(code).encode())
        self.close_sent = code
        if self.ended_by is None:
            self.ended_by = code
        if code != ErrorCode.NO_ERROR:
            self.before_end()  # what it reports is settled, and it hands out nothing more ([R16.3-1])
        self.withdraw_all()
        self.invite_deadline = None
        self._closing_until = self.now + self.config.deadlines.closing_in_all
        self.enter(State.CLOSING, self.config.deadlines.closing)

    def record_came(self) -> None:
        """In *closing* each record gives the peer more time, within bounds (SPEC §19)."""
        if self.state is State.CLOSING:
            self.state_deadline = min(self._closing_until, self.now + self.config.deadlines.closing)

    def ends_by(self, outcome: Outcome) -> None:
        """Notes why, if nothing has been noted yet."""
        self.local_outcome = self.local_outcome or outcome

    def fail(self, error: ProtocolError) -> None:
        """SPEC §16.3: CLOSE with the code once Split() has happened, nothing before; after CLOSE of an error, nothing."""
        if self.close_sent not in (None, ErrorCode.NO_ERROR):
            return
        if self.close_sent is not None and not self.was_open:
            self.finish()  # what is reported is settled ([R16.3-1])
            return
        if self.error is None:
            self.error, self.error_detail = error.code, error.detail
        if self.close_sent is not None or not self.channel.is_secured:
            self.finish()
        else:
            self.close(error.code)

    def finish(self, outcome: Outcome | None = None) -> None:
        """The stream is over for us."""
        if self.state is State.CLOSED:
            return
        self.before_closing()
        self.state = State.CLOSED
        self.state_deadline = self.invite_deadline = None
        self.exporter_key = self.exporter_secret = b""
        self.withdraw_all()
        self.before_end()
        self.emit(Closed(self._name_of_end(outcome), self.error, self.error_detail, self.peer_code, self.has_unfinished_message()))

    def _name_of_end(self, outcome: Outcome | None) -> str:
        """An error of ours that came to light comes first (SPEC §16.3), then why we closed, then the peer's code."""
        if self.error:
            return errors.name(self.error)
        if self.local_outcome:
            return self.local_outcome.value
        if self.close_sent:  # a code of the app's, on an open link: nothing that comes later counts ([R16.3-1])
            return errors.name(ErrorCode.NO_ERROR)
        if self.peer_code:
            return errors.name(self.peer_code)
        return outcome.value if outcome else errors.name(ErrorCode.NO_ERROR)
