"""Paths from a leaf to an anchor (RFC 5280 §6.1 as SPEC §10.7 narrows it).

The library validates paths too, but not with Ed25519 keys, and it accepts names that a directoryName constraint forbids;
so the search and all rules are here, and only single signatures are the library's.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Iterator, Sequence

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import ExtendedKeyUsageOID

from .constraints import check_name_constraints, is_self_issued
from .extensions import Rejected, find
from .profile import check_issuer

CLIENT = frozenset({ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE})
SERVER = frozenset({ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE})

# What the library raises about a certificate that it cannot read, or whose signature does not verify.
LIBRARY_ERRORS = (
    ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm, x509.InvalidVersion, x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)


@dataclass(frozen=True)
class Requirements:
    """What a path must allow, and the names that the leaf must have. A peer is client and server in one."""

    purposes: frozenset[x509.ObjectIdentifier] = CLIENT | SERVER
    names: tuple[x509.GeneralName, ...] = ()
    maximum_intermediates: int = 8
    # An authority that is confined to some names may not certify display names, of which its constraints do not speak.
    forbids_constraints: bool = False


def is_valid_at(certificate: x509.Certificate, time: datetime.datetime) -> bool:
    time = time.replace(microsecond=0)
    return certificate.not_valid_before_utc <= time <= certificate.not_valid_after_utc


def allows(certificate: x509.Certificate, purposes: frozenset[x509.ObjectIdentifier]) -> bool:
    """On an authority the extension narrows what is below it."""
    usage = find(certificate, x509.ExtendedKeyUsage)
    return usage is None or any(purpose in purposes for purpose in usage.value)


class PathSearch:
    """A plain depth-first search for a path, with a bound on how many signatures it verifies and links it tries."""

    def __init__(
        self, anchors: Sequence[x509.Certificate], time: datetime.datetime,
        requirements: Requirements = Requirements(), budget: int = 100, steps: int = 4_096,
    ) -> None:
        self._anchors = list(anchors)
        self._time = time
        self._requirements = requirements
        self.budget = budget
        self._steps = steps

    def leads_to_anchor(self, leaf: x509.Certificate, intermediates: Sequence[x509.Certificate]) -> bool:
        """Whether some order of the intermediates (at most 7, SPEC §10.2) leads from the leaf to an anchor."""
        return any(self._keeps_rules(path) for path in self._paths([leaf], list(intermediates)))

    def _paths(
        self, path: list[x509.Certificate], others: list[x509.Certificate]
    ) -> Iterator[list[x509.Certificate]]:
        for anchor in self._anchors:
            if self._is_issuer(path[-1], anchor, True):
                yield [*path, anchor]
        for index, issuer in enumerate(others):
            if self._is_issuer(path[-1], issuer, False):
                yield from self._paths([*path, issuer], others[:index] + others[index + 1 :])

    def _is_issuer(self, certificate: x509.Certificate, issuer: x509.Certificate, is_anchor: bool) -> bool:
        self._steps -= 1
        try:
            if self._steps < 0 or not _names_issuer(certificate, issuer) or not is_valid_at(issuer, self._time):
                return False
            check_issuer(issuer, is_anchor)
            if self.budget == 0 or not allows(issuer, self._requirements.purposes):
                return False
            self.budget -= 1
            certificate.verify_directly_issued_by(issuer)
        except (Rejected, *LIBRARY_ERRORS):
            return False
        return True

    def _keeps_rules(self, path: list[x509.Certificate]) -> bool:
        """What concerns the whole path: its length and the names in it."""
        below = 0
        for issuer in path[1:]:
            constraints = find(issuer, x509.BasicConstraints)
            limit = constraints.value.path_length if constraints else None
            if limit is not None and below > limit:
                return False
            if issuer is not path[-1] and not is_self_issued(issuer):
                below += 1
        if below > self._requirements.maximum_intermediates:
            return False
        if self._requirements.forbids_constraints and any(find(c, x509.NameConstraints) for c in path[1:]):
            return False
        try:
            check_name_constraints(path)
        except (Rejected, *LIBRARY_ERRORS):
            return False
        return True


def _names_issuer(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    """By name, and by key identifiers where both are there."""
    if certificate.issuer.public_bytes() != issuer.subject.public_bytes():
        return False
    wanted, own = find(certificate, x509.AuthorityKeyIdentifier), find(issuer, x509.SubjectKeyIdentifier)
    if wanted is None or wanted.value.key_identifier is None or own is None:
        return True
    return wanted.value.key_identifier == own.value.digest
