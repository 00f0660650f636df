"""Sessions of three on the loopback: members of this reference and of the Swift program find each other and exchange messages."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from .programs import LIMIT, SWIFT
from .test_live_member import start

pytestmark = pytest.mark.skipif(not SWIFT.exists(), reason="no Swift program: build it, or set MULTIPEER_BINARY")


class Chat:
    """`multipeer chat` of the Swift program, with an identity of its own."""

    def __init__(self, name: str, folder: Path, *arguments: object) -> None:
        store = folder / name
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        create = [SWIFT, "identity", "create", name, "--store", store]
        subprocess.run(create, check=True, capture_output=True, env=environment)
        options = ["--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified", "--json", "--store", store]
        self.process = subprocess.Popen(
            [str(part) for part in (SWIFT, "chat", *options, *arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment,
        )
        self.events: list[dict] = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.await_events("listening", 1)
        host, _, port = self.events[0]["address"].rpartition(":")
        self.address = host, int(port)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def all(self, name: str) -> list[dict]:
        return [event for event in list(self.events) if event["event"] == name]

    def await_events(self, name: str, count: int) -> list[dict]:
        deadline = time.monotonic() + LIMIT
        while len(self.all(name)) < count:
            assert time.monotonic() < deadline and self.process.poll() is None, (name, self.events)
            time.sleep(0.01)
        return self.all(name)

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def finish(self) -> int:
        """Leaves, and returns the exit status."""
        assert self.process.stdin is not None and self.process.stderr is not None
        self.process.stdin.close()
        try:
            status = self.process.wait(LIMIT)
        finally:
            self.process.kill()
        self.reader.join()
        errors = self.process.stderr.read()
        assert status == 0, errors
        return status


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
    """R14.5-1, R14.6-7, R14.8-1: both know of each other by the Swift member alone."""
    members = {number: start(number) for number in (2, 3)}
    statuses = run(members)
    addresses = [f"{host}:{port}" for host, port in (member.address for member in members.values())]
    chat = Chat("swift", tmp_path, *(part for address in addresses for part in ("--invite", address)))
    chat.await_events("memberConnected", 2)
    chat.type("from swift")
    messages = chat.await_events("message", 2)
    for member in members.values():
        member.thread.join()
    assert statuses == {2: 0, 3: 0}
    assert {event["text"] for event in messages} == {"from 2", "from 3"}
    gone = chat.await_events("memberDisconnected", 2)
    assert {event["departure"] for event in gone} == {"left"}
    chat.finish()
    assert texts(capsys.readouterr().out) == ["from 2", "from 3", "from swift", "from swift"]


def test_this_reference_invites_two_swift_programs(tmp_path, capsys):
    """The same the other way: two Swift members know of each other by the member of this reference."""
    chats = [Chat("one", tmp_path), Chat("two", tmp_path)]
    founder = start(1, founds=True)
    for chat in chats:
        founder.connect(chat.address, None, None, True)
    statuses = run({1: founder})
    for chat in chats:
        chat.await_events("memberConnected", 2)
    for chat in chats:
        chat.type("hello")
    for chat in chats:
        assert {event["text"] for event in chat.await_events("message", 2)} == {"from 1", "hello"}
    founder.thread.join()
    assert statuses == {1: 0}
    for chat in chats:
        # Either may hear it first from the member itself.
        assert "left" in {event["departure"] for event in chat.await_events("memberDisconnected", 1)}
    for chat in chats:
        chat.finish()
    assert texts(capsys.readouterr().out) == ["hello", "hello"]
