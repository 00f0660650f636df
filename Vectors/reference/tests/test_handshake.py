"""SPEC §5–§9, §17: whole runs of two links in memory, drip-fed, changed and cut at every byte."""

from random import Random

import pytest

from multipeer_reference import events
from multipeer_reference.core import State
from multipeer_reference.hello import DRAFT_04, GREASE, SUITES, InitiatorHello
from multipeer_reference.link import Link
from multipeer_reference.proofs import Role
from multipeer_reference.records import MAGIC, RecordKind

from .helpers import ALICE, BOB, FULL, Pair, config, seeded


def test_nothing_readable():
    """§2: neither identity keys, names nor contexts are on the wire."""
    pair = Pair(config(ALICE, display_name="Alice's phone"), config(BOB, display_name="Bob's phone"))
    pair.invite(context=b"the secret context")
    pair.pump()
    for wire in pair.sent.values():
        for secret in (ALICE.public, BOB.public, b"phone", b"context"):
            assert secret not in wire


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 1000])
def test_chunks_change_nothing(chunk):
    whole, dripped = Pair(), Pair()
    dripped.chunk = chunk
    whole.open(), dripped.open()
    assert whole.sent == dripped.sent
    assert [side.events for side in whole.sides] == [side.events for side in dripped.sides]


def until_open(*configs) -> Pair:
    """Runs until both are open; later frames are not sent yet."""
    pair = Pair(*configs)
    pair.invite()
    while not all(side.of(events.Opened) for side in pair.sides):
        for from_initiator in (True, False):
            if not all(side.of(events.Opened) for side in pair.sides):
                pair.step(from_initiator)
    return pair


def swept(wire):
    """The positions of a direction that a sweep looks at.

    Those are all of the magic and the hello, and of a protected record the header, the frames and the tag. Of the
    padding between, which is most of a record (R6.5-1), there is a sample, unless MULTIPEER_FULL asks for everything.
    """
    if FULL:
        return range(len(wire))
    chosen, offset = set(range(len(MAGIC))), len(MAGIC)
    while offset < len(wire):
        end = offset + 3 + int.from_bytes(wire[offset + 1 : offset + 3], "big")
        frames = end if wire[offset] == RecordKind.HELLO else min(end, offset + 160)
        chosen |= {*range(offset, frames), *range(end - 20, end), *Random(offset).sample(range(offset, end), 20)}
        offset = end
    return sorted(chosen)


@pytest.mark.parametrize("suite", SUITES)
def test_every_flipped_byte(suite):
    """Any byte of a whole run up to *open* is changed: not both peers open; a changed hello identifies nobody."""
    initiator, responder = config(ALICE, suites=(suite,)), config(BOB, suites=SUITES)
    reference = until_open(initiator, responder)
    hellos = {side: 11 + int.from_bytes(wire[9:11], "big") for side, wire in reference.sent.items()}
    for from_initiator in (True, False):
        for position in swept(reference.sent[from_initiator]):
            pair = Pair(initiator, responder)

            def tamper(direction, offset, data):
                if direction is from_initiator and offset <= position < offset + len(data):
                    data = bytearray(data)
                    data[position - offset] ^= 0x40
                return bytes(data)

            pair.tamper = tamper
            pair.invite()
            pair.pump()
            pair.advance(600_001)
            pair.advance(600_001)
            opened = [bool(side.of(events.Opened)) for side in pair.sides]
            assert not all(opened), position
            receiver = pair.responder if from_initiator else pair.initiator
            assert not receiver.of(events.Opened), position
            assert all(side.link.is_closed for side in pair.sides), position
            if position < hellos[from_initiator]:
                assert not any(side.of(events.Identified) for side in pair.sides), position


@pytest.mark.parametrize("from_initiator", [True, False])
def test_every_cut(from_initiator):
    """R16.2-1: a stream that ends anywhere before CLOSE is reported as truncated."""
    reference = until_open()
    for length in swept(reference.sent[from_initiator]):
        pair = Pair()

        def cut(direction, offset, data):
            return data[: max(0, length - offset)] if direction is from_initiator else data

        pair.tamper = cut
        pair.invite()
        pair.pump()
        receiver = pair.responder if from_initiator else pair.initiator
        receiver.link.end_of_stream(pair.now)
        receiver.drain(pair.now)
        assert receiver.one(events.Closed).outcome == "truncated" and not receiver.of(events.Opened)


@pytest.mark.parametrize("grease", [True, False])
def test_grease_is_offered(grease):
    """R7.4-1, R1-1."""
    link = Link(config(grease=grease), Role.INITIATOR, 0, seeded("g"))
    offer = InitiatorHello.decode(link.take_output()[11:])
    assert set(offer.versions) - set(GREASE) == {DRAFT_04}  # R1-1
    assert [len(offer.versions), len(offer.suites), len(offer.extensions)] == ([2, 3, 1] if grease else [1, 2, 0])


def test_every_state_has_a_deadline():
    """R19-3, observed along a run."""
    pair = Pair()
    pair.invite()
    seen = set()
    moving = True
    while moving:
        moving = pair.step(True) | pair.step(False)
        for side in pair.sides:
            seen.add(side.link.state)
            is_without = side.link.core.deadline is None  # an open link may still owe ACK
            assert is_without == (side.link.state in (State.OPEN, State.CLOSED))
    pair.initiator.link.close(0)
    assert pair.initiator.link.state is State.CLOSING and pair.initiator.link.deadline == 5_000
    assert State.OPEN in seen and State.CERTIFICATES in seen
