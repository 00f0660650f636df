"""Sessions of three on the loopback: members of this reference and of the Swift program find each other and exchange messages."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

import pytest

from .programs import SWIFT, Program, swift
from .test_live_member import start

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")


def chat(name: str, folder: Path, *arguments: object) -> Program:
    """`multipeer chat` of the Swift program, with an identity of its own."""
    store = folder / name
    assert swift("identity", "create", name, store=store).wait() == 0
    options = ("--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified")
    return swift("chat", *options, *arguments, store=store, stdin=subprocess.PIPE)


def finish(program: Program) -> None:
    """It leaves."""
    program.end_input()
    assert program.wait() == 0, program.errors


def run(members: dict) -> dict[int, int]:
    """Runs members of this reference in threads, and returns their exit statuses."""
    statuses: dict[int, int] = {}
    for number, member in members.items():
        thread = threading.Thread(target=lambda n=number, m=member: statuses.update({n: m.run(2, 30)}))
        member.thread = thread
        thread.start()
    return statuses


def texts(told: str) -> list[str]:
    events = [json.loads(line) for line in told.splitlines()]
    return sorted(event["text"] for event in events if event["event"] == "message-received")


def test_the_swift_program_invites_two_of_this_reference(tmp_path, capsys):
    """R14.5-1, R14.6-7, R14.8-1: both learn of each other from the Swift member alone."""
    members = {number: start(number) for number in (2, 3)}
    statuses = run(members)
    addresses = [f"{host}:{port}" for host, port in (member.address for member in members.values())]
    talker = chat("swift", tmp_path, *(part for address in addresses for part in ("--invite", address)))
    talker.await_events("memberConnected", 2)
    talker.type("from swift")
    messages = talker.await_events("message", 2)
    for member in members.values():
        member.thread.join()
    assert statuses == {2: 0, 3: 0}
    assert {event["text"] for event in messages} == {"from 2", "from 3"}
    gone = talker.await_events("memberDisconnected", 2)
    assert {event["departure"] for event in gone} == {"left"}
    finish(talker)
    assert texts(capsys.readouterr().out) == ["from 2", "from 3", "from swift", "from swift"]


def test_this_reference_invites_two_swift_programs(tmp_path, capsys):
    """The reverse: two Swift members learn of each other from the member of this reference."""
    talkers = [chat("one", tmp_path), chat("two", tmp_path)]
    founder = start(1, founds=True)
    for talker in talkers:
        founder.connect(("127.0.0.1", talker.port), None, None, True)
    statuses = run({1: founder})
    for talker in talkers:
        talker.await_events("memberConnected", 2)
    for talker in talkers:
        talker.type("hello")
    for talker in talkers:
        assert {event["text"] for event in talker.await_events("message", 2)} == {"from 1", "hello"}
    founder.thread.join()
    assert statuses == {1: 0}
    for talker in talkers:
        # Either may hear it first from the member itself.
        assert "left" in {event["departure"] for event in talker.await_events("memberDisconnected", 1)}
    for talker in talkers:
        finish(talker)
    assert texts(capsys.readouterr().out) == ["hello", "hello"]
