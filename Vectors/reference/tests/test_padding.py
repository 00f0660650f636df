"""R6.5-1: the lengths of records, and the frames that share one. A script shows frames, without PADDING."""

import pytest

from multipeer_reference import events
from multipeer_reference.records import PROTECTED, Assembler, RecordKind

from .helpers import Pair
from .verifying import show, sides_of, verified, verifying


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
        before = lengths[: lengths.index(4096) + 1]  # after them come READY, and what is of the open link
        assert before[0] == 1024 and all(length % 1024 == 0 for length in before)


def test_rekey_and_ready_never_share_a_record():
    """R6.5-1, R12.6-2: the record with READY is padded, and nothing comes after REKEY."""
    pair = Pair()
    for side in pair.sides:
        side.answers[events.Opened] = lambda event, side=side: side.link.rekey(pair.now)
    pair.open()
    for side in pair.sides:
        side.link.send_message(b"m", pair.now)
    pair.pump()
    for side in pair.sides:
        assert side.error is None and side.one(events.MessageReceived).data == b"m"


@pytest.mark.parametrize("typist", ["initiator", "responder"])
def test_pairing(typist):
    """R6.5-1, SPEC §25.8: lengths do not show an eavesdropper what is sent before the link is open."""
    pair = verifying()
    one, other = sides_of(pair, typist)
    code = show(pair, other)
    before = {from_initiator: len(sent) for from_initiator, sent in pair.sent.items()}
    one.link.give_code(code, 0)
    for side in (one, other):
        side.link.compare(0)
    pair.pump()
    assert verified(one) and one.of(events.StringReady)
    for from_initiator, sent in pair.sent.items():
        offset = before[from_initiator]
        while offset < len(sent):
            length = 3 + int.from_bytes(sent[offset + 1 : offset + 3], "big")
            assert sent[offset] == RecordKind.ENCRYPTED and length == 1024
            offset += length
