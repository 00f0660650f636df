"""A writer of structures (SPEC §3.1–3.3)."""

from __future__ import annotations

from typing import Iterable

from .integers import encode_varint


class Writer:
    """Appends the parts of one structure; refuses with ValueError what the presentation language does not allow."""

    def __init__(self) -> None:
        self._data = bytearray()

    def u8(self, value: int) -> "Writer":
        self._data += value.to_bytes(1, "big")
        return self

    def u16(self, value: int) -> "Writer":
        self._data += value.to_bytes(2, "big")
        return self

    def varint(self, value: int) -> "Writer":
        self._data += encode_varint(value)
        return self

    def raw(self, data: bytes, count: int | None = None) -> "Writer":
        """Bytes without a length; exactly `count` where the structure says so."""
        if count is not None and len(data) != count:
            raise ValueError(f"{len(data)} bytes where {count} belong")
        self._data += data
        return self

    def vector(self, data: bytes, minimum: int, maximum: int) -> "Writer":
        """`T name<minimum..maximum>` (SPEC §3.3)."""
        if not minimum <= len(data) <= maximum:
            raise ValueError(f"a vector of {len(data)} bytes is outside of {minimum}..{maximum}")
        self._data += encode_varint(len(data)) + data
        return self

    def u16_vector(self, values: Iterable[int], minimum: int, maximum: int) -> "Writer":
        return self.vector(b"".join(value.to_bytes(2, "big") for value in values), minimum, maximum)

    def bytes(self) -> bytes:
        return bytes(self._data)
