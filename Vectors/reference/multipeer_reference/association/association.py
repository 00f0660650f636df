"""One association: frames in, frames out, without its links (SPEC §13, §15)."""

from __future__ import annotations

from typing import Callable, Iterable

from ..errors import ProtocolError, unexpected
from ..events import Event, LifeShown, MessageEnded, MessageReceived
from ..files import CancelFileReason, FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from ..frames import STREAM_TYPES, Frame, FrameType
from ..resume import Position
from .core import Shared
from .counted import Acknowledger
from .credit import COUNT_WINDOW
from .frames import Ack, Credit, CreditKind, Ping
from .incoming import IncomingFile, IncomingFiles
from .keepalive import KeepAlive, KeepAliveTimes
from .messages import IncomingMessages, OutgoingMessages, Result
from .outgoing import OutgoingFile, OutgoingFiles
from .pools import Pools
from .scheduling import QUANTUM, Scheduler
from .streams import Stream, Streams

#: A quantum of data, and what is before it.
_LONGEST_PAYLOAD = QUANTUM + 16


class Association:
    """`is_lesser`: whether our identity key is the lesser one. Times are milliseconds of any clock.

    With `takes_at_once` what was handed out of messages and files counts as taken by the app. `owner` names the peer
    and the session, whose links have one share of the memory beyond the windows. One that `keeps` counted frames can
    continue on a later link (SPEC §13.9).
    """

    def __init__(
        self, is_lesser: bool, own_maximum: int, peer_maximum: int, now: int = 0,
        times: KeepAliveTimes | None = None, pools: Pools | None = None, takes_at_once: bool = True,
        emit: Callable[[Event], None] | None = None, owner: object = None, keeps: bool = False,
    ) -> None:
        self.events: list[Event] = []
        self._now = now
        pools = pools or Pools()
        self._shared = Shared(is_lesser, pools, pools.share_of(owner or self), emit or self.events.append, keeps)
        self._takes_at_once = takes_at_once
        self.outgoing = OutgoingMessages(peer_maximum)
        self.incoming = IncomingMessages(own_maximum, self._shared.pools.messages)
        self.streams = Streams(self._shared)
        self.sent_files = OutgoingFiles(self._shared)
        self.received_files = IncomingFiles(self._shared)
        self._acknowledger = Acknowledger()
        self._keep_alive = KeepAlive(times, now)
        self._scheduler = Scheduler()

    # What lives

    def stream(self, number: int) -> Stream | None:
        """Also one that has ended on the wire, and not for the app."""
        return self.streams.known.get(number)

    def file(self, number: int) -> OutgoingFile | IncomingFile | None:
        item = self._shared.numbers.get(number)
        return item if item is not None and not item.is_stream else None

    def live(self) -> Iterable[Stream | OutgoingFile | IncomingFile]:
        return iter(self._shared.numbers)

    # Requests of the app beside those of streams and files

    def send(self, message: bytes, tag: object = None) -> None:
        self._shared.require_beginning()
        if not self.outgoing.send(message, tag):
            self._shared.emit(MessageEnded(tag, Result.NOT_SENT))

    def take_back(self, tag: object) -> bool:
        """Before the message has been begun; it is then *not sent*."""
        taken = self.outgoing.take_back(tag)
        if taken:
            self._shared.emit(MessageEnded(tag, Result.NOT_SENT))
        return taken

    def take_messages(self, count: int) -> None:
        """The app has taken `count` messages more."""
        self.incoming.take(count)

    def cancel_file(self, number: int, reason: CancelFileReason) -> None:
        file = self.file(number)
        if isinstance(file, OutgoingFile):
            self.sent_files.cancel(file, reason)
        elif isinstance(file, IncomingFile):
            self.received_files.cancel(file, reason)

    # Frames of the peer

    def record_came(self, now: int) -> None:
        """A record has been verified; its frames follow."""
        self._now = now
        self._keep_alive.record_came(now)

    def receive_closing(self, frame: Frame) -> None:
        """After our CLOSE of no_error: messages, ACK and FILE_DONE alone ([R16.1-3])."""
        if frame.type == FrameType.FILE_DONE:
            self.sent_files.handle_done(FileDone.decode(frame.payload), is_closing=True)
        else:
            self.receive(frame)

    def receive(self, frame: Frame) -> None:
        """ProtocolError where the frame is a fault."""
        self._receive(frame)
        self.processed(frame)

    def processed(self, frame: Frame) -> None:
        """It counts if it is of a type that is counted, whatever has become of it (SPEC §13.6)."""
        self._acknowledger.count(frame, self._now)

    def _receive(self, frame: Frame) -> None:
        match frame.type:
            case FrameType.MESSAGE | FrameType.MESSAGE_PART:
                self._receive_message(frame)
            case FrameType.ACK:
                ack = Ack.decode(frame.payload)
                self._shared.kept.check(ack.count)
                self._acknowledge(ack.count)
            case FrameType.CREDIT:
                self._receive_credit(Credit.decode(frame.payload))
            case FrameType.PING:
                self._keep_alive.handle_ping(Ping.decode(frame.payload))
            case FrameType.PONG:
                if self._keep_alive.handle_pong(Ping.decode(frame.payload)):
                    self._shared.emit(LifeShown())
            case type_ if type_ in STREAM_TYPES:
                self.streams.handle(frame)
            case _:
                self._receive_file(frame)

    def _receive_message(self, frame: Frame) -> None:
        message = self.incoming.handle(frame)
        if message is None:
            return
        self._shared.emit(MessageReceived(message))
        if self._takes_at_once:
            self.incoming.take(1)

    def _acknowledge(self, count: int) -> None:
        """What waited for room may be begun ([R13.9-2])."""
        self._shared.kept.acknowledge(count)
        for tag in self.outgoing.acknowledge(count):
            self._shared.emit(MessageEnded(tag, Result.DELIVERED))
        self.streams.open_waiting()
        self.sent_files.offer_waiting()

    def _receive_file(self, frame: Frame) -> None:
        match frame.type:
            case FrameType.FILE_OFFER:
                self.received_files.handle_offer(FileOffer.decode(frame.payload))
            case FrameType.FILE_DATA:
                part = FileData.decode(frame.payload)
                self.received_files.handle_data(part)
                if self._takes_at_once:
                    self.received_files.take(self._shared.numbers.get(part.id), len(part.data))
            case FrameType.FILE_END:
                self.received_files.handle_end(FileEnd.decode(frame.payload))
            case FrameType.FILE_ACCEPT:
                self.sent_files.handle_accept(FileAccept.decode(frame.payload))
            case FrameType.FILE_DONE:
                self.sent_files.handle_done(FileDone.decode(frame.payload))
            case FrameType.FILE_CANCEL:
                cancel = FileCancel.decode(frame.payload)
                file = self._shared.numbers.named(cancel.id, FrameType.FILE_CANCEL)
                if file is not None:
                    (self.sent_files if file.is_own else self.received_files).handle_cancel(file, cancel)
            case _:
                raise unexpected(f"{frame.name} in an association")

    def _receive_credit(self, credit: Credit) -> None:
        """[R13.4-2] to [R13.4-4]."""
        match credit.kind:
            case CreditKind.MESSAGES:
                self.outgoing.credit.raise_to(credit.limit)
            case CreditKind.OPENINGS:
                self.streams.openings.raise_to(credit.limit)
                self.streams.open_waiting()
            case CreditKind.OFFERS:
                self.sent_files.offers.raise_to(credit.limit)
                self.sent_files.offer_waiting()
            case _:
                self._receive_credit_of_number(credit)

    def _receive_credit_of_number(self, credit: Credit) -> None:
        item = self._shared.numbers.named(credit.id, FrameType.CREDIT)
        if item is None:
            return
        if item.is_stream != (credit.kind is CreditKind.STREAM):
            raise unexpected("CREDIT of a kind that its number has not")
        if item.is_stream:
            self.streams.handle_credit(item, credit)
        elif item.is_own:
            self.sent_files.handle_credit(item, credit.limit)
        else:
            raise unexpected("CREDIT for a file that its own sender offered")

    # Time

    @property
    def deadline(self) -> int | None:
        """When `expire` is due."""
        times = self._keep_alive.deadline, self.incoming.deadline, self._acknowledger.deadline
        return min((time for time in times if time is not None), default=None)

    def expire(self, now: int) -> None:
        """ProtocolError where the peer was silent, or stalled, for too long."""
        self._now = now
        self.incoming.expire(now)
        ping = self._keep_alive.expire(now)
        if ping is not None:
            self._shared.control.append(ping)

    def ask_for_life(self) -> None:
        """PING, which is to be answered soon ([R8.7-7])."""
        self._shared.control.append(self._keep_alive.probe(self._now))

    # What is sent

    def take_frames(self, room: int = 1 << 62) -> list[Frame]:
        """What is to be sent now: control first, then at most about `room` bytes of messages and bulk."""
        if self._shared.is_over:
            return []
        frames = self.take_control()
        while room > 0 and (frame := self._payload()) is not None:
            self.sent(frame)
            frames.append(frame)
            room -= len(frame.payload)
        return frames + self.take_control()  # an end that has gone may have given an opening back

    def take_control(self) -> list[Frame]:
        """Frames that wait, and the newest of what is a state: CREDIT, ACK, PONG."""
        frames = list(self._shared.control)
        self._shared.control.clear()
        for frame in frames:
            self.sent(frame)
        self._grant()
        frames += [Frame(FrameType.CREDIT, credit.encode()) for credit in self._credits()]
        count = self._acknowledger.due(self._now)
        if count is not None:
            frames.append(Frame(FrameType.ACK, Ack(count).encode()))
        answer = self._keep_alive.take_answer()
        return frames if answer is None else [*frames, answer]

    def sent(self, frame: Frame) -> None:
        """It is given to the link. Those of §14 that are counted go in their place among the others."""
        self._shared.kept.add(frame)

    def last_acknowledgement(self) -> list[Frame]:
        """Before a CLOSE of no_error, whichever peer closes first ([R13.6-1])."""
        count = self._acknowledger.due(self._now, is_last=True)
        return [] if count is None else [Frame(FrameType.ACK, Ack(count).encode())]

    def _grant(self) -> None:
        self.incoming.grant(self._now)
        for part in (self.streams, self.received_files):
            part.granted.keep(part.closed, COUNT_WINDOW)

    def _credits(self) -> Iterable[Credit]:
        for kind, credit in (
            (CreditKind.MESSAGES, self.incoming.credit), (CreditKind.OPENINGS, self.streams.granted),
            (CreditKind.OFFERS, self.received_files.granted),
        ):
            if (limit := credit.untold()) is not None:
                yield Credit(kind, 0, limit)
        for item in self._shared.numbers:
            if item.is_stream:
                self.streams.grant(item)
                if (limit := item.receiving.untold()) is not None:
                    yield Credit(CreditKind.STREAM, item.id, limit)
            elif not item.is_own:
                self.received_files.grant(item)
                if (limit := item.credit.untold()) is not None:
                    yield Credit(CreditKind.FILE, item.id, limit)

    def _payload(self) -> Frame | None:
        """The next frame of a message, a stream or a file (SPEC §15.2)."""
        has_room = self._shared.has_room(_LONGEST_PAYLOAD)
        ready = {
            item.id: item for item in self._shared.numbers
            if (item.is_own if not item.is_stream else has_room) and item.is_ready
        }
        if self._scheduler.chooses_messages(has_room and self.outgoing.is_ready, bool(ready)):
            frame = self.outgoing.frame(QUANTUM, self._shared.kept.sent + 1)
            self._scheduler.sent_message(len(frame.payload))
            return frame
        if not ready:
            return None
        item = ready[self._scheduler.number(list(ready))]
        frame = (self.streams if item.is_stream else self.sent_files).frame(item, QUANTUM)
        self._scheduler.sent_bulk(len(frame.payload))
        return frame

    # Resuming (SPEC §13.9)

    @property
    def received(self) -> int:
        """How many counted frames of the peer have been processed, which RESUME or RESUMED says like ACK."""
        return self._acknowledger.told()

    @property
    def positions(self) -> tuple[Position, ...]:
        return self.received_files.positions()

    @property
    def acknowledged(self) -> int:
        """How many of our counted frames the peer has acknowledged."""
        return self._shared.kept.acknowledged

    def check(self, received: int, files: Iterable[Position]) -> None:
        """What the peer says in RESUME or RESUMED ([R13.6-2], [R13.9-9])."""
        self._shared.kept.check(received, may_repeat=True)
        self.sent_files.check(files)

    def resume(
        self, received: int, files: Iterable[Position], now: int, times: KeepAliveTimes | None,
        emit: Callable[[Event], None] | None = None,
    ) -> list[Frame]:
        """Another link takes the place of one that was lost: what goes on it first ([R13.9-8]), after `check`.

        PING and FILE_END that waited for the old one are not sent: the first is too late, and the second comes again.
        """
        shared, self._now = self._shared, now
        shared.emit, shared.is_resumed = emit or shared.emit, True
        self._keep_alive = KeepAlive(times, now)
        left = [frame for frame in shared.control if frame.type not in (FrameType.PING, FrameType.FILE_END)]
        shared.control.clear()
        shared.control.extend(left)
        self._acknowledge(received)
        again = shared.kept.unacknowledged
        self.outgoing.credit.may_repeat = True
        self.incoming.credit.tell_again()
        self.streams.resumed()
        self.received_files.resumed()
        self.sent_files.resumed(files)
        return again + [Frame(FrameType.CREDIT, credit.encode()) for credit in self._credits()]

    def is_stalled(self, now: int) -> bool:
        """A message does not use what it was granted, and others wait ([R13.5-5])."""
        try:
            self.incoming.expire(now)
        except ProtocolError:
            return True
        return False

    def report_to(self, emit: Callable[[Event], None]) -> None:
        """While there is no link."""
        self._shared.emit = emit

    # The end

    def drain(self) -> None:
        """The app closes: nothing new is begun, and all else continues (SPEC §16.4)."""
        self._shared.is_draining = True
        self.streams.forget_waiting()
        self.sent_files.forget_waiting()

    def close(self, reason: CancelFileReason = CancelFileReason.INTERRUPTED) -> None:
        """Ends what lives, before CLOSE of no_error on purpose ([R16.1-5])."""
        self.streams.close()
        self.sent_files.close(reason)
        self.received_files.close(reason)

    def end(self) -> None:
        """It has ended: what is known of messages is reported, and what lives ends ([R16.1-5]).

        The app still takes whole messages, and bytes of directions that had ended.
        """
        if self._shared.is_over:
            return
        self._shared.is_over = True
        for tag, result in self.outgoing.end():
            self._shared.emit(MessageEnded(tag, result))
        self.incoming.end()
        self.streams.end()
        self.received_files.end()
        self.sent_files.end()
        for item in self._shared.numbers:
            if item.is_stream:
                self._shared.numbers.end(item.id)

    @property
    def untaken(self) -> int:
        """What it has left at its end, and the app has not taken ([R13.5-6])."""
        return self.incoming.untaken + self.streams.unread
