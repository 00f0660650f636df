"""SPEC §13 and §15.1: numbers, credit, messages, ACK and keep-alive, frame by frame."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.frames import Ack, Credit, CreditKind, Ping
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.association.messages import Result
from multipeer_reference.association.pools import BulkPool, MessagePool, Pools
from multipeer_reference.association.scheduling import QUANTUM, Scheduler
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from multipeer_reference.errors import ErrorCode, MisuseError, ProtocolError
from multipeer_reference.files import FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.integers import encode_varint

from .two import Two

X, M, C = ErrorCode.UNEXPECTED_FRAME, ErrorCode.MALFORMED, ErrorCode.CREDIT_EXCEEDED


def message(data: bytes, total: int | None = None) -> Frame:
    return Frame(T.MESSAGE, encode_varint(len(data) if total is None else total) + data)


def credit(kind: int, id_: int, limit: int) -> Frame:
    return Frame(T.CREDIT, Credit(kind, id_, limit).encode())


def fails(code: ErrorCode | None, association: Association, *frames: Frame) -> None:
    """The last frame is the fault, or none is."""
    for frame in frames[:-1]:
        association.receive(frame)
    if code is None:
        association.receive(frames[-1])
        return
    with pytest.raises(ProtocolError) as caught:
        association.receive(frames[-1])
    assert caught.value.code is code, caught.value


OPEN, OFFER = Frame(T.STREAM_OPEN, StreamOpen(0, 9).encode()), Frame(T.FILE_OFFER, FileOffer(2, 4, "a").encode())
#: Each frame that names a number.
NAMING = {
    T.CREDIT: lambda n: credit(3, n, 1 << 40), T.STREAM_DATA: lambda n: Frame(T.STREAM_DATA, StreamData(n, b"x").encode()),
    T.STREAM_END: lambda n: Frame(T.STREAM_END, StreamEnd(n, 0).encode()),
    T.STREAM_RESET: lambda n: Frame(T.STREAM_RESET, StreamReset(n, 0).encode()),
    T.STREAM_STOP: lambda n: Frame(T.STREAM_STOP, StreamReset(n, 0).encode()),
    T.FILE_ACCEPT: lambda n: Frame(T.FILE_ACCEPT, FileAccept(n).encode()),
    T.FILE_CANCEL: lambda n: Frame(T.FILE_CANCEL, FileCancel(n, 2).encode()),
    T.FILE_DATA: lambda n: Frame(T.FILE_DATA, FileData(n, 0, b"x").encode()),
    T.FILE_END: lambda n: Frame(T.FILE_END, FileEnd(n, bytes(32)).encode()),
    T.FILE_DONE: lambda n: Frame(T.FILE_DONE, FileDone(n).encode()),
}
CROSSING = (T.CREDIT, T.STREAM_STOP, T.FILE_ACCEPT, T.FILE_CANCEL, T.FILE_DONE)


def greater() -> Association:
    """Has the odd numbers; its peer begins with 0."""
    return Association(False, 1 << 20, 1 << 20)


@pytest.mark.parametrize("frames, code", [
    ([OPEN], None), ([OPEN, OFFER], None), ([Frame(T.STREAM_OPEN, StreamOpen(1, 0).encode())], M),
    ([Frame(T.STREAM_OPEN, StreamOpen(2, 0).encode())], M), ([OPEN, OPEN], M), ([OFFER], M), ([OPEN, OFFER, OFFER], M),
    ([OPEN, Frame(T.FILE_OFFER, FileOffer(0, 4, "a").encode())], M),
])
def test_first_and_next_numbers(frames, code):
    """R13.2-1, R15.3-1."""
    fails(code, greater(), *frames)


@pytest.mark.parametrize("type_", NAMING)
@pytest.mark.parametrize("number", [0, 1, 2, 1 << 40])
def test_frames_that_name_an_unused_number(type_, number):
    """R13.2-2."""
    fails(X, greater(), NAMING[type_](number))


@pytest.mark.parametrize("type_", NAMING)
def test_frames_that_name_an_ended_number(type_):
    """R13.2-2, R13.2-3, for a stream of the peer's and a file of our own."""
    association = greater()
    association.receive(OPEN)
    association.streams.reset(association.stream(0), 0)
    association.receive(NAMING[T.STREAM_RESET](0))
    file = association.sent_files.offer(FileOffer(0, 4, "a"))
    association.sent_files.cancel(file, 2)
    for number in (0, 1):
        fails(None if type_ in CROSSING else X, association, NAMING[type_](number))


@pytest.mark.parametrize("type_", [t for t in NAMING if t != T.CREDIT])
def test_frames_of_the_other_kind(type_):
    """R13.2-2, R15.3-12: stream frames of files, FILE frames of streams, and files of the wrong side."""
    for number, is_stream in ((0, True), (2, False), (1, False), (3, True)):
        association = greater()
        association.receive(OPEN)
        association.receive(OFFER)
        association.sent_files.offer(FileOffer(0, 4, "a"))
        association.streams.open("b")
        of_stream = type_.name.startswith("STREAM")
        wrong = of_stream != is_stream
        wrong |= type_ in (T.FILE_ACCEPT, T.FILE_DONE) and number == 2 or type_ in (T.FILE_DATA, T.FILE_END) and number == 1
        if wrong:
            fails(X, association, NAMING[type_](number))


@pytest.mark.parametrize("frames, code", [
    ([credit(0, 0, 262_144)], M), ([credit(0, 0, 262_145)], None), ([credit(0, 0, 300_000), credit(0, 0, 300_000)], M),
    ([credit(0, 0, 300_000), credit(0, 0, 299_999)], M), ([credit(1, 0, 32)], M), ([credit(1, 0, 33)], None),
    ([credit(2, 0, 32)], M), ([credit(2, 0, (1 << 62) - 1)], None),
    ([OPEN, credit(3, 0, 9)], M), ([OPEN, credit(3, 0, 10)], None), ([OPEN, credit(4, 0, 10)], X),
    ([OPEN, OFFER, credit(4, 2, 10)], X), ([OPEN, OFFER, credit(3, 2, 10)], X), ([credit(3, 0, 10)], X),
    ([OPEN, Frame(T.STREAM_STOP, StreamReset(0, 0).encode()), credit(3, 0, 1)], None),
])
def test_faults_of_credit(frames, code):
    """R13.4-2 to R13.4-4."""
    fails(code, greater(), *frames)


def test_credit_for_a_file_before_it_is_accepted():
    """R13.4-3."""
    association = greater()
    association.sent_files.offer(FileOffer(0, 40, "a"))
    fails(X, association, credit(4, 1, 100))
    accept = Frame(T.FILE_ACCEPT, FileAccept(1, credit=10).encode())
    fails(M, association, accept, credit(4, 1, 10))
    fails(None, association, credit(4, 1, 11))


@pytest.mark.parametrize("count, length, last, code", [
    (4_096, 0, None, None), (4_096, 0, 0, C), (1, 262_080, None, None), (1, 262_080, 0, C), (1, 262_081, None, C),
    (3, 65_000, 66_951, C), (3, 65_000, 66_888, None),
])
def test_limit_of_messages(count, length, last, code):
    """R13.3-1: 64 and the bytes of each; the app takes nothing."""
    association = Association(False, 1 << 20, 1 << 20, takes_at_once=False)
    frames = [message(bytes(length))] * count + ([] if last is None else [message(bytes(last))])
    fails(code, association, *frames)


def test_credit_comes_behind_the_rest():
    """R18-1: what is malformed is not an overdraft."""
    association = Association(False, 1 << 20, 1 << 20, takes_at_once=False)
    fails(ErrorCode.LIMIT_EXCEEDED, association, message(bytes(262_080)), message(b"xxxx", (1 << 20) + 1))
    fails(M, association, message(b"xx", 1))
    fails(C, association, message(b"x"))


def test_openings_and_offers():
    """R13.3-1, R13.5-1: 32 of each, which come back with the end, and only once the app knows it."""
    association = greater()
    for number in range(0, 64, 2):
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(number, 0).encode()))
    for number in range(64, 128, 2):
        association.receive(Frame(T.FILE_OFFER, FileOffer(number, 0, "a").encode()))
    for number in range(0, 16, 2):
        association.streams.finish(association.stream(number))
    association.take_frames()
    for number in range(0, 14, 2):
        association.receive(Frame(T.STREAM_END, StreamEnd(number, 0).encode()))
    assert not [frame for frame in association.take_frames() if frame.type == T.CREDIT]  # it may wait for eight
    eighth = association.stream(14)
    association.receive(Frame(T.STREAM_DATA, StreamData(14, b"x").encode()))
    association.receive(Frame(T.STREAM_END, StreamEnd(14, 1).encode()))
    assert not [frame for frame in association.take_frames() if frame.type == T.CREDIT]  # unread
    assert association.streams.take(eighth, 9) == b"x"
    assert association.take_frames() == [credit(1, 0, 40)]
    for number in range(64, 80, 2):
        association.receive(NAMING[T.FILE_CANCEL](number))
    assert association.take_frames() == [credit(2, 0, 40)]
    for _ in range(8):
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(128 + 2 * _, 0).encode()))
    fails(C, association, Frame(T.STREAM_OPEN, StreamOpen(144, 0).encode()))
    fails(M, association, Frame(T.FILE_OFFER, FileOffer(0, 0, "a").encode()))


def test_one_that_opens_too_much_waits():
    """R13.3-1: the 33rd goes with the credit for it; numbers are given when the frame goes."""
    two = Two()
    streams = [two.sides[0].streams.open(str(index)) for index in range(40)]
    two.settle()
    assert len(two.of(1, events.StreamOpened)) == 32 and streams[32].id is None
    file = two.sides[0].sent_files.offer(FileOffer(0, 0, "a"))
    assert file.id == 64
    for number in range(0, 16, 2):
        for side in two.sides:
            side.streams.finish(side.stream(number))
        two.settle()
    assert [event.name for event in two.of(1, events.StreamOpened)] == [str(index) for index in range(40)]
    assert streams[32].id == 66


def test_messages_of_any_length_in_order():
    two = Two()
    messages = [bytes([index]) * length for index, length in enumerate((0, 1, 300_000, 0, 1 << 20, 262_080, 5))]
    for tag, data in enumerate(messages):
        two.sides[0].send(data, tag)
    two.quiet()
    assert two.messages(1) == messages
    assert two.of(0, events.MessageEnded) == [events.MessageEnded(tag, Result.DELIVERED) for tag in range(7)]


def test_a_message_that_was_begun_cannot_be_taken_back():
    two = Two()
    for tag in range(5):
        two.sides[0].send(bytes(100_000), tag)
    two.sides[0].take_frames()
    assert two.sides[0].take_back(4) and not two.sides[0].take_back(4)
    assert not any(two.sides[0].take_back(tag) for tag in (0, 1, 2))
    two.sides[0].receive(Frame(T.ACK, Ack(1).encode()))
    two.sides[0].end()
    ends = {event.tag: event.result for event in two.of(0, events.MessageEnded)}
    assert ends == {
        0: Result.DELIVERED, 1: Result.IN_DOUBT, 2: Result.NOT_SENT, 3: Result.NOT_SENT, 4: Result.NOT_SENT
    }


def test_nothing_is_granted_for_what_is_not_taken():
    """R13.3-2, R13.5-2: messages stop, and nothing else does."""
    two = Two(takes_at_once=False)
    for tag in range(10_000):
        two.sides[0].send(b"", tag)
    stream = two.sides[0].streams.open("s")
    two.sides[0].streams.write(stream, bytes(10))
    two.settle()
    assert len(two.messages(1)) == 4_096 and two.of(1, events.StreamReadable)
    two.sides[1].take_messages(2_047)
    two.settle()
    assert len(two.messages(1)) == 4_096
    two.sides[1].take_messages(1)
    two.settle()
    assert len(two.messages(1)) == 4_096 + 2_048


def test_a_long_message_is_granted_in_steps():
    """R13.5-3, R13.5-5: whether or not the app takes, by 1 MiB at most, as the rest is used."""
    two = Two(maximum=1 << 22, takes_at_once=False)
    two.sides[0].send(bytes(3 << 20), 1)
    two.settle()
    assert len(two.messages(1)) == 1
    limits = [Credit.decode(frame.payload).limit for frame in two.sent(1, T.CREDIT)]
    assert limits[-1] == (3 << 20) + 64 and all(b - a <= 1 << 20 for a, b in zip([262_144, *limits], limits))


def test_long_messages_wait_for_memory():
    """R13.5-3: one at a time where the pool has room for one; the second is granted nothing until the first is taken."""
    pools = Pools(messages=1 << 20)
    pairs = [Two(takes_at_once=False, pools=pools) for _ in range(2)]
    for pair in pairs:
        pair.sides[0].send(bytes(1 << 20), 1)
        pair.settle()
    assert [len(pair.messages(1)) for pair in pairs] == [1, 0]
    assert not pairs[1].sent(1, T.CREDIT)
    pairs[0].sides[1].take_messages(1)
    pairs[0].settle()
    assert len(pairs[1].settle().messages(1)) == 1


def test_a_stalled_message_ends_its_link_where_others_wait():
    """R13.5-5."""
    pools = Pools(messages=1 << 20)
    pairs = [Two(takes_at_once=False, pools=pools) for _ in range(2)]
    first = pairs[0].sides[1]
    first.receive(message(bytes(1), 1 << 20))
    first.take_frames()
    first.expire(60_000)  # nobody waits, so it may
    pairs[1].sides[0].send(bytes(1 << 20), 1)
    pairs[1].settle()
    first.expire(119_999)
    with pytest.raises(ProtocolError) as caught:
        first.expire(120_000)
    assert caught.value.code is ErrorCode.LIMIT_EXCEEDED
    first.end()
    assert len(pairs[1].settle().messages(1)) == 1


def acks(association: Association) -> list[int]:
    return [Ack.decode(frame.payload).messages for frame in association.take_frames() if frame.type == T.ACK]


def test_when_ack_goes():
    """R13.6-1."""
    association = Association(False, 1 << 20, 1 << 20)
    for _ in range(63):
        association.receive(message(b"x"))
    assert acks(association) == []
    association.receive(message(b"x"))
    assert acks(association) == [64] and association.deadline is None
    association.receive(message(bytes(65_535)))
    assert acks(association) == []
    association.receive(message(b"x"))
    assert acks(association) == [66]
    association.receive(message(b"xy", 3))
    assert association.deadline is None
    association.receive(Frame(T.MESSAGE_PART, b"z"))
    assert association.deadline == 20
    association.expire(19)
    assert acks(association) == []
    association.expire(20)
    assert acks(association) == [67] and not association.last_acknowledgement()
    association.receive(message(b""))
    assert [frame.payload for frame in association.last_acknowledgement()] == [b"\x40\x44"]


@pytest.mark.parametrize("counts, code", [
    ([0], M), ([1], None), ([2], None), ([3], M), ([1, 1], M), ([2, 1], M), ([1, 2], None),
])
def test_faults_of_ack(counts, code):
    """R13.6-2: two messages were sent whole, of a third only a part."""
    association = Association(True, 1 << 20, 1 << 20)
    for data in (b"", b"x", bytes(1 << 20)):
        association.send(data)
    association.take_frames()
    fails(code, association, *(Frame(T.ACK, Ack(count).encode()) for count in counts))


def test_keep_alive():
    """R13.7-1 to R13.7-3."""
    two = Two(times=KeepAliveTimes())
    assert two.sides[0].deadline == 5_000
    two.advance(5_000)
    two.settle()
    assert len(two.sent(0, T.PING)) == len(two.sent(0, T.PONG)) == len(two.sent(1, T.PING)) == 1
    two.advance(4_999)
    assert not two.send(0)
    lonely = two.sides[0]
    lonely.expire(10_000)
    lonely.expire(15_000)
    lonely.expire(19_999)
    with pytest.raises(ProtocolError) as caught:
        lonely.expire(20_000)
    assert caught.value.code is ErrorCode.SILENT
    lonely.record_came(20_001)
    lonely.expire(20_002)
    patient = Association(True, 9, 9, 0, KeepAliveTimes(silent=None))
    patient.expire(10**9)


def test_the_last_of_two_pings_is_answered():
    association = greater()
    for data in (b"aaaaaaaa", b"bbbbbbbb"):
        association.receive(Frame(T.PING, Ping(data).encode()))
    association.receive(Frame(T.PONG, bytes(8)))
    assert association.take_frames() == [Frame(T.PONG, b"bbbbbbbb")] and association.take_frames() == []
    for type_ in (T.PING, T.PONG):
        fails(M, association, Frame(type_, bytes(7)))


def test_scheduling():
    """SPEC §15.2: control first; four bytes of messages for one of bulk; numbers in turn."""
    two = Two(maximum=1 << 24)
    two.sides[1].receive(credit(0, 0, 1 << 30))
    for name in "ab":
        stream = two.sides[1].streams.open(name)
        two.sides[1].receive(credit(3, stream.id, 1 << 30))
        two.sides[1].streams.write(stream, bytes(1 << 23))
    two.sides[1].send(bytes(1 << 24))
    frames = two.sides[1].take_frames(5 << 20)
    assert [frame.type for frame in frames[:2]] == [T.STREAM_OPEN] * 2
    lengths = {T.MESSAGE: 0, 0: 0, 1: 0, 3: 0}
    for frame in frames[2:]:
        key = T.MESSAGE if frame.type in (T.MESSAGE, T.MESSAGE_PART) else StreamData.decode(frame.payload).id
        lengths[key] += len(frame.payload)
    assert abs(lengths[T.MESSAGE] - 4 * (lengths[1] + lengths[3])) < 6 * QUANTUM
    assert abs(lengths[1] - lengths[3]) < 2 * QUANTUM


def test_pools():
    pool = MessagePool(100)
    assert pool.reserve("a", 60) and not pool.reserve("b", 50) and not pool.reserve("c", 10)  # in their order
    assert pool.others_wait("a") and pool.reserve("a", 60)
    pool.keep("a", 50)
    assert not pool.reserve("c", 10) and pool.reserve("b", 50) and not pool.reserve("c", 10)
    pool.keep("b", 0)
    assert pool.reserve("c", 10)
    bulk = BulkPool(100)
    assert (bulk.take("a", 80), bulk.take("a", 80), bulk.take("b", 80)) == (50, 0, 25)
    bulk.leave("a")
    assert bulk.take("b", 80) == 25


def test_misuse():
    association = Association(True, 9, 9)
    with pytest.raises(MisuseError):
        association.send(bytes(10))
    stream = association.streams.open("s")
    association.streams.finish(stream)
    with pytest.raises(MisuseError):
        association.streams.write(stream, b"x")
    assert Scheduler().number([5]) == 5
