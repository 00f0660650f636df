"""Validators: what judges a chain whose binding is verified (SPEC §10.5–10.7)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Protocol, Sequence

from cryptography import x509

from .errors import ErrorCode
from .extensions import Rejected
from .fingerprints import fingerprint
from .paths import LIBRARY_ERRORS, PathSearch, Requirements, allows, is_valid_at
from .profile import certifies_display_name, check_leaf, has_name


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
    """Accepts leaves with a path to an anchor, after SPEC §10.7."""

    def __init__(
        self, anchors: Sequence[x509.Certificate], name: str | None = None, matches_display_name: bool = False,
        requirements: Requirements = Requirements(),
    ) -> None:
        """`name` is a dNSName that the leaf must have; or it must certify the display name (SPEC §10.8)."""
        self._anchors = list(anchors)
        names = (x509.DNSName(name),) if name is not None else ()
        self._requirements = replace(
            requirements, names=requirements.names + names, forbids_constraints=matches_display_name
        )
        self._matches_display_name = matches_display_name

    @staticmethod
    def from_pem(data: bytes, name: str | None = None, matches_display_name: bool = False) -> "TrustAnchors":
        return TrustAnchors(x509.load_pem_x509_certificates(data), name, matches_display_name)

    def judge(self, chain: Sequence[bytes], display_name: str, time: datetime.datetime) -> ErrorCode:
        if not chain:
            return ErrorCode.CERTIFICATE_REQUIRED
        try:
            leaf = x509.load_der_x509_certificate(chain[0])
            self._check_leaf(leaf, display_name)
            if not is_valid_at(leaf, time):
                return ErrorCode.CERTIFICATE_EXPIRED
        except (Rejected, *LIBRARY_ERRORS):
            return ErrorCode.CERTIFICATE_REJECTED
        search = PathSearch(self._anchors, time, self._requirements)
        leads = search.leads_to_anchor(leaf, [c for c in map(_readable, chain[1:]) if c is not None])
        return ErrorCode.NO_ERROR if leads else ErrorCode.UNKNOWN_AUTHORITY

    def _check_leaf(self, leaf: x509.Certificate, display_name: str) -> None:
        check_leaf(leaf)
        if not allows(leaf, self._requirements.purposes):
            raise Rejected("the leaf's purposes")
        if not all(has_name(leaf, name) for name in self._requirements.names):
            raise Rejected("the leaf does not have the expected name")
        if self._matches_display_name and not certifies_display_name(leaf, display_name):
            raise Rejected("the leaf does not certify the display name")


def _readable(der: bytes) -> x509.Certificate | None:
    """An intermediate that cannot be read may be one that is not needed."""
    try:
        return x509.load_der_x509_certificate(der)
    except LIBRARY_ERRORS:
        return None
