"""Variable-length integers (SPEC §3.2)."""

from __future__ import annotations

from .errors import malformed

LIMIT = 1 << 62
_SIZES = ((1 << 6, 1, 0x00), (1 << 14, 2, 0x40), (1 << 30, 4, 0x80), (LIMIT, 8, 0xC0))


def encode_varint(value: int) -> bytes:
    """The shortest form of `value`, 0 ≤ value < 2^62 ([R3.2-1])."""
    if value < 0:
        raise ValueError("a varint is not negative")
    for bound, size, prefix in _SIZES:
        if value < bound:
            data = bytearray(value.to_bytes(size, "big"))
            data[0] |= prefix
            return bytes(data)
    raise ValueError("a varint is below 2^62")


def decode_varint(data: bytes, offset: int = 0) -> tuple[int, int]:
    """The value at `offset` and the offset after it; longer forms are malformed ([R3.2-1])."""
    if offset >= len(data):
        raise malformed("a varint is missing")
    size = 1 << (data[offset] >> 6)
    end = offset + size
    if end > len(data):
        raise malformed("a varint is cut off")
    value = int.from_bytes(data[offset:end], "big") & ((1 << (8 * size - 2)) - 1)
    if len(encode_varint(value)) != size:
        raise malformed("a varint is not in its shortest form")
    return value, end
