"""Two associations under random schedules: no honest frame is a fault, and all that was given arrives once, in order.

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import hashlib
import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.association.messages import Result
from multipeer_reference.association.outgoing import OutgoingFile, Sending
from multipeer_reference.association.pools import Pools
from multipeer_reference.errors import MisuseError
from multipeer_reference.files import CancelFileReason, FileOffer

from .helpers import FULL
from .two import Two

SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(600 if FULL else 60))
LENGTHS = (0, 1, 5, 1_000, 16_384, 40_000, 270_000)
TAG = b"t" * 16


def content(seed: object, length: int) -> bytes:
    return hashlib.shake_128(repr(seed).encode()).digest(length)


class App:
    """One peer's requests, and what it has received from the other."""

    def __init__(self, two: Two, side: int, chance: random.Random) -> None:
        self.two, self.side, self.chance = two, side, chance
        self.association = two.sides[side]
        self.messages: list[bytes] = []
        self.streams: dict[int, object] = {}
        self.written: dict[str, bytes] = {}
        self.finished: dict[str, bool] = {}  # by name: whether it was ended, and not given up
        self.read: dict[str, bytes] = {}
        self.names: dict[int, str] = {}
        self.stream_names: dict[int, str] = {}
        self.complete: dict[str, bool] = {}
        self.own_streams: dict[str, object] = {}
        self.files: dict[str, bytes] = {}
        self.supplied: dict[str, int] = {}
        self.received: dict[int, bytearray] = {}
        self.whole: dict[str, bytes] = {}
        self.delivered: set[str] = set()
        self.cancelled: set[str] = set()
        self.offers: dict[int, FileOffer] = {}
        self.seen = 0
        self.untaken = 0

    # Requests

    def act(self) -> None:
        actions = [self.send, self.open, self.write, self.end_one, self.offer, self.cancel_one, self.take, self.read_some]
        try:
            self.chance.choice(actions)()
        except MisuseError:
            pass

    def send(self) -> None:
        message = content((self.side, len(self.messages)), self.chance.choice(LENGTHS))
        self.association.send(message, len(self.messages))
        self.messages.append(message)

    def open(self) -> None:
        name = f"{self.side}-{len(self.own_streams)}"
        self.own_streams[name] = self.association.streams.open(name, self.chance.choice((0, 1, 32_768)))

    def some_stream(self):
        streams = [item for item in self.association.live() if item.is_stream]
        return self.chance.choice(streams) if streams else None

    def key(self, stream, side: int) -> str:
        """A direction of a stream, by its name and its sender."""
        return f"{stream.name}/{side}"

    def write(self) -> None:
        stream = self.some_stream()
        if stream:
            data = content((stream.name, self.chance.random()), self.chance.choice(LENGTHS))
            self.association.streams.write(stream, data)
            self.written[self.key(stream, self.side)] = self.written.get(self.key(stream, self.side), b"") + data

    def end_one(self) -> None:
        stream = self.some_stream()
        if stream is None:
            return
        match self.chance.randrange(6):
            case 0:
                self.association.streams.reset(stream, self.chance.randrange(70))
            case 1:
                self.association.streams.stop(stream, self.chance.randrange(70))
                self.read.pop(self.key(stream, 1 - self.side), None)
            case _:
                self.association.streams.finish(stream)
                self.finished[self.key(stream, self.side)] = True

    def offer(self) -> None:
        name = f"{self.side}-{len(self.files)}"
        self.files[name] = content(name, self.chance.choice(LENGTHS))
        tag = self.chance.choice((TAG, bytes(16)))
        self.association.sent_files.offer(FileOffer(0, len(self.files[name]), name, (), tag))

    def cancel_one(self) -> None:
        files = [item for item in self.association.live() if not item.is_stream]
        if files and self.chance.random() < 0.3:
            self.association.cancel_file(self.chance.choice(files).id, CancelFileReason(self.chance.choice((1, 2, 9, 12))))

    def take(self) -> None:
        self.association.take_messages(self.chance.randrange(5))
        for item in self.association.live():
            if not item.is_stream and not item.is_own:
                self.association.received_files.take(item, self.chance.choice(LENGTHS))

    def read_some(self) -> None:
        for number, stream in self.streams.items():
            data = self.association.streams.take(stream, self.chance.choice(LENGTHS))
            key = self.key(stream, 1 - self.side)
            self.read[key] = self.read.get(key, b"") + data

    # Answers

    def drain(self) -> None:
        """Files are accepted, hashed, supplied and stored, sooner or later."""
        fresh, self.seen = self.association.events[self.seen :], len(self.association.events)
        for event in fresh:
            self.note(event)
        for item in list(self.association.live()):
            if item.is_stream:
                self.streams.setdefault(item.id, item)
            elif self.chance.random() < 0.7:
                self.go_on_with(item)

    def note(self, event: events.Event) -> None:
        match event:
            case events.StreamOpened(id=number, name=name) | events.StreamStarted(id=number, name=name):
                self.stream_names[number] = name
                stream = self.association.stream(number)
                if stream is not None:
                    self.streams[number] = stream
            case events.StreamEnded(id=number, is_complete=complete):
                self.complete[f"{self.stream_names[number]}/{1 - self.side}"] = complete
            case events.FileOffered(id=number, offer=offer):
                self.offers[number] = offer
            case events.FileDataReceived(id=number, data=data):
                self.received[number] += data
            case events.FileDelivered(id=number):
                self.delivered.add(self.names[number])
            case events.FileStarted(id=number, name=name):
                self.names[number] = name
            case events.FileCancelled(id=number, sending=True):
                self.cancelled.add(self.names[number])

    def go_on_with(self, file) -> None:
        if isinstance(file, OutgoingFile):
            own = self.files[file.offer.name]
            if file.state is Sending.CHECKING:
                self.association.sent_files.beginning(file, hashlib.sha256(own[: file.accept.offset]))
            if file.wanted:
                start = file.credit.used + len(file.waiting)
                self.association.sent_files.supply(file, own[start : start + self.chance.randint(1, file.wanted)])
        elif file.state.name == "OFFERED":
            theirs = content(file.offer.name, file.offer.size)
            held = self.chance.randint(0, file.offer.size) if file.offer.tag == TAG and self.chance.random() < 0.5 else 0
            hasher = hashlib.sha256(theirs[:held]) if held else None
            self.received[file.id] = bytearray(theirs[:held])
            self.association.received_files.accept(file, held, hasher)
        elif file.state.name == "STORING":
            self.whole[file.offer.name] = bytes(self.received[file.id])
            self.association.received_files.stored(file)


def run(seed: int) -> tuple[Two, list[App]]:
    chance = random.Random(seed)
    pools = Pools(messages=1 << 20, share=chance.choice((0, 1 << 18, 1 << 30)))
    two = Two(1 << 20, KeepAliveTimes(), takes_at_once=False, pools=pools)
    apps = [App(two, side, chance) for side in (0, 1)]
    for _ in range(300):
        side = chance.randrange(2)
        match chance.randrange(6):
            case 0 | 1:
                apps[side].act()
            case 2:
                two.send(side, chance.choice((1, 20_000, 1 << 20)))
            case 3 | 4:
                two.deliver(side, chance.choice((1, 3, 100)))
            case 5:
                apps[side].drain()
        if chance.random() < 0.05:
            two.now += chance.choice((1, 19, 20))
            for association in two.sides:
                association.expire(two.now)
    return two, apps


def settle(two: Two, apps: list[App]) -> None:
    """The apps continue to take and answer, and end what they have written, until nothing moves any more."""
    for app in apps:
        app.chance = random.Random(1)
    for turn in range(400):
        for app in apps:
            app.take()
            app.read_some()
            app.drain()
            for item in app.association.live():
                if item.is_stream and item.window < 32_768 and item.state.name == "RECEIVING":
                    app.association.streams.stop(item, 0)  # too little credit to wait for all that the other has written
                    app.read.pop(app.key(item, 1 - app.side), None)
                if item.is_stream and not item.has_ended and not item.is_ending:
                    app.association.streams.finish(item)
                    app.finished[app.key(item, app.side)] = True
        moved = sum(two.send(side) + two.deliver(side) for side in (0, 1))
        two.now += 20
        for association in two.sides:
            association.record_came(two.now)
            association.expire(two.now)
        if turn > 50 and not moved and not any(list(association.live()) for association in two.sides):
            return
    raise AssertionError(f"it does not end: {[list(map(vars, a.live())) for a in two.sides]}"[:2_000])


def check(apps: list[App]) -> None:
    for me, other in (apps, apps[::-1]):
        assert me.two.messages(me.side) == other.messages
        results = me.two.of(me.side, events.MessageEnded)
        assert [event.tag for event in results] == list(range(len(me.messages)))
        assert {event.result for event in results} <= {Result.DELIVERED}
        for key, data in me.read.items():
            written = other.written.get(key, b"")
            assert written.startswith(data), key
            if me.complete.get(key):
                assert data == written and other.finished.get(key), key
        for name, data in other.whole.items():
            assert data == me.files[name], name
        assert me.delivered <= set(other.whole) and not me.delivered & me.cancelled
        assert me.delivered | me.cancelled == set(me.files)
        reasons = {event.reason for event in me.two.of(me.side, events.FileCancelled)}
        assert reasons <= {1, 2, 9, 12}, "an honest file has the hash that it says"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_schedule(seed):
    try:
        two, apps = run(seed)
        settle(two, apps)
        check(apps)
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error
