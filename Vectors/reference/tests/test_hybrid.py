"""SPEC §7.6: links with a hybrid suite whose ciphertext the library makes. Scripts give the ciphertext."""

from __future__ import annotations

import pytest

from multipeer_reference import events
from multipeer_reference.config import Config
from multipeer_reference.hello import HYBRID_SUITES, SUITE_CHACHAPOLY, SUITES, InitiatorHello, ResponderHello

from .helpers import ALICE, BOB, Pair, config


def hellos(pair: Pair) -> tuple[InitiatorHello, ResponderHello]:
    offer, answer = (bytes(wire[11 : 11 + int.from_bytes(wire[9:11], "big")]) for wire in pair.sent.values())
    return InitiatorHello.decode(offer), ResponderHello.decode(answer)


def opened_alike(suite: int, initiator: Config, responder: Config) -> Pair:
    pair = Pair(initiator, responder).open()
    one, other = (side.one(events.Secured) for side in pair.sides)
    assert one == other and one.suite == suite
    return pair


@pytest.mark.parametrize("suite", HYBRID_SUITES)
def test_links(suite):
    """R9.7-1: each link has a ciphertext of its own, even where the seeds of this test give the same keys."""
    pairs = [opened_alike(suite, config(ALICE, suites=(suite,)), config(BOB, suites=SUITES)) for _ in range(2)]
    offers, answers = zip(*map(hellos, pairs))
    assert offers[0] == offers[1] and answers[0].ephemeral == answers[1].ephemeral
    assert answers[0].ciphertext != answers[1].ciphertext
    assert len({pair.initiator.one(events.Secured).handshake_hash for pair in pairs}) == 2


def test_encapsulation_keys():
    """R9.7-1."""
    pairs = [Pair(config(ALICE, suites=SUITES), seed=str(seed)).open() for seed in range(3)]
    assert len({hellos(pair)[0].encapsulation_key for pair in pairs}) == 3


def test_preference():
    """What a config has by itself: a hybrid suite is first, and gives way where the other peer has none."""
    mine, yours = (Config(identity=key, display_name="peer") for key in (ALICE, BOB))
    opened_alike(HYBRID_SUITES[0], mine, yours)
    opened_alike(SUITE_CHACHAPOLY, mine, config(BOB))
    opened_alike(SUITE_CHACHAPOLY, config(ALICE), yours)
