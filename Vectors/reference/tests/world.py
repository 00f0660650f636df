"""Nodes on real links in memory: dialling, bytes that take their time, links that are cut, programs that restart."""

from __future__ import annotations

import random

from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.config import Config
from multipeer_reference.hosting import Host
from multipeer_reference.link import Link
from multipeer_reference.node import Node
from multipeer_reference.nodeevents import Asked, Departed, Dial
from multipeer_reference.proofs import Role
from multipeer_reference.session.entries import Address
from multipeer_reference.session.instances import Shown

from .helpers import REPEATABLE, seeded
from .members import key


def address(number: int) -> Address:
    return Address(1, bytes([192, 0, 2, number, 0x12, 0x67]))


class Wire:
    """One link: its two ends by node, and the bytes on the way. Index 0 is the initiator's."""

    def __init__(self, name: int, ends: tuple[int, int]) -> None:
        self.name, self.ends = name, ends
        self.flying = [b"", b""]
        self.is_cut = False


class World:
    def __init__(self, count: int, seed: int = 0, silent: frozenset[int] = frozenset()) -> None:
        """`silent` nodes list no address."""
        self.chance = random.Random(seed)
        self.now = 0
        self.seed = seed
        self.silent = silent
        self.hosts: dict[int, Host] = {}
        self.wires: dict[int, Wire] = {}
        self.unreachable: set[int] = set()
        self.runs = self.links_made = 0
        self.all_links: list[Link] = []
        for number in range(1, count + 1):
            self.start(number)

    def start(self, number: int, wall: int = 1_000_000, **memory) -> Host:
        """A program starts with its state in `memory`; `wall` is its clock."""
        self.runs += 1
        shown = Shown(f"n{number}", () if number in self.silent else (address(number),))
        random_ = seeded(f"{self.seed}/{number}/{self.runs}")
        node = Node(key(number), random_, shown, self.now, wall, **memory)
        self.hosts[number] = Host(node)
        return self.hosts[number]

    def node(self, number: int) -> Node:
        return self.hosts[number].node

    def stop(self, number: int, is_noticed: bool = True) -> None:
        """The program crashes. If that is not noticed, the others' ends stay open, and nothing comes on them."""
        for wire in list(self.wires.values()):
            if number in wire.ends and is_noticed:
                self.cut(wire.name)
            elif number in wire.ends:
                del self.wires[wire.name]
        del self.hosts[number]

    def connect(self, one: int, other: int, dialled: Address | None = None) -> int:
        """`one` opens a link to `other`."""
        self.links_made += 1
        name = self.links_made
        self.wires[name] = Wire(name, (one, other))
        for role, mine, theirs in ((Role.INITIATOR, one, other), (Role.RESPONDER, other, one)):
            host = self.hosts[mine]
            config = Config(
                key(mine), f"n{mine}", expected_peer=key(theirs).public if role is Role.INITIATOR else None, grease=False,
                membership=host.node.membership_for, keep_alive=KeepAliveTimes(), suites=REPEATABLE,
            )
            link = Link(config, role, self.now, seeded(f"{self.seed}/{name}/{mine}"))
            self.all_links.append(link)
            host.add(name, link, dialled if role is Role.INITIATOR else None)
        return name

    def cut(self, name: int) -> None:
        """Bytes on the way are lost."""
        wire = self.wires.pop(name)
        for end in wire.ends:
            link = self.hosts[end].links.get(name) if end in self.hosts else None
            if link is not None:
                link.end_of_stream(self.now)

    def step(self) -> bool:
        """Something moves: the nodes' turns, and some bytes on some wires."""
        moved = False
        for number, host in list(self.hosts.items()):
            for dial in host.turn(self.now):
                self.dial(number, dial)
                moved = True
        for wire in list(self.wires.values()):
            moved |= self.move(wire)
        return moved

    def dial(self, number: int, dial: Dial) -> None:
        target = dial.address.value[3]
        alive = target in self.hosts and target not in self.unreachable and number != target
        if alive and key(target).public == dial.member:
            self.connect(number, target, dial.address)

    def move(self, wire: Wire) -> bool:
        moved = False
        for index in (0, 1):
            source, target = (self.hosts.get(wire.ends[i]) for i in (index, 1 - index))
            link = source.links.get(wire.name) if source else None
            if link is not None:
                wire.flying[index] += link.take_output()
            data = wire.flying[index]
            if not data or self.chance.random() < 0.3:
                moved |= bool(data)
                continue
            count = self.chance.choice((len(data), len(data), self.chance.randint(1, len(data))))
            wire.flying[index] = data[count:]
            other = target.links.get(wire.name) if target else None
            if other is not None:
                other.receive(data[:count], self.now)
            moved = True
        return self.finish(wire) or moved

    def finish(self, wire: Wire) -> bool:
        """An end that is closed ends the stream for the other, after what is on the way."""
        gone = [wire.name not in self.hosts[end].links if end in self.hosts else True for end in wire.ends]
        for index in (0, 1):
            if gone[index] and not gone[1 - index] and not wire.flying[index]:
                self.hosts[wire.ends[1 - index]].links[wire.name].end_of_stream(self.now)
                return True
        if all(gone):
            self.wires.pop(wire.name, None)
        return False

    def settle(self, milliseconds: int = 0) -> "World":
        """Until nothing moves, for so long."""
        end = self.now + milliseconds
        while True:
            while self.step():
                pass
            if self.now >= end:
                return self
            self.now = min(end, self.now + 250)
            for host in self.hosts.values():
                for link in list(host.links.values()):
                    link.timeout(self.now)

    def of(self, number: int, kind: type) -> list:
        return [event for event in self.node(number).events if isinstance(event, kind)]

    def introduce(self, one: int, other: int) -> None:
        """`one` invites `other`, whose app accepts."""
        name = self.connect(one, other)
        self.settle()
        self.node(one).invite(name)
        self.settle()
        asked = self.of(other, Asked)[-1]
        self.node(other).accept(asked.link)
        self.settle()

    def open_links(self, number: int) -> dict[bytes, list]:
        """By peer: the names of the links that are open."""
        found: dict[bytes, list] = {}
        for name, held in self.node(number).links.items():
            if held.stage.name == "OPEN" and held.closed_by_us is None:
                found.setdefault(held.key, []).append(name)
        return found


def departures(world: World, number: int) -> list[tuple[bytes, str]]:
    return [(event.key, str(event.why)) for event in world.of(number, Departed)]


def meshed(world: World) -> bool:
    """Each two have one link, the same for both, and all rosters are equal."""
    for number in world.hosts:
        links = world.open_links(number)
        others = {key(other).public for other in world.hosts if other != number}
        if set(links) != others or any(len(names) != 1 for names in links.values()):
            return False
    pairs = [(number, other) for number in world.hosts for other in world.hosts if number != other]
    same = all(
        world.open_links(one)[key(other).public] == world.open_links(other)[key(one).public] for one, other in pairs
    )
    return same and len({world.node(number).membership.roster.digest for number in world.hosts}) == 1


def joined(count: int, seed: int = 0, **values) -> World:
    """The first founds, and invites all others."""
    world = World(count, seed, **values)
    world.node(1).found()
    for other in range(2, count + 1):
        world.introduce(1, other)
    return world.settle(2_000)
