"""SPEC §8.2–8.7, §11, §17: invitations, crossing ones, and the 3 × 3 of preferences."""

import pytest

from multipeer_reference import events
from multipeer_reference.charter import Charter
from multipeer_reference.config import AcceptInvitation, DeclineInvitation, InviteRequest, Verdict
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import Accept, Cancel, DeclineReason, Invite, own_invite_stands
from multipeer_reference.policy import TABLE, Outcome, Preference, outcome

from .helpers import ALICE, BOB, CHARTER, GREATER, LESSER, Pair, config

SESSION = CHARTER.identifier


def silent(pair, side):
    """The app of this side does not answer by itself."""
    side.answers = {}
    return pair


def test_table():
    """§11, written another way than in policy.py."""
    for inviter in Preference:
        for invitee in Preference:
            both = {inviter, invitee}
            if both == {Preference.NONE, Preference.REQUIRED}:
                expected = None
            elif Preference.NONE in both:
                expected = Outcome.READABLE
            else:
                expected = Outcome.ENCRYPTED
            assert outcome(inviter, invitee) is expected
    assert len(TABLE) == 9


@pytest.mark.parametrize("inviter", Preference)
@pytest.mark.parametrize("invitee", Preference)
@pytest.mark.parametrize("responder_invites", [False, True])
def test_preferences_end_to_end(inviter, invitee, responder_invites):
    mine, yours = (invitee, inviter) if responder_invites else (inviter, invitee)
    pair = Pair(config(ALICE, preference=mine), config(BOB, preference=yours))
    host, guest = pair.sides[::-1] if responder_invites else pair.sides
    pair.invite(host, charter=CHARTER)
    pair.pump()
    result = outcome(inviter, invitee)
    if result is None:
        declined = host.one(events.InvitationDeclined)
        assert (declined.reason, declined.detail) == (3, bytes([invitee]))
        assert all(side.one(events.Closed).peer_code == 0 and side.error is None for side in pair.sides)
        return
    assert all(side.one(events.Opened) == events.Opened(SESSION, CHARTER.encode(), result) for side in pair.sides)
    for side in pair.sides:
        side.link.send_message(b"a readable or unreadable message", pair.now)
    pair.pump()
    for wire, side in ((pair.sent[True], pair.responder), (pair.sent[False], pair.initiator)):
        assert side.one(events.MessageReceived).data == b"a readable or unreadable message"
        assert (b"unreadable message" in wire) == (result is Outcome.READABLE)


def test_context_and_timeout_arrive():
    pair = Pair()
    pair.invite(charter=CHARTER, context=bytes(16_384), timeout=600_000)
    pair.pump()
    received = pair.responder.one(events.InvitationReceived)
    assert (received.session, received.context, received.timeout) == (SESSION, bytes(16_384), 600_000)


def test_random_session():
    sessions = {Pair(seed=str(seed)).open().initiator.one(events.Opened).session for seed in range(3)}
    assert len(sessions) == 3


def test_initiators_invitation_goes_with_its_proof():
    """§17: an initiator that expects a certain peer may invite in *info*; one flight."""
    pair = Pair(config(ALICE, expected_peer=BOB.public))
    pair.invite()
    pair.step(True), pair.step(False), pair.step(True)
    assert pair.initiator.link.state is State.INFO
    assert pair.responder.of(events.InvitationReceived)


def test_an_initiator_without_expectation_invites_whom_it_knows():
    """R8.2-6."""
    pair = Pair()
    pair.invite()
    pair.step(True), pair.step(False), pair.step(True)
    assert pair.responder.link.state is State.IDENTIFIED and not pair.responder.of(events.InvitationReceived)
    pair.step(False)
    assert pair.initiator.link.state is State.INVITING and pair.initiator.of(events.Identified)


@pytest.mark.parametrize("founder, code", [(ALICE, None), (BOB, ErrorCode.MALFORMED)])
def test_founder_of_a_new_session(founder, code):
    """R8.2-5."""
    pair = Pair().pump()
    invite = Invite(Charter(founder.public, bytes(32)), 1, 2, 0, 1_000)
    pair.initiator.inject(Frame(FrameType.INVITE, invite.encode()))
    silent(pair, pair.responder)
    pair.pump()
    assert pair.responder.error is code


@pytest.mark.parametrize("reason", [DeclineReason.DECLINED, DeclineReason.BUSY, DeclineReason.SUPERSEDED])
def test_decline(reason):
    pair = Pair()
    pair.responder.answers[events.InvitationReceived] = lambda event: DeclineInvitation(reason)
    pair.invite()
    pair.pump()
    assert pair.initiator.one(events.InvitationDeclined) == events.InvitationDeclined(reason, b"", False)
    assert all(side.one(events.Closed) == events.Closed("declined", None, "", 0) for side in pair.sides)


def test_cancel():
    pair = Pair()
    silent(pair, pair.responder)
    pair.invite()
    pair.pump()
    assert pair.responder.link.state is State.INVITED
    token = pair.responder.one(events.InvitationReceived).token
    pair.initiator.link.close(pair.now)
    pair.pump()
    assert pair.responder.one(events.InvitationCancelled) == events.InvitationCancelled(1, False)
    assert all(side.one(events.Closed).peer_code == 0 and side.error is None for side in pair.sides)
    assert not pair.responder.link.resolve(token, AcceptInvitation(), pair.now)


def test_cancel_crosses_accept():
    """§8.5: neither side calls that an error."""
    pair = Pair()
    silent(pair, pair.responder)
    pair.invite()
    pair.pump()
    token = pair.responder.one(events.InvitationReceived).token
    pair.initiator.link.close(pair.now)
    pair.responder.link.resolve(token, AcceptInvitation(), pair.now)
    pair.pump()
    assert pair.responder.of(events.InvitationCancelled)
    assert all(side.one(events.Closed).peer_code == 0 and side.error is None for side in pair.sides)
    assert not any(side.of(events.Opened) for side in pair.sides)


def test_cancel_after_certificates_is_no_race():
    pair = Pair()
    pair.responder.answers.pop(events.CertificatesReceived)
    pair.invite()
    pair.pump()
    pair.initiator.inject(Frame(FrameType.CANCEL, Cancel(1).encode()))
    pair.pump()
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME


def test_invitation_times_out_at_both():
    """§8.2: CANCEL of reason 2 from the inviter, DECLINE of reason 4 from the invitee; they cross."""
    pair = Pair()
    silent(pair, pair.responder)
    pair.invite(timeout=2_000)
    pair.pump()
    pair.advance(1_999)
    assert pair.initiator.link.state is State.INVITING
    pair.advance(1)
    assert pair.initiator.one(events.InvitationCancelled) == events.InvitationCancelled(2, True)
    assert pair.responder.one(events.InvitationDeclined) == events.InvitationDeclined(4, b"", True)
    assert all(side.one(events.Closed).peer_code == 0 and side.error is None for side in pair.sides)


def test_invitation_deadline_while_in_info():
    """§8.2: until PEER_INFO comes the handshake deadline holds; then `timeout`, counted from the sending."""
    pair = Pair(config(ALICE, expected_peer=BOB.public))
    silent(pair, pair.responder)
    pair.invite(timeout=5)
    pair.step(True), pair.step(False)
    assert pair.initiator.link.state is State.INFO and pair.initiator.link.deadline == 10_000
    pair.now = 5
    pair.pump()
    assert pair.initiator.one(events.InvitationCancelled).reason == 2
    assert all(side.one(events.Closed).outcome == "timed_out" for side in pair.sides)


def test_nobody_invites():
    pair = Pair().pump()
    pair.advance(60_000)
    assert {side.error for side in pair.sides} == {ErrorCode.INVITATION_TIMEOUT}


@pytest.mark.parametrize("lesser_initiates", [True, False])
@pytest.mark.parametrize("refused", [True, False])
def test_crossing(lesser_initiates, refused):
    """R8.6-1: the lesser key's INVITE stands, and no app is asked."""
    keys = (LESSER, GREATER) if lesser_initiates else (GREATER, LESSER)
    preferences = (Preference.NONE, Preference.REQUIRED if refused else Preference.OPTIONAL)
    pair = Pair(*(config(key, preference=preference) for key, preference in zip(keys, preferences))).pump()
    winner, loser = pair.sides if lesser_initiates else pair.sides[::-1]
    pair.invite(winner, context=b"winner")
    pair.invite(loser, context=b"loser")
    pair.pump()
    assert not any(side.of(events.InvitationReceived) for side in pair.sides)
    if refused:
        assert winner.one(events.InvitationDeclined).reason == 3 and loser.one(events.InvitationDeclined).by_us
        return
    charter = Charter.decode(winner.one(events.Opened).charter)
    assert charter.founder == LESSER.public
    assert all(side.one(events.Opened).session == charter.identifier for side in pair.sides)
    assert loser.one(events.InvitationAnswered).crossing_context == b"winner"
    assert winner.one(events.InvitationAnswered).crossing_context is None


@pytest.mark.parametrize("canceller_wins", [True, False])
def test_crossing_with_cancel(canceller_wins):
    """A CANCEL that was sent before the crossing INVITE came: no error on either side."""
    pair = Pair(config(LESSER), config(GREATER)).pump()
    canceller, other = pair.sides if canceller_wins else pair.sides[::-1]
    pair.invite(canceller)
    pair.invite(other)
    canceller.link.close(pair.now)
    pair.pump()
    assert other.of(events.InvitationCancelled)
    assert all(side.one(events.Closed).peer_code == 0 and side.error is None for side in pair.sides)


@pytest.mark.parametrize("own, others", [(False, True), (True, False), (True, True)])
@pytest.mark.parametrize("agrees", [True, False])
def test_crossing_with_an_existing_session(own, others, agrees):
    """R8.6-4: the app is asked unless both sessions are new."""
    pair = Pair(config(LESSER), config(GREATER)).pump()
    loser = pair.responder
    if not agrees:
        loser.answers[events.InvitationReceived] = lambda event: DeclineInvitation()
    pair.invite(pair.initiator, charter=CHARTER if others else None)
    pair.invite(loser, charter=CHARTER if own else None)
    pair.pump()
    assert loser.of(events.InvitationReceived) and not pair.initiator.of(events.InvitationReceived)
    assert bool(loser.of(events.Opened)) == bool(pair.initiator.of(events.Opened)) == agrees


@pytest.mark.parametrize("where", ["fields", "parameters"])
def test_crossing_with_an_unknown_field(where):
    """R8.6-3: a field that the peer does not know may matter, so its app is asked."""
    pair = Pair(config(LESSER), config(GREATER)).pump()
    odd = (Field(1, b"x"),)
    charter = Charter(LESSER.public, bytes(32), odd if where == "parameters" else ())
    invite = Invite(charter, 1, 2, 0, 1_000, b"", odd if where == "fields" else ())
    pair.invite(pair.responder)
    pair.responder.link.take_output()
    pair.initiator.inject(Frame(FrameType.INVITE, invite.encode()))
    pair.step(True)
    assert pair.responder.of(events.InvitationReceived) and pair.responder.error is None


def test_stands():
    assert own_invite_stands(b"\x00" * 32, b"\x80" + bytes(31)) and not own_invite_stands(b"\x80", b"\x7f")


INVITE = Frame(FrameType.INVITE, Invite(CHARTER, 0, 2, 0, 1_000, b"", (Field(2, b""),)).encode())  # by its founder


def test_second_invite():
    """R8.2-3, R8.6-2: in *invited*, after a void one, and in *open*."""
    pair = Pair()
    silent(pair, pair.responder)
    pair.invite()
    pair.pump()
    pair.initiator.inject(INVITE)
    pair.pump()
    assert pair.responder.error is ErrorCode.UNEXPECTED_FRAME

    crossing = Pair(config(LESSER), config(GREATER)).pump()
    crossing.invite(crossing.initiator)
    crossing.initiator.link.take_output()
    founded = Invite(Charter(GREATER.public, bytes(32)), 1, 2, 0, 1_000)
    crossing.responder.inject(*[Frame(FrameType.INVITE, founded.encode())] * 2)
    crossing.pump()
    assert crossing.initiator.error is ErrorCode.UNEXPECTED_FRAME

    opened = Pair().open()
    opened.initiator.inject(INVITE)
    opened.pump()
    assert opened.responder.error is ErrorCode.UNEXPECTED_FRAME


def accept_with(frame_or_accept, **changes):
    """The initiator invites, the responder answers with what the test says."""
    pair = Pair(config(ALICE, **changes))
    silent(pair, pair.responder)
    pair.invite()
    pair.pump()
    frame = frame_or_accept
    if isinstance(frame, Accept):
        frame = Frame(FrameType.ACCEPT, frame.encode())
    pair.responder.inject(frame)
    pair.pump()
    return pair.initiator


@pytest.mark.parametrize("preference, accept, code", [
    (Preference.OPTIONAL, Accept(1, 0, 0), ErrorCode.POLICY_VIOLATION),
    (Preference.OPTIONAL, Accept(0, 0, 1), ErrorCode.POLICY_VIOLATION),
    (Preference.REQUIRED, Accept(0, 0, 0), ErrorCode.POLICY_VIOLATION),
    (Preference.REQUIRED, Accept(0, 0, 1), ErrorCode.POLICY_VIOLATION),
    (Preference.NONE, Accept(2, 0, 1), ErrorCode.POLICY_VIOLATION),
    (Preference.REQUIRED, Accept(3, 0, 1), ErrorCode.MALFORMED),
    (Preference.REQUIRED, Accept(2, 7, 1), ErrorCode.UNSUPPORTED),
    (Preference.REQUIRED, Accept(2, 0, 2), ErrorCode.MALFORMED),
])
def test_wrong_accepts(preference, accept, code):
    """R8.3-1, R8.3-2."""
    assert accept_with(accept, preference=preference).error is code


@pytest.mark.parametrize("frame", [
    Frame(FrameType.DECLINE, b"\x03\x00\x00"), Frame(FrameType.DECLINE, b"\x03\x01\x03\x00"),
    Frame(FrameType.DECLINE, b"\x01\x01\x00\x00"), Frame(FrameType.DECLINE, b"\x01\x00"),
])
def test_malformed_declines(frame):
    assert accept_with(frame).error is ErrorCode.MALFORMED


def test_unknown_decline_reason():
    """R8.4-1."""
    initiator = accept_with(Frame(FrameType.DECLINE, b"\x63\x02hi\x00"))
    assert initiator.one(events.InvitationDeclined).reason == 1 and initiator.error is None


def test_answer_without_question():
    pair = Pair().pump()
    for frame in (Frame(FrameType.ACCEPT, b"\x02\x00\x01\x00"), Frame(FrameType.DECLINE, b"\x01\x00\x00")):
        fresh = Pair().pump()
        fresh.responder.inject(frame)
        fresh.pump()
        assert fresh.initiator.error is ErrorCode.UNEXPECTED_FRAME


def test_late_and_second_answers_change_nothing():
    pair = Pair()
    silent(pair, pair.responder)
    pair.invite(timeout=1_000)
    pair.pump()
    token = pair.responder.one(events.InvitationReceived).token
    assert not pair.responder.link.resolve(token, AcceptInvitation(), 1_000)  # at the deadline is late
    assert not pair.responder.link.resolve(token, AcceptInvitation(), 1_001)
    assert not pair.responder.link.resolve(99, AcceptInvitation(), 1_001)


def test_misuse():
    pair = Pair().open()
    with pytest.raises(MisuseError):
        pair.initiator.link.invite(InviteRequest(), pair.now)
    fresh = Pair()
    fresh.invite()
    with pytest.raises(MisuseError):
        fresh.invite()
    with pytest.raises(MisuseError):
        fresh.initiator.link.send_message(b"early", 0)
    silent(fresh, fresh.responder)
    fresh.pump()
    token = fresh.responder.one(events.InvitationReceived).token
    with pytest.raises(MisuseError):
        fresh.responder.link.resolve(token, Verdict(ErrorCode.NO_ERROR), 0)
    assert fresh.responder.link.resolve(token, AcceptInvitation(), 0)  # the question still stood
