"""SPEC §14.11: peers that invite each other at random, before they know of each other's sessions; then it is quiet.

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import os
from contextlib import suppress

import pytest

from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.nodeevents import Asked, Departed

from .helpers import FULL
from .members import key
from .world import World

SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(200 if FULL else 16))
#: Codes with which honest peers close links.
_HONEST = (None, ErrorCode.NO_ERROR, ErrorCode.DUPLICATE_LINK, ErrorCode.INVITATION_TIMEOUT, ErrorCode.MOVED)


class Inviting(World):
    """Apps accept what they are asked about, sooner or later. `invited` has pairs: an inviter, and its peer."""

    def __init__(self, count: int, seed: int, grace: int = 0) -> None:
        self.grace = grace
        super().__init__(count, seed)
        self.invited: set[tuple[int, int]] = set()
        self.waiting: list[tuple[int, int]] = []  # an app, and a link on which it invites
        self.answered = {number: 0 for number in self.hosts}

    def start(self, number: int, wall: int = 1_000_000, **memory):
        return super().start(number, wall, **{"grace": self.grace} | memory)

    def meet(self, one: int, other: int) -> None:
        """`one` connects, and one of both invites on that link when it may."""
        name = self.connect(one, other)
        self.waiting += [(number, name) for number in self.chance.sample((one, other), self.chance.choice((1, 1, 2)))]

    def act(self) -> None:
        """Some apps invite, in new sessions or in theirs; some answer."""
        for number, name in list(self.waiting):
            held = self.node(number).links.get(name)
            if held is not None and self.chance.random() < 0.3:
                self.waiting.remove((number, name))
                node = self.node(number)
                with suppress(MisuseError):
                    if node.membership is None and self.chance.random() < 0.6:
                        node.invite_anew(name)
                    else:
                        node.invite(name)
                    self.invited.add((number, sum(self.wires[name].ends) - number))
        for number in self.hosts:
            for asked in self.of(number, Asked)[self.answered[number] :]:
                if self.chance.random() < 0.4:
                    self.accept(number)

    def accept(self, number: int) -> None:
        asked = self.of(number, Asked)[self.answered[number]]
        self.answered[number] += 1
        with suppress(MisuseError, KeyError):
            self.node(number).accept(asked.link)

    def calm(self) -> None:
        """Nobody invites any more, and all questions are answered."""
        self.waiting.clear()
        for _ in range(4):
            self.settle(300)
            for number in self.hosts:
                while self.answered[number] < len(self.of(number, Asked)):
                    self.accept(number)


def components(world: World) -> list[set[int]]:
    """Of nodes that are linked, directly or through others."""
    left, found = set(world.hosts), []
    numbers = {key(number).public: number for number in world.hosts}
    while left:
        component, new = set(), {left.pop()}
        while new:
            component |= new
            new = {numbers[peer] for number in new for peer in world.open_links(number)} - component
        left -= component
        found.append(component)
    return found


def check(world: World) -> None:
    for component in components(world):
        if len(component) == 1:
            continue
        nodes = [world.node(number) for number in component]
        assert len({node.group.home.session for node in nodes}) == 1
        assert len({node.group.home.roster.digest for node in nodes}) == 1
        assert len(nodes[0].group.home.roster) == len(component)
        for number in component:
            others = {key(other).public for other in component - {number}}
            links = world.open_links(number)
            assert set(links) == others and all(len(names) == 1 for names in links.values()), links
            for names in links.values():
                exchange = world.node(number).links[names[0]].exchange
                home = world.node(number).group.home.session
                assert exchange.outgoing.session == exchange.incoming.session == home
    for link in world.all_links:
        assert not link.core.fault_in_frame and link.core.close_sent in _HONEST, (link.core.error, link.core.error_detail)


def random_world(seed: int, cuts: bool = False, grace: int = 0) -> Inviting:
    """All invitations are over. With `cuts` links are lost meanwhile."""
    world = Inviting(2 + seed % 5, seed, grace)
    for _ in range(world.chance.randrange(1, 12)):
        world.meet(*world.chance.sample(list(world.hosts), 2))
        for _ in range(world.chance.randrange(12)):
            world.step()
            world.act()
        world.now += world.chance.choice((0, 10, 400))
        if cuts and world.wires and world.chance.random() < 0.3:
            world.cut(world.chance.choice(list(world.wires)))
    for _ in range(60):
        world.step()
        world.act()
    world.calm()
    return world


@pytest.mark.parametrize("seed", SEEDS)
def test_all_are_in_one_session(seed):
    """R14.11-1, R14.11-3, R14.11-5 to R14.11-8: all that are linked are in the least of their sessions in the end, and no
    frame of an honest peer was a fault."""
    try:
        world = random_world(seed)
        world.settle(95_000)
        check(world)
        for one, other in world.invited:
            assert any({one, other} <= component for component in components(world)), (one, other)
        assert not any(world.of(number, Departed) for number in world.hosts)
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error


@pytest.mark.parametrize("grace", [0, 60_000])
@pytest.mark.parametrize("seed", SEEDS)
def test_with_links_that_are_lost(seed, grace):
    """R14.11-8: members dial each other in the least session that they know each other in. An app that accepts while its
    last link is lost remains in its session, and so nobody declines. With a grace time unions continue on resumed links
    (R14.11-2, SPEC §13.9)."""
    try:
        world = random_world(seed, True, grace)
        for _ in range(3):
            if world.wires:
                world.cut(world.chance.choice(list(world.wires)))
            world.settle(world.chance.choice((0, 300, 3_000)))
        world.settle(190_000 + grace)
        check(world)
        assert {str(event.why) for number in world.hosts for event in world.of(number, Departed)} <= {"lost"}
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error
