"""SPEC §25.6, §25.7: every frame in every state and stage; who knows the frames; what crosses."""

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.frames import Frame
from multipeer_reference.invitation import Cancel, CancelReason
from multipeer_reference.pairing import Stage
from multipeer_reference.policy import Preference
from multipeer_reference.protection import seal
from multipeer_reference.records import RecordKind
from multipeer_reference.verification import Begin

from .helpers import ALICE, BOB, Pair, config
from .verifying import (
    CODES, FRAMES, OTHERS, SHARE, STRINGS, T, again_of, begin, codes_of, frame, inject, invitation, sent_by, show, sides_of,
    step_from, verified, verifying,
)

UNEXPECTED, UNSUPPORTED, WRONG = ErrorCode.UNEXPECTED_FRAME, ErrorCode.UNSUPPORTED, ErrorCode.CODE_WRONG
UNAVAILABLE, MALFORMED = ErrorCode.CODE_UNAVAILABLE, ErrorCode.MALFORMED
ROLES = pytest.mark.parametrize("role", ["initiator", "responder"])
KEYS = pytest.mark.parametrize("keys", [(ALICE, BOB), (BOB, ALICE)], ids=["lesser initiates", "greater initiates"])


# Where a code is legal

def reach(stage: str, role: str, keys=(ALICE, BOB)):
    """A link of this role in this state, in which nothing of the other side is under way."""
    pair = verifying(*keys)
    one, other = sides_of(pair, role)
    for side in pair.sides:
        side.answers = {}
    match stage:
        case "typed" | "confirmed":
            one.link.give_code(show(pair, other), 0)
        case "answered":
            other.link.give_code(show(pair, one), 0)
            step_from(pair, other)
        case "over":
            one.link.give_code(show(pair, other), 0)
            pair.pump()
        case "inviting":
            pair.invite(one)
        case "invited":
            inject(pair, other, invitation(other.link.core.config.identity.public))
        case "open":
            for side in pair.sides:
                side.answers = type(side)(side.link).answers
            pair.open(one)
        case "certificates":
            other.answers = type(other)(other.link).answers
            del other.answers[events.CertificatesReceived]
            pair.invite(one)
            pair.pump()
        case "closing":
            one.link.close(0)
    if stage == "confirmed":
        step_from(pair, one)
        step_from(pair, other)
    return pair, one, other


STATES = {
    "identified": State.IDENTIFIED, "typed": State.PAIRING, "confirmed": State.PAIRING, "answered": State.PAIRING,
    "over": State.IDENTIFIED, "inviting": State.INVITING, "invited": State.INVITED, "certificates": State.CERTIFICATES,
    "open": State.OPEN, "closing": State.CLOSING,
}
#: What the tables of §25.7 list; everything else is unexpected.
LISTED = {
    ("identified", T.CODE_BEGIN): UNAVAILABLE, ("inviting", T.CODE_BEGIN): UNAVAILABLE, ("typed", T.CODE_ANSWER): None,
    ("confirmed", T.CODE_CONFIRM): WRONG, ("answered", T.CODE_CONFIRM): WRONG,
    **{("closing", type_): None for type_ in CODES},
}


@ROLES
@pytest.mark.parametrize("type_", CODES, ids=lambda type_: type_.name)
@pytest.mark.parametrize("stage", STATES)
def test_code_frames_in_every_state(stage, type_, role):
    """R25.7-1, R25.6-7."""
    for keys in ((ALICE, BOB), (BOB, ALICE)):
        pair, one, other = reach(stage, role, keys)
        assert one.link.state is STATES[stage]
        expected = LISTED.get((stage, type_), UNEXPECTED)
        if (stage, type_) == ("typed", T.CODE_BEGIN):
            expected = None if one.link.core.is_lesser else UNAVAILABLE
        inject(pair, other, frame(type_))
        assert one.error is expected
        assert one.link.core.fault_in_frame == (expected not in (None, UNAVAILABLE))


@ROLES
@pytest.mark.parametrize("stage", [stage for stage in STATES if stage != "identified"])
def test_codes_that_are_given_elsewhere(stage, role):
    """R25.7-1, R25.6-7: a code goes in *identified*, once, and behind no INVITE. It is not burned, nor under way."""
    pair, one, other = reach(stage, role)
    types = sent_by(one)
    with pytest.raises(MisuseError):
        one.link.give_code(b"7-tulip-orbit", 0)
    assert types == [] and one.link.state is STATES[stage]
    verifying(mine=again_of(one)).initiator.link.give_code(b"7-tulip-orbit", 0)


@ROLES
@pytest.mark.parametrize("stage", ["typed", "confirmed", "answered"])
@pytest.mark.parametrize("other_frame", OTHERS, ids=lambda frame: frame.name)
def test_other_frames_in_pairing(stage, other_frame, role):
    """R25.7-1."""
    pair, one, other = reach(stage, role)
    inject(pair, other, other_frame)
    assert one.error is UNEXPECTED and not verified(one)


@ROLES
@pytest.mark.parametrize("stage", ["typed", "confirmed", "answered"])
def test_what_every_state_allows(stage, role):
    """§17: ignorable frames, PADDING and CLOSE."""
    pair, one, other = reach(stage, role)
    inject(pair, other, Frame(T.PADDING, b"x"), Frame(0x71), Frame(0x3FFF, b"y"))
    assert one.error is None and one.link.state is State.PAIRING
    inject(pair, other, Frame(0x6E))
    assert one.error is UNSUPPORTED
    pair, one, other = reach(stage, role)
    other.link.close(0, ErrorCode.SHUTTING_DOWN)
    step_from(pair, other)
    assert one.one(events.Closed).outcome == "shutting_down"


@ROLES
@pytest.mark.parametrize("code, peer_code", [(ErrorCode.NO_ERROR, 0), (ErrorCode.INTERNAL, 0x22)])
@pytest.mark.parametrize("stage", ["typed", "confirmed", "answered"])
def test_app_closes_in_pairing(stage, code, peer_code, role):
    """SPEC §25.7: as in *identified*."""
    pair, one, other = reach(stage, role)
    one.link.close(0, code)
    pair.pump()
    assert one.one(events.Closed).outcome == "declined" and other.one(events.Closed).peer_code == peer_code


@ROLES
@pytest.mark.parametrize("stage, type_", [
    ("identified", T.CODE_BEGIN), ("inviting", T.CODE_BEGIN), ("typed", T.CODE_BEGIN), ("typed", T.CODE_ANSWER),
    ("confirmed", T.CODE_CONFIRM), ("answered", T.CODE_CONFIRM),
])
def test_code_frames_that_do_not_decode(stage, type_, role):
    """R25.6-1, R25.7-2: where they are legal, ignored or refused otherwise. Only a confirmation burns something."""
    payload = FRAMES[type_]
    bad = [payload[:-1], payload[:31], b"", payload + b"\x00", payload[:-1] + b"\x01\x03", payload[:-1] + b"\x40\x00"]
    if type_ is T.CODE_BEGIN:
        bad += [Begin(SHARE, 0).encode(), Begin(SHARE, 1000).encode()]
    for content in bad:
        pair, one, other = reach(stage, role)
        burned = len(one.of(events.CodeBurned))
        inject(pair, other, Frame(type_, content))
        assert one.error is MALFORMED, content
        # The presenter does not even look whether a confirmation decodes (R25.5-5).
        is_guess = (stage, type_) == ("answered", T.CODE_CONFIRM)
        assert len(one.of(events.CodeBurned)) == burned + is_guess
    pair, one, other = reach(stage, role)
    inject(pair, other, Frame(type_, payload[:-1] + b"\x02\x02\x00"))
    assert one.error is UNSUPPORTED  # a field of even type


# Who knows the frames

def features(initiator: tuple, responder: tuple) -> Pair:
    return Pair(config(ALICE, features=initiator), config(BOB, features=responder)).pump()


@ROLES
@pytest.mark.parametrize("type_", FRAMES, ids=lambda type_: type_.name)
@pytest.mark.parametrize("own, others, code", [
    ((1,), (), UNEXPECTED), ((), (1,), UNSUPPORTED), ((), (), UNSUPPORTED), ((2,), (2,), UNSUPPORTED), ((1, 5), (5,), UNEXPECTED),
])
def test_peers_without_the_feature(own, others, code, type_, role):
    """R25.6-2, R6.4-2."""
    mine, yours = (own, others) if role == "initiator" else (others, own)
    pair = features(mine, yours)
    one, other = sides_of(pair, role)
    inject(pair, other, frame(type_))
    assert one.error is code
    pair = features(mine, yours).open()
    one, other = sides_of(pair, role)
    inject(pair, other, frame(type_))
    assert one.error is code


@ROLES
@pytest.mark.parametrize("own, others", [((), (1,)), ((1,), ()), ((), ())])
def test_apps_without_the_feature(own, others, role):
    """R25.6-4, §25.7: nothing is sent to a peer that does not list it, nor by one that does not."""
    pair = features(*((own, others) if role == "initiator" else (others, own)))
    one, _ = sides_of(pair, role)
    types = sent_by(one)
    with pytest.raises(MisuseError):
        one.link.compare(0)
    with pytest.raises(MisuseError):
        one.link.give_code(b"4-tulip-orbit", 0)
    assert types == [] and one.link.state is State.IDENTIFIED
    assert one.one(events.Identified).features == others


@pytest.mark.parametrize("type_", FRAMES, ids=lambda type_: type_.name)
@pytest.mark.parametrize("listed", [True, False])
def test_before_the_peer_is_identified(type_, listed):
    """R6.4-3, R8.1-1: in *proof* every frame but PROOF; in *info*, what is not known is unsupported as ever."""
    changes = {"features": (1,)} if listed else {}
    pair = Pair(config(ALICE, **changes), config(BOB, **changes))
    pair.step(True)
    pair.step(False)
    pair.initiator.link.take_output()
    pair.initiator.link.core.channel.sending.n = 0
    inject(pair, pair.initiator, frame(type_))
    assert pair.responder.error is UNEXPECTED
    pair = Pair(config(ALICE, **changes), config(BOB, **changes))
    pair.step(True)
    pair.step(False)
    assert pair.initiator.link.state is State.INFO
    record = seal(pair.responder.link.core.channel.sending, RecordKind.ENCRYPTED, frame(type_).encode())
    pair.initiator.link.receive(record, 0)
    assert pair.initiator.error is (UNEXPECTED if listed else UNSUPPORTED)


@pytest.mark.parametrize("type_", FRAMES, ids=lambda type_: type_.name)
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("closing", [True, False])
def test_protection_class(type_, listed, closing):
    """§25.6: control frames, ENCRYPTED in every mode. To whoever does not know them they have no class."""
    changes = {"preference": Preference.NONE, "features": (1,) if listed else ()}
    pair = Pair(config(ALICE, **changes), config(BOB, **changes)).open()
    if closing:
        pair.initiator.link.close(0)
        pair.initiator.link.take_output()
    record = seal(pair.responder.link.core.channel.sending, RecordKind.AUTHENTICATED, frame(type_).encode())
    pair.initiator.link.receive(record, 0)
    unknown = None if closing else UNSUPPORTED
    assert pair.initiator.error is (ErrorCode.WRONG_PROTECTION if listed else unknown)


@pytest.mark.parametrize("type_", FRAMES, ids=lambda type_: type_.name)
def test_ignored_while_closing(type_):
    """§16.3: after our CLOSE, whatever they hold."""
    for is_open in (True, False):
        pair = verifying()
        if is_open:
            pair.open()
        pair.initiator.link.close(0)
        pair.initiator.link.take_output()
        inject(pair, pair.responder, Frame(type_, b"\xff"), frame(type_))
        assert pair.initiator.error is None and pair.initiator.link.state is State.CLOSING


# What crosses

@KEYS
@pytest.mark.parametrize("shown", [True, False])
def test_both_typed(keys, shown):
    """R25.7-2: the lesser key's stands. The other one burns nothing, and its owner may be given it again."""
    pair = verifying(*keys)
    lesser, greater = sorted(pair.sides, key=lambda side: not side.link.core.is_lesser)
    typed = show(pair, greater) if shown else b"4-tulip-orbit"
    void = show(pair, lesser)
    lesser.link.give_code(typed, 0)
    pair.now = 1_000
    greater.link.give_code(void, 1_000)
    step_from(pair, greater)
    assert lesser.link.pairing.stage is Stage.TYPED and lesser.link.deadline == 10_000
    pair.now = 3_000
    step_from(pair, lesser)
    assert codes_of(lesser).shown(0) is not None and not greater.of(events.CodeBurned)
    if shown:
        assert greater.link.pairing.stage is Stage.ANSWERED and greater.link.deadline == 13_000
        meanwhile = verifying(mine=again_of(greater))
        meanwhile.initiator.link.give_code(void, 0)
        meanwhile.initiator.link.close(0)
        pair.pump()
        assert verified(lesser) and verified(greater) and codes_of(lesser).shown(0) is not None
        assert lesser.link.state is greater.link.state is State.IDENTIFIED
    else:
        assert greater.error is UNAVAILABLE and lesser.one_drained(0, events.Identified)
        assert pair.pump() and lesser.one(events.Closed).outcome == "code_unavailable"
    again = verifying(mine=again_of(greater))
    again.initiator.link.give_code(void, 0)


@KEYS
def test_a_second_void_code(keys):
    """R25.6-7, R25.7-1: one crosses; a second one is out of order, and so is one behind CODE_ANSWER."""
    pair = verifying(*keys)
    lesser, greater = sorted(pair.sides, key=lambda side: not side.link.core.is_lesser)
    lesser.link.give_code(b"4-tulip-orbit", 0)
    inject(pair, greater, begin(4), begin(4))
    assert lesser.error is UNEXPECTED
    pair = verifying(*keys)
    lesser, greater = sorted(pair.sides, key=lambda side: not side.link.core.is_lesser)
    lesser.link.give_code(b"4-tulip-orbit", 0)
    inject(pair, greater, frame(T.CODE_ANSWER), begin(4))
    assert lesser.error is UNEXPECTED


@ROLES
@KEYS
def test_invite_crosses_a_code(role, keys):
    """SPEC §25.7: the inviter closes the link with `code_unavailable`, and nothing is burned."""
    pair = verifying(*keys)
    one, other = sides_of(pair, role)
    one.link.give_code(show(pair, other), 0)
    pair.invite(other)
    step_from(pair, other)
    assert one.error is None and one.link.state is State.PAIRING and not one.of(events.InvitationReceived)
    pair.pump()
    assert other.one(events.Closed).error is UNAVAILABLE and not other.link.core.fault_in_frame
    assert one.one(events.Closed).outcome == "code_unavailable"
    assert not one.of(events.CodeBurned) and codes_of(other).shown(0) is not None


@ROLES
def test_cancel_behind_an_invite_that_crossed(role):
    """Of an app that changed its mind before CODE_BEGIN came. Nobody is to blame."""
    pair = verifying()
    one, other = sides_of(pair, role)
    one.link.give_code(show(pair, other), 0)
    pair.invite(other)
    other.link.cancel_invitation(0)
    pair.pump()
    for side in pair.sides:
        assert side.one(events.Closed).outcome == "declined" and side.error is None
    assert not one.of(events.CodeBurned) and codes_of(other).shown(0) is not None


@ROLES
@pytest.mark.parametrize("behind", [*CODES, T.INVITE, T.CANCEL])
def test_behind_an_invite_that_crossed(behind, role):
    """R25.7-1: a code after INVITE, and a second INVITE; CANCEL ends the link (R8.6-1)."""
    pair, one, other = reach("typed", role)
    own = other.link.core.config.identity.public
    bad = Frame(T.INVITE, b"\x00")
    inject(pair, other, bad)
    assert one.error is MALFORMED  # ignored once decoded
    pair, one, other = reach("typed", role)
    inject(pair, other, invitation(own))
    assert one.error is None
    cancel = Frame(T.CANCEL, Cancel(CancelReason.CANCELLED).encode())
    inject(pair, other, {T.INVITE: invitation(own), T.CANCEL: cancel}.get(behind) or frame(behind))
    assert one.error is (None if behind is T.CANCEL else UNEXPECTED) and one.link.state is State.CLOSING


@ROLES
@pytest.mark.parametrize("stage", ["confirmed", "answered"])
def test_invite_where_none_can_cross(stage, role):
    """R25.7-1."""
    pair, one, other = reach(stage, role)
    inject(pair, other, invitation(other.link.core.config.identity.public))
    assert one.error is UNEXPECTED


@ROLES
def test_invitation_waits_for_a_code(role):
    """R17-1, §25.7: of either side, with its time counted from when it goes."""
    pair = verifying()
    typist, presenter = sides_of(pair, role)
    for inviter in (typist, presenter):
        pair = verifying()
        typist, presenter = sides_of(pair, role)
        side = typist if inviter is typist else presenter
        typist.link.give_code(show(pair, presenter), 0)
        if side is presenter:
            step_from(pair, typist)
        types = sent_by(side)
        side.link.invite(InviteRequest(timeout=5_000), 0)
        with pytest.raises(MisuseError):
            side.link.invite(InviteRequest(), 0)
        assert T.INVITE not in types
        pair.now = 7_000
        pair.pump()
        assert verified(side) and T.INVITE in types and all(side.of(events.Opened) for side in pair.sides)


@ROLES
def test_invitation_that_waits_is_taken_back(role):
    """R17-1: the link is closed, and nothing of the invitation is sent; nor behind `code_unavailable`."""
    pair, one, other = reach("typed", role)
    types = sent_by(one)
    one.link.invite(InviteRequest(), 0)
    one.link.cancel_invitation(0)
    assert types == [T.CLOSE] and one.link.state is State.CLOSING
    pair, one, other = reach("typed", role)
    codes_of(other).hide()
    types = sent_by(one)
    one.link.invite(InviteRequest(), 0)
    pair.pump()
    assert types == [T.CLOSE] and one.one(events.Closed).outcome == "code_unavailable"


def test_no_frames_of_an_open_link():
    """R12.6-5: they ask for no new key, however old the key is."""
    pair = verifying().open()
    pair.now = 600_000
    types = [sent_by(side) for side in pair.sides]
    for side in pair.sides:
        side.link.compare(pair.now)
    pair.pump()
    assert all(side.of(events.StringReady) for side in pair.sides) and T.REKEY not in types[0] + types[1]


@pytest.mark.parametrize("type_", [*STRINGS, *CODES], ids=lambda type_: type_.name)
def test_behind_rekey(type_):
    """R12.6-2, R12.6-5: no frame of §25 is one of an open link, and none stands behind REKEY."""
    pair = verifying().open()
    inject(pair, pair.responder, Frame(T.REKEY, b"\x00"))
    assert pair.initiator.error is None
    payload = Frame(T.REKEY, b"\x00").encode() + frame(type_).encode()
    record = seal(pair.responder.link.core.channel.sending, RecordKind.ENCRYPTED, payload)
    pair.initiator.link.receive(record, 0)
    assert pair.initiator.error is UNEXPECTED
