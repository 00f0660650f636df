"""The AEADs of the suites and their nonces (SPEC §7.2, §12.1)."""

from __future__ import annotations

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from .errors import ErrorCode, ProtocolError
from .hello import SUITE_AESGCM, SUITE_CHACHAPOLY, SUITE_HYBRID_AESGCM, SUITE_HYBRID_CHACHAPOLY

RESERVED_COUNTER = (1 << 64) - 1

NOISE_NAMES = {
    SUITE_CHACHAPOLY: b"Noise_NN_25519_ChaChaPoly_SHA256",
    SUITE_AESGCM: b"Noise_NN_25519_AESGCM_SHA256",
    SUITE_HYBRID_CHACHAPOLY: b"Noise_NN_25519+MLKEM768_ChaChaPoly_SHA256",
    SUITE_HYBRID_AESGCM: b"Noise_NN_25519+MLKEM768_AESGCM_SHA256",
}
_OF_CHACHAPOLY = (SUITE_CHACHAPOLY, SUITE_HYBRID_CHACHAPOLY)


def nonce(suite: int, counter: int) -> bytes:
    """Four zero bytes, then n: little-endian for ChaChaPoly, big-endian for AESGCM (SPEC §12.1)."""
    return bytes(4) + counter.to_bytes(8, "little" if suite in _OF_CHACHAPOLY else "big")


class Aead:
    """ENCRYPT and DECRYPT of Noise for one key."""

    def __init__(self, suite: int, key: bytes) -> None:
        self._suite = suite
        self._cipher = ChaCha20Poly1305(key) if suite in _OF_CHACHAPOLY else AESGCM(key)

    def encrypt(self, counter: int, ad: bytes, plaintext: bytes) -> bytes:
        return self._cipher.encrypt(nonce(self._suite, counter), plaintext, ad)

    def decrypt(self, counter: int, ad: bytes, ciphertext: bytes) -> bytes:
        """The plaintext, or `decrypt_failed` without detail ([R12.4-1])."""
        try:
            return self._cipher.decrypt(nonce(self._suite, counter), ciphertext, ad)
        except InvalidTag:
            raise ProtocolError(ErrorCode.DECRYPT_FAILED) from None
