"""SPEC §25.4 to §25.7: one-time codes on links, and the state *pairing*."""

import pytest

from multipeer_reference import events, ristretto
from multipeer_reference.codes import ATTEMPT
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.frames import Frame
from multipeer_reference.onetimecode import BadCode, OneTimeCode
from multipeer_reference.pairing import Stage
from multipeer_reference.records import RecordKind
from multipeer_reference.verification import Bytes, Means

from .helpers import ALICE, BOB, GREATEST, LEAST
from .verifying import (
    Relay, T, again_of, begin, codes_of, frame, inject, sent_by, shared, show, sides_of, step_from, verified, verifying,
)

ROLES = pytest.mark.parametrize("typist", ["initiator", "responder"])
KEYS = pytest.mark.parametrize("keys", [(ALICE, BOB), (BOB, ALICE)], ids=["lesser initiates", "greater initiates"])


def meeting(typist: str = "initiator", keys=(ALICE, BOB)):
    """Both are identified; the presenter shows `code`."""
    pair = verifying(*keys)
    one, other = sides_of(pair, typist)
    return pair, one, other, show(pair, other)


def other_than(code: bytes) -> bytes:
    """A wrong one with the same number."""
    number, first, _ = code.split(b"-")
    return b"-".join((number, first, b"tulip" if not code.endswith(b"tulip") else b"orbit"))


# One attempt

@ROLES
@KEYS
def test_right_code(typist, keys):
    """R25.5-5, R25.5-6: both keys are verified, both sides have burned the code, and the session goes on as ever."""
    pair, one, other, code = meeting(typist, keys)
    types = sent_by(one), sent_by(other)
    one.link.give_code(code, 0)
    pair.pump()
    assert types == ([T.CODE_BEGIN, T.CODE_CONFIRM], [T.CODE_ANSWER, T.CODE_CONFIRM])
    for side, peer in ((one, other), (other, one)):
        assert verified(side) == [(peer.link.core.config.identity.public, Means.CODE)]
        assert side.one(events.CodeBurned).number == int(code.split(b"-")[0])
        assert side.link.state is State.IDENTIFIED and side.link.pairing.stage is Stage.OVER
    assert codes_of(other).shown(0) is None
    pair.open(one)


@ROLES
@KEYS
def test_wrong_code(typist, keys):
    """R25.5-5, R25.5-6: one guess, after which neither side has the code."""
    pair, one, other, code = meeting(typist, keys)
    wrong = other_than(code)
    one.link.give_code(wrong, 0)
    pair.pump()
    assert other.one(events.Closed).error is ErrorCode.CODE_WRONG
    assert one.one(events.Closed).outcome == "code_wrong" and one.error is None
    assert not verified(one) and not verified(other) and codes_of(other).shown(0) is None
    again = verifying(*keys, mine=again_of(pair.initiator), yours=again_of(pair.responder))
    with pytest.raises(MisuseError):
        sides_of(again, typist)[0].link.give_code(wrong, 0)
    sides_of(again, typist)[0].link.give_code(code, 0)
    again.pump()
    assert sides_of(again, typist)[1].error is ErrorCode.CODE_UNAVAILABLE


def test_somebody_guesses():
    """SPEC §25.5: the presenter's app is told when five codes have followed wrong confirmations, and another one shall."""
    mine = shared("presenter")
    for turn in range(7):
        code = mine["codes"].show(0).normal_form.encode()
        assert mine["codes"].is_suspicious(0) == (turn == 6)
        pair = verifying(yours=mine, seed=str(turn))
        pair.initiator.link.give_code(other_than(code), 0)
        assert pair.pump().responder.error is ErrorCode.CODE_WRONG


def test_burned_for_ten_minutes():
    """R25.5-6: and not a millisecond longer."""
    pair, one, other, code = meeting()
    one.link.give_code(code, 0)
    pair.pump()
    burned = OneTimeCode.typed(code)
    with pytest.raises(MisuseError):
        codes_of(one).give(burned, 599_999)
    codes_of(one).give(burned, 600_000)


@ROLES
def test_new_secrets(typist):
    """R25.5-1: each side draws its y for this attempt, and for no other."""
    pair, one, other, code = meeting(typist)
    drawn: list[bytes] = []
    for side in (one, other):
        random = side.link.core.random
        side.link.core.random = lambda count, random=random: drawn.append(random(count)) or drawn[-1]
    one.link.give_code(code, 0)
    step_from(pair, one)
    secrets = [side.link.pairing._side._y for side in (one, other)]
    assert secrets == [int.from_bytes(y, "little") & (1 << 252) - 1 for y in drawn] and len(set(drawn)) == 2
    pair.pump()
    assert len(drawn) == 2 and one.link.pairing._side is other.link.pairing._side is None


@ROLES
def test_burned_before_the_typist_confirms(typist):
    """R25.5-6: whatever becomes of CODE_CONFIRM; and not before CODE_ANSWER (R25.6-8)."""
    for answered in (False, True):
        pair, one, other, code = meeting(typist)
        one.link.give_code(code, 0)
        if answered:
            step_from(pair, one)
            step_from(pair, other)
            assert one.link.pairing.stage is Stage.CONFIRMED
        one.link.end_of_stream(0)
        assert bool(one.one_drained(0, events.Closed)) and bool(one.of(events.CodeBurned)) == answered
        again = verifying(mine=again_of(pair.initiator), yours=again_of(pair.responder))
        if answered:
            with pytest.raises(MisuseError):
                sides_of(again, typist)[0].link.give_code(code, 0)
        else:
            sides_of(again, typist)[0].link.give_code(code, 0)


@ROLES
def test_burned_before_the_presenter_looks(typist):
    """R25.5-5: by a confirmation that is wrong, and not by an attempt whose link ends before one came (R25.6-8)."""
    for confirms in (False, True):
        pair, one, other, code = meeting(typist)
        one.link.give_code(code, 0)
        step_from(pair, one)
        assert other.link.state is State.PAIRING and codes_of(other).shown(0) is not None
        if confirms:
            inject(pair, one, frame(T.CODE_CONFIRM))
            assert other.error is ErrorCode.CODE_WRONG and other.of(events.CodeBurned)
        else:
            other.link.end_of_stream(0)
        assert (codes_of(other).shown(0) is None) == confirms
        again = verifying(mine=again_of(pair.initiator), yours=again_of(pair.responder))
        inject(again, sides_of(again, typist)[0], begin(int(code.split(b"-")[0])))
        assert sides_of(again, typist)[1].link.state is (State.CLOSING if confirms else State.PAIRING)


@ROLES
def test_presenter_confirms_last(typist):
    """R25.5-4 on a link: a presenter that is sent a wrong confirmation sends none."""
    pair, one, other, code = meeting(typist)
    types = sent_by(other)
    one.link.give_code(code, 0)
    step_from(pair, one)
    inject(pair, one, frame(T.CODE_CONFIRM))
    assert types == [T.CODE_ANSWER, T.CLOSE]


@ROLES
def test_presenter_without_the_code(typist):
    """R25.5-3 on a link: it answers as it can, and the typist finds that out."""
    pair, one, other, code = meeting(typist)
    one.link.give_code(other_than(code), 0)
    step_from(pair, one)
    step_from(pair, other)
    inject(pair, other, frame(T.CODE_CONFIRM))
    assert one.error is ErrorCode.CODE_WRONG and one.of(events.CodeBurned) and not verified(one)


@ROLES
@pytest.mark.parametrize("share", (ristretto.IDENTITY, b"\xff" * 32, b"\x01" + bytes(31)))
def test_bad_shares_burn_nothing(typist, share):
    """R25.5-2 on a link."""
    pair, one, other, code = meeting(typist)
    number = int(code.split(b"-")[0])
    inject(pair, one, begin(number, share))
    assert other.error is ErrorCode.MALFORMED and codes_of(other).shown(0) is not None
    assert codes_of(other).begin(number, 0) is not None  # that attempt is over
    pair, one, other, code = meeting(typist)
    one.link.give_code(code, 0)
    inject(pair, other, Frame(T.CODE_ANSWER, Bytes(share).encode()))
    assert one.error is ErrorCode.MALFORMED and not one.of(events.CodeBurned)


@pytest.mark.parametrize("text", (b"", b"tulip-orbit", b"4-tulip-orbis", b"1000-tulip-orbit"))
def test_what_is_no_code_is_not_sent(text):
    """R25.4-1 on a link; the person may type again."""
    pair, one, other, code = meeting()
    types = sent_by(one)
    with pytest.raises(BadCode):
        one.link.give_code(text, 0)
    assert types == [] and one.link.state is State.IDENTIFIED
    one.link.give_code(b"  " + code.upper().replace(b"-", b" "), 0)
    assert verified(pair.pump().initiator)


# Availability

@ROLES
def test_no_such_code(typist):
    """R25.6-6: nothing is shown, or another number, or an old code. Nothing is burned."""
    for shows, number_is_right, age in ((False, True, 0), (True, False, 0), (True, True, 600_000)):
        pair = verifying()
        one, other = sides_of(pair, typist)
        code = codes_of(other).show(-age)
        if not shows:
            codes_of(other).hide()
        number = code.number if number_is_right else code.number % 999 + 1
        text = b"%d-tulip-orbit" % number
        one.link.give_code(text, 0)
        pair.pump()
        assert other.one(events.Closed).error is ErrorCode.CODE_UNAVAILABLE
        assert one.one(events.Closed).outcome == "code_unavailable" and not one.of(events.CodeBurned)
        assert (codes_of(other).shown(0) is not None) == (shows and number_is_right is False)
        assert not other.link.core.fault_in_frame
        again = verifying(mine=again_of(pair.initiator), yours=again_of(pair.responder))
        sides_of(again, typist)[0].link.give_code(text, 0)  # it is the typist's still


def test_code_lives_ten_minutes():
    """SPEC §25.4; an attempt that has begun before goes on."""
    for moment, is_there in ((599_999, True), (600_000, False)):
        pair, one, other, code = meeting()
        codes_of(other)._shown_until = 600_000 - moment
        one.link.give_code(code, 0)
        step_from(pair, one)
        assert (other.link.state is State.PAIRING) == is_there
        if is_there:
            pair.now += 9_000
            pair.pump()
            assert verified(one) and verified(other)


def test_one_attempt_over_all_links():
    """R25.6-6: of one process; the second is told so, and the first goes on."""
    mine, pairs = shared("presenter"), []
    code = mine["codes"].show(0)
    text = code.normal_form.encode()
    for seed in ("one", "two", "three"):
        pairs.append(verifying(yours=mine, seed=seed))
    first, second, third = pairs
    first.initiator.link.give_code(text, 0)
    step_from(first, first.initiator)
    second.initiator.link.give_code(text, 0)
    second.pump()
    assert second.responder.error is ErrorCode.CODE_UNAVAILABLE and mine["codes"].shown(0) == code
    first.pump()
    assert verified(first.responder) and mine["codes"].shown(0) is None
    inject(third, third.initiator, begin(code.number))
    assert third.responder.error is ErrorCode.CODE_UNAVAILABLE


@pytest.mark.parametrize("end", ["stream", "close", "fault", "time"])
def test_attempt_ends_with_its_link(end):
    """R25.6-6, R25.6-8: then the next one may have the code."""
    mine = shared("presenter")
    text = mine["codes"].show(0).normal_form.encode()
    first, second = (verifying(yours=mine, seed=seed) for seed in ("one", "two"))
    first.initiator.link.give_code(text, 0)
    step_from(first, first.initiator)
    if end == "stream":
        first.responder.link.end_of_stream(0)
    elif end == "close":
        first.responder.link.close(0)
    elif end == "fault":
        inject(first, first.initiator, frame(T.CODE_ANSWER))
    else:
        second.now = ATTEMPT  # no timer has fired on the first one (R18-2)
    second.initiator.link.give_code(text, second.now)
    assert verified(second.pump().responder)
    first.responder.link.timeout(ATTEMPT)
    assert first.responder.link.state in (State.CLOSING, State.CLOSED)


def test_one_guess_over_all_links():
    """R25.5-6: a code that is being tried is given to no other link; CODE_BEGIN alone burns nothing."""
    mine = shared("typist")
    first, second = (verifying(mine=mine, seed=seed) for seed in ("one", "two"))
    first.initiator.link.give_code(b"4-tulip-orbit", 0)
    with pytest.raises(MisuseError):
        second.initiator.link.give_code(b"4-tulip-orbit", 0)
    second.initiator.link.give_code(b"4-tulip-acorn", 0)
    first.initiator.link.close(0)
    third = verifying(mine=mine, seed="three")
    third.initiator.link.give_code(b"4-tulip-orbit", 0)


@ROLES
def test_one_attempt_of_a_link(typist):
    """R25.6-7: whoever begins again, and whatever came of the first one."""
    for again in (True, False):
        pair, one, other, code = meeting(typist)
        one.link.give_code(code, 0)
        pair.pump()
        sender, receiver = (one, other) if again else (other, one)
        with pytest.raises(MisuseError):
            sender.link.give_code(show(pair, receiver), 0)
        inject(pair, sender, begin(codes_of(receiver).show(0).number))
        assert receiver.error is ErrorCode.UNEXPECTED_FRAME and codes_of(receiver).shown(0) is not None


# Time

@ROLES
def test_ten_seconds(typist):
    """R25.6-8: of each side, from CODE_BEGIN; what comes at the last millisecond counts."""
    pair, one, other, code = meeting(typist)
    one.link.give_code(code, 0)
    assert one.link.deadline == ATTEMPT == 10_000
    pair.now = 500
    step_from(pair, one)
    assert other.link.deadline == 500 + ATTEMPT
    pair.now = ATTEMPT - 1
    pair.pump()
    assert verified(one) and verified(other)
    assert one.link.deadline == other.link.deadline == pair.now + 60_000  # the whole time of *identified*


@ROLES
@pytest.mark.parametrize("answered", [False, True])
def test_too_late(typist, answered):
    """R25.6-8."""
    pair, one, other, code = meeting(typist)
    one.link.give_code(code, 0)
    step_from(pair, one)
    if answered:
        step_from(pair, other)
    pair.now = ATTEMPT
    step_from(pair, one if answered else other)
    receiver = other if answered else one
    assert receiver.error is ErrorCode.HANDSHAKE_TIMEOUT and not verified(receiver)
    assert bool(one.of(events.CodeBurned)) == answered
    assert codes_of(other).shown(ATTEMPT) is not None
    pair.pump()
    assert pair.initiator.link.is_closed and pair.responder.link.is_closed


# Attackers

@ROLES
@pytest.mark.parametrize("mallory_is_lesser", [False, True])
def test_a_relayed_code(typist, mallory_is_lesser):
    """SPEC §25.8: both confirmations are wrong, and the code is burned on both sides (R25.5-5, R25.5-6)."""
    relay = Relay(typist == "initiator", LEAST if mallory_is_lesser else GREATEST)
    code = codes_of(relay.bob).show(0)
    relay.alice.link.give_code(code.normal_form.encode(), 0)
    relay.pump()
    assert relay.bob.error is ErrorCode.CODE_WRONG and not verified(relay.bob) and not verified(relay.alice)
    assert codes_of(relay.bob).shown(0) is None and relay.alice.of(events.CodeBurned)


@ROLES
def test_reflected_share_and_confirmation(typist):
    """SPEC §25.8: a typist that gets back what it sent."""
    pair, one, other, code = meeting(typist)
    sent: list[Frame] = []
    other.link._dispatch.handle = lambda kind, frame: sent.append(frame)
    one.link.give_code(code, 0)
    step_from(pair, one)
    share = next(frame.payload for frame in sent if frame.type == T.CODE_BEGIN)[:32]
    inject(pair, other, Frame(T.CODE_ANSWER, Bytes(share).encode()))
    step_from(pair, one)
    inject(pair, other, next(frame for frame in sent if frame.type == T.CODE_CONFIRM))
    assert one.error is ErrorCode.CODE_WRONG and not verified(one)


@ROLES
@KEYS
def test_reflected_beginning(typist, keys):
    """SPEC §25.8: CODE_BEGIN comes back. Where it stands it is answered, and its confirmation is wrong."""
    pair, one, other, _ = meeting(typist, keys)
    own = codes_of(one).show(0)
    sent: list[Frame] = []
    other.link._dispatch.handle = lambda kind, frame: sent.append(frame)
    one.link.give_code(own.normal_form.encode(), 0)
    step_from(pair, one)
    inject(pair, other, next(frame for frame in sent if frame.type == T.CODE_BEGIN))
    assert one.link.pairing.stage is (Stage.TYPED if one.link.core.is_lesser else Stage.ANSWERED)
    step_from(pair, one)
    if one.link.core.is_lesser:
        return
    answer = next(frame for frame in sent if frame.type == T.CODE_ANSWER)
    inject(pair, other, Frame(T.CODE_CONFIRM, answer.payload))
    assert one.error is ErrorCode.CODE_WRONG and codes_of(one).shown(0) is None


@ROLES
def test_padding(typist):
    """R6.5-1, SPEC §25.8: whoever listens does not see from lengths what is sent before the link is open."""
    pair, one, other, code = meeting(typist)
    before = {from_initiator: len(sent) for from_initiator, sent in pair.sent.items()}
    one.link.give_code(code, 0)
    for side in (one, other):
        side.link.compare(0)
    pair.pump()
    assert verified(one) and one.of(events.StringReady)
    for from_initiator, sent in pair.sent.items():
        offset = before[from_initiator]
        while offset < len(sent):
            length = 3 + int.from_bytes(sent[offset + 1 : offset + 3], "big")
            assert sent[offset] == RecordKind.ENCRYPTED and length == 1024
            offset += length
