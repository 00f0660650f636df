"""SPEC §15.3: files, by the tables of sender and receiver."""

from __future__ import annotations

import hashlib

import pytest

from multipeer_reference import events
from multipeer_reference.errors import MisuseError
from multipeer_reference.files import CancelFileReason as R
from multipeer_reference.files import FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType as T

from .test_association import C, M, X, credit, fails, greater
from .two import Two

TAG = b"0123456789abcdef"


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def offer(size=4, number=0, tag=TAG, name="a"):
    return Frame(T.FILE_OFFER, FileOffer(number, size, name, (), tag).encode())


def data(offset, content, number=0):
    return Frame(T.FILE_DATA, FileData(number, offset, content).encode())


def end(content=b"data", number=0):
    return Frame(T.FILE_END, FileEnd(number, sha(content)).encode())


def cancel(reason=2, number=0):
    return Frame(T.FILE_CANCEL, FileCancel(number, reason).encode())


def accept(number=1, offset=0, content=b"", credit_=1 << 20):
    return Frame(T.FILE_ACCEPT, FileAccept(number, offset, sha(content), credit_).encode())


def done(number=1):
    return Frame(T.FILE_DONE, FileDone(number).encode())


def receiver(size=4, **values):
    """It has accepted file 0."""
    association = greater()
    association.receive(offer(size))
    association.received_files.accept(association.file(0), **values)
    association.take_frames()
    return association


@pytest.mark.parametrize("frames, code", [
    ([data(0, b"data"), end()], None), ([data(0, b"da"), data(2, b"ta"), end()], None), ([end()], X),
    ([data(0, b"dat"), end()], X), ([data(1, b"a")], M), ([data(0, b"da"), data(0, b"da")], M), ([data(0, b"data!")], M),
    ([data(0, b"data"), end(), end()], X), ([data(0, b"data"), end(), data(4, b"x")], X), ([data(0, b"data"), data(4, b"x")], M),
    ([data(0, b"data"), end(b"other"), end()], X), ([cancel(4)], None), ([cancel(4), cancel(4)], None), ([cancel(), data(0, b"d")], X),
    ([cancel(), end()], X), ([done(0)], X), ([accept(0)], X), ([credit(4, 0, 1 << 40)], X),
])
def test_what_a_receiver_is_sent(frames, code):
    """R15.3-3, R15.3-4, R15.3-12, R13.2-2."""
    fails(code, receiver(), *frames)


@pytest.mark.parametrize("frames, code", [
    ([data(0, b"d")], X), ([end()], X), ([cancel()], None), ([done(0)], X), ([accept(0)], X),
])
def test_before_a_file_is_accepted(frames, code):
    association = greater()
    association.receive(offer())
    fails(code, association, *frames)


@pytest.mark.parametrize("size, frames, code", [
    (100, [data(0, bytes(10)), data(10, b"x")], C), (100, [data(0, bytes(11))], C), (10, [data(0, bytes(11))], M),
    (100, [data(1, bytes(11))], M), (100, [data(0, bytes(10))], None),
])
def test_credit_of_a_file(size, frames, code):
    """R15.3-3: credit is judged last."""
    fails(code, receiver(size, credit=10, looks=True), *frames)


@pytest.mark.parametrize("size, credit_, limit", [(100_000, 0, 32_768), (100, 0, 100), (100_000, 10, 32_768)])
def test_a_small_credit_is_raised_to_the_window(size, credit_, limit):
    """R13.5-1."""
    association = greater()
    association.receive(offer(size))
    association.received_files.accept(association.file(0), credit=credit_)
    assert association.take_frames()[1:] == [credit(4, 0, limit)]


def test_a_limit_beyond_the_size():
    """SPEC §13.4: it may be."""
    association, file = sender()
    association.receive(accept(credit_=0))
    fails(None, association, credit(4, 1, (1 << 62) - 1))
    assert file.wanted == 4


@pytest.mark.parametrize("frames, code", [
    ([data(0, b"da"), data(2, b"ta"), end()], None), ([data(0, b"data"), end(b"other")], None), ([data(0, b"data!")], M),
    ([data(1, b"a")], M), ([end()], X), ([data(0, b"data"), end(), end()], X), ([data(0, b"d"), cancel(1), cancel(1)], None),
    ([cancel(1), data(0, b"d")], X),
])
def test_what_comes_behind_our_cancel_is_judged_and_dropped(frames, code):
    """R15.3-7."""
    association = receiver()
    association.received_files.cancel(association.file(0), R.NO_SPACE)
    assert association.take_frames() == [cancel(9)]
    told = len(association.events)
    fails(code, association, *frames)
    assert len(association.events) == told


def test_a_refused_file_takes_no_data():
    association = greater()
    association.receive(offer())
    association.received_files.cancel(association.file(0), R.DECLINED)
    fails(X, association, data(0, b"d"))
    fails(X, association, end())
    fails(None, association, cancel(1))
    fails(X, association, data(0, b"d"))


def sender(size=4, tag=TAG):
    """It has offered file 1."""
    association = greater()
    file = association.sent_files.offer(FileOffer(0, size, "a", (), tag))
    association.take_frames()
    return association, file


@pytest.mark.parametrize("frames, code", [
    ([accept()], None), ([accept(), accept()], X), ([done()], X), ([accept(), done()], X), ([accept(offset=5)], M),
    ([accept(offset=4)], None), ([accept(offset=4), accept(offset=4)], X), ([cancel(1, 1)], None),
    ([cancel(1, 1), cancel(1, 1)], None), ([cancel(1, 1), accept()], None), ([cancel(1, 1), done()], None),
    ([cancel(1, 1), credit(4, 1, 1)], None), ([data(0, b"d", 1)], X), ([end(number=1)], X), ([credit(4, 1, 99)], X),
    ([accept(credit_=9), credit(4, 1, 9)], M), ([accept(credit_=9), credit(4, 1, 10)], None),
    ([accept(offset=3, credit_=9), credit(4, 1, 12)], M), ([accept(offset=3, credit_=9), credit(4, 1, 13)], None),
])
def test_what_a_sender_is_sent(frames, code):
    """R15.3-6, R15.3-9, R15.3-12, R13.4-3."""
    association, _ = sender()
    fails(code, association, *frames)


@pytest.mark.parametrize("reason, answer", [(number, number) for number in range(1, 14)] + [(0, 2), (14, 2), (255, 2)])
def test_a_sender_confirms_cancelling(reason, answer):
    """R15.3-7."""
    association, _ = sender()
    association.receive(accept())
    association.receive(cancel(reason, 1))
    assert association.take_frames() == [cancel(answer, 1)]
    assert association.events[-1] == events.FileCancelled(1, True, answer, False)


def test_crossing_cancels():
    two = Two()
    file = two.sides[0].sent_files.offer(FileOffer(0, 9, "a"))
    two.settle()
    two.sides[0].sent_files.cancel(file, R.CANCELLED)
    two.sides[1].received_files.cancel(two.sides[1].file(0), R.DECLINED)
    for side in (0, 1):
        two.send(side)
    two.settle()
    assert [len(two.sent(side, T.FILE_CANCEL)) for side in (0, 1)] == [1, 1]
    assert not list(two.sides[0].live()) and not list(two.sides[1].live())


def receive_all(two: Two, side: int) -> dict[int, bytes]:
    """What was handed out; each file that is whole is stored."""
    for event in two.of(side, events.FileReceived):
        if two.sides[side].file(event.id) and two.sides[side].file(event.id).state.name == "STORING":
            two.sides[side].received_files.stored(two.sides[side].file(event.id))
    contents: dict[int, bytes] = {}
    for event in two.of(side, events.FileDataReceived):
        contents[event.id] = contents.get(event.id, b"") + event.data
    return contents


def test_several_files_at_once_both_ways():
    """Of many sizes, those of which nothing is sent among them."""
    two = Two()
    contents = {side: [bytes([side + 1]) * size for size in (0, 1, 32_768, 3_000_000)] for side in (0, 1)}
    for side in (0, 1):
        for content in contents[side]:
            two.sides[side].sent_files.offer(FileOffer(0, len(content), "a"))
    two.settle()
    for side in (0, 1):
        for item in two.sides[side].live():
            if not item.is_own:
                two.sides[side].received_files.accept(item)
    two.settle()
    for side in (0, 1):
        for item in two.sides[side].live():
            if item.is_own and item.wanted:
                two.sides[side].sent_files.supply(item, contents[side][item.id // 2])
    two.settle()
    for side in (0, 1):
        got = receive_all(two, side)
        expected = {2 * index + 1 - side: content for index, content in enumerate(contents[1 - side]) if content}
        assert got == expected
    two.settle()
    assert [len(two.of(side, events.FileDelivered)) for side in (0, 1)] == [4, 4] and not list(two.sides[0].live())


def test_wrong_hash():
    """R15.3-5: FILE_CANCEL of reason 5; the link goes on."""
    association = receiver()
    for frame in (data(0, b"data"), end(b"other")):
        association.receive(frame)
    assert association.take_frames() == [cancel(5)] and not R.HASH_MISMATCH.keeps_beginning
    assert association.events[-1] == events.FileCancelled(0, False, 5, True)
    fails(None, association, cancel(5))


def test_no_done_before_it_is_stored():
    """R15.3-6."""
    association = receiver()
    with pytest.raises(MisuseError):
        association.received_files.stored(association.file(0))
    for frame in (data(0, b"data"), end()):
        association.receive(frame)
    assert not association.take_frames()
    association.received_files.stored(association.file(0))
    assert association.take_frames() == [done(0)] and association.file(0) is None
    fails(None, association, cancel(2))  # it crossed FILE_DONE


def test_a_receiver_grants_as_the_app_takes():
    two = Two(takes_at_once=False)
    file = two.sides[0].sent_files.offer(FileOffer(0, 4 << 20, "a"))
    two.settle()
    incoming = two.sides[1].file(0)
    two.sides[1].received_files.accept(incoming)
    two.settle()
    two.sides[0].sent_files.supply(file, bytes(4 << 20))
    two.settle()
    assert incoming.credit.used == 1 << 20 and not two.sent(1, T.CREDIT)
    two.sides[1].received_files.take(incoming, 1 << 19)
    two.settle()
    assert incoming.credit.used == 3 << 19
    two.sides[1].received_files.take(incoming, 4 << 20)
    two.settle()
    assert incoming.credit.used == 5 << 19


def test_closing_interrupts():
    """R16.1-5: reason 12 on both sides, or 2 where it is to be forgotten."""
    two = Two()
    two.sides[0].sent_files.offer(FileOffer(0, 9, "a"))
    two.sides[1].sent_files.offer(FileOffer(0, 9, "b"))
    two.settle()
    two.sides[0].close()
    assert two.sides[0].take_frames() == [cancel(12, 0), cancel(12, 1)]
    assert [reason for reason in R if reason.keeps_beginning] == [3, 4, 9, 10, 12, 13]


def test_a_look_at_a_manifest():
    """§15.8: credit for so much, and more when the app consents."""
    two = Two()
    file = two.sides[0].sent_files.offer(FileOffer(0, 1_000_000, "f", (), TAG, 2, 0, 25))
    two.settle()
    incoming = two.sides[1].file(0)
    two.sides[1].received_files.accept(incoming, credit=25, looks=True)
    two.settle()
    two.sides[0].sent_files.supply(file, bytes(1_000_000))
    two.settle()
    assert incoming.credit.used == 25
    two.sides[1].received_files.go_on(incoming)
    two.settle()
    assert incoming.credit.used == 1_000_000 and two.of(1, events.FileReceived)


def test_what_the_app_asks_of_a_file_that_has_ended():
    """It may not have heard of the end yet: nothing is sent, and nothing breaks."""
    association = greater()
    association.receive(offer())
    asked = association.file(0)
    association.receive(cancel(4))
    association.receive(offer(number=2))
    whole = association.file(2)
    association.received_files.accept(whole)
    for frame in (data(0, b"data", 2), end(number=2), cancel(12, 2)):
        association.receive(frame)
    association.take_frames()
    own, sent = sender()
    own.receive(accept(offset=2, content=b"da"))
    own.receive(cancel(2, 1))
    own.take_frames()
    for action in (
        lambda: association.received_files.accept(asked), lambda: association.received_files.cancel(asked, R.DECLINED),
        lambda: association.received_files.stored(whole), lambda: own.sent_files.beginning(sent, hashlib.sha256(b"da")),
        lambda: own.sent_files.supply(sent, b"ta"), lambda: own.sent_files.cancel(sent, R.CANCELLED),
    ):
        with pytest.raises(MisuseError):
            action()
    assert not association.take_frames() and not own.take_frames() and not sent.wanted
