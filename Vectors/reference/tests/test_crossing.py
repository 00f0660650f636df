"""SPEC §8.6: invitations that cross, to sessions with rules, which no step of a script can found."""

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.fields import Field

from .helpers import Pair


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
