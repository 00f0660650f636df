"""This reference and the Swift program over TCP on the loopback, each as the listener and as the one that connects."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.fingerprints import fingerprint
from multipeer_reference.names import local_file_name, visible_name

from .helpers import seed_of
from .programs import SWIFT, python, swift
from .test_certificates import der

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")

DIRECTIONS = ["python-connects", "swift-connects"]
NOISE = {"chachapoly": "Noise_NN_25519_ChaChaPoly_SHA256", "aesgcm": "Noise_NN_25519_AESGCM_SHA256"}
POLICIES = ["none", "optional", "required"]
UNVERIFIED = ("--accept-unverified",)
NEVER = "01" * 32  # nobody's identity key


class Pairing:
    """One run of both programs; `ours` is the reference, `theirs` the Swift program."""

    def __init__(self, direction: str, store: Path) -> None:
        self.direction, self.store = direction, store

    @property
    def we_connect(self) -> bool:
        return self.direction == "python-connects"

    def run(self, ours: list | tuple, theirs: list | tuple, unidentified: bool = False) -> tuple[int, int]:
        """The exit statuses: ours, then theirs.

        A peer that fails before it is identified does not count for the Swift listener's --once. So a Swift listener that
        is to meet one (`unidentified`) is interrupted in the end.
        """
        if self.we_connect:
            self.theirs = swift("listen", "--port", 0, "--once", "--accept", "all", *theirs, store=self.store)
            self.ours = python("connect", f"127.0.0.1:{self.theirs.port}", *ours)
        else:
            self.ours = python("listen", "--port", 0, "--once", *ours)
            self.theirs = swift("connect", f"127.0.0.1:{self.ours.port}", *theirs, store=self.store)
        first = self.ours.wait()
        if unidentified and self.we_connect:
            self.theirs.interrupt_after("failed")
        statuses = first, self.theirs.wait()
        self.story = (statuses, self.ours.events, self.theirs.events, self.ours.errors, self.theirs.errors)
        return statuses

    def opened_alike(self, outcome: int, suite: str | None = None) -> None:
        """Both say the same of the link."""
        ours, theirs = self.ours.one("opened"), self.theirs.one("opened")
        assert ours["outcome"] == outcome and theirs["encryption"] == ("readable", "encrypted")[outcome]
        assert ours["session"] == theirs["session"]
        assert self.ours.one("secured")["handshake_hash"] == theirs["handshakeHash"]
        assert self.ours.one("identified")["display_name"] == (self.theirs.first or self.theirs.events[0])["name"]
        if suite:
            assert theirs["suite"] == NOISE[suite]


@pytest.fixture(params=DIRECTIONS)
def pairing(request, tmp_path) -> Pairing:
    return Pairing(request.param, tmp_path / "store")


def said(*messages: str) -> list[str]:
    return [part for message in messages for part in ("--message", message)]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("suite", NOISE)
@pytest.mark.parametrize("mine", POLICIES)
@pytest.mark.parametrize("yours", POLICIES)
def test_suites_and_policies(pairing, suite, mine, yours):
    """SPEC §11 both ways, with messages from the peer that connects."""
    messages = said("first", "zweite Nachricht: äöü", "x" * 70_000)
    ours, theirs = ["--encryption", mine, *UNVERIFIED], ["--encryption", yours, *UNVERIFIED]
    (ours if pairing.we_connect else theirs).extend([*messages, "--suite", suite])
    statuses = pairing.run(ours, theirs)
    if {mine, yours} == {"none", "required"}:
        assert statuses == (77, 77), pairing.story
        assert pairing.ours.one("invitation-declined")["reason"] == 3
        assert pairing.ours.one("closed")["outcome"] == "policy_conflict"
        assert pairing.theirs.one("failed")["phase"] == "invitation" and not pairing.theirs.has("opened")
        return
    assert statuses == (0, 0), pairing.story
    pairing.opened_alike(0 if "none" in (mine, yours) else 1, suite)
    if pairing.we_connect:
        assert [m["size"] for m in pairing.theirs.all("message")] == [5, 24, 70_000]
        assert [m["text"] for m in pairing.theirs.all("message")][:2] == ["first", "zweite Nachricht: äöü"]
    else:
        digests = [m["sha256"] for m in pairing.ours.all("message-received")]
        assert digests == [digest(m) for m in (b"first", "zweite Nachricht: äöü".encode(), b"x" * 70_000)]


@pytest.mark.parametrize("preferred", NOISE)
def test_both_suites_offered(pairing, preferred):
    """R7.3-1: the first of the initiator's that the responder has."""
    assert pairing.run([*UNVERIFIED], ["--suite", preferred, *UNVERIFIED]) == (0, 0), pairing.story
    pairing.opened_alike(1, preferred)


def test_no_common_suite(pairing):
    ours, theirs = ["--suite", "chachapoly", *UNVERIFIED], ["--suite", "aesgcm", *UNVERIFIED]
    first, second = pairing.run(ours, theirs, unidentified=True)
    assert first == 77 and (pairing.we_connect or second in (76, 77)), pairing.story
    refused = pairing.ours.one("refused")
    assert (refused["code"], refused["suites"]) == (2, [2] if pairing.we_connect else [1])
    assert pairing.theirs.one("failed")["phase"] == "negotiation"


@pytest.fixture(scope="session")
def pems(chains, tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pems")
    for kind, chain in chains.items():
        (folder / f"{kind}.pem").write_bytes(chain.pem)
    return {kind: folder / f"{kind}.pem" for kind in chains}


def showing(kind: str, chains, pems) -> list:
    return ["--certificate", pems[kind], "--key", chains[kind].leaf.key]


@pytest.mark.parametrize("mine", ["p256", "p384", "rsa", "ed25519"])
@pytest.mark.parametrize("yours", ["p256", "p384", "rsa", "ed25519"])
def test_certificates(pairing, mine, yours, chains, pems):
    """SPEC §10: chains of openssl, trust anchors of both peers."""
    statuses = pairing.run(
        [*showing(mine, chains, pems), "--trust", chains[yours].root.certificate],
        [*showing(yours, chains, pems), "--trust", chains[mine].root.certificate],
    )
    assert statuses == (0, 0), pairing.story
    pairing.opened_alike(1)
    assert pairing.ours.one("certificates-received")["fingerprint"] == fingerprint(der(chains[yours].leaf))
    assert pairing.theirs.one("opened")["verified"] is True


def test_pins(pairing, chains, pems):
    ours = [*showing("rsa", chains, pems), "--pin", fingerprint(der(chains["p384"].leaf))]
    theirs = [*showing("p384", chains, pems), "--pin", fingerprint(der(chains["rsa"].leaf))]
    assert pairing.run(ours, theirs) == (0, 0), pairing.story
    ours[-1] = fingerprint(der(chains["p256"].leaf))
    assert pairing.run(ours, theirs) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["error"] == "certificate_rejected"
    ours, theirs = [*showing("rsa", chains, pems), *UNVERIFIED], [*theirs[:-1], ours[-1]]
    assert pairing.run(ours, theirs) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["peer_code"] in ("certificate_rejected", "unknown_authority")


def test_wrong_authority(pairing, chains, pems):
    wrong = ["--trust", chains["p256"].root.certificate]
    right = ["--trust", chains["ed25519"].root.certificate]
    ed25519, rsa = showing("ed25519", chains, pems), showing("rsa", chains, pems)
    assert pairing.run([*ed25519, *wrong], [*rsa, *right]) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["error"] == "unknown_authority"
    assert pairing.run([*rsa, *right], [*ed25519, *wrong]) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["peer_code"] == "unknown_authority"


def test_no_certificate(pairing, chains):
    """R10.5-2: the verdict asks for one."""
    trust = ["--trust", chains["p256"].root.certificate]
    assert pairing.run(trust, UNVERIFIED) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["error"] == "certificate_required"
    assert pairing.run(UNVERIFIED, trust) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["peer_code"] == "certificate_required"


def test_expired(pairing, chains, authority, tmp_path):
    leaf = authority.issue(
        "p256", chains["p256"].intermediate, days=("20200101000000Z", "20200201000000Z"), name="expired"
    )
    pem = tmp_path / "expired.pem"
    pem.write_bytes(leaf.certificate.read_bytes() + chains["p256"].intermediate.certificate.read_bytes())
    shown, trust = ["--certificate", pem, "--key", leaf.key], ["--trust", chains["p256"].root.certificate]
    assert pairing.run([*shown, *UNVERIFIED], trust) == (77, 77), pairing.story
    assert pairing.ours.one("closed")["peer_code"] == "certificate_expired"
    assert pairing.run(trust, [*shown, *UNVERIFIED]) in {(77, 77), (77, 66)}, pairing.story


def test_name_in_certificate(pairing, chains, authority, tmp_path):
    """SPEC §10.8: a uniformResourceIdentifier, percent-encoded."""
    name, uri = "Zoë & Ø #1", "multipeer:peer/Zo%C3%AB%20%26%20%C3%98%20%231"
    leaf = authority.issue("p384", chains["p384"].intermediate, (
        "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n"
        f"subjectAltName=URI:{uri}\n"
    ), name="certified")
    pem = tmp_path / "named.pem"
    pem.write_bytes(leaf.certificate.read_bytes() + chains["p384"].intermediate.certificate.read_bytes())
    shown = ["--certificate", pem, "--key", leaf.key]
    trust = ["--trust", chains["p384"].root.certificate, "--match-name"]
    both = [*shown, *trust, "--name"]
    assert pairing.run([*both, name], [*both, name]) == (0, 0), pairing.story
    assert pairing.run([*both, "Zoe"], [*both, name]) == (77, 77), pairing.story
    assert pairing.run([*both, name], [*both, "Zoe"]) == (77, 77), pairing.story


@pytest.mark.parametrize("encryption", ["none", "required"])
def test_files(pairing, encryption, tmp_path):
    """SPEC §15.3; what arrives has the bytes that were sent."""
    contents = {"empty": b"", "small.txt": b"hello", "large.bin": bytes(range(256)) * 8_000, "é ü.txt": bytes(65_536)}
    sources, saved = tmp_path / "sources", tmp_path / "saved"
    sources.mkdir(), saved.mkdir()
    for name, content in contents.items():
        (sources / name).write_bytes(content)
    sent = [part for name in contents for part in ("--file", sources / name)]
    common = ["--encryption", encryption, *UNVERIFIED]
    sides = [[*common, *sent, *said("with files")], [*common, "--save", saved]]
    assert pairing.run(*(sides if pairing.we_connect else reversed(sides))) == (0, 0), pairing.story
    assert {path.name: path.read_bytes() for path in saved.iterdir() if path.is_file()} == contents
    if pairing.we_connect:
        assert len(pairing.ours.all("file-delivered")) == len(contents)
    else:
        received = {event["sha256"] for event in pairing.ours.all("file-received")}  # several are under way at once
        assert received == {digest(content) for content in contents.values()}


def test_listener_sends_files(tmp_path):
    """The listener's direction of files; only the reference's listener can be asked to."""
    (tmp_path / "back.bin").write_bytes(bytes(range(251)) * 3_000)
    (tmp_path / "saved").mkdir()
    pairing = Pairing("swift-connects", tmp_path / "store")
    statuses = pairing.run(
        [*UNVERIFIED, "--file", tmp_path / "back.bin", *said("and a message"), "--close"],
        [*UNVERIFIED, "--stay", "--save", tmp_path / "saved"],
    )
    assert statuses == (0, 0), pairing.story
    assert (tmp_path / "saved" / "back.bin").read_bytes() == (tmp_path / "back.bin").read_bytes()
    assert pairing.theirs.one("message")["text"] == "and a message"
    assert pairing.ours.has("file-delivered")


def test_file_that_nobody_takes(pairing, tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    sides = [[*UNVERIFIED, "--file", tmp_path / "a"], [*UNVERIFIED]]
    first, second = pairing.run(*(sides if pairing.we_connect else reversed(sides)))
    assert (first, second) == ((77, 0) if pairing.we_connect else (0, 77)), pairing.story
    cancelled = pairing.ours.one("file-cancelled")
    assert cancelled["reason"] == 1 and cancelled["by_us"] is not pairing.we_connect


@pytest.mark.parametrize("name", [
    "CON.txt", " .hidden. ", ".profile", "a:b*c?d\"e<f>g|h", "n" * 250 + ".jpeg", "nul .tar.gz", "…",
])
def test_file_names(name, tmp_path):
    """SPEC §15.5: the Swift receiver stores under the name that this reference derives."""
    (tmp_path / "sources").mkdir(), (tmp_path / "saved").mkdir()
    (tmp_path / "sources" / name).write_bytes(b"content")
    pairing = Pairing("python-connects", tmp_path / "store")
    statuses = pairing.run(
        [*UNVERIFIED, "--file", tmp_path / "sources" / name], [*UNVERIFIED, "--save", tmp_path / "saved"]
    )
    assert statuses == (0, 0), pairing.story
    assert [path.name for path in (tmp_path / "saved").iterdir()] == [visible_name(local_file_name(name))]


def test_declined(tmp_path):
    """R8.4: by either peer; the decliner knows, too."""
    pairing = Pairing("swift-connects", tmp_path / "store")
    assert pairing.run([*UNVERIFIED, "--accept", "none"], UNVERIFIED) == (77, 77), pairing.story
    assert pairing.ours.one("invitation-declined")["reason"] == 1
    listener = swift("listen", "--port", 0, "--once", "--accept", "none", *UNVERIFIED, store=tmp_path / "store")
    ours = python("connect", f"127.0.0.1:{listener.port}", *UNVERIFIED)
    assert (ours.wait(), listener.wait()) == (77, 77), (ours.events, listener.events)
    assert ours.one("invitation-declined")["reason"] == 1 and ours.one("closed")["outcome"] == "declined"


def identity(store: Path, name: str) -> str:
    """Makes a lasting identity for the Swift program; its key."""
    made = swift("identity", "create", name, store=store)
    assert made.wait() == 0, made.errors
    return made.one("identity")["peer"]


def test_expected_peer(tmp_path):
    store = tmp_path / "store"
    key = identity(store, "Swift ✓")
    pairing = Pairing("python-connects", store)
    assert pairing.run([*UNVERIFIED, "--expect", key], UNVERIFIED) == (0, 0), pairing.story
    assert pairing.ours.one("identified")["display_name"] == "Swift ✓"
    assert pairing.run([*UNVERIFIED, "--expect", NEVER], UNVERIFIED, unidentified=True)[0] == 76, pairing.story
    assert pairing.ours.one("closed")["error"] == "unexpected_identity"
    seed = "42" * 32
    pairing = Pairing("swift-connects", store)
    pairing.run([*UNVERIFIED, "--identity-seed", seed], UNVERIFIED)
    ours = pairing.theirs.one("identified")["peer"]
    assert pairing.ours.one("identified")["identity_key"] == key
    assert pairing.run([*UNVERIFIED, "--identity-seed", seed], ["--expect", ours]) == (0, 0), pairing.story
    assert pairing.run(UNVERIFIED, [*UNVERIFIED, "--expect", ours]) == (76, 76), pairing.story
    assert pairing.ours.one("closed")["peer_code"] == "unexpected_identity"


def test_responder_invites_too(tmp_path):
    """SPEC §8.6: both invite, and both end in one session. Only the invitee of that session is asked."""
    pairing = Pairing("swift-connects", tmp_path / "store")
    statuses = pairing.run(
        [*UNVERIFIED, "--invite", *said("back"), "--await-messages", 1, "--close"], [*UNVERIFIED, *said("there"), "--stay"]
    )
    assert statuses == (0, 0), pairing.story
    pairing.opened_alike(1)
    charter = Charter.decode(bytes.fromhex(pairing.ours.one("opened")["charter"]))
    is_ours = charter.founder.hex() != pairing.ours.one("identified")["identity_key"]
    assert not is_ours or pairing.theirs.one("identified")["peer"] == charter.founder.hex(), pairing.story
    assert (pairing.theirs.has("invited"), pairing.ours.has("invitation-received")) == (is_ours, not is_ours), pairing.story
    assert pairing.theirs.one("message")["text"] == "back"
    assert pairing.ours.one("message-received")["text"] == "there"


@pytest.mark.parametrize("context", ["", "z" * 63, "z" * 64, "ß" * 8_192, "z" * 16_384])
def test_contexts(pairing, context):
    """Lengths at which a varint grows, and the longest of §8.2."""
    assert pairing.run([*UNVERIFIED, *(["--context", context] if pairing.we_connect else [])],
                       [*UNVERIFIED, *([] if pairing.we_connect else ["--context", context])]) == (0, 0), pairing.story
    if pairing.we_connect:
        assert pairing.theirs.one("invited")["context"]["text"] == context
    else:
        assert bytes.fromhex(pairing.ours.one("invitation-received")["context"]).decode() == context


def test_context_too_long(tmp_path):
    """Longer ones are never sent."""
    listener = python("listen", "--port", 0, "--once", *UNVERIFIED)
    theirs = swift("connect", f"127.0.0.1:{listener.port}", *UNVERIFIED, "--context", "z" * 16_385, store=tmp_path)
    assert theirs.wait() == 64, (theirs.events, theirs.errors)
    listener.stop()
    assert not listener.has("invitation-received")


@pytest.mark.parametrize("length", [0, 1, 62, 63, 16_383, 16_384, 65_507, 65_511, 65_512, 120_000])
def test_message_lengths(pairing, length):
    """The lengths at which varints, frames and records are at their edges."""
    text = "m" * length
    sides = [[*UNVERIFIED, *said(text, "end")], [*UNVERIFIED]]
    assert pairing.run(*(sides if pairing.we_connect else reversed(sides))) == (0, 0), pairing.story
    if pairing.we_connect:
        assert [m["size"] for m in pairing.theirs.all("message")] == [length, 3]
    else:
        assert [m["sha256"] for m in pairing.ours.all("message-received")] == [digest(text.encode()), digest(b"end")]


def test_message_longer_than_the_peer_takes(tmp_path):
    """R15.1-3: the sender does not even begin."""
    pairing = Pairing("swift-connects", tmp_path / "store")
    ours, theirs = pairing.run([*UNVERIFIED, "--maximum-message", 9], [*UNVERIFIED, *said("123456789")])
    assert (ours, theirs) == (0, 0), pairing.story
    ours, theirs = pairing.run([*UNVERIFIED, "--maximum-message", 9], [*UNVERIFIED, *said("1234567890")])
    assert theirs != 0 and not pairing.ours.has("message-received"), pairing.story
    assert pairing.ours.one("closed")["error"] is None


@pytest.mark.parametrize("name", ["a", "n" * 63, "名前" * 10, "é" * 31 + "a"])
def test_display_names(pairing, name):
    assert pairing.run([*UNVERIFIED, "--name", name], [*UNVERIFIED, "--name", name]) == (0, 0), pairing.story
    assert pairing.ours.one("identified")["display_name"] == name == pairing.theirs.one("identified")["name"]
