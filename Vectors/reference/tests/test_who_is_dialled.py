"""SPEC §13.5, §14.8, §14.9: whom a node accepts, declines and dials again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.invitation import DeclineReason, SessionKind
from multipeer_reference.nodeevents import Accept, Asked, CloseLink, DeclineWith, Ghost, SendInvite
from multipeer_reference.session.departures import End
from multipeer_reference.session.entries import LEFT

from .members import CHARTER, FOUNDER
from .told import EXISTING, LESSER, MEMBERS, Told, asked

DUPLICATE = ErrorCode.DUPLICATE_LINK


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
