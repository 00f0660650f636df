"""The Swift program against a reference with legal but rare behaviour."""

from __future__ import annotations

import base64
import hashlib
import os
import pty
import socket
import subprocess
from contextlib import contextmanager

import pytest

from multipeer_reference import events
from multipeer_reference.charter import Charter
from multipeer_reference.closing import Close
from multipeer_reference.config import InviteRequest
from multipeer_reference.core import State
from multipeer_reference.fields import Field
from multipeer_reference.files import CancelFileReason, FileData, FileEnd
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.hello import DRAFT_04, GREASE, SUITE_AESGCM, SUITE_CHACHAPOLY, Extension
from multipeer_reference.integers import encode_varint
from multipeer_reference.names import local_file_name, visible_name
from multipeer_reference.policy import Preference
from multipeer_reference.proofs import Role

from .helpers import ALICE, GREATEST, LEAST, config
from .live_peer import LivePeer
from .programs import LIMIT, SWIFT, swift

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")

UNVERIFIED = "--accept-unverified"
IGNORABLE = [
    Frame(FrameType.PADDING, b"\0" * 100), Frame(31, b"grease"), Frame(0x4001, b""), Frame((1 << 62) - 1, b"x")
]
ODD_FIELDS = (Field(1, b""), Field(31, b"grease"), Field((1 << 62) - 1, bytes(512)))


@contextmanager
def listening(tmp_path, *arguments, status=0):
    """A Swift listener for one link, and how it must end."""
    options = ["--port", 0, "--once", "--accept", "all", UNVERIFIED, *arguments]
    program = swift("listen", *options, store=tmp_path / "store")
    try:
        yield program
        assert program.wait() == status, (program.events, program.errors)
    finally:
        program.stop()


@contextmanager
def connecting(tmp_path, *arguments, identity=ALICE, stdin=subprocess.DEVNULL, **changes):
    """A Swift initiator and our responder."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LIMIT)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        program = swift("connect", address, UNVERIFIED, *arguments, store=tmp_path / "store", stdin=stdin)
        try:
            yield program, LivePeer(server.accept()[0], config(identity, **changes), Role.RESPONDER)
        finally:
            program.stop()


def invited(program, settings, **values) -> LivePeer:
    peer = LivePeer.connect(program.port, settings, **values)
    peer.link.invite(InviteRequest(), peer.now)
    return peer.until(events.Opened)


def message(text: bytes) -> Frame:
    return Frame(FrameType.MESSAGE, encode_varint(len(text)) + text)


def texts(program) -> list[str]:
    return [event["text"] for event in program.all("message")]


@pytest.mark.parametrize("suite", [SUITE_CHACHAPOLY, SUITE_AESGCM])
def test_byte_by_byte(suite, tmp_path):
    with listening(tmp_path) as program:
        peer = invited(program, config(ALICE, suites=(suite,)), chunk=1)
        peer.link.send_message(b"drop by drop", peer.now)
        peer.close()
    assert texts(program) == ["drop by drop"]


def test_ignorable_frames_everywhere(tmp_path):
    """R6.4-1 and §6.5: after PROOF, alone and among others, in every state."""
    with listening(tmp_path) as program:
        peer = LivePeer.connect(program.port, config(ALICE))
        for expected in (events.Identified, events.InvitationAnswered, events.Opened):
            peer.until(expected)
            peer.send_apart(*IGNORABLE)
            peer.inject(*IGNORABLE)
            if expected is events.Identified:
                peer.link.invite(InviteRequest(), peer.now)
                peer.inject(*IGNORABLE)
        peer.inject(message(b"one"), *IGNORABLE, message(b"two"))
        peer.close()
    assert texts(program) == ["one", "two"]


def test_fields_of_later_versions(tmp_path):
    """R3.4-2 in PEER_INFO, INVITE, a charter and FILE_OFFER; R8.1-4; the identifier covers what is skipped (R4.3-2)."""
    (tmp_path / "saved").mkdir()
    charter = Charter(ALICE.public, bytes(32), ODD_FIELDS)
    with listening(tmp_path, "--save", tmp_path / "saved") as program:
        peer = LivePeer.connect(program.port, config(ALICE, info_fields=ODD_FIELDS, features=(GREASE[0], 0x1234)))
        peer.link.invite(InviteRequest(charter=charter, fields=ODD_FIELDS), peer.now)
        peer.until(events.Opened)
        peer.supply(peer.offer("a", 1, ODD_FIELDS), b"x")
        peer.until(events.FileDelivered)
        peer.close()
    assert program.one("opened")["session"] == charter.identifier.hex()
    assert (tmp_path / "saved" / "a").read_bytes() == b"x"


def test_long_offers(tmp_path):
    """R7.1-3: 32 versions, 32 suites, extensions of 512 bytes, the known ones last. Other texts are not chosen (R1-1)."""
    unknown = tuple(range(0x4000, 0x4000 + 15)) + GREASE
    versions = (0x0001, 0xFF03, *unknown[2:], DRAFT_04)
    extensions = (Extension(0x0000), Extension(0x0A0A, bytes(250)), Extension(0xFFFF, bytes(249)))
    settings = config(ALICE, versions=versions, suites=(*unknown, 2), extensions=extensions, grease=False)
    with listening(tmp_path) as program:
        peer = invited(program, settings)
        assert peer.one(events.Secured).version == DRAFT_04
        peer.close()
    assert program.one("opened")["suite"] == "Noise_NN_25519_AESGCM_SHA256"


@pytest.mark.parametrize("suite", [SUITE_CHACHAPOLY, SUITE_AESGCM])
def test_rekey(suite, tmp_path):
    """R12.5-1: over 65,536 records the key changes, and the link continues; then over the next 65,536."""
    with listening(tmp_path) as program:
        peer = invited(program, config(ALICE, suites=(suite,)))
        for text in (b"with the second key", b"with the third key"):
            boundary = peer.link.core.channel.sending.n // 65_536 * 65_536 + 65_536
            while peer.link.core.channel.sending.n <= boundary:
                for _ in range(256):  # many records, few writes to the socket
                    peer.inject(Frame(FrameType.PADDING))
                    peer.link.core.channel._seal()
                peer.flush()
            peer.inject(message(text))
            peer.flush()
        peer.close()
    assert texts(program) == ["with the second key", "with the third key"]


@pytest.mark.parametrize("suite", [SUITE_CHACHAPOLY, SUITE_AESGCM])
def test_rekey_on_request(suite, tmp_path):
    """R12.6-1: each time the next key, for what follows."""
    with listening(tmp_path) as program:
        peer = invited(program, config(ALICE, suites=(suite,)))
        for text in (b"first key", b"second key", b"third key"):
            peer.link.send_message(text, peer.now)
            peer.link.rekey(peer.now)
            peer.flush()
        peer.close()
    assert texts(program) == ["first key", "second key", "third key"]


def test_longest_record(tmp_path):
    """§6.2: 65,532 bytes of body, from one frame and from very many."""
    with listening(tmp_path) as program:
        peer = invited(program, config(ALICE))
        peer.send_apart(Frame(FrameType.PADDING, bytes(65_511)))
        peer.inject(*[Frame(FrameType.PADDING)] * (65_516 // 2))
        peer.flush()
        peer.inject(message(b"after them"))
        peer.close()
    assert texts(program) == ["after them"]


def test_parts_of_one_byte_among_other_frames(tmp_path):
    """§15.1: "other frames MAY stand between the parts of a message"."""
    with listening(tmp_path, "--encryption", "optional") as program:
        peer = invited(program, config(ALICE, preference=Preference.OPTIONAL))
        parts = [Frame(FrameType.MESSAGE_PART, bytes([byte])) for byte in b"ieces"]
        for frame in [Frame(FrameType.MESSAGE, b"\x06p"), *parts]:
            peer.send_apart(frame, *IGNORABLE)
        peer.close()
    assert texts(program) == ["pieces"]


def test_binary_context(tmp_path):
    """§8.2: a context is opaque."""
    context = bytes(range(256)) * 64
    with listening(tmp_path) as program:
        peer = LivePeer.connect(program.port, config(ALICE))
        peer.link.invite(InviteRequest(context=context), peer.now)
        peer.until(events.Opened).close()
    shown = program.one("invited")["context"]
    assert base64.b64decode(shown["base64"]) == context


#: Our identity, and the number of our first file: even for the lesser key (SPEC §13.2).
NUMBERED = pytest.mark.parametrize("identity, first", [(LEAST, 0), (GREATEST, 1)], ids=["even", "odd"])


@NUMBERED
def test_wrong_hash(identity, first, tmp_path):
    """R15.3-5, and the link stays open."""
    (tmp_path / "saved").mkdir()
    with listening(tmp_path, "--save", tmp_path / "saved", status=76) as program:
        peer = invited(program, config(identity))
        number = peer.offer("wrong", 3).id
        assert number == first
        peer.until(events.FileAccepted)
        peer.inject(Frame(FrameType.FILE_DATA, FileData(number, 0, b"abc").encode()))
        peer.inject(Frame(FrameType.FILE_END, FileEnd(number, bytes(32)).encode()))
        peer.until(events.FileCancelled)
        assert peer.one(events.FileCancelled).reason == CancelFileReason.HASH_MISMATCH
        assert peer.offer("right", 0).id == first + 2
        peer.until(events.FileDelivered).close()
    assert [path.name for path in (tmp_path / "saved").iterdir()] == ["right"]


@NUMBERED
def test_sender_cancels_and_offers_the_next(identity, first, tmp_path):
    """R15.3-1, R15.3-2: at once, while the receiver's frames for the first may be on the way."""
    (tmp_path / "saved").mkdir()
    with listening(tmp_path, "--save", tmp_path / "saved", status=77) as program:
        peer = invited(program, config(identity))
        for count in range(5):
            file = peer.offer(f"never {count}", 1 << 20)
            assert file.id == first + 2 * count
            if count % 2:
                peer.supply(file, bytes(10_000))
            peer.cancel(file.id, CancelFileReason.CANCELLED)
        file = peer.offer("at last", 4)
        assert file.id == first + 10
        peer.supply(file, b"last")
        peer.until(events.FileDelivered).close()
    assert {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir()} == {"at last": b"last"}


@pytest.mark.parametrize("name", [
    "../../escape", "..\\..\\escape", "/etc/passwd", "..", "a\u202egpj.exe", "\x00\x01", "COM¹.txt", ".bashrc",
])
def test_hostile_file_names(name, tmp_path):
    """§15.5, R15.5-2, R15.5-3."""
    (tmp_path / "saved").mkdir()
    with listening(tmp_path, "--save", tmp_path / "saved") as program:
        peer = invited(program, config(ALICE))
        for number in range(2):  # the second must not replace the first
            peer.supply(peer.offer(name, 1), str(number).encode())
            peer.run(lambda: len(peer.of(events.FileDelivered)) > number)
        peer.close()
    stored = sorted((tmp_path / "saved").iterdir())
    assert len(stored) == 2 and visible_name(local_file_name(name)) in [path.name for path in stored]
    assert sorted(path.read_bytes() for path in stored) == [b"0", b"1"]


@NUMBERED
def test_receiver_cancels_midway(identity, first, tmp_path):
    """R15.3-7: frames on the way are ignored, and the link stays open until an orderly close."""
    (tmp_path / "large").write_bytes(bytes(3_000_000))
    with connecting(tmp_path, "--file", tmp_path / "large", identity=identity) as (program, peer):
        peer.takes_files(stores=False)
        peer.until(events.FileDataReceived)
        assert not peer.of(events.FileReceived)
        assert peer.one(events.FileOffered).id == 1 - first  # the Swift program's
        peer.cancel(1 - first, CancelFileReason.STORAGE_FAILED)
        peer.run()
        assert peer.one(events.Closed).outcome == "no_error" and not peer.of(events.FileReceived)
        assert program.wait() == 77, (program.events, program.errors)


@NUMBERED
def test_both_directions_at_once(identity, first, tmp_path):
    """R13.2-1: one space of numbers, even ones of the lesser key; R15.2-1: both write, and both read."""
    (tmp_path / "saved").mkdir()
    (tmp_path / "there").write_bytes(bytes(4_000_000))
    arguments = ["--file", tmp_path / "there", "--save", tmp_path / "saved", "--stay"]
    with connecting(tmp_path, *arguments, identity=identity) as (program, peer):
        peer.takes_files()
        peer.until(events.Opened)
        file = peer.offer("back", 2_000_000)
        assert file.id == first
        peer.supply(file, bytes(2_000_000))
        peer.run(lambda: bool(peer.of(events.FileDelivered) and peer.of(events.FileReceived)))
        peer.close()
        assert peer.one(events.FileOffered).id == 1 - first
        assert peer.one(events.FileReceived).sha256 == hashlib.sha256(bytes(4_000_000)).digest()
        assert program.wait() == 0, (program.events, program.errors)
    assert (tmp_path / "saved" / "back").read_bytes() == bytes(2_000_000)


def test_nobody_answers_the_swift_inviter(tmp_path):
    """R8.2-4: CANCEL of reason 2 when `timeout` is over; the outcome is *timed_out* for both peers (§18)."""
    with connecting(tmp_path, "--timeout", 5) as (program, peer):
        peer.answers.clear()
        peer.until(events.InvitationReceived)
        peer.link.core.state_deadline += LIMIT * 1000  # lest our own DECLINE be first
        peer.run()
        assert peer.one(events.InvitationCancelled).reason == 2
        assert peer.one(events.Closed).outcome == "timed_out"
        assert program.wait() == 75, (program.events, program.errors)


def test_nobody_answers_at_the_swift_terminal(tmp_path):
    """R8.2-4 for the invitee: DECLINE of reason 4, or our CANCEL, whichever is first."""
    leader, follower = pty.openpty()
    program = swift("listen", "--port", 0, "--once", "--accept", "ask", UNVERIFIED, store=tmp_path, stdin=follower)
    try:
        peer = LivePeer.connect(program.port, config(ALICE))
        peer.link.invite(InviteRequest(timeout=500), peer.now)
        peer.run()
        assert peer.one(events.Closed).outcome == "timed_out", peer.events
        assert program.wait() == 75, (program.events, program.errors)
    finally:
        program.stop()
        os.close(leader), os.close(follower)


@pytest.mark.parametrize("code", [0x20, 0x22, 0x3FFF, 0x5000, (1 << 62) - 1])
def test_closed_with_a_code(code, tmp_path):
    """R16.1-4: a code that is not no_error, known or not, is a failure of the link; it is answered by no_error."""
    with connecting(tmp_path, "--stay") as (program, peer):
        peer.until(events.Opened)
        peer.inject(Frame(FrameType.CLOSE, Close(code).encode()))
        peer.link.core.close_sent = code
        peer.link.core.enter(State.CLOSING, 5_000)
        peer.run()
        assert peer.one(events.Closed).peer_code == 0
        assert program.wait() == (69 if code == 0x20 else 76), (program.events, program.errors)


def test_cut_stream(tmp_path):
    """R16.2-1: without CLOSE an end is a truncation."""
    with connecting(tmp_path, "--stay") as (program, peer):
        peer.until(events.Opened)
        peer.inject(Frame(FrameType.MESSAGE, b"\x05abc"))
        peer.flush()
        peer.cut()
        assert program.wait() == 69 and not program.has("message"), (program.events, program.errors)
