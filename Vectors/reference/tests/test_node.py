"""SPEC §8.7, §14.5 to §14.10: nodes that join, find each other, meet, leave and return."""

from __future__ import annotations

import pytest

from multipeer_reference.dialling import Dialler
from multipeer_reference.errors import MisuseError
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.nodeevents import Asked, Connected, Departed
from multipeer_reference.session.frames import Roster
from multipeer_reference.session.parameters import Admits, Parameters

from .helpers import FULL
from .members import entry, key
from .world import World, departures, joined, meshed


@pytest.mark.parametrize("count", [3, 5])
def test_members_find_each_other(count):
    """R14.6-7, R14.8-1: only the founder invites, and all are linked."""
    assert meshed(joined(count))


def test_those_that_list_no_address_dial():
    """§14.8."""
    assert meshed(joined(4, silent=frozenset((1, 3))))


def test_a_chain_of_invitations():
    world = World(4)
    world.node(1).found()
    for number in (1, 2, 3):
        world.introduce(number, number + 1)
    assert meshed(world.settle(2_000)) and len(world.node(4).membership.chain) <= 3


def test_only_the_founder_admits():
    """R14.1-2."""
    world = World(3)
    world.node(1).found(Parameters(Admits.FOUNDER))
    world.introduce(1, 2)
    name = world.connect(2, 3)
    world.settle()
    with pytest.raises(MisuseError):
        world.node(2).invite(name)


def test_maximum_members():
    world = World(4)
    world.node(1).found(Parameters(maximum_members=2))
    world.introduce(1, 2)
    name = world.connect(1, 3)
    world.settle()
    with pytest.raises(MisuseError):
        world.node(1).invite(name)


def test_one_invitation_at_a_time():
    """R8.7-2: not while one waits, nor while a link is open."""
    world = World(2)
    world.node(1).found()
    first, second = (world.connect(1, 2) for _ in range(2))
    world.settle()
    world.node(1).invite(first)
    with pytest.raises(MisuseError):
        world.node(1).invite(second)
    world.settle()
    world.node(2).accept(world.of(2, Asked)[-1].link)
    world.settle()
    assert world.of(1, Connected)
    with pytest.raises(MisuseError):
        world.node(1).invite(second)


def test_a_link_that_is_lost_comes_back():
    """*lost*, and dialled again."""
    world = joined(2)
    world.cut(next(iter(world.wires)))
    world.settle(62_000)
    assert departures(world, 1) == [(key(2).public, "lost")] and meshed(world)


@pytest.mark.parametrize("remembers", [True, False])
def test_a_program_that_begins_anew(remembers):
    """R14.7-1, R14.7-2: with its chain, and with or without its instance."""
    world = joined(3)
    node = world.node(2)
    memory = {"charter": node.membership.charter, "chain": node.membership.chain}
    if remembers:
        memory["remembered"] = node.membership.own.newest.instance
    world.stop(2)
    world.settle(1_000)
    world.now += 60_000
    world.start(2, **memory)
    world.settle(63_000)
    assert meshed(world)


def test_misbehaving():
    """R14.9-2, R14.9-4: a forged entry ends the link of the peer that passed it on, which is not dialled any more."""
    world = joined(3)
    mine = world.node(2)
    name = world.open_links(2)[key(1).public][0]
    forged = entry(9, charter=mine.membership.charter, via=())
    mine.links[name].exchange.frames.append(Frame(FrameType.ROSTER, Roster((forged,)).encode()))
    world.settle(100)
    assert departures(world, 1) == [(key(2).public, "misbehaved")]
    assert departures(world, 2) == [(key(1).public, "failed")]
    world.settle(130_000)
    assert key(2).public not in world.open_links(1)
    world.node(1).dial(key(2).public)  # the app lifts it
    world.settle(62_000)
    assert meshed(world)


def test_both_dial_at_once():
    """R8.7-8, R8.7-3: one link is left, the same for both."""
    for seed in range(40 if FULL else 8):
        world = joined(2, seed)
        for number in (1, 2):
            world.node(number).dialler.want = patched(world.node(number).dialler)
        world.cut(next(iter(world.wires)))
        world.settle(63_000)
        assert meshed(world), seed
        whys = {why for number in (1, 2) for _, why in departures(world, number)}
        assert whys == {"lost"}, seed


def patched(dialler: Dialler):
    """Both at once, whichever has the lesser key."""
    original = type(dialler).want
    return lambda own, entry_, own_addresses, now, at_once=False: original(dialler, own, entry_, own_addresses, now, True)


def test_a_link_that_only_one_side_has_is_closed_by_the_next():
    """R8.7-7: the older one is silent for 2 s, and no departure is reported."""
    world = joined(2)
    founder = world.node(1).membership
    memory = {"charter": founder.charter, "chain": world.node(2).membership.chain}
    world.stop(2, is_noticed=False)
    world.start(2, wall=2_000_000, **memory)
    world.node(2).membership.take(founder.own.newest, world.now)  # it remembers the founder's entry
    world.settle(1_500)
    assert not meshed(world)
    world.settle(2_000)
    assert meshed(world) and not world.of(1, Departed) and len(world.of(1, Connected)) == 1


def test_a_neighbour_is_asked_every_30_seconds():
    """R14.6-3: one of them, by DIGEST; one whose roster is equal says nothing."""
    world = joined(3)
    node = world.node(1)
    node.tick(node._digest_at - 1)
    assert not any(held.exchange.frames for held in node.links.values())
    node.tick(node._digest_at)
    asked = [held for held in node.links.values() if held.exchange.frames]
    assert len(asked) == 1 and [frame.name for frame in asked[0].exchange.frames] == ["DIGEST"]
    world.settle(100)
    assert meshed(world)
