"""The Swift program and a reference that a test leads: credit, ACK, several files at once, resuming, streams (SPEC §13, §15)."""

from __future__ import annotations

import hashlib
import json
import subprocess
from contextlib import contextmanager

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.files import CancelFileReason, FileOffer

from .helpers import ALICE, GREATEST, LEAST, config
from .live_peer import LivePeer
from .programs import LABORATORY, LIMIT, SWIFT
from .test_live_bytes import UNVERIFIED, connecting, invited, listening, texts

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")

TAG = bytes(range(16))
IDENTITIES = pytest.mark.parametrize("identity", [LEAST, GREATEST], ids=["lesser", "greater"])


def content(length: int, seed: int = 0) -> bytes:
    return hashlib.shake_128(seed.to_bytes(4, "big")).digest(length)


def named(tmp_path) -> None:
    """An identity that stays; files of one that ends with its process have no tag, and its notes come before events."""
    subprocess.run([SWIFT, "identity", "create", "swift", "--store", str(tmp_path / "store")], check=True, capture_output=True)


def association(peer: LivePeer):
    return peer.link.association(peer.now)


def results(peer: LivePeer) -> list[str]:
    return [str(event.result) for event in peer.of(events.MessageEnded)]


@IDENTITIES
def test_more_messages_than_one_window(identity, tmp_path):
    """R13.5-1, R13.6-1: credit comes back, and all are acknowledged; empty ones and a long one among them."""
    with listening(tmp_path) as program:
        peer = invited(program, config(identity))
        sent = [b"", *(f"{number} ".encode() * (number % 50) for number in range(6_000))]
        for tag, message in enumerate(sent):
            peer.link.send_message(message, peer.now, tag)
        peer.link.send_message(b"x" * 3_000_000, peer.now, "long")
        peer.run(lambda: len(peer.of(events.MessageEnded)) == len(sent) + 1)
        assert set(results(peer)) == {"delivered"}
        peer.close()
    assert texts(program)[: len(sent)] == [message.decode() for message in sent]
    assert program.all("message")[-1]["size"] == 3_000_000


def test_a_slow_app_stops_the_sender(tmp_path):
    """R13.3-1: the Swift program sends what it has credit for, and the rest when the reference has taken something."""
    texts_ = [item for number in range(5) for item in ("--message", str(number) * 100_000)]
    with connecting(tmp_path, *texts_, takes_at_once=False) as (program, peer):
        peer.until(events.Opened)
        peer.run(lambda: len(peer.of(events.MessageReceived)) == 2)
        for _ in range(5):
            peer.link.standing.association.take_messages(1)
            peer.run(lambda: True)
        peer.link.standing.association.take_messages(5)
        peer.run()
        assert [event.data for event in peer.of(events.MessageReceived)] == [str(n).encode() * 100_000 for n in range(5)]
        assert program.wait() == 0, (program.events, program.errors)


@IDENTITIES
def test_swift_sends_several_files_at_once(identity, tmp_path):
    """§15.3: also more than are under way at a time, and empty ones."""
    named(tmp_path)
    contents = {f"file {number}": content(size, number) for number, size in enumerate((0, 1, 40_000, 1_500_000, 2_000_000, 7))}
    arguments = []
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
        arguments += ["--file", tmp_path / name]
    with connecting(tmp_path, *arguments, identity=identity) as (program, peer):
        peer.takes_files()
        peer.run()
        offers = {event.id: event.offer for event in peer.of(events.FileOffered)}
        got: dict[str, bytes] = {offer.name: b"" for offer in offers.values()}
        for event in peer.of(events.FileDataReceived):
            got[offers[event.id].name] += event.data
        assert got == contents and len(peer.of(events.FileReceived)) == len(contents)
        assert len({offer.tag for offer in offers.values()}) == len(contents)
        assert program.wait() == 0, (program.events, program.errors)


@IDENTITIES
def test_several_files_to_swift_at_once(identity, tmp_path):
    """§15.3: interleaved, in one space of numbers; a message goes between."""
    (tmp_path / "saved").mkdir()
    contents = {f"file {number}": content(size, number) for number, size in enumerate((900_000, 1, 300_000, 0, 1_200_000))}
    with listening(tmp_path, "--save", tmp_path / "saved") as program:
        peer = invited(program, config(identity))
        files = {peer.offer(name, len(data)): data for name, data in contents.items()}
        peer.link.send_message(b"between", peer.now)
        left = dict(files)
        while any(left.values()):
            peer.run(lambda: any(file.wanted for file, data in left.items() if data))
            for file, data in left.items():
                count = min(file.wanted, len(data), 50_000)
                if count:
                    association(peer).sent_files.supply(file, data[:count])
                    left[file] = data[count:]
        peer.run(lambda: len(peer.of(events.FileDelivered)) == len(contents))
        peer.close()
    assert texts(program) == ["between"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir() if path.is_file()} == contents


def test_swift_goes_on_with_what_this_side_holds(tmp_path):
    """§15.7: the same tag over a second link of another process, and nothing of the beginning again."""
    named(tmp_path)
    data = content(3_000_000)
    (tmp_path / "large").write_bytes(data)
    with connecting(tmp_path, "--file", tmp_path / "large") as (program, peer):
        peer.takes_files(stores=False)
        peer.run(lambda: sum(len(event.data) for event in peer.of(events.FileDataReceived)) > 1_000_000)
        offer = peer.one(events.FileOffered).offer
        held = b"".join(event.data for event in peer.of(events.FileDataReceived))
        peer.cut()
        assert program.wait() != 0
    with connecting(tmp_path, "--file", tmp_path / "large") as (program, peer):
        peer.until(events.FileOffered)
        again = peer.one(events.FileOffered)
        assert again.offer.tag == offer.tag != bytes(16) and again.offer.size == offer.size == len(data)
        files = association(peer).received_files
        files.accept(association(peer).file(again.id), len(held), hashlib.sha256(held))
        peer.until(events.FileReceived)
        files.stored(association(peer).file(again.id))
        rest = b"".join(event.data for event in peer.of(events.FileDataReceived))
        assert held + rest == data and peer.one(events.FileReceived).sha256 == hashlib.sha256(data).digest()
        peer.run()
        assert program.wait() == 0, (program.events, program.errors)
        assert program.one("fileResumed")["offset"] == len(held)


def test_a_beginning_that_differs(tmp_path):
    """R15.3-10: FILE_CANCEL of reason 7; the Swift program may offer the file anew."""
    named(tmp_path)
    (tmp_path / "large").write_bytes(content(100_000))
    with connecting(tmp_path, "--file", tmp_path / "large") as (program, peer):
        peer.until(events.FileOffered)
        files = association(peer).received_files
        files.accept(association(peer).file(peer.one(events.FileOffered).id), 9, hashlib.sha256(b"different"))
        peer.takes_files()  # The next offer can come in the record of the cancellation.
        peer.until(events.FileCancelled)
        assert peer.one(events.FileCancelled).reason == CancelFileReason.BEGINNING_DIFFERS
        peer.run()


@pytest.mark.parametrize("ends", ["cut", "cancel"])
def test_swift_holds_a_beginning(ends, tmp_path):
    """§15.7: FILE_ACCEPT of the second link has an offset; reason 12 and the end of the link keep what came."""
    (tmp_path / "saved").mkdir()
    data = content(2_000_000)
    with listening(tmp_path, "--save", tmp_path / "saved", status=69) as program:
        peer = invited(program, config(ALICE))
        file = association(peer).sent_files.offer(FileOffer(0, len(data), "large", (), TAG))
        peer.supply(file, data[:1_200_000])
        peer.run(lambda: not file.waiting)
        if ends == "cancel":
            peer.cancel(file.id, CancelFileReason.INTERRUPTED)
            peer.close()
        else:
            peer.link.send_message(b"behind the data", peer.now, "last")
            peer.run(lambda: bool(peer.of(events.MessageEnded)))
            peer.cut()
    assert not [path for path in (tmp_path / "saved").iterdir() if path.name == "large"]
    with listening(tmp_path, "--save", tmp_path / "saved") as program:
        peer = invited(program, config(ALICE))
        file = association(peer).sent_files.offer(FileOffer(0, len(data), "large", (), TAG))
        peer.run(lambda: bool(peer.of(events.HashWanted)))
        length = peer.one(events.HashWanted).length
        assert 0 < length <= 1_200_000
        association(peer).sent_files.beginning(file, hashlib.sha256(data[:length]))
        peer.supply(file, data[length:])
        peer.until(events.FileDelivered).close()
    assert (tmp_path / "saved" / "large").read_bytes() == data


def test_another_identity_finds_nothing_held(tmp_path):
    """R15.7-2: under the same tag."""
    (tmp_path / "saved").mkdir()
    data = content(1_500_000)
    for number, identity in enumerate((LEAST, GREATEST)):
        with listening(tmp_path, "--save", tmp_path / "saved", status=0 if number else 69) as program:
            peer = invited(program, config(identity))
            file = association(peer).sent_files.offer(FileOffer(0, len(data), "large", (), TAG))
            if number:
                peer.supply(file, data)
                assert not peer.of(events.HashWanted)
                peer.until(events.FileDelivered)
            else:
                peer.supply(file, data[:1_000_000])
                peer.run(lambda: not file.waiting)
                peer.cancel(file.id, CancelFileReason.INTERRUPTED)
            peer.close()


# Streams


@IDENTITIES
def test_swift_sends_a_stream(identity, tmp_path):
    """§15.6: standard input, longer than its window; STREAM_END after it, and the reference's end answers."""
    data = content(1_000_000)
    (tmp_path / "input").write_bytes(data)
    with (tmp_path / "input").open("rb") as source, connecting(
        tmp_path, "--stream", "backup", identity=identity, stdin=source.fileno()
    ) as (program, peer):
        peer.until(events.StreamOpened)
        opened = peer.one(events.StreamOpened)
        assert opened.name == "backup"
        stream, got = association(peer).stream(opened.id), b""
        while not stream.is_reported:
            peer.run(lambda: bool(stream.unread) or stream.is_reported)
            got += association(peer).streams.take(stream, 10_000)
        assert got == data and stream.is_complete
        association(peer).streams.finish(stream) if not stream.has_ended else None
        peer.run()
        assert program.wait() == 0, (program.events, program.errors)


def test_swift_is_told_that_nobody_wants_its_stream(tmp_path):
    """§15.6: STREAM_STOP of code 1, answered by STREAM_RESET; status 77."""
    (tmp_path / "input").write_bytes(content(300_000))
    with (tmp_path / "input").open("rb") as source, connecting(tmp_path, "--stream", "x", stdin=source.fileno()) as (program, peer):
        peer.until(events.StreamOpened)
        stream = association(peer).stream(peer.one(events.StreamOpened).id)
        association(peer).streams.stop(stream, 1)
        if not stream.has_ended:
            association(peer).streams.reset(stream, 1)
        peer.run()
        assert program.wait() == 77, (program.events, program.errors)


@contextmanager
def taking_a_stream(tmp_path, name: str):
    """A Swift listener that writes the stream to standard output, and its events to standard error."""
    named(tmp_path)
    command = [LABORATORY, "listen", "--port", "0", "--once", "--accept", "all", UNVERIFIED, "--stream", name, "--json"]
    process = subprocess.Popen(
        [*map(str, command), "--store", str(tmp_path / "store")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    try:
        yield process, json.loads(process.stderr.readline())["port"]
    finally:
        process.kill()
        process.wait()


@IDENTITIES
def test_a_stream_to_swift(identity, tmp_path):
    """R15.6-7: all of it, in order; and a second one, which nobody wants, is given up alone."""
    data = content(700_000)
    with taking_a_stream(tmp_path, "in") as (process, port):
        peer = LivePeer.connect(port, config(identity))
        peer.link.invite(InviteRequest(), peer.now)
        peer.until(events.Opened)
        streams = association(peer).streams
        wanted, other = streams.open("in"), streams.open("nobody's")
        for stream in (wanted, other):
            streams.write(stream, data)
        streams.finish(wanted)
        written = bytearray()
        peer.run(lambda: bool(peer.of(events.StreamStopped)) or other.has_ended)
        assert [event.id for event in peer.of(events.StreamStopped)] == [other.id]

        def read_on() -> bool:
            written.extend(process.stdout.read1(65_536))
            return len(written) == len(data)

        peer.run(read_on)
        assert bytes(written) == data
        peer.run(lambda: wanted.is_over)
        peer.close()
        assert process.wait(LIMIT) == 0, process.stderr.read()
