"""Tags, by which a receiver finds what it holds of a file (SPEC §15.7)."""

from __future__ import annotations

import hashlib
import hmac
import os

from .ed25519 import SigningKey


def tag_key(identity: SigningKey) -> bytes:
    """Kept with the identity by being made of it; nobody else can make this signature, and it is never sent."""
    return hashlib.sha256(identity.sign(b"multipeer_reference key of tags\x00")).digest()


def tag_of(key: bytes, receiver: bytes, status: os.stat_result) -> bytes:
    """Another one for each receiver, and for a source that has changed ([R15.7-1])."""
    source = f"{status.st_dev}/{status.st_ino}/{status.st_size}/{status.st_mtime_ns}".encode()
    return hmac.digest(key, receiver + source, "sha256")[:16]
