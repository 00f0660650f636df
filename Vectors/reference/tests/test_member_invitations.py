"""SPEC §8.2, §8.6, §14.8: invitations between members, and crossing ones to sessions with rules."""

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.errors import ErrorCode
from multipeer_reference.fields import Field
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.admissions import admit

from .helpers import ALICE, BOB, CHARTER, Pair, config

MEMBERS = CHARTER  # founded by Alice


def member_invites(chain, by=BOB):
    """The responder invites the initiator, as one member does another."""
    pair = Pair(config(by), config(ALICE) if by is BOB else config(BOB))
    pair.pump()
    pair.initiator.link.invite(InviteRequest(charter=MEMBERS, chain=chain), 0)
    pair.pump()
    return pair


def test_an_invitation_between_members():
    """R8.2-7, R14.8-2, R14.8-3: the app sees of what kind it is, and judges; no ADMIT follows (R14.5-1)."""
    admitted = (admit(ALICE, MEMBERS.identifier, BOB.public),)
    pair = member_invites(admitted)
    assert pair.responder.one(events.InvitationReceived).session_kind == SessionKind.MEMBERS
    assert all(side.of(events.Opened) and side.error is None for side in pair.sides)
    assert all(side.of(events.CertificatesReceived) for side in pair.sides)
    assert not pair.initiator.of(events.Admitted) and not pair.responder.of(events.Admitted)
    member_invites((), ALICE)


@pytest.mark.parametrize("chain", [(), (admit(BOB, MEMBERS.identifier, BOB.public),), (admit(ALICE, bytes(32), BOB.public),)])
def test_an_invitation_with_a_chain_that_is_not_valid(chain):
    """R14.8-2: before the app is asked anything."""
    pair = member_invites(chain)
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
