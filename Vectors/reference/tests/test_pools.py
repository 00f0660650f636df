"""SPEC §13.5: memory that several links share, and that may be short. In scripts nothing is ever short."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.pools import MessagePool, Pools, Reservation, Share
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.integers import encode_varint

from .two import Two


def message(data: bytes, total: int) -> Frame:
    return Frame(T.MESSAGE, encode_varint(total) + data)


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
