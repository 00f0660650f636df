"""SPEC §9.6: what strict verification refuses, and the library alone would not."""

import hashlib

from multipeer_reference.ed25519 import D, L, P, SigningKey, decompress, double, verify

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


def test_a_lax_verifier_would_take_small_order():
    """So the refusal above is ours, not the equation's: A = R = (0, 1), S = 0 fits every message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    neutral = encode((0, 1))
    Ed25519PublicKey.from_public_bytes(neutral).verify(neutral + bytes(32), MESSAGE)
    assert not verify(neutral, neutral + bytes(32), MESSAGE)


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
