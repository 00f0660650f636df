"""SPEC §15.7: files that go on where they stopped."""

from __future__ import annotations

import hashlib

import pytest

from multipeer_reference import events
from multipeer_reference.association.outgoing import Sending
from multipeer_reference.files import FileAccept, FileData, FileOffer
from multipeer_reference.frames import FrameType as T

from .test_association import M, X, credit, fails, greater
from .test_files import TAG, accept, cancel, data, done, offer, receive_all, sender
from .two import Two


def resumed(held: bytes, content: bytes, own: bytes | None = None, size: int | None = None):
    """Sender and receiver of a file of which `held` is there; the sender's own beginning is that of `own`."""
    two = Two()
    file = two.sides[0].sent_files.offer(FileOffer(0, len(content) if size is None else size, "a", (), TAG))
    two.settle()
    two.sides[1].received_files.accept(two.sides[1].file(0), len(held), hashlib.sha256(held) if held else None)
    two.settle()
    if held:
        assert two.of(0, events.HashWanted) == [events.HashWanted(0, len(held))]
        two.sides[0].sent_files.beginning(file, hashlib.sha256((content if own is None else own)[: len(held)]))
    return two, file


@pytest.mark.parametrize("held", [0, 1, 3_999, 4_000])
def test_resuming(held):
    """R15.3-10, R15.7-4: nothing that is held is sent again, and the last hash covers all of it."""
    content = bytes(range(250)) * 16
    two, file = resumed(content[:held], content)
    if held < len(content):
        two.sides[0].sent_files.supply(file, content[held:])
    two.settle()
    assert receive_all(two, 1) == ({0: content[held:]} if held < 4_000 else {})
    two.settle()
    assert two.of(0, events.FileDelivered) == [events.FileDelivered(0)]
    assert two.of(0, events.FileAccepted) == [events.FileAccepted(0, held)]
    assert [FileData.decode(frame.payload).offset for frame in two.sent(0, T.FILE_DATA)][:1] == [held][: held < 4_000]


def test_a_beginning_that_differs():
    """R15.3-10: reason 7, and no data."""
    two, file = resumed(b"xx", b"data")
    assert two.sides[0].take_frames() == [cancel(7)] and file.state is not Sending.SENDING
    association, _ = sender()
    association.receive(accept(content=b"something"))  # offset 0 and a hash that is not that of nothing
    assert association.take_frames() == [cancel(7, 1)]


def test_credit_while_a_beginning_is_hashed_is_kept():
    """FILE_ACCEPT has come, so CREDIT may; a second FILE_ACCEPT is a fault all the same."""
    association, file = sender(100)
    association.receive(accept(offset=50, content=b"x" * 50, credit_=10))
    association.receive(credit(4, 1, 70))
    fails(X, association, done())
    fails(X, association, accept())
    association.sent_files.beginning(file, hashlib.sha256(b"x" * 50))
    assert file.wanted == 20


def test_an_offer_without_a_tag_has_no_beginning():
    association, file = sender(tag=bytes(16))
    association.receive(accept(offset=2, content=b"da"))
    assert association.take_frames() == [cancel(7, 1)]


def test_a_file_beyond_32_bits():
    """By a beginning that nobody reads: positions are those of the file."""
    association = greater()
    size = (1 << 32) + 1
    association.receive(offer(size))
    association.received_files.accept(association.file(0), 1 << 32, hashlib.sha256(b"held"), 5)
    assert FileAccept.decode(association.take_frames()[0].payload).offset == 1 << 32
    fails(None, association, data(1 << 32, b"x"))
    fails(M, association, data((1 << 32) + 1, b"x"))
