"""Noise NN, revision 34, as far as SPEC §9 uses it. All intermediates (h, ck, k, n) are open to vectors."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from .aead import NOISE_NAMES, RESERVED_COUNTER, Aead
from .errors import ErrorCode, ProtocolError
from .hello import HYBRID_SUITES

PROLOGUE_LABEL = b"multipeer/1 prologue\x00"
REKEY_INTERVAL = 65_536


def prologue(initiator: bytes, responder: bytes) -> bytes:
    """SPEC §9.1: the arguments are all that each peer sent before its ephemeral key, from the magic on."""
    return PROLOGUE_LABEL + initiator + responder


def public_key(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def diffie_hellman(private: bytes, public: bytes) -> bytes:
    """X25519; 32 zero bytes are `handshake_failed` ([R9.4-1])."""
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise ProtocolError(ErrorCode.HANDSHAKE_FAILED, "the shared secret is zero") from None


def _hmac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf3(chaining_key: bytes, material: bytes) -> tuple[bytes, bytes, bytes]:
    """HKDF of Noise with three outputs, of which the first two are those of two outputs."""
    temporary = _hmac(chaining_key, material)
    first = _hmac(temporary, b"\x01")
    second = _hmac(temporary, first + b"\x02")
    return first, second, _hmac(temporary, second + b"\x03")


@dataclass
class CipherState:
    """A key and its counter; after Split() one of these protects each direction (SPEC §12.1)."""

    suite: int
    k: bytes
    n: int = 0

    def __post_init__(self) -> None:
        self._aead = Aead(self.suite, self.k)

    def _check_counter(self) -> None:
        if self.n >= RESERVED_COUNTER:
            raise ProtocolError(ErrorCode.INTERNAL, "the counter is used up")

    def encrypt(self, ad: bytes, plaintext: bytes) -> bytes:
        self._check_counter()
        ciphertext = self._aead.encrypt(self.n, ad, plaintext)
        self.n += 1
        return ciphertext

    def decrypt(self, ad: bytes, ciphertext: bytes) -> bytes:
        """On failure n stays as it was ([R12.4-1])."""
        self._check_counter()
        plaintext = self._aead.decrypt(self.n, ad, ciphertext)
        self.n += 1
        return plaintext

    def rekey(self) -> None:
        """REKEY(k) of Noise; n is not reset ([R12.5-1])."""
        self.k = self._aead.encrypt(RESERVED_COUNTER, b"", bytes(32))[:32]
        self._aead = Aead(self.suite, self.k)

    def rekey_if_due(self) -> bool:
        """To be called after each record: n has grown past a multiple of 65,536 ([R12.5-1])."""
        if self.n % REKEY_INTERVAL:
            return False
        self.rekey()
        return True


@dataclass
class SymmetricState:
    """SymmetricState of Noise; `trace` holds (token, h, ck, k, n) after each step, for vectors."""

    suite: int
    h: bytes = b""
    ck: bytes = b""
    cipher: CipherState | None = None
    trace: list[tuple[str, bytes, bytes, bytes | None, int | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        name = NOISE_NAMES[self.suite]
        is_long = len(name) > 32  # as those of hybrid suites are (SPEC §9.1)
        self.h = self.ck = hashlib.sha256(name).digest() if is_long else name.ljust(32, b"\x00")
        self._note("name")

    def _note(self, token: str) -> None:
        cipher = self.cipher
        self.trace.append((token, self.h, self.ck, cipher.k if cipher else None, cipher.n if cipher else None))

    def mix_hash(self, data: bytes, token: str) -> None:
        self.h = hashlib.sha256(self.h + data).digest()
        self._note(token)

    def mix_key(self, material: bytes, token: str) -> None:
        self.ck, key, _ = hkdf3(self.ck, material)
        self.cipher = CipherState(self.suite, key)
        self._note(token)

    def encrypt_and_hash(self, plaintext: bytes, token: str) -> bytes:
        ciphertext = self.cipher.encrypt(self.h, plaintext) if self.cipher else plaintext
        self.mix_hash(ciphertext, token)
        return ciphertext

    def decrypt_and_hash(self, ciphertext: bytes, token: str) -> bytes:
        plaintext = self.cipher.decrypt(self.h, ciphertext) if self.cipher else ciphertext
        self.mix_hash(ciphertext, token)
        return plaintext

    def split(self) -> tuple[CipherState, CipherState, bytes]:
        """The initiator's sending direction, the responder's (SPEC §9.3), and x of the exporter (SPEC §9.8)."""
        first, second, exporter_key = hkdf3(self.ck, b"")
        return CipherState(self.suite, first), CipherState(self.suite, second), exporter_key


def _start(suite: int, prologue_bytes: bytes, initiator_ephemeral: bytes) -> SymmetricState:
    """Up to and with message 1, whose payload is empty (SPEC §9.2)."""
    state = SymmetricState(suite)
    state.mix_hash(prologue_bytes, "prologue")
    state.mix_hash(initiator_ephemeral, "1:e")
    state.encrypt_and_hash(b"", "1:payload")
    return state


def _mix_secrets(state: SymmetricState, shared: bytes, kem_secret: bytes) -> None:
    """The result of X25519, then with a hybrid suite that of ML-KEM-768 (SPEC §9.3)."""
    state.mix_key(shared, "2:ee")
    if state.suite in HYBRID_SUITES:
        state.mix_key(kem_secret, "2:kem")


def respond(
    suite: int, prologue_bytes: bytes, initiator: bytes, private: bytes, kem_secret: bytes = b""
) -> tuple[SymmetricState, bytes]:
    """Of the responder: the state after message 2, and `confirmation` (SPEC §9.3).

    `kem_secret` is what Encaps gave for a hybrid suite.
    """
    state = _start(suite, prologue_bytes, initiator)
    state.mix_hash(public_key(private), "2:e")
    _mix_secrets(state, diffie_hellman(private, initiator), kem_secret)
    return state, state.encrypt_and_hash(b"", "2:payload")


def conclude(
    suite: int, prologue_bytes: bytes, private: bytes, responder: bytes, confirmation: bytes, kem_secret: bytes = b""
) -> SymmetricState:
    """Of the initiator: checks message 2 ([R9.3-1], [R9.4-1]). `kem_secret` is what Decaps gave for a hybrid suite."""
    state = _start(suite, prologue_bytes, public_key(private))
    state.mix_hash(responder, "2:e")
    _mix_secrets(state, diffie_hellman(private, responder), kem_secret)
    try:
        state.decrypt_and_hash(confirmation, "2:payload")
    except ProtocolError:
        raise ProtocolError(ErrorCode.HANDSHAKE_FAILED, "the confirmation does not verify") from None
    return state
