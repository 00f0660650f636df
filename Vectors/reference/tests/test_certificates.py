"""SPEC §10.3, §10.6 to §10.8: keys that have no binding, fingerprints and validators; chains come from openssl."""

import base64
import datetime
import hashlib
import shutil

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from multipeer_reference.certificates import Credential, check_binding, make_certificates
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fingerprints import fingerprint, subject_public_key_info
from multipeer_reference.proofs import Role
from multipeer_reference.paths import PathSearch
from multipeer_reference.trust import AcceptUnverified, Pins, TrustAnchors

from .conftest import CA, KINDS, LEAF, openssl

# The certificates are made after this line.
NOW = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
HASH = bytes(range(32))


def refuses(certificates):
    with pytest.raises(ProtocolError) as caught:
        check_binding(certificates, Role.INITIATOR, HASH)
    assert caught.value.code is ErrorCode.BINDING_INVALID


def test_rsa_pss_key_signs_well_and_is_refused(authority):
    """A leaf of id-RSASSA-PSS whose signature would verify: the table asks for rsaEncryption."""
    leaf = authority.issue(["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], extensions=LEAF)
    credential = Credential.from_pem(leaf.certificate.read_bytes(), leaf.key.read_bytes())
    refuses(make_certificates(credential, Role.INITIATOR, HASH))


def der(issued):
    return x509.load_pem_x509_certificate(issued.certificate.read_bytes()).public_bytes(serialization.Encoding.DER)


def test_fingerprint(chains, authority):
    """§10.6 against openssl; also for a compressed point, which the library would encode anew."""
    key = authority.folder / "compressed.key"
    openssl("ec", "-in", authority.key("p256"), "-conv_form", "compressed", "-out", key)
    compressed = authority.issue("p256", extensions=LEAF, key=key)
    assert len(subject_public_key_info(der(compressed))) == 59
    for issued in [chain.leaf for chain in chains.values()] + [compressed]:
        public = openssl("x509", "-in", issued.certificate, "-noout", "-pubkey")
        info = b"".join(public.splitlines()[1:-1])
        assert fingerprint(der(issued)) == "sha256:" + hashlib.sha256(base64.b64decode(info)).hexdigest()


def judge(chain, anchors, time=NOW, name=None, display_name=None):
    pem = b"".join(anchor.certificate.read_bytes() for anchor in anchors)
    anchors = TrustAnchors.from_pem(pem, name, matches_display_name=display_name is not None)
    return anchors.judge(tuple(der(issued) for issued in chain), display_name or "peer", time)


@pytest.mark.parametrize("kind", KINDS)
def test_trust_anchors(kind, chains, authority):
    """§10.7."""
    chain, other = chains[kind], authority.issue(kind, extensions=CA)
    path = [chain.leaf, chain.intermediate]
    assert judge(path, [chain.root]) is ErrorCode.NO_ERROR
    assert judge([*path, chain.root], [chain.root]) is ErrorCode.NO_ERROR
    assert judge(path, [other, chain.root]) is ErrorCode.NO_ERROR
    assert judge([chain.leaf], [chain.intermediate]) is ErrorCode.NO_ERROR
    assert judge(path, [chain.root], name="peer.example") is ErrorCode.NO_ERROR
    assert judge(path, [chain.root], name="other.example") is ErrorCode.CERTIFICATE_REJECTED
    assert judge([chain.leaf], [chain.root]) is ErrorCode.UNKNOWN_AUTHORITY
    assert judge([*path, chain.root], [other]) is ErrorCode.UNKNOWN_AUTHORITY
    assert judge([], [chain.root]) is ErrorCode.CERTIFICATE_REQUIRED
    assert judge(path, [chain.root], NOW + datetime.timedelta(days=40)) is ErrorCode.CERTIFICATE_EXPIRED
    assert judge(path, [chain.root], NOW - datetime.timedelta(days=2)) is ErrorCode.CERTIFICATE_EXPIRED
    assert judge([chain.intermediate], [chain.root]) is ErrorCode.CERTIFICATE_REJECTED


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
@pytest.mark.parametrize("extensions, code", [
    (LEAF, ErrorCode.NO_ERROR),
    ("keyUsage=digitalSignature\n", ErrorCode.NO_ERROR),
    (LEAF + "extendedKeyUsage=serverAuth\n", ErrorCode.NO_ERROR),
    (LEAF + "extendedKeyUsage=anyExtendedKeyUsage\n", ErrorCode.NO_ERROR),
    (LEAF + "extendedKeyUsage=codeSigning\n", ErrorCode.CERTIFICATE_REJECTED),
    (LEAF + "nameConstraints=permitted;DNS:example\n", ErrorCode.CERTIFICATE_REJECTED),
    (LEAF + "1.2.3.4=critical,DER:0500\n", ErrorCode.CERTIFICATE_REJECTED),
    (LEAF + "1.2.3.4=DER:0500\n", ErrorCode.NO_ERROR),
    ("keyUsage=critical,keyAgreement\n", ErrorCode.CERTIFICATE_REJECTED),
    ("keyUsage=critical,nonRepudiation\n", ErrorCode.CERTIFICATE_REJECTED),
    (LEAF + "certificatePolicies=critical,1.2.3.4\n", ErrorCode.NO_ERROR),
    (LEAF + "subjectAltName=DNS:under_score.example\n", ErrorCode.CERTIFICATE_REJECTED),
    (CA, ErrorCode.CERTIFICATE_REJECTED),
    ("keyUsage=keyCertSign\n", ErrorCode.CERTIFICATE_REJECTED),
])
def test_profile_of_leaves(kind, extensions, code, chains, authority):
    leaf = authority.issue(kind, chains[kind].intermediate, extensions)
    assert judge([leaf, chains[kind].intermediate], [chains[kind].root]) is code


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
@pytest.mark.parametrize("extensions, code", [
    ("basicConstraints=critical,CA:TRUE\n", ErrorCode.NO_ERROR),
    ("basicConstraints=CA:TRUE\nkeyUsage=keyCertSign\n", ErrorCode.UNKNOWN_AUTHORITY),
    ("keyUsage=critical,keyCertSign\n", ErrorCode.UNKNOWN_AUTHORITY),
    ("basicConstraints=critical,CA:FALSE\n", ErrorCode.UNKNOWN_AUTHORITY),
    ("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,digitalSignature\n", ErrorCode.UNKNOWN_AUTHORITY),
    (CA + "1.2.3.4=critical,DER:0500\n", ErrorCode.UNKNOWN_AUTHORITY),
    (CA + "extendedKeyUsage=codeSigning\n", ErrorCode.UNKNOWN_AUTHORITY),
    (CA + "extendedKeyUsage=clientAuth,codeSigning\n", ErrorCode.NO_ERROR),
    (CA + "certificatePolicies=critical,1.2.3.4\n", ErrorCode.NO_ERROR),
    (CA + "policyConstraints=critical,requireExplicitPolicy:0\n", ErrorCode.UNKNOWN_AUTHORITY),
    (CA + "policyConstraints=requireExplicitPolicy:3\n", ErrorCode.UNKNOWN_AUTHORITY),
    (CA + "inhibitAnyPolicy=critical,0\n", ErrorCode.UNKNOWN_AUTHORITY),
])
@pytest.mark.parametrize("as_anchor", [False, True])
def test_profile_of_issuers(kind, extensions, code, as_anchor, chains, authority):
    issuer = authority.issue(kind, chains[kind].root, extensions)
    leaf = authority.issue(kind, issuer)
    if as_anchor:
        assert judge([leaf], [issuer]) is code
    else:
        assert judge([leaf, issuer], [chains[kind].root]) is code


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
@pytest.mark.parametrize("constraint, subject, is_good", [
    ("permitted;dirName:base", "/O=Multipeer/CN=Alice", True),
    ("permitted;dirName:base", "/O=MULTIPEER  /CN=Alice", True),
    ("permitted;dirName:base", "/O=Other/CN=Alice", False),
    ("permitted;dirName:base", "/CN=Alice", False),
    ("excluded;dirName:base", "/O=Multipeer/CN=Alice", False),
    ("excluded;dirName:base", "/O=Other/CN=Alice", True),
    ("permitted;DNS:peers.example", "/CN=Alice", True),
    ("permitted;DNS:other.example", "/CN=Alice", False),
    ("excluded;DNS:a.peers.example", "/CN=Alice", False),
    ("permitted;URI:peers.example", "/CN=Alice", False),
    ("excluded;URI:peers.example", "/CN=Alice", False),
    ("permitted;email:peers.example", "/CN=Alice/emailAddress=a@other.example", False),
    ("permitted;email:peers.example", "/CN=Alice/emailAddress=a@peers.example", True),
    ("permitted;IP:10.0.0.0/255.0.0.0", "/CN=Alice", True),
])
def test_name_constraints(kind, constraint, subject, is_good, authority):
    """RFC 5280 §4.2.1.10. A `multipeer:peer/` URI has no authority, so that every constraint of URIs refuses it."""
    base = "[base]\nO=Multipeer\n"
    names = "subjectAltName=DNS:a.peers.example,URI:multipeer:peer/Alice\n"
    for is_anchor in (False, True):
        root = authority.issue(kind, extensions=CA)
        extensions = CA + f"nameConstraints=critical,{constraint}\n" + base
        issuer = authority.issue(kind, None if is_anchor else root, extensions)
        leaf = authority.issue(kind, issuer, LEAF + names, subject=subject)
        anchors = [issuer if is_anchor else root]
        verdict = judge([leaf, issuer], anchors)
        assert verdict is (ErrorCode.NO_ERROR if is_good else ErrorCode.UNKNOWN_AUTHORITY)
        # An authority that is confined to some names may not certify display names, of which the constraint does not
        # speak.
        assert judge([leaf, issuer], anchors, display_name="Alice") is ErrorCode.UNKNOWN_AUTHORITY


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
def test_path_length(kind, authority):
    root = authority.issue(kind, extensions=CA.replace("TRUE", "TRUE,pathlen:0"))
    middle = authority.issue(kind, root, CA)
    assert judge([authority.issue(kind, root)], [root]) is ErrorCode.NO_ERROR
    assert judge([authority.issue(kind, middle), middle], [root]) is ErrorCode.UNKNOWN_AUTHORITY


@pytest.mark.parametrize("kind", ["p256", "ed25519"])
def test_expired_intermediate(kind, chains, authority):
    old = authority.issue(kind, chains[kind].root, CA, days=("20200101000000Z", "20210101000000Z"))
    leaf = authority.issue(kind, old)
    assert judge([leaf, old], [chains[kind].root]) is ErrorCode.UNKNOWN_AUTHORITY


def test_version_1_and_sha1(chains, authority):
    root = chains["rsa"].root
    assert judge([authority.issue("rsa", root, "")], [root]) is ErrorCode.CERTIFICATE_REJECTED
    sha1 = authority.issue("rsa", root, options=("-sha1",))
    assert judge([sha1], [root]) is ErrorCode.CERTIFICATE_REJECTED


def test_search_is_bounded(authority):
    """Seven intermediates that all certify each other: without a bound, thousands of signatures are verified."""
    key = authority.key("ed25519")
    first = authority.issue("ed25519", None, CA, name="loop", key=key)
    loops = []
    for index in range(7):
        copy = authority.folder / f"loop{index}.key"
        shutil.copy(key, copy)
        loops.append(authority.issue("ed25519", first, CA, name="loop", key=copy))
    leaf = authority.issue("ed25519", first)
    other = authority.issue("ed25519", None, CA)
    parsed = [x509.load_der_x509_certificate(der(issued)) for issued in (leaf, *loops, other)]
    search = PathSearch([parsed[-1]], NOW, budget=100)
    assert not search.leads_to_anchor(parsed[0], parsed[1:-1])
    assert search.budget == 0


@pytest.mark.parametrize("name, uri", [
    ("Alice", "multipeer:peer/Alice"), ("a/b c", "multipeer:peer/a%2Fb%20c"), ("Ünal~", "multipeer:peer/%C3%9Cnal~"),
    ("😀-._", "multipeer:peer/%F0%9F%98%80-._"),
])
def test_display_names_in_certificates(name, uri, chains, authority):
    """§10.8."""
    root = chains["p256"].root
    leaf = authority.issue("p256", root, LEAF + f"subjectAltName=URI:{uri}\n")
    assert judge([leaf], [root], display_name=name) is ErrorCode.NO_ERROR
    assert judge([leaf], [root], display_name=name + "x") is ErrorCode.CERTIFICATE_REJECTED
    without = [chains["p256"].leaf, chains["p256"].intermediate]
    assert judge(without, [root], display_name=name) is ErrorCode.CERTIFICATE_REJECTED


@pytest.mark.parametrize("names", [
    "DNS:peer.example", "DNS:*.example", "URI:multipeer:peer/Peer.example", "URI:multipeer:peer/peer%2Eexample",
    "URI:multipeer:peer/peer.example/", "URI:MULTIPEER:peer/peer.example", "email:peer@peer.example",
])
def test_nothing_else_certifies_a_display_name(names, chains, authority):
    """§10.8: the one URI, byte for byte; a host name, even a wildcard, is none."""
    root = chains["p256"].root
    leaf = authority.issue("p256", root, LEAF + f"subjectAltName={names}\n")
    assert judge([leaf], [root], display_name="peer.example") is ErrorCode.CERTIFICATE_REJECTED


def test_other_validators(chains):
    leaf = der(chains["p256"].leaf)
    assert AcceptUnverified().judge((), "peer", NOW) is ErrorCode.NO_ERROR
    pins = Pins(frozenset({fingerprint(leaf)}))
    assert pins.judge((leaf,), "peer", NOW) is ErrorCode.NO_ERROR
    assert pins.judge((der(chains["rsa"].leaf),), "peer", NOW) is ErrorCode.CERTIFICATE_REJECTED
    assert pins.judge((), "peer", NOW) is ErrorCode.CERTIFICATE_REQUIRED
