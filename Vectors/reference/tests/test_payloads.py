"""SPEC §15: messages and files on open links."""

import hashlib

import pytest

from multipeer_reference import events
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.files import FileData, FileOffer
from multipeer_reference.frames import OPEN_TYPES, Frame, FrameType
from multipeer_reference.integers import encode_varint
from multipeer_reference.policy import Preference
from multipeer_reference.protection import seal
from multipeer_reference.records import PROTECTED, Assembler, RecordKind

from .helpers import ALICE, BOB, Pair, config

MESSAGE, PART = FrameType.MESSAGE, FrameType.MESSAGE_PART


def opened(preference=Preference.REQUIRED, **changes):
    return Pair(config(ALICE, preference=preference), config(BOB, preference=preference, **changes)).open()


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
    ([Frame(FrameType.READY, b"\x00")], ErrorCode.UNEXPECTED_FRAME),
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
        Frame(MESSAGE, b"\x02a"), Frame(FrameType.PADDING, b"zz"), OFFER,
        Frame(0x3F), Frame(PART, b"b"),
    )
    assert responder.one(events.MessageReceived).data == b"ab" and responder.error is None


def test_sender_keeps_the_peers_limit():
    pair = opened(maximum_message=10)
    pair.initiator.link.send_message(bytes(11), pair.now, "long")
    pair.initiator.drain(pair.now)
    assert pair.initiator.one(events.MessageEnded) == events.MessageEnded("long", "not sent")
    pair.initiator.link.send_message(bytes(10), pair.now)
    pair.pump()
    assert pair.responder.of(events.MessageReceived) and pair.responder.error is None


OFFER = Frame(FrameType.FILE_OFFER, FileOffer(0, 4, "a").encode())


def data(offset, content, id_=0):
    return Frame(FrameType.FILE_DATA, FileData(id_, offset, content).encode())


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
@pytest.mark.parametrize("size", [0, 1, 3_000_000])
@pytest.mark.parametrize("from_initiator", [True, False])
def test_file(preference, size, from_initiator):
    """All the way over a link, in a record of the right kind (R11-2)."""
    pair = opened(preference)
    sender, receiver = pair.sides if from_initiator else pair.sides[::-1]
    content = bytes(i % 253 for i in range(size))
    file = sender.link.association(0).sent_files.offer(FileOffer(0, size, "a"))
    pair.pump()
    theirs = receiver.link.association(0).file(file.id)
    receiver.link.association(0).received_files.accept(theirs)
    pair.pump()
    while file.wanted:
        start = file.credit.used
        sender.link.association(0).sent_files.supply(file, content[start : start + file.wanted])
        pair.pump()
    receiver.link.association(0).received_files.stored(theirs)
    pair.pump()
    assert file.id == (0 if from_initiator else 1)
    assert b"".join(event.data for event in receiver.of(events.FileDataReceived)) == content
    assert receiver.one(events.FileReceived).sha256 == hashlib.sha256(content).digest()
    assert sender.one(events.FileDelivered).id == file.id


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
def test_stream(preference):
    pair = opened(preference)
    stream = pair.initiator.link.association(0).streams.open("s")
    pair.initiator.link.association(0).streams.write(stream, b"hello")
    pair.initiator.link.association(0).streams.finish(stream)
    pair.pump()
    association = pair.responder.link.association(0)
    assert association.streams.take(association.stream(0), 9) == b"hello"
    pair.responder.drain(0)
    assert pair.responder.one(events.StreamEnded).is_complete and pair.initiator.error is None


def test_results_of_messages():
    """R13.6-3, over a link that ends."""
    pair = opened()
    pair.initiator.link.send_message(b"one", 0, tag=1)
    pair.pump()
    pair.advance(20)
    pair.initiator.link.send_message(b"two", 20, tag=2)
    pair.pump()
    pair.initiator.link.send_message(b"three", 20, tag=3)
    pair.initiator.link.end_of_stream(20)
    pair.initiator.drain(20)
    ends = [(event.tag, event.result) for event in pair.initiator.of(events.MessageEnded)]
    assert ends == [(1, "delivered"), (2, "in doubt"), (3, "not sent")]


def test_an_ack_goes_before_the_answer_to_close():
    """R16.1-2: whoever closes learns that its messages came."""
    pair = opened()
    pair.initiator.link.send_message(b"one", 0, tag=1)
    pair.initiator.link.close(0)
    pair.pump()
    assert pair.initiator.one(events.MessageEnded).result == "delivered"
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)


def test_closing_waits_for_credit():
    """SPEC §17: what the app gave before it closed goes, as long as anything moves."""
    pair = Pair(config(ALICE), config(BOB, takes_at_once=False)).open()
    for tag in range(3):
        pair.initiator.link.send_message(bytes(200_000), 0, tag)
    pair.initiator.link.close(0)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 2 and not pair.initiator.of(events.Closed)
    with pytest.raises(MisuseError):
        pair.initiator.link.send_message(b"", 0)
    pair.responder.link.association(0).take_messages(2)
    pair.pump()
    assert len(pair.responder.of(events.MessageReceived)) == 3
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)


def test_closing_does_not_wait_for_ever():
    pair = Pair(config(ALICE), config(BOB, takes_at_once=False)).open()
    for tag in range(5):
        pair.initiator.link.send_message(bytes(200_000), 0, tag)
    pair.initiator.link.close(0)
    pair.pump()
    pair.advance(4_999)
    assert not pair.initiator.of(events.Closed)
    pair.advance(1)
    assert pair.initiator.one(events.Closed).outcome == "no_error"
    assert [event.result for event in pair.initiator.of(events.MessageEnded)].count("not sent") == 3


def test_a_silent_peer():
    """R13.7-3: SILENT is told to the peer."""
    pair = Pair(config(ALICE, keep_alive=KeepAliveTimes()), config(BOB)).open()
    pair.now = 5_000
    pair.initiator.link.timeout(5_000)
    assert pair.initiator.link.take_output()  # PING, which never arrives
    pair.initiator.link.timeout(15_000)
    pair.now = 15_000
    assert pair.initiator.error is ErrorCode.SILENT


def test_an_inviter_admits_over_a_link():
    """R14.5-1, R14.6-1, R14.6-2: ADMIT first; both are members, and their rosters are equal."""
    pair = opened()
    pair.initiator.link.send_message(b"m", 0)
    pair.pump()
    assert pair.responder.of(events.Admitted) and pair.responder.one(events.MessageReceived).data == b"m"
    rosters = [side.link.standing.membership.roster for side in pair.sides]
    assert len(rosters[0]) == 2 and rosters[0].digest == rosters[1].digest


def test_admit_goes_before_all_else():
    """R14.5-1: also before a message that the app has given at once."""
    pair, types = Pair(), []
    link = pair.initiator.link
    queue = link.core.channel.queue
    link.core.channel.queue = lambda frame: (types.append(frame.type), queue(frame))
    pair.initiator.answers[events.Opened] = lambda event: link.send_message(b"m", 0)
    pair.open()
    above = [type_ for type_ in types if type_ in OPEN_TYPES]
    assert above[:2] == [FrameType.ADMIT, FrameType.ROSTER] and MESSAGE in above


def test_messages_do_not_wait_for_a_session():
    """R14.5-6: one message in the record behind READY costs no further flight."""
    pair = opened(stays_guest=True)
    pair.responder.link.send_message(b"m", 0)
    pair.pump()
    assert pair.initiator.one(events.MessageReceived) and not pair.responder.of(events.Admitted)


@pytest.mark.parametrize("frame, code", [
    (Frame(FrameType.ADMIT, b"\x00\x00"), ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.WANT, b"\x20" + bytes(32) + b"\x00"), ErrorCode.UNEXPECTED_FRAME),
    (Frame(FrameType.ROSTER, b"\x01\x00"), ErrorCode.MALFORMED), (Frame(0x26), ErrorCode.UNSUPPORTED),
    (Frame(FrameType.ACK, b"\x01"), ErrorCode.MALFORMED), (Frame(FrameType.PING, b"\x01"), ErrorCode.MALFORMED),
    (Frame(FrameType.CREDIT, b"\x05\x00\x01"), ErrorCode.UNSUPPORTED), (Frame(FrameType.PEER_INFO), ErrorCode.UNEXPECTED_FRAME),
])
def test_faults_on_an_open_link(frame, code):
    assert responder_gets(frame).error is code


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
    for number in range(65_600):
        pair.initiator.link.send_message(b"m", pair.now)
        pair.responder.link.receive(pair.initiator.link.take_output(), pair.now)
        if number % 1_000 == 0:
            pair.pump()  # CREDIT, and ACK
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


def test_rekey_and_ready_never_share_a_record():
    """R6.5-1, R12.6-2: the record with READY is padded, and nothing comes behind REKEY."""
    pair = Pair()
    for side in pair.sides:
        side.answers[events.Opened] = lambda event, side=side: side.link.rekey(pair.now)
    pair.open()
    for side in pair.sides:
        side.link.send_message(b"m", pair.now)
    pair.pump()
    for side in pair.sides:
        assert side.error is None and side.one(events.MessageReceived).data == b"m"


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
        before = lengths[: lengths.index(4096) + 1]  # behind them come READY, and what is of the open link
        assert before[0] == 1024 and all(length % 1024 == 0 for length in before)


@pytest.mark.parametrize("shown", [True, False])
def test_a_responder_shows_its_name_to_some(shown):
    """R8.1-6."""
    pair = Pair(config(ALICE), config(BOB, display_name="Bob", shows_name_to=frozenset({ALICE.public} if shown else ())))
    pair.pump()
    assert pair.initiator.one(events.Identified).display_name == ("Bob" if shown else "")
    assert pair.responder.one(events.Identified).display_name == "peer"
