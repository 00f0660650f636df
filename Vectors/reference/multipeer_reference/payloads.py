"""Messages and files of an open link (SPEC §15)."""

from __future__ import annotations

from .config import AcceptFile, Decision, FileStored, RejectFile
from .core import Core
from .errors import MisuseError, unexpected
from .events import MessageReceived
from .files import FileCancel
from .frames import FILE_TYPES, Frame, FrameType
from .messages import MessageAssembler, message_frames
from .transfers import OFFER, STORAGE, Receiver, Sender


class Payloads:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._messages = MessageAssembler(core.config.maximum_message)
        self.sender = Sender(core)
        self.receiver = Receiver(core)
        core.has_unfinished_message = lambda: self._messages.is_unfinished

    def send_message(self, message: bytes) -> None:
        info = self._core.peer_info
        assert info is not None
        if len(message) > info.maximum_message:
            raise MisuseError("longer than the peer takes")  # [R15.1-3]
        for frame in message_frames(message):
            self._core.queue(frame)

    def cancel_files(self) -> None:
        """Before CLOSE, which would end them unsaid ([R16.1-5])."""
        self.sender.cancel_current()
        self.receiver.cancel_current()

    def handle_message(self, frame: Frame) -> None:
        message = self._messages.handle(frame)
        if message is not None:
            self._core.emit(MessageReceived(message))

    def handle(self, frame: Frame) -> None:
        if frame.type in (FrameType.MESSAGE, FrameType.MESSAGE_PART):
            self.handle_message(frame)
        elif frame.type in FILE_TYPES:
            self._handle_file(frame)
        else:
            raise unexpected(f"{frame.name} in open")

    def _handle_file(self, frame: Frame) -> None:
        match frame.type:
            case FrameType.FILE_OFFER:
                self.receiver.handle_offer(frame)
            case FrameType.FILE_DATA:
                self.receiver.handle_data(frame)
            case FrameType.FILE_END:
                self.receiver.handle_end(frame)
            case FrameType.FILE_ACCEPT:
                self.sender.handle_accept(frame)
            case FrameType.FILE_DONE:
                self.sender.handle_done(frame)
            case FrameType.FILE_CANCEL:
                cancel = FileCancel.decode(frame.payload)
                (self.sender if self.sender.owns(cancel.id) else self.receiver).handle_cancel(cancel)

    def resolve(self, topic: str, decision: Decision) -> None:
        fits = {OFFER: (AcceptFile, RejectFile), STORAGE: (FileStored,)}[topic]
        if not isinstance(decision, fits):
            raise MisuseError("this decision does not answer that question")
        self.receiver.resolve(decision)
