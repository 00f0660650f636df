"""The exporter (SPEC §9.8)."""

from __future__ import annotations

import hashlib
import hmac

from .writer import Writer

LABEL = b"multipeer/1 exporter\x00"
MAXIMUM_LENGTH = 255 * 32
MAXIMUM_LABEL = 255
MAXIMUM_CONTEXT = 1024


def exporter_secret(key: bytes, handshake_hash: bytes, initiator: bytes, responder: bytes) -> bytes:
    """`key` is x, the third output of Split()'s HKDF."""
    return hmac.new(key, LABEL + handshake_hash + initiator + responder, hashlib.sha256).digest()


def export(secret: bytes, label: bytes, context: bytes, length: int) -> bytes:
    """HKDF-Expand over the structure Export; ValueError where a value is out of its range ([R9.8-1])."""
    if not 1 <= length <= MAXIMUM_LENGTH:
        raise ValueError(f"an export has 1 to {MAXIMUM_LENGTH} bytes")
    info = Writer().u16(length).vector(label, 1, MAXIMUM_LABEL).vector(context, 0, MAXIMUM_CONTEXT).bytes()
    output, block = b"", b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac.new(secret, block + info + bytes([number]), hashlib.sha256).digest()
        output += block
    return output[:length]
