"""Validators: who judges a chain whose binding is verified (SPEC §10.5–10.7)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Protocol, Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509 import verification

from .errors import ErrorCode
from .fingerprints import fingerprint
from .profile import Rejected, certifies_display_name, check_issuer, check_leaf, find


class Validator(Protocol):
    def judge(self, chain: Sequence[bytes], display_name: str, time: datetime.datetime) -> ErrorCode:
        """NO_ERROR is the verdict *accepted*; otherwise a code of 0x10–0x15 ([R10.5-2])."""
        ...


class AcceptUnverified:
    """Accepts everybody, with or without a chain; to be asked for by name (SPEC §20)."""

    def judge(self, chain: Sequence[bytes], display_name: str, time: datetime.datetime) -> ErrorCode:
        return ErrorCode.NO_ERROR


@dataclass(frozen=True)
class Pins:
    """Accepts leaves whose key has one of the fingerprints (SPEC §10.6)."""

    fingerprints: frozenset[str]

    def judge(self, chain: Sequence[bytes], display_name: str, time: datetime.datetime) -> ErrorCode:
        if not chain:
            return ErrorCode.CERTIFICATE_REQUIRED
        known = fingerprint(chain[0]) in self.fingerprints
        return ErrorCode.NO_ERROR if known else ErrorCode.CERTIFICATE_REJECTED


class TrustAnchors:
    """Accepts leaves with a path to an anchor, after SPEC §10.7.

    The library validates paths, but knows no Ed25519 keys; for paths that hold one a plain search stands in, which
    refuses name constraints instead of applying them. Certificate policies are not looked at by either.
    """

    def __init__(
        self, anchors: Sequence[x509.Certificate], name: str | None = None, matches_display_name: bool = False
    ) -> None:
        """`name` is a dNSName that the leaf must have; or it must certify the display name (SPEC §10.8)."""
        self._anchors = list(anchors)
        self._name = name
        self._matches_display_name = matches_display_name

    @staticmethod
    def from_pem(data: bytes, name: str | None = None, matches_display_name: bool = False) -> "TrustAnchors":
        return TrustAnchors(x509.load_pem_x509_certificates(data), name, matches_display_name)

    def judge(self, chain: Sequence[bytes], display_name: str, time: datetime.datetime) -> ErrorCode:
        if not chain:
            return ErrorCode.CERTIFICATE_REQUIRED
        try:
            certificates = [x509.load_der_x509_certificate(der) for der in chain]
            check_leaf(certificates[0], self._name)
            if self._matches_display_name and not certifies_display_name(certificates[0], display_name):
                raise Rejected("the leaf does not certify the display name")
            if not is_valid_at(certificates[0], time):
                return ErrorCode.CERTIFICATE_EXPIRED
        except (Rejected, ValueError, x509.InvalidVersion, UnsupportedAlgorithm):
            return ErrorCode.CERTIFICATE_REJECTED
        return ErrorCode.NO_ERROR if self._has_path(certificates, time) else ErrorCode.UNKNOWN_AUTHORITY

    def _has_path(self, certificates: list[x509.Certificate], time: datetime.datetime) -> bool:
        try:
            involved = certificates + self._anchors
            if any(isinstance(c.public_key(), ed25519.Ed25519PublicKey) for c in involved):
                return PathSearch(self._anchors, time).leads_to_anchor(certificates[0], certificates[1:])
            return self._library_path(certificates, time)
        except (Rejected, ValueError, UnsupportedAlgorithm, verification.VerificationError):
            return False

    def _library_path(self, certificates: list[x509.Certificate], time: datetime.datetime) -> bool:
        free = verification.ExtensionPolicy.permit_all()
        issuers = free.require_present(x509.BasicConstraints, verification.Criticality.CRITICAL, None)
        verifier = (
            verification.PolicyBuilder()
            .store(verification.Store(self._anchors))
            .time(time)
            .extension_policies(ca_policy=issuers, ee_policy=free)
            .build_client_verifier()
        )
        path = verifier.verify(certificates[0], certificates[1:]).chain
        for below, issuer in enumerate(path[1:]):
            check_issuer(issuer, is_anchor=below == len(path) - 2, below=below)
        return True


def is_valid_at(certificate: x509.Certificate, time: datetime.datetime) -> bool:
    return certificate.not_valid_before_utc <= time <= certificate.not_valid_after_utc


class PathSearch:
    """A plain depth-first search for a path, with a bound on how many signatures it verifies."""

    def __init__(self, anchors: list[x509.Certificate], time: datetime.datetime, budget: int = 100) -> None:
        self._anchors = anchors
        self._time = time
        self.budget = budget

    def leads_to_anchor(
        self, certificate: x509.Certificate, intermediates: list[x509.Certificate], below: int = 0
    ) -> bool:
        """Whether some order of the intermediates (at most 7, SPEC §10.2) leads from the certificate to an anchor."""
        if any(self._is_issuer(certificate, anchor, True, below) for anchor in self._anchors):
            return True
        for index, issuer in enumerate(intermediates):
            others = intermediates[:index] + intermediates[index + 1 :]
            if self._is_issuer(certificate, issuer, False, below) and self.leads_to_anchor(issuer, others, below + 1):
                return True
        return False

    def _is_issuer(
        self, certificate: x509.Certificate, issuer: x509.Certificate, is_anchor: bool, below: int
    ) -> bool:
        if certificate.issuer != issuer.subject or not is_valid_at(issuer, self._time):
            return False
        if find(issuer, x509.NameConstraints) is not None or self.budget == 0:
            return False
        self.budget -= 1
        try:
            check_issuer(issuer, is_anchor, below)
            certificate.verify_directly_issued_by(issuer)
        except (Rejected, ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            return False
        return True
