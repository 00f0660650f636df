"""SPEC §8.2, §8.6, §14.8: invitations between members, and crossing ones to sessions with rules."""

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.errors import ErrorCode
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import CHAIN, Invite, SessionKind
from multipeer_reference.session.admissions import admit, encode_chain

from .helpers import ALICE, BOB, CHARTER, Pair, config

MEMBERS = CHARTER  # founded by Alice


def member_invites(chain, by=BOB, is_of_members=True):
    """The initiator invites the responder, to a session of which it is a member."""
    pair = Pair(config(by), config(ALICE) if by is BOB else config(BOB))
    pair.pump()
    pair.initiator.link.invite(InviteRequest(charter=MEMBERS, chain=chain, is_of_members=is_of_members), 0)
    pair.pump()
    return pair


def void_invite(pair, *fields, kind=0):
    """An INVITE of the responder, whose key is the greater one, behind the initiator's."""
    pair.pump()
    pair.initiator.link.invite(InviteRequest(), 0)
    pair.responder.inject(Frame(FrameType.INVITE, Invite(MEMBERS, kind, 2, 0, 1_000, b"", fields).encode()))
    pair.step(False)
    return pair.initiator


def test_an_invitation_between_members():
    """R8.2-7, R14.8-2, R14.8-3: the app sees of what kind it is, and judges; no ADMIT follows (R14.5-1)."""
    admitted = (admit(ALICE, MEMBERS.identifier, BOB.public),)
    pair = member_invites(admitted)
    assert pair.responder.one(events.InvitationReceived).session_kind == SessionKind.MEMBERS
    assert all(side.of(events.Opened) and side.error is None for side in pair.sides)
    assert all(side.of(events.CertificatesReceived) for side in pair.sides)
    assert not pair.initiator.of(events.Admitted) and not pair.responder.of(events.Admitted)
    member_invites((), ALICE)


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("has_chain", [True, False])
def test_who_has_a_chain(kind, has_chain):
    """R8.2-7."""
    fields = (Field(CHAIN, b""),) if has_chain else ()
    pair = Pair().pump()
    pair.initiator.inject(Frame(FrameType.INVITE, Invite(MEMBERS, kind, 2, 0, 1_000, b"", fields).encode()))
    pair.step(True)
    assert pair.responder.error is (None if has_chain is (kind != 1) else ErrorCode.MALFORMED)


def test_members_invite_as_initiators():
    """R14.8-1: judged before the chain."""
    pair = Pair().pump()
    pair.responder.inject(Frame(FrameType.INVITE, Invite(MEMBERS, 2, 2, 0, 1_000, b"", (Field(CHAIN, b""),)).encode()))
    pair.step(False)
    assert pair.initiator.error is ErrorCode.UNEXPECTED_FRAME


def test_a_void_invite_is_judged_all_the_same():
    """R8.2-8: before both are compared."""
    admitted = (admit(ALICE, MEMBERS.identifier, BOB.public),)
    assert void_invite(Pair(), Field(CHAIN, encode_chain(admitted))).error is None
    assert void_invite(Pair(), Field(CHAIN, b"")).error is ErrorCode.ENTRY_INVALID
    assert void_invite(Pair()).error is ErrorCode.MALFORMED


@pytest.mark.parametrize("is_of_members", [True, False])
@pytest.mark.parametrize("chain", [(), (admit(BOB, MEMBERS.identifier, BOB.public),), (admit(ALICE, bytes(32), BOB.public),)])
def test_an_invitation_with_a_chain_that_is_not_valid(chain, is_of_members):
    """R8.2-8: before the app is asked anything."""
    pair = member_invites(chain, is_of_members=is_of_members)
    assert pair.responder.error is ErrorCode.ENTRY_INVALID and not pair.responder.of(events.InvitationReceived)


@pytest.mark.parametrize("parameters, merges", [((), True), ((Field(4, b"\x08"),), True), ((Field(31, b""),), False)])
def test_crossing_invitations_to_sessions_with_rules(parameters, merges):
    """R8.6-3: equal parameters, all of them known."""
    pair = Pair().pump()
    pair.responder.answers.pop(events.InvitationReceived)
    for side in pair.sides:
        side.link.invite(InviteRequest(parameters=parameters), 0)
    pair.pump()
    assert bool(pair.responder.of(events.InvitationReceived)) is not merges
    assert bool(pair.responder.of(events.Opened)) is merges


def test_crossing_invitations_with_other_rules():
    pair = Pair().pump()
    pair.responder.answers.pop(events.InvitationReceived)
    pair.initiator.link.invite(InviteRequest(), 0)
    pair.responder.link.invite(InviteRequest(parameters=(Field(2, b"\x01"),)), 0)
    pair.pump()
    assert pair.responder.of(events.InvitationReceived) and not pair.responder.of(events.Opened)
