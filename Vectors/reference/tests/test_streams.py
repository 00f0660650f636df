"""SPEC §15.6: streams, by the tables of both ends of a direction."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from multipeer_reference.errors import MisuseError
from multipeer_reference.frames import Frame, FrameType as T

from .test_association import C, M, X, credit, fails, greater
from .two import Two


def opened(number=0, credit_=9, name="s"):
    return Frame(T.STREAM_OPEN, StreamOpen(number, credit_, name).encode())


def data(content, number=0):
    return Frame(T.STREAM_DATA, StreamData(number, content).encode())


def end(size, number=0):
    return Frame(T.STREAM_END, StreamEnd(number, size).encode())


def reset(code=0, number=0):
    return Frame(T.STREAM_RESET, StreamReset(number, code).encode())


def stop(code=0, number=0):
    return Frame(T.STREAM_STOP, StreamReset(number, code).encode())


@pytest.mark.parametrize("frames, code", [
    ([data(b"ab"), end(2)], None), ([end(0)], None), ([data(b"ab"), end(1)], M), ([data(b"ab"), end(3)], M), ([end(1)], M),
    ([end(0), end(0)], X), ([end(0), data(b"x")], X), ([end(0), reset()], X), ([reset(), data(b"x")], X),
    ([reset(), end(0)], X), ([reset(), reset()], X), ([data(bytes(32_768))], None), ([data(bytes(32_769))], C),
    ([data(bytes(32_768)), data(b"x")], C), ([data(bytes(32_768)), end(32_768)], None),
    ([end(0), credit(3, 0, 10)], None), ([end(0), stop()], None), ([stop(), stop()], None), ([stop(), credit(3, 0, 1)], None),
    ([stop(), end(0), stop()], None), ([stop(), reset(), data(b"x")], X), ([stop(), reset(), credit(3, 0, 99)], None),
])
def test_frames_of_one_direction(frames, code):
    """R15.6-2, R15.6-3, R15.6-4, R15.6-5, R13.4-4. Our own direction lives, but where STREAM_STOP came."""
    fails(code, greater(), opened(), *frames)


def test_stop_is_answered_by_reset_of_the_same_code():
    """R15.6-5: and what waits is not sent."""
    association = greater()
    association.receive(opened(credit_=2))
    association.streams.write(association.stream(0), b"abc")
    assert association.take_frames() == [data(b"ab")]
    association.receive(stop(77))
    assert association.take_frames() == [reset(77)]
    assert association.events[-1] == events.StreamStopped(0, 77)
    association.receive(credit(3, 0, 1))  # crossed, so not even its limit is judged
    with pytest.raises(MisuseError):
        association.streams.write(association.stream(0), b"x")


@pytest.mark.parametrize("frames, code", [
    ([data(b"abc"), end(3)], None), ([data(b"abc"), end(2)], M), ([data(bytes(32_769))], C), ([reset(9)], None),
    ([data(b"a"), reset()], None), ([end(0), data(b"a")], X),
])
def test_what_comes_behind_our_stop_is_judged_and_dropped(frames, code):
    """R15.6-6."""
    association = greater()
    association.receive(opened())
    association.streams.stop(association.stream(0), 5)
    assert association.take_frames() == [stop(5)]
    fails(code, association, *frames)
    assert not [event for event in association.events if isinstance(event, (events.StreamReadable, events.StreamEnded))]


def test_an_end_is_told_behind_the_last_byte():
    """R15.6-7."""
    association = greater()
    association.receive(opened())
    stream = association.stream(0)
    for frame in (data(b"abc"), end(3)):
        association.receive(frame)
    assert association.streams.take(stream, 2) == b"ab" and not stream.is_reported
    assert association.streams.take(stream, 2) == b"c"
    assert association.events[-1] == events.StreamEnded(0, True, None)
    assert association.streams.take(stream, 2) == b""


def test_reset_drops_what_was_not_taken():
    """R15.6-7."""
    association = greater()
    association.receive(opened())
    association.receive(data(b"abc"))
    association.receive(reset(64))
    assert association.streams.take(association.stream(0), 9) == b""
    assert association.events[-1] == events.StreamEnded(0, False, 64)


def test_both_ways():
    """R15.2-2, R15.6-7: STREAM_END comes behind all data, and the end behind the last byte."""
    two = Two()
    stream = two.sides[0].streams.open("chat")
    two.sides[0].streams.write(stream, bytes(100_000))
    two.sides[0].streams.finish(stream)
    two.settle()
    other = two.sides[1].stream(0)
    assert two.of(1, events.StreamOpened) == [events.StreamOpened(0, "chat")] and len(other.unread) == 32_768
    got = b""
    while not other.is_reported:
        got += two.sides[1].streams.take(other, 7_000)
        two.settle()
    assert got == bytes(100_000)
    two.sides[1].streams.write(other, b"answer")
    two.sides[1].streams.finish(other)
    two.settle()
    assert two.sides[0].streams.take(stream, 99) == b"answer" and stream.is_complete
    assert not list(two.sides[0].live()) and not list(two.sides[1].live())


def test_one_way():
    """R15.6-8: with `credit` 0 the direction towards the opener has ended from the start; nothing is sent for it."""
    two = Two()
    stream = two.sides[1].streams.open("log", 0)
    two.sides[1].streams.write(stream, b"line")
    two.settle()
    other = two.sides[0].stream(1)
    for ask in (
        lambda: two.sides[0].streams.write(other, b"x"), lambda: two.sides[0].streams.finish(other),
        lambda: two.sides[0].streams.reset(other, 0), lambda: two.sides[1].streams.stop(stream, 0),
    ):
        with pytest.raises(MisuseError):
            ask()
    two.sides[1].streams.finish(stream)
    two.settle()
    assert two.sides[0].streams.take(other, 9) == b"line"
    assert not list(two.sides[0].live()) and two.of(0, events.StreamEnded) == [events.StreamEnded(1, True, None)]
    assert not list(two.sides[1].live()) and not two.of(1, events.StreamEnded) and not two.log[0]


@pytest.mark.parametrize("frames, code", [
    ([data(b"x", 1)], X), ([end(0, 1)], X), ([reset(0, 1)], X), ([credit(3, 1, 32_769)], None), ([stop(0, 1)], None),
    ([stop(0, 1), stop(0, 1), credit(3, 1, 1)], None),
])
def test_frames_for_a_stream_that_goes_one_way(frames, code):
    """R15.6-8: what its opener is sent; CREDIT raises its own direction until that has ended."""
    association = greater()
    association.streams.open("s", 0)
    fails(code, association, *frames)


def test_what_the_other_side_of_one_way_is_sent():
    """R15.6-8, R13.4-4: its own direction has ended, so CREDIT and STREAM_STOP crossed that."""
    association = greater()
    association.receive(opened(credit_=0))
    fails(None, association, stop(), credit(3, 0, 1), stop(5))
    assert not association.take_frames() and not [e for e in association.events if isinstance(e, events.StreamStopped)]


def test_the_window_of_an_own_stream():
    """R13.5-1: its credit, if that is less than 32,768; more is granted once."""
    for credit_, taken, limit in ((9, 5, 14), (100_000, 83_617, 116_385)):
        association = greater()
        stream = association.streams.open("s", credit_)
        association.receive(data(bytes(taken), 1)) if taken < 9 else [
            association.receive(data(bytes(taken // 3), 1)) for _ in range(3)] + [association.receive(data(bytes(taken % 3), 1))]
        association.take_frames()
        assert len(association.streams.take(stream, taken)) == taken
        assert association.take_frames() == [credit(3, 1, limit)]


def test_stop_crosses_the_end():
    """R13.2-3, R13.4-4: both ways."""
    two = Two()
    stream = two.sides[0].streams.open("s")
    two.settle()
    two.sides[0].streams.finish(stream)
    two.sides[1].streams.stop(two.sides[1].stream(0), 3)
    for side in (0, 1):
        two.send(side)
    two.settle()
    two.sides[1].streams.reset(two.sides[1].stream(0), 1)
    two.settle()
    assert not list(two.sides[0].live()) and not list(two.sides[1].live())


def test_a_hundred_in_turn():
    """R13.5-1: the openings come back."""
    two = Two()
    for index in range(100):
        stream = two.sides[0].streams.open(str(index), 0)
        two.settle()
        two.sides[0].streams.finish(stream)
        two.settle()
    assert len(two.of(1, events.StreamEnded)) == 100 and not list(two.sides[0].live())


def test_a_slow_reader_stops_its_own_stream_alone():
    """R13.3-2."""
    two = Two()
    slow, fast = (two.sides[0].streams.open(name) for name in ("slow", "fast"))
    for stream in (slow, fast):
        two.sides[0].streams.write(stream, bytes(200_000))
    got = 0
    for _ in range(100):
        two.settle()
        got += len(two.sides[1].streams.take(two.sides[1].stream(fast.id), 50_000))
    assert got == 200_000 and len(two.sides[1].stream(slow.id).unread) == 32_768


def test_closing_ends_what_lives():
    """R16.1-5."""
    two = Two()
    stream = two.sides[0].streams.open("s")
    two.settle()
    two.sides[0].close()
    assert {frame.type for frame in two.sides[0].take_frames()} == {T.STREAM_STOP, T.STREAM_RESET}
    assert stream.has_ended
