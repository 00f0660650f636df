"""Looking extensions of certificates up, and why a certificate is refused."""

from __future__ import annotations

from typing import TypeVar

from cryptography import x509

_Extension = TypeVar("_Extension", bound=x509.ExtensionType)


class Rejected(Exception):
    """A certificate, or a path, that the profile refuses."""


def find(certificate: x509.Certificate, kind: type[_Extension]) -> x509.Extension[_Extension] | None:
    try:
        return certificate.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None
