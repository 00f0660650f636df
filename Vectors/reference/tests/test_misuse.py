"""What an app may not ask for, and what the local peer refuses to make. Scripts ask, and see only that nothing is
sent."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.config import AcceptInvitation, InviteRequest, Verdict
from multipeer_reference.errors import ErrorCode, MisuseError, ProtocolError
from multipeer_reference.files import CancelFileReason as R
from multipeer_reference.files import FileAccept, FileCancel, FileData, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.hello import SUITES
from multipeer_reference.aead import RESERVED_COUNTER
from multipeer_reference.integers import encode_varint
from multipeer_reference.noise import CipherState
from multipeer_reference.session.admissions import extended
from multipeer_reference.session.entries import Address, Entry

from .helpers import Pair
from .members import CHARTER, chain, entry, key

NINE = tuple(range(9, 0, -1))


@pytest.mark.parametrize("value", [-1, 1 << 62])
def test_integers_that_are_not_written(value):
    with pytest.raises(ValueError):
        encode_varint(value)


@pytest.mark.parametrize("suite", SUITES)
def test_the_last_counter(suite):
    """SPEC §12.2: nothing is sealed under the counter that is reserved."""
    state = CipherState(suite, b"k" * 32, RESERVED_COUNTER)
    with pytest.raises(ProtocolError):
        state.encrypt(b"", b"")


def test_chains_that_are_not_extended():
    """R14.2-1: eight admissions are the most."""
    with pytest.raises(ValueError):
        extended(key(9), chain(*NINE), CHARTER.identifier, key(2).public)


def test_entries_that_are_not_signed():
    """R14.3-1: one of more than 1,024 bytes, and one by somebody else."""
    long = Entry(key(9).public, 1, 0, addresses=(Address(9, bytes(60)),) * 2, chain=chain(*NINE))
    for size in (1_024, 1_025):
        value = replace(long, name="x" * (size - len(long.bytes)))
        assert len(value.bytes) == size
        if size == 1_024:
            assert Entry.decode(value.signed(key(9), CHARTER.identifier).bytes)
            continue
        with pytest.raises(ValueError):
            value.signed(key(9), CHARTER.identifier)
    with pytest.raises(ValueError):
        entry(3).signed(key(2), CHARTER.identifier)


def test_a_link():
    pair = Pair().open()
    with pytest.raises(MisuseError):
        pair.initiator.link.invite(InviteRequest(), pair.now)
    fresh = Pair()
    fresh.invite()
    with pytest.raises(MisuseError):
        fresh.invite()
    with pytest.raises(MisuseError):
        fresh.initiator.link.send_message(b"early", 0)
    fresh.responder.answers = {}
    fresh.pump()
    link, token = fresh.responder.link, fresh.responder.one(events.InvitationReceived).token
    with pytest.raises(MisuseError):
        link.resolve(token, Verdict(ErrorCode.NO_ERROR), 0)
    assert not link.resolve(token + 1, AcceptInvitation(), 0)
    assert link.resolve(token, AcceptInvitation(), 0) and not link.resolve(token, AcceptInvitation(), 0)


def test_a_file_that_has_ended():
    """The app may not have heard of the end yet: nothing is sent, and nothing breaks."""
    def frame(value: FileOffer | FileData | FileEnd | FileCancel | FileAccept) -> Frame:
        names = {FileOffer: "OFFER", FileData: "DATA", FileEnd: "END", FileCancel: "CANCEL", FileAccept: "ACCEPT"}
        return Frame(T[f"FILE_{names[type(value)]}"], value.encode())

    theirs, ours = (Association(False, 1 << 20, 1 << 20) for _ in range(2))
    theirs.receive(frame(FileOffer(0, 4, "a")))
    asked = theirs.file(0)
    theirs.receive(frame(FileCancel(0, 4)))
    theirs.receive(frame(FileOffer(2, 4, "b")))
    whole = theirs.file(2)
    theirs.received_files.accept(whole)
    for value in (FileData(2, 0, b"data"), FileEnd(2, hashlib.sha256(b"data").digest()), FileCancel(2, 12)):
        theirs.receive(frame(value))
    theirs.take_frames()
    sent = ours.sent_files.offer(FileOffer(0, 4, "a", (), b"t" * 16))
    ours.take_frames()
    ours.receive(frame(FileAccept(1, 2, hashlib.sha256(b"da").digest(), 1 << 20)))
    ours.receive(frame(FileCancel(1, 2)))
    ours.take_frames()
    for action in (
        lambda: theirs.received_files.accept(asked), lambda: theirs.received_files.cancel(asked, R.DECLINED),
        lambda: theirs.received_files.stored(whole), lambda: ours.sent_files.beginning(sent, hashlib.sha256(b"da")),
        lambda: ours.sent_files.supply(sent, b"ta"), lambda: ours.sent_files.cancel(sent, R.CANCELLED),
    ):
        with pytest.raises(MisuseError):
            action()
    assert not theirs.take_frames() and not ours.take_frames() and not sent.wanted


def test_nothing_new_is_begun_while_draining():
    """§16.4: and live transfers continue."""
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
