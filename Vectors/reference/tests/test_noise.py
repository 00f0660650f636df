"""SPEC §9.1–9.4, §12: Noise NN against known answers, record protection and rekey."""

import pytest

from multipeer_reference import noise
from multipeer_reference.aead import RESERVED_COUNTER
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.hello import SUITE_AESGCM, SUITE_CHACHAPOLY, SUITES
from multipeer_reference.noise import CipherState
from multipeer_reference.protection import seal, unseal
from multipeer_reference.records import RecordHeader, RecordKind

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


@pytest.mark.parametrize("suite", SUITES)
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


@pytest.mark.parametrize("point", [bytes(32), b"\x01" + bytes(31), (2**255 - 19).to_bytes(32, "little")])
def test_zero_shared_secret(point):
    """R9.4-1."""
    with pytest.raises(ProtocolError) as caught:
        noise.diffie_hellman(b"\x05" * 32, point)
    assert caught.value.code is ErrorCode.HANDSHAKE_FAILED


def states(suite, n=0):
    return CipherState(suite, b"k" * 32, n), CipherState(suite, b"k" * 32, n)


def parts(record):
    return RecordHeader(RecordKind(record[0]), int.from_bytes(record[1:3], "big")), record[3:]


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("kind", [RecordKind.ENCRYPTED, RecordKind.AUTHENTICATED])
def test_every_flipped_bit_of_a_record(suite, kind):
    """§12.2, §12.3, R12.4-1: nothing is released, and the genuine record still opens."""
    sender, receiver = states(suite)
    plaintext = b"frames of a record"
    record = seal(sender, kind, plaintext)
    assert (plaintext in record) == (kind is RecordKind.AUTHENTICATED)
    header, body = parts(record)
    for index in range(len(body) * 8):
        changed = bytearray(body)
        changed[index // 8] ^= 1 << index % 8
        with pytest.raises(ProtocolError) as caught:
            unseal(receiver, header, bytes(changed))
        assert caught.value.code is ErrorCode.DECRYPT_FAILED and receiver.n == 0
    other = RecordKind.AUTHENTICATED if kind is RecordKind.ENCRYPTED else RecordKind.ENCRYPTED
    with pytest.raises(ProtocolError):
        unseal(receiver, RecordHeader(other, header.length), body)
    with pytest.raises(ProtocolError):
        unseal(receiver, RecordHeader(kind, header.length - 1), body[:-1])
    assert unseal(receiver, header, body) == plaintext and receiver.n == 1
    with pytest.raises(ProtocolError):
        unseal(receiver, header, body)  # replayed


@pytest.mark.parametrize("suite", SUITES)
def test_rekey_at_65536(suite):
    """R12.5-1, all records up to the second rekey's start, of both kinds."""
    sender, receiver = states(suite)
    keys = []
    for n in range(65_538):
        kind = RecordKind.ENCRYPTED if n % 3 else RecordKind.AUTHENTICATED
        assert sender.n == receiver.n == n
        keys.append(sender.k)
        assert unseal(receiver, *parts(seal(sender, kind, b"\x01\x00"))) == b"\x01\x00"
    assert set(keys[:65_536]) == {b"k" * 32}
    assert len(set(keys[65_536:])) == 1 and keys[65_536] != keys[0]
    probe = CipherState(suite, b"k" * 32, 0)
    probe.rekey()
    assert probe.k == sender.k == receiver.k


@pytest.mark.parametrize("suite", SUITES)
def test_later_rekeys_and_the_last_counter(suite):
    sender, receiver = states(suite, 5 * 65_536 - 1)
    record = seal(sender, RecordKind.ENCRYPTED, b"\x01\x00")
    before = receiver.k
    with pytest.raises(ProtocolError):
        unseal(receiver, parts(record)[0], bytes(18))
    assert receiver.k == before  # a record that fails rekeys nothing
    unseal(receiver, *parts(record))
    assert receiver.k == sender.k != before
    sender.n = RESERVED_COUNTER
    with pytest.raises(ProtocolError):
        sender.encrypt(b"", b"")
