"""The magic, record headers, and the one place where bytes can be incomplete (SPEC §6.1, §6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .errors import malformed

MAGIC = bytes.fromhex("4d504545520d0a00")
HEADER_LENGTH = 3
TAG_LENGTH = 16


class RecordKind(IntEnum):
    HELLO = 0x01
    REFUSAL = 0x02
    ENCRYPTED = 0x10
    AUTHENTICATED = 0x11


LENGTHS = {
    RecordKind.HELLO: range(39, 4096 + 1),
    RecordKind.REFUSAL: range(3, 256 + 1),
    RecordKind.ENCRYPTED: range(18, 65_532 + 1),
    RecordKind.AUTHENTICATED: range(18, 65_532 + 1),
}

#: The longest plaintext of a protected record.
MAXIMUM_PLAINTEXT = 65_532 - TAG_LENGTH

PROTECTED = (RecordKind.ENCRYPTED, RecordKind.AUTHENTICATED)


@dataclass(frozen=True)
class RecordHeader:
    """The three bytes before a body; they are the start of the associated data (SPEC §12.2)."""

    kind: RecordKind
    length: int

    def bytes(self) -> bytes:
        return bytes([self.kind]) + self.length.to_bytes(2, "big")

    @property
    def record_length(self) -> int:
        return HEADER_LENGTH + self.length


def encode_record(kind: RecordKind, body: bytes) -> bytes:
    if len(body) not in LENGTHS[kind]:
        raise ValueError(f"a {kind.name} of {len(body)} bytes")
    return RecordHeader(kind, len(body)).bytes() + body


def decode_kind(byte: int) -> RecordKind:
    """The kind of a record; another one is malformed ([R6.2-1])."""
    try:
        return RecordKind(byte)
    except ValueError:
        raise malformed(f"record kind 0x{byte:02x}") from None


def decode_header(data: bytes) -> RecordHeader:
    """Decodes and checks three bytes ([R6.2-1])."""
    kind = decode_kind(data[0])
    length = int.from_bytes(data[1:3], "big")
    if length not in LENGTHS[kind]:
        raise malformed(f"a {kind.name} of {length} bytes")
    return RecordHeader(kind, length)


class Assembler:
    """Turns a byte stream into the magic, then headers and bodies, however the bytes are cut.

    The owner asks step by step, so that it can judge kind and header before a body is waited for or stored:
    `take_magic`, then for each record `peek_kind`, `peek_header`, `take_body`. None means *more bytes, please*.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.magic_seen = 0  # bytes that were right

    @property
    def is_empty(self) -> bool:
        return not self._buffer

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def discard(self) -> None:
        self._buffer.clear()

    def take_magic(self) -> bool:
        """Consumes the magic; fails at the first byte that differs ([R6.1-1])."""
        while self.magic_seen < len(MAGIC) and self._buffer:
            if self._buffer[0] != MAGIC[self.magic_seen]:
                raise malformed("not the magic")
            del self._buffer[0]
            self.magic_seen += 1
        return self.magic_seen == len(MAGIC)

    def peek_kind(self) -> RecordKind | None:
        return decode_kind(self._buffer[0]) if self._buffer else None

    def peek_header(self) -> RecordHeader | None:
        if len(self._buffer) < HEADER_LENGTH:
            return None
        return decode_header(bytes(self._buffer[:HEADER_LENGTH]))

    def take_body(self, header: RecordHeader) -> bytes | None:
        """Consumes the record whose header was peeked, once it is whole."""
        if len(self._buffer) < header.record_length:
            return None
        body = bytes(self._buffer[HEADER_LENGTH : header.record_length])
        del self._buffer[: header.record_length]
        return body
