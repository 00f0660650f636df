"""Seeded random input: a link always ends in a state of SPEC §17, and chunks change nothing."""

import random

import pytest

from multipeer_reference import events
from multipeer_reference.certificates import Certificates
from multipeer_reference.charter import Charter
from multipeer_reference.closing import Close
from multipeer_reference.core import State
from multipeer_reference.datagrams.frames import FEATURE, Datagrams
from multipeer_reference.files import FileCancel, FileData, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import Accept, Cancel, Decline, Invite, PeerInfo
from multipeer_reference.link import Link
from multipeer_reference.policy import Preference
from multipeer_reference.proofs import Role
from multipeer_reference.records import MAGIC
from multipeer_reference.resume import Position, Resume, Resumed
from multipeer_reference.session.entries import Entry
from multipeer_reference.session.frames import Enter, Roster, Unite
from multipeer_reference.vectors.fields import CONTROL, PAYLOAD

from .helpers import ALICE, BOB, Pair, Side, config, seeded
from .verifying import FRAMES, shared, show, step_from

ROSTER = Roster((Entry(ALICE.public, 1, 0),)).encode()
ALPHABET = [bytes([b]) for b in (0, 1, 2, 3, 4, 0x3F, 0x40, 0x41, 0x80, 0xC0, 0xFF)]
VALID = {
    FrameType.MESSAGE: b"\x03abc", FrameType.MESSAGE_PART: b"c", FrameType.FILE_OFFER: FileOffer(0, 4, "a").encode(),
    FrameType.FILE_DATA: FileData(0, 0, b"da").encode(), FrameType.FILE_END: FileEnd(0, bytes(32)).encode(),
    FrameType.FILE_CANCEL: FileCancel(0, 2).encode(),
    FrameType.FILE_ACCEPT: b"\x00\x00" + bytes(32) + b"\x09\x00", FrameType.FILE_DONE: b"\x00\x00",
    FrameType.STREAM_OPEN: b"\x00\x09\x01s\x00", FrameType.STREAM_DATA: b"\x00ab",
    FrameType.STREAM_END: b"\x00\x02\x00",
    FrameType.STREAM_RESET: b"\x00\x07\x00", FrameType.STREAM_STOP: b"\x00\x07\x00", FrameType.CREDIT: b"\x03\x00\x3f",
    FrameType.ACK: b"\x01", FrameType.PING: bytes(8), FrameType.PONG: bytes(8), FrameType.ADMIT: b"\x00\x00",
    FrameType.ROSTER: ROSTER, FrameType.DIGEST: bytes(33), FrameType.SUMMARY: b"\x00\x00",
    FrameType.WANT: b"\x20" + bytes(33), FrameType.ENTER: Enter(bytes(32)).encode(),
    FrameType.UNITE: Unite(Charter(ALICE.public, bytes(32)), (), bytes(64)).encode(),
    FrameType.CLOSE: Close(0).encode(), FrameType.READY: b"\x00",
    FrameType.REKEY: b"\x00", FrameType.INVITE: Invite(Charter(ALICE.public, bytes(32)), 1, 2, 0, 1_000).encode(),
    FrameType.ACCEPT: Accept(2, 0, 1).encode(), FrameType.DECLINE: Decline(1).encode(),
    FrameType.CANCEL: Cancel(1).encode(), FrameType.CERTIFICATES: Certificates().encode(),
    FrameType.PEER_INFO: PeerInfo("a", 1).encode(), FrameType.PROOF: bytes(96), FrameType.PADDING: b"",
    FrameType.RESUME: Resume(bytes(16), 0, 1, (Position(0, 2), Position(2, 1))).encode(),
    FrameType.RESUMED: Resumed(1, (Position(1, 2),)).encode(),
    FrameType.DATAGRAMS: Datagrams(0).encode(),
    **FRAMES,
}


def test_what_is_changed_at_random_is_valid():
    """Or most of the frames below would fail at the same first byte."""
    codecs = CONTROL | PAYLOAD
    assert VALID.keys() == set(FrameType)
    for type_, payload in VALID.items():
        if type_ is not FrameType.PADDING:
            assert codecs[type_.name](payload)[1] == payload


def random_frame(dice: random.Random) -> Frame:
    type_ = dice.choice([*VALID, *VALID, dice.randrange(0x80), dice.randrange(2**62)])
    payload = bytearray(VALID.get(type_, b""))
    for _ in range(dice.choice([0, 0, 0, 1, 2])):
        place = dice.randrange(len(payload) + 1)
        payload[place : place + dice.randrange(3)] = b"".join(dice.choices(ALPHABET, k=dice.randrange(3)))
    return Frame(type_, bytes(payload))


def listing(name: str) -> dict:
    other = shared(name)
    return other | {"features": (*other["features"], FEATURE), "datagram_port": 50_001}


def pair_in(state: str, preference: Preference, seed: int) -> Pair:
    """The features of SPEC §25 and §26 are listed by every other seed, and in *pairing* by all."""
    mine, yours = (listing(name) if seed % 2 or state == "pairing" else {} for name in "ir")
    pair = Pair(config(ALICE, preference=preference, grease=False, **mine), config(BOB, preference=preference, **yours))
    if state == "invited":
        pair.responder.answers.pop(events.InvitationReceived)
    if state == "certificates":
        pair.initiator.answers.pop(events.CertificatesReceived)
    if state in ("invited", "certificates", "open"):
        pair.invite()
    if state == "inviting":
        pair.pump()
        pair.invite(pair.responder)
        pair.responder.drain(0)
        pair.responder.link.take_output()
    else:
        pair.pump()
    if state == "pairing":
        typist, presenter = pair.sides if seed % 2 else pair.sides[::-1]
        typist.link.give_code(show(pair, presenter), 0)
        step_from(pair, pair.initiator)
    assert pair.responder.link.state is State[state.upper()]
    return pair


@pytest.mark.parametrize("preference", [Preference.NONE, Preference.REQUIRED])
@pytest.mark.parametrize("state", ["identified", "invited", "inviting", "certificates", "open", "pairing"])
@pytest.mark.parametrize("block", range(5))
def test_random_frames(state, preference, block):
    for seed in range(block * 30, block * 30 + 30):
        play_frames(state, preference, seed)


def play_frames(state, preference, seed):
    dice = random.Random(f"{state}{preference}{seed}")
    frames = [random_frame(dice) for _ in range(12)]
    results = []
    for chunk in (1 << 30, 5):
        pair = pair_in(state, preference, seed)
        pair.initiator.inject(*frames)
        data = pair.initiator.link.take_output()
        for start in range(0, len(data), chunk):
            pair.responder.link.receive(data[start : start + chunk], 0)
        pair.responder.drain(0)
        link = pair.responder.link
        assert link.state is State.OPEN or (link.deadline is None) == (link.state is State.CLOSED)
        link.timeout(1 << 40)
        link.timeout(1 << 41)
        pair.responder.drain(1 << 41)
        assert link.is_closed or link.state is State.OPEN
        if state != "open" and not pair.responder.of(events.Opened):
            assert not pair.responder.of(events.MessageReceived)
        results.append((pair.responder.events, link.take_output()))
    assert results[0] == results[1]


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("block", range(5))
def test_random_bytes_before_the_handshake(role, block):
    for seed in range(block * 60, block * 60 + 60):
        play_bytes(role, seed)


def play_bytes(role, seed):
    dice = random.Random(f"{role}{seed}")
    body = b"".join(dice.choices(ALPHABET, k=dice.randrange(38, 120)))
    stream = MAGIC + bytes([dice.choice([1, 1, 1, 2, 16])]) + len(body).to_bytes(2, "big") + body
    outcomes = []
    for chunk in (1, len(stream)):
        side = Side(Link(config(), role, 0, seeded("f")))
        for start in range(0, len(stream), chunk):
            side.link.receive(stream[start : start + chunk], 0)
        side.drain(0)
        assert side.link.is_closed or role is Role.RESPONDER
        outcomes.append((side.events, side.link.take_output()))
    assert outcomes[0] == outcomes[1]
