"""RESUME and RESUMED that a faulty peer sends (SPEC §13.9), until vectors say the same."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Callable

import pytest

from multipeer_reference import events
from multipeer_reference.association.counted import KEPT_FRAMES
from multipeer_reference.association.frames import Ack, Credit, CreditKind
from multipeer_reference.charter import Charter
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode
from multipeer_reference.files import FileData
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import Cancel, CancelReason, Invite, SessionKind
from multipeer_reference.lasting import Associations
from multipeer_reference.proofs import Role
from multipeer_reference.resume import Position, Resume, Resumed

from .helpers import ALICE, FULL, Pair
from .mending import Mending
from .test_fuzz import random_frame


def lost(offers: bool = False, **values) -> Mending:
    """Each peer has sent a message and opened a stream; Alice, who is the lesser, also a file."""
    pair = Mending(**values).open()
    for number, peer in enumerate(pair.peers):
        peer.association.send(b"m", number)
        peer.association.streams.open("s")
    if offers:
        pair.peers[0].offer("f", b"content")
    pair.settle()
    return pair


def forge(pair: Mending, change: Callable[[Resume], Resume], signs: bool = True, initiator: int = 0) -> Mending:
    """The initiator sends RESUME as a faulty peer does, and nothing of its own."""
    lasting = pair.peers[initiator].lasting
    honest = Resume(lasting.identifier, lasting.epoch, lasting.association._acknowledger.processed, lasting.association.positions)
    pair.connect(initiator)
    pair.settle()
    core, changed = pair.link(initiator).core, change(honest)
    proof = lasting.proof(Role.INITIATOR, core.handshake_hash, changed.before_proof) if signs else changed.proof
    core.channel.queue(Frame(FrameType.RESUME, changed.before_proof + proof))
    return pair.settle()


def test_an_honest_one():
    pair = lost()
    pair.cut()
    forge(pair, lambda resume: resume)
    assert pair.peers[1].of(events.Resumed)


@pytest.mark.parametrize("change", [
    lambda resume: replace(resume, association=bytes(16)),
    lambda resume: replace(resume, proof=bytes(32)),
], ids=["association", "proof"])
def test_what_is_declined(change):
    """R13.9-5: an unknown association, and a proof that is wrong, get the same answer, and end nothing."""
    pair = lost()
    pair.cut()
    forge(pair, change, signs=change(Resume(b"", 0, 0)).association != b"")
    assert pair.peers[1].of(events.InvitationDeclined)[-1].reason == 6
    assert pair.peers[1].lasting.is_resumable
    assert pair.resume(0).is_open


@pytest.mark.parametrize("change, code", [
    (lambda resume: replace(resume, epoch=1), None),
    (lambda resume: replace(resume, epoch=2), ErrorCode.MALFORMED),
    (lambda resume: replace(resume, received=resume.received - 1), ErrorCode.DUPLICATE_LINK),
    (lambda resume: replace(resume, received=resume.received + 1), ErrorCode.MALFORMED),
    (lambda resume: replace(resume, files=(Position(2, 0),)), ErrorCode.MALFORMED),  # Alice's own
    (lambda resume: replace(resume, files=(Position(3, 0),)), ErrorCode.MALFORMED),  # unused
    (lambda resume: replace(resume, files=(Position(1, 0),)), ErrorCode.MALFORMED),  # a stream
])
def test_what_is_malformed(change, code):
    """R13.9-5, R13.9-9, R13.6-2; what states less than was acknowledged is late."""
    pair = lost()
    pair.cut()
    forge(pair, change)
    assert pair.link(1).core.error == code
    assert pair.peers[1].lasting.is_resumable == (code is not None)


@pytest.mark.parametrize("files", [(Position(3, 0), Position(1, 0)), (Position(1, 0), Position(1, 0))])
def test_files_in_order(files):
    """R13.9-9: a fault of the field, so it comes before the association is looked up."""
    pair = lost()
    pair.cut()
    forge(pair, lambda resume: replace(resume, association=bytes(16), files=files))
    assert pair.link(1).core.error is ErrorCode.MALFORMED


def test_an_older_epoch():
    """R13.9-5, after the peer has shown a greater one by RESUME, or by a record."""
    pair = lost()
    pair.cut()
    pair.resume(0)
    pair.cut()
    forge(pair, lambda resume: replace(resume, epoch=0))
    assert pair.link(1).core.error is ErrorCode.DUPLICATE_LINK
    assert pair.resume(0).is_open and pair.peers[1].lasting.epoch == 2


def test_the_expected_peer_alone():
    """R13.9-4: only an initiator sends RESUME."""
    pair = lost()
    pair.cut()
    pair.connect(0)
    pair.settle()
    lasting, core = pair.peers[1].lasting, pair.link(1).core
    resume = Resume(lasting.identifier, 0, 0)
    proof = lasting.proof(Role.RESPONDER, core.handshake_hash, resume.before_proof)
    core.channel.queue(Frame(FrameType.RESUME, resume.before_proof + proof))
    pair.settle()
    assert pair.link(0).core.error is ErrorCode.UNEXPECTED_FRAME


def waiting(pair: Mending) -> Mending:
    """Alice has sent RESUME, which has not come to Bob."""
    pair.cut()
    pair.connect(0)
    pair.settle()
    pair.link(0).resume(pair.peers[0].lasting, pair.now)
    pair.link(0).take_output()
    return pair


@pytest.mark.parametrize("payload, code", [
    (Resumed(0).encode(), ErrorCode.PROOF_INVALID),
    (Resumed(0).encode() + b"\x00", ErrorCode.MALFORMED),
])
def test_a_wrong_resumed(payload: bytes, code: ErrorCode):
    """R13.9-6: it leaves the association as it was."""
    pair = waiting(lost())
    pair.link(1).core.channel.queue(Frame(FrameType.RESUMED, payload))
    pair.settle()
    assert pair.link(0).core.error is code and pair.peers[0].lasting.is_resumable
    assert pair.resume(0).is_open


def test_a_resumed_that_acknowledges_too_much():
    """R13.9-6, R13.6-2."""
    pair = waiting(lost())
    lasting, core = pair.peers[1].lasting, pair.link(1).core
    resumed = Resumed(99)
    proof = lasting.proof(Role.RESPONDER, core.handshake_hash, resumed.before_proof)
    core.channel.queue(Frame(FrameType.RESUMED, resumed.before_proof + proof))
    pair.settle()
    assert pair.link(0).core.error is ErrorCode.MALFORMED and pair.peers[0].lasting.is_resumable


@pytest.mark.parametrize("seed", range(300 if FULL else 40))
def test_random_frames_in_resuming(seed: int):
    """R13.9-6: whatever comes in place of RESUMED, the association stays as it was, but for DECLINE."""
    dice = random.Random(f"resuming {seed}")
    pair = waiting(lost())
    frames = [random_frame(dice) for _ in range(8)]
    for frame in frames:
        pair.link(1).core.channel.queue(frame)
    pair.settle()
    assert pair.link(0).state in (State.RESUMING, State.CLOSING, State.CLOSED)
    assert not pair.peers[0].of(events.Resumed)
    lasting = pair.peers[0].lasting
    assert lasting.is_resumable or any(frame.type == FrameType.DECLINE for frame in frames)
    pair.cut()
    assert lasting.is_over or pair.resume(0).is_open


def test_invite_crosses_resume():
    """R13.9-7: INVITE is void at both, and CANCEL after it."""
    pair = lost()
    pair.cut()
    pair.connect(0)
    pair.settle()
    bob = pair.peers[1].key.public
    invite = Invite(Charter(bob, bytes(32)), SessionKind.NEW, 2, 0, 1_000, b"", ())
    pair.link(0).resume(pair.peers[0].lasting, pair.now)
    pair.link(1).core.channel.queue(Frame(FrameType.INVITE, invite.encode()))
    pair.link(1).core.channel.queue(Frame(FrameType.CANCEL, Cancel(CancelReason.TIMEOUT).encode()))
    pair.settle()
    assert pair.is_open


def test_declined():
    """R13.9-3: DECLINE ends the association, and with it messages are in doubt."""
    pair = lost()
    pair.peers[0].association.send(b"x", "x")
    pair.cut()
    pair.peers[1].held.end(ALICE.public)
    pair.resume(0)
    pair.peers[0].collect()
    assert pair.peers[0].results["x"] == "not sent" and pair.peers[0].lasting.is_over
    assert pair.peers[0].lasting._secret == b""  # R13.9-1


def test_the_grace_time():
    """R13.9-3."""
    pair = lost(grace=1_000)
    pair.cut()
    held = pair.peers[0].held
    held.expire(pair.now + 999)
    assert held.resumable(pair.peers[1].key.public)
    assert held.deadline == pair.now + 1_000
    held.expire(pair.now + 1_000)
    assert not held.resumable(pair.peers[1].key.public)


@pytest.mark.parametrize("code, may_resume", [
    (ErrorCode.SILENT, True), (ErrorCode.MOVED, True), (ErrorCode.NO_ERROR, False), (ErrorCode.SHUTTING_DOWN, False),
    (ErrorCode.INTERNAL, False), (ErrorCode.DUPLICATE_LINK, False),
])
def test_which_ends_leave_it(code: ErrorCode, may_resume: bool):
    """R13.9-3, for the peer that receives CLOSE and for the one that sends it."""
    pair = lost()
    pair.link(0).core.close(code)
    pair.settle()
    for peer, other in (pair.peers, pair.peers[::-1]):
        assert (peer.held.resumable(other.key.public) is not None) == may_resume
        assert bool(peer.of(events.Interrupted)) == may_resume


def test_the_app_closes_and_the_link_is_lost():
    """R13.9-3: the one that has closed does not resume, the other learns it."""
    pair = lost()
    pair.link(0).close(pair.now)
    pair.cut()
    assert not pair.peers[0].held.resumable(pair.peers[1].key.public)
    pair.resume(1)
    assert pair.peers[1].lasting.is_over and not pair.is_open


def test_the_oldest_ends():
    """R13.9-3: of 257 that are resumable."""

    class Stub:
        def __init__(self, number: int) -> None:
            self.peer, self.ends_at, self.is_over = number.to_bytes(32, "big"), 1_000 + number, False

        @property
        def is_resumable(self) -> bool:
            return not self.is_over

        def end(self) -> None:
            self.is_over = True

    held = Associations(60_000)
    stubs = [Stub(number) for number in range(258)]
    for stub in stubs:
        held.began(stub)
        stub.on_lost()
    assert [stub.is_over for stub in stubs] == [True, True] + [False] * 256


def test_a_peer_without_associations():
    """R13.9-5, the least peer: DECLINE of reason 6, in *identified* and in *inviting*."""
    for invites in (False, True):
        pair = Pair()
        pair.pump()
        if invites:
            pair.invite(pair.responder)
            pair.responder.link.take_output()
        pair.initiator.inject(Frame(FrameType.RESUME, Resume(bytes(16), 0, 0).encode()))
        pair.pump()
        assert pair.responder.one(events.InvitationDeclined).reason == 6
        assert pair.initiator.link.core.peer_key and pair.responder.link.core.close_sent == ErrorCode.NO_ERROR


def test_limits_are_told_again():
    """R13.9-8, R13.4-2: CREDIT may repeat a limit once."""
    pair = lost()
    for index in range(40):
        pair.peers[0].association.send(bytes(10_000), index + 1)
    pair.settle()
    limit = pair.peers[0].association.outgoing.credit.limit
    assert limit > 262_144
    pair.cut()
    pair.resume(0)
    assert pair.is_open and pair.peers[0].association.outgoing.credit.limit == limit
    again = Frame(FrameType.CREDIT, Credit(CreditKind.MESSAGES, 0, limit).encode())
    pair.link(1).core.channel.queue(again)
    pair.settle()
    assert pair.link(0).core.error is ErrorCode.MALFORMED


def test_a_file_that_is_not_named():
    """R13.9-9: its receiver has cancelled it; no data goes until its FILE_CANCEL has come, which waits for the link."""
    pair = lost()
    pair.peers[0].offer("f", bytes(50_000))
    pair.budget = pair.moved + 20_000
    pair.settle()
    pair.budget = None
    assert not pair.is_open
    bob = pair.peers[1].association
    (file,) = [item for item in bob.live() if not item.is_stream]
    bob.cancel_file(file.id, 2)
    pair.resume(0)
    assert pair.is_open
    assert [event.reason for event in pair.peers[0].of(events.FileCancelled)] == [2]


def test_a_file_from_where_nobody_asked():
    """R15.3-3: the offset is that of `files`."""
    pair = lost(offers=True)
    assert pair.peers[1].stored
    pair.peers[0].offer("g", bytes(50_000))
    pair.budget = pair.moved + 20_000
    pair.settle()
    pair.budget = None
    pair.resume(1)
    assert pair.is_open and [len(data) for data in pair.peers[1].stored.values()] == [7, 50_000]
    pair.link(0).core.channel.queue(Frame(FrameType.FILE_DATA, FileData(4, 0, b"x").encode()))
    pair.settle()
    assert pair.link(1).core.error is ErrorCode.UNEXPECTED_FRAME


def test_what_is_kept():
    """R13.9-2: 4,096 frames; an ACK makes room."""
    pair = Mending().open()
    alice = pair.peers[0].association
    alice.outgoing.credit.raise_to(1 << 30)
    for index in range(5_000):
        alice.send(b"", index)
    acknowledged = alice._shared.kept.acknowledged
    alice.take_frames()
    assert alice._shared.kept.sent == acknowledged + KEPT_FRAMES
    alice.receive(Frame(FrameType.ACK, Ack(acknowledged + 10).encode()))
    assert len(alice.take_frames()) == 10
