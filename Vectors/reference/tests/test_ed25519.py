"""SPEC §9.5, §9.6: proofs, and what strict verification refuses."""

import hashlib

import pytest

from multipeer_reference.ed25519 import D, L, P, SigningKey, decompress, double, is_of_small_order, verify
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.proofs import LABEL, Proof, Role, check_proof, make_proof, signed_bytes

from .helpers import ALICE, BOB

#: Which seed is whose follows from the order of the keys.
ALICE_SEED, BOB_SEED = sorted((bytes([seed]) * 32 for seed in (1, 2)), key=lambda seed: SigningKey(seed).public)
MESSAGE = b"message"


def encode(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def small_points():
    """The eight points of small order, from [L]Q of points Q of the whole curve."""
    def add(a, b):
        product = D * a[0] * b[0] * a[1] * b[1] % P
        x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + product, -1, P) % P
        return x, (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P) % P

    found, y = set(), 2
    while len(found) < 8:
        point = decompress(y.to_bytes(32, "little"))
        y += 1
        if point is None:
            continue
        result = (0, 1)
        for bit in bin(L)[2:]:
            result = double(result)
            if bit == "1":
                result = add(result, point)
        found.add(result)
    return found


def test_small_order_points_are_refused():
    points = small_points()
    assert len(points) == 8 and all(is_of_small_order(point) for point in points)
    genuine = ALICE.sign(MESSAGE)
    for point in points:
        assert not verify(encode(point), genuine, MESSAGE)
        assert not verify(ALICE.public, encode(point) + genuine[32:], MESSAGE)
        # with S = 0 and R, A both small there are messages that a lax verifier takes
        for attempt in range(16):
            assert not verify(encode(point), encode(point) + bytes(32), bytes([attempt]))


def test_a_lax_verifier_would_take_small_order():
    """So the refusal above is ours, not the equation's: A = R = (0, 1), S = 0 fits every message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    neutral = encode((0, 1))
    Ed25519PublicKey.from_public_bytes(neutral).verify(neutral + bytes(32), MESSAGE)
    assert not verify(neutral, neutral + bytes(32), MESSAGE)


def test_encodings():
    assert decompress((P).to_bytes(32, "little")) is None  # y not reduced
    assert decompress((P + 1).to_bytes(32, "little")) is None
    assert decompress(((1 << 255) | 1).to_bytes(32, "little")) is None  # x = 0 with its sign set
    assert decompress((1).to_bytes(32, "little")) == (0, 1)
    assert encode(decompress(ALICE.public)) == ALICE.public


def test_scalar_range():
    signature = ALICE.sign(MESSAGE)
    assert verify(ALICE.public, signature, MESSAGE)
    s = int.from_bytes(signature[32:], "little")
    assert not verify(ALICE.public, signature[:32] + (s + L).to_bytes(32, "little"), MESSAGE)


def test_mixed_order_public_key_without_cofactor():
    """A = aB + T with T of order 8: the equation without cofactor fails unless 8 divides k."""
    torsion = next(p for p in small_points() if double(double(p)) != (0, 1))
    x1, y1 = decompress(ALICE.public)
    x2, y2 = torsion
    product = D * x1 * x2 * y1 * y2 % P
    mixed = encode((
        (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P,
    ))
    scalar = int.from_bytes(hashlib.sha512(ALICE_SEED).digest()[:32], "little")
    scalar = (scalar & ~7 & ((1 << 254) - 1)) | 1 << 254
    verdicts = set()
    for attempt in range(40):
        message = bytes([attempt])
        r = BOB  # any R whose discrete logarithm is known: BOB's public key
        r_scalar = int.from_bytes(hashlib.sha512(BOB_SEED).digest()[:32], "little")
        r_scalar = (r_scalar & ~7 & ((1 << 254) - 1)) | 1 << 254
        k = int.from_bytes(hashlib.sha512(r.public + mixed + message).digest(), "little") % L
        s = (r_scalar + k * scalar) % L
        # [S]B = R + kaB = R + k(A − T): fits without cofactor only if [k]T is neutral
        verdicts.add((verify(mixed, r.public + s.to_bytes(32, "little"), message), k % 8 == 0))
    assert verdicts == {(True, True), (False, False)}


def fails(code, proof, role=Role.INITIATOR, h=b"h" * 32, own=BOB.public, expected=None):
    with pytest.raises(ProtocolError) as caught:
        check_proof(proof, role, h, own, expected)
    assert caught.value.code is code


def test_proofs():
    """R9.5-2..4."""
    proof = make_proof(ALICE, Role.INITIATOR, b"h" * 32, BOB.public)
    front = b"h" * 32 + ALICE.public
    assert signed_bytes(Role.INITIATOR, b"h" * 32, ALICE.public, BOB.public) == LABEL + b"\x00" + front + BOB.public
    assert signed_bytes(Role.RESPONDER, b"h" * 32, ALICE.public, BOB.public) == LABEL + b"\x01" + front
    assert LABEL == b"multipeer/1 identity proof\x00"
    check_proof(proof, Role.INITIATOR, b"h" * 32, BOB.public, None)
    check_proof(proof, Role.INITIATOR, b"h" * 32, BOB.public, ALICE.public)
    fails(ErrorCode.PROOF_INVALID, proof, role=Role.RESPONDER)
    fails(ErrorCode.PROOF_INVALID, proof, h=b"i" * 32)
    fails(ErrorCode.PROOF_INVALID, Proof(bytes([3]) + ALICE.public[1:], proof.signature))
    mirror = make_proof(ALICE, Role.INITIATOR, b"h" * 32, ALICE.public)
    fails(ErrorCode.OWN_IDENTITY, mirror, own=ALICE.public)
    fails(ErrorCode.PROOF_INVALID, make_proof(ALICE, Role.INITIATOR, b"h" * 32, ALICE.public))  # meant for another
    fails(ErrorCode.PROOF_INVALID, make_proof(ALICE, Role.INITIATOR, b"h" * 32))
    fails(ErrorCode.UNEXPECTED_IDENTITY, proof, expected=SigningKey(bytes([9]) * 32).public)
    forged = Proof(ALICE.public, bytes(64))
    fails(ErrorCode.PROOF_INVALID, forged, expected=SigningKey(bytes([9]) * 32).public)  # §9.5: signature first
    fails(ErrorCode.PROOF_INVALID, forged, own=ALICE.public)  # R9.5-6: nothing of whose key it is
    for index in range(64):
        changed = bytearray(proof.signature)
        changed[index] ^= 0x10
        fails(ErrorCode.PROOF_INVALID, Proof(ALICE.public, bytes(changed)))
