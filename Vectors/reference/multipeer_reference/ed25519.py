"""Ed25519 with the strict verification of SPEC §9.6.

The library verifies R = [S]B − [k]A without cofactor and by bytes, and refuses S ≥ L. What it leaves out, canonical
and large-order A and R, is done here with plain integers; nothing in it is secret.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
_SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)

Point = tuple[int, int]


def decompress(encoding: bytes) -> Point | None:
    """The point of a canonical encoding, or None."""
    y = int.from_bytes(encoding, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if x * x % P != x2:
        x = x * _SQRT_MINUS_1 % P
    if x * x % P != x2 or (x == 0 and sign):
        return None
    return (P - x if x % 2 != sign else x), y


def double(point: Point) -> Point:
    """[2]point, in affine coordinates."""
    x, y = point
    product = D * x * x * y * y % P
    return (
        2 * x * y * pow(1 + product, -1, P) % P,
        (y * y + x * x) * pow(1 - product, -1, P) % P,
    )


def is_of_small_order(point: Point) -> bool:
    """Whether [8]point is the neutral element."""
    return double(double(double(point))) == (0, 1)


def _is_acceptable(encoding: bytes) -> bool:
    point = decompress(encoding)
    return point is not None and not is_of_small_order(point)


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """[R9.6-1]."""
    if len(public) != 32 or len(signature) != 64:
        return False
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    if not _is_acceptable(public) or not _is_acceptable(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


class SigningKey:
    """A long-term key; its 32 bytes of seed are RFC 8032's private key."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)
