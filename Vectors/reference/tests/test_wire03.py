"""The frames of draft 03, against the bytes of SPEC B.4 and by their faults."""

from __future__ import annotations

import pytest

from multipeer_reference.association.frames import Ack, Credit, Ping
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from multipeer_reference.charter import Charter
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fields import Field
from multipeer_reference.files import FileAccept, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType, decode_frame
from multipeer_reference.invitation import Decline, Invite
from multipeer_reference.session.admissions import Admission, admit, encode_chain, signed_bytes
from multipeer_reference.session.entries import Address, Entry
from multipeer_reference.session.frames import Admit, Digest, Item, Roster, Summary, Want
from multipeer_reference.session.parameters import Parameters
from multipeer_reference.vectors import fields

ANNA = SigningKey(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
BEN = SigningKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
CHARTER = Charter.decode(bytes.fromhex(
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    "80021590ff0b4dc3a53c36d76cec99e0758527120fbbe785a83d7e35de181749" "03040108"
))
ADMISSION = admit(ANNA, CHARTER.identifier, BEN.public)
ADMIT = (
    "1c40634060d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511aee25e500bf62849ba8968300506c24e8742e9b1c"
    "bbf906b009277b4901227f973ca7e2054bf699b2684c69b1b497c1dc215a2b2240528737f8c8ae3e4c273e0200"
)
ANNAS = (
    "1e407c407ad75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511ac00001a1ee565e000001" "04416e6e61"
    "080106c00002011267" "0000bb6d9e8d7ff6f226967a24685e8668c6c396431bba782373e3b1a3ba7c32316d8be51e02f4a58be67e68c5"
    "53cb04388c948145c84b58f8b0dd75b9ad8e5b0b02"
)
B4 = [
    ("18060000800493e0", "CREDIT", Credit(0, 0, 300_000)),
    ("1a024040", "ACK", Ack(64)),
    ("40600b0080008000046368617400", "STREAM_OPEN", StreamOpen(0, 32_768, "chat")),
    ("406203006869", "STREAM_DATA", StreamData(0, b"hi")),
    ("406403000200", "STREAM_END", StreamEnd(0, 2)),
    ("40501c02050000000000000000000000000000000000000005612e74787400", "FILE_OFFER", FileOffer(2, 5, "a.txt")),
    ("4052240200e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8550500", "FILE_ACCEPT",
     FileAccept(2, 0, credit=5)),
    ("405607020068656c6c6f", "FILE_DATA", FileData(2, 0, b"hello")),
    ("405822022cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b982400", "FILE_END",
     FileEnd(2, bytes.fromhex("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"))),
    ("405a020200", "FILE_DONE", FileDone(2)),
    (ADMIT, "ADMIT", Admit((ADMISSION,))),
    ("2021c98474085ed4a4fb67185e1df499a2a088f19e3763464bc54edea5acd609cab200", "DIGEST",
     Digest(bytes.fromhex("c98474085ed4a4fb67185e1df499a2a088f19e3763464bc54edea5acd609cab2"))),
]


@pytest.mark.parametrize("wire, name, value", B4)
def test_frames_of_the_trace(wire, name, value):
    """SPEC B.4, byte by byte."""
    data = bytes.fromhex(wire)
    frame, end = decode_frame(data, 0)
    assert end == len(data) and frame.name == name and type(value).decode(frame.payload) == value
    assert Frame(FrameType[name], value.encode()).encode() == data


def annas_entry() -> Entry:
    entry = Entry(ANNA.public, 1_795_000_000_000, 0, name="Anna", addresses=(Address(1, bytes.fromhex("c00002011267")),))
    return entry.signed(ANNA, CHARTER.identifier)


def bens_entry() -> Entry:
    return Entry(BEN.public, 1_795_000_001_000, 0, name="Ben", chain=(ADMISSION,)).signed(BEN, CHARTER.identifier)


def test_session_of_the_trace():
    assert CHARTER.identifier.hex() == "03612e0d67b725859e585547178b5fd0a9ba906cb527693e65ec3758f36a3d86"
    assert CHARTER.rules == Parameters(maximum_members=8) and CHARTER.rules.fields() == CHARTER.parameters
    assert signed_bytes(CHARTER.identifier, BEN.public).hex().startswith("6d756c7469706565722f312061646d697373696f6e00")
    wire = Frame(FrameType.ROSTER, Roster((annas_entry(),)).encode()).encode()
    assert wire.hex() == ANNAS
    assert annas_entry().hash.hex() == "a2cc4b7017631d84a224f6348304accfe16a1a37baf0b1b31d56c8aab28ffcf8"
    assert bens_entry().hash.hex() == "10bb69b0aaf03ebf9a3807d565dded46708db5a1b4d8fdb442902ee35f02dd15"
    for entry in (annas_entry(), bens_entry()):
        entry.check(CHARTER)
        assert Entry.decode(entry.bytes) == entry


MEMBERS = (bytes([1]) * 32, bytes([2]) * 32)
LISTS = (Field(31, b"x"),)
SAMPLES = {
    "CREDIT": [Credit(3, 2**62 - 1, 2**62 - 1)], "ACK": [Ack(2**62 - 1)], "PING": [Ping(b"12345678")],
    "PONG": [Ping(bytes(8))], "ADMIT": [Admit(()), Admit((ADMISSION,) * 8, LISTS)],
    "ROSTER": [Roster((annas_entry(),)), Roster((bens_entry(), annas_entry()))],
    "DIGEST": [Digest(bytes(32), LISTS)], "WANT": [Want(MEMBERS), Want(MEMBERS[:1], LISTS)],
    "SUMMARY": [Summary(()), Summary((Item(MEMBERS[0], 1, 2, bytes(32)), Item(MEMBERS[1], 2**40, 0, bytes(32))), LISTS)],
    "STREAM_OPEN": [StreamOpen(1, 2**62 - 1, "ä" * 127, LISTS), StreamOpen(0, 0)], "STREAM_END": [StreamEnd(1, 70_000, LISTS)],
    "STREAM_RESET": [StreamReset(1, 99, LISTS)], "STREAM_STOP": [StreamReset(1, 0)],
    "FILE_OFFER": [FileOffer(4, 2**53 - 1, "x" * 255, LISTS, bytes(range(16)), 2, 9, 4_194_304)],
    "FILE_ACCEPT": [FileAccept(4, 2**53, bytes(32), 2**62 - 1 - 2**53, LISTS)], "STREAM_DATA": [StreamData(3, b"d")],
}
LISTLESS = ("CREDIT", "ACK", "PING", "PONG", "ROSTER", "STREAM_DATA")


def codec(name: str) -> fields.Codec:
    return fields.PAYLOAD[name] if name in fields.PAYLOAD else fields.CONTROL[name]


@pytest.mark.parametrize("name, value", [(name, value) for name, values in SAMPLES.items() for value in values])
def test_every_frame_both_ways_and_cut(name, value):
    """What is encoded is decoded; what is cut or longer is malformed (R3.3-1, R3.3-2)."""
    payload = value.encode()
    assert codec(name)(payload)[1] == payload
    wrong = [payload[:end] for end in range(len(payload))]
    if name != "STREAM_DATA":
        wrong.append(payload + b"\x00")
    if name == "STREAM_DATA":
        wrong = wrong[:2]
    for data in wrong:
        with pytest.raises(ProtocolError) as caught:
            codec(name)(data)
        assert caught.value.code is ErrorCode.MALFORMED, data.hex()


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in LISTLESS])
def test_fields_of_every_frame(name):
    """R3.4-2, R3.4-3."""
    value = SAMPLES[name][-1]
    bare = type(value)(**{**value.__dict__, "fields": ()}).encode()
    assert codec(name)(bare[:-1] + b"\x03\x1f\x01\xee")[0]["fields"] == [{"type": "31", "value": "ee"}]
    with pytest.raises(ProtocolError) as caught:
        codec(name)(bare[:-1] + b"\x02\x02\x00")
    assert caught.value.code is ErrorCode.UNSUPPORTED


def offer(size="05", tag="00" * 16, type_="00", modified="00", manifest="00", name="0161"):
    return "02" + size + tag + type_ + modified + manifest + name + "00"


M, U = ErrorCode.MALFORMED, ErrorCode.UNSUPPORTED
KEYS = "".join(f"{i:064x}" for i in range(257))


@pytest.mark.parametrize("name, payload, code", [
    ("CREDIT", "050000", U), ("CREDIT", "0500", U), ("CREDIT", "000100", M), ("CREDIT", "020100", M),
    ("FILE_OFFER", offer(type_="03"), U), ("FILE_OFFER", offer(type_="03", manifest="01"), U),
    ("FILE_OFFER", offer(manifest="01"), M), ("FILE_OFFER", offer(type_="01", manifest="01"), M),
    ("FILE_OFFER", offer(type_="02", manifest="06"), M), ("FILE_OFFER", offer("84000000", type_="02", manifest="80400001"), M),
    ("FILE_OFFER", offer("c020000000000000"), M), ("FILE_OFFER", offer("c020000000000000", type_="03"), M),
    ("FILE_OFFER", offer(name="01ff"), M), ("FILE_OFFER", offer(name="00"), M),
    ("FILE_ACCEPT", "02" "01" + "00" * 32 + "ffffffffffffffff" "00", M),
    ("STREAM_OPEN", "0000" "01ff" "00", M), ("STREAM_OPEN", "0000" "4100" + "61" * 256 + "00", M), ("STREAM_DATA", "00", M),
    ("ADMIT", "4061" + "00" * 97 + "00", M), ("ADMIT", "4360" + "00" * 864 + "00", M), ("WANT", "00" "00", M),
    ("WANT", "4040" + KEYS[64:128] + KEYS[:64] + "00", M), ("WANT", "4040" + KEYS[:64] * 2 + "00", M),
    ("WANT", "6020" + KEYS + "00", M), ("ROSTER", "00", M),
    ("SUMMARY", "4044" + 2 * ("00" * 34) + "00", M),  # cut
    ("SUMMARY", "4084" + 2 * (KEYS[:64] + "0000" + "00" * 32) + "00", M),
    ("ROSTER", "40f4" + annas_entry().bytes.hex() * 2, M),
])
def test_faults_of_values(name, payload, code):
    """R13.4-1, R14.5-2, R15.3-8, R15.3-9, R15.6-1, R15.6-2: what a payload says by itself."""
    with pytest.raises(ProtocolError) as caught:
        codec(name)(bytes.fromhex(payload))
    assert caught.value.code is code


def test_summary_of_257_items():
    """R14.5-2, R3.3-1: 257 items of 66 bytes are fewer bytes than the list may have."""
    items = tuple(Item(i.to_bytes(32, "big"), 0, 0, bytes(32)) for i in range(257))
    assert len(Summary.decode(Summary(items[:256]).encode()).items) == 256
    with pytest.raises(ProtocolError):
        Summary.decode(Summary(items).encode())


def invite(kind="02", parameters="00", fields="00", founder=ANNA.public.hex()):
    return bytes.fromhex(founder + "07" * 32 + parameters + kind + "01" "00" "4064" "00" + fields)


def chain_field(count, extra=0):
    value = encode_chain((Admission(bytes(32), bytes(64)),) * count) + bytes(extra)
    body = b"\x02" + bytes([0x40 | len(value) >> 8, len(value) & 0xFF] if len(value) > 63 else [len(value)]) + value
    return (bytes([0x40 | len(body) >> 8, len(body) & 0xFF] if len(body) > 63 else [len(body)]) + body).hex()


@pytest.mark.parametrize("data, code", [
    (invite("02"), M), (invite("00"), M), (invite("01", fields=chain_field(0)), M), (invite("01", fields=chain_field(1)), M),
    (invite("02", fields=chain_field(0, 95)), M), (invite("02", fields=chain_field(9)), M), (invite("03"), U),
    (invite("00", fields="020400"), U), (invite("00", "03020102"), U), (invite("00", "020200"), M),
    (invite("00", "0402020001"), M), (invite("00", "03040101"), M), (invite("00", "0404024101"), M),
    (invite("00", "0404024005"), M), (invite("00", "0404020505"), M), (invite("00", "020600"), U),
])
def test_faulty_invitations(data, code):
    """R8.2-7, R14.1-1, R8.2-2."""
    with pytest.raises(ProtocolError) as caught:
        Invite.decode(data)
    assert caught.value.code is code


def test_invitations_of_members():
    """R8.2-7: the chain may be the founder's, which is empty."""
    for count in (0, 1, 8):
        for kind in ("00", "02"):
            value = Invite.decode(invite(kind, fields=chain_field(count)))
            assert len(value.chain) == count and value.encode() == invite(kind, fields=chain_field(count))
    value = Invite.decode(invite("00", "0a" "020101" "04024100" "1f01ff", chain_field(0)))
    assert value.charter.rules.maximum_members == 256 and value.charter.rules.admission == 1


def test_merging():
    """R8.6-3: equal parameters, all of them known, and no field."""
    one = Invite.decode(invite("01"))
    bounded = Invite.decode(invite("01", "03040108"))
    assert one.merges_with(one) and bounded.merges_with(bounded)
    assert not one.merges_with(bounded) and not bounded.merges_with(one)
    assert not one.merges_with(Invite.decode(invite("00", fields=chain_field(0))))
    odd = Invite.decode(invite("01", "021f00"))
    assert not odd.merges_with(odd)
    assert not one.merges_with(Invite.decode(invite("01", fields="021f00")))


@pytest.mark.parametrize("reason", [6, 7])
def test_new_reasons_of_decline(reason):
    """R8.4-1."""
    assert Decline.decode(bytes([reason, 0, 0])).meaning == reason
    with pytest.raises(ProtocolError):
        Decline.decode(bytes([reason, 1, 0, 0]))
