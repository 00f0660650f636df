"""SPEC §8.7, §14.9: several links between two, as a node is told of them."""

from __future__ import annotations

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.errors import ErrorCode
from multipeer_reference.invitation import DeclineReason, Invite
from multipeer_reference.nodeevents import Accept, CloseLink, Connected, DeclineWith, TakenPlaceOf
from multipeer_reference.session.departures import End

from .members import CHARTER, FOUNDER
from .told import EXISTING, GREATER, LESSER, MEMBERS, NEW, Told, asked

DUPLICATE = ErrorCode.DUPLICATE_LINK


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


@pytest.mark.parametrize(
    "peer, later, declines", [(GREATER, 9_999, True), (GREATER, 10_000, False), (LESSER, 1, False)]
)
def test_an_accept_that_overtakes_an_invite(peer, later, declines):
    """R8.7-6: the link of theirs was there before ours, of the lesser key, was accepted."""
    told = Told(peer)
    told.node.connected(2)
    told.at(1).we_invite(1).node.accepted(1)
    answer = told.at(1 + later).they_invite(2)
    assert answer == ([DeclineWith(2, DeclineReason.SUPERSEDED)] if declines else [CloseLink(1, DUPLICATE)])


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
