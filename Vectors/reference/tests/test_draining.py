"""SPEC §13.6, §16: frames that are sent and received while a link drains, because the peer grants too little credit."""


import pytest

from multipeer_reference import events
from multipeer_reference.association.frames import Credit
from multipeer_reference.core import State
from multipeer_reference.errors import MisuseError
from multipeer_reference.files import FileOffer
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
    """§16.4: and CLOSE as soon as no message waits."""
    pair = exhausted()
    assert pair.initiator.link.state is State.OPEN and len(pair.responder.of(events.MessageReceived)) < 3
    association(pair.responder).take_messages(3)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 3
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)
    assert results(pair.initiator) == {0: "delivered", 1: "delivered", 2: "delivered"}


def test_draining_ends_when_nothing_moves():
    """§16.4: 5 s without a byte of a message; the peer's CREDIT of other kinds is no progress."""
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
    """§16.4: however the messages trickle."""
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
    """§16.4: a file that was begun, in both directions; nothing new."""
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
