"""SPEC §15: messages and files on open links."""

import hashlib

import pytest

from multipeer_reference import events
from multipeer_reference.config import AcceptFile, FileStored, RejectFile
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.files import CancelFileReason, FileCancel, FileData, FileEnd, FileDone, FileOffer
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.integers import encode_varint
from multipeer_reference.messages import MessageAssembler, message_frames
from multipeer_reference.policy import Preference
from multipeer_reference.protection import seal
from multipeer_reference.records import PROTECTED, Assembler, RecordKind

from .helpers import ALICE, BOB, Pair, config

MESSAGE, PART = FrameType.MESSAGE, FrameType.MESSAGE_PART


def opened(preference=Preference.REQUIRED, **changes):
    pair = Pair(config(ALICE, preference=preference), config(BOB, preference=preference, **changes)).open()
    for side in pair.sides:
        side.answers[events.FileOffered] = lambda event: AcceptFile()
        side.answers[events.FileReceived] = lambda event: FileStored()
    return pair


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
@pytest.mark.parametrize("length", [0, 1, 32_767, 32_768, 32_769, 65_536, 300_001])
def test_messages_both_ways(preference, length):
    pair = opened(preference)
    message = bytes(i * 7 % 251 for i in range(length))
    for side in pair.sides:
        side.link.send_message(message, pair.now)
        side.link.send_message(b"next", pair.now)
    pair.pump()
    for side in pair.sides:
        assert [event.data for event in side.of(events.MessageReceived)] == [message, b"next"]


@pytest.mark.parametrize("part", [1, 2, 3, 10])
def test_parts_of_any_length(part):
    assembler = MessageAssembler(100)
    results = [assembler.handle(frame) for frame in message_frames(b"0123456789", part)]
    assert results == [None] * (len(results) - 1) + [b"0123456789"] and len(results) == -(-10 // part)


def responder_gets(*frames, preference=Preference.REQUIRED, **changes):
    pair = opened(preference, **changes)
    pair.initiator.inject(*frames)
    pair.pump()
    return pair.responder


@pytest.mark.parametrize("frames, code", [
    ([Frame(MESSAGE, b"")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x01")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x00a")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x01ab")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x40\x01a")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x03a"), Frame(PART, b"")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x03a"), Frame(PART, b"bcd")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, b"\x03a"), Frame(MESSAGE, b"\x03a")], ErrorCode.UNEXPECTED_FRAME),
    ([Frame(MESSAGE, b"\x03a"), Frame(MESSAGE, b"\x40\x01")], ErrorCode.MALFORMED),
    ([Frame(PART, b"a")], ErrorCode.UNEXPECTED_FRAME),
    ([Frame(PART, b"")], ErrorCode.MALFORMED),
    ([Frame(MESSAGE, encode_varint(2**20 + 1) + b"a")], ErrorCode.LIMIT_EXCEEDED),
    ([Frame(MESSAGE, encode_varint(2**20 + 1))], ErrorCode.LIMIT_EXCEEDED),
    ([Frame(MESSAGE, encode_varint(2**62 - 1) + b"a")], ErrorCode.LIMIT_EXCEEDED),
    ([Frame(MESSAGE, encode_varint(2**20) + b"a")], None),
    ([Frame(FrameType.READY)], ErrorCode.UNEXPECTED_FRAME),
    ([Frame(0x7E)], ErrorCode.UNSUPPORTED),
    ([Frame(0x7F, b"x")], None),
])
def test_message_faults(frames, code):
    """R15.1-1..3."""
    responder = responder_gets(*frames)
    assert responder.error is code and not responder.of(events.MessageReceived)


def test_frames_before_a_faulty_one_count():
    """R6.3-2."""
    responder = responder_gets(Frame(MESSAGE, b"\x01a"), Frame(0x7E), Frame(MESSAGE, b"\x01b"))
    assert [event.data for event in responder.of(events.MessageReceived)] == [b"a"]
    assert responder.error is ErrorCode.UNSUPPORTED


def test_other_frames_between_parts():
    responder = responder_gets(
        Frame(MESSAGE, b"\x02a"), Frame(FrameType.PADDING, b"zz"), Frame(FrameType.FILE_OFFER, b"\x00\x00\x01a\x00"),
        Frame(0x3F), Frame(PART, b"b"),
    )
    assert responder.one(events.MessageReceived).data == b"ab" and responder.error is None


def test_sender_keeps_the_peers_limit():
    pair = opened(maximum_message=10)
    with pytest.raises(MisuseError):
        pair.initiator.link.send_message(bytes(11), pair.now)
    pair.initiator.link.send_message(bytes(10), pair.now)
    pair.pump()
    assert pair.responder.of(events.MessageReceived) and pair.responder.error is None


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
@pytest.mark.parametrize("size", [0, 1, 100_000])
@pytest.mark.parametrize("from_initiator", [True, False])
def test_file(preference, size, from_initiator):
    pair = opened(preference)
    sender, receiver = pair.sides if from_initiator else pair.sides[::-1]
    parity = 0 if from_initiator else 1  # R15.3-1
    content = bytes(i % 253 for i in range(size))
    for count in range(2):
        assert sender.link.offer_file(f"file {count}", size, pair.now) == 2 * count + parity
        pair.pump()
        for start in range(0, size, 30_000):
            sender.link.send_file_data(2 * count + parity, content[start : start + 30_000], pair.now)
        pair.pump()
    assert b"".join(event.data for event in receiver.of(events.FileDataReceived)) == content * 2
    assert [event.sha256 for event in receiver.of(events.FileReceived)] == [hashlib.sha256(content).digest()] * 2
    assert [event.id for event in sender.of(events.FileDelivered)] == [parity, parity + 2]
    assert [event.name for event in receiver.of(events.FileOffered)] == ["file 0", "file 1"]


OFFER = Frame(FrameType.FILE_OFFER, FileOffer(0, 4, "a").encode())
OFFER_1 = Frame(FrameType.FILE_OFFER, FileOffer(2, 0, "b").encode())
END = Frame(FrameType.FILE_END, FileEnd(0, hashlib.sha256(b"data").digest()).encode())


def data(offset, content, id_=0):
    return Frame(FrameType.FILE_DATA, FileData(id_, offset, content).encode())


def steps(*groups, answers=True, stored=True, preference=Preference.REQUIRED):
    """Each group of frames comes from the initiator and is handled, with the app's answers, before the next."""
    pair = opened(preference)
    if not answers:
        del pair.responder.answers[events.FileOffered]
    if not stored:
        del pair.responder.answers[events.FileReceived]
    pair.initiator.link.payloads.sender = _Deaf()
    for group in groups:
        pair.initiator.inject(*group)
        pair.pump()
    return pair


class _Deaf:
    """The faulty initiator does not look at the responder's answers."""

    def owns(self, id_): return id_ % 2 == 0
    def handle_accept(self, frame): ...
    def handle_done(self, frame): ...
    def handle_cancel(self, cancel): ...


@pytest.mark.parametrize("groups, code", [
    ([[Frame(FrameType.FILE_OFFER, FileOffer(1, 4, "a").encode())]], ErrorCode.MALFORMED),
    ([[Frame(FrameType.FILE_OFFER, FileOffer(2, 4, "a").encode())]], ErrorCode.MALFORMED),
    ([[OFFER], [data(0, b"data", id_=1)]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [OFFER_1]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER, data(0, b"da")]], ErrorCode.UNEXPECTED_FRAME),
    ([[data(0, b"da")]], ErrorCode.UNEXPECTED_FRAME),
    ([[Frame(FrameType.FILE_DATA)]], ErrorCode.MALFORMED),
    ([[OFFER], [Frame(FrameType.FILE_DATA)]], ErrorCode.MALFORMED),
    ([[OFFER], [data(1, b"a")]], ErrorCode.MALFORMED),
    ([[OFFER], [data(0, b"da"), data(0, b"da")]], ErrorCode.MALFORMED),
    ([[OFFER], [data(0, b"")]], ErrorCode.MALFORMED),
    ([[OFFER], [data(0, b"data!")]], ErrorCode.MALFORMED),
    ([[OFFER], [data(0, b"data", id_=2)]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [data(0, b"dat"), END]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER, END]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [data(0, b"data"), END, END]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [data(0, b"data"), END], [data(0, b"x")]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [data(0, b"data"), END], [OFFER]], ErrorCode.MALFORMED),
    ([[Frame(FrameType.FILE_OFFER, FileOffer(0, 2**53, "a").encode())]], ErrorCode.MALFORMED),
    ([[Frame(FrameType.FILE_OFFER, b"\x00\x04\x01\xff\x00")]], ErrorCode.MALFORMED),
    ([[Frame(FrameType.FILE_OFFER, b"\x00\x04\x00\x00")]], ErrorCode.MALFORMED),
    ([[Frame(FrameType.FILE_OFFER, b"\x00\x04\x01a\x02\x02\x00")]], ErrorCode.UNSUPPORTED),
    ([[Frame(FrameType.FILE_CANCEL, FileCancel(0, 2).encode())]], ErrorCode.UNEXPECTED_FRAME),
    ([[Frame(FrameType.FILE_CANCEL, FileCancel(1, 2).encode())]], ErrorCode.UNEXPECTED_FRAME),
    ([[OFFER], [Frame(FrameType.FILE_CANCEL, FileCancel(3, 2).encode())]], ErrorCode.UNEXPECTED_FRAME),
    ([[Frame(FrameType.FILE_ACCEPT, FileDone(1).encode())]], ErrorCode.UNEXPECTED_FRAME),
    ([[Frame(FrameType.FILE_ACCEPT, FileDone(0).encode())]], ErrorCode.UNEXPECTED_FRAME),
    ([[Frame(FrameType.FILE_DONE, FileDone(0).encode())]], ErrorCode.UNEXPECTED_FRAME),
])
def test_file_faults(groups, code):
    """R15.3-1..4, R15.3-6, R15.4-1."""
    assert steps(*groups).responder.error is code


def test_second_offer_waits_for_storage():
    """R15.3-2: the file has not ended before FILE_DONE."""
    pair = steps([OFFER], [data(0, b"data"), END], [OFFER_1], stored=False)
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME


def test_wrong_hash():
    """R15.3-5: FILE_CANCEL of reason 5; the link goes on, and so does the next file."""
    end = Frame(FrameType.FILE_END, FileEnd(0, bytes(32)).encode())
    pair = steps([OFFER], [data(0, b"data"), end], [OFFER_1])
    assert pair.responder.one(events.FileCancelled) == events.FileCancelled(0, False, 5, True)
    assert not pair.responder.of(events.FileReceived) and pair.responder.error is None
    assert pair.responder.link.state is State.OPEN and len(pair.responder.of(events.FileOffered)) == 2


def test_declined_file():
    pair = opened()
    pair.responder.answers[events.FileOffered] = lambda event: RejectFile(CancelFileReason.TOO_LARGE)
    pair.initiator.link.offer_file("a", 10, pair.now)
    pair.pump()
    assert pair.initiator.one(events.FileCancelled) == events.FileCancelled(0, True, 6, False)
    assert pair.initiator.link.offer_file("b", 10, pair.now) == 2


def test_failed_storage():
    pair = opened()
    pair.responder.answers[events.FileReceived] = lambda event: FileStored(False)
    pair.initiator.link.offer_file("a", 0, pair.now)
    pair.pump()
    assert pair.initiator.one(events.FileCancelled).reason == CancelFileReason.STORAGE_FAILED
    assert not pair.initiator.of(events.FileDelivered)


def test_receiver_cancels_while_data_is_on_the_way():
    """R15.3-7: the side that cancelled ignores them; after the next offer they would be wrong."""
    pair = opened()
    pair.initiator.link.offer_file("a", 4, pair.now)
    pair.pump()
    pair.initiator.link.send_file_data(0, b"da", pair.now)
    pair.initiator.link.send_file_data(0, b"ta", pair.now)
    pair.responder.link.cancel_file(0, False, CancelFileReason.CANCELLED, pair.now)
    pair.pump()
    assert not pair.responder.of(events.FileDataReceived) and pair.responder.error is None
    assert pair.initiator.one(events.FileCancelled) == events.FileCancelled(0, True, 2, False)
    pair.initiator.link.offer_file("b", 0, pair.now)
    pair.pump()
    assert pair.initiator.one(events.FileDelivered).id == 2
    pair.initiator.inject(data(0, b"x"))
    pair.pump()
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME


def test_sender_cancels_while_answers_are_on_the_way():
    """R15.3-7, with several files cancelled and offered before the peer hears of it."""
    pair = opened()
    for count in range(3):
        pair.initiator.link.offer_file("a", 4, pair.now)
        pair.initiator.link.cancel_file(2 * count, True, CancelFileReason.SOURCE_FAILED, pair.now)
    pair.initiator.link.offer_file("a", 0, pair.now)
    pair.pump()
    assert pair.initiator.one(events.FileDelivered).id == 6
    assert [event.reason for event in pair.responder.of(events.FileCancelled)] == [4, 4, 4]
    assert all(side.error is None for side in pair.sides)


def test_accept_crosses_the_senders_cancel():
    pair = opened()
    del pair.responder.answers[events.FileOffered]
    pair.initiator.link.offer_file("a", 4, pair.now)
    pair.pump()
    token = pair.responder.one(events.FileOffered).token
    pair.initiator.link.cancel_file(0, True, CancelFileReason.CANCELLED, pair.now)
    pair.responder.link.resolve(token, AcceptFile(), pair.now)
    pair.pump()
    assert pair.initiator.error is None and pair.responder.error is None
    assert not pair.initiator.of(events.FileAccepted)
    pair.initiator.inject(data(0, b"x"))  # but whoever cancelled sends no more of it
    pair.pump()
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME


def test_both_cancel():
    """R15.4-1."""
    pair = opened()
    pair.initiator.link.offer_file("a", 4, pair.now)
    pair.pump()
    pair.initiator.link.cancel_file(0, True, CancelFileReason.CANCELLED, pair.now)
    pair.responder.link.cancel_file(0, False, CancelFileReason.CANCELLED, pair.now)
    pair.pump()
    assert all(side.error is None and len(side.of(events.FileCancelled)) == 1 for side in pair.sides)


def test_question_of_a_cancelled_offer_is_void():
    pair = opened()
    del pair.responder.answers[events.FileOffered]
    pair.initiator.link.offer_file("a", 4, pair.now)
    pair.pump()
    pair.initiator.link.cancel_file(0, True, CancelFileReason.CANCELLED, pair.now)
    pair.pump()
    assert not pair.responder.link.resolve(pair.responder.one(events.FileOffered).token, AcceptFile(), pair.now)


@pytest.mark.parametrize("frame, wrong_kind", [
    (Frame(MESSAGE, b"\x01a"), "ENCRYPTED"), (data(0, b"x"), "ENCRYPTED"),
    (OFFER, "AUTHENTICATED"), (Frame(FrameType.CLOSE, b"\x00\x00"), "AUTHENTICATED"),
    (Frame(FrameType.PADDING), "AUTHENTICATED"), (Frame(0x7F), "AUTHENTICATED"),
])
def test_wrong_protection_on_a_readable_link(frame, wrong_kind):
    """R11-2, R12.4-2."""
    pair = opened(Preference.NONE)
    channel = pair.initiator.link.core.channel
    channel.write_clear(seal(channel.sending, RecordKind[wrong_kind], frame.encode()))
    pair.pump()
    assert pair.responder.error is ErrorCode.WRONG_PROTECTION
    assert pair.initiator.one(events.Closed).peer_code == ErrorCode.WRONG_PROTECTION


@pytest.mark.parametrize("is_open", [True, False])
def test_authenticated_record_where_there_is_none(is_open):
    """R12.4-2: at the header."""
    pair = opened() if is_open else Pair().pump()
    pair.responder.link.receive(b"\x11\x00\x12", pair.now)
    assert pair.responder.error is ErrorCode.WRONG_PROTECTION


def test_unknown_even_frame_in_an_authenticated_record():
    pair = opened(Preference.NONE)
    channel = pair.initiator.link.core.channel
    channel.write_clear(seal(channel.sending, RecordKind.AUTHENTICATED, Frame(0x7E).encode()))
    pair.pump()
    assert pair.responder.error is ErrorCode.UNSUPPORTED


def test_rekey_within_a_link():
    """R12.5-1: 65,600 messages, a record each."""
    pair = opened(Preference.NONE)
    first = pair.initiator.link.core.channel.sending.k
    for _ in range(65_600):
        pair.initiator.link.send_message(b"m", pair.now)
        pair.responder.link.receive(pair.initiator.link.take_output(), pair.now)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 65_600
    assert pair.initiator.link.core.channel.sending.k == pair.responder.link.core.channel.receiving.k != first


def test_rekey_on_request():
    """R12.6-1: the direction of the sender alone, and what follows is under the next key."""
    pair = opened()
    sending = pair.initiator.link.core.channel.sending
    other, first = pair.responder.link.core.channel.sending.k, sending.k
    pair.initiator.link.rekey(pair.now)
    pair.initiator.link.send_message(b"m", pair.now)
    pair.pump()
    assert pair.responder.one(events.MessageReceived).data == b"m"
    assert sending.k == pair.responder.link.core.channel.receiving.k != first
    assert pair.responder.link.core.channel.sending.k == other


@pytest.mark.parametrize("waits, count", [(599_999, 0), (600_000, 1)])
def test_rekey_after_ten_minutes(waits, count):
    """R12.6-5: in front of what is sent, once."""
    pair = opened()
    sent = []
    queue = pair.initiator.link.core.channel.queue
    pair.initiator.link.core.channel.queue = lambda frame: (sent.append(frame.type), queue(frame))
    pair.now = waits
    for _ in range(2):
        pair.initiator.link.send_message(b"m", pair.now)
    pair.pump()
    assert sent == [FrameType.REKEY] * count + [MESSAGE] * 2
    assert len(pair.responder.of(events.MessageReceived)) == 2 and pair.responder.error is None


def record_of(pair, *frames):
    """One record of the initiator's, sealed past its queue."""
    channel = pair.initiator.link.core.channel
    channel.write_clear(seal(channel.sending, RecordKind.ENCRYPTED, b"".join(frame.encode() for frame in frames)))


REKEY = Frame(FrameType.REKEY, b"\x00")


@pytest.mark.parametrize("behind", [
    REKEY, Frame(MESSAGE, b"\x01a"), Frame(FrameType.PADDING), Frame(0x7E), Frame(0x7F), Frame(FrameType.CLOSE, b"\x00\x00"),
])
def test_nothing_comes_behind_rekey(behind):
    """R12.6-2."""
    pair = opened()
    record_of(pair, REKEY, behind)
    pair.step(True)
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME


@pytest.mark.parametrize("code", [ErrorCode.NO_ERROR, ErrorCode.INTERNAL])
@pytest.mark.parametrize("payload", [b"\x00", b"\xff"])
def test_rekey_is_obeyed_while_closing(code, payload):
    """R12.6-4: or the CLOSE behind it could not be read."""
    pair = opened()
    pair.responder.link.close(pair.now, code)
    record_of(pair, Frame(0x7F), Frame(FrameType.REKEY, payload), Frame(FrameType.REKEY, payload))
    pair.initiator.link.core.channel.sending.rekey()
    pair.initiator.inject(Frame(FrameType.CLOSE, b"\x20\x00"))
    pair.step(True)
    assert pair.responder.one_drained(pair.now, events.Closed).peer_code == 0x20


def test_export():
    """§9.8: both sides the same, nothing before *open* and nothing after the end."""
    pair = Pair()
    with pytest.raises(MisuseError):
        pair.initiator.link.export(b"example.org/x", b"", 32, 0)
    pair.open()
    outputs = {side.link.export(b"example.org/x", b"c", 80, pair.now) for side in pair.sides}
    assert len(outputs) == 1 and len(outputs.pop()) == 80
    link = pair.initiator.link
    assert link.export(b"a", b"bc", 32, 0) != link.export(b"ab", b"c", 32, 0) != link.export(b"ab", b"c", 33, 0)[:32]
    for label, context, length in ((b"", b"", 1), (bytes(256), b"", 1), (b"a", bytes(1025), 1), (b"a", b"", 0), (b"a", b"", 8161)):
        with pytest.raises(ValueError):
            link.export(label, context, length, 0)
    assert len(link.export(bytes(255), bytes(1024), 8160, 0)) == 8160
    link.close(0)
    pair.pump()
    with pytest.raises(MisuseError):
        link.export(b"a", b"", 1, 0)


def test_records_before_open_are_padded():
    """R6.5-1."""
    pair = Pair().open()
    for wire in pair.sent.values():
        assembler = Assembler()
        assembler.feed(bytes(wire))
        assembler.take_magic()
        lengths = []
        while header := assembler.peek_header():
            if header.kind in PROTECTED:
                lengths.append(header.record_length)
            assembler.take_body(header)
        assert lengths[0] == 1024 and 4096 in lengths and all(length % 1024 == 0 for length in lengths)


@pytest.mark.parametrize("shown", [True, False])
def test_a_responder_shows_its_name_to_some(shown):
    """R8.1-6."""
    pair = Pair(config(ALICE), config(BOB, display_name="Bob", shows_name_to=frozenset({ALICE.public} if shown else ())))
    pair.pump()
    assert pair.initiator.one(events.Identified).display_name == ("Bob" if shown else "")
    assert pair.responder.one(events.Identified).display_name == "peer"
