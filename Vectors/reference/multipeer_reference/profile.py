"""What the profile for trust anchors asks of single certificates (SPEC §10.7)."""

from __future__ import annotations

import ipaddress
from urllib.parse import quote

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtensionOID, SignatureAlgorithmOID

from .constraints import check_form_of_constraints, check_form_of_names, is_host
from .extensions import Rejected, find
from .fingerprints import subject_public_key_info

_UNDERSTOOD = {
    ExtensionOID.BASIC_CONSTRAINTS,
    ExtensionOID.KEY_USAGE,
    ExtensionOID.EXTENDED_KEY_USAGE,
    ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
    ExtensionOID.NAME_CONSTRAINTS,
    # No policy is asked for, so that any will do (RFC 5280 §6.1.1 (c)).
    ExtensionOID.CERTIFICATE_POLICIES,
}
# They demand that policies are processed, which nobody does here; so they are refused where they are not critical, too.
_REFUSED = {ExtensionOID.POLICY_CONSTRAINTS, ExtensionOID.INHIBIT_ANY_POLICY}
# id-ecPublicKey and the curve's identifier as they are in a SubjectPublicKeyInfo (RFC 5480 §2.1.1).
_EC_PUBLIC_KEY = bytes.fromhex("06072a8648ce3d0201")
_NAMED_CURVES = {
    ec.SECP256R1: bytes.fromhex("06082a8648ce3d030107"),
    ec.SECP384R1: bytes.fromhex("06052b81040022"),
    ec.SECP521R1: bytes.fromhex("06052b81040023"),
}
_SOUND_SIGNATURES = {
    SignatureAlgorithmOID.RSA_WITH_SHA256,
    SignatureAlgorithmOID.RSA_WITH_SHA384,
    SignatureAlgorithmOID.RSA_WITH_SHA512,
    SignatureAlgorithmOID.RSASSA_PSS,
    SignatureAlgorithmOID.ECDSA_WITH_SHA256,
    SignatureAlgorithmOID.ECDSA_WITH_SHA384,
    SignatureAlgorithmOID.ECDSA_WITH_SHA512,
    SignatureAlgorithmOID.ED25519,
}


def display_name_uri(display_name: str) -> str:
    """What an authority writes that certifies a display name (SPEC §10.8)."""
    return "multipeer:peer/" + quote(display_name.encode(), safe="")


def certifies_display_name(leaf: x509.Certificate, display_name: str) -> bool:
    """The URI byte for byte, and nothing else."""
    return has_name(leaf, x509.UniformResourceIdentifier(display_name_uri(display_name)))


def has_name(leaf: x509.Certificate, expected: x509.GeneralName) -> bool:
    """Whether one of the subject alternative names stands for this one. The common name never counts."""
    alternatives = find(leaf, x509.SubjectAlternativeName)
    return any(_stands_for(name, expected) for name in (alternatives.value if alternatives else []))


def _stands_for(name: x509.GeneralName, expected: x509.GeneralName) -> bool:
    match name, expected:
        case x509.DNSName(value=pattern), x509.DNSName(value=host):
            pattern, host = pattern.lower(), host.lower()
            if not is_host(host):
                return False
            return host.partition(".")[1:] == (".", pattern[2:]) if pattern.startswith("*.") else host == pattern
        case x509.RFC822Name(value=mailbox), x509.RFC822Name(value=wanted):
            local, _, host = mailbox.partition("@")
            wanted_local, _, wanted_host = wanted.partition("@")
            return local == wanted_local and host.lower() == wanted_host.lower()
        case x509.IPAddress(value=ipaddress.IPv4Address() | ipaddress.IPv6Address()), x509.IPAddress():
            return name == expected
        case x509.UniformResourceIdentifier(), x509.UniformResourceIdentifier():
            return name == expected
    return False


def _check_common(certificate: x509.Certificate, is_anchor: bool) -> None:
    """What holds for leaves and issuers alike. Of an anchor nobody checks signature and serial number."""
    if certificate.version is not x509.Version.v3:
        raise Rejected("not version 3")
    if abs(certificate.serial_number) >> 159 or (certificate.serial_number < 1 and not is_anchor):
        raise Rejected("the serial number")
    if not is_anchor and certificate.signature_algorithm_oid not in _SOUND_SIGNATURES:
        raise Rejected("the signature's algorithm")
    if not certificate.issuer.rdns:
        raise Rejected("no issuer")
    for extension in certificate.extensions:
        if (extension.critical and extension.oid not in _UNDERSTOOD) or extension.oid in _REFUSED:
            raise Rejected(f"extension {extension.oid.dotted_string}")
    usage = find(certificate, x509.KeyUsage)
    if usage and not any(getattr(usage.value, f"_{bit}") for bit in _KEY_USAGE_BITS):
        raise Rejected("a key usage without a bit")
    check_form_of_names(certificate)


_KEY_USAGE_BITS = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
    "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)


def check_leaf(leaf: x509.Certificate) -> None:
    """§10.3 has the keys that a binding can be made with."""
    _check_common(leaf, is_anchor=False)
    _check_key(leaf, (ec.SECP256R1, ec.SECP384R1), maximum_rsa=8_192)
    constraints, usage = find(leaf, x509.BasicConstraints), find(leaf, x509.KeyUsage)
    if constraints and (constraints.value.ca or constraints.value.path_length is not None):
        raise Rejected("the leaf is a CA")
    if usage and usage.value.key_cert_sign:
        raise Rejected("the leaf's key may sign certificates")
    if usage and not usage.value.digital_signature:
        raise Rejected("the leaf's key may not sign the binding")
    if find(leaf, x509.NameConstraints):
        raise Rejected("name constraints in the leaf")
    alternatives = find(leaf, x509.SubjectAlternativeName)
    if not leaf.subject.rdns and not (alternatives and alternatives.critical):
        raise Rejected("no subject, and no critical alternative name")


def _check_key(certificate: x509.Certificate, curves: tuple[type, ...], maximum_rsa: int) -> None:
    match certificate.public_key():
        case ec.EllipticCurvePublicKey(curve=curve) if isinstance(curve, curves):
            # The library also reads curves that are written out; the identifier alone will do (RFC 5480).
            info = subject_public_key_info(certificate.public_bytes(serialization.Encoding.DER))
            if _EC_PUBLIC_KEY + _NAMED_CURVES[type(curve)] in info[:32]:
                return
        case ed25519.Ed25519PublicKey():
            return
        case rsa.RSAPublicKey(key_size=size) if 2048 <= size <= maximum_rsa:
            return
    raise Rejected("the key")


def check_issuer(issuer: x509.Certificate, is_anchor: bool) -> None:
    """An anchor, or an intermediate."""
    _check_common(issuer, is_anchor)
    _check_key(issuer, (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1), maximum_rsa=16_384)
    constraints, usage = find(issuer, x509.BasicConstraints), find(issuer, x509.KeyUsage)
    if constraints is None or not constraints.critical or not constraints.value.ca:
        raise Rejected("an issuer without critical basicConstraints cA")
    if usage and not usage.value.key_cert_sign:
        raise Rejected("an issuer whose key may not sign certificates")
    if not issuer.subject.rdns:
        raise Rejected("an issuer without a name")
    check_form_of_constraints(issuer)
