"""SPEC §25 over several links of a process, and with an attacker between two peers. A script has one link."""

import pytest

from multipeer_reference import events
from multipeer_reference.codes import ATTEMPT
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError

from .helpers import GREATEST, LEAST, Pair
from .verifying import (
    Relay, T, begin, codes_of, compare, frame, inject, sent_by, shared, sides_of, step_from, verified, verifying,
)

ROLES = pytest.mark.parametrize("role", ["initiator", "responder"])


def test_attempts_and_one_guess_over_all_links():
    """R25.6-6, R25.5-5: of one process; a second attempt may win, and then the first is late."""
    mine, pairs = shared("presenter"), []
    code = mine["codes"].show(0)
    text = code.normal_form.encode()
    for seed in ("one", "two", "three"):
        pairs.append(verifying(yours=mine, seed=seed))
    first, second, third = pairs
    first.initiator.link.give_code(text, 0)
    step_from(first, first.initiator)
    second.initiator.link.give_code(text, 0)
    assert mine["codes"].shown(0) == code
    second.pump()
    assert verified(second.responder) and mine["codes"].shown(0) is None
    first.pump()
    assert not verified(first.responder) and first.responder.error is ErrorCode.CODE_UNAVAILABLE
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


def process(mine: dict, role: str, seed: str) -> Pair:
    """A link of one process in this role, with a new peer each time."""
    return verifying(mine=mine, seed=seed) if role == "initiator" else verifying(yours=mine, seed=seed)


@ROLES
def test_ten_unconfirmed_exchanges_an_hour(role):
    """SPEC §25.3: those of all peers together; a confirmation is not counted, and an hour later there are more."""
    mine = shared("process")
    for number in range(12):
        pair = compare(process(mine, role, str(number)))
        if number < 2:
            sides_of(pair, role)[0].link.confirm_string(0)
    eleventh = process(mine, role, "eleventh")
    one, other = sides_of(eleventh, role)
    types = sent_by(one)
    with pytest.raises(MisuseError):
        one.link.compare(0)
    assert types == [] and one.link.state is State.IDENTIFIED
    with pytest.raises(MisuseError):
        mine["comparisons"].begin(3_599_999)
    mine["comparisons"].begin(3_600_000)


@ROLES
@pytest.mark.parametrize("mallory_is_lesser", [False, True])
def test_a_relayed_code(role, mallory_is_lesser):
    """SPEC §25.8: both confirmations are wrong, and the code is burned by both peers (R25.5-5, R25.5-6)."""
    relay = Relay(role == "initiator", LEAST if mallory_is_lesser else GREATEST)
    code = codes_of(relay.bob).show(0)
    relay.alice.link.give_code(code.normal_form.encode(), 0)
    relay.pump()
    assert relay.bob.error is ErrorCode.CODE_WRONG and not verified(relay.bob) and not verified(relay.alice)
    assert codes_of(relay.bob).shown(0) is None and relay.alice.of(events.CodeBurned)


def test_relayed_frames():
    """SPEC §25.8: passed on as they are, the commitment is of another link (R25.3-2)."""
    relay = Relay(True, GREATEST)
    relay.alice.link.compare(0)
    relay.bob.link.compare(0)
    relay.pump()
    assert relay.bob.error is ErrorCode.COMMITMENT_INVALID and not relay.bob.of(events.StringReady)
    assert relay.alice.one(events.Closed).outcome == "commitment_invalid"


def test_frames_relayed_between_responders():
    """R25.6-3: nobody commits; a peer that only relays has nothing to say to either."""
    relay = Relay(False, GREATEST)
    relay.alice.link.compare(0)
    relay.pump()
    assert relay.bob.error is ErrorCode.UNEXPECTED_FRAME and not relay.alice.of(events.StringReady)
