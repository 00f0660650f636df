"""SPEC §8.6: invitations that cross on one link, to sessions that no step of a script can found."""

import pytest

from multipeer_reference import events
from multipeer_reference.charter import Charter
from multipeer_reference.errors import ErrorCode
from multipeer_reference.invitation import Decline, DeclineReason, own_invite_stands
from multipeer_reference.session.admissions import admit
from multipeer_reference.session.departures import Departure, End, departure_of
from multipeer_reference.vectors import stateless

from .helpers import ALICE, BOB, CHARTER, Pair

#: Of sessions that Alice, and Bob, has founded.
LOW, HIGH = (
    {key: choose((Charter(key.public, bytes([n]) * 32) for n in range(20)), key=lambda charter: charter.identifier) for key in (ALICE, BOB)}
    for choose in (min, max)
)


def crossed(alices: Charter, bobs: Charter, is_new: bool = True) -> Pair:
    """Both have invited, and both apps accept what they are asked about."""
    pair = Pair().pump()
    pair.invite(pair.initiator, charter=alices, is_new=is_new)
    pair.invite(pair.responder, charter=bobs, is_new=is_new)
    return pair.pump()


@pytest.mark.parametrize("alices, bobs, winner", [(LOW, HIGH, "alice"), (HIGH, LOW, "bob")])
def test_the_lesser_session_wins(alices, bobs, winner):
    """R8.6-1, R8.6-4: whichever key is lesser; only the app of the void INVITE is asked, and its own counts as no answer."""
    pair = crossed(alices[ALICE], bobs[BOB])
    asked, silent = pair.sides[::-1] if winner == "alice" else pair.sides
    session = (alices[ALICE] if winner == "alice" else bobs[BOB]).identifier
    assert asked.one(events.InvitationReceived).session == session and not silent.of(events.InvitationReceived)
    assert {side.one(events.Opened).session for side in pair.sides} == {session}


def test_an_invite_that_is_void_is_judged():
    """R8.6-1: up to its chain (R8.2-8)."""
    pair = Pair().pump()
    pair.invite(pair.initiator, charter=LOW[ALICE], is_new=True)
    pair.invite(pair.responder, charter=HIGH[ALICE], chain=(admit(BOB, HIGH[ALICE].identifier, BOB.public),))
    pair.pump()
    assert pair.initiator.error is ErrorCode.ENTRY_INVALID


def test_nothing_is_accepted_without_an_answer():
    """R8.2-10: both have founded sessions with equal parameters."""
    pair = Pair().pump()
    for side, key in zip(pair.sides, (ALICE, BOB)):
        side.answers.pop(events.InvitationReceived)
        pair.invite(side, charter=LOW[key], is_new=True)
    pair.pump()
    assert sum(len(side.of(events.InvitationReceived)) for side in pair.sides) == 1
    assert not any(side.of(events.InvitationAnswered) for side in pair.sides)


def test_for_one_session_the_lesser_key_wins():
    """SPEC §8.6."""
    pair = crossed(CHARTER, CHARTER, is_new=False)
    assert pair.responder.of(events.InvitationReceived) and not pair.initiator.of(events.InvitationReceived)
    assert all(side.of(events.Opened) for side in pair.sides)


@pytest.mark.parametrize("one, other, stands", [
    ((b"\x02", b"\x01"), (b"\x01", b"\x02"), True), ((b"\x01", b"\x02"), (b"\x02", b"\x01"), False),
    ((b"\x01", b"\x05"), (b"\x02", b"\x05"), True), ((b"\x02", b"\x05"), (b"\x01", b"\x05"), False),
    ((b"\x01", b"\x7f\xff"), (b"\x01", b"\x80\x00"), True), ((b"\x01", b"\x01\xff"), (b"\x01", b"\x02\x00"), True),
])
def test_comparison(one, other, stands):
    """SPEC §4.3: unsigned, first byte first; the key decides for one session alone."""
    assert own_invite_stands(*one, *other) is stands and own_invite_stands(*other, *one) is not stands
    inputs = dict(zip(("one", "oneSession", "other", "otherSession"), (value.hex() for value in (*one, *other))))
    answer = stateless.test("CrossingInvitations", {}, inputs)
    assert answer.expected == {"stands": (one if stands else other)[0].hex()}


def test_reason_5_is_unknown():
    """R8.4-1: *declined*, whatever its detail; so the departure is *refused* (R14.9-2)."""
    for payload in ("050000", "0502aabb00"):
        decline = Decline.decode(bytes.fromhex(payload))
        assert decline.meaning is DeclineReason.DECLINED
        assert departure_of(End(decline=decline.meaning), False, False) is Departure.REFUSED
