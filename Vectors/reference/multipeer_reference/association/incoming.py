"""Files that the peer sends (SPEC §15.3, the receiver's table)."""

from __future__ import annotations

import hashlib
from enum import Enum, auto

from ..errors import MisuseError, malformed, unexpected
from ..events import FileCancelled, FileDataReceived, FileOffered, FileReceived
from ..files import CancelFileReason, FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from ..frames import FrameType
from ..resume import Position
from .core import Shared
from .credit import COUNT_WINDOW, FILE_AT_FIRST, FILE_WINDOW, ReceiveCredit


class Receiving(Enum):
    """The receiver's states. An *ended* file is forgotten here; only its app may still have it."""

    OFFERED = auto()
    RECEIVING = auto()
    STORING = auto()
    CANCELLED = auto()
    ENDED = auto()


class IncomingFile:
    """`credit.used` is the position after the last byte that came."""

    is_stream = False
    is_own = False

    def __init__(self, offer: FileOffer) -> None:
        self.id = offer.id
        self.offer = offer
        self.state = Receiving.OFFERED
        self.is_accepted = self.is_whole = False  # FILE_ACCEPT went, FILE_END came
        self.credit = ReceiveCredit(0)
        self.taken = 0
        self.window = FILE_WINDOW
        self.beyond = 0  # of the share that its peer has ([R13.5-4])
        self.grants = True  # whether CREDIT follows as the app takes bytes
        self.hash = hashlib.sha256()


class IncomingFiles:
    """`closed` counts the files of whose end the app has heard ([R13.5-1])."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self.granted = ReceiveCredit(COUNT_WINDOW)
        self.closed = 0

    # Requests of the app

    def accept(
        self, file: IncomingFile, offset: int = 0, hasher: "hashlib._Hash | None" = None, credit: int | None = None,
        looks: bool = False,
    ) -> None:
        """`hasher` has taken the `offset` bytes that are held, as they are now ([R15.7-2]).

        With `looks` there is no more than `credit` until `go_on`, as for a look at a folder's manifest (SPEC §15.8).
        """
        if file.state is not Receiving.OFFERED or self._shared.is_over:
            raise MisuseError("this file does not wait for an answer")
        if not 0 <= offset <= file.offer.size or (hasher is None) != (offset == 0):
            raise MisuseError("a beginning that cannot be")
        file.hash = hasher.copy() if hasher else hashlib.sha256()
        lacking = file.offer.size - offset
        wanted = min(FILE_AT_FIRST, lacking) if credit is None else credit
        file.beyond = self._shared.share.take(max(0, min(wanted, lacking) - FILE_WINDOW))
        if credit is None:
            credit = min(wanted, FILE_WINDOW + file.beyond)
        file.window = max(credit, FILE_WINDOW)
        credit = min(credit, lacking)
        file.grants = not looks
        file.credit = ReceiveCredit(offset + credit, offset)
        file.taken = offset
        file.state, file.is_accepted = Receiving.RECEIVING, True
        frame = FileAccept(file.id, offset, file.hash.digest(), credit)
        self._shared.send(FrameType.FILE_ACCEPT, frame.encode())

    def go_on(self, file: IncomingFile) -> None:
        """The app consents to the rest."""
        file.grants = True

    def take(self, file: IncomingFile, count: int) -> None:
        """The app has taken `count` bytes more."""
        file.taken = min(file.taken + count, file.credit.used)

    def cancel(self, file: IncomingFile, reason: CancelFileReason) -> None:
        """Also a refusal. The file lives on, unseen, until the sender's FILE_CANCEL ([R15.3-7])."""
        if self._shared.numbers.get(file.id) is not file or file.state is Receiving.CANCELLED:
            raise MisuseError("this file has ended")
        file.state = Receiving.CANCELLED
        self._give_back(file)
        self._shared.send(FrameType.FILE_CANCEL, FileCancel(file.id, reason).encode())
        self._shared.emit(FileCancelled(file.id, False, reason, by_us=True))

    def stored(self, file: IncomingFile) -> None:
        """The file is stored under its name and synced ([R15.3-6]); FILE_DONE goes if the link is still there."""
        if file.state is not Receiving.STORING:
            raise MisuseError("this file is not whole")
        self._shared.send(FrameType.FILE_DONE, FileDone(file.id).encode())
        self._end(file)

    def _end(self, file: IncomingFile) -> None:
        file.state = Receiving.ENDED
        self._give_back(file)
        self._shared.numbers.end(file.id)
        self.closed += 1

    def _give_back(self, file: IncomingFile) -> None:
        self._shared.share.give_back(file.beyond)
        file.beyond = 0

    # Frames of the peer

    def handle_offer(self, offer: FileOffer) -> None:
        """[R15.3-1], [R15.3-2]."""
        self._shared.numbers.check_next(offer.id)
        self.granted.use(1)
        self._shared.numbers.begin(IncomingFile(offer))
        self._shared.emit(FileOffered(offer.id, offer))

    def _receiving(self, number: int, type_: FrameType) -> IncomingFile:
        """A file that takes data, or did until we cancelled it ([R15.3-3], [R15.3-4], [R15.3-12])."""
        file = self._shared.numbers.named(number, type_)
        if file.is_own:
            raise unexpected(f"{type_.name} of a file that its receiver offered")
        if not file.is_accepted or file.is_whole:
            raise unexpected(f"{type_.name} of a file that takes none now")
        return file

    def handle_data(self, part: FileData) -> None:
        """Place and size come before credit."""
        file = self._receiving(part.id, FrameType.FILE_DATA)
        if part.offset != file.credit.used:
            raise malformed("FILE_DATA that does not continue where the last ended")
        if part.offset + len(part.data) > file.offer.size:
            raise malformed("FILE_DATA beyond the size of the file")
        file.credit.use(len(part.data))
        if file.state is Receiving.RECEIVING:
            file.hash.update(part.data)
            self._shared.emit(FileDataReceived(part.id, part.data))

    def handle_end(self, end: FileEnd) -> None:
        """[R15.3-5]."""
        file = self._receiving(end.id, FrameType.FILE_END)
        if file.credit.used < file.offer.size:
            raise unexpected("FILE_END before all of the file")
        file.is_whole = True
        if file.state is Receiving.CANCELLED:
            return
        if file.hash.digest() != end.sha256:
            self.cancel(file, CancelFileReason.HASH_MISMATCH)
            return
        file.state = Receiving.STORING
        self._shared.emit(FileReceived(end.id, end.sha256))

    def handle_cancel(self, file: IncomingFile, cancel: FileCancel) -> None:
        if file.state is not Receiving.CANCELLED:
            self._shared.emit(FileCancelled(file.id, False, cancel.meaning, by_us=False))
        self._end(file)

    # What is granted

    def grant(self, file: IncomingFile) -> None:
        """As the app takes bytes, but not beyond the size."""
        if file.grants and file.state is Receiving.RECEIVING:
            file.credit.keep(file.taken, file.window, file.offer.size)

    def positions(self) -> tuple[Position, ...]:
        """Of the files in *receiving* (SPEC §13.9)."""
        files = [file for file in self._shared.numbers if not file.is_stream and not file.is_own]
        receiving = [file for file in files if file.state is Receiving.RECEIVING]
        return tuple(sorted(Position(file.id, file.credit.used) for file in receiving))

    def resumed(self) -> None:
        """Limits are told again ([R13.9-8])."""
        self.granted.tell_again()
        for file in self._shared.numbers:
            if not file.is_stream and not file.is_own and file.state is Receiving.RECEIVING:
                file.credit.tell_again()

    def close(self, reason: CancelFileReason) -> None:
        """Before CLOSE of no_error; one that is being stored is stored to the end ([R16.1-5])."""
        for file in self._shared.numbers:
            if not file.is_stream and not file.is_own and file.state in (Receiving.OFFERED, Receiving.RECEIVING):
                self.cancel(file, reason)

    def end(self) -> None:
        """The association has ended; one that is being stored still ends by `stored`, or by `cancel`."""
        for file in self._shared.numbers:
            if not file.is_stream and not file.is_own and file.state is not Receiving.STORING:
                self._end(file)
