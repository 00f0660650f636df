"""SPEC §10: bindings of four kinds of keys, verdicts, validators; chains come from openssl."""

import base64
import datetime
import hashlib
import shutil

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from multipeer_reference import events
from multipeer_reference.certificates import (
    LABEL, Certificates, Credential, Side as CertificateSide, check_binding, make_certificates, signed_bytes, transcript,
)
from multipeer_reference.config import Verdict
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fingerprints import fingerprint, subject_public_key_info
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.proofs import Role
from multipeer_reference.paths import PathSearch
from multipeer_reference.session.admissions import admit
from multipeer_reference.trust import AcceptUnverified, Pins, TrustAnchors

from .conftest import CA, KINDS, LEAF, openssl
from .helpers import CHARTER, ALICE, BOB, Pair, config

# The certificates are made after this line.
NOW = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
HASH = bytes(range(32))
ALGORITHMS = {"p256": 0x0403, "p384": 0x0503, "rsa": 0x0804, "ed25519": 0x0807}


def credential(issued, chain_pem=None):
    return Credential.from_pem(chain_pem or issued.certificate.read_bytes(), issued.key.read_bytes())


@pytest.fixture(scope="session")
def credentials(chains):
    return {kind: credential(chain.leaf, chain.pem) for kind, chain in chains.items()}


def refuses(certificates, role=Role.INITIATOR, transcript_hash=HASH):
    with pytest.raises(ProtocolError) as caught:
        check_binding(certificates, role, transcript_hash)
    assert caught.value.code is ErrorCode.BINDING_INVALID


@pytest.mark.parametrize("kind", KINDS)
def test_binding(kind, credentials):
    """R10.4-1: each thing that is signed, changed."""
    mine = make_certificates(credentials[kind], Role.INITIATOR, HASH)
    assert mine.algorithm == ALGORITHMS[kind] and len(mine.chain) == 2
    check_binding(Certificates.decode(mine.encode()), Role.INITIATOR, HASH)
    refuses(mine, role=Role.RESPONDER)
    refuses(mine, transcript_hash=bytes(32))
    refuses(Certificates(mine.chain[:1], mine.algorithm, mine.signature))
    refuses(Certificates(mine.chain + mine.chain[1:], mine.algorithm, mine.signature))
    refuses(Certificates(mine.chain[::-1], mine.algorithm, mine.signature))
    refuses(Certificates(mine.chain, mine.algorithm, b""))
    for algorithm in {0, 0x0401, 0xFFFF, *ALGORITHMS.values()} - {mine.algorithm}:
        refuses(Certificates(mine.chain, algorithm, mine.signature))
    for index in range(0, len(mine.signature), 7):
        changed = bytearray(mine.signature)
        changed[index] ^= 1
        refuses(Certificates(mine.chain, mine.algorithm, bytes(changed)))
    refuses(Certificates((b"\x30\x00",), mine.algorithm, mine.signature))


def test_signed_bytes():
    """§10.3, put together by hand."""
    chain = (b"\x30\x00", b"\x30\x01\x05")
    encoded = b"\x02\x30\x00\x03\x30\x01\x05"
    assert signed_bytes(Role.RESPONDER, HASH, chain) == (
        b" " * 64 + b"multipeer/1 certificate binding\x00" + b"\x01" + HASH + hashlib.sha256(encoded).digest()
    )
    sides = CertificateSide(b"i" * 32, b"INFO-I"), CertificateSide(b"r" * 32, b"INFO-R")
    assert transcript(b"h" * 32, *sides, Role.RESPONDER, b"INVITE", b"ACCEPT") == (
        hashlib.sha256(b"h" * 32 + b"i" * 32 + b"r" * 32 + b"INFO-IINFO-R" + b"\x01" + b"INVITEACCEPT").digest()
    )
    assert LABEL.endswith(b"\x00")


@pytest.mark.parametrize("kind, arguments", [
    ("small RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]),
    ("RSA-PSS", ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ("P-521", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]),
    ("Ed448", ["-algorithm", "ED448"]),
])
def test_keys_without_an_algorithm(kind, arguments, authority, credentials):
    """§10.3, the table: no such leaf is bound, whatever its signature."""
    leaf = authority.issue(arguments, extensions=LEAF)
    der = x509.load_pem_x509_certificate(leaf.certificate.read_bytes()).public_bytes(serialization.Encoding.DER)
    for algorithm in ALGORITHMS.values():
        refuses(Certificates((der,), algorithm, bytes(256)))


def test_rsa_pss_key_signs_well_and_is_refused(authority):
    """A leaf of id-RSASSA-PSS whose signature would verify: the table asks for rsaEncryption."""
    leaf = authority.issue(["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], extensions=LEAF)
    refuses(make_certificates(credential(leaf), Role.INITIATOR, HASH))


@pytest.mark.parametrize("mine", [None, *KINDS])
@pytest.mark.parametrize("yours", [None, *KINDS])
def test_links_with_certificates(mine, yours, credentials):
    pair = Pair(config(ALICE, credential=credentials.get(mine)), config(BOB, credential=credentials.get(yours)))
    pair.open()
    for side, kind in ((pair.initiator, yours), (pair.responder, mine)):
        chain = side.one(events.CertificatesReceived).chain
        assert chain == (credentials[kind].chain if kind else ())


@pytest.mark.parametrize("code", [c for c in ErrorCode if 0x10 <= c <= 0x15])
@pytest.mark.parametrize("rejecter", [0, 1])
def test_rejection(code, rejecter, credentials):
    """R10.5-2: neither side opens; the other learns the code."""
    pair = Pair(config(ALICE, credential=credentials["p256"]))
    pair.sides[rejecter].answers[events.CertificatesReceived] = lambda event: Verdict(code)
    pair.invite()
    pair.pump()
    assert not any(side.of(events.Opened) for side in pair.sides)
    assert pair.sides[rejecter].error is code
    assert pair.sides[1 - rejecter].one(events.Closed).peer_code == code


@pytest.mark.parametrize("silent", [0, 1])
def test_no_verdict_is_a_rejection(silent):
    """R10.5-1."""
    pair = Pair()
    del pair.sides[silent].answers[events.CertificatesReceived]
    pair.invite()
    pair.pump()
    assert pair.sides[silent].link.state is State.CERTIFICATES
    token = pair.sides[silent].one(events.CertificatesReceived).token
    pair.advance(59_999)
    assert pair.sides[silent].link.state is State.CERTIFICATES
    pair.now += 1
    assert not pair.sides[silent].link.resolve(token, Verdict(ErrorCode.NO_ERROR), pair.now)
    pair.pump()
    assert pair.sides[silent].error is ErrorCode.VERDICT_TIMEOUT
    assert not any(side.of(events.Opened) for side in pair.sides)


def in_certificates(frames, credentials=None, **changes):
    """The responder is in *certificates*, without the initiator's; then these frames come."""
    pair = Pair(config(ALICE, expected_peer=BOB.public, **changes))
    pair.invite()
    for direction in (True, False, True, False):
        pair.step(direction)
    assert pair.responder.link.state is State.CERTIFICATES
    core = pair.initiator.link.core
    n = core.channel.sending.n
    core.channel.take_output()  # the honest CERTIFICATES are lost
    core.channel.sending.n = n
    pair.initiator.inject(*frames)
    pair.responder.link.receive(core.channel.take_output(), 0)
    return pair.responder


READY = Frame(FrameType.READY, b"\x00")


def bare(*_):
    return Frame(FrameType.CERTIFICATES, Certificates().encode())


@pytest.mark.parametrize("frames, code", [
    ([READY], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(FrameType.READY, b"\x00\x00")], ErrorCode.MALFORMED),
    ([bare(), READY, READY], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), bare()], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(FrameType.CERTIFICATES, b"\xff")], ErrorCode.UNEXPECTED_FRAME),
    ([Frame(FrameType.READY, b"\x02\x00\x00")], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), READY, Frame(FrameType.READY, b"\xff")], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(FrameType.READY, b"\x02\x02\x00")], ErrorCode.UNSUPPORTED),
    ([bare(), READY, Frame(FrameType.REKEY, b"\x00")], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(FrameType.MESSAGE, b"\x01a")], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(FrameType.FILE_OFFER, b"\x00\x00\x01a\x00")], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), READY, Frame(FrameType.MESSAGE, b"\x01a")], ErrorCode.UNEXPECTED_FRAME),
    ([Frame(FrameType.CERTIFICATES, Certificates((b"\x30",), 0x0807, b"s").encode())], ErrorCode.MALFORMED),
    ([Frame(FrameType.CERTIFICATES, Certificates((), 0x0807, b"").encode())], ErrorCode.MALFORMED),
    ([Frame(FrameType.CERTIFICATES, Certificates((), 0, b"s").encode())], ErrorCode.MALFORMED),
    ([bare(), Frame(0x26)], ErrorCode.UNSUPPORTED), ([bare(), Frame(0x20)], ErrorCode.UNEXPECTED_FRAME),
    ([bare(), Frame(0x21), READY], None),
])
def test_frames_in_certificates(frames, code):
    """R10.2-2, R10.5-3, R10.5-4."""
    responder = in_certificates(frames)
    assert responder.error is code and not responder.of(events.Opened)


def test_announced_chain_must_come(credentials):
    assert in_certificates([bare()], credential=credentials["p256"]).error is ErrorCode.MALFORMED


def test_bad_binding_asks_nobody(credentials):
    """R10.4-1: a signature over another link's transcript."""
    frame = Frame(FrameType.CERTIFICATES, make_certificates(credentials["p256"], Role.INITIATOR, HASH).encode())
    responder = in_certificates([frame], credential=credentials["p256"])
    responder.drain(0)
    assert responder.error is ErrorCode.BINDING_INVALID and not responder.of(events.CertificatesReceived)


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
        # Whoever is confined to some names may not certify display names, of which the constraint does not speak.
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


def test_a_verdict_counts_once():
    """R10.5-1."""
    pair = Pair()
    del pair.initiator.answers[events.CertificatesReceived]
    pair.invite()
    pair.pump()
    token = pair.initiator.one(events.CertificatesReceived).token
    assert pair.initiator.link.resolve(token, Verdict(ErrorCode.NO_ERROR), 0)
    for code in (ErrorCode.NO_ERROR, ErrorCode.CERTIFICATE_REJECTED):
        assert not pair.initiator.link.resolve(token, Verdict(code), 0)
    pair.pump()
    assert all(side.link.state is State.OPEN for side in pair.sides)


def test_other_validators(chains):
    leaf = der(chains["p256"].leaf)
    assert AcceptUnverified().judge((), "peer", NOW) is ErrorCode.NO_ERROR
    pins = Pins(frozenset({fingerprint(leaf)}))
    assert pins.judge((leaf,), "peer", NOW) is ErrorCode.NO_ERROR
    assert pins.judge((der(chains["rsa"].leaf),), "peer", NOW) is ErrorCode.CERTIFICATE_REJECTED
    assert pins.judge((), "peer", NOW) is ErrorCode.CERTIFICATE_REQUIRED


@pytest.mark.parametrize("inviter", [0, 1])
def test_transcript_of_a_link(inviter):
    """§10.3, from the frames themselves: the inviter's role byte, then INVITE and ACCEPT as they were sent."""
    pair = Pair()
    pair.invite(pair.sides[inviter], charter=CHARTER, timeout=1_000)
    frames = {}
    for side in pair.sides:
        queue = side.link.core.channel.queue
        side.link.core.channel.queue = lambda frame, queue=queue: (frames.setdefault(frame.type, frame), queue(frame))
    pair.pump()
    h = pair.initiator.one(events.Secured).handshake_hash
    chain = b"\x40\x63\x02\x40\x60" + admit(ALICE, CHARTER.identifier, BOB.public).encode() if inviter else b"\x02\x02\x00"
    length = (b"\x40\x4a", b"\x40\xac")[inviter]
    invite = b"\x06" + length + CHARTER.founder + CHARTER.nonce + b"\x00\x00\x02\x00\x43\xe8\x00" + chain
    assert frames[FrameType.INVITE].encode() == invite
    infos = b"".join(b"\x04\x0b\x04peer" + b"\x80\x10\x00\x00" + b"\x00\x00" for _ in pair.sides)
    parts = h, ALICE.public, BOB.public, infos, bytes([inviter]), invite, b"\x08\x04\x02\x00\x01\x00"
    expected = hashlib.sha256(b"".join(parts)).digest()
    assert all(side.link.inviting.transcript == expected for side in pair.sides)
