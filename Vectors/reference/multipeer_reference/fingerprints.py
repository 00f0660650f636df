"""Fingerprints of a leaf's key (SPEC §10.6), over the bytes as they are in the certificate.

The library would encode the key anew, which differs from the certificate for, say, a compressed EC point.
"""

from __future__ import annotations

import hashlib

from cryptography import x509


def _element(data: bytes, offset: int) -> tuple[int, int, int]:
    """The tag at `offset`, where its content starts, and where the next element starts."""
    tag, first = data[offset], data[offset + 1]
    if first < 0x80:
        start, length = offset + 2, first
    else:
        start = offset + 2 + (first & 0x7F)
        length = int.from_bytes(data[offset + 2 : start], "big")
    return tag, start, start + length


def subject_public_key_info(certificate_der: bytes) -> bytes:
    """The DER of SubjectPublicKeyInfo: the seventh part of a TBSCertificate, or the sixth without a version."""
    tbs = x509.load_der_x509_certificate(certificate_der).tbs_certificate_bytes
    _, offset, _ = _element(tbs, 0)
    tag, _, behind = _element(tbs, offset)
    if tag == 0xA0:  # version
        offset = behind
    for _part in ("serialNumber", "signature", "issuer", "validity", "subject"):
        offset = _element(tbs, offset)[2]
    return tbs[offset : _element(tbs, offset)[2]]


def fingerprint(leaf_der: bytes) -> str:
    return "sha256:" + hashlib.sha256(subject_public_key_info(leaf_der)).hexdigest()
