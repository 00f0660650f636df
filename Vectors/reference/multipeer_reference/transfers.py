"""File transfers of an open link, both directions (SPEC §15.3, §15.4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from .config import AcceptFile, Decision, FileStored, RejectFile
from .core import Core
from .errors import MisuseError, malformed, unexpected
from .events import FileAccepted, FileCancelled, FileDataReceived, FileDelivered, FileOffered, FileReceived
from .fields import Field
from .files import CancelFileReason, FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from .frames import Frame, FrameType

OFFER = "file offer"
STORAGE = "file storage"


@dataclass
class Transfer:
    """A file under way."""

    id: int
    size: int
    accepted: bool = False
    ended: bool = False
    count: int = 0
    hash: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    token: int | None = None


class Sender:
    """The files that we offer, one at a time ([R15.3-2])."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._offers = 0
        self._current: Transfer | None = None

    @property
    def _next(self) -> int:
        """Our numbers are even if our key is the lesser one, odd otherwise ([R15.3-1])."""
        return 2 * self._offers + (0 if self._core.is_lesser else 1)

    def offer(self, name: str, size: int, fields: tuple[Field, ...] = ()) -> int:
        if self._current:
            raise MisuseError("a file is under way")
        offer = FileOffer(self._next, size, name, fields)
        self._core.send(FrameType.FILE_OFFER, offer.encode())
        self._current = Transfer(offer.id, size)
        self._offers += 1
        return offer.id

    def data(self, id_: int, data: bytes) -> None:
        """The next bytes; after the last one FILE_END goes by itself."""
        file = self._current
        if file is None or file.id != id_ or not file.accepted or file.ended:
            raise MisuseError("this file takes no data now")
        if not data or file.count + len(data) > file.size:
            raise MisuseError("no data, or more than was offered")
        self._core.send(FrameType.FILE_DATA, FileData(id_, file.count, data).encode())
        file.count += len(data)
        file.hash.update(data)
        self._end_if_complete(file)

    def _end_if_complete(self, file: Transfer) -> None:
        if file.count == file.size:
            self._core.send(FrameType.FILE_END, FileEnd(file.id, file.hash.digest()).encode())
            file.ended = True

    def cancel(self, id_: int, reason: CancelFileReason) -> None:
        if self._current is None or self._current.id != id_:
            raise MisuseError("no such file is under way")
        self._core.send(FrameType.FILE_CANCEL, FileCancel(id_, reason).encode())
        self._current = None
        self._core.emit(FileCancelled(id_, True, reason, by_us=True))

    def owns(self, id_: int) -> bool:
        """Whether a number is one of ours (SPEC §15.4)."""
        return id_ % 2 == self._next % 2

    def _named(self, id_: int, what: str) -> Transfer | None:
        """The file under way, None for one that has ended: the frame crossed the end ([R15.3-6])."""
        if not self.owns(id_) or id_ >= self._next:
            raise unexpected(f"{what} of a file that was never offered")
        return self._current if self._current and self._current.id == id_ else None

    def handle_accept(self, frame: Frame) -> None:
        file = self._named(FileAccept.decode(frame.payload).id, "FILE_ACCEPT")
        if file is None:
            return
        if file.accepted:
            raise unexpected("a second FILE_ACCEPT")
        file.accepted = True
        self._core.emit(FileAccepted(file.id))
        self._end_if_complete(file)

    def handle_done(self, frame: Frame) -> None:
        file = self._named(FileDone.decode(frame.payload).id, "FILE_DONE")
        if file is None:
            return
        if not file.ended:
            raise unexpected("FILE_DONE before FILE_END")
        self._current = None
        self._core.emit(FileDelivered(file.id))

    def handle_cancel(self, cancel: FileCancel) -> None:
        """[R15.4-1]."""
        if self._named(cancel.id, "FILE_CANCEL"):
            self._current = None
            self._core.emit(FileCancelled(cancel.id, True, cancel.meaning, by_us=False))

    def cancel_current(self) -> None:
        if self._current:
            self.cancel(self._current.id, CancelFileReason.CANCELLED)


class Receiver:
    """The files that the peer offers."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._offers = 0
        self._current: Transfer | None = None
        self._cancelled: int | None = None  # by us; until the next offer its frames may be on the way

    @property
    def _next(self) -> int:
        return 2 * self._offers + (1 if self._core.is_lesser else 0)

    def handle_offer(self, frame: Frame) -> None:
        offer = FileOffer.decode(frame.payload)
        if self._current:
            raise unexpected("FILE_OFFER while a file is under way")
        if offer.id != self._next:
            raise malformed(f"file {offer.id} where {self._next} comes")
        self._offers += 1
        self._cancelled = None
        self._current = Transfer(offer.id, offer.size, token=self._core.ask(OFFER))
        self._core.emit(FileOffered(self._current.token or 0, offer.id, offer.size, offer.name))

    def resolve(self, decision: Decision) -> None:
        """`_current` is the file asked about: its question is withdrawn when it ends."""
        file = self._current
        assert file is not None
        match decision:
            case AcceptFile():
                file.accepted = True
                self._core.send(FrameType.FILE_ACCEPT, FileAccept(file.id).encode())
            case RejectFile(reason=reason):
                self.cancel(file.id, reason)
            case FileStored(success=True):
                self._current = None
                self._core.send(FrameType.FILE_DONE, FileDone(file.id).encode())
            case FileStored():
                self.cancel(file.id, CancelFileReason.STORAGE_FAILED)

    def cancel(self, id_: int, reason: CancelFileReason) -> None:
        if self._current is None or self._current.id != id_:
            raise MisuseError("no such file is under way")
        self._core.withdraw(self._current.token)
        self._core.send(FrameType.FILE_CANCEL, FileCancel(id_, reason).encode())
        self._current, self._cancelled = None, id_
        self._core.emit(FileCancelled(id_, False, reason, by_us=True))

    def _named(self, id_: int, what: str) -> Transfer | None:
        """The file under way, None for one that we cancelled ([R15.3-7])."""
        if id_ == self._cancelled:
            return None
        file = self._current
        if file is None or file.id != id_ or not file.accepted or file.ended:
            raise unexpected(f"{what} of a file that takes none now")
        return file

    def handle_data(self, frame: Frame) -> None:
        """[R15.3-3]; the state that counts depends on the id ([R18-1])."""
        part = FileData.decode(frame.payload)
        file = self._named(part.id, "FILE_DATA")
        if file is None:
            return
        if part.offset != file.count or file.count + len(part.data) > file.size:
            raise malformed("FILE_DATA that does not go on where the last ended")
        file.count += len(part.data)
        file.hash.update(part.data)
        self._core.emit(FileDataReceived(file.id, part.data))

    def handle_end(self, frame: Frame) -> None:
        end = FileEnd.decode(frame.payload)
        file = self._named(end.id, "FILE_END")
        if file is None:
            return
        if file.count < file.size:
            raise unexpected("FILE_END before all of the file")
        if file.hash.digest() != end.sha256:
            self.cancel(file.id, CancelFileReason.HASH_MISMATCH)
            return
        file.ended = True
        file.token = self._core.ask(STORAGE)
        self._core.emit(FileReceived(file.token, file.id, end.sha256))

    def handle_cancel(self, cancel: FileCancel) -> None:
        if cancel.id >= self._next:
            raise unexpected("FILE_CANCEL of a file that was never offered")
        if self._current and self._current.id == cancel.id:
            self._core.withdraw(self._current.token)
            self._current = None
            self._core.emit(FileCancelled(cancel.id, False, cancel.meaning, by_us=False))

    def cancel_current(self) -> None:
        if self._current:
            self.cancel(self._current.id, CancelFileReason.CANCELLED)
