"""The attempt of one link at a one-time code: the state *pairing* (SPEC §25.4 to §25.7)."""

from __future__ import annotations

from enum import Enum, auto

from . import cpace
from .codes import ATTEMPT, Attempt
from .core import Core, State
from .cpace import PRESENTER, TYPIST, Message
from .errors import ErrorCode, MisuseError, ProtocolError, unexpected
from .events import CodeBurned, PeerVerified
from .frames import Frame, FrameType
from .onetimecode import OneTimeCode
from .verification import Begin, Bytes, Means

#: AD of CODE_ANSWER (SPEC §25.5): an empty list of fields.
_ANSWER_DATA = Bytes(b"").associated_data


class Stage(Enum):
    """How far the only attempt of a link has come ([R25.6-7])."""

    NONE = auto()
    TYPED = auto()  # CODE_BEGIN went
    CONFIRMED = auto()  # as typist: CODE_ANSWER came, and CODE_CONFIRM went
    ANSWERED = auto()  # as presenter: CODE_ANSWER went
    OVER = auto()


class Pairing:
    """Holds the secrets of CPace only while the attempt is under way."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.stage = Stage.NONE
        self._given: OneTimeCode | None = None  # as typist, until it is burned
        self._attempt: Attempt | None = None  # as presenter
        self._side: cpace.Side | None = None
        self._has_crossed = False  # a void CODE_BEGIN came
        core.before_closing = self._end

    @property
    def awaits_answer(self) -> bool:
        """An INVITE or CODE_BEGIN of the peer can cross our CODE_BEGIN until then."""
        return self.stage is Stage.TYPED

    # Our person

    def give(self, text: bytes) -> None:
        core = self._core
        code = OneTimeCode.typed(text)  # [R25.4-1]
        core.require_verification()
        if core.state is not State.IDENTIFIED or self.stage is not Stage.NONE:
            raise MisuseError("a code can be given once, before an invitation")
        core.config.codes.give(code, core.now)
        self._given = code
        begin = Begin(b"", code.number)
        self._side = self._make_side(TYPIST, code, begin.associated_data)
        begin = Begin(self._side.message.share, code.number)
        core.send(FrameType.CODE_BEGIN, begin.encode())
        self._enter(Stage.TYPED)

    def _enter(self, stage: Stage) -> None:
        """Counted from CODE_BEGIN, sent or received ([R25.6-8])."""
        self.stage = stage
        self._core.enter(State.PAIRING, ATTEMPT)

    def _make_side(self, role: bytes, code: OneTimeCode, data: bytes) -> cpace.Side:
        core = self._core
        assert core.peer_key is not None
        own, peer = core.config.identity.public, core.peer_key
        channel = cpace.channel(own, peer) if role == TYPIST else cpace.channel(peer, own)
        sid = cpace.session_identifier(core.exporter_secret)
        return cpace.Side(role, code.normal_form.encode(), channel, sid, data, core.random(32))  # [R25.5-1]

    # Frames

    def handle(self, frame: Frame) -> None:
        """The table of SPEC §25.7; what it does not list is unexpected ([R25.7-1])."""
        if self._core.peer_invited:
            raise unexpected(f"{frame.name} behind INVITE")
        match self._core.state, self.stage, frame.type:
            case State.IDENTIFIED, Stage.NONE, FrameType.CODE_BEGIN:
                self._answer(frame)
            case State.INVITING, Stage.NONE, FrameType.CODE_BEGIN:
                Begin.decode(frame.payload)
                self._refuse("it crossed INVITE")
            case State.PAIRING, Stage.TYPED, FrameType.CODE_BEGIN if not self._has_crossed:
                self._receive_crossing(frame)
            case State.PAIRING, Stage.TYPED, FrameType.CODE_ANSWER:
                self._receive_answer(frame)
            case State.PAIRING, Stage.CONFIRMED, FrameType.CODE_CONFIRM:
                self._conclude(Bytes.decode(frame.payload).content)
            case State.PAIRING, Stage.ANSWERED, FrameType.CODE_CONFIRM:
                self._judge(frame)
            case state, stage, _:
                raise unexpected(f"{frame.name} in {state.name.lower()}, {stage.name.lower()}")

    def _receive_crossing(self, frame: Frame) -> None:
        """Both typed: that of the lesser key wins ([R25.7-2])."""
        if self._core.is_lesser:
            Begin.decode(frame.payload)
            self._has_crossed = True
        else:
            self._answer(frame)

    # The presenter

    def _answer(self, frame: Frame) -> None:
        """A code of ours that crossed is void, and burns nothing."""
        core = self._core
        begin = Begin.decode(frame.payload)
        self._release()
        self._attempt = core.config.codes.begin(begin.number, core.now)
        if self._attempt is None:
            self._refuse("no code of this number is shown")
            return
        self._side = self._make_side(PRESENTER, self._attempt.code, _ANSWER_DATA)
        self._side.receive(Message(begin.share, frame.payload[32:]))
        core.send(FrameType.CODE_ANSWER, Bytes(self._side.message.share).encode())
        self._enter(Stage.ANSWERED)

    def _refuse(self, detail: str) -> None:
        """Nothing is burned ([R25.6-6]), and nobody has broken a rule: it is no fault in a frame (SPEC §14.9)."""
        self._core.fail(ProtocolError(ErrorCode.CODE_UNAVAILABLE, detail))

    def _judge(self, frame: Frame) -> None:
        """The code is burned before anybody looks ([R25.5-5]); ours goes after theirs ([R25.5-4])."""
        core, codes = self._core, self._core.config.codes
        assert self._attempt is not None and self._side is not None
        if not codes.guess(self._attempt):
            raise ProtocolError(ErrorCode.CODE_UNAVAILABLE, "the code was guessed at on another link")
        core.emit(CodeBurned(self._attempt.code.number))
        try:
            self._side.check(Bytes.decode(frame.payload).content)
        except ProtocolError:
            codes.was_wrong()
            raise
        core.send(FrameType.CODE_CONFIRM, Bytes(self._side.confirmation).encode())
        self._succeed()

    # The typist

    def _receive_answer(self, frame: Frame) -> None:
        """[R25.5-6]."""
        core = self._core
        assert self._side is not None and self._given is not None
        answer = Bytes.decode(frame.payload)
        self._side.receive(Message(answer.content, frame.payload[32:]))
        core.config.codes.burn_given(self._given, core.now)
        core.emit(CodeBurned(self._given.number))
        self._given = None
        core.send(FrameType.CODE_CONFIRM, Bytes(self._side.confirmation).encode())
        self.stage = Stage.CONFIRMED

    def _conclude(self, confirmation: bytes) -> None:
        assert self._side is not None
        self._side.check(confirmation)  # [R25.5-3]
        self._succeed()

    # The end of the attempt

    def _succeed(self) -> None:
        """Both keys are verified. *Identified* has its whole deadline."""
        core = self._core
        assert core.peer_key is not None
        self._end()
        core.enter(State.IDENTIFIED, core.config.deadlines.invitation)
        core.emit(PeerVerified(core.peer_key, Means.CODE))

    def _end(self) -> None:
        """Also with the link. What was not burned its owner still has ([R25.6-8])."""
        self._release()
        self.stage = Stage.OVER

    def _release(self) -> None:
        codes = self._core.config.codes
        if self._given is not None:
            codes.return_given(self._given)
        self._given = self._attempt = self._side = None
