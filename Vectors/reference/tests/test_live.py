"""The live program against itself over TCP on the loopback: both roles, suites, policies, certificates, files, ends."""

from __future__ import annotations

import hashlib
import itertools
import select
import socket
import time
from typing import Callable

import pytest

from multipeer_reference.fingerprints import fingerprint
from multipeer_reference.hello import DRAFT_04, InitiatorHello, Refusal

from .helpers import ALICE, BOB, FULL, seed_of
from .programs import LIMIT, Program, python, python_module
from .test_certificates import der


def run(listener: list, connector: list, trust: str = "--accept-unverified") -> tuple[Program, Program, int, int]:
    common = [trust] if trust else []
    mine = python("listen", "--port", 0, "--once", *common, *listener)
    yours = python("connect", f"127.0.0.1:{mine.port}", *common, *connector)
    statuses = yours.wait(), mine.wait()
    return mine, yours, *reversed(statuses)


MESSAGES = ["--message", "first", "--message", "zweite Nachricht: äöü"]


def texts(process: Program) -> list[str]:
    return [event["text"] for event in process.events if event["event"] == "message-received"]


POLICIES = ["none", "optional", "required"]
CASES = list(itertools.product(["connect", "listen", "both"], POLICIES, POLICIES))
SUITES = {"chachapoly": 1, "aesgcm": 2, "hybrid-chachapoly": 3, "hybrid-aesgcm": 4}
#: Each case with one suite, in turns; with MULTIPEER_FULL with all. (The Swift program meets all: test_live_swift.)
SUITED = [(suite, *case) for n, case in enumerate(CASES) for suite in (SUITES if FULL else [[*SUITES][n % 4]])]


@pytest.mark.parametrize("suite,inviter,mine,yours", SUITED)
def test_roles_suites_policies(suite, inviter, mine, yours):
    listener = ["--encryption", mine, *MESSAGES] + (["--invite"] if inviter != "connect" else [])
    connector = ["--encryption", yours, "--suite", suite, *MESSAGES, "--await-messages", 2]
    connector += ["--no-invite"] if inviter == "listen" else []
    listening, connected, first, second = run(listener, connector)
    for process in (listening, connected):
        assert process.one("secured")["suite"] == SUITES[suite]
    if {mine, yours} == {"none", "required"}:
        assert (first, second) == (77, 77)
        assert listening.one("invitation-declined")["reason"] == connected.one("invitation-declined")["reason"] == 3
        return
    assert (first, second) == (0, 0), (listening.events, connected.events)
    outcome = 0 if "none" in (mine, yours) else 1
    assert listening.one("opened") == connected.one("opened")
    assert listening.one("opened")["outcome"] == outcome
    assert texts(listening) == texts(connected) == ["first", "zweite Nachricht: äöü"]


@pytest.mark.parametrize("mine", ["p256", "p384", "rsa", "ed25519"])
@pytest.mark.parametrize("yours", ["p256", "p384", "rsa", "ed25519"])
def test_certificates(mine, yours, chains, tmp_path):
    files = {}
    for side, kind in (("mine", mine), ("yours", yours)):
        files[side] = tmp_path / f"{side}.pem"
        files[side].write_bytes(chains[kind].pem)
    roots = {kind: chains[kind].root.certificate for kind in (mine, yours)}
    listening, connected, *statuses = run(
        ["--certificate", files["mine"], "--key", chains[mine].leaf.key, "--trust", roots[yours]],
        ["--certificate", files["yours"], "--key", chains[yours].leaf.key, "--trust", roots[mine]], trust="",
    )
    assert statuses == [0, 0], (listening.events, connected.events)
    assert listening.one("certificates-received")["fingerprint"] == fingerprint(der(chains[yours].leaf))
    assert connected.one("certificates-received")["certificates"] == 2


def with_certificate(chain, folder) -> list:
    path = folder / "chain.pem"
    path.write_bytes(chain.pem)
    return ["--certificate", path, "--key", chain.leaf.key]


def test_pin(chains, tmp_path):
    mine = with_certificate(chains["p256"], tmp_path)
    pin = fingerprint(der(chains["p256"].leaf))
    assert run([*mine, "--accept-unverified"], ["--pin", pin], trust="")[2:] == (0, 0)
    other = fingerprint(der(chains["rsa"].leaf))
    listening, connected, *statuses = run([*mine, "--accept-unverified"], ["--pin", other], trust="")
    assert statuses == [77, 77]
    assert listening.one("closed")["peer_code"] == connected.one("closed")["error"] == "certificate_rejected"


def test_silence_is_no_consent(chains, tmp_path):
    """Without --trust, --pin or --accept-unverified nobody is accepted."""
    mine = with_certificate(chains["p256"], tmp_path)
    listening, connected, *statuses = run([*mine, "--accept-unverified"], [], trust="")
    assert statuses == [77, 77] and not connected.has("opened")


def test_unknown_authority_and_no_certificate(chains, tmp_path):
    mine = with_certificate(chains["p256"], tmp_path)
    trust = ["--trust", chains["rsa"].root.certificate]
    assert run([*mine, "--accept-unverified"], trust, trust="")[1].one("closed")["error"] == "unknown_authority"
    assert run(["--accept-unverified"], trust, trust="")[1].one("closed")["error"] == "certificate_required"


@pytest.mark.parametrize("encryption", ["none", "required"])
def test_files_both_ways(encryption, tmp_path):
    contents = {"empty": b"", "small.txt": b"hello", "large.bin": bytes(range(256)) * 40_000}
    sources, mine, yours = (tmp_path / name for name in ("sources", "mine", "yours"))
    for folder in (sources, mine, yours):
        folder.mkdir()
    arguments = ["--encryption", encryption]
    for name, content in contents.items():
        (sources / name).write_bytes(content)
        arguments += ["--file", sources / name]
    _, _, *statuses = run(
        [*arguments, "--save", mine], [*arguments, "--save", yours, "--await-files", len(contents)]
    )
    assert statuses == [0, 0]
    for folder in (mine, yours):
        assert {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()} == contents


def test_file_that_nobody_takes(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    _, connected, first, second = run([], ["--file", tmp_path / "a"])
    assert second == 77 and connected.one("file-cancelled")["reason"] == 1 and first == 0


def test_large_messages_both_ways():
    text = "x" * 100_000
    listening, connected, *statuses = run(
        ["--message", text] * 1, ["--message", text, "--message", text, "--await-messages", 1]
    )
    assert statuses == [0, 0]
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert [e["sha256"] for e in listening.events if e["event"] == "message-received"] == [digest] * 2
    assert connected.one("message-received")["sha256"] == digest


def test_declined():
    listening, connected, *statuses = run(["--accept", "none"], ["--context", "hello"])
    assert statuses == [77, 77] and connected.one("invitation-declined")["reason"] == 1
    assert bytes.fromhex(listening.one("invitation-received")["context"]) == b"hello"


def test_identity_and_expectation(tmp_path):
    """R9.5-3, R9.5-4; an initiator that expects its peer sends INVITE early (R8.2-6)."""
    bob = ["--identity-seed", seed_of(BOB), "--name", "Bob"]
    listening, connected, *statuses = run(bob, ["--expect", BOB.public.hex(), "--identity", tmp_path / "id"])
    assert statuses == [0, 0] and connected.one("identified")["identity_key"] == BOB.public.hex()
    assert connected.one("identified")["display_name"] == "Bob"
    key = listening.one("identified")["identity_key"]
    again, _, *statuses = run(["--expect", key], ["--identity", tmp_path / "id"])
    assert statuses == [0, 0] and again.one("identified")["identity_key"] == key
    for expected, code in ((ALICE, "unexpected_identity"), (BOB, None)):
        listening, connected, *statuses = run(bob, ["--expect", expected.public.hex()])
        assert statuses == ([76, 76] if code else [0, 0])
        assert listening.one("closed")["peer_code"] == (code or "no_error")
    listening, connected, *statuses = run(bob, bob)
    assert statuses == [76, 76]
    assert listening.one("closed")["peer_code"] == connected.one("closed")["error"] == "own_identity"


def test_no_common_suite():
    listening, connected, *statuses = run(["--suite", "chachapoly"], ["--suite", "aesgcm"])
    assert statuses == [77, 77] and connected.one("refused")["code"] == 2 and connected.one("refused")["suites"] == [1]


def test_as_a_module():
    """`python -m multipeer_reference`, as a user starts it."""
    listening = python_module("listen", "--port", 0, "--once", "--accept-unverified")
    connected = python_module("connect", f"127.0.0.1:{listening.port}", "--accept-unverified", *MESSAGES)
    assert (connected.wait(), listening.wait()) == (0, 0)
    assert texts(listening) == ["first", "zweite Nachricht: äöü"]
    assert python_module("connect").wait() == 64


def test_listener_serves_many_and_refuses_more():
    listener = python("listen", "--port", 0, "--accept-unverified", "--max-links", 1)
    try:
        with socket.create_connection(("127.0.0.1", listener.port)):  # holds the one slot
            assert python("connect", f"127.0.0.1:{listener.port}", "--accept-unverified").wait() == 77
        for _ in range(20):
            last = python("connect", f"127.0.0.1:{listener.port}", "--accept-unverified", "--message", "hi").wait()
            if last == 0:
                break
        assert last == 0  # the slot is free again
    finally:
        listener.stop()


def test_unreachable_and_usage():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]  # bound, but nobody listens
        assert python("connect", f"127.0.0.1:{port}").wait() == 69
    for arguments in (
        ["connect"], ["connect", "nowhere"], ["connect", "127.0.0.1:1", "--expect", "00"],
        ["connect", "127.0.0.1:1", "--certificate", "/nonexistent"], ["connect", "127.0.0.1:1", "--name", ""],
        ["connect", "127.0.0.1:1", "--file", "/nonexistent"], ["frobnicate"],
    ):
        assert python(*arguments).wait() == 64, arguments


def test_timeouts():
    """A peer that accepts the connection and says nothing; and one that never comes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connected = python("connect", f"127.0.0.1:{server.getsockname()[1]}", "--timeout", 0.5)
        assert connected.wait() == 75 and connected.one("closed")["error"] == "handshake_timeout"
    assert python("listen", "--port", 0, "--once", "--timeout", 0.2).wait() == 75


def raw(listener: Program, data: bytes) -> bytes:
    """What a listener answers to these bytes."""
    with socket.create_connection(("127.0.0.1", listener.port), timeout=LIMIT) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(4096):
            answer += part
    return answer


def test_strangers():
    """§7.5: no magic, no answer; a hello without common values is refused. A draft speaks no other text (R1-1)."""
    listener = python("listen", "--port", 0, "--accept-unverified")
    try:
        assert raw(listener, b"GET / HTTP/1.1\r\n\r\n") == b""
        assert raw(listener, b"") == b""
        hello = InitiatorHello((0x0001, 0xFF01), (1,), (), bytes(32)).encode()
        answer = raw(listener, bytes.fromhex("4d504545520d0a00") + b"\x01" + len(hello).to_bytes(2, "big") + hello)
        assert Refusal.decode(answer[11:]) == Refusal(1, (DRAFT_04,), ())
        assert python("connect", f"127.0.0.1:{listener.port}", "--accept-unverified").wait() == 0
    finally:
        listener.stop()


def relay(one: socket.socket, other: socket.socket, until: Callable[[int], bool]) -> None:
    """Passes bytes on both ways, until the condition holds; it gets how many bytes `other` has sent."""
    answered, end = 0, time.monotonic() + LIMIT
    while not until(answered):
        assert time.monotonic() < end
        for source in select.select([one, other], [], [], 0.01)[0]:
            data = source.recv(65_536)
            answered += len(data) if source is other else 0
            (one if source is other else other).sendall(data)


@pytest.mark.parametrize("cut", ["hello", "open"])
def test_a_cut_stream_is_no_success(cut):
    """R16.2-1, over a relay that cuts: after the first answer, or once both peers are open."""
    listening = python("listen", "--port", 0, "--once", "--accept-unverified")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        connected = python("connect", address, "--accept-unverified", "--await-messages", 9)
        inner, _ = server.accept()
        outer = socket.create_connection(("127.0.0.1", listening.port))
        programs = connected, listening
        with inner, outer:
            relay(inner, outer, lambda answered: (
                answered > 0 if cut == "hello" else all(program.has("opened") for program in programs)
            ))
    assert connected.wait() == 76 and listening.wait() == 76
    assert [program.has("opened") for program in programs] == [cut == "open"] * 2
    assert connected.one("closed")["outcome"] == listening.one("closed")["outcome"] == "truncated"
