"""CERTIFICATES and the binding of the leaf's key to the link (SPEC §10.2–10.4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import PublicKeyAlgorithmOID

from . import ed25519 as strict_ed25519
from .errors import ErrorCode, ProtocolError, malformed
from .fields import Field, read_fields, write_fields
from .invitation import IdentityKind
from .proofs import Role
from .reader import Reader
from .writer import Writer

#: As in TLS 1.3, so that no signature of one protocol is one of the other.
LABEL = b" " * 64 + b"multipeer/1 certificate binding\x00"
MAXIMUM_COUNT = 8
MAXIMUM_TOTAL = 49_152
MAXIMUM_SIGNATURE = 4096
MAXIMUM_LIST = 4096

ECDSA_P256, ECDSA_P384, RSA_PSS, ED25519 = 0x0403, 0x0503, 0x0804, 0x0807

_PSS = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)


@dataclass(frozen=True)
class Certificates:
    """SPEC §10.2; the chain holds DER, the leaf first."""

    chain: tuple[bytes, ...] = ()
    algorithm: int = 0
    signature: bytes = b""
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        writer = Writer().vector(encode_chain(self.chain), 0, 49_216)
        writer.u16(self.algorithm).vector(self.signature, 0, MAXIMUM_SIGNATURE)
        return write_fields(writer, self.fields, MAXIMUM_LIST).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Certificates":
        reader = Reader(payload)
        content = Reader(reader.vector(0, 49_216))
        chain: list[bytes] = []
        while content.remaining:
            chain.append(content.vector(1, 16_384))
        if len(chain) > MAXIMUM_COUNT or sum(map(len, chain)) > MAXIMUM_TOTAL:
            raise malformed("too many certificates, or too long")
        algorithm, signature = reader.u16(), reader.vector(0, MAXIMUM_SIGNATURE)
        certificates = Certificates(tuple(chain), algorithm, signature, read_fields(reader, MAXIMUM_LIST))
        reader.finish()
        return certificates

    def check_kind(self, kind: int) -> None:
        """A contradiction of the sender's `identityKind` is malformed ([R10.2-2])."""
        if kind == IdentityKind.NONE and (self.chain or self.algorithm or self.signature):
            raise malformed("certificates of a peer that announced none")
        if kind == IdentityKind.X509 and not self.chain:
            raise malformed("no certificates of a peer that announced some")


def encode_chain(chain: Sequence[bytes]) -> bytes:
    """The content of the vector `chain`, without its length."""
    writer = Writer()
    for certificate in chain:
        writer.vector(certificate, 1, 16_384)
    return writer.bytes()


@dataclass(frozen=True)
class Side:
    """What the transcript holds of one peer: its identity key and its PEER_INFO, the whole frame as sent."""

    identity_key: bytes
    info: bytes


def transcript(
    handshake_hash: bytes, initiator: Side, responder: Side, inviter: Role, invite: bytes, accept: bytes
) -> bytes:
    """SPEC §10.3; `invite` and `accept` are whole frames, with type and length as sent."""
    keys, infos = initiator.identity_key + responder.identity_key, initiator.info + responder.info
    return hashlib.sha256(handshake_hash + keys + infos + bytes([inviter]) + invite + accept).digest()


def signed_bytes(role: Role, transcript_hash: bytes, chain: Sequence[bytes]) -> bytes:
    return LABEL + bytes([role]) + transcript_hash + hashlib.sha256(encode_chain(chain)).digest()


class Credential:
    """A chain and the private key of its leaf."""

    def __init__(self, chain: Sequence[bytes], private_key: object) -> None:
        self.chain = tuple(chain)
        self._key = private_key
        self.algorithm = _algorithm_of(private_key.public_key())  # type: ignore[attr-defined]

    @staticmethod
    def from_pem(chain_pem: bytes, key_pem: bytes, password: bytes | None = None) -> "Credential":
        chain = [c.public_bytes(serialization.Encoding.DER) for c in x509.load_pem_x509_certificates(chain_pem)]
        return Credential(chain, serialization.load_pem_private_key(key_pem, password))

    def sign(self, message: bytes) -> bytes:
        key = self._key
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return key.sign(message, ec.ECDSA(_ecdsa_hash(self.algorithm)))
        if isinstance(key, rsa.RSAPrivateKey):
            return key.sign(message, _PSS, hashes.SHA256())
        assert isinstance(key, ed25519.Ed25519PrivateKey)
        return key.sign(message)


def _ecdsa_hash(algorithm: int) -> hashes.HashAlgorithm:
    return hashes.SHA256() if algorithm == ECDSA_P256 else hashes.SHA384()


def _algorithm_of(key: object) -> int:
    """The one algorithm that fits a key (SPEC §10.3, the table)."""
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1):
        return ECDSA_P256
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP384R1):
        return ECDSA_P384
    if isinstance(key, rsa.RSAPublicKey) and 2048 <= key.key_size <= 8192:
        return RSA_PSS
    if isinstance(key, ed25519.Ed25519PublicKey):
        return ED25519
    raise ValueError("no algorithm for a key of this kind")


def make_certificates(credential: Credential | None, role: Role, transcript_hash: bytes) -> Certificates:
    """The frame that we send, empty if we have no certificate ([R10.2-2])."""
    if credential is None:
        return Certificates()
    message = signed_bytes(role, transcript_hash, credential.chain)
    return Certificates(credential.chain, credential.algorithm, credential.sign(message))


def check_binding(certificates: Certificates, role: Role, transcript_hash: bytes) -> None:
    """`binding_invalid` unless the leaf's key signed this link ([R10.4-1]); an empty chain has nothing to check."""
    if not certificates.chain:
        return
    message = signed_bytes(role, transcript_hash, certificates.chain)
    try:
        leaf = x509.load_der_x509_certificate(certificates.chain[0])
        if _leaf_algorithm(leaf) != certificates.algorithm:
            raise ValueError("the algorithm does not fit the key")
        _verify(leaf.public_key(), certificates.algorithm, certificates.signature, message)
    except (ValueError, InvalidSignature, UnsupportedAlgorithm, x509.InvalidVersion) as error:
        raise ProtocolError(ErrorCode.BINDING_INVALID, str(error)) from None


def _leaf_algorithm(leaf: x509.Certificate) -> int:
    key = leaf.public_key()
    # The library loads id-RSASSA-PSS keys as RSA keys, too; the table speaks of rsaEncryption.
    if isinstance(key, rsa.RSAPublicKey) and leaf.public_key_algorithm_oid != PublicKeyAlgorithmOID.RSAES_PKCS1_v1_5:
        raise ValueError("an RSA key that is not rsaEncryption")
    return _algorithm_of(key)


def _verify(key: object, algorithm: int, signature: bytes, message: bytes) -> None:
    if isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, message, ec.ECDSA(_ecdsa_hash(algorithm)))
    elif isinstance(key, rsa.RSAPublicKey):
        key.verify(signature, message, _PSS, hashes.SHA256())
    elif isinstance(key, ed25519.Ed25519PublicKey):
        if not strict_ed25519.verify(key.public_bytes_raw(), signature, message):  # [R9.6-2]
            raise InvalidSignature
