"""Values that are drawn each time. A script gives the random bytes, so vectors cannot show them."""

from __future__ import annotations

import os

import pytest

from multipeer_reference import events
from multipeer_reference.hello import DRAFT_04, GREASE, InitiatorHello, greased
from multipeer_reference.link import Link
from multipeer_reference.onetimecode import OneTimeCode
from multipeer_reference.proofs import Role

from .helpers import Pair, config, seeded
from .verifying import compare, show, sides_of, step_from, strings, verifying


def test_grease():
    assert GREASE[0] == 0x0A0A and GREASE[-1] == 0xFAFA and len(set(GREASE)) == 16
    random, places, values = seeded("grease"), set(), set()
    for _ in range(300):
        result = greased((1, 2), random)
        extra = [value for value in result if value in GREASE]
        assert len(extra) == 1 and [v for v in result if v not in GREASE] == [1, 2]
        places.add(result.index(extra[0]))
        values.add(extra[0])
    assert places == {0, 1, 2} and values == set(GREASE)


@pytest.mark.parametrize("grease", [True, False])
def test_grease_is_offered(grease):
    """R7.4-1, R1-1."""
    link = Link(config(grease=grease), Role.INITIATOR, 0, seeded("g"))
    offer = InitiatorHello.decode(link.take_output()[11:])
    assert set(offer.versions) - set(GREASE) == {DRAFT_04}  # R1-1
    assert [len(offer.versions), len(offer.suites), len(offer.extensions)] == ([2, 3, 1] if grease else [1, 2, 0])


def test_sessions():
    """R4.3-1."""
    sessions = {Pair(seed=str(seed)).open().initiator.one(events.Opened).session for seed in range(3)}
    assert len(sessions) == 3


def test_nonces_of_short_strings():
    """R25.3-1: two links have two strings, and each nonce is used once."""
    seen = set()
    for seed in ("one", "two"):
        pair = compare(verifying(seed=seed))
        seen |= {strings(pair)[0], pair.initiator.link.comparing._nonce, pair.responder.link.comparing._nonce}
    assert len(seen) == 6


@pytest.mark.parametrize("typist", ["initiator", "responder"])
def test_secrets_of_codes(typist):
    """R25.5-1: each peer draws its y for this attempt, and for no other."""
    pair = verifying()
    one, other = sides_of(pair, typist)
    code = show(pair, other)
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


def test_codes():
    """R25.4-2."""
    codes = {OneTimeCode.draw(7, os.urandom) for _ in range(32)}
    assert len(codes) > 30 and all(OneTimeCode.typed(code.normal_form.encode()) == code for code in codes)
