"""Messages (SPEC §13.5, §13.6, §15.1)."""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from ..errors import ErrorCode, ProtocolError, malformed, unexpected
from ..frames import Frame, FrameType
from ..integers import encode_varint
from ..reader import Reader
from .credit import MESSAGE_COST, MESSAGES_WINDOW, ReceiveCredit, SendCredit
from .pools import MessagePool, Reservation

#: How much a message that has reserved memory is granted at a time, and how long it may leave that unused ([R13.5-5]).
STEP = 1 << 20
PATIENCE = 60_000


class Result(StrEnum):
    """What is known of a message ([R13.6-3])."""

    DELIVERED = "delivered"
    NOT_SENT = "not sent"
    IN_DOUBT = "in doubt"


class OutgoingMessages:
    """`tag` is the app's name for a message."""

    def __init__(self, maximum: int) -> None:
        self.credit = SendCredit(MESSAGES_WINDOW)
        self._maximum = maximum
        self._waiting: deque[tuple[bytes, object]] = deque()
        self._begun = 0  # bytes of the first one that have gone
        self._unacknowledged: deque[tuple[int, object]] = deque()  # with the number of the last frame
        self._is_begun = False

    @property
    def is_empty(self) -> bool:
        """Whether all that the app gave has been sent."""
        return not self._waiting

    def send(self, message: bytes, tag: object) -> bool:
        """False if it is longer than the peer takes: it is *not sent* ([R15.1-3])."""
        if len(message) > self._maximum:
            return False
        self._waiting.append((message, tag))
        return True

    def take_back(self, tag: object) -> bool:
        """False if the message has been begun."""
        for index, (_, other) in enumerate(self._waiting):
            if other == tag and not (index == 0 and self._is_begun):
                del self._waiting[index]
                return True
        return False

    @property
    def is_ready(self) -> bool:
        if not self._waiting:
            return False
        if self._is_begun:
            return self.credit.available > 0
        return self.credit.available >= MESSAGE_COST + (1 if self._waiting[0][0] else 0)

    def frame(self, maximum: int, number: int) -> Frame:
        """The next frame, with at most `maximum` bytes of data; it is the counted frame of this number."""
        message, tag = self._waiting[0]
        if self._is_begun:
            data = message[self._begun : self._begun + min(maximum, self.credit.available)]
            frame = Frame(FrameType.MESSAGE_PART, data)
        else:
            data = message[: min(maximum, self.credit.available - MESSAGE_COST)]
            frame = Frame(FrameType.MESSAGE, encode_varint(len(message)) + data)
            self.credit.use(MESSAGE_COST)
        self.credit.use(len(data))
        self._begun += len(data)
        self._is_begun = self._begun < len(message)
        if not self._is_begun:
            self._waiting.popleft()
            self._begun = 0
            self._unacknowledged.append((number, tag))
        return frame

    def acknowledge(self, count: int) -> list[object]:
        """So many frames have been processed: the tags of what is delivered ([R13.6-3])."""
        delivered = []
        while self._unacknowledged and self._unacknowledged[0][0] <= count:
            delivered.append(self._unacknowledged.popleft()[1])
        return delivered

    def end(self) -> list[tuple[object, Result]]:
        """What becomes of the rest when the association ends."""
        results = [(tag, Result.IN_DOUBT) for _, tag in self._unacknowledged]
        results += [(tag, Result.NOT_SENT) for _, tag in self._waiting]
        self._unacknowledged.clear()
        self._waiting.clear()
        return results


class IncomingMessages:
    """Puts messages together, and grants; memory follows what has arrived, not `total` ([R15.1-4])."""

    def __init__(self, maximum: int, pool: MessagePool) -> None:
        self.credit = ReceiveCredit(MESSAGES_WINDOW)
        self._maximum, self._pool = maximum, pool
        self._total = 0
        self._data: bytearray | None = None
        self._reservation: Reservation | None = None  # of the message that is under way
        self._untaken: deque[tuple[int, Reservation | None]] = deque()  # what messages have used that the app has not taken
        self._taken = 0  # what the messages have used that the app has taken
        self._granted_at: int | None = None  # to a message that has reserved memory

    @property
    def is_unfinished(self) -> bool:
        return self._data is not None

    def handle(self, frame: Frame) -> bytes | None:
        """The message, if the frame completes it. Fields come first, then what is under way, then credit ([R18-1])."""
        if frame.type == FrameType.MESSAGE:
            return self._begin(frame.payload)
        if not frame.payload:
            raise malformed("a part is empty")
        if self._data is None:
            raise unexpected("MESSAGE_PART with no message begun")
        return self._append(self._total, self._data, frame.payload, len(frame.payload))

    def _begin(self, payload: bytes) -> bytes | None:
        reader = Reader(payload)
        total = reader.varint()
        if total > self._maximum:
            raise ProtocolError(ErrorCode.LIMIT_EXCEEDED, f"a message of {total} bytes")
        data = reader.rest()
        if len(data) > total or (total and not data):
            raise malformed("a beginning is empty, or longer than its message")
        if self._data is not None:
            raise unexpected("MESSAGE before the last one is complete")
        return self._append(total, bytearray(), data, MESSAGE_COST + len(data))

    def _append(self, total: int, begun: bytearray, data: bytes, cost: int) -> bytes | None:
        """A faulty part changes nothing."""
        if len(data) > total - len(begun):
            raise malformed("a part is longer than what the message lacks")
        self.credit.use(cost)
        begun += data
        self._total, self._data = total, begun
        if len(begun) < total:
            return None
        self._data = None
        self._untaken.append((MESSAGE_COST + total, self._reservation))
        self._reservation = None
        return bytes(begun)

    def take(self, count: int) -> None:
        """The app has taken `count` messages more; what one of them had reserved goes back."""
        for _ in range(min(count, len(self._untaken))):
            cost, reservation = self._untaken.popleft()
            self._taken += cost
            if reservation is not None:
                reservation.give_back()

    @property
    def untaken(self) -> int:
        """What the messages have used that the app has not taken ([R13.5-6])."""
        return sum(cost for cost, _ in self._untaken)

    def grant(self, now: int) -> None:
        """Raises the limit as far as it should be now ([R13.5-2], [R13.5-3], [R13.5-5])."""
        credit = self.credit
        credit.keep(self._taken, MESSAGES_WINDOW)
        if self._data is not None:
            self._grant_rest(credit.used + self._total - len(self._data), now)
        if self._data is None or credit.used == credit.limit:
            self._granted_at = None

    def _grant_rest(self, needed: int, now: int) -> None:
        """The rest of a message that the window does not hold, by steps, once all of it is reserved."""
        credit, base = self.credit, max(self._taken + MESSAGES_WINDOW, self.credit.limit)
        if needed <= base:
            return
        if self._reservation is None:
            self._reservation = Reservation(self._pool, needed - base)
        if self._reservation.is_granted and credit.limit - credit.used <= STEP // 2:
            credit.grant(min(needed, base + STEP))
            self._granted_at = now

    @property
    def deadline(self) -> int | None:
        """When a message that does not use what it was granted is stalled."""
        return None if self._granted_at is None else self._granted_at + PATIENCE

    def expire(self, now: int) -> None:
        """[R13.5-5]."""
        if self.deadline is not None and now >= self.deadline:
            if self._reservation is not None and self._reservation.others_wait():
                raise ProtocolError(ErrorCode.LIMIT_EXCEEDED, "a message is stalled, and others wait")
            self._granted_at = now

    def end(self) -> None:
        """Of the message that is under way; whole ones are the app's."""
        self._granted_at = None
        if self._reservation is not None:
            self._reservation.give_back()
            self._reservation = None
