"""SPEC §13.6, §16, §17: what still goes and comes while a link drains, and behind its CLOSE."""

import hashlib

import pytest

from multipeer_reference import events
from multipeer_reference.association.frames import Ack, Credit
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.files import FileDone, FileOffer
from multipeer_reference.frames import Frame, FrameType as T

from .helpers import ALICE, BOB, Pair, config


def opened(**changes) -> Pair:
    return Pair(config(ALICE, **changes), config(BOB, **changes)).open()


def association(side, now=0):
    return side.link.association(now)


def exhausted() -> Pair:
    """The initiator has more to say than the responder, whose app takes nothing, has credit for; and then closes."""
    pair = opened(takes_at_once=False)
    for tag in range(3):
        association(pair.initiator).send(bytes(200_000), tag)
    pair.pump()
    pair.initiator.link.close(0)
    return pair.pump()


def results(side) -> dict:
    return {event.tag: str(event.result) for event in side.of(events.MessageEnded)}


def test_draining_goes_on_as_credit_comes():
    """§17: and CLOSE as soon as no message waits."""
    pair = exhausted()
    assert pair.initiator.link.state is State.OPEN and len(pair.responder.of(events.MessageReceived)) < 3
    association(pair.responder).take_messages(3)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 3
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)
    assert results(pair.initiator) == {0: "delivered", 1: "delivered", 2: "delivered"}


def test_draining_ends_when_nothing_moves():
    """§17: 5 s without a byte of a message; the peer's CREDIT of other kinds is no progress."""
    pair = exhausted()
    before = len(pair.responder.of(events.MessageReceived))
    pair.advance(4_999)
    pair.responder.inject(Frame(T.PING, bytes(8)))
    pair.pump()
    assert pair.initiator.link.state is State.OPEN
    pair.advance(1)
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)
    assert list(results(pair.initiator).values()).count("delivered") == before
    assert "not sent" in results(pair.initiator).values()


def test_draining_lasts_a_minute_at_most():
    """§17: however the messages trickle."""
    pair = exhausted()
    limit = pair.initiator.link.standing.association.outgoing.credit.limit
    pair.responder.link.standing.association.incoming.grant = lambda now: None  # but what the test grants
    for second in range(4, 60, 4):
        pair.advance(4_000)
        limit += 65
        pair.responder.inject(Frame(T.CREDIT, Credit(0, 0, limit).encode()))
        pair.responder.link.standing.association.incoming.credit.limit = limit
        pair.pump()
        assert pair.initiator.link.state is State.OPEN, second
    pair.advance(3_999)
    assert pair.initiator.link.state is State.OPEN
    pair.advance(1)
    assert pair.initiator.one(events.Closed).outcome == "no_error"


def test_what_lives_goes_on_while_draining():
    """§17: a file that was begun, in both directions; nothing new."""
    pair = exhausted()
    theirs = association(pair.responder).sent_files.offer(FileOffer(0, 4, "theirs"))
    pair.pump()
    mine = association(pair.initiator)
    with pytest.raises(MisuseError):
        mine.sent_files.offer(FileOffer(0, 4, "mine"))
    mine.received_files.accept(mine.file(theirs.id))
    pair.pump()
    association(pair.responder).sent_files.supply(theirs, b"data")
    pair.pump()
    mine.received_files.stored(mine.file(theirs.id))
    pair.pump()
    assert pair.responder.of(events.FileDelivered) and pair.initiator.link.state is State.OPEN


@pytest.mark.parametrize("code", [ErrorCode.NO_ERROR, ErrorCode.SHUTTING_DOWN, ErrorCode.MALFORMED])
@pytest.mark.parametrize("closer", [0, 1])
def test_an_ack_goes_before_every_close_of_no_error(code, closer):
    """R13.6-1: also in front of an answer to a CLOSE with an error, and of the own one."""
    pair = opened()
    pair.sides[1 - closer].link.send_message(b"x", 0, "m")
    pair.step(closer == 1)
    pair.sides[closer].link.close(0, code)
    pair.pump()
    told = results(pair.sides[1 - closer])
    assert told == {"m": "delivered" if code is ErrorCode.NO_ERROR else "in doubt"}
    other = opened()
    other.sides[closer].link.send_message(b"x", 0, "m")
    other.step(closer == 0)
    other.sides[closer].link.close(0, code)
    other.pump()
    assert results(other.sides[closer]) == {"m": "delivered" if code is ErrorCode.NO_ERROR else "in doubt"}
    assert pair.sides[closer].error is None and other.sides[1 - closer].error is None


def sent_file(pair: Pair):
    """FILE_END has gone and come; the responder has not stored the file yet."""
    file = association(pair.initiator).sent_files.offer(FileOffer(0, 4, "a"))
    pair.pump()
    theirs = association(pair.responder)
    theirs.received_files.accept(theirs.file(file.id))
    pair.pump()
    association(pair.initiator).sent_files.supply(file, b"data")
    pair.pump()
    assert pair.responder.one(events.FileReceived).sha256 == hashlib.sha256(b"data").digest()
    return theirs, theirs.file(file.id)


def test_done_is_taken_behind_our_close():
    """R16.1-3, R16.1-5: for a file whose FILE_END has gone; no FILE_CANCEL goes for it."""
    pair = opened()
    theirs, file = sent_file(pair)
    pair.initiator.link.close(0)
    theirs.received_files.stored(file)
    pair.step(False)
    assert pair.initiator.of(events.FileDelivered) and not pair.initiator.of(events.FileCancelled)
    pair.pump()
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)


@pytest.mark.parametrize("payload, code", [
    (FileDone(0).encode(), None), (FileDone(1).encode(), None), (FileDone(8).encode(), None), (b"\x00", ErrorCode.MALFORMED),
])
def test_done_for_anything_else_is_ignored_behind_our_close(payload, code):
    """§16.3: once decoded."""
    pair = opened()
    association(pair.initiator).sent_files.offer(FileOffer(0, 4, "a"))
    pair.pump()
    pair.initiator.link.close(0)
    pair.responder.inject(Frame(T.FILE_DONE, payload))
    pair.step(False)
    assert pair.initiator.error is code


def test_an_ack_behind_our_close_is_judged():
    """§16.3: R13.6-2."""
    pair = opened()
    pair.initiator.link.send_message(b"x", 0, "m")
    pair.initiator.link.close(0)
    pair.initiator.link.take_output()
    pair.responder.inject(Frame(T.ACK, Ack(2).encode()))
    pair.step(False)
    assert pair.initiator.error is ErrorCode.MALFORMED


@pytest.mark.parametrize("closer", [0, 1])
def test_a_file_that_is_being_stored_is_stored_to_the_end(closer):
    """R16.1-5: also where FILE_DONE cannot be sent any more."""
    pair = opened()
    theirs, file = sent_file(pair)
    pair.sides[closer].link.close(0)
    pair.pump()
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)
    assert not pair.responder.of(events.FileCancelled)
    theirs.received_files.stored(file)
    assert not theirs.take_frames() and theirs.file(file.id) is None and not pair.initiator.of(events.FileDelivered)
    broken = opened()
    theirs, file = sent_file(broken)
    broken.responder.link.end_of_stream(0)
    theirs.received_files.stored(file)
    assert theirs.file(file.id) is None


def test_what_had_ended_stays_complete():
    """R16.1-5, R15.6-7: the app still reads a direction that STREAM_END had ended, and nothing of another."""
    pair = opened()
    streams = [association(pair.initiator).streams.open(name) for name in "ab"]
    for stream in streams:
        association(pair.initiator).streams.write(stream, b"data")
    association(pair.initiator).streams.finish(streams[0])
    pair.pump()
    theirs = association(pair.responder)
    first, second = (theirs.stream(stream.id) for stream in streams)
    pair.initiator.link.end_of_stream(0)
    pair.responder.link.end_of_stream(0)
    assert theirs.streams.take(first, 9) == b"data" and theirs.streams.take(second, 9) == b""
    pair.responder.drain(0)
    assert [event for event in pair.responder.of(events.StreamEnded)] == [events.StreamEnded(0, True, None)]
