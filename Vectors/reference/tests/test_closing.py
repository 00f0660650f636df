"""SPEC §12.4, §16, §19: closing, truncation, limits before *open*."""

import pytest

from multipeer_reference import events
from multipeer_reference.config import DeclineInvitation
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode
from multipeer_reference.files import FileOffer
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.policy import Preference
from multipeer_reference.protection import seal
from multipeer_reference.records import RecordKind

from .helpers import ALICE, BOB, Pair, config

CLEAN = events.Closed("no_error", None, "", 0, False)


@pytest.mark.parametrize("closer", [0, 1])
def test_clean_close(closer):
    pair = Pair().open()
    pair.sides[closer].link.close(pair.now)
    assert pair.sides[closer].link.has_sent_all and not pair.sides[closer].link.is_closed
    pair.pump()
    assert all(side.one(events.Closed) == CLEAN for side in pair.sides)
    assert all(side.link.take_output() == b"" for side in pair.sides)


def test_both_close_at_once():
    pair = Pair().open()
    for side in pair.sides:
        side.link.close(pair.now)
    pair.pump()
    assert all(side.one(events.Closed) == CLEAN for side in pair.sides)


@pytest.mark.parametrize("code", [ErrorCode.SHUTTING_DOWN, ErrorCode.INTERNAL, ErrorCode.DUPLICATE_LINK])
def test_close_with_code(code):
    pair = Pair().open()
    pair.responder.link.close(pair.now, code)
    pair.pump()
    assert pair.initiator.one(events.Closed).peer_code == code
    assert pair.responder.one(events.Closed).peer_code == 0


def test_unknown_code():
    """R16.1-4."""
    pair = Pair().open()
    pair.initiator.inject(Frame(FrameType.CLOSE, b"\x80\x00\x50\x00\x00"))
    pair.pump()
    assert pair.responder.one(events.Closed).peer_code == 0x5000


def test_nothing_counts_after_close():
    """R16.1-1: in the same record, in later ones, and nonsense."""
    pair = Pair().open()
    pair.initiator.inject(Frame(FrameType.CLOSE, b"\x00\x00"), Frame(FrameType.MESSAGE, b"\x01a"), Frame(0x7E))
    pair.pump()
    pair.responder.link.receive(b"nonsense", pair.now)
    pair.responder.link.end_of_stream(pair.now)
    pair.responder.drain(pair.now)
    assert pair.responder.one(events.Closed) == CLEAN and not pair.responder.of(events.MessageReceived)


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
def test_payload_on_the_way_is_delivered(preference):
    """R16.1-3: after our CLOSE of no_error; control frames are ignored."""
    pair = Pair(config(ALICE, preference=preference), config(BOB, preference=preference)).open()
    pair.responder.link.send_message(b"on the way", pair.now)
    pair.responder.link.association(0).sent_files.offer(FileOffer(0, 0, "a"))
    flying = pair.responder.link.take_output()
    pair.initiator.link.close(pair.now)
    pair.initiator.link.receive(flying, pair.now)
    pair.pump()
    assert pair.initiator.one(events.MessageReceived).data == b"on the way"
    assert not pair.initiator.of(events.FileOffered)
    assert all(side.one(events.Closed).error is None for side in pair.sides)


def test_no_payload_after_closing_with_an_error():
    pair = Pair().open()
    pair.responder.link.send_message(b"on the way", pair.now)
    flying = pair.responder.link.take_output()
    pair.initiator.link.close(pair.now, ErrorCode.INTERNAL)
    pair.initiator.link.receive(flying, pair.now)
    pair.pump()
    assert not pair.initiator.of(events.MessageReceived)


def test_no_payload_where_the_link_was_never_open():
    """Messages after our CLOSE, on a link that closed in *identified*, must not reach the app."""
    pair = Pair().pump()
    pair.initiator.link.close(pair.now)
    pair.responder.inject(Frame(FrameType.MESSAGE, b"\x01a"))
    pair.pump()
    assert not pair.initiator.of(events.MessageReceived)
    assert pair.initiator.one(events.Closed).outcome == "declined"


def test_closing_deadline():
    pair = Pair().open()
    pair.initiator.link.close(pair.now)
    pair.initiator.link.timeout(pair.now + 4_999)
    assert not pair.initiator.link.is_closed
    pair.initiator.link.timeout(pair.now + 5_000)
    pair.initiator.drain(pair.now)
    assert pair.initiator.one(events.Closed).outcome == "timed_out"


def test_records_prolong_closing():
    """§19: 5 s without a record, 60 s in all."""
    pair = Pair().open()
    pair.initiator.link.close(0)
    for second in range(4, 60, 4):
        pair.responder.link.send_message(b"still here", 0)
        pair.initiator.link.receive(pair.responder.link.take_output(), second * 1000)
        assert pair.initiator.link.deadline == min(60_000, second * 1000 + 5_000)
    pair.initiator.link.timeout(60_000)
    pair.initiator.drain(60_000)
    assert pair.initiator.link.is_closed and len(pair.initiator.of(events.MessageReceived)) == 14


def test_decline_and_close():
    """R8.4-3; and an app that closes in *invited* declines."""
    for answer in (DeclineInvitation(), None):
        pair = Pair()
        pair.responder.answers = {}
        pair.invite()
        pair.pump()
        token = pair.responder.one(events.InvitationReceived).token
        if answer:
            pair.responder.link.resolve(token, answer, pair.now)
        else:
            pair.responder.link.close(pair.now)
        assert pair.responder.link.state is State.CLOSING and pair.responder.link.has_sent_all
        pair.pump()
        assert pair.initiator.one(events.InvitationDeclined).reason == 1
        assert all(side.one(events.Closed).outcome == "declined" for side in pair.sides)


def test_deaf_after_a_bad_record():
    """§16.3, R12.4-1: not even the genuine record counts afterwards; only the end of the stream is awaited."""
    pair = Pair().open()
    pair.initiator.link.send_message(b"hello", pair.now)
    pair.initiator.link.close(pair.now)
    genuine = pair.initiator.link.take_output()
    pair.responder.link.receive(genuine[:10] + bytes([genuine[10] ^ 1]) + genuine[11:], pair.now)
    pair.responder.link.receive(genuine, pair.now)
    pair.responder.drain(pair.now)
    assert pair.responder.link.state is State.CLOSING and not pair.responder.of(events.MessageReceived)
    pair.responder.link.end_of_stream(pair.now)
    pair.responder.drain(pair.now)
    assert pair.responder.one(events.Closed).outcome == "decrypt_failed"


@pytest.mark.parametrize("reader", [0, 1])
def test_truncation(reader):
    """R16.2-1, with a message half come."""
    pair = Pair().open()
    side, other = pair.sides[reader], pair.sides[1 - reader]
    other.inject(Frame(FrameType.MESSAGE, b"\x05ab"))
    pair.pump()
    side.link.end_of_stream(pair.now)
    side.drain(pair.now)
    assert side.one(events.Closed) == events.Closed("truncated", None, "", None, True)
    assert not side.of(events.MessageReceived)


def test_close_in_the_middle_of_a_message():
    pair = Pair().open()
    pair.initiator.inject(Frame(FrameType.MESSAGE, b"\x05ab"), Frame(FrameType.CLOSE, b"\x00\x00"))
    pair.pump()
    assert pair.responder.one(events.Closed) == events.Closed("no_error", None, "", 0, True)


def test_truncation_while_closing():
    pair = Pair().open()
    pair.initiator.link.close(pair.now)
    pair.initiator.link.end_of_stream(pair.now)
    pair.initiator.drain(pair.now)
    assert pair.initiator.one(events.Closed).outcome == "truncated"


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 10, -1])
def test_tampering_on_an_open_link(offset):
    """R12.4-1: nothing of the record counts, one CLOSE goes, the link is deaf after."""
    pair = Pair().open()
    pair.initiator.link.send_message(b"hello", pair.now)
    record = bytearray(pair.initiator.link.take_output())
    record[offset] ^= 1
    pair.responder.link.receive(bytes(record), pair.now)
    pair.responder.link.receive(bytes(40), pair.now)
    pair.responder.drain(pair.now)
    if offset == 1:  # the length is now 256 more: the record is not whole yet
        assert pair.responder.error is None
        pair.responder.link.receive(bytes(300), pair.now)
    pair.pump()
    expected = ErrorCode.WRONG_PROTECTION if offset == 0 else ErrorCode.DECRYPT_FAILED
    assert pair.responder.error is expected and not pair.responder.of(events.MessageReceived)
    assert pair.initiator.one(events.Closed).peer_code == expected


@pytest.mark.parametrize("order", [(1, 0), (0, 0), (1,)])
def test_reordered_replayed_and_dropped_records(order):
    pair = Pair().open()
    records = []
    for text in (b"one", b"two"):
        pair.initiator.link.send_message(text, pair.now)
        records.append(pair.initiator.link.take_output())
    for index in order:
        pair.responder.link.receive(records[index], pair.now)
    pair.responder.drain(pair.now)
    assert pair.responder.error is ErrorCode.DECRYPT_FAILED
    assert [event.data for event in pair.responder.of(events.MessageReceived)] == ([b"one"] if order[0] == 0 else [])


def test_reflected_record():
    """Each direction has its own key."""
    pair = Pair().open()
    pair.initiator.link.send_message(b"one", pair.now)
    pair.initiator.link.receive(pair.initiator.link.take_output(), pair.now)
    assert pair.initiator.error is ErrorCode.DECRYPT_FAILED


@pytest.mark.parametrize("record, code", [
    ("01", ErrorCode.UNEXPECTED_RECORD), ("02", ErrorCode.UNEXPECTED_RECORD), ("00", ErrorCode.MALFORMED),
    ("100011", ErrorCode.MALFORMED), ("10fffd", ErrorCode.MALFORMED),
])
def test_record_headers_on_an_open_link(record, code):
    pair = Pair().open()
    pair.responder.link.receive(bytes.fromhex(record), pair.now)
    pair.pump()
    assert pair.responder.error is code and pair.initiator.one(events.Closed).peer_code == code


def test_a_fault_then_the_peers_close():
    """§16.3: after our error we still find the peer's CLOSE, in the same record too."""
    pair = Pair().open()
    pair.initiator.inject(Frame(0x7E), Frame(FrameType.MESSAGE, b"\x01a"), Frame(FrameType.CLOSE, b"\x20\x00"))
    data = pair.initiator.link.take_output()
    pair.responder.link.receive(data, pair.now)
    pair.responder.drain(pair.now)
    closed = pair.responder.one(events.Closed)
    assert (closed.outcome, closed.error, closed.peer_code) == ("unsupported", ErrorCode.UNSUPPORTED, 0x20)
    assert not pair.responder.of(events.MessageReceived)


def test_bytes_before_open_are_limited():
    """R19-1: padding counts; the limit falls at a header."""
    pair = Pair().pump()
    already = sum(len(record) for record in records_after_hello(pair.sent[True]))
    channel = pair.initiator.link.core.channel
    room = 131_072 - already
    for total, is_over in ((45_000, False), (45_000, False), (room - 90_000, False), (3 + 18, True)):
        padding = seal(channel.sending, RecordKind.ENCRYPTED, padding_of(total - 3 - 16))
        assert len(padding) == total
        pair.responder.link.receive(padding, pair.now)
        assert (pair.responder.error is ErrorCode.LIMIT_EXCEEDED) == is_over


def records_after_hello(wire):
    """The protected records of a direction."""
    offset, found = 8, []
    while offset < len(wire):
        end = offset + 3 + int.from_bytes(wire[offset + 1 : offset + 3], "big")
        found.append(bytes(wire[offset:end]))
        offset = end
    return found[1:]


def padding_of(length):
    """PADDING frames of exactly this many bytes."""
    for size in range(max(0, length - 6), length):
        frame = Frame(FrameType.PADDING, bytes(size)).encode()
        if len(frame) == length:
            return frame
    raise AssertionError(length)


def test_no_such_limit_on_an_open_link():
    pair = Pair().open()
    for _ in range(5):
        pair.initiator.link.send_message(bytes(100_000), pair.now)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 5


def test_app_closes_before_the_handshake():
    pair = Pair()
    pair.initiator.link.take_output()
    pair.initiator.link.close(0)
    assert pair.initiator.link.is_closed and pair.initiator.link.take_output() == b""


@pytest.mark.parametrize("closer", [0, 1])
def test_files_end_with_the_link(closer):
    """R16.1-5: who closes cancels what is under way first."""
    pair = Pair().open()
    file = pair.initiator.link.association(0).sent_files.offer(FileOffer(0, 4, "a"))
    pair.pump()
    theirs = pair.responder.link.association(0)
    theirs.received_files.accept(theirs.file(0))
    pair.pump()
    pair.initiator.link.association(0).sent_files.supply(file, b"da")
    pair.sides[closer].link.close(pair.now)
    pair.pump()
    assert not pair.responder.of(events.FileReceived)
    assert all(side.one(events.Closed) == CLEAN for side in pair.sides)
    assert pair.sides[1 - closer].one(events.FileCancelled).reason == 12


@pytest.mark.parametrize("code,outcome", [(None, "declined"), (ErrorCode.SHUTTING_DOWN, "declined")])
@pytest.mark.parametrize("is_open", [False, True])
def test_what_an_app_that_closes_is_told(code, outcome, is_open):
    """§18: *declined* before the link was open; in order, afterwards. The other side is told what came."""
    pair = Pair().open() if is_open else Pair().pump()
    pair.initiator.link.close(pair.now, code or ErrorCode.NO_ERROR)
    pair.pump()
    assert pair.initiator.one(events.Closed).outcome == ("no_error" if is_open else outcome)
    assert pair.responder.one(events.Closed).outcome == ("shutting_down" if code else "no_error")


def test_an_error_after_our_close_is_reported():
    """R16.3-1: after CLOSE of no_error the stream is closed at once; a link that was never open has its reason already."""
    for pair, outcome in ((Pair().open(), "decrypt_failed"), (Pair().pump(), "declined")):
        pair.initiator.link.close(pair.now)
        pair.initiator.link.take_output()
        pair.initiator.link.receive(b"\x10\x00\x12" + bytes(18), pair.now)
        assert pair.initiator.link.is_closed
        closed = pair.initiator.one_drained(pair.now, events.Closed)
        assert closed.outcome == outcome
        assert closed.error is (ErrorCode.DECRYPT_FAILED if outcome == "decrypt_failed" else None)


def test_our_code_on_an_open_link_settles_the_end():
    """R16.3-1: neither the end of the stream, nor the deadline, nor the peer's code changes what is reported."""
    def cut(pair):
        pair.initiator.link.end_of_stream(pair.now)

    def wait(pair):
        pair.initiator.link.timeout(pair.now + 60_000)

    def answer(pair):
        pair.responder.inject(Frame(FrameType.CLOSE, b"\x22\x00"))
        pair.initiator.link.receive(pair.responder.link.take_output(), pair.now)

    for happens in (cut, wait, answer):
        pair = Pair().open()
        pair.initiator.link.close(pair.now, ErrorCode.SHUTTING_DOWN)
        happens(pair)
        assert pair.initiator.one_drained(pair.now, events.Closed).outcome == "no_error"


def test_nothing_is_judged_after_our_error():
    """§16.3: the rest is ignored; after a bad record only the end of the stream is awaited."""
    pair = Pair().open()
    link = pair.initiator.link
    link.close(pair.now, ErrorCode.INTERNAL)
    link.take_output()
    link.receive(b"\x10\x00\x12" + bytes(18), pair.now)
    assert not link.is_closed
    pair.responder.inject(Frame(FrameType.CLOSE, b"\x00\x00"))
    link.receive(pair.responder.link.take_output(), pair.now)
    assert not link.is_closed  # deaf
    link.end_of_stream(pair.now)
    assert link.is_closed and pair.initiator.one_drained(pair.now, events.Closed).error is None


@pytest.mark.parametrize("kind,frame", [
    (RecordKind.ENCRYPTED, Frame(FrameType.MESSAGE, b"\x01a")),
    (RecordKind.AUTHENTICATED, Frame(FrameType.FILE_ACCEPT, b"\x00\x00")),
    (RecordKind.AUTHENTICATED, Frame(FrameType.CLOSE, b"\x00\x00")),
])
def test_protection_class_after_our_close(kind, frame):
    """R12.4-2: a link that was open counts as open after its CLOSE; the class comes before the state (R18-1)."""
    readable = {"preference": Preference.NONE}
    pair = Pair(config(ALICE, **readable), config(BOB, **readable)).open()
    pair.initiator.link.close(pair.now)
    pair.initiator.link.take_output()
    record = seal(pair.responder.link.core.channel.sending, kind, frame.encode())
    pair.initiator.link.receive(record, pair.now)
    assert pair.initiator.one_drained(pair.now, events.Closed).error is ErrorCode.WRONG_PROTECTION
