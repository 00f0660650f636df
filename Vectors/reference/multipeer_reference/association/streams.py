"""Streams: one direction each way (SPEC §15.6)."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto

from ..errors import MisuseError, malformed, unexpected
from ..events import StreamEnded, StreamOpened, StreamReadable, StreamStarted, StreamStopped
from ..frames import Frame, FrameType
from .core import Shared
from .credit import COUNT_WINDOW, STREAM_WINDOW, ReceiveCredit, SendCredit
from .frames import Credit
from .streamframes import StreamData, StreamEnd, StreamOpen, StreamReset


#: The payload of STREAM_OPEN without fields, at most.
_LONGEST_OPEN = 8 + 8 + 2 + 255 + 1


class Receiving(Enum):
    """The receiver's states of a direction."""

    RECEIVING = auto()
    STOPPING = auto()
    ENDED = auto()


class Stream:
    """`id` is None until STREAM_OPEN has gone. Reading continues when the stream has ended on the wire.

    Where the opener takes nothing, the direction towards it has ended from the beginning ([R15.6-8]).
    """

    is_stream = True

    def __init__(self, name: str, is_own: bool, sends: int, takes: int) -> None:
        self.id: int | None = None
        self.name, self.is_own = name, is_own
        self.sending = SendCredit(sends)
        self.receiving = ReceiveCredit(takes)
        self.waiting = bytearray()  # what the app has written and credit has not let go
        self.is_ending = False  # the app ended our direction
        self.has_ended = not is_own and sends == 0  # also: STREAM_END or STREAM_RESET has gone
        self.state = Receiving.ENDED if is_own and takes == 0 else Receiving.RECEIVING
        self.unread = bytearray()
        self.taken = 0
        self.is_complete = False  # STREAM_END came, and not STREAM_RESET
        self.is_reported = self.state is Receiving.ENDED  # the app knows that the peer's direction has ended
        self.is_counted = False  # its opening has come back
        self.window = min(takes, STREAM_WINDOW)
        self.beyond = max(0, takes - STREAM_WINDOW)  # of the share that its peer has ([R13.5-4])

    @property
    def is_ready(self) -> bool:
        """Whether there is something to send as bulk."""
        if self.has_ended:
            return False
        return self.sending.available > 0 if self.waiting else self.is_ending

    @property
    def is_over(self) -> bool:
        return self.has_ended and self.state is Receiving.ENDED


class Streams:
    """`closed` counts the peer's streams whose end the app has taken ([R13.5-1])."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self.openings = SendCredit(COUNT_WINDOW)
        self.granted = ReceiveCredit(COUNT_WINDOW)
        self._unopened: deque[Stream] = deque()
        self.known: dict[int, Stream] = {}  # those of which the app does not know both ends
        self.closed = 0

    # Requests of the app

    def open(self, name: str, credit: int = STREAM_WINDOW) -> Stream:
        """STREAM_OPEN goes as soon as there is credit for it; `credit` 0 is for a stream that goes one way."""
        self._shared.require_beginning()
        if len(name.encode()) > 255:
            raise MisuseError("a name of more than 255 bytes")
        given = self._shared.share.take(max(0, credit - STREAM_WINDOW))  # [R13.5-4]
        stream = Stream(name, True, STREAM_WINDOW, min(credit, STREAM_WINDOW + given))
        self._unopened.append(stream)
        self.open_waiting()
        return stream

    def open_waiting(self) -> None:
        """Numbers are given here, and not when the app asks (SPEC §15.6)."""
        while self._unopened and self.openings.available and self._shared.has_room(_LONGEST_OPEN):
            stream = self._unopened.popleft()
            self.openings.use(1)
            stream.id = self._shared.numbers.assign(stream)
            stream.sending.may_repeat = self._shared.is_resumed
            self.known[stream.id] = stream
            frame = StreamOpen(stream.id, stream.receiving.limit, stream.name)
            self._shared.send(FrameType.STREAM_OPEN, frame.encode())
            self._shared.emit(StreamStarted(stream.id, stream.name))

    def write(self, stream: Stream, data: bytes) -> None:
        self._require_sending(stream)
        stream.waiting += data

    def finish(self, stream: Stream) -> None:
        """STREAM_END, after the last byte."""
        self._require_sending(stream)
        stream.is_ending = True

    def reset(self, stream: Stream, code: int) -> None:
        """Gives our direction up."""
        if stream.has_ended:
            raise MisuseError("this direction has ended")
        if stream.id is None:
            raise MisuseError("this stream is not open yet")
        stream.waiting.clear()
        stream.has_ended = True
        self._shared.send(FrameType.STREAM_RESET, StreamReset(stream.id, code).encode())
        self._end_if_over(stream)

    def stop(self, stream: Stream, code: int) -> None:
        """Asks the peer to give its direction up, and drops what comes until then ([R15.6-6])."""
        if stream.id is None or stream.state is not Receiving.RECEIVING:
            raise MisuseError("there is nothing to stop")
        stream.state = Receiving.STOPPING
        stream.unread.clear()
        self._shared.send(FrameType.STREAM_STOP, StreamReset(stream.id, code).encode())

    def take(self, stream: Stream, count: int) -> bytes:
        """At most `count` bytes, in order."""
        data = bytes(stream.unread[:count])
        del stream.unread[:count]
        stream.taken += len(data)
        self._report_end(stream)
        return data

    @staticmethod
    def _require_sending(stream: Stream) -> None:
        if stream.has_ended or stream.is_ending:
            raise MisuseError("this direction has ended")

    # Frames of the peer

    def handle(self, frame: Frame) -> None:
        match frame.type:
            case FrameType.STREAM_OPEN:
                self._handle_open(StreamOpen.decode(frame.payload))
            case FrameType.STREAM_DATA:
                self._handle_data(StreamData.decode(frame.payload))
            case FrameType.STREAM_END:
                self._handle_end(StreamEnd.decode(frame.payload))
            case FrameType.STREAM_RESET:
                self._handle_reset(StreamReset.decode(frame.payload))
            case FrameType.STREAM_STOP:
                self._handle_stop(StreamReset.decode(frame.payload))

    def _handle_open(self, opened: StreamOpen) -> None:
        """[R15.6-1]: the number, then the credit."""
        self._shared.numbers.check_next(opened.id)
        self.granted.use(1)
        stream = Stream(opened.name, False, opened.credit, STREAM_WINDOW)
        stream.id = opened.id
        stream.sending.may_repeat = self._shared.is_resumed
        self._shared.numbers.begin(stream)
        self.known[opened.id] = stream
        self._shared.emit(StreamOpened(opened.id, opened.name))

    def _receiving(self, number: int, type_: FrameType) -> Stream:
        """The stream whose direction from the peer has not ended ([R15.6-4])."""
        stream = self._shared.numbers.named(number, type_)
        if stream.state is Receiving.ENDED:
            raise unexpected(f"{type_.name} behind the end of its direction")
        return stream

    def _handle_data(self, part: StreamData) -> None:
        stream = self._receiving(part.id, FrameType.STREAM_DATA)
        stream.receiving.use(len(part.data))
        if stream.state is Receiving.RECEIVING:
            stream.unread += part.data
            self._shared.emit(StreamReadable(part.id))

    def _handle_end(self, end: StreamEnd) -> None:
        """[R15.6-3]."""
        stream = self._receiving(end.id, FrameType.STREAM_END)
        if end.size != stream.receiving.used:
            raise malformed(f"a stream of {end.size} bytes of which {stream.receiving.used} came")
        stream.is_complete = stream.state is Receiving.RECEIVING
        self._peer_ended(stream)

    def _handle_reset(self, reset: StreamReset) -> None:
        stream = self._receiving(reset.id, FrameType.STREAM_RESET)
        if stream.state is Receiving.RECEIVING:
            stream.unread.clear()
            stream.is_reported = True
            self._shared.emit(StreamEnded(reset.id, False, reset.code))
        self._peer_ended(stream)

    def _peer_ended(self, stream: Stream) -> None:
        stopped = stream.state is Receiving.STOPPING
        stream.state = Receiving.ENDED
        stream.is_reported |= stopped  # the app itself has stopped it, so there is nothing to tell
        self._report_end(stream)
        self._end_if_over(stream)

    def _report_end(self, stream: Stream) -> None:
        """*Complete* is reported after the last byte ([R15.6-7])."""
        if stream.state is Receiving.ENDED and not stream.unread and not stream.is_reported:
            stream.is_reported = True
            assert stream.id is not None
            self._shared.emit(StreamEnded(stream.id, True, None))
            self._count_if_over(stream)

    def _handle_stop(self, stop: StreamReset) -> None:
        """[R15.6-5], [R13.4-4]."""
        stream = self._shared.numbers.named(stop.id, FrameType.STREAM_STOP)
        if stream is None or stream.has_ended:
            return
        self._shared.emit(StreamStopped(stop.id, stop.code))
        self.reset(stream, stop.code)

    def handle_credit(self, stream: Stream, credit: Credit) -> None:
        if not stream.has_ended:  # [R13.4-4]
            stream.sending.raise_to(credit.limit)

    # What is sent

    def frame(self, stream: Stream, maximum: int) -> Frame:
        """The next bulk frame of a stream that is ready; STREAM_END is no bulk, and comes in its order all the same."""
        assert stream.id is not None
        if stream.waiting:
            data = bytes(stream.waiting[: min(maximum, stream.sending.available)])
            del stream.waiting[: len(data)]
            stream.sending.use(len(data))
            return Frame(FrameType.STREAM_DATA, StreamData(stream.id, data).encode())
        stream.has_ended = True
        end = StreamEnd(stream.id, stream.sending.used)
        self._end_if_over(stream)
        return Frame(FrameType.STREAM_END, end.encode())

    def grant(self, stream: Stream) -> None:
        """As the app takes bytes; one that does not take is granted nothing."""
        if stream.state is Receiving.RECEIVING:
            stream.receiving.keep(stream.taken, stream.window)

    def resumed(self) -> None:
        """Limits are told again, and may be ([R13.4-2], [R13.9-8])."""
        self.openings.may_repeat = True
        self.granted.tell_again()
        for stream in self._shared.numbers:
            if stream.is_stream:
                stream.sending.may_repeat = True
                if stream.state is Receiving.RECEIVING:
                    stream.receiving.tell_again()

    def forget_waiting(self) -> None:
        """What has not been opened will not be."""
        for stream in self._unopened:
            self._shared.share.give_back(stream.beyond)
        self._unopened.clear()

    def end(self) -> None:
        """The association has ended: what came of a direction that had not ended is dropped ([R13.5-6])."""
        self.forget_waiting()
        for stream in list(self.known.values()):
            if stream.state is not Receiving.ENDED:
                stream.unread.clear()
                stream.is_reported = True
            stream.has_ended = True
            stream.state = Receiving.ENDED
            if not stream.is_counted and stream.is_own:
                self._shared.share.give_back(stream.beyond)
                stream.is_counted = True
            if not stream.unread:
                self.known.pop(stream.id or 0, None)

    @property
    def unread(self) -> int:
        """Of directions that have ended, once the association has ([R13.5-6])."""
        return sum(len(stream.unread) for stream in self.known.values())

    def close(self) -> None:
        """Before CLOSE of no_error ([R16.1-5])."""
        self.forget_waiting()
        for stream in self._shared.numbers:
            if stream.is_stream and stream.state is Receiving.RECEIVING:
                self.stop(stream, 0)
            if stream.is_stream and not stream.has_ended:
                self.reset(stream, 0)

    def _end_if_over(self, stream: Stream) -> None:
        """The number has ended; what is unread stays with the app."""
        if stream.is_over:
            assert stream.id is not None
            self._shared.numbers.end(stream.id)
            self._count_if_over(stream)

    def _count_if_over(self, stream: Stream) -> None:
        """The opening, or the memory, comes back once the app knows the end ([R13.5-1])."""
        if not stream.is_over or not stream.is_reported:
            return
        assert stream.id is not None
        self.known.pop(stream.id, None)
        if stream.is_counted:
            return
        stream.is_counted = True
        if stream.is_own:
            self._shared.share.give_back(stream.beyond)
        else:
            self.closed += 1
