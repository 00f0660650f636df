"""What is offered from disk: a file, or a folder (SPEC §15.3, §15.7, §15.8)."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path
from typing import BinaryIO

from .ed25519 import SigningKey
from .files import NO_TAG, FileKind, FileOffer
from .folders import FolderSource


def tag_key(identity: SigningKey) -> bytes:
    """Kept with the identity by being made of it; nobody else can make this signature, and it is never sent."""
    return hashlib.sha256(identity.sign(b"multipeer_reference key of tags\x00")).digest()


def tag_of(key: bytes, receiver: bytes, source: bytes) -> bytes:
    """Another one for each receiver, and for a source that has changed ([R15.7-1]); none without a key."""
    return hmac.digest(key, receiver + source, "sha256")[:16] if key else NO_TAG


def identity_of(status: os.stat_result) -> bytes:
    return f"{status.st_dev}/{status.st_ino}/{status.st_size}/{status.st_mtime_ns}".encode()


def offer_of(path: Path, key: bytes, receiver: bytes) -> tuple[FileOffer, BinaryIO | FolderSource]:
    """The offer, and what its bytes are read from."""
    if path.is_dir():
        folder = FolderSource(path)
        tag = tag_of(key, receiver, folder.identity)
        offer = FileOffer(0, folder.size, path.resolve().name, (), tag, FileKind.FOLDER, 0, len(folder.manifest))
        return offer, folder
    source = path.open("rb")
    status = os.fstat(source.fileno())
    kind = FileKind.PROGRAM if status.st_mode & 0o100 else FileKind.FILE
    tag = tag_of(key, receiver, identity_of(status))
    return FileOffer(0, status.st_size, path.name, (), tag, kind, max(0, int(status.st_mtime))), source
