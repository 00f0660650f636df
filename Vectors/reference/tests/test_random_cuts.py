"""Two associations whose links are cut at random while their apps do anything (SPEC §13.9).

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import hashlib
import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.incoming import Receiving
from multipeer_reference.association.outgoing import OutgoingFile, Sending
from multipeer_reference.association.streams import Receiving as Reading
from multipeer_reference.association.streams import Stream
from multipeer_reference.files import CancelFileReason, FileOffer
from multipeer_reference.frames import Frame

from .helpers import FULL

SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(2_000 if FULL else 120))


class App:
    """Does anything that its association allows, and knows what should come of it."""

    def __init__(self, lesser: bool, chance: random.Random) -> None:
        self.chance = chance
        self.association = Association(lesser, 1 << 20, 1 << 20, 0, keeps=True, takes_at_once=False)
        self.sent: list[bytes] = []
        self.written: dict[int, bytearray] = {}
        self.reset: set[int] = set()  # of our directions: given up, by us or because the peer stopped it
        self.finished: set[int] = set()
        self.messages: list[bytes] = []
        self.read: dict[int, bytearray] = {}
        self.ends: dict[int, bool] = {}
        self.stopped: set[int] = set()
        self.taken: dict[int, bytearray] = {}
        self.stored: dict[int, bytes] = {}
        self.delivered: set[int] = set()
        self.over: set[int] = set()  # files that ended early
        self.results: dict[object, str] = {}

    def act(self) -> None:
        association, chance = self.association, self.chance
        streams = [item for item in association.live() if isinstance(item, Stream)]
        files = [item for item in association.live() if not isinstance(item, Stream)]
        match chance.randrange(12):
            case 0 | 1:
                data = chance.randbytes(chance.choice((0, 1, 50, 40_000)))
                association.send(data, len(self.sent))
                self.sent.append(data)
            case 2 if len(streams) < 6:
                association.streams.open("s", chance.choice((0, 100, 32_768)))
            case 3 | 4 if streams:
                stream = chance.choice(streams)
                if not stream.has_ended and not stream.is_ending:
                    data = chance.randbytes(chance.choice((1, 30, 30_000)))
                    association.streams.write(stream, data)
                    self.written.setdefault(stream.id, bytearray()).extend(data)
            case 5 if streams:
                stream = chance.choice(streams)
                if not stream.has_ended and not stream.is_ending:
                    association.streams.finish(stream)
                    self.finished.add(stream.id)
            case 6 if streams and chance.random() < 0.4:
                stream = chance.choice(streams)
                if not stream.has_ended:
                    association.streams.reset(stream, 0)
                    self.reset.add(stream.id)
            case 7 if streams and chance.random() < 0.4:
                stream = chance.choice(streams)
                if stream.state is Reading.RECEIVING:
                    association.streams.stop(stream, 0)
                    self.stopped.add(stream.id)
            case 8 if len(files) < 6:
                data = chance.randbytes(chance.choice((0, 5, 90_000)))
                file = association.sent_files.offer(FileOffer(0, len(data), "f"))
                file.source = data
            case 9 if files and chance.random() < 0.3:
                file = chance.choice(files)
                is_live = file.state not in (Sending.ENDED, Receiving.CANCELLED, Receiving.ENDED)
                if is_live:
                    association.cancel_file(file.id, CancelFileReason.CANCELLED)
            case 10:
                for item in files:
                    if not isinstance(item, OutgoingFile) and item.state is Receiving.OFFERED:
                        association.received_files.accept(item)
                    elif not isinstance(item, OutgoingFile) and item.state is Receiving.STORING:
                        association.received_files.stored(item)
            case _:
                self.take()

    def take(self) -> None:
        association = self.association
        association.take_messages(100)
        for stream in list(association.streams.known.values()):
            self.read.setdefault(stream.id, bytearray()).extend(association.streams.take(stream, 1 << 20))
        for item in association.live():
            if isinstance(item, OutgoingFile):
                position = item.credit.used + len(item.waiting)
                if item.state is Sending.SENDING and position < item.offer.size and not item.is_halted:
                    association.sent_files.supply(item, item.source[position : position + 20_000])
            elif not isinstance(item, Stream):
                association.received_files.take(item, 1 << 20)
        self.note()

    def note(self) -> None:
        pending, self.association.events[:] = list(self.association.events), []
        for event in pending:
            match event:
                case events.MessageReceived(data=data):
                    self.messages.append(data)
                case events.MessageEnded(tag=tag, result=result):
                    assert tag not in self.results
                    self.results[tag] = str(result)
                case events.StreamStopped(id=number):
                    self.reset.add(number)
                case events.StreamEnded(id=number, is_complete=complete):
                    assert number not in self.ends
                    self.ends[number] = complete
                case events.FileDataReceived(id=number, data=data):
                    self.taken.setdefault(number, bytearray()).extend(data)
                case events.FileReceived(id=number, sha256=digest):
                    data = bytes(self.taken.get(number, b""))
                    assert hashlib.sha256(data).digest() == digest
                    self.stored[number] = data
                case events.FileDelivered(id=number):
                    assert number not in self.delivered
                    self.delivered.add(number)
                case events.FileCancelled(id=number, reason=reason):
                    assert reason == CancelFileReason.CANCELLED  # no hash differs
                    self.over.add(number)


class Cutting:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.apps = [App(True, self.chance), App(False, self.chance)]
        self.wires: list[list[Frame]] = [[], []]
        self.now = 0

    def send(self, side: int, room: int = 1 << 62) -> bool:
        self.apps[side].note()
        frames = self.apps[side].association.take_frames(room)
        self.wires[side] += frames
        return bool(frames)

    def deliver(self, side: int, count: int) -> bool:
        frames, self.wires[side] = self.wires[side][:count], self.wires[side][count:]
        other = self.apps[1 - side]
        for frame in frames:
            other.association.record_came(self.now)
            other.association.receive(Frame(frame.type, frame.payload))
            other.note()
        return bool(frames)

    def cut(self) -> None:
        """Some of what is on the way still comes, and apps act while there is no link; then both say where they are."""
        for side in (0, 1):
            self.deliver(side, self.chance.randrange(len(self.wires[side]) + 1))
        self.wires = [[], []]
        for _ in range(self.chance.choice((0, 0, 3))):
            self.chance.choice(self.apps).act()
        said = [(app.association.received, app.association.positions) for app in self.apps]
        for app, (received, files) in zip(self.apps, said[::-1]):
            app.association.check(received, files)
        for side, (received, files) in enumerate(said[::-1]):
            self.wires[side] += self.apps[side].association.resume(received, files, self.now, None)

    def settle(self) -> None:
        """Until all is quiet; what is offered is accepted, and what is whole is stored."""
        idle = 0
        while idle < 3:
            moved = False
            for side, app in enumerate(self.apps):
                app.take()
                for item in app.association.live():
                    if isinstance(item, (Stream, OutgoingFile)):
                        continue
                    if item.state is Receiving.OFFERED:
                        app.association.received_files.accept(item)
                    elif item.state is Receiving.STORING:
                        app.association.received_files.stored(item)
                moved |= self.send(side)
                moved |= self.deliver(side, 1 << 30)
            idle = 0 if moved else idle + 1
            self.now += 20
            for app in self.apps:
                app.association.expire(self.now)


def play(seed: int) -> None:
    pair = Cutting(seed)
    chance = pair.chance
    for _ in range(chance.randrange(20, 200)):
        match chance.randrange(8):
            case 0 | 1 | 2 | 3:
                chance.choice(pair.apps).act()
            case 4 | 5:
                pair.send(chance.randrange(2), chance.choice((0, 10, 1 << 20)))
            case 6:
                side = chance.randrange(2)
                pair.deliver(side, chance.randrange(len(pair.wires[side]) + 1))
            case _ if chance.random() < 0.5:
                pair.cut()
    pair.settle()
    check(pair)


def check(pair: Cutting) -> None:
    for mine, theirs in (pair.apps, pair.apps[::-1]):
        assert theirs.messages == mine.sent
        assert mine.results == {tag: "delivered" for tag in range(len(mine.sent))}
        for number, data in mine.written.items():
            read = bytes(theirs.read.get(number, b""))
            assert bytes(data).startswith(read), number
            if number not in mine.reset | theirs.stopped:
                assert read == bytes(data), number
                assert (theirs.ends.get(number) is True) == (number in mine.finished), number
        for file in mine.association.live():
            assert isinstance(file, Stream), (file.id, file.state)
        assert mine.delivered == theirs.stored.keys() - mine.over - theirs.over
        assert mine.association._shared.kept.unacknowledged == []


@pytest.mark.parametrize("seed", SEEDS)
def test_apps_that_do_anything(seed: int):
    """R13.9-2, R13.9-8, R13.9-9, R15.6-7, R15.3-7: no frame is a fault, and all that was not given up comes once."""
    try:
        play(seed)
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error
