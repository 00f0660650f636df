"""SPEC §13.2 to §13.4: numbers and credit, frame by frame."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.frames import Credit
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from multipeer_reference.errors import ErrorCode, ProtocolError
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


def credits(association: Association) -> list[Frame]:
    return [frame for frame in association.take_frames() if frame.type == T.CREDIT]


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
    """R13.4-2, R13.4-3, R13.4-4."""
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
    """R13.3-1, R13.5-1, R13.5-2: 32 of each, which come back with the end, once the app knows it, and half are used."""
    association = greater()
    for number in range(0, 50, 2):
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(number, 9).encode()))
    for number in range(50, 114, 2):
        association.receive(Frame(T.FILE_OFFER, FileOffer(number, 0, "a").encode()))
    association.take_frames()
    for number in range(0, 14, 2):
        association.streams.finish(association.stream(number))
        association.receive(Frame(T.STREAM_DATA, StreamData(number, b"x").encode()))
        association.receive(Frame(T.STREAM_END, StreamEnd(number, 1).encode()))
    association.take_frames()
    assert not credits(association)  # unread
    for number in range(0, 14, 2):
        assert association.streams.take(association.stream(number), 9) == b"x"
    assert credits(association) == [credit(1, 0, 39)]  # 7 of 32 were unused
    for number in range(50, 64, 2):
        association.receive(NAMING[T.FILE_CANCEL](number))
        assert credits(association) == [credit(2, 0, 32 + (number - 48) // 2)]
    for number in range(114, 142, 2):
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(number, 9).encode()))
    fails(C, association, Frame(T.STREAM_OPEN, StreamOpen(142, 9).encode()))
    fails(M, association, Frame(T.FILE_OFFER, FileOffer(0, 0, "a").encode()))


def test_counts_wait_while_half_is_unused():
    """R13.5-2."""
    association = greater()
    for number in range(0, 34, 2):
        assert not credits(association)
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(number, 0).encode()))
        association.receive(Frame(T.STREAM_END, StreamEnd(number, 0).encode()))
    assert credits(association) == [credit(1, 0, 49)]


def test_an_opening_comes_back_with_our_own_end():
    """R13.5-1: the stream has ended when our STREAM_END goes, and CREDIT goes with it."""
    association = greater()
    for number in range(0, 34, 2):
        association.receive(Frame(T.STREAM_OPEN, StreamOpen(number, 9).encode()))
        association.receive(Frame(T.STREAM_END, StreamEnd(number, 0).encode()))
        association.streams.finish(association.stream(number))
    frames = association.take_frames()
    assert [frame.type for frame in frames] == [T.STREAM_END] * 17 + [T.CREDIT] and frames[-1] == credit(1, 0, 49)


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
