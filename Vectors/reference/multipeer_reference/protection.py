"""Sealing and opening of protected records (SPEC §12)."""

from __future__ import annotations

from .noise import CipherState
from .records import LENGTHS, TAG_LENGTH, RecordHeader, RecordKind


def seal(state: CipherState, kind: RecordKind, plaintext: bytes) -> bytes:
    """The whole record (SPEC §12.2, §12.3)."""
    length = len(plaintext) + TAG_LENGTH
    if length not in LENGTHS[kind]:
        raise ValueError(f"{len(plaintext)} bytes of frames do not fit a record")
    header = RecordHeader(kind, length).bytes()
    if kind is RecordKind.ENCRYPTED:
        record = header + state.encrypt(header, plaintext)
    else:
        record = header + plaintext + state.encrypt(header + plaintext, b"")
    state.rekey_if_due()
    return record


def unseal(state: CipherState, header: RecordHeader, body: bytes) -> bytes:
    """The frames of a record, or `decrypt_failed` with n and k as they were ([R12.4-1])."""
    if header.kind is RecordKind.ENCRYPTED:
        plaintext = state.decrypt(header.bytes(), body)
    else:
        plaintext, tag = body[:-TAG_LENGTH], body[-TAG_LENGTH:]
        state.decrypt(header.bytes() + plaintext, tag)
    state.rekey_if_due()
    return plaintext
