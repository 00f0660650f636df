"""SPEC §8.7, §13.5, §14.8, §14.9: a node that is told of links by hand, and what it then asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.fields import Field
from multipeer_reference.invitation import CHAIN, DeclineReason, Invite, SessionKind
from multipeer_reference.node import Node
from multipeer_reference.nodeevents import (
    Accept, Asked, CloseLink, Connected, DeclineWith, Departed, Dial, Ghost, SendInvite, TakenPlaceOf,
)
from multipeer_reference.session.admissions import encode_chain
from multipeer_reference.session.departures import End
from multipeer_reference.session.entries import LEFT
from multipeer_reference.session.instances import Shown

from .helpers import seeded
from .members import CHARTER, FOUNDER, chain, entry, key
from .world import address

NEW, EXISTING, MEMBERS = SessionKind.NEW, SessionKind.EXISTING, SessionKind.MEMBERS
#: Members whose keys are lesser, and greater, than the founder's.
LESSER = next(number for number in range(2, 40) if key(number).public < FOUNDER.public)
GREATER = next(number for number in range(2, 40) if key(number).public > FOUNDER.public)
DUPLICATE = ErrorCode.DUPLICATE_LINK


@dataclass
class Told:
    """The founder's node, and one peer of it."""

    peer: int = GREATER
    links: int = 256
    now: int = 0
    node: Node = field(init=False)

    def __post_init__(self) -> None:
        shown = Shown("me", (address(1),))
        self.node = Node(FOUNDER, seeded("n"), shown, charter=CHARTER, maximum_links=self.links)

    @property
    def key(self) -> bytes:
        return key(self.peer).public

    def knows(self, instance: int = 1, **values) -> "Told":
        self.node.membership.take(entry(self.peer, instance, addresses=(address(self.peer),), **values), self.now)
        return self

    def invite(self, kind: SessionKind = EXISTING, charter: Charter = CHARTER, number: int | None = None) -> Invite:
        """One of the peer's."""
        links = chain(number or self.peer, 1, charter=charter)
        fields = () if kind is NEW else (Field(CHAIN, encode_chain(links)),)
        return Invite(charter, kind, 2, 0, 1_000, b"", fields)

    def founded(self) -> Invite:
        return Invite(Charter(self.key, bytes(32)), NEW, 2, 0, 1_000)

    def take(self) -> list:
        commands, self.node.commands = self.node.commands, []
        return [command for command in commands if not isinstance(command, Dial)]

    def events(self, kind: type) -> list:
        return [event for event in self.node.events if isinstance(event, kind)]

    def whys(self) -> list[str]:
        return [str(event.why) for event in self.events(Departed)]

    def at(self, now: int) -> "Told":
        self.now = now
        self.node.tick(now)
        return self

    def meets(self, link: object, dialled: bool = False) -> "Told":
        self.node.identified(link, self.key, dialled)
        return self

    def we_invite(self, link: object) -> "Told":
        self.meets(link)
        self.node.invite(link)
        assert isinstance(self.take()[0], SendInvite)
        return self

    def they_invite(self, link: object, invite: Invite | None = None) -> list:
        self.meets(link)
        self.node.invited(link, invite or self.invite())
        return self.take()

    def opens(self, link: object) -> "Told":
        self.node.opened(link, SimpleNamespace(is_neighbour=False, frames=[]))
        return self


def asked(told: Told) -> list:
    return [event.link for event in told.events(Asked)]


def test_our_invite_stands():
    """R8.7-1: DECLINE of reason 5, and ours goes on."""
    told = Told(GREATER).we_invite(1)
    assert told.they_invite(2) == [DeclineWith(2, DeclineReason.SUPERSEDED)] and not asked(told)


def test_theirs_stands():
    """R8.7-1: ours is closed, and the app is asked."""
    told = Told(LESSER).we_invite(1)
    assert told.they_invite(2) == [CloseLink(1, DUPLICATE)] and asked(told) == [2]
    told.node.ended(1, End(DUPLICATE))
    assert not told.whys()


def test_invites_that_do_not_meet():
    other = Charter(FOUNDER.public, b"o" * 32)
    told = Told(GREATER).we_invite(1)
    assert told.they_invite(2, told.invite(EXISTING, other)) == [] and asked(told) == [2]
    assert told.they_invite(3, told.founded()) == [] and asked(told) == [2, 3]


@pytest.mark.parametrize("later, answer", [
    (9_999, [DeclineWith(3, DeclineReason.SUPERSEDED)]), (10_000, [CloseLink(1, DUPLICATE)]),
])
def test_a_second_invite_while_ours_waits(later, answer):
    """R8.7-4: then ours has not come through; counted from the first DECLINE."""
    told = Told(GREATER).we_invite(1)
    told.at(100).they_invite(2)
    told.node.ended(2, End(decline=DeclineReason.SUPERSEDED))
    assert told.at(100 + later).they_invite(3) == answer
    assert asked(told) == ([3] if later == 10_000 else [])


def test_another_own_invite_begins_anew():
    """R8.7-4: the same INVITE of its own waited."""
    told = Told(GREATER).we_invite(1)
    told.they_invite(2)
    told.node.ended(1, End(None))
    told.at(10_000).we_invite(3)
    assert told.they_invite(4) == [DeclineWith(4, DeclineReason.SUPERSEDED)]


def test_a_new_invite_in_place_of_one_that_waits():
    """R8.7-5: the app is told."""
    told = Told(GREATER)
    assert told.they_invite(1) == [] and told.they_invite(2) == [CloseLink(1, DUPLICATE)]
    assert asked(told) == [1, 2] and told.events(TakenPlaceOf) == [TakenPlaceOf(2, 1)]


@pytest.mark.parametrize("ours", [True, False])
def test_a_new_invite_in_place_of_one_that_was_accepted(ours):
    """R8.7-5: whoever invited; what is open stays until the new one is."""
    told = Told(GREATER)
    if ours:
        told.we_invite(1).node.accepted(1)
    else:
        told.they_invite(1)
        told.node.accept(1)
        assert told.take() == [Accept(1)]
    assert told.they_invite(2) == [CloseLink(1, DUPLICATE)]
    open_ = Told(GREATER).we_invite(1)
    open_.node.accepted(1)
    assert open_.opens(1).they_invite(2) == []


def test_invites_to_another_session_stay():
    other = Charter(FOUNDER.public, b"o" * 32)
    told = Told(GREATER)
    told.they_invite(1)
    assert told.they_invite(2, told.invite(EXISTING, other)) == []


@pytest.mark.parametrize("peer, later, declines", [(GREATER, 9_999, True), (GREATER, 10_000, False), (LESSER, 0, False)])
def test_two_that_found_at_once(peer, later, declines):
    """R8.7-6: ours, of the lesser key, was accepted a moment ago."""
    told = Told(peer)
    told.meets(1)
    held = told.node.links[1]
    held.invite, held.by_us = Invite(CHARTER, NEW, 2, 0, 1_000), True
    told.node.accepted(1)
    answer = told.at(later).they_invite(2, told.founded())
    assert answer == ([DeclineWith(2, DeclineReason.SUPERSEDED)] if declines else []) and asked(told) == ([] if declines else [2])


def test_the_newest_link_closes_those_that_were_open():
    """R8.7-3: also more than one, and nothing is reported."""
    told = Told(GREATER).we_invite(1)
    told.node.accepted(1)
    told.opens(1)
    for number in (2, 3):
        told.they_invite(number, told.invite(MEMBERS))
        told.take()
        told.opens(number)
        assert told.take() == [CloseLink(number - 1, DUPLICATE)]
        told.node.ended(number - 1, End(DUPLICATE))
    assert told.events(Connected) == [Connected(told.key)] and not told.whys()


def test_replaced_and_then_lost():
    """§14.9, §14.10: nothing is reported while another is under way; if that one fails too, its end is."""
    told = Told(GREATER).we_invite(1)
    told.node.accepted(1)
    told.opens(1)
    told.they_invite(2, told.invite(MEMBERS))
    told.node.ended(1, End(None))
    assert not told.whys()
    told.node.ended(2, End(ErrorCode.SILENT))
    assert told.whys() == ["lost"]


def test_misbehaving_is_told_though_another_link_is_under_way():
    told = Told(GREATER).we_invite(1)
    told.node.accepted(1)
    told.opens(1).they_invite(2, told.invite(MEMBERS))
    told.node.ended(1, End(ErrorCode.MALFORMED, in_frame=True))
    assert told.whys() == ["misbehaved"]


# Invitations between members


def test_a_member_is_accepted_without_the_app():
    """R14.8-2."""
    told = Told()
    assert told.they_invite(1, told.invite(MEMBERS)) == [Accept(1)] and not asked(told)


@pytest.mark.parametrize("closes", [True, False])
def test_the_app_is_asked_behind_its_own_no(closes):
    """R14.8-2: if it closed the last link, or declined the last INVITE; until it asks for the peer."""
    told = Told()
    told.they_invite(1, told.invite(MEMBERS if closes else EXISTING))
    if closes:
        told.opens(1).node.disconnect(told.key)
    else:
        told.node.decline(1)
    told.node.ended(1, End(0, by_app=True) if closes else End(decline=1))
    told.take()
    assert told.they_invite(2, told.invite(MEMBERS)) == [] and told.node.links[2].asks
    told.node.accept(2)
    assert told.take() == [Accept(2)]
    told.opens(2).node.ended(2, End(None))
    assert told.they_invite(3, told.invite(MEMBERS)) == [Accept(3)]


def test_reasons_to_decline_and_their_order():
    """R14.8-2, R13.5-6: 6, 1, 7, 2."""
    def answer(told: Told, charter: Charter = CHARTER, kind: SessionKind = MEMBERS) -> list:
        return [command.reason for command in told.they_invite("new", told.invite(kind, charter))]

    other = Charter(FOUNDER.public, b"o" * 32)
    crowd = Told(links=0)
    crowd.node._left[crowd.key] = [SimpleNamespace(untaken=131_073)]
    crowd.node.block(crowd.key)
    assert answer(crowd, other) == [DeclineReason.NO_SESSION] and answer(crowd) == [DeclineReason.DECLINED]
    assert answer(crowd, other, EXISTING) == [DeclineReason.DECLINED]
    crowd.node._blocked.clear()
    crowd.node._asks_for.clear()
    assert answer(crowd) == [DeclineReason.FULL] and answer(crowd, kind=EXISTING) == [DeclineReason.BUSY]
    crowd.node._maximum_links = 1
    assert answer(crowd) == [DeclineReason.BUSY]
    with pytest.raises(MisuseError):
        crowd.meets("mine").node.invite("mine")
    crowd.node._left[crowd.key][0].untaken -= 1
    assert not answer(crowd, kind=EXISTING) and crowd.events(Asked)
    gone = Told()
    gone.node.leave()
    assert answer(gone) == [DeclineReason.NO_SESSION]


# Who is dialled again


def dials(told: Told) -> bool:
    return told.node.dialler.wants(told.key)


ENDS = {
    "lost": (End(None), True), "closed": (End(0, by_peer=True), False), "by the own app": (End(0, by_app=True), False),
    "shutting down": (End(0x20, by_peer=True), True), "refused": (End(0x11, by_peer=True), False),
    "declined": (End(decline=1), False), "busy": (End(decline=2), True), "failed": (End(0x04, by_peer=True), True),
    "misbehaved": (End(0x01, in_frame=True), False), "a duplicate": (End(0x21, by_peer=True), False),
    "a deadline": (End(0x15, by_peer=True), True),
}


@pytest.mark.parametrize("end, again", ENDS.values(), ids=ENDS.keys())
def test_who_is_dialled_again(end, again):
    """R14.9-3, R14.9-4; and what ends it: the app in every case, a greater instance or its INVITE but after misbehaving."""
    def ended() -> Told:
        told = Told().knows()
        told.they_invite(1, told.invite(MEMBERS))
        assert not dials(told.opens(1))
        told.node.ended(1, end)
        assert dials(told) is again
        return told

    misbehaved = end.in_frame
    assert dials(ended().knows(2)) is not misbehaved
    invited = ended()
    answer = invited.they_invite(2, invited.invite(MEMBERS))
    assert answer == [DeclineWith(2, DeclineReason.DECLINED) if misbehaved else Accept(2)]
    invited.node.ended(2, End(decline=1) if misbehaved else End(None))
    assert dials(invited) is not misbehaved
    forgiven = ended()
    forgiven.node.dial(forgiven.key)
    assert dials(forgiven)


def test_a_duplicate_that_something_explains():
    """R14.9-3: another link that is open, or ended within the last minute."""
    for later, ghost in ((59_999, False), (60_000, True)):
        told = Told().knows()
        for number in (1, 2):
            told.they_invite(number, told.invite(MEMBERS))
            told.opens(number)
        told.node.ended(1, End(DUPLICATE))
        told.at(later)
        told.node.ended(2, End(DUPLICATE, by_peer=True))
        assert bool(told.events(Ghost)) is ghost and dials(told) is not ghost


def test_one_for_whom_there_was_no_room():
    """R14.9-3: dialled once there is."""
    told = Told(links=1).knows()
    other = Told(LESSER)
    told.node.identified("other", other.key, False)
    told.node.invited("other", other.invite(MEMBERS))
    assert told.take() == [Accept("other")]
    told.opens("other")
    assert told.they_invite(1, told.invite(MEMBERS)) == [DeclineWith(1, DeclineReason.FULL)]
    told.node.ended(1, End(decline=7))
    assert told.whys() == ["refused"] and not dials(told)
    told.node.ended("other", End(0, by_peer=True))
    assert dials(told)


def test_a_member_that_left():
    told = Told().knows()
    told.they_invite(1, told.invite(MEMBERS))
    told.opens(1).knows(2, presence=LEFT)
    assert not told.whys()
    told.node.ended(1, End(0, by_peer=True))
    assert told.whys() == ["left"] and not dials(told)
    assert dials(told.knows(3))


def test_a_link_that_ends_before_an_invite():
    """§14.9: it is no departure."""
    told = Told().meets(1)
    told.node.ended(1, End(None))
    assert not told.whys()


def test_what_is_dialled_becomes_an_invite_once():
    """§14.10, R14.8-7: of kind 2; a second link is not needed."""
    told = Told().knows().at(600)
    told.take()
    told.meets(1, dialled=True)
    command = told.take()[0]
    assert isinstance(command, SendInvite) and command.request.kind is MEMBERS
    assert told.meets(2, dialled=True).take() == [CloseLink(2, ErrorCode.NO_ERROR)]
    told.node.ended(2, End(0, by_app=True))
    assert not told.whys()
