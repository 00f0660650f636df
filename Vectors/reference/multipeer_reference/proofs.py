"""Identity proofs (SPEC §9.5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from . import ed25519
from .errors import ErrorCode, ProtocolError
from .reader import Reader
from .writer import Writer

LABEL = b"multipeer/1 identity proof\x00"


class Role(IntEnum):
    """The signer's role, as it is in signed bytes (SPEC §9.5)."""

    INITIATOR = 0
    RESPONDER = 1

    @property
    def other(self) -> "Role":
        return Role(1 - self)


@dataclass(frozen=True)
class Proof:
    identity_key: bytes
    signature: bytes

    def encode(self) -> bytes:
        return Writer().raw(self.identity_key, 32).raw(self.signature, 64).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Proof":
        reader = Reader(payload)
        proof = Proof(reader.take(32), reader.take(64))
        reader.finish()
        return proof


def signed_bytes(role: Role, handshake_hash: bytes, own: bytes, peer: bytes) -> bytes:
    """SPEC §9.5. `own` is the signer's key; only the initiator knows its peer's when it signs, and signs it too."""
    return LABEL + bytes([role]) + handshake_hash + own + (peer if role is Role.INITIATOR else b"")


def make_proof(key: ed25519.SigningKey, role: Role, handshake_hash: bytes, peer: bytes = b"") -> Proof:
    return Proof(key.public, key.sign(signed_bytes(role, handshake_hash, key.public, peer)))


def check_proof(proof: Proof, role: Role, handshake_hash: bytes, own: bytes, expected: bytes | None) -> None:
    """`role` is the signer's. Nothing is said of whose key it is before the signature verifies ([R9.5-6])."""
    signed = signed_bytes(role, handshake_hash, proof.identity_key, own)
    if not ed25519.verify(proof.identity_key, proof.signature, signed):
        raise ProtocolError(ErrorCode.PROOF_INVALID)
    if proof.identity_key == own:
        raise ProtocolError(ErrorCode.OWN_IDENTITY)
    if expected is not None and proof.identity_key != expected:
        raise ProtocolError(ErrorCode.UNEXPECTED_IDENTITY)
