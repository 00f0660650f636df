"""What the profile for trust anchors asks of single certificates (SPEC §10.7)."""

from __future__ import annotations

from typing import TypeVar
from urllib.parse import quote

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

_Extension = TypeVar("_Extension", bound=x509.ExtensionType)

_PURPOSES = {
    ExtendedKeyUsageOID.CLIENT_AUTH,
    ExtendedKeyUsageOID.SERVER_AUTH,
    ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
}
_UNDERSTOOD = {
    ExtensionOID.BASIC_CONSTRAINTS,
    ExtensionOID.KEY_USAGE,
    ExtensionOID.EXTENDED_KEY_USAGE,
    ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
    ExtensionOID.NAME_CONSTRAINTS,
}


class Rejected(Exception):
    """A certificate, or a path, that the profile refuses."""


def find(certificate: x509.Certificate, kind: type[_Extension]) -> x509.Extension[_Extension] | None:
    try:
        return certificate.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None


def check_common(certificate: x509.Certificate) -> None:
    """Version, critical extensions, key size and hash."""
    if certificate.version is not x509.Version.v3:
        raise Rejected("not version 3")
    for extension in certificate.extensions:
        if extension.critical and extension.oid not in _UNDERSTOOD:
            raise Rejected(f"critical extension {extension.oid.dotted_string}")
    key = certificate.public_key()
    if isinstance(key, rsa.RSAPublicKey) and key.key_size < 2048:
        raise Rejected("an RSA key under 2,048 bits")


def check_signature_hash(certificate: x509.Certificate) -> None:
    """MD5 and SHA-1 prove nothing; an anchor's own signature is not looked at."""
    if isinstance(certificate.signature_hash_algorithm, (hashes.MD5, hashes.SHA1)):
        raise Rejected("a signature with MD5 or SHA-1")


def display_name_uri(display_name: str) -> str:
    """What an authority writes that certifies a display name (SPEC §10.8)."""
    return "multipeer:peer/" + quote(display_name.encode(), safe="")


def certifies_display_name(leaf: x509.Certificate, display_name: str) -> bool:
    alternatives = find(leaf, x509.SubjectAlternativeName)
    uris = alternatives.value.get_values_for_type(x509.UniformResourceIdentifier) if alternatives else []
    return display_name_uri(display_name) in uris


def check_leaf(leaf: x509.Certificate, name: str | None = None) -> None:
    check_common(leaf)
    check_signature_hash(leaf)
    constraints, usage = find(leaf, x509.BasicConstraints), find(leaf, x509.KeyUsage)
    if constraints and constraints.value.ca:
        raise Rejected("the leaf is a CA")
    if usage and usage.value.key_cert_sign:
        raise Rejected("the leaf's key may sign certificates")
    if find(leaf, x509.NameConstraints):
        raise Rejected("name constraints in the leaf")
    purposes = find(leaf, x509.ExtendedKeyUsage)
    if purposes and not _PURPOSES.intersection(purposes.value):
        raise Rejected("the leaf's purposes")
    if name is not None and name.lower() not in _names(leaf):
        raise Rejected("the leaf does not have the expected name")


def _names(leaf: x509.Certificate) -> set[str]:
    alternatives = find(leaf, x509.SubjectAlternativeName)
    return {n.lower() for n in alternatives.value.get_values_for_type(x509.DNSName)} if alternatives else set()


def check_issuer(issuer: x509.Certificate, is_anchor: bool, below: int) -> None:
    """An anchor or intermediate with `below` intermediates between it and the leaf."""
    check_common(issuer)
    if not is_anchor:
        check_signature_hash(issuer)
    constraints, usage = find(issuer, x509.BasicConstraints), find(issuer, x509.KeyUsage)
    if constraints is None or not constraints.critical or not constraints.value.ca:
        raise Rejected("an issuer without critical basicConstraints cA")
    if constraints.value.path_length is not None and below > constraints.value.path_length:
        raise Rejected("the path is longer than an issuer allows")
    if usage and not usage.value.key_cert_sign:
        raise Rejected("an issuer whose key may not sign certificates")
