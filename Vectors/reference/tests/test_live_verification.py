"""SPEC §25 by the live program, against itself over TCP: codes that are shown and typed, strings that are compared."""

import subprocess

import pytest

from .helpers import ALICE, BOB, seed_of
from .programs import Program, python, python_module

SEEDS = {"listen": seed_of(BOB), "connect": seed_of(ALICE)}


def listening(*arguments: object, start=python, **values) -> Program:
    return start("listen", "--port", 0, "--once", "--identity-seed", SEEDS["listen"], *arguments, **values)


def connecting(port: int, *arguments: object, start=python, **values) -> Program:
    return start("connect", f"127.0.0.1:{port}", "--identity-seed", SEEDS["connect"], *arguments, **values)


def shown_by(program: Program) -> str:
    return program.await_events("code")[0]["code"]


def test_code_of_the_listener():
    """The key is verified by both peers, and so it is accepted; the link opens."""
    presenter = listening("--show-code")
    typist = connecting(presenter.port, "--code", shown_by(presenter).upper().replace("-", " "), "--message", "hello")
    assert (typist.wait(), presenter.wait()) == (0, 0), (typist.events, typist.errors, presenter.errors)
    assert typist.one("peer-verified") == {"event": "peer-verified", "identity_key": BOB.public.hex(), "means": "one-time-code"}
    assert presenter.one("peer-verified")["identity_key"] == ALICE.public.hex()
    assert presenter.one("message-received")["text"] == "hello" and presenter.has("code-burned") and typist.has("code-burned")


@pytest.mark.parametrize("invites", [True, False])
def test_code_of_the_connector(invites):
    """It is typed at the listener when the connection is there. The inviter waits for the code."""
    typist = listening("--code", "-", *([] if invites else ["--invite"]), start=python_module, stdin=subprocess.PIPE)
    presenter = connecting(typist.port, "--show-code", *([] if invites else ["--no-invite"]))
    code = shown_by(presenter)
    typist.await_events("identified")
    typist.type("what?")
    typist.type(code)
    typist.end_input()
    assert (presenter.wait(), typist.wait()) == (0, 0), (presenter.events, typist.events, typist.errors)
    assert typist.has("peer-verified") and presenter.has("peer-verified") and "number and two words" in typist.errors


def test_wrong_code():
    presenter = listening("--show-code", "--accept-unverified")
    number, word, _ = shown_by(presenter).split("-")
    typist = connecting(presenter.port, "--code", f"{number}-{word}-{word}", "--accept-unverified")
    assert (typist.wait(), presenter.wait()) == (77, 77)
    assert typist.one("closed")["peer_code"] == presenter.one("closed")["error"] == "code_wrong"


def test_a_listener_goes_on_with_another_code():
    """A burned code works for nobody (R25.5-5)."""
    presenter = python("listen", "--port", 0, "--identity-seed", SEEDS["listen"], "--show-code")
    try:
        first = presenter.await_events("code")[0]["code"]
        number, word, last = first.split("-")
        guess = connecting(presenter.port, "--code", f"{number}-{word}-{'acorn' if last != 'acorn' else 'zodiac'}")
        assert guess.wait() == 77 and guess.one("closed")["peer_code"] == "code_wrong"
        second = presenter.await_events("code", 2)[1]["code"]
        assert second.split("-")[0] != number
        late = connecting(presenter.port, "--code", first)
        assert late.wait() == 77 and late.one("closed")["peer_code"] == "code_unavailable"
        right = connecting(presenter.port, "--code", second)
        assert right.wait() == 0, (right.events, presenter.events)
    finally:
        presenter.stop()


def test_no_such_code():
    presenter = listening("--show-code")
    number = int(shown_by(presenter).split("-")[0]) % 999 + 1
    typist = connecting(presenter.port, "--code", f"{number}-tulip-orbit")
    assert (typist.wait(), presenter.wait()) == (77, 77)
    assert typist.one("closed")["peer_code"] == presenter.one("closed")["error"] == "code_unavailable"
    assert not typist.has("code-burned")


@pytest.mark.parametrize("wish", [["--code", "4-tulip-orbit"], ["--compare", "--confirm", "yes"], ["--show-code"]])
def test_peer_without_the_feature(wish):
    """SPEC §25.7: the person is notified, and nothing continues unverified."""
    listener = listening("--accept-unverified")
    connector = connecting(listener.port, *wish, "--accept-unverified")
    assert connector.wait() == 77 and listener.wait() != 0
    assert "does not list the feature" in connector.errors and not connector.has("opened")


@pytest.mark.parametrize("code", ["", "4-tulip", "1000-tulip-orbit", "4-tulip-orbis"])
def test_what_is_no_code(code):
    """R25.4-1: nothing is sent."""
    assert connecting(1, "--code", code).wait() == 64


def test_compared_strings():
    """Both show the same; a person who confirms accepts the key."""
    listener = listening("--compare", "--confirm", "yes")
    connector = connecting(listener.port, "--compare", "--confirm", "yes")
    assert (connector.wait(), listener.wait()) == (0, 0), (connector.events, listener.events)
    assert connector.one("string-ready") == listener.one("string-ready")
    assert connector.one("peer-verified")["means"] == listener.one("peer-verified")["means"] == "short-string"


@pytest.mark.parametrize("answers", [("yes", "no"), ("no", "yes")])
@pytest.mark.parametrize("accepts", [True, False])
def test_strings_that_differ(answers, accepts):
    """A peer whose person reports a difference refuses the other."""
    others = ["--accept-unverified"] if accepts else []
    listener = listening("--compare", "--confirm", answers[0], *others)
    connector = connecting(listener.port, "--compare", "--confirm", answers[1], "--no-close", *others)
    statuses = listener.wait(), connector.wait()
    assert statuses == (77, 77), (listener.events, connector.events)
    told = listener if answers[0] == "yes" else connector
    assert told.one("closed")["peer_code"] == "strings_differ"


def test_a_person_is_asked():
    """SPEC §25.3: pressing Enter is no answer; the link opens once both have confirmed."""
    listener = listening("--compare", "--confirm", "yes")
    connector = connecting(listener.port, "--compare", start=python_module, stdin=subprocess.PIPE)
    connector.await_events("string-ready")
    for line in ("", "y", "YES"):
        connector.type(line)
    connector.await_events("certificates-received")
    assert not connector.has("peer-verified") and not connector.has("opened")
    connector.type("yes")
    assert (connector.wait(), listener.wait()) == (0, 0), (connector.events, listener.events)
    digits = connector.one("string-ready")["digits"]
    assert f"{digits[:3]} {digits[3:]}" in connector.errors


def test_silence_is_no_confirmation():
    """SPEC §25.3."""
    listener = listening("--compare", "--confirm", "yes")
    connector = connecting(listener.port, "--compare", "--timeout", 5)
    assert (connector.wait(), listener.wait()) == (75, 75)
    assert connector.has("string-ready") and not connector.has("peer-verified") and not connector.has("opened")


def test_silence_on_an_open_link():
    """A peer that accepts everybody opens the link, and still fails: nothing was compared."""
    listener = listening("--compare", "--confirm", "yes", "--accept-unverified", "--close")
    connector = connecting(listener.port, "--compare", "--accept-unverified")
    assert (connector.wait(), listener.wait()) == (76, 0)
    assert connector.has("opened") and not connector.has("peer-verified")


def test_strings_that_differ_on_an_open_link():
    """A person may answer after the link has opened, if everybody is accepted."""
    listener = listening("--compare", "--confirm", "yes", "--accept-unverified")
    connector = connecting(listener.port, "--compare", "--accept-unverified", start=python_module, stdin=subprocess.PIPE)
    connector.await_events("opened")
    connector.type("no")
    assert (connector.wait(), listener.wait()) == (77, 77), (connector.events, listener.events)
    assert listener.one("closed")["peer_code"] == "strings_differ" and not connector.has("peer-verified")
