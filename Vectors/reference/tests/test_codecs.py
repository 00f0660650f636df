"""SPEC §3, §6, §7, §8, §10.2, §15: every structure out and back, and what it refuses."""

import pytest

from multipeer_reference.certificates import Certificates
from multipeer_reference.charter import Charter
from multipeer_reference.closing import Close
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fields import Field
from multipeer_reference.files import FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType, decode_frame, decode_frames
from multipeer_reference.hello import (
    GREASE, Extension, InitiatorHello, Refusal, ResponderHello, check_choice, choose, greased,
)
from multipeer_reference.integers import decode_varint, encode_varint
from multipeer_reference.invitation import Accept, Cancel, Decline, DeclineReason, Invite, PeerInfo
from multipeer_reference.names import decode_display_name
from multipeer_reference.proofs import Proof
from multipeer_reference.records import LENGTHS, MAGIC, Assembler, RecordKind, decode_header, encode_record

from .helpers import CHARTER, seeded

VALUES = [
    InitiatorHello((1,), (1,), (), bytes(32)),
    InitiatorHello((1, 0x0A0A), (2, 1), (Extension(7, b"x"), Extension(0xFAFA)), bytes(range(32))),
    ResponderHello(1, 2, (Extension(3, bytes(256)),), bytes(32), bytes(16)),
    Refusal(1, (1,), ()),
    Refusal(99, tuple(range(32)), tuple(range(32))),
    PeerInfo("Ålice", 1),
    PeerInfo("", 1, (0, 0x0A0A, 0xFFFF)),
    PeerInfo("x" * 63, 4_294_967_295, (), (Field(1, b""), Field(31, bytes(512)))),
    CHARTER,
    Invite(CHARTER, 1, 2, 1, 600_000, bytes(16_384)),
    Invite(Charter(bytes(32), bytes(32), (Field(5, bytes(1000)),)), 0, 0, 0, 1, b"", (Field(2, b""), Field(3, bytes(4096)))),
    Accept(1, 0, 1),
    Decline(1),
    Decline(3, b"\x02"),
    Decline(200, bytes(64)),
    Cancel(2),
    Cancel(1, (Field(1, b"why"),)),
    Close(0x23),
    Close(2**62 - 1, (Field(9, bytes(1000)),)),
    Certificates(),
    Certificates((), 0, b"", (Field(1, bytes(4000)),)),
    Certificates((b"\x30\x00", bytes(16_384)), 0x0807, bytes(64)),
    Proof(bytes(32), bytes(64)),
    FileOffer(0, 0, "a"),
    FileOffer(5, 2**53 - 1, "ä" * 127, (Field(1, b"q"),)),
    FileAccept(5, 1, bytes(32), 7, (Field(1, b"q"),)),
    FileDone(2**62 - 1),
    FileCancel(3, 4),
    FileCancel(3, 0xFF),
    FileData(1, 2, b"data"),
    FileEnd(1, bytes(32)),
    FileEnd(1, bytes(32), (Field(1, b""),)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_round_trip(value):
    assert type(value).decode(value.encode()) == value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_cut_and_left_over(value):
    """Every proper prefix, and every longer string, is malformed; FILE_DATA ends where its frame ends."""
    encoding = value.encode()
    shortest = encoding if not isinstance(value, FileData) else encoding[:2]
    for end in range(len(shortest)) if len(shortest) < 2000 else range(0, len(shortest), 97):
        with pytest.raises(ProtocolError) as caught:
            type(value).decode(encoding[:end])
        assert caught.value.code is ErrorCode.MALFORMED
    if not isinstance(value, FileData):
        with pytest.raises(ProtocolError):
            type(value).decode(encoding + b"\x00")


def fails(code: ErrorCode, action, *arguments):
    with pytest.raises(ProtocolError) as caught:
        action(*arguments)
    assert caught.value.code is code


def test_varint_edges():
    edges = {
        0: "00", 63: "3f", 64: "4040", 16_383: "7fff", 16_384: "80004000", 2**30 - 1: "bfffffff",
        2**30: "c000000040000000", 2**62 - 1: "ffffffffffffffff",
    }
    for value, text in edges.items():
        assert encode_varint(value).hex() == text
        assert decode_varint(bytes.fromhex(text) + b"\xff") == (value, len(text) // 2)
    for longer in ("4000", "403f", "80000000", "80003fff", "c000000000000000", "c00000003fffffff"):
        fails(ErrorCode.MALFORMED, decode_varint, bytes.fromhex(longer))
    for cut in ("", "40", "800040", "c0000000400000"):
        fails(ErrorCode.MALFORMED, decode_varint, bytes.fromhex(cut))
    for value in (-1, 2**62):
        with pytest.raises(ValueError):
            encode_varint(value)


@pytest.mark.parametrize("content, code", [
    ("0100" "0100", ErrorCode.MALFORMED),
    ("0300" "0100", ErrorCode.MALFORMED),
    ("0200", ErrorCode.UNSUPPORTED),
    ("0100" "0200" "0100", ErrorCode.UNSUPPORTED),
    ("0205ff", ErrorCode.UNSUPPORTED),
    ("0105ff", ErrorCode.MALFORMED),
    ("0300" "0205ff", ErrorCode.MALFORMED),
])
def test_field_lists(content, code):
    """§3.4; the fault that comes first decides (R18-1)."""
    data = bytes.fromhex(content)
    payload = bytes.fromhex("0161" "01" "00") + encode_varint(len(data)) + data
    fails(code, PeerInfo.decode, payload)


@pytest.mark.parametrize("length", [4096, 4097])
def test_field_values(length):
    """§3.4: at most 4,096 bytes, in the lists that have room for them."""
    invite = Invite(CHARTER, 1, 0, 0, 1).encode()[:-1]
    content = b"\x01" + encode_varint(length) + bytes(length)
    payload = invite + encode_varint(len(content)) + content
    if length > 4096:
        fails(ErrorCode.MALFORMED, Invite.decode, payload)
    else:
        assert Invite.decode(payload).fields == (Field(1, bytes(length)),)


@pytest.mark.parametrize("length, decode, front", [
    (1024, Close.decode, b"\x00"), (1024, FileDone.decode, b"\x00"), (4096, Certificates.decode, b"\x00\x00\x00\x00"),
    (8192, Accept.decode, b"\x00\x00\x00"),
])
def test_field_list_bounds(length, decode, front):
    """§3.4: the longest list of each structure, and one byte more."""
    for count in (length, length + 1):
        content, type_ = b"", 1
        while len(content) < count:
            value = min(2000, count - len(content) - 3)
            if value < 64:  # the last field has a length of one byte
                value = count - len(content) - 2
                content += bytes([type_, value]) + bytes(value)
            else:
                content += bytes([type_]) + encode_varint(value) + bytes(value)
            type_ += 2
        payload = front + encode_varint(count) + content
        if count > length:
            fails(ErrorCode.MALFORMED, decode, payload)
        else:
            assert decode(payload).fields


def test_field_list_skips_odd():
    payload = bytes.fromhex("0161" "01" "00" "05" "0100" "0301ff")
    assert PeerInfo.decode(payload).fields == (Field(1, b""), Field(3, b"\xff"))


@pytest.mark.parametrize("code_point", [
    0, 0x1F, 0x7F, 0x9F, 0xAD, 0x61C, 0x200B, 0x200F, 0x2028, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0xFEFF, 0xE0000, 0xE007F,
])
def test_forbidden_in_display_names(code_point):
    fails(ErrorCode.MALFORMED, decode_display_name, f"a{chr(code_point)}".encode())


def test_display_names():
    for good in (
        "a", " a", "ä" * 31, "a\u202f", "\u2065", "\u206a", "\u2027", "\u00a0a", "😀", "\u00ae", "\u2010", "\ufefe", "\U000e0080",
    ):
        assert decode_display_name(good.encode()) == good
    for bad in (
        b"", b"x" * 64, b"\xff", b"\xc0\x80", b"\xed\xa0\x80", "ä".encode()[:1], b" ", "\u00a0 \u3000".encode(),
        "\u2000\u200a\u202f\u205f".encode(), "\u115f\u1160\u1680\u2800\u3164\uffa0".encode(),
    ):
        fails(ErrorCode.MALFORMED, decode_display_name, bad)


@pytest.mark.parametrize("payload, code", [
    (PeerInfo("a", 0).encode(), ErrorCode.MALFORMED),
    (PeerInfo("a", 2**32).encode(), ErrorCode.MALFORMED),
    (PeerInfo("a", 1, (1, 1)).encode(), ErrorCode.MALFORMED),
    (PeerInfo("a", 1, (2, 1)).encode(), ErrorCode.MALFORMED),
    (b"\x01a\x01\x01\x00\x00", ErrorCode.MALFORMED),
    (b"\x01a\x01\x41\x02" + bytes(258) + b"\x00", ErrorCode.MALFORMED),
])
def test_peer_info_range(payload, code):
    fails(code, PeerInfo.decode, payload)


@pytest.mark.parametrize("invite, code", [
    (Invite(CHARTER, 1, 3, 0, 1), ErrorCode.MALFORMED),
    (Invite(CHARTER, 1, 0, 2, 1), ErrorCode.UNSUPPORTED),
    (Invite(CHARTER, 3, 3, 0, 1), ErrorCode.UNSUPPORTED),
    (Invite(CHARTER, 1, 0, 2, 0), ErrorCode.UNSUPPORTED),
    (Invite(CHARTER, 1, 3, 2, 0), ErrorCode.MALFORMED),
    (Invite(CHARTER, 1, 0, 0, 0), ErrorCode.MALFORMED),
    (Invite(CHARTER, 1, 0, 0, 600_001), ErrorCode.MALFORMED),
])
def test_invite_range(invite, code):
    fails(code, Invite.decode, invite.encode())


@pytest.mark.parametrize("accept, code", [
    (Accept(3, 0, 0), ErrorCode.MALFORMED),
    (Accept(0, 2, 0), ErrorCode.UNSUPPORTED),
    (Accept(0, 0, 2), ErrorCode.MALFORMED),
])
def test_accept_range(accept, code):
    fails(code, Accept.decode, accept.encode())


def test_decline():
    for bad in (Decline(1, b"x"), Decline(3), Decline(3, b"\x03"), Decline(3, b"\x00\x00"), Decline(5, b"\x00")):
        fails(ErrorCode.MALFORMED, Decline.decode, bad.encode())
    assert Decline.decode(Decline(77, b"why").encode()).meaning is DeclineReason.DECLINED


def test_certificates_limits():
    """R10.2-1."""
    eight = Certificates((b"\x30",) * 8, 0x0807, b"s")
    assert Certificates.decode(eight.encode()) == eight
    whole = Certificates((bytes(16_384),) * 3, 0x0807, b"s")
    assert Certificates.decode(whole.encode()) == whole
    fails(ErrorCode.MALFORMED, Certificates.decode, Certificates((b"\x30",) * 9, 1, b"s").encode())
    over = Certificates((bytes(16_384),) * 3 + (b"x",), 1, b"s")
    fails(ErrorCode.MALFORMED, Certificates.decode, over.encode())
    fails(ErrorCode.MALFORMED, Certificates.decode, bytes.fromhex("01" "00" "0000" "00" "00"))  # an empty certificate


def test_close():
    for code in (0, 0x22, 0x3FFF, 0x4000, 2**62 - 1):
        assert Close.decode(Close(code).encode()).code == code
    fails(ErrorCode.MALFORMED, Close.decode, b"")
    fails(ErrorCode.MALFORMED, Close.decode, b"\x00")
    fails(ErrorCode.MALFORMED, Close.decode, b"\x00\x00\x00")


def test_frames():
    frames = [Frame(0x40, b"abc"), Frame(0x3FFF, b""), Frame(1, bytes(20_000))]
    data = b"".join(frame.encode() for frame in frames)
    assert decode_frames(data) == frames
    fails(ErrorCode.MALFORMED, decode_frame, bytes.fromhex("400203ff"), 0)
    fails(ErrorCode.MALFORMED, decode_frame, bytes.fromhex("4040"), 0)
    fails(ErrorCode.MALFORMED, decode_frame, encode_varint(0x40) + encode_varint(65_512) + bytes(65_512), 0)
    assert [t for t in FrameType if Frame(t).is_ignorable] == [FrameType.PADDING]
    assert Frame(0x3F).is_ignorable and not Frame(0x3E).is_ignorable
    assert {t for t in FrameType if Frame(t).is_payload} == {0x40, 0x42, 0x56, 0x62}


def test_record_headers():
    """R6.2-1, both ends of all ranges."""
    for kind, lengths in LENGTHS.items():
        for length in (lengths[0], lengths[-1]):
            assert decode_header(bytes([kind]) + length.to_bytes(2, "big")).length == length
        for length in (lengths[0] - 1, lengths[-1] + 1):
            fails(ErrorCode.MALFORMED, decode_header, bytes([kind]) + length.to_bytes(2, "big"))
    for kind in set(range(256)) - {1, 2, 16, 17}:
        fails(ErrorCode.MALFORMED, decode_header, bytes([kind, 1, 0]))


def test_assembler_at_every_split():
    records = [encode_record(RecordKind.HELLO, bytes(40)), encode_record(RecordKind.ENCRYPTED, bytes(18))]
    stream = MAGIC + b"".join(records)
    for split in range(len(stream) + 1):
        assembler, found = Assembler(), []
        for part in (stream[:split], stream[split:]):
            assembler.feed(part)
            while assembler.take_magic() and (header := assembler.peek_header()):
                body = assembler.take_body(header)
                if body is None:
                    break
                found.append(header.bytes() + body)
        assert found == records


@pytest.mark.parametrize("index", range(len(MAGIC)))
def test_magic_fails_at_its_first_wrong_byte(index):
    """R6.1-1."""
    assembler = Assembler()
    assembler.feed(MAGIC[:index])
    assert not assembler.take_magic()
    assembler.feed(bytes([MAGIC[index] ^ 1]))
    fails(ErrorCode.MALFORMED, assembler.take_magic)


def hello(versions=(1,), suites=(1,), extensions=()):
    return InitiatorHello(versions, suites, extensions, bytes(32))


def test_hello_refuses():
    """R7.1-1, R7.1-2, R3.3-1."""
    for bad in (
        hello(versions=(1, 1)), hello(suites=(2, 1, 2)),
        hello(extensions=(Extension(2), Extension(1))), hello(extensions=(Extension(2), Extension(2))),
    ):
        fails(ErrorCode.MALFORMED, InitiatorHello.decode, bad.encode())
    odd = bytes.fromhex("03000100" "020001" "00") + bytes(32)
    fails(ErrorCode.MALFORMED, InitiatorHello.decode, odd)
    none = bytes.fromhex("00" "020001" "00") + bytes(32)
    fails(ErrorCode.MALFORMED, InitiatorHello.decode, none)


def test_choice():
    """R7.3-1, R7.3-3, R7.1-3."""
    assert choose(hello((9, 1), (7, 2, 1)), (1,), (1, 2)) == (1, 2)
    assert choose(hello((9, 1), (2, 1)), (1,), (1,)) == (1, 1)
    assert choose(hello((9,), (1,)), (1,), (1, 2)) == Refusal(1, (1,), ())
    assert choose(hello((1,), (9,)), (1,), (1, 2)) == Refusal(2, (), (1, 2))


def test_illegal_choice():
    """R7.3-2."""
    offer = hello((0x1A1A, 1), (1, 0x2A2A), (Extension(0x3A3A),))

    def answer(version=1, suite=1, extensions=()):
        return offer, ResponderHello(version, suite, extensions, bytes(32), bytes(16)), (1,), (1, 2)

    check_choice(*answer())
    with pytest.raises(ProtocolError):  # offered, but nobody supports GREASE
        check_choice(*answer(extensions=(Extension(0x3A3A),)))
    for wrong in (
        answer(version=2), answer(version=0x1A1A), answer(suite=2), answer(suite=0x2A2A),
        answer(extensions=(Extension(5),)),
    ):
        fails(ErrorCode.ILLEGAL_CHOICE, check_choice, *wrong)


def test_grease():
    assert GREASE[0] == 0x0A0A and GREASE[-1] == 0xFAFA and len(set(GREASE)) == 16
    random, places, values = seeded("grease"), set(), set()
    for _ in range(300):
        result = greased((1, 2), random)
        extra = [value for value in result if value in GREASE]
        assert len(extra) == 1 and [v for v in result if v not in GREASE] == [1, 2]
        places.add(result.index(extra[0]))
        values.add(extra[0])
    assert places == {0, 1, 2} and values == set(GREASE)
