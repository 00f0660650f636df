"""The short string of one link: which peer sends what, and when (SPEC §25.3, §25.6)."""

from __future__ import annotations

from enum import Enum, auto

from . import shortstring
from .codes import Comparison
from .core import Core, State
from .errors import MisuseError, unexpected
from .events import PeerVerified, StringReady, StringWanted
from .frames import Frame, FrameType
from .proofs import Role
from .verification import Ask, Bytes, Means

#: From *identified* on, but not in *closing*.
STATES = (
    State.IDENTIFIED, State.PAIRING, State.INVITED, State.INVITING, State.RESUMING, State.CERTIFICATES, State.OPEN,
)


class Stage(Enum):
    """The stages of SPEC §25.6, of both peers."""

    IDLE = auto()
    ASKING = auto()
    COMMITTED = auto()
    ANSWERED = auto()
    DONE = auto()


class Comparing:
    """A link has at most one exchange."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.stage = Stage.IDLE
        self._was_asked = False  # STRING_ASK came
        self._comparison: Comparison | None = None  # once our person wants it
        self._is_confirmed = False
        self._nonce = self._commitment = b""

    # Our person

    def want(self) -> None:
        """Once; nothing that is under way continues without it ([R25.6-4])."""
        core = self._core
        core.require_verification()
        if core.state not in STATES or self._comparison:
            raise MisuseError("a comparison is not possible now")
        self._comparison = core.config.comparisons.begin(core.now)
        if core.role is Role.INITIATOR:
            self._nonce = core.random(32)  # [R25.3-1]
            core.send(FrameType.STRING_COMMIT, Bytes(self._link.commitment(self._nonce)).encode())
            self.stage = Stage.COMMITTED
        elif self.stage is Stage.IDLE:
            core.send(FrameType.STRING_ASK, Ask().encode())
            self.stage = Stage.ASKING
        else:
            self._answer()

    def confirm(self) -> None:
        """There is no way to confirm a string that is not on the screen."""
        core = self._core
        if self.stage is not Stage.DONE or core.state not in STATES or self._is_confirmed:
            raise MisuseError("there is no string to confirm")
        assert self._comparison is not None and core.peer_key is not None
        self._is_confirmed = True
        core.config.comparisons.confirmed(self._comparison)
        core.emit(PeerVerified(core.peer_key, Means.STRING))

    # Frames

    def handle(self, frame: Frame) -> None:
        """The table of SPEC §25.6; what it does not list is unexpected ([R25.6-3])."""
        match self._core.role, self.stage, frame.type:
            case Role.INITIATOR, Stage.IDLE | Stage.COMMITTED, FrameType.STRING_ASK if not self._was_asked:
                self._receive_ask(frame)
            case Role.INITIATOR, Stage.COMMITTED, FrameType.STRING_NONCE:
                self._receive_nonce(frame)
            case Role.RESPONDER, Stage.IDLE | Stage.ASKING, FrameType.STRING_COMMIT:
                self._receive_commitment(frame)
            case Role.RESPONDER, Stage.ANSWERED, FrameType.STRING_REVEAL:
                self._receive_revealed(frame)
            case role, stage, _:
                raise unexpected(f"{frame.name} at the {role.name.lower()}, who is {stage.name.lower()}")

    def _receive_ask(self, frame: Frame) -> None:
        """After our commitment it only crossed that."""
        Ask.decode(frame.payload)
        self._was_asked = True
        if self.stage is Stage.IDLE:
            self._core.emit(StringWanted())

    def _receive_commitment(self, frame: Frame) -> None:
        self._commitment = Bytes.decode(frame.payload).content
        if self.stage is Stage.ASKING:
            self._answer()
        else:
            self.stage = Stage.COMMITTED
            self._core.emit(StringWanted())

    def _answer(self) -> None:
        self._nonce = self._core.random(32)
        self._core.send(FrameType.STRING_NONCE, Bytes(self._nonce).encode())
        self.stage = Stage.ANSWERED

    def _receive_nonce(self, frame: Frame) -> None:
        """We reveal at once ([R25.6-5])."""
        nonce = Bytes.decode(frame.payload).content
        self._core.send(FrameType.STRING_REVEAL, Bytes(self._nonce).encode())
        self._tell(self._nonce, nonce)

    def _receive_revealed(self, frame: Frame) -> None:
        nonce = Bytes.decode(frame.payload).content
        self._link.check(self._commitment, nonce)  # [R25.3-2]
        self._tell(nonce, self._nonce)

    def _tell(self, initiator_nonce: bytes, responder_nonce: bytes) -> None:
        string = self._link.string(initiator_nonce, responder_nonce)
        self.stage = Stage.DONE
        self._core.emit(StringReady(string.digits, string.words))

    @property
    def _link(self) -> shortstring.Link:
        return shortstring.Link.of(self._core.exporter_secret, *self._core.identity_keys)
