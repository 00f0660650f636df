"""RESUME and its answer on one link (SPEC §13.9, §17)."""

from __future__ import annotations

from .core import Core, State
from .errors import ErrorCode, MisuseError, ProtocolError, malformed, unexpected
from .events import Resumed as ResumedEvent
from .frames import Frame, FrameType
from .invitation import Cancel, Decline, DeclineReason, Invite
from .inviting import Inviting
from .lasting import Lasting
from .policy import Outcome as Policy
from .proofs import Role
from .resume import Resume, Resumed
from .standing import Standing


class Resuming:
    def __init__(self, core: Core, inviting: Inviting, standing: Standing) -> None:
        self._core, self._inviting, self._standing = core, inviting, standing
        self._lasting: Lasting | None = None  # what is to be resumed here
        self._sent: Resume | None = None
        self.has_come = False  # RESUME of the peer, so that the link is no departure (SPEC §14.9)

    # By the initiator

    def resume(self, lasting: Lasting) -> None:
        """Sends RESUME, or waits until it may go: in place of INVITE ([R13.9-4])."""
        core = self._core
        may_wait = core.state in (State.HELLO, State.PROOF, State.INFO, State.IDENTIFIED)
        if core.role is not Role.INITIATOR or core.config.expected_peer != lasting.peer or not may_wait or self._lasting:
            raise MisuseError("this link cannot resume that association")
        self._lasting = lasting
        self.send_waiting()

    def send_waiting(self) -> None:
        core, lasting = self._core, self._lasting
        if lasting is None or self._sent or core.state not in (State.INFO, State.IDENTIFIED):
            return
        if not lasting.may_continue:
            core.close(ErrorCode.NO_ERROR)
            return
        lasting.take_over(core)
        association = lasting.association
        resume = Resume(lasting.identifier, lasting.epoch, association.received, association.positions)
        proof = lasting.proof(core.role, core.handshake_hash, resume.before_proof)
        self._sent = resume
        core.send(FrameType.RESUME, resume.before_proof + proof)
        self.identified()

    def identified(self) -> None:
        """The handshake deadline holds on (SPEC §19)."""
        core = self._core
        if self._sent and core.state is State.IDENTIFIED:
            core.state, core.state_deadline = State.RESUMING, core.handshake_until
        elif core.state is State.IDENTIFIED:
            self.send_waiting()

    def _receive_resumed(self, frame: Frame) -> None:
        """[R13.9-6]."""
        core, lasting, sent = self._core, self._lasting, self._sent
        assert lasting is not None and sent is not None
        resumed = Resumed.decode(frame.payload)
        if not lasting.verifies(resumed.proof, core.role.other, core.handshake_hash, resumed.before_proof):
            raise ProtocolError(ErrorCode.PROOF_INVALID, "the proof of RESUMED")
        lasting.association.check(resumed.received, resumed.files)
        lasting.opened(core, sent.epoch + 1)
        lasting.shown = lasting.epoch
        self._open(lasting, resumed)

    def _receive_decline(self, frame: Frame) -> None:
        """Whatever the reason ([R13.9-3])."""
        decline = Decline.decode(frame.payload)
        assert self._lasting is not None
        lasting, self._lasting = self._lasting, None
        self._inviting.declined(decline.meaning, decline.detail, by_us=False)
        lasting.end()

    # By the responder

    def _receive_resume(self, frame: Frame) -> None:
        """[R13.9-5], in its order."""
        core = self._core
        assert core.peer_key is not None
        resume = Resume.decode(frame.payload)
        self.has_come = True
        held = core.config.associations
        lasting = held.find(core.peer_key, resume.association) if held else None
        if lasting is None or not lasting.verifies(
            resume.proof, core.role.other, core.handshake_hash, resume.before_proof
        ):
            core.invite_deadline = None
            self._inviting.decline(DeclineReason.NO_SESSION)
            return
        if resume.epoch > lasting.epoch + 1:
            raise malformed(f"epoch {resume.epoch} where {lasting.epoch} is ours")
        if resume.epoch < lasting.shown:
            self._give_up("a RESUME that is older than what the peer has shown")
            return
        lasting.shown = resume.epoch
        if resume.received < lasting.association.acknowledged:
            self._give_up("a RESUME that is older than what the peer has acknowledged")
            return
        if lasting.waits and core.is_lesser:
            self._give_up("our own RESUME waits")  # [R13.9-7]
            return
        lasting.association.check(resume.received, resume.files)
        self._answer(lasting, resume)

    def _give_up(self, detail: str) -> None:
        """Another link has taken the place of this one, which is no fault of the peer's."""
        self._core.fail(ProtocolError(ErrorCode.DUPLICATE_LINK, detail))

    def _answer(self, lasting: Lasting, resume: Resume) -> None:
        core = self._core
        lasting.take_over(core)
        association = lasting.association
        resumed = Resumed(association.received, association.positions)
        proof = lasting.proof(core.role, core.handshake_hash, resumed.before_proof)
        core.send(FrameType.RESUMED, resumed.before_proof + proof)
        lasting.opened(core, resume.epoch + 1)
        self._open(lasting, resume)

    # Both

    def _open(self, lasting: Lasting, theirs: Resume | Resumed) -> None:
        """What was agreed when the association began still holds ([R13.9-6])."""
        core = self._core
        core.charter, core.policy = lasting.charter, lasting.policy
        core.session_kind, core.invited = lasting.session_kind, lasting.invited
        core.invite_deadline = None
        core.channel.pads = False
        core.channel.is_readable = core.policy is Policy.READABLE
        core.was_open = True
        core.enter(State.OPEN, None)
        core.emit(ResumedEvent(lasting.identifier))
        self._standing.resume(lasting, theirs.received, theirs.files)

    def takes(self, frame: Frame) -> bool:
        """Whether the frame is for this part: RESUME, RESUMED, and all frames of *resuming*."""
        return frame.type in (FrameType.RESUME, FrameType.RESUMED) or self._core.state is State.RESUMING

    def handle(self, frame: Frame) -> None:
        core = self._core
        match core.state, frame.type:
            case (State.IDENTIFIED | State.INVITING), FrameType.RESUME if core.role is Role.RESPONDER and not core.peer_invited:
                self._receive_resume(frame)  # where ours is void, as if we had not invited ([R13.9-7])
            case State.RESUMING, FrameType.RESUMED:
                self._receive_resumed(frame)
            case State.RESUMING, FrameType.DECLINE:
                self._receive_decline(frame)
            case State.RESUMING, FrameType.INVITE:
                Invite.decode(frame.payload)
            case State.RESUMING, FrameType.CANCEL:
                Cancel.decode(frame.payload)
            case _:
                raise unexpected(f"{frame.name} in {core.state.name.lower()}")
