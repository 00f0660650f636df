"""A reader of structures (SPEC §3.1–3.3); every fault is `malformed` (SPEC §3.5)."""

from __future__ import annotations

from .errors import malformed
from .integers import decode_varint


class Reader:
    """Reads one structure from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = bytes(data)
        self._offset = 0

    @property
    def remaining(self) -> int:
        return len(self._data) - self._offset

    def u8(self) -> int:
        return self.take(1)[0]

    def u16(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def varint(self) -> int:
        value, self._offset = decode_varint(self._data, self._offset)
        return value

    def take(self, count: int) -> bytes:
        """Exactly `count` bytes."""
        if count > self.remaining:
            raise malformed("the structure is cut off")
        start = self._offset
        self._offset += count
        return self._data[start : self._offset]

    def rest(self) -> bytes:
        """All that is left of the enclosing frame (SPEC §3.3)."""
        return self.take(self.remaining)

    def vector(self, minimum: int, maximum: int) -> bytes:
        """The content of `T name<minimum..maximum>` ([R3.3-1])."""
        count = self.varint()
        if not minimum <= count <= maximum:
            raise malformed(f"a vector of {count} bytes is outside of {minimum}..{maximum}")
        return self.take(count)

    def u16_vector(self, minimum: int, maximum: int) -> tuple[int, ...]:
        """`u16 name<minimum..maximum>`; an odd count does not end between two elements ([R3.3-1])."""
        content = self.vector(minimum, maximum)
        if len(content) % 2:
            raise malformed("a vector of u16 has an odd number of bytes")
        return tuple(int.from_bytes(content[i : i + 2], "big") for i in range(0, len(content), 2))

    def finish(self) -> None:
        """Bytes that are left over are malformed ([R3.3-2])."""
        if self.remaining:
            raise malformed(f"{self.remaining} bytes are left over")
