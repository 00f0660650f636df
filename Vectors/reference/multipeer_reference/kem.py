"""ML-KEM-768 (FIPS 203), as far as hybrid suites use it (SPEC §7.6)."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey

from .errors import malformed

#: Bytes of d ‖ z, from which a pair of keys is made, of an encapsulation key, and of a ciphertext.
SEED_LENGTH, KEY_LENGTH, CIPHERTEXT_LENGTH = 64, 1184, 1088


def encapsulation_key(seed: bytes) -> bytes:
    return MLKEM768PrivateKey.from_seed_bytes(seed).public_key().public_bytes_raw()


def _checked(key: bytes) -> MLKEM768PublicKey:
    """The library refuses another length, and coefficients that are not reduced (FIPS 203, §7.2; [R7.6-3])."""
    try:
        return MLKEM768PublicKey.from_public_bytes(key)
    except ValueError:
        raise malformed("the encapsulation key fails the check of FIPS 203") from None


def check_key(key: bytes) -> None:
    _checked(key)


def encapsulate(key: bytes) -> tuple[bytes, bytes]:
    """Encaps: the shared secret, and the ciphertext. The library draws the randomness ([R9.7-1])."""
    return _checked(key).encapsulate()


def decapsulate(seed: bytes, ciphertext: bytes) -> bytes:
    """Decaps: a ciphertext that was not made with this key gives another secret, and no fault (SPEC §7.6)."""
    return MLKEM768PrivateKey.from_seed_bytes(seed).decapsulate(ciphertext)
