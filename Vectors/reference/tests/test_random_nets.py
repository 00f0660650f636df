"""SPEC §14.6: many members, links that come and go, and frames that take their time; rosters become equal.

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.frames import Frame
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.entries import LEFT
from multipeer_reference.session.exchange import Exchange
from multipeer_reference.session.instances import Shown
from multipeer_reference.session.member import Membership

from .helpers import FULL
from .members import CHARTER, chain, key


def member(number: int, wall: int) -> Membership:
    return Membership(key(number), CHARTER, Shown(f"m{number}"), wall, None if number == 1 else chain(number, 1))


class Net:
    """Members and links between them. A member that signs notifies its neighbours; a member that admits passes on."""

    def __init__(self, seed: int, count: int) -> None:
        self.chance = random.Random(seed)
        self.now = 0
        self.members = {number: member(number, wall=self.chance.randrange(100)) for number in range(1, count + 1)}
        self.links: dict[tuple[int, int], tuple[Exchange, list[Frame]]] = {}  # from, to: the sender's end, and what flies

    def link(self, one: int, other: int) -> None:
        if (one, other) not in self.links:
            for mine, theirs in ((one, other), (other, one)):
                exchange = Exchange(self.members[mine], key(theirs).public, SessionKind.MEMBERS, False, self.now)
                self.links[mine, theirs] = exchange, []

    def cut(self, one: int, other: int) -> None:
        self.links.pop((one, other), None)
        self.links.pop((other, one), None)

    def spread(self, number: int) -> None:
        for event in self.members[number].events:
            if isinstance(event, events.OwnEntrySigned):
                for (mine, _), (exchange, _) in self.links.items():
                    if mine == number:
                        exchange.own_signed(event.entry, self.now)
        self.members[number].events.clear()

    def step(self) -> None:
        for number in self.members:
            self.spread(number)
            self.members[number].exceed(self.now)
        if not self.links:
            return
        mine, theirs = self.chance.choice(list(self.links))
        exchange, flying = self.links[mine, theirs]
        flying += exchange.frames
        exchange.frames = []
        for frame in flying[: self.chance.randrange(3)]:
            flying.pop(0)
            self.links[theirs, mine][0].receive(frame, self.now)

    def settle(self, rounds: int = 12) -> None:
        """Every member asks each neighbour in turn, as it does every 30 s."""
        for _ in range(rounds):
            self.now += 30_000
            for exchange, _ in list(self.links.values()):
                if exchange.is_neighbour:
                    exchange.send_digest()
            while any(flying or exchange.frames for exchange, flying in self.links.values()):
                self.step()


def random_net(seed: int) -> Net:
    net = Net(seed, net_size := random.Random(seed).randrange(2, 8))
    chance = net.chance
    for _ in range(150):
        one, other = chance.sample(range(1, net_size + 1), 2)
        match chance.randrange(8):
            case 0:
                net.link(one, other)
            case 1 if chance.random() < 0.3:
                net.cut(one, other)
            case 2:
                net.members[one].sign(chance.randrange(2))
            case 3 if chance.random() < 0.3:
                for peer in net.members:
                    net.cut(one, peer)
                net.members[one] = member(one, wall=chance.randrange(100))  # restarted, and remembers nothing
            case _:
                net.step()
        net.now += chance.randrange(500)
    for number in range(2, net_size + 1):
        net.link(number - 1, number)
    return net


SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(200 if FULL else 12))


@pytest.mark.parametrize("seed", SEEDS)
def test_rosters_become_equal(seed):
    """No honest frame is a fault, and in the end all hold the same, each one's newest entry in it."""
    try:
        net = random_net(seed)
        net.settle()
        digests = {mine.roster.digest for mine in net.members.values()}
        assert len(digests) == 1
        for number, mine in net.members.items():
            assert mine.roster.get(key(number).public).bytes == mine.own.newest.bytes and len(mine.roster) == len(net.members)
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error


def test_the_left_stay_left():
    net = Net(1, 4)
    for number in (2, 3, 4):
        net.link(1, number)
    net.settle(3)
    net.members[4].leave()
    net.settle(3)
    assert {mine.roster.get(key(4).public).presence for mine in net.members.values()} == {LEFT}
