"""Two honest links under random schedules of SPEC §25: nobody breaks a rule, and nobody is verified by mistake.

A failure names its seed; MULTIPEER_SEED=n runs that one alone.
"""

from __future__ import annotations

import os
import random

import pytest

from multipeer_reference import events
from multipeer_reference.config import InviteRequest
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.verification import Means

from .helpers import ALICE, BOB, FULL, Pair, Side, config
from .verifying import codes_of, shared, step_from, verified

BLOCKS, EACH = (40, 500) if FULL else (4, 150)
#: What an honest peer may find: a wrong code, one that is gone, a deadline.
HONEST = {None, ErrorCode.CODE_WRONG, ErrorCode.CODE_UNAVAILABLE, ErrorCode.HANDSHAKE_TIMEOUT, ErrorCode.INVITATION_TIMEOUT}


def act(pair: Pair, side: Side, chance: random.Random) -> str:
    """One request of a peer's person or app. An impossible one changes nothing."""
    link, now = side.link, pair.now
    other = pair.responder if side is pair.initiator else pair.initiator
    shown = codes_of(other).shown(now)
    right = shown.normal_form if shown else "4-tulip-orbit"
    wrong = f"{right.split('-')[0]}-tulip-tulip"
    acts = {
        "show": lambda: codes_of(side).show(now), "give": lambda: link.give_code(right.encode(), now),
        "give wrong": lambda: link.give_code(chance.choice((wrong, "4-tulip-orbit")).encode(), now),
        "compare": lambda: link.compare(now), "confirm": lambda: link.confirm_string(now),
        "invite": lambda: link.invite(InviteRequest(timeout=chance.choice((1_000, 30_000))), now),
        "cancel": lambda: link.cancel_invitation(now), "hide": lambda: codes_of(side).hide(),
        "close": lambda: link.close(now, chance.choice((ErrorCode.NO_ERROR, ErrorCode.STRINGS_DIFFER))),
    }
    weights = (5, 8, 2, 5, 4, 3, 1, 0.3, 0.2)
    name = chance.choices(list(acts), weights)[0]
    try:
        acts[name]()
    except MisuseError:
        return name + " in vain"
    return name


def run(seed: int) -> set[str]:
    """What happened, so that the test can tell whether all of it did."""
    chance = random.Random(seed)
    keys = (ALICE, BOB) if seed % 2 else (BOB, ALICE)
    pair = Pair(config(keys[0], **shared("i")), config(keys[1], **shared("r")), f"random {seed}")
    seen: set[str] = set()
    for _ in range(chance.choice((20, 60))):
        side = chance.choice(pair.sides)
        if chance.random() < 0.4:
            seen.add(act(pair, side, chance))
        elif chance.random() < 0.05:
            pair.now += chance.choice((100, 900, 5_000))
            for one in pair.sides:
                one.link.timeout(pair.now)
        else:
            step_from(pair, side)
        seen |= {one.link.state.name for one in pair.sides} | {one.link.pairing.stage.name for one in pair.sides}
    pair.pump()
    check(pair, seen)
    return seen


def check(pair: Pair, seen: set[str]) -> None:
    for side in pair.sides:
        assert side.error in HONEST, side.events
    strings = [side.of(events.StringReady) for side in pair.sides]
    assert strings[0] == strings[1] or [] in strings, "two strings"
    for side, other in (pair.sides, pair.sides[::-1]):
        for key, means in verified(side):
            assert key == other.link.core.config.identity.public
            seen.add(f"verified by {means}")
        by_code = any(means is Means.CODE for _, means in verified(side))
        assert not by_code or (side.error is not ErrorCode.CODE_WRONG and other.of(events.CodeBurned))
        assert len(side.of(events.CodeBurned)) <= 1
        seen |= {f"ended by {event.outcome}" for event in side.of(events.Closed)}
        seen |= {type(event).__name__ for event in side.events}
        if side.link.is_closed:
            assert not codes_of(side)._typing


@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_schedules(block):
    """R25.6-3, R25.7-1, R25.7-2, R25.6-6."""
    alone = os.environ.get("MULTIPEER_SEED")
    seen: set[str] = set()
    for seed in [int(alone)] if alone else range(block * EACH, block * EACH + EACH):
        try:
            seen |= run(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
    wanted = {
        "verified by one-time-code", "verified by short-string", "ended by code_wrong", "ended by code_unavailable", "Opened",
        "PAIRING", "TYPED", "CONFIRMED", "ANSWERED",
    }
    assert alone or wanted <= seen, wanted - seen
