"""Associations that survive their links (SPEC §13.9): two live links, cut at every place."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.policy import Preference

from .helpers import FULL
from .mending import Mending

FILE = bytes(range(256)) * 40


def exchange(pair: Mending) -> None:
    """Messages, a stream with an answer and files, all of both peers."""
    for number, peer in enumerate(pair.peers):
        for index in range(3):
            peer.association.send(b"%d/%d" % (number, index) * (index * 400 + 1), (number, index))
        stream = peer.association.streams.open("chat")
        peer.association.streams.write(stream, b"s%d" % number * 700)
        peer.association.streams.finish(stream)
        peer.offer(f"f{number}", FILE + bytes([number]))
        peer.association.send(bytes([number]) * 5_000, (number, 3))


def small(pair: Mending) -> None:
    for number, peer in enumerate(pair.peers):
        peer.association.send(b"m%d" % number, number)
        stream = peer.association.streams.open("s")
        peer.association.streams.write(stream, b"abc")
        peer.association.streams.finish(stream)
        peer.offer("f", b"file%d" % number)


def check_small(pair: Mending) -> None:
    for number, peer in enumerate(pair.peers):
        theirs = 1 - number
        assert peer.messages == [b"m%d" % theirs] and peer.results == {number: "delivered"}
        assert peer.read == {theirs: b"abc"} and peer.ends[theirs] is True
        assert peer.stored == {theirs + 2: b"file%d" % theirs} and peer.delivered == [number + 2]
        assert not peer.of(events.FileCancelled)


def expected(number: int) -> list[bytes]:
    return [b"%d/%d" % (number, index) * (index * 400 + 1) for index in range(3)] + [bytes([number]) * 5_000]


def check(pair: Mending) -> None:
    """Nothing is lost, nothing comes twice, and the order is kept."""
    for number, peer in enumerate(pair.peers):
        other = pair.peers[1 - number]
        assert peer.messages == expected(1 - number)
        assert peer.results == {(number, index): "delivered" for index in range(4)}
        theirs = 1 - number  # the first number of the other peer: its stream; the next is its file
        assert peer.read == {theirs: b"s%d" % theirs * 700} and peer.ends[theirs] is True
        assert list(peer.stored.values()) == [FILE + bytes([1 - number])]
        assert len(other.delivered) == 1
        assert not peer.of(events.FileCancelled)


def uncut(preference: Preference) -> int:
    """How many bytes the exchange has, from the opening on."""
    pair = Mending(preference=preference).open()
    begun = pair.moved
    exchange(pair)
    pair.settle()
    check(pair)
    return pair.moved - begun


def test_an_exchange_without_a_cut():
    """R13.9-2, R13.6-3."""
    assert uncut(Preference.REQUIRED) > 20_000


@pytest.mark.parametrize("initiator", [0, 1])
def test_a_small_exchange_is_cut_at_every_byte(initiator: int):
    """R13.9-3, R13.9-4, R13.9-6, R13.9-8, R13.9-9; with MULTIPEER_FULL=1 each byte, otherwise every 17th."""
    budget, is_cut = 0, True
    while is_cut:
        pair = Mending().open()
        pair.budget = pair.moved + budget
        small(pair)
        pair.settle()
        pair.budget, is_cut = None, not pair.is_open
        if is_cut:
            pair.resume(initiator)
        assert pair.is_open, budget
        check_small(pair)
        budget += 1 if FULL else 17
    assert budget > 400


@pytest.mark.parametrize("preference", [Preference.REQUIRED, Preference.NONE])
@pytest.mark.parametrize("initiator", [0, 1])
def test_a_large_exchange_is_cut(preference: Preference, initiator: int):
    """As above, on readable links too, in steps."""
    for budget in range(0, uncut(preference) + 1, 97 if FULL else 2_003):
        pair = Mending(preference=preference).open()
        pair.budget = pair.moved + budget
        exchange(pair)
        pair.settle()
        pair.budget = None
        if not pair.is_open:
            pair.resume(initiator)
        assert pair.is_open, budget
        check(pair)


def test_cut_again_and_again():
    """R13.9-5, R13.9-6, R13.9-8: also while it is resumed; each link gets a little further."""
    for step in (2_100, 5_000):
        pair = Mending().open()
        exchange(pair)
        pair.budget = pair.moved + step
        pair.settle()
        for count in range(200):
            if pair.is_open:
                break
            pair.budget = pair.moved + step + 401 * count  # a record has to come whole
            pair.resume(count % 2)
        pair.budget = None
        pair.settle()
        check(pair)
