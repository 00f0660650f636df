"""Several links that are to resume one association, at once or late (SPEC §13.9)."""

from __future__ import annotations

import random

import pytest

from multipeer_reference import events
from multipeer_reference.errors import ErrorCode
from multipeer_reference.link import Link

from .helpers import FULL
from .mending import Mending


class Several:
    """Links by name, each with the bytes on the way from either end; the test says what moves."""

    def __init__(self, pair: Mending) -> None:
        self.pair = pair
        self.ends: dict[str, list[Link]] = {}
        self.flying: dict[str, list[bytes]] = {}

    def dial(self, name: str, initiator: int) -> "Several":
        self.ends[name] = self.pair.connect(initiator)
        self.flying[name] = [b"", b""]
        self.ends[name][initiator].resume(self.pair.peers[initiator].lasting, self.pair.now)
        return self

    def send(self, name: str, sender: int) -> int:
        self._drain()
        self.flying[name][sender] += self.ends[name][sender].take_output()
        return len(self.flying[name][sender])

    def deliver(self, name: str, sender: int, count: int = 1 << 30) -> None:
        data = self.flying[name][sender]
        self.flying[name][sender] = data[count:]
        self.ends[name][1 - sender].receive(data[:count], self.pair.now)
        self._drain()

    def move(self, name: str, sender: int) -> bool:
        waits = self.send(name, sender)
        self.deliver(name, sender)
        return waits > 0

    def settle(self, *names: str) -> "Several":
        while any([self.move(name, sender) for name in names or self.ends for sender in (0, 1)]):
            pass
        return self

    def _drain(self) -> None:
        for name, links in self.ends.items():
            for peer, link in zip(self.pair.peers, links):
                peer.link = link
                peer.drain(self.pair.now)

    def open(self) -> list[str]:
        return [name for name, links in self.ends.items() if all(link.state.name == "OPEN" for link in links)]

    def code(self, name: str, end: int) -> int | None:
        return self.ends[name][end].core.peer_code


def lost() -> Several:
    pair = Mending().open()
    for number, peer in enumerate(pair.peers):
        peer.association.send(b"%d" % number, number)
    pair.cut()
    return Several(pair)


def check(several: Several) -> None:
    first, second = several.pair.peers
    several.settle()
    several.pair.now += 20
    for links in several.ends.values():
        for link in links:
            link.timeout(several.pair.now)
    several.settle()
    assert first.messages == [b"1"] and second.messages == [b"0"]
    assert first.results == {0: "delivered"} and second.results == {1: "delivered"}


def test_both_dial_at_once():
    """R13.9-7: the controller closes the other's link, which answers."""
    several = lost().dial("own", 0).dial("other", 1)
    for name in ("own", "other"):
        for sender in (0, 1, 0, 1):
            several.send(name, sender)
            if not several.ends[name][0 if name == "own" else 1].resuming._sent:
                several.deliver(name, sender)
    several.settle()
    assert several.open() == ["own"]
    assert several.ends["other"][0].core.error is ErrorCode.DUPLICATE_LINK
    check(several)


def test_a_late_resume():
    """R13.9-5: RESUME that was sent before its sender has answered another one is older than what it has shown."""
    several = lost().dial("late", 1)
    for _ in range(3):  # up to the RESUME, which stays on its way
        for sender in (0, 1):
            several.send("late", sender)
            if several.ends["late"][1].resuming._sent is None:
                several.deliver("late", sender)
    assert several.ends["late"][1].resuming._sent and several.flying["late"][1]
    several.dial("own", 0).settle("own")
    assert several.open() == ["own"]
    assert several.ends["late"][1].core.close_sent == ErrorCode.MOVED
    several.settle()
    assert several.ends["late"][0].core.error is ErrorCode.DUPLICATE_LINK
    assert several.open() == ["own"]
    check(several)


@pytest.mark.parametrize("dialler", [0, 1])
def test_a_better_path(dialler: int):
    """R13.9-4: RESUME while the old link is open, which is closed with moved, and nothing is lost."""
    pair = Mending().open()
    several = Several(pair)
    several.ends["old"] = [peer.link for peer in pair.peers if peer.link]
    several.flying["old"] = [b"", b""]
    for number, peer in enumerate(pair.peers):
        peer.association.send(b"%d" % number, number)
    several.send("old", 1 - dialler)  # is on its way when the old link is not read any more
    several.dial("new", dialler).settle("new")
    assert several.open() == ["new"]
    check(several)
    assert several.code("old", 1 - dialler) == ErrorCode.MOVED
    assert not any(peer.held.resumable(other.key.public) for peer, other in (pair.peers, pair.peers[::-1]))
    assert all(len(peer.of(events.Resumed)) == 1 for peer in pair.peers)


@pytest.mark.parametrize("seed", range(600 if FULL else 60))
def test_random_dialling(seed: int):
    """R13.9-4 to R13.9-8: whatever is dialled, cut and delivered when, nothing is lost, and peers do not differ in the end."""
    chance, several = random.Random(seed), lost()
    pair = several.pair
    sent: list[list[bytes]] = [[b"0"], [b"1"]]
    for count in range(2, 14):
        name = str(count)
        several.dial(name, chance.randrange(2))
        for _ in range(chance.randrange(14)):
            chosen, sender = chance.choice(list(several.ends)), chance.randrange(2)
            if several.send(chosen, sender):
                several.deliver(chosen, sender, chance.choice((1 << 30, 1 << 30, 700)))
        if chance.random() < 0.4:
            chosen = chance.choice(list(several.ends))
            for link in several.ends[chosen]:
                link.end_of_stream(pair.now)
            several.flying[chosen] = [b"", b""]
        for number, peer in enumerate(pair.peers):
            data = b"%d" % (2 * count + number)
            peer.association.send(data, data)
            sent[number].append(data)
    several.settle()
    if not several.open():
        several.dial("last", 0).settle()
    assert len(several.open()) == 1
    several.settle()
    assert [peer.messages for peer in pair.peers] == sent[::-1]
    assert {pair.peers[0].lasting.epoch} == {pair.peers[1].lasting.epoch}
    codes = {link.core.error for links in several.ends.values() for link in links}
    assert codes <= {None, ErrorCode.DUPLICATE_LINK}
