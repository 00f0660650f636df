"""SPEC §5–§9, §17: handshakes of two links in memory, drip-fed, changed, refused and late."""

from random import Random

import pytest

from multipeer_reference import events
from multipeer_reference.core import State
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.errors import ErrorCode
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.hello import DRAFT_03, GREASE, SUITES, Extension, InitiatorHello, ResponderHello
from multipeer_reference.invitation import PeerInfo
from multipeer_reference.link import Link
from multipeer_reference.noise import public_key
from multipeer_reference.proofs import Proof, Role, make_proof
from multipeer_reference.records import MAGIC, RecordKind, encode_record

from .helpers import ALICE, BOB, FULL, Pair, Side, config, seeded

FINAL = 0x0001  # the number of the final text, which no draft offers or chooses (R1-1)
DRAFT_01, DRAFT_02 = 0xFF01, 0xFF02


@pytest.mark.parametrize("suite", SUITES)
def test_to_open(suite):
    pair = Pair(config(ALICE, suites=(suite,)), config(BOB)).open()
    secured = [side.one(events.Secured) for side in pair.sides]
    assert secured[0] == secured[1] and secured[0].suite == suite
    assert pair.initiator.one(events.Identified).identity_key == BOB.public
    assert pair.responder.one(events.Identified).identity_key == ALICE.public
    assert pair.initiator.link.inviting.transcript == pair.responder.link.inviting.transcript
    assert pair.initiator.link.opening.noise.trace == pair.responder.link.opening.noise.trace
    mine, yours = (side.link.core.channel for side in pair.sides)
    assert (mine.sending.k, mine.sending.n) == (yours.receiving.k, yours.receiving.n)
    assert (yours.sending.k, yours.sending.n) == (mine.receiving.k, mine.receiving.n)
    assert mine.sending.k != yours.sending.k


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
    """As far as both are open, and what stands above has not been sent."""
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
    """Whatever byte of a whole run up to *open* is changed: not both sides open; a changed hello identifies nobody."""
    initiator, responder = config(ALICE, suites=(suite,)), config(BOB)
    reference = until_open(initiator, responder)
    hellos = {True: 11 + int.from_bytes(reference.sent[True][9:11], "big"), False: 11 + 53}
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


def test_wrong_magic_answers_nothing():
    link = Link(config(), Role.RESPONDER, 0, seeded("x"))
    link.receive(b"GET / HTTP/1.1\r\n", 0)
    assert link.is_closed and link.core.error is ErrorCode.MALFORMED and link.take_output() == b""


def responder_with(body, kind=RecordKind.HELLO, **changes):
    side = Side(Link(config(**changes), Role.RESPONDER, 0, seeded("r")))
    side.link.receive(MAGIC + encode_record(kind, body), 0)
    side.drain(0)
    return side, side.link.take_output()


def hello(versions=(DRAFT_03,), suites=(1,), extensions=(), ephemeral=public_key(b"\x07" * 32)):
    return InitiatorHello(versions, suites, extensions, ephemeral).encode()


def refusal(code, versions="00", suites="00"):
    return MAGIC + encode_record(RecordKind.REFUSAL, bytes([code]) + bytes.fromhex(versions + suites))


@pytest.mark.parametrize("body, changes, answer", [
    (hello(versions=(FINAL,)), {}, refusal(1, versions="02ff03")),
    (hello(versions=(DRAFT_02, DRAFT_01, FINAL)), {}, refusal(1, versions="02ff03")),
    (hello(versions=(GREASE[0],)), {}, refusal(1, versions="02ff03")),
    (hello(suites=(3,)), {}, refusal(2, suites="0400010002")),
    (hello(suites=(2,)), {"suites": (1,)}, refusal(2, suites="020001")),
    (hello(versions=(FINAL,), suites=(9,)), {}, refusal(1, versions="02ff03")),
    (hello(), {"busy": True}, refusal(3)),
    (hello(versions=(FINAL,), suites=(9,)), {"busy": True}, refusal(3)),
    (hello(versions=(DRAFT_03, DRAFT_03)), {}, refusal(4)),
    (hello() + b"\x00", {}, refusal(4)),
])
def test_refusals(body, changes, answer):
    """R7.3-3, R7.5-1, R7.5-4; and the numbers of other texts are not shared (R1-1)."""
    side, output = responder_with(body, **changes)
    assert output == answer and side.link.is_closed
    assert side.one(events.Refused).by_us
    pair = Pair()
    pair.initiator.link.take_output()
    pair.initiator.link.receive(answer, 0)
    pair.initiator.drain(0)
    assert pair.initiator.one(events.Refused).code == answer[11]
    assert pair.initiator.link.is_closed and pair.initiator.link.take_output() == b""


def test_low_order_ephemeral_is_answered_with_nothing():
    """R9.4-1."""
    side, output = responder_with(hello(ephemeral=bytes(32)))
    assert output == b"" and side.error is ErrorCode.HANDSHAKE_FAILED


@pytest.mark.parametrize("prefix, code", [
    ("01 0026", ErrorCode.MALFORMED), ("01 1001", ErrorCode.MALFORMED), ("ff", ErrorCode.MALFORMED),
    ("02", ErrorCode.UNEXPECTED_RECORD), ("10", ErrorCode.UNEXPECTED_RECORD), ("11", ErrorCode.UNEXPECTED_RECORD),
])
def test_first_record_of_the_initiator(prefix, code):
    """R6.2-1, R6.2-2: as early as it can be told; nothing is sent before Split()."""
    link = Link(config(), Role.RESPONDER, 0, seeded("x"))
    link.receive(MAGIC + bytes.fromhex(prefix), 0)
    assert link.core.error is code and link.is_closed and link.take_output() == b""


@pytest.mark.parametrize("length", ["0027", "1000"])
def test_lengths_of_a_hello(length):
    """§6.2: the shortest and the longest are waited for."""
    link = Link(config(), Role.RESPONDER, 0, seeded("x"))
    link.receive(MAGIC + bytes.fromhex("01" + length), 0)
    assert link.core.error is None and not link.is_closed and link.take_output() == b""


def initiator_gets(answer, **changes):
    side = Side(Link(config(grease=False, **changes), Role.INITIATOR, 0, seeded("i")))
    side.link.take_output()
    side.link.receive(MAGIC + encode_record(RecordKind.HELLO, answer.encode()), 0)
    side.drain(0)
    return side


@pytest.mark.parametrize("answer, code", [
    (ResponderHello(FINAL, 1, (), bytes(32), bytes(16)), ErrorCode.ILLEGAL_CHOICE),
    (ResponderHello(DRAFT_02, 1, (), bytes(32), bytes(16)), ErrorCode.ILLEGAL_CHOICE),
    (ResponderHello(DRAFT_03, 3, (), bytes(32), bytes(16)), ErrorCode.ILLEGAL_CHOICE),
    (ResponderHello(DRAFT_03, 1, (Extension(1),), bytes(32), bytes(16)), ErrorCode.ILLEGAL_CHOICE),
    (ResponderHello(DRAFT_03, 1, (), bytes(32), bytes(16)), ErrorCode.HANDSHAKE_FAILED),
    (ResponderHello(DRAFT_03, 1, (), b"\x09" + bytes(31), bytes(16)), ErrorCode.HANDSHAKE_FAILED),
])
def test_initiator_refuses_and_is_silent(answer, code):
    """R1-1, R7.3-2, R9.3-1, R9.4-1."""
    side = initiator_gets(answer)
    assert side.error is code and side.link.is_closed and side.link.take_output() == b""


def test_expected_peer():
    """R9.5-4: the initiator's key is not shown to another one; the responder learns the code."""
    pair = Pair(config(ALICE, expected_peer=ALICE.public[::-1]))
    pair.pump()
    assert pair.initiator.error is ErrorCode.UNEXPECTED_IDENTITY
    assert pair.responder.one(events.Closed).peer_code == ErrorCode.UNEXPECTED_IDENTITY
    assert pair.responder.link.core.peer_key is None
    Pair(config(ALICE, expected_peer=BOB.public)).open()


def test_own_identity():
    """R9.5-3."""
    pair = Pair(config(ALICE), config(ALICE)).pump()
    assert pair.initiator.error is ErrorCode.OWN_IDENTITY
    assert pair.responder.one(events.Closed).peer_code == ErrorCode.OWN_IDENTITY


CAROL = SigningKey(b"\x03" * 32)


def after_hello():
    """A pair whose initiator has not yet read the responder's PROOF, and whose responder waits for one."""
    pair = Pair()
    pair.step(True)
    return pair


@pytest.mark.parametrize("make, code", [
    (lambda h: make_proof(ALICE, Role.INITIATOR, h, BOB.public), None),
    (lambda h: make_proof(ALICE, Role.INITIATOR, h, CAROL.public), ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(ALICE, Role.INITIATOR, h), ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(ALICE, Role.RESPONDER, h), ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(ALICE, Role.INITIATOR, bytes(32), BOB.public), ErrorCode.PROOF_INVALID),
    (lambda h: Proof(ALICE.public, bytes(64)), ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(BOB, Role.RESPONDER, h), ErrorCode.PROOF_INVALID),
    (lambda h: Proof(BOB.public, bytes(64)), ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(BOB, Role.INITIATOR, h, BOB.public), ErrorCode.OWN_IDENTITY),
], ids=[
    "honest", "for another", "without the responder", "wrong role", "wrong hash", "empty", "reflected", "own, empty",
    "own",
])
def test_wrong_proofs(make, code):
    """R9.5-2, R9.5-3, R9.5-6: a signature that does not verify is all that counts, also under the receiver's own key."""
    pair = after_hello()
    pair.initiator.link.receive(pair.responder.link.take_output(), 0)
    core = pair.initiator.link.core
    core.channel.take_output()  # our honest PROOF is lost
    core.channel.sending.n = 0
    pair.initiator.inject(Frame(FrameType.PROOF, make(core.handshake_hash).encode()))
    pair.responder.link.receive(core.channel.take_output(), 0)
    assert pair.responder.error is code
    assert pair.responder.link.core.peer_key == (None if code else ALICE.public)


@pytest.mark.parametrize("expected", [None, ALICE, BOB, CAROL])
@pytest.mark.parametrize("make, key, code", [
    (lambda h: make_proof(BOB, Role.RESPONDER, h), BOB, None),
    (lambda h: Proof(BOB.public, bytes(64)), BOB, ErrorCode.PROOF_INVALID),
    (lambda h: Proof(ALICE.public, bytes(64)), ALICE, ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(ALICE, Role.INITIATOR, h, BOB.public), ALICE, ErrorCode.PROOF_INVALID),
    (lambda h: make_proof(ALICE, Role.RESPONDER, h), ALICE, ErrorCode.OWN_IDENTITY),
], ids=["honest", "empty", "own, empty", "own, wrong role", "own"])
def test_order_of_the_checks_of_a_proof(make, key, code, expected):
    """R9.5-6: the signature, one's own identity, the expected one. An initiator shows no key before all of them."""
    pair = Pair(config(ALICE, expected_peer=expected and expected.public))
    pair.step(True)
    core = pair.responder.link.core
    hello_and_proof = pair.responder.link.take_output()
    core.channel.sending.n = 0
    pair.responder.inject(Frame(FrameType.PROOF, make(core.handshake_hash).encode()))
    wire = hello_and_proof[: 11 + 53] + core.channel.take_output()
    pair.initiator.link.receive(wire, 0)
    if code is None and expected not in (None, key):
        code = ErrorCode.UNEXPECTED_IDENTITY
    assert pair.initiator.error is code
    pair.responder.link.receive(pair.initiator.link.take_output(), 0)
    assert pair.responder.link.core.peer_key == (None if code else ALICE.public)


def responder_receives_first(*frames):
    pair = after_hello()
    pair.initiator.link.receive(pair.responder.link.take_output(), 0)
    channel = pair.initiator.link.core.channel
    channel.take_output()
    channel.sending.n = 0
    pair.initiator.inject(*frames)
    pair.responder.link.receive(channel.take_output(), 0)
    pair.responder.drain(0)
    return pair


PEER_INFO = Frame(FrameType.PEER_INFO, PeerInfo("a", 1).encode())


@pytest.mark.parametrize("frame, code", [
    (Frame(FrameType.PADDING), ErrorCode.UNEXPECTED_FRAME), (Frame(0x33), ErrorCode.UNEXPECTED_FRAME),
    (Frame(0x32), ErrorCode.UNEXPECTED_FRAME), (PEER_INFO, ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.MESSAGE, b"\x01a"), ErrorCode.UNEXPECTED_FRAME), (Frame(FrameType.PROOF), ErrorCode.MALFORMED),
    (Frame(FrameType.CLOSE), ErrorCode.MALFORMED), (Frame(FrameType.CLOSE, b"\x20"), ErrorCode.MALFORMED),
])
def test_nothing_before_proof(frame, code):
    """R6.4-3, R9.5-1."""
    assert responder_receives_first(frame).responder.error is code


def test_close_before_proof():
    """R9.5-1; it speaks for no peer (§20.1)."""
    side = responder_receives_first(Frame(FrameType.CLOSE, b"\x20\x00")).responder
    assert side.link.is_closed and side.one(events.Closed).peer_code == 0x20 and side.error is None
    assert side.link.core.peer_key is None


def test_long_records_before_proof():
    """R19-2: as soon as the header is there."""
    for length, is_refused in ((1021, False), (1022, True)):
        pair = after_hello()
        pair.responder.link.receive(b"\x10" + length.to_bytes(2, "big"), 0)
        assert (pair.responder.error is ErrorCode.LIMIT_EXCEEDED) == is_refused


def test_our_proof_record_is_short():
    """[R19-2], the sender's side: big peer info and invitation go into further records."""
    fields = (Field(1, bytes(500)), Field(3, bytes(500)))
    pair = Pair(config(ALICE, info_fields=fields), config(BOB, info_fields=fields))
    pair.invite(context=bytes(16_384))
    pair.pump()
    assert all(side.of(events.Opened) for side in pair.sides)


@pytest.mark.parametrize("grease", [True, False])
def test_grease_is_offered(grease):
    """R7.4-1, R1-1."""
    link = Link(config(grease=grease), Role.INITIATOR, 0, seeded("g"))
    offer = InitiatorHello.decode(link.take_output()[11:])
    assert set(offer.versions) - set(GREASE) == {DRAFT_03}  # R1-1
    assert [len(offer.versions), len(offer.suites), len(offer.extensions)] == ([2, 3, 1] if grease else [1, 2, 0])


@pytest.mark.parametrize("frame, code", [
    (Frame(0x26), ErrorCode.UNSUPPORTED), (Frame(0x20), ErrorCode.UNEXPECTED_FRAME), (Frame(0x21, b"anything"), None), (Frame(FrameType.PADDING, b"x" * 9), None),
    (Frame(0x3FFF), None), (Frame(FrameType.PROOF, bytes(96)), ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.READY, b"\x00"), ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.REKEY, b"\x00"), ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.CANCEL, b"\x01\x00"), ErrorCode.UNEXPECTED_FRAME), (PEER_INFO, ErrorCode.UNEXPECTED_FRAME),
])
def test_frames_in_identified(frame, code):
    """R6.4-1, R6.4-2, R8.1-1, R9.5-5, R12.6-3, §17."""
    pair = Pair().pump()
    assert pair.responder.link.state is State.IDENTIFIED
    pair.initiator.inject(frame)
    pair.pump()
    assert pair.responder.error is code


def test_handshake_deadline():
    for steps in range(3):
        pair = Pair()
        for step in range(steps):
            pair.step(step % 2 == 0)
        pair.responder.link.timeout(9_999)
        assert not pair.responder.link.is_closed
        pair.responder.link.take_output()
        pair.responder.link.timeout(10_000)
        assert pair.responder.error is ErrorCode.HANDSHAKE_TIMEOUT
        assert bool(pair.responder.link.take_output()) == pair.responder.link.core.channel.is_secured


@pytest.mark.parametrize("end", ["end_of_stream", "close"])
def test_an_end_that_comes_with_the_deadline_is_late(end):
    """R18-2: the deadline acts first, whether or not a timer has."""
    pair = Pair()
    pair.step(True)
    getattr(pair.responder.link, end)(10_000)
    assert pair.responder.error is ErrorCode.HANDSHAKE_TIMEOUT


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
            assert (side.link.deadline is None) == (side.link.state in (State.OPEN, State.CLOSED))
    pair.initiator.link.close(0)
    assert pair.initiator.link.state is State.CLOSING and pair.initiator.link.deadline == 5_000
    assert State.OPEN in seen and State.CERTIFICATES in seen
