"""SPEC §25 between this reference and the Swift program over TCP on the loopback: one that shows a code, one that types it, and two that
compare."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from .helpers import ALICE, seed_of
from .programs import LIMIT, SWIFT, Program, python, swift

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")

KEY = ALICE.public.hex()
DONE, REFUSED = 0, 77


@pytest.fixture(autouse=True)
def loopback(monkeypatch):
    """The Swift program advertises on this host only."""
    monkeypatch.setenv("MULTIPEER_INTERFACE", "lo")


def listening(*arguments: object) -> Program:
    return python("listen", "--port", 0, "--once", "--identity-seed", seed_of(ALICE), *arguments)


def presenter(*arguments: object) -> Program:
    return listening("--show-code", *arguments)


def link_to(program: Program, code: str) -> str:
    """SPEC §25.9."""
    return f"multipeer:{KEY}?at=127.0.0.1:{program.port}&code={code}"


def code_of(program: Program) -> str:
    return program.await_events("code")[0]["code"]


def other(code: str) -> str:
    """The same number, and another word."""
    number, word, _ = code.split("-")
    return f"{number}-{word}-{'acorn' if word != 'acorn' else 'zodiac'}"


# The reference shows the code


def test_swift_types(tmp_path):
    ours = presenter()
    theirs = swift("pair", link_to(ours, code_of(ours)), store=tmp_path)
    assert theirs.wait() == DONE, (theirs.events, theirs.errors, ours.events)
    ours.stop()
    assert theirs.one("paired")["peer"] == KEY
    assert ours.one("peer-verified")["means"] == "one-time-code" and ours.has("code-burned")


def test_swift_types_wrong(tmp_path):
    """The presenter finds it, and says so; the code is burned for both peers."""
    ours = presenter()
    theirs = swift("pair", link_to(ours, other(code_of(ours))), store=tmp_path)
    statuses = theirs.wait(), ours.wait()
    assert statuses == (REFUSED, REFUSED), (theirs.events, theirs.errors, ours.events)
    assert ours.one("closed")["error"] == "code_wrong" and ours.has("code-burned") and not ours.has("peer-verified")
    assert not theirs.has("paired")


def test_swift_types_for_another_number(tmp_path):
    ours = presenter()
    number, word, second = code_of(ours).split("-")
    theirs = swift("pair", link_to(ours, f"{int(number) % 999 + 1}-{word}-{second}"), store=tmp_path)
    statuses = theirs.wait(), ours.wait()
    assert statuses == (REFUSED, REFUSED), (theirs.events, theirs.errors, ours.events)
    assert ours.one("closed")["error"] == "code_unavailable" and not ours.has("code-burned")


def test_swift_sends_by_a_code(tmp_path):
    """The invitation waits for the code, and the file goes over the link that it has verified."""
    (tmp_path / "letter.txt").write_text("dear Alice")
    (tmp_path / "in").mkdir()
    ours = presenter("--save", tmp_path / "in", "--await-files", 1)
    theirs = swift("send", tmp_path / "letter.txt", "--code", link_to(ours, code_of(ours)), store=tmp_path / "store")
    assert theirs.wait() == DONE, (theirs.events, theirs.errors, ours.events, ours.errors)
    ours.wait()
    assert (tmp_path / "in" / "letter.txt").read_text() == "dear Alice"
    names = [event["event"] for event in ours.events]
    assert names.index("peer-verified") < names.index("invitation-received")


# The Swift program shows the code


class Shown:
    """`multipeer pair` or `multipeer receive --code`, which shows a code until it is typed."""

    def __init__(self, *arguments: object, store: Path) -> None:
        self.program = swift(*arguments, store=store)
        self.code = code_of(self.program)
        advertised = self.program.await_events("advertised")[0]
        self.port, self.key = advertised["port"], advertised["peer"]

    def typed(self, code: str, *arguments: object) -> Program:
        return python("connect", f"127.0.0.1:{self.port}", "--expect", self.key, "--code", code, *arguments)


def test_reference_types(tmp_path):
    theirs = Shown("pair", store=tmp_path)
    ours = theirs.typed(theirs.code.upper().replace("-", " "), "--no-invite")
    assert theirs.program.wait() == DONE, (theirs.program.events, theirs.program.errors, ours.events)
    ours.stop()
    assert ours.one("peer-verified")["identity_key"] == theirs.key
    assert theirs.program.one("codeEnded")["outcome"] == "verified"


def test_reference_types_wrong(tmp_path):
    theirs = Shown("pair", store=tmp_path)
    ours = theirs.typed(other(theirs.code), "--accept-unverified")
    assert (ours.wait(), theirs.program.wait()) == (REFUSED, REFUSED), (ours.events, theirs.program.events)
    assert ours.one("closed")["peer_code"] == "code_wrong" and ours.has("code-burned") and not ours.has("peer-verified")
    assert theirs.program.one("codeEnded")["outcome"] == "wrong"


def test_reference_types_for_another_number(tmp_path):
    """Nothing is burned: the right one is good after it (R25.6-6)."""
    theirs = Shown("pair", store=tmp_path)
    number, word, second = theirs.code.split("-")
    first = theirs.typed(f"{int(number) % 999 + 1}-{word}-{second}", "--no-invite")
    assert first.wait() == REFUSED and first.one("closed")["peer_code"] == "code_unavailable"
    assert not first.has("code-burned") and not theirs.program.has("codeEnded")
    second_try = theirs.typed(theirs.code, "--no-invite")
    assert theirs.program.wait() == DONE, (theirs.program.events, second_try.events)
    second_try.stop()
    assert second_try.has("peer-verified")


def test_reference_sends_by_a_code(tmp_path):
    """Files of the peer that types the code are taken without a question."""
    (tmp_path / "letter.txt").write_text("dear Ben")
    (tmp_path / "in").mkdir()
    theirs = Shown("receive", "--code", "--once", "--dir", tmp_path / "in", store=tmp_path / "store")
    ours = theirs.typed(theirs.code, "--file", tmp_path / "letter.txt")
    assert (ours.wait(), theirs.program.wait()) == (DONE, DONE), (ours.events, theirs.program.events, theirs.program.errors)
    assert (tmp_path / "in" / "letter.txt").read_text() == "dear Ben"
    assert theirs.program.one("codeEnded")["outcome"] == "verified" and ours.has("peer-verified")


# Two persons compare


class AtTerminal:
    """`multipeer verify`, whose person sits at a terminal."""

    def __init__(self, store: Path) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [SWIFT, "verify", "--store", store, "-v"], stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "TERM": "dumb", "NO_COLOR": "1"},
        )
        os.close(slave)
        self.text = ""

    def await_text(self, pattern: str) -> re.Match[str]:
        deadline = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < deadline, (pattern, self.text)
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self._master, 4096).decode(errors="replace")
                except OSError:  # the remote peer is closed
                    break
        assert found, (pattern, self.text)
        return found

    def type(self, line: str) -> None:
        os.write(self._master, line.encode() + b"\n")

    def wait(self) -> int:
        try:
            return self._process.wait(LIMIT)
        finally:
            self._process.kill()
            os.close(self._master)


def comparing(terminal: AtTerminal, answer: str) -> Program:
    """The reference connects, and its person says whether both screens show the same."""
    port = terminal.await_text(r"port (\d+)")[1]
    return python(
        "connect", f"127.0.0.1:{port}", "--context", "verify", "--message", "verified", "--compare", "--confirm", answer,
        "--accept-unverified", "--no-close",
    )


def test_two_persons_compare(tmp_path):
    theirs = AtTerminal(tmp_path)
    ours = comparing(theirs, "yes")
    shown = theirs.await_text(r"(\d{3}) (\d{3})   ([a-z]+ [a-z]+ [a-z]+)")
    string = ours.await_events("string-ready")[0]
    assert (string["digits"], " ".join(string["words"])) == (shown[1] + shown[2], shown[3])
    theirs.await_text("yes or no")
    theirs.type("yes")
    theirs.await_text("is verified")
    assert theirs.wait() == DONE
    ours.wait()
    assert ours.one("peer-verified")["means"] == "short-string"


def test_the_person_at_the_swift_program_finds_a_difference(tmp_path):
    theirs = AtTerminal(tmp_path)
    ours = comparing(theirs, "ask")
    theirs.await_text("yes or no")
    theirs.type("no")
    assert (ours.wait(), theirs.wait()) == (REFUSED, REFUSED), (ours.events, theirs.text)
    assert ours.one("closed")["peer_code"] == "strings_differ" and not ours.has("peer-verified")


def test_the_person_at_the_reference_finds_a_difference(tmp_path):
    theirs = AtTerminal(tmp_path)
    ours = comparing(theirs, "no")
    assert (ours.wait(), theirs.wait()) == (REFUSED, REFUSED), (ours.events, theirs.text)
    assert ours.has("string-ready") and "is verified" not in theirs.text
