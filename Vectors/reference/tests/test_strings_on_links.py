"""SPEC §25.3, §25.6: short strings on links."""

import pytest

from multipeer_reference import events, shortstring
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.frames import Frame
from multipeer_reference.comparing import Stage
from multipeer_reference.verification import Bytes, Means

from .helpers import ALICE, BOB, GREATEST, LEAST, Pair
from .test_states_of_verification import STATES, reach
from .verifying import (
    FRAMES, STRINGS, Relay, T, again_of, frame, inject, sent_by, shared, show, sides_of, step_from, verified, verifying,
)

UNEXPECTED = ErrorCode.UNEXPECTED_FRAME
ROLES = pytest.mark.parametrize("role", ["initiator", "responder"])
FIRST = pytest.mark.parametrize("first", ["initiator", "responder", "both"])


def compare(pair: Pair, first: str = "both") -> Pair:
    """Both persons want to, one after the other, or at once."""
    begins = [pair.sides] if first == "both" else [[side] for side in sides_of(pair, first)]
    for sides in begins:
        for side in sides:
            side.link.compare(pair.now)
        pair.pump()
    return pair


def strings(pair: Pair) -> list:
    return [(event.digits, event.words) for side in pair.sides for event in side.of(events.StringReady)]


# One exchange

@FIRST
@pytest.mark.parametrize("keys", [(ALICE, BOB), (BOB, ALICE)], ids=["lesser initiates", "greater initiates"])
def test_equal_strings(first, keys):
    """R25.3-3: on both sides, whoever wants to first. A key is verified for whoever confirms, and for nobody else."""
    pair = verifying(*keys)
    types = [sent_by(side) for side in pair.sides]
    compare(pair, first)
    one, other = strings(pair)
    assert one == other and len(one[0]) == 6 and len(one[1]) == 3
    asks = [T.STRING_ASK] if first != "initiator" else []
    assert types == [[T.STRING_COMMIT, T.STRING_REVEAL], [*asks, T.STRING_NONCE]]
    assert all(side.link.comparing.stage is Stage.DONE and side.link.state is State.IDENTIFIED for side in pair.sides)
    wanted = [len(side.of(events.StringWanted)) for side in pair.sides]
    assert wanted == {"initiator": [0, 1], "responder": [1, 0], "both": [0, 0]}[first]
    pair.initiator.link.confirm_string(0)
    pair.pump()
    assert verified(pair.initiator) == [(keys[1].public, Means.STRING)] and not verified(pair.responder)
    pair.open()


def test_new_nonces():
    """R25.3-1: two links have two strings, and each nonce is used once."""
    seen = set()
    for seed in ("one", "two"):
        pair = compare(verifying(seed=seed))
        seen |= {strings(pair)[0], pair.initiator.link.comparing._nonce, pair.responder.link.comparing._nonce}
    assert len(seen) == 6


@ROLES
@pytest.mark.parametrize("stage", [stage for stage in STATES if stage != "closing"])
def test_in_every_state(stage, role):
    """SPEC §25.6: they change no state of §17, delay nothing and have no deadline."""
    pair, one, other = reach(stage, role)
    state, deadline = one.link.state, one.link.core.state_deadline
    one.link.compare(0)
    if one is pair.initiator:
        inject(pair, other, frame(T.STRING_ASK), frame(T.STRING_NONCE))
    else:
        link = shortstring.Link.of(one.link.core.exporter_secret, *one.link.core.identity_keys)
        commitment = Frame(T.STRING_COMMIT, Bytes(link.commitment(b"r" * 32)).encode())
        inject(pair, other, commitment, frame(T.STRING_REVEAL))
    assert one.one(events.StringReady) and one.error is None
    assert (one.link.state, one.link.core.state_deadline) == (state, deadline)
    one.link.confirm_string(0)
    assert (other.link.core.config.identity.public, Means.STRING) in verified(one)


@ROLES
@pytest.mark.parametrize("stage", ["proof", "closing", "closed"])
def test_where_nobody_compares(stage, role):
    """SPEC §25.6."""
    pair = Pair() if stage == "proof" else verifying()
    side, _ = sides_of(pair, role)
    if stage != "proof":
        side.link.close(0)
    if stage == "closed":
        pair.pump()
    types = sent_by(side)
    with pytest.raises(MisuseError):
        side.link.compare(0)
    assert types == []


@ROLES
def test_while_the_link_drains(role):
    """SPEC §25.6: also then; and what comes of it can be confirmed until CLOSE goes."""
    pair = verifying().open()
    one, other = sides_of(pair, role)
    one.link.send_message(bytes(300_000), 0)  # more than there is credit for
    one.link.close(0)
    assert one.link.state is State.OPEN
    one.link.compare(0)
    if one is pair.initiator:
        inject(pair, other, frame(T.STRING_NONCE))
    else:
        link = shortstring.Link.of(one.link.core.exporter_secret, *one.link.core.identity_keys)
        commitment = Frame(T.STRING_COMMIT, Bytes(link.commitment(b"r" * 32)).encode())
        inject(pair, other, commitment, frame(T.STRING_REVEAL))
    assert one.link.state is State.OPEN
    one.link.confirm_string(0)
    assert verified(one)


# The table of §25.6

def at_stage(role: str, *acts: object) -> tuple:
    """`acts` are "want", or frames that the other side sends; what this side sends does not arrive."""
    pair = verifying()
    one, other = sides_of(pair, role)
    for act in acts:
        if act == "want":
            one.link.compare(0)
        else:
            link = shortstring.Link.of(one.link.core.exporter_secret, *one.link.core.identity_keys)
            commitment = Frame(T.STRING_COMMIT, Bytes(link.commitment(b"r" * 32)).encode())
            inject(pair, other, commitment if act is T.STRING_COMMIT else frame(act))
    return pair, one, other


ASK, COMMIT, NONCE, REVEAL = STRINGS
#: Side, how it got there, and what the table lists there, with the next stage.
TABLE = [
    ("initiator", (), {ASK: Stage.IDLE}), ("initiator", (ASK,), {}),
    ("initiator", ("want",), {ASK: Stage.COMMITTED, NONCE: Stage.DONE}), ("initiator", (ASK, "want"), {NONCE: Stage.DONE}),
    ("initiator", ("want", ASK), {NONCE: Stage.DONE}), ("initiator", ("want", NONCE), {}),
    ("responder", (), {COMMIT: Stage.COMMITTED}), ("responder", ("want",), {COMMIT: Stage.ANSWERED}),
    ("responder", (COMMIT,), {}),
    ("responder", (COMMIT, "want"), {REVEAL: Stage.DONE}), ("responder", ("want", COMMIT), {REVEAL: Stage.DONE}),
    ("responder", ("want", COMMIT, REVEAL), {}),
]


@pytest.mark.parametrize("type_", STRINGS, ids=lambda type_: type_.name)
@pytest.mark.parametrize("side, acts, listed", TABLE)
def test_string_frames_at_every_stage(side, acts, listed, type_):
    """R25.6-3."""
    pair, one, other = at_stage(side, *acts)
    inject(pair, other, frame(type_))
    assert one.error is (None if type_ in listed else UNEXPECTED)
    if type_ in listed:
        assert one.link.comparing.stage is listed[type_]
        for content in (FRAMES[type_][:-1], FRAMES[type_] + b"\x00", FRAMES[type_][:-1] + b"\x01\x03"):
            pair, one, other = at_stage(side, *acts)
            inject(pair, other, Frame(type_, content))
            assert one.error is ErrorCode.MALFORMED


@pytest.mark.parametrize("side, acts, sends", [
    ("initiator", (ASK,), []), ("responder", (COMMIT,), []), ("initiator", (ASK, "want"), [COMMIT]),
    ("responder", (COMMIT, "want"), [NONCE]), ("responder", ("want",), [ASK]), ("responder", ("want", COMMIT), [ASK, NONCE]),
    ("initiator", ("want", NONCE), [COMMIT, REVEAL]),
])
def test_wishes(side, acts, sends):
    """R25.6-4, R25.6-5: nothing goes without the wish of one's own person, and with it at once."""
    pair = verifying()
    one, other = sides_of(pair, side)
    types = sent_by(one)
    for act in acts:
        if act == "want":
            one.link.compare(0)
        else:
            inject(pair, other, frame(act))
    assert types == sends
    assert bool(one.of(events.StringReady)) == (acts == ("want", NONCE))
    assert one.of(events.StringWanted) == ([events.StringWanted()] if acts[0] != "want" else [])


@ROLES
def test_one_wish_on_a_link(role):
    """SPEC §25.3: a link has at most one exchange."""
    pair = verifying()
    one, _ = sides_of(pair, role)
    one.link.compare(0)
    with pytest.raises(MisuseError):
        one.link.compare(0)
    compare(verifying())


@ROLES
def test_no_string_before_both_nonces(role):
    """R25.6-5; there is no way to confirm what is not on the screen, nor to confirm twice, nor when the link is gone."""
    pair = verifying()
    one, other = sides_of(pair, role)
    for side in (one, other):
        with pytest.raises(MisuseError):
            side.link.confirm_string(0)
    one.link.compare(0)
    with pytest.raises(MisuseError):
        one.link.confirm_string(0)
    pair.pump()
    other.link.compare(0)
    pair.pump()
    one.link.confirm_string(0)
    with pytest.raises(MisuseError):
        one.link.confirm_string(0)
    other.link.close(0)
    with pytest.raises(MisuseError):
        other.link.confirm_string(0)


# What is wrong

def test_another_nonce_than_committed_to():
    """R25.3-2: and no string is shown."""
    for nonce in (b"s" * 32, b"r" * 31 + b"s", bytes(32)):
        pair, one, other = at_stage("responder", "want", COMMIT)
        types = sent_by(one)
        inject(pair, other, Frame(REVEAL, Bytes(nonce).encode()))
        assert one.error is ErrorCode.COMMITMENT_INVALID and not one.of(events.StringReady) and types == [T.CLOSE]


def test_the_initiator_of_another_nonce_is_told():
    """R25.3-2, from its side."""
    pair = verifying()
    pair.initiator.link.compare(0)
    pair.initiator.link.comparing._nonce = bytes(32)
    pair.responder.link.compare(0)
    pair.pump()
    assert pair.initiator.one(events.Closed).outcome == "commitment_invalid" and not verified(pair.responder)


@ROLES
@pytest.mark.parametrize("is_open", [True, False])
def test_strings_differ(role, is_open):
    """SPEC §25.3: a person says so."""
    pair = verifying()
    if is_open:
        pair.open()
    compare(pair)
    one, other = sides_of(pair, role)
    one.link.close(0, ErrorCode.STRINGS_DIFFER)
    pair.pump()
    assert other.one(events.Closed).outcome == "strings_differ" and other.one(events.Closed).peer_code == 0x2A
    assert one.one(events.Closed).outcome == ("no_error" if is_open else "declined")
    assert not verified(one) and not verified(other)


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
    assert relay.bob.error is UNEXPECTED and not relay.alice.of(events.StringReady)


def test_somebody_in_between():
    """SPEC §25.8: honest exchanges on both links give two different strings."""
    near, far = compare(verifying(ALICE, LEAST, seed="near")), compare(verifying(LEAST, BOB, seed="far"))
    assert strings(near)[0] == strings(near)[1] != strings(far)[0] == strings(far)[1]


# Ten in an hour

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


def process(mine: dict, role: str, seed: str) -> Pair:
    """A link of one process in this role, with somebody new each time."""
    return verifying(mine=mine, seed=seed) if role == "initiator" else verifying(yours=mine, seed=seed)
