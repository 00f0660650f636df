"""Where each frame of a record goes, by class and state (SPEC §12.4, §16.3, §17)."""

from __future__ import annotations

from .closing import Close
from .comparing import Comparing
from .core import Core, State
from .errors import ErrorCode, ProtocolError, unexpected
from .fields import read_fields
from .frames import OPEN_TYPES, STRING_TYPES, VERIFICATION_TYPES, Frame, FrameType
from .inviting import Inviting
from .opening import Opening
from .pairing import Pairing
from .reader import Reader
from .records import RecordKind
from .resuming import Resuming
from .standing import Standing


class Dispatch:
    """`rekeyed`: a REKEY of the record that is being read was obeyed."""

    def __init__(
        self, core: Core, opening: Opening, comparing: Comparing, pairing: Pairing, inviting: Inviting, standing: Standing,
        resuming: Resuming,
    ) -> None:
        self._core, self.opening, self.inviting, self.standing = core, opening, inviting, standing
        self.comparing, self.pairing, self.resuming = comparing, pairing, resuming
        self.rekeyed = False

    def handle(self, kind: RecordKind, frame: Frame) -> None:
        core = self._core
        if self.rekeyed and core.close_sent is None:
            raise unexpected(f"{frame.name} behind REKEY")  # [R12.6-2]
        if core.close_sent not in (None, ErrorCode.NO_ERROR) and frame.type != FrameType.CLOSE:
            self._obey_rekey(frame)
            return
        self._check_class(kind, frame)  # a link that was open counts as open after its CLOSE ([R12.4-2])
        if core.state is State.CLOSING:
            self._obey_rekey(frame)
        if core.state is State.CLOSING and frame.type != FrameType.CLOSE and not self._is_still_delivered(frame):
            return
        if frame.type == FrameType.CLOSE:
            self._receive_close(frame)
        elif core.state is State.PROOF:
            self.opening.handle_proof(frame)
            self.inviting.send_waiting()
            self.resuming.send_waiting()
        elif frame.is_ignorable:
            return
        elif not core.knows(frame):
            raise ProtocolError(ErrorCode.UNSUPPORTED, f"frame {frame.name}")  # [R6.4-2]
        elif core.state is State.INFO:
            self.opening.handle_info(frame)
            self.inviting.identified()
            self.resuming.identified()
        elif frame.type in VERIFICATION_TYPES:
            self._verify(frame)
        elif core.state is State.OPEN and frame.type == FrameType.REKEY:
            reader = Reader(frame.payload)
            read_fields(reader)
            reader.finish()
            self._obey_rekey(frame)
        elif core.state is State.OPEN and frame.type not in OPEN_TYPES:
            raise unexpected(f"{frame.name} on an open link")
        elif core.state in (State.OPEN, State.CLOSING):
            self.standing.handle(frame)
        elif self.resuming.takes(frame):
            self.resuming.handle(frame)
        else:
            self.inviting.handle(frame)
            if core.state is State.OPEN:
                self.standing.begin()

    def _verify(self, frame: Frame) -> None:
        """From *identified* on (SPEC §25.6). After an attempt an invitation that waits may go ([R17-1])."""
        if not self._core.peer_verifies:
            raise unexpected(f"{frame.name} from a peer that does not list the feature")  # [R25.6-2]
        if frame.type in STRING_TYPES:
            self.comparing.handle(frame)
        else:
            self.pairing.handle(frame)
            self.inviting.send_waiting()

    def _obey_rekey(self, frame: Frame) -> None:
        """The first one of a record replaces the key ([R12.6-1]); while closing whatever it holds ([R12.6-4])."""
        if frame.type == FrameType.REKEY and not self.rekeyed:
            assert self._core.channel.receiving is not None
            self._core.channel.receiving.rekey()
            self.rekeyed = True

    def _is_still_delivered(self, frame: Frame) -> bool:
        """Messages, ACK and FILE_DONE, on a link that was open, after our CLOSE of no_error ([R16.1-3])."""
        judged = (FrameType.MESSAGE, FrameType.MESSAGE_PART, FrameType.ACK, FrameType.FILE_DONE)
        is_judged = frame.type in judged
        return is_judged and self._core.was_open and self._core.close_sent == ErrorCode.NO_ERROR

    def _check_class(self, kind: RecordKind, frame: Frame) -> None:
        """On a readable link payload travels in AUTHENTICATED, all else in ENCRYPTED ([R11-2], [R12.4-2])."""
        if not self._core.channel.is_readable:
            return
        if not self._core.knows(frame) and not frame.is_ignorable:
            return  # unsupported, whatever its class
        if frame.is_payload != (kind is RecordKind.AUTHENTICATED):
            raise ProtocolError(ErrorCode.WRONG_PROTECTION, f"{frame.name} in {kind.name}")

    def _receive_close(self, frame: Frame) -> None:
        """We answer with CLOSE of no_error, once ([R16.1-1], [R16.1-2])."""
        core = self._core
        core.peer_code = Close.decode(frame.payload).code
        if core.ended_by is None:
            core.ended_by = core.peer_code
        if core.close_sent is None:
            self.standing.answer_close()
            core.close(ErrorCode.NO_ERROR)
        core.finish()
