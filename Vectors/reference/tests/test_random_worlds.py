"""SPEC §8.7, §14: links that are cut, programs that crash unnoticed and restart, hosts that cannot be reached, apps that invite
again; then it is quiet.

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import os
from contextlib import suppress

import pytest

from multipeer_reference.errors import MisuseError
from multipeer_reference.nodeevents import Asked

from .helpers import FULL
from .world import World, departures, joined, meshed

SEEDS = [int(os.environ["MULTIPEER_SEED"])] if "MULTIPEER_SEED" in os.environ else list(range(60 if FULL else 5))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_worlds(seed):
    """Links are cut, programs restart with or without memory, hosts cannot be reached for a while; then it is quiet."""
    try:
        world = joined(4, seed)
        for _ in range(12):
            disturb(world)
            world.settle(world.chance.choice((0, 200, 3_000)))
        world.unreachable.clear()
        world.settle(190_000)
        assert meshed(world), {n: world.open_links(n) for n in world.hosts}
        whys = {why for number in world.hosts for _, why in departures(world, number)}
        assert whys <= {"lost", "closed"}, whys
    except Exception as error:
        raise AssertionError(f"MULTIPEER_SEED={seed}: {error!r}") from error


def disturb(world: World) -> None:
    chance = world.chance
    match chance.randrange(5):
        case 0 | 1 if world.wires:
            world.cut(chance.choice(list(world.wires)))
        case 2:
            world.unreachable ^= {chance.randrange(1, 5)}
        case 3:
            number = chance.randrange(2, 5)  # if all forgot the roster at once, nobody would know of anybody
            membership = world.node(number).membership
            memory = {"charter": membership.charter, "chain": membership.chain}
            world.stop(number, is_noticed=chance.random() < 0.5)
            world.start(number, wall=chance.choice((0, 1_000_000, 2_000_000)), **memory)
        case 4:
            invite_again(world)


def invite_again(world: World) -> None:
    """An app invites a peer that may be connected, over one more link; some apps answer what they are asked."""
    one, other = world.chance.sample(range(1, 5), 2)
    name = world.connect(one, other)
    world.settle(world.chance.choice((0, 250)))
    with suppress(MisuseError, KeyError):
        world.node(one).invite(name)
    world.settle(world.chance.choice((0, 250, 3_000)))
    for number in world.hosts:
        for asked in world.of(number, Asked)[-1:]:
            with suppress(MisuseError, KeyError):
                world.node(number).accept(asked.link)
