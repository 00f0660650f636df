"""Files that we send (SPEC §15.3, the sender's table)."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import replace
from enum import Enum, auto
from typing import Iterable

from ..errors import MisuseError, malformed, unexpected
from ..events import FileAccepted, FileCancelled, FileDelivered, FileStarted, FileWanted, HashWanted
from ..files import (
    NO_TAG, CancelFileReason, FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer,
)
from ..frames import Frame, FrameType
from ..resume import Position
from .core import Shared
from .credit import COUNT_WINDOW, SendCredit


class Sending(Enum):
    """The sender's states. In CHECKING the beginning that the peer holds is hashed."""

    OFFERED = auto()
    CHECKING = auto()
    SENDING = auto()
    SENT = auto()
    ENDED = auto()


class OutgoingFile:
    is_stream = False
    is_own = True

    def __init__(self, offer: FileOffer) -> None:
        self.id: int | None = None
        self.offer = offer
        self.state = Sending.OFFERED
        self.accept: FileAccept | None = None
        self.credit = SendCredit(0)  # `used` is the position after the last byte sent
        self.waiting = bytearray()
        self.hash = hashlib.sha256()
        self.hashed = 0  # the position after the last byte of the hash
        self.is_halted = False  # the peer receives it no more, and its FILE_CANCEL is to come ([R13.9-9])

    @property
    def is_ready(self) -> bool:
        """Whether there is something to send as bulk."""
        is_moving = self.state is Sending.SENDING and not self.is_halted
        return is_moving and bool(self.waiting) and self.credit.available > 0

    @property
    def wanted(self) -> int:
        """How many bytes the app may supply, and credit would let go."""
        if self.state is not Sending.SENDING or self.is_halted:
            return 0
        return max(0, min(self.credit.limit, self.offer.size) - self.credit.used - len(self.waiting))


class OutgoingFiles:
    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self.offers = SendCredit(COUNT_WINDOW)
        self._unoffered: deque[OutgoingFile] = deque()

    # Requests of the app

    def offer(self, offer: FileOffer) -> OutgoingFile:
        """The `id` of `offer` is not looked at; FILE_OFFER goes as soon as there is credit for it."""
        self._shared.require_beginning()
        file = OutgoingFile(offer)
        self._unoffered.append(file)
        self.offer_waiting()
        return file

    def offer_waiting(self) -> None:
        while self._unoffered and self.offers.available and self._shared.has_room(len(self._unoffered[0].offer.encode()) + 8):
            file = self._unoffered.popleft()
            self.offers.use(1)
            file.id = self._shared.numbers.assign(file)
            file.offer = replace(file.offer, id=file.id)
            self._shared.send(FrameType.FILE_OFFER, file.offer.encode())
            self._shared.emit(FileStarted(file.id, file.offer.name))

    def beginning(self, file: OutgoingFile, hasher: "hashlib._Hash") -> None:
        """Answers HashWanted, with what our own first bytes hash to ([R15.3-10])."""
        if file.state is not Sending.CHECKING or file.accept is None:
            raise MisuseError("no beginning is asked for")
        if hasher.digest() != file.accept.sha256:
            self.cancel(file, CancelFileReason.BEGINNING_DIFFERS)
            return
        file.hash, file.hashed = hasher.copy(), file.accept.offset
        file.state = Sending.SENDING
        assert file.id is not None
        self._shared.emit(FileAccepted(file.id, file.accept.offset))
        self._want(file)
        self._finish(file)

    def _finish(self, file: OutgoingFile) -> None:
        """FILE_END, once nothing is lacking. It counts as sent from here on (SPEC §15.3)."""
        if file.waiting or file.credit.used < file.offer.size or file.is_halted:
            return
        assert file.id is not None
        file.state = Sending.SENT
        self._shared.send(FrameType.FILE_END, FileEnd(file.id, file.hash.digest()).encode())

    def _want(self, file: OutgoingFile) -> None:
        """Tells that bytes can be sent, as soon as they can be: a later frame of the same record may end the file, or the link."""
        if file.wanted and not file.waiting:
            assert file.id is not None
            self._shared.emit(FileWanted(file.id, file.credit.used, file.wanted))

    def supply(self, file: OutgoingFile, data: bytes) -> None:
        """The next bytes; after the last one FILE_END goes by itself."""
        if file.state is not Sending.SENDING:
            raise MisuseError("this file takes no data now")
        if not data or file.credit.used + len(file.waiting) + len(data) > file.offer.size:
            raise MisuseError("no data, or more than was offered")
        known = file.hashed - file.credit.used - len(file.waiting)  # bytes that are sent again
        file.hash.update(data[max(0, known) :])
        file.hashed += max(0, len(data) - max(0, known))
        file.waiting += data

    def cancel(self, file: OutgoingFile, reason: CancelFileReason) -> None:
        if file.id is None:
            self._unoffered.remove(file)
            return
        if self._shared.numbers.get(file.id) is not file:
            raise MisuseError("this file has ended")
        self._end(file, reason, by_us=True)

    def _end(self, file: OutgoingFile, reason: CancelFileReason, by_us: bool) -> None:
        """FILE_CANCEL goes in both cases, and nothing of the file after it ([R15.3-7])."""
        assert file.id is not None
        file.waiting.clear()
        file.state = Sending.ENDED
        self._shared.send(FrameType.FILE_CANCEL, FileCancel(file.id, reason).encode())
        self._shared.numbers.end(file.id)
        self._shared.emit(FileCancelled(file.id, True, reason, by_us))

    # Frames of the peer

    def _named(self, number: int, type_: FrameType) -> OutgoingFile | None:
        """None for a number that has ended; a file of the frame's own sender is a fault ([R15.3-12])."""
        file = self._shared.numbers.named(number, type_)
        if file is not None and not file.is_own:
            raise unexpected(f"{type_.name} of a file that its sender offered")
        return file

    def handle_accept(self, accept: FileAccept) -> None:
        """[R15.3-6], [R15.3-9], [R15.3-10]."""
        file = self._named(accept.id, FrameType.FILE_ACCEPT)
        if file is None:
            return
        if file.accept is not None:
            raise unexpected("a second FILE_ACCEPT")
        if accept.offset > file.offer.size:
            raise malformed("more is held than there is")
        file.accept = accept
        file.credit = SendCredit(accept.offset + accept.credit, accept.offset, self._shared.is_resumed)
        file.state = Sending.CHECKING
        if accept.offset == 0:
            self.beginning(file, hashlib.sha256())
        elif file.offer.tag == NO_TAG:  # such an offer has no beginning, and nothing is hashed for one
            self.cancel(file, CancelFileReason.BEGINNING_DIFFERS)
        else:
            self._shared.emit(HashWanted(accept.id, accept.offset))

    def handle_done(self, done: FileDone, is_closing: bool = False) -> None:
        """After our CLOSE of no_error it still ends a file whose FILE_END has gone; others are ignored ([R16.1-3])."""
        if is_closing:
            item = self._shared.numbers.get(done.id)
            if not isinstance(item, OutgoingFile) or item.state is not Sending.SENT:
                return
        file = self._named(done.id, FrameType.FILE_DONE)
        if file is None:
            return
        if file.state is not Sending.SENT:
            raise unexpected("FILE_DONE before FILE_END")
        file.state = Sending.ENDED
        self._shared.numbers.end(done.id)
        self._shared.emit(FileDelivered(done.id))

    def handle_cancel(self, file: OutgoingFile, cancel: FileCancel) -> None:
        self._end(file, cancel.meaning, by_us=False)

    def handle_credit(self, file: OutgoingFile, limit: int) -> None:
        """[R13.4-3]; while a beginning is hashed, and after FILE_END, the limit is kept."""
        if file.accept is None:
            raise unexpected("CREDIT before FILE_ACCEPT")
        file.credit.raise_to(limit)
        self._want(file)

    # Resuming (SPEC §13.9)

    def check(self, positions: Iterable[Position]) -> None:
        """[R13.9-9], but for the order, which is that of a field."""
        numbers = self._shared.numbers
        for position in positions:
            if not numbers.is_own(position.id) or numbers.is_unused(position.id):
                raise malformed(f"the position of number {position.id}, which we have not given")
            file = numbers.get(position.id)
            if file is not None and file.is_stream:
                raise malformed("the position of a stream")
            if file is not None and file.accept is not None:
                if not file.accept.offset <= position.offset <= file.credit.used:
                    raise malformed("a position that the file has not come to")

    def resumed(self, positions: Iterable[Position]) -> None:
        """Of those that were accepted, each continues where the peer says, or waits for its FILE_CANCEL or FILE_DONE."""
        named = {position.id: position.offset for position in positions}
        self.offers.may_repeat = True
        for file in self._shared.numbers:
            if file.is_stream or not file.is_own or file.accept is None:
                continue
            file.credit.may_repeat = True
            if file.id in named:
                self._go_back(file, named[file.id])
            elif file.state is not Sending.SENT:
                file.is_halted = True

    def _go_back(self, file: OutgoingFile, offset: int) -> None:
        """What had been supplied is asked for again."""
        file.waiting.clear()
        file.credit.used = offset
        if file.state is Sending.SENT:
            file.state = Sending.SENDING
        if file.state is Sending.SENDING:
            self._want(file)
            self._finish(file)

    # What is sent

    def frame(self, file: OutgoingFile, maximum: int) -> Frame:
        """The next FILE_DATA of a file that is ready. FILE_END follows the last one."""
        assert file.id is not None
        offset = file.credit.used
        data = bytes(file.waiting[: min(maximum, file.credit.available)])
        del file.waiting[: len(data)]
        file.credit.use(len(data))
        self._finish(file)
        return Frame(FrameType.FILE_DATA, FileData(file.id, offset, data).encode())

    def forget_waiting(self) -> None:
        """What has not been offered will not be."""
        self._unoffered.clear()

    def close(self, reason: CancelFileReason) -> None:
        """Before CLOSE of no_error; one whose FILE_END has gone ends by FILE_DONE, or by the peer's CLOSE ([R16.1-5])."""
        self.forget_waiting()
        for file in self._shared.numbers:
            if not file.is_stream and file.is_own and file.state is not Sending.SENT:
                self.cancel(file, reason)

    def end(self) -> None:
        """The association has ended."""
        self.forget_waiting()
        for file in self._shared.numbers:
            if not file.is_stream and file.is_own:
                file.waiting.clear()
                file.state = Sending.ENDED
                self._shared.numbers.end(file.id)
