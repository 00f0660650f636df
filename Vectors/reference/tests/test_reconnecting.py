"""Nodes whose links are lost and come back (SPEC §13.9, §14.9): dialling, both at once, restarts, random cuts."""

from __future__ import annotations

import random

import pytest

from multipeer_reference.nodeevents import Connected, Departed, Reconnecting
from multipeer_reference.reconnecting import ATTEMPTS_AT_MOST, Reconnector

from .helpers import FULL
from .members import key
from .world import World, address, departures, meshed

GRACE = 60_000


class LastingWorld(World):
    """All nodes have a grace time. `sent` and the hosts' messages say what was sent and what came."""

    def start(self, number: int, wall: int = 1_000_000, **memory):
        return super().start(number, wall, **{"grace": GRACE} | memory)

    def send(self, sender: int, receiver: int, data: bytes) -> None:
        """Also while there is no link."""
        (lasting,) = [one for one in self.node(sender).associations if one.peer == key(receiver).public]
        lasting.association.send(data)

    def got(self, receiver: int, sender: int) -> list[bytes]:
        return [data for who, data in self.hosts[receiver].messages if who == key(sender).public]

    def only_wire(self) -> int:
        (name,) = self.wires
        return name

    @property
    def faults(self) -> list:
        return [link.core.error for link in self.all_links if link.core.fault_in_frame]


def lasting(count: int, seed: int = 0, **values) -> LastingWorld:
    world = LastingWorld(count, seed, **values)
    world.node(1).found()
    for other in range(2, count + 1):
        world.introduce(1, other)
    return world.settle(2_000)


@pytest.mark.parametrize("seed", range(8))
def test_a_link_is_lost_and_comes_back(seed: int):
    """R13.9-3, R13.9-4, R14.9-2: no departure, and what is sent meanwhile arrives."""
    world = lasting(2, seed)
    for round_ in range(3):
        world.send(1, 2, b"before %d" % round_)
        world.cut(world.only_wire())
        world.send(1, 2, b"one %d" % round_)
        world.send(2, 1, b"two %d" % round_)
        world.settle(62_000 if round_ else 3_000)
    assert world.got(2, 1) == [text % n for n in range(3) for text in (b"before %d", b"one %d")]
    assert world.got(1, 2) == [b"two %d" % n for n in range(3)]
    for number in (1, 2):
        assert len(world.of(number, Reconnecting)) == 3 and len(world.of(number, Connected)) == 4
        assert departures(world, number) == []
    assert meshed(world)


def test_a_peer_that_has_restarted():
    """R13.9-3, R13.9-5: it declines with reason 6; the association ends as lost, and members dial anew."""
    world = lasting(2)
    node = world.node(2)
    memory = {"charter": node.membership.charter, "chain": node.membership.chain}
    world.stop(2)
    world.start(2, 2_000_000, **memory)
    world.settle(70_000)
    assert departures(world, 1) == [(key(2).public, "lost")]
    assert meshed(world)


def test_the_grace_time_is_over():
    """R13.9-3, R13.6-3."""
    world = lasting(2)
    world.unreachable |= {1, 2}
    world.cut(world.only_wire())
    world.settle(59_000)
    assert departures(world, 1) == departures(world, 2) == []
    world.settle(2_000)
    assert departures(world, 1) == [(key(2).public, "lost")] and departures(world, 2) == [(key(1).public, "lost")]
    world.unreachable.clear()
    world.settle(130_000)
    assert meshed(world)


def test_the_app_disconnects_while_the_link_is_lost():
    """R13.9-3: it ends, and the peer hears that by DECLINE of reason 6."""
    world = lasting(2)
    world.unreachable |= {1, 2}
    world.cut(world.only_wire())
    world.settle(250)
    world.node(1).disconnect(key(2).public)
    assert departures(world, 1) == [(key(2).public, "closed")]
    world.unreachable.clear()
    world.settle(5_000)
    assert departures(world, 2)[0] == (key(1).public, "lost")


def test_a_member_that_leaves_while_its_link_to_another_is_lost():
    """R13.9-3, R14.9-2: its entry comes from a third member, and ends the association as left."""
    world = lasting(3)
    world.unreachable |= {2, 3}
    (name,) = world.open_links(2)[key(3).public]
    world.cut(name)
    world.settle(1_000)
    world.node(2).leave()
    world.settle(61_000)
    assert departures(world, 3) == [(key(2).public, "left")]


@pytest.mark.parametrize("seed", range(40 if FULL else 8))
def test_random_cuts(seed: int):
    """R13.9-4 to R13.9-8: links of four members are cut again and again; nothing is lost or comes twice."""
    world, chance = lasting(4, seed), random.Random(f"cuts {seed}")
    sent: dict[tuple[int, int], list[bytes]] = {}
    for count in range(60):
        sender, receiver = chance.sample(range(1, 5), 2)
        data = b"%d" % count * chance.choice((1, 3_000))
        world.send(sender, receiver, data)
        sent.setdefault((sender, receiver), []).append(data)
        for _ in range(chance.randint(0, 4)):
            world.step()
        if world.wires and chance.random() < 0.5:
            world.cut(chance.choice(sorted(world.wires)))
        world.settle(chance.choice((0, 0, 250, 1_000, 62_000)))
    world.settle(190_000)
    for (sender, receiver), all_ in sent.items():
        assert world.got(receiver, sender) == all_
    assert world.faults == []
    assert meshed(world)
    assert all(world.of(number, Departed) == [] for number in world.hosts)


def test_attempts_are_bounded():
    """R13.9-10: 32 in 60 s, however often the association is lost again."""
    reconnector, now, tried = Reconnector(lambda count: bytes(count)), 0, []
    while now < 120_000:
        if now % 1_000 == 0:
            reconnector.begin(b"peer", address(1), now)
        tried += [now] * len(reconnector.due(now))
        now += 50
    assert all(sum(start <= at < start + 60_000 for at in tried) <= ATTEMPTS_AT_MOST for start in range(0, 60_000, 50))
    assert len(tried) == 2 * ATTEMPTS_AT_MOST


def test_pauses():
    """At once, after 0.25, 0.5 and 1 s, then every 2 s, each spread by a quarter."""
    for byte, factor in ((0, 0.75), (128, 1.0), (255, 1.25)):
        reconnector, tried = Reconnector(lambda count: bytes([byte]) * count), []
        reconnector.begin(b"peer", address(1), 0)
        for now in range(8_000):
            tried += [now] * len(reconnector.due(now))
        pauses = [after - before for before, after in zip(tried, tried[1:])]
        assert [round(pause / factor / 250) for pause in pauses[:5]] == [1, 1, 2, 8, 8]
