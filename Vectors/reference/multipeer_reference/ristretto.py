"""ristretto255 (RFC 9496) in plain integers, for one-time codes (SPEC §25.5). It does not run in constant time."""

from __future__ import annotations

from .ed25519 import _SQRT_MINUS_1, D, P

#: Points of the curve in extended coordinates: x, y, z, t with t = xy/z.
Point = tuple[int, int, int, int]

IDENTITY = bytes(32)
_NEUTRAL: Point = (0, 1, 1, 0)


class NoElement(ValueError):
    """Bytes that encode no element."""


def _is_negative(number: int) -> bool:
    return number % P % 2 == 1


def _absolute(number: int) -> int:
    return -number % P if _is_negative(number) else number % P


def _square_root(u: int, v: int) -> tuple[bool, int]:
    """SQRT_RATIO_M1 of RFC 9496 §4.2: whether u/v is a square, and the root of that, or of it times √−1."""
    root = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    check = v * root * root % P
    is_right, is_flipped = check == u % P, check == -u % P
    if is_flipped or check == -u * _SQRT_MINUS_1 % P:
        root = root * _SQRT_MINUS_1 % P
    return is_right or is_flipped, _absolute(root)


_ONE_MINUS_D_SQUARED = (1 - D * D) % P
_D_MINUS_ONE_SQUARED = (D - 1) ** 2 % P
_INVERSE_ROOT = _square_root(1, -1 - D)[1]
#: √(ad − 1), of which RFC 9496 §4.1 takes the negative root.
_ROOT = -_square_root(-D - 1, 1)[1] % P


def decode(encoding: bytes) -> Point:
    """RFC 9496 §4.3.1."""
    s = int.from_bytes(encoding, "little")
    if len(encoding) != 32 or s >= P or _is_negative(s):
        raise NoElement("not canonical")
    u1, u2 = 1 - s * s, 1 + s * s
    v = -D * u1 * u1 - u2 * u2
    was_square, inverse = _square_root(1, v * u2 * u2 % P)
    dx = inverse * u2
    x, y = _absolute(2 * s * dx), u1 * inverse * dx * v % P
    if not was_square or _is_negative(x * y) or y == 0:
        raise NoElement("not on the group")
    return x, y, 1, x * y % P


def encode(point: Point) -> bytes:
    """RFC 9496 §4.3.2."""
    x, y, z, t = point
    u1, u2 = (z + y) * (z - y), x * y
    inverse = _square_root(1, u1 * u2 * u2 % P)[1]
    first, second = inverse * u1, inverse * u2
    z_inverse = first * second * t
    if _is_negative(t * z_inverse):
        x, y, denominator = y * _SQRT_MINUS_1, x * _SQRT_MINUS_1, first * _INVERSE_ROOT
    else:
        denominator = second
    if _is_negative(x * z_inverse):
        y = -y
    return _absolute(denominator * (z - y)).to_bytes(32, "little")


def add(one: Point, other: Point) -> Point:
    """Complete addition on the twisted Edwards curve with a = −1."""
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2), (y1 + x1) * (y2 + x2)
    c, d = 2 * D * t1 * t2, 2 * z1 * z2
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar: int, point: Point) -> Point:
    result = _NEUTRAL
    for bit in bin(scalar)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def derive(uniform: bytes) -> Point:
    """The element derivation of RFC 9496 §4.3.4, from 64 bytes."""
    halves = (int.from_bytes(uniform[start : start + 32], "little") & ((1 << 255) - 1) for start in (0, 32))
    first, second = (_map(number % P) for number in halves)
    return add(first, second)


def _map(t: int) -> Point:
    """MAP of RFC 9496 §4.3.4."""
    r = _SQRT_MINUS_1 * t * t % P
    u, v = (r + 1) * _ONE_MINUS_D_SQUARED % P, (-1 - r * D) * (r + D) % P
    was_square, s = _square_root(u, v)
    c = -1
    if not was_square:
        s, c = -_absolute(s * t), r
    n = c * (r - 1) * _D_MINUS_ONE_SQUARED - v
    w0, w1, w2, w3 = 2 * s * v, n * _ROOT, 1 - s * s, 1 + s * s
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P
