"""SPEC §9.1–9.4: Noise NN against the known answers of another implementation."""

import pytest

from multipeer_reference import noise
from multipeer_reference.hello import SUITE_AESGCM, SUITE_CHACHAPOLY

# Computed once with another implementation of Noise, "noiseprotocol" 0.3.1 of PyPI: ephemerals 32 × 01 and 32 × 02,
# prologue "prologue of this test"; then the initiator's "one" and "two", the responder's "one", and, after REKEY of
# the initiator's direction, "three".
KNOWN = {
    SUITE_CHACHAPOLY: (
        "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d599cae59d7772e927c8ec9718b92a71981",
        "fdf064abe75f5c36042c5498ade89b8af99a1b4f2260c9934cecf702af559097",
        "58b1edc69f12e424f1e236cc3b9d1de88976a4", "c92239e98046c76cafe03da93014b59e7c6886",
        "145c01b0a5123210ce92cfc2909843bab48a7e", "76143a8c204541895dfc853e60d27fdb485a146555",
    ),
    SUITE_AESGCM: (
        "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59562864de23f205c1d9a8b147937483ad",
        "0cdc3f5edb7911e3637a2eae5000012fbc3857c997ece4c1779f457b4c83ff00",
        "77e7f7f3df0366ed0da82d79e3dd9dd2ef5543", "aa29fbeabe0253cc9b90d80361700e572791be",
        "fdc30e1c327f5fa184723ae31e1bd34369ddba", "26de0f1509b7970395ac60c8993ad842755160b20d",
    ),
}


@pytest.mark.parametrize("suite", KNOWN)
def test_known_answers(suite):
    message_2, h, one, two, answer, three = KNOWN[suite]
    prologue, mine, yours = b"prologue of this test", b"\x01" * 32, b"\x02" * 32
    responder, confirmation = noise.respond(suite, prologue, noise.public_key(mine), yours)
    assert (noise.public_key(yours) + confirmation).hex() == message_2
    initiator = noise.conclude(suite, prologue, mine, noise.public_key(yours), confirmation)
    assert initiator.h == responder.h == bytes.fromhex(h)
    assert initiator.trace == responder.trace
    assert [entry[0] for entry in initiator.trace] == [
        "name", "prologue", "1:e", "1:payload", "2:e", "2:ee", "2:payload"
    ]
    first, second, exporter_key = initiator.split()
    assert exporter_key == responder.split()[2] and exporter_key not in (first.k, second.k)
    assert first.encrypt(b"", b"one").hex() == one
    assert first.encrypt(b"", b"two").hex() == two
    assert second.encrypt(b"", b"one").hex() == answer
    first.rekey()
    assert first.n == 2 and first.encrypt(b"", b"three").hex() == three
