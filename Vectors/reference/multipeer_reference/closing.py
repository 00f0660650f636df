"""CLOSE (SPEC §16.1)."""

from __future__ import annotations

from .reader import Reader
from .writer import Writer


def encode_close(code: int) -> bytes:
    return Writer().varint(code).bytes()


def decode_close(payload: bytes) -> int:
    """The code, which may be unknown ([R16.1-4])."""
    reader = Reader(payload)
    code = reader.varint()
    reader.finish()
    return code
