"""RESUME and RESUMED, and the proof in them (SPEC §13.9)."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from .errors import malformed
from .fields import Field, read_fields, write_fields
from .proofs import Role
from .reader import Reader
from .writer import Writer

ASSOCIATION_LABEL, SECRET_LABEL = b"multipeer/1 association", b"multipeer/1 resume"
ASSOCIATION_LENGTH, SECRET_LENGTH, PROOF_LENGTH = 16, 32, 32
_PROOF_LABEL = b"multipeer/1 resume\x00"
_MAXIMUM_FILES = 1_024


@dataclass(frozen=True, order=True)
class Position:
    """Of a file that is being received: after the last byte that came."""

    id: int
    offset: int


def _write_files(writer: Writer, files: tuple[Position, ...]) -> Writer:
    content = Writer()
    for position in files:
        content.varint(position.id).varint(position.offset)
    return writer.vector(content.bytes(), 0, _MAXIMUM_FILES)


def _read_files(reader: Reader) -> tuple[Position, ...]:
    """[R13.9-9]."""
    content, files = Reader(reader.vector(0, _MAXIMUM_FILES)), list[Position]()
    while content.remaining:
        position = Position(content.varint(), content.varint())
        if files and position.id <= files[-1].id:
            raise malformed("files that are not strictly ascending")
        files.append(position)
    return tuple(files)


@dataclass(frozen=True)
class Resume:
    """`proof` is over all that is before it."""

    association: bytes
    epoch: int
    received: int
    files: tuple[Position, ...] = ()
    fields: tuple[Field, ...] = ()
    proof: bytes = bytes(PROOF_LENGTH)

    @property
    def before_proof(self) -> bytes:
        writer = Writer().raw(self.association, ASSOCIATION_LENGTH).varint(self.epoch).varint(self.received)
        return write_fields(_write_files(writer, self.files), self.fields).bytes()

    def encode(self) -> bytes:
        return self.before_proof + self.proof

    @staticmethod
    def decode(payload: bytes) -> "Resume":
        reader = Reader(payload)
        resume = Resume(
            reader.take(ASSOCIATION_LENGTH), reader.varint(), reader.varint(), _read_files(reader), read_fields(reader),
            reader.take(PROOF_LENGTH),
        )
        reader.finish()
        return resume


@dataclass(frozen=True)
class Resumed:
    received: int
    files: tuple[Position, ...] = ()
    fields: tuple[Field, ...] = ()
    proof: bytes = bytes(PROOF_LENGTH)

    @property
    def before_proof(self) -> bytes:
        return write_fields(_write_files(Writer().varint(self.received), self.files), self.fields).bytes()

    def encode(self) -> bytes:
        return self.before_proof + self.proof

    @staticmethod
    def decode(payload: bytes) -> "Resumed":
        reader = Reader(payload)
        resumed = Resumed(reader.varint(), _read_files(reader), read_fields(reader), reader.take(PROOF_LENGTH))
        reader.finish()
        return resumed


def resume_proof(secret: bytes, role: Role, handshake_hash: bytes, before_proof: bytes) -> bytes:
    """By the sender's role, and for the new link."""
    return hmac.new(secret, _PROOF_LABEL + bytes([role]) + handshake_hash + before_proof, hashlib.sha256).digest()
