"""SPEC §13.5 to §13.7, §15.1, §15.2: messages, what is granted for them, ACK, keep-alive and scheduling."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.frames import Ack, Credit, Ping
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.association.messages import Result
from multipeer_reference.association.pools import MessagePool, Pools, Reservation, Share
from multipeer_reference.association.scheduling import QUANTUM, Scheduler
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen
from multipeer_reference.errors import ErrorCode, MisuseError, ProtocolError
from multipeer_reference.files import FileOffer
from multipeer_reference.frames import Frame, FrameType as T

from .test_association import M, credit, fails, greater, message
from .two import Two


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
    two.sides[1].take_messages(1)
    two.settle()
    assert len(two.messages(1)) == 4_097
    two.sides[1].take_messages(2_047)
    two.settle()
    assert len(two.messages(1)) == 4_096 + 2_048


def test_a_receiver_waits_while_half_of_the_window_is_unused():
    """R13.5-2: and grants the whole window above what is taken then."""
    association = Association(False, 1 << 20, 1 << 20)
    association.receive(message(bytes(131_072 - 64)))
    assert not [frame for frame in association.take_frames() if frame.type == T.CREDIT]
    association.receive(message(b""))
    assert credit(0, 0, 262_144 + 131_072 + 64) in association.take_frames()


def test_a_long_message_is_granted_in_steps():
    """R13.5-3, R13.5-5, R15.1-5: whether or not the app takes, by 1 MiB at most, as the rest is used."""
    two = Two(maximum=1 << 22, takes_at_once=False)
    two.sides[0].send(bytes(3 << 20), 1)
    two.settle()
    assert len(two.messages(1)) == 1
    limits = [Credit.decode(frame.payload).limit for frame in two.sent(1, T.CREDIT)]
    assert limits[-1] == (3 << 20) + 64 and all(b - a <= 1 << 20 for a, b in zip([262_144, *limits], limits))


def test_long_messages_wait_for_memory():
    """R13.5-3: one at a time where the pool has room for one; the second is granted nothing until the first is taken."""
    pools = Pools(messages=2 << 20)
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
    pools = Pools(messages=2 << 20)
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
    """R13.7-1, R13.7-3."""
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
    """R13.7-1, R13.7-2."""
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


def test_the_pool_of_messages():
    """SPEC §13.5: in their order; no short one waits for a long one; back when the app has taken the message."""
    pool = MessagePool(4 << 20)
    first, second, third = (Reservation(pool, amount) for amount in (1 << 20, 1 << 20, 5))
    long, longer = (Reservation(pool, (1 << 20) + amount) for amount in (1, 2))
    assert first.is_granted and second.is_granted and not third.is_granted and long.is_granted
    assert first.others_wait() and not third.others_wait() and long.others_wait() and not longer.is_granted
    late = Reservation(pool, 1)
    first.give_back()
    assert third.is_granted and late.is_granted and not longer.is_granted
    longer.give_back()  # its link has ended
    assert not long.others_wait()


def test_the_share_of_a_peer():
    """R13.5-4: what it is granted beyond the windows, in all of its links of one session."""
    share = Share(100)
    assert (share.take(80), share.take(80), share.take(1)) == (80, 20, 0)
    share.give_back(80)
    assert share.take(100) == 80
    pools = Pools(share=100)
    associations = [Association(True, 9, 9, pools=pools, owner=owner) for owner in ("a", "a", "b")]
    limits = [association.streams.open("s", 32_848).receiving.limit for association in associations]
    assert limits == [32_848, 32_788, 32_848]
    associations[0].end()
    assert associations[1].streams.open("s", 40_000).receiving.limit == 32_768 + 80


def test_what_an_ended_link_has_left():
    """R13.5-6: whole messages, and directions of streams that had ended, until the app takes them."""
    association = Association(False, 1 << 20, 1 << 20, takes_at_once=False)
    association.receive(Frame(T.STREAM_OPEN, StreamOpen(0, 0).encode()))
    association.receive(Frame(T.STREAM_OPEN, StreamOpen(2, 0).encode()))
    for number in (0, 2):
        association.receive(Frame(T.STREAM_DATA, StreamData(number, bytes(100)).encode()))
    association.receive(Frame(T.STREAM_END, StreamEnd(0, 100).encode()))
    for data, total in ((b"abc", 3), (b"", 0), (b"part", 9)):
        association.receive(message(data, total))
    association.end()
    assert association.untaken == 64 + 3 + 64 + 100 and association.stream(2) is None
    assert association.streams.take(association.stream(0), 200) == bytes(100)
    assert association.events[-1] == events.StreamEnded(0, True, None)
    association.take_messages(1)
    assert association.untaken == 64 and not association.take_frames()


def test_a_message_that_the_peer_does_not_take():
    """R15.1-3: *not sent*."""
    association = Association(True, 9, 9)
    association.send(bytes(10), "long")
    assert association.events == [events.MessageEnded("long", Result.NOT_SENT)] and not association.take_frames()


def test_a_message_begins_as_soon_as_a_part_of_it_may_go():
    """R15.1-5: credit for 65 bytes, or for 64 where it is empty."""
    association = Association(True, 1 << 20, 1 << 20)
    for data in (bytes(262_144 - 64 - 64), b"xyz"):
        association.send(data)
    sent = association.take_frames()
    assert sum(len(frame.payload) for frame in sent[1:]) and sent[-1].type == T.MESSAGE_PART
    for limit, frames in ((262_145, [Frame(T.MESSAGE, b"\x03x")]), (262_147, [Frame(T.MESSAGE_PART, b"yz")])):
        association.receive(credit(0, 0, limit))
        assert association.take_frames() == frames
    association.send(b"")
    association.receive(credit(0, 0, 262_147 + 63))
    assert not association.take_frames()
    association.receive(credit(0, 0, 262_147 + 64))
    assert association.take_frames() == [Frame(T.MESSAGE, b"\x00")]


def test_nothing_new_is_begun_while_draining():
    """§17: and what lives goes on."""
    association = Association(True, 9, 9)
    stream = association.streams.open("s")
    association.send(b"before")
    association.drain()
    for begin in (
        lambda: association.send(b"x"), lambda: association.streams.open("s"),
        lambda: association.sent_files.offer(FileOffer(0, 0, "a")),
    ):
        with pytest.raises(MisuseError):
            begin()
    association.streams.write(stream, b"more")
    assert [frame.type for frame in association.take_frames()] == [T.STREAM_OPEN, T.MESSAGE, T.STREAM_DATA]


def test_misuse():
    association = Association(True, 9, 9)
    stream = association.streams.open("s")
    association.streams.finish(stream)
    with pytest.raises(MisuseError):
        association.streams.write(stream, b"x")
    assert Scheduler().number([5]) == 5
