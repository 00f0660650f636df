"""The shim of Vectors/SHIM.md as a child process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from multipeer_reference.datagrams.keys import Keys
from multipeer_reference.frames import decode_frames
from multipeer_reference.proofs import Role
from multipeer_reference.vectors import files, verify, wire
from multipeer_reference.vectors.associations import shortened
from multipeer_reference.vectors.datagrams import show
from multipeer_reference.vectors.wire import SentFrames, joined, joined_data, match_signature

from .helpers import FULL
from .programs import ROOT
from .test_vectors import DISPUTED


class Runner:
    """Asks, and checks that each answer repeats `seq`."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "multipeer_reference", "shim"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
        self._count = 0

    def ask(self, command: str, **values: object) -> dict:
        self._count += 1
        self.process.stdin.write(json.dumps({"seq": self._count, "command": command, **values}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer.pop("seq") == self._count
        return answer

    def end(self) -> int:
        self.process.stdin.write(json.dumps({"seq": 0, "command": "exit"}) + "\n")
        self.process.stdin.close()
        status = self.process.wait(30)
        assert self.process.stdout.read() == ""
        return status


@pytest.fixture
def shim():
    runner = Runner()
    yield runner
    runner.process.kill()
    runner.process.wait()
    for pipe in (runner.process.stdin, runner.process.stdout, runner.process.stderr):
        pipe.close()


def test_hello_and_exit(shim):
    hello = shim.ask("hello", protocol=1)
    assert hello["specVersion"] == "1-draft-04" and hello["name"] == "multipeer_reference"
    assert set(hello["groups"]) == set(verify.GROUPS) and set(hello["features"]) == set(verify.FEATURES)
    assert shim.end() == 0


def test_end_of_input_ends_it(shim):
    shim.process.stdin.close()
    assert shim.process.wait(30) == 0


def test_answers(shim):
    test = {"group": "Varint", "params": {}}
    assert shim.ask("test", **test, inputs={"bytes": "05"}) == {"ok": True, "expected": {"value": "5"}}
    rejected = {"ok": False, "error": {"layer": "wire", "code": "malformed"}, "expected": {}}
    assert shim.ask("test", **test, inputs={"bytes": "4005"}) == rejected
    incomplete = shim.ask(
        "test", group="RecordStream", params={"receiver": "responder"}, inputs={"bytes": "4d", "opening": "hello"}
    )
    assert incomplete == {"ok": False, "incomplete": True, "expected": {"records": [], "consumed": 1}}
    assert shim.ask("test", group="Telepathy", params={}, inputs={}) == {"unimplemented": True}
    assert shim.ask("dance") == {"unimplemented": True}
    assert shim.end() == 0


def test_requests_without_sense_are_answered(shim):
    """And the shim continues."""
    def is_refused(command, **members):
        answer = shim.ask(command, **members)
        return not answer["ok"] and (answer["error"]["layer"], answer["error"]["code"]) == ("harness", "bad_question")

    assert is_refused("test", group="Varint", params={}, inputs={"bytes": "xy"})
    assert is_refused("test", group="Varint", params={}, inputs={})
    assert is_refused("poll", link=7)
    assert is_refused("new", params={"role": "observer"})
    assert shim.ask("test", group="Varint", params={}, inputs={"bytes": "05"})["ok"]
    assert shim.end() == 0


def run_stateless(shim: Runner, case: files.Case) -> None:
    answer = shim.ask("test", group=case.group, params=case.params, inputs=case.test["inputs"])
    result = case.test["result"]
    assert answer["ok"] is (result["verdict"] == "accept"), (case.id, answer)
    assert answer["expected"] == case.test["expected"], case.id
    assert answer.get("incomplete", False) is (result["verdict"] == "incomplete"), case.id
    if result["verdict"] == "reject":
        assert answer["error"] == {"layer": result["layer"], "code": result["code"]}, case.id


def run_script(shim: Runner, case: files.Case) -> None:
    """A small runner: steps, polls and comparison, over the pipe alone."""
    link = shim.ask("new", params=case.params)["link"]
    sent = SentFrames(case.params["suite"], case.params.get("sendKey"))
    closed: list[list[dict]] = [[], []]
    for step in case.test["steps"]:
        if step["actor"] != "self":
            assert shim.ask("step", link=link, step=step) == {"ok": True}
            continue
        polled = shim.ask("poll", link=link)
        mine, theirs = joined(sent.take(bytes.fromhex(polled["sends"]))), joined(step["sends"])
        mine = [wire.shortened(entry) for entry in mine]
        assert [match_signature(*pair) for pair in zip(mine, theirs, strict=True)] == theirs, case.id
        for side, events in zip(closed, (polled["events"], step["events"])):
            side += [event for event in events if event["event"] == "closed"]
        assert bare(polled["events"]) == bare(step["events"]), case.id
    assert closed[0] == closed[1], case.id
    assert shim.ask("free", link=link) == {"ok": True}


def run_association(shim: Runner, case: files.Case) -> None:
    """The same of an association: what it sends are frames, one after the other."""
    link = shim.ask("new", group=case.group, params=case.params)["link"]
    for step in case.test["steps"]:
        if step["actor"] != "self":
            assert shim.ask("step", link=link, step=step) == {"ok": True}
            continue
        polled = shim.ask("poll", link=link)
        sent = [
            {"frame": frame.name, "payload": frame.payload.hex()} for frame in decode_frames(bytes.fromhex(polled["sends"]))
        ]
        mine = [entry | {"payload": shortened(entry["payload"])} for entry in joined(sent)]
        assert mine == step["sends"], case.id
        told = [
            event | {"bytes": shortened(event["bytes"])} if "bytes" in event else event
            for event in joined_data(polled["events"])
        ]
        assert bare(told) == bare(step["events"]), case.id
    assert shim.ask("free", link=link) == {"ok": True}


def run_node(shim, case):
    """Frames by link; events of one step in any order."""
    link = shim.ask("new", group="NodeScript", params=case.params)["link"]
    for step in case.test["steps"]:
        if step["actor"] != "self":
            assert shim.ask("step", link=link, step=step) == {"ok": True}
            continue
        polled = shim.ask("poll", link=link)
        mine = [
            {"link": int(number), "frame": frame.name, "payload": shortened(frame.payload.hex())}
            for number, frames in sorted(polled["links"].items(), key=lambda pair: int(pair[0]))
            for frame in decode_frames(bytes.fromhex(frames))
        ]
        assert mine == step["sends"], case.id
        assert in_order(polled["events"]) == in_order(step["events"]), case.id
        assert polled.get("digest") == step.get("digest"), case.id
    assert shim.ask("free", link=link) == {"ok": True}


def run_path(shim, case):
    """Packets, each to a port, opened with the keys of the vector."""
    link = shim.ask("new", group="DatagramScript", params=case.params)["link"]
    keys = Keys(
        case.params["suite"], bytes.fromhex(case.params["exporterSecret"]), Role[case.params["role"].upper()]
    )
    for step in case.test["steps"]:
        if step["actor"] != "self":
            assert shim.ask("step", link=link, step=step) == {"ok": True}
            continue
        polled = shim.ask("poll", link=link)
        mine = [show(keys, sent["port"], bytes.fromhex(sent["packet"])) for sent in polled["packets"]]
        assert mine == step["sends"], case.id
        assert polled["events"] == step["events"] and polled["sends"] == "", case.id
    assert shim.ask("free", link=link) == {"ok": True}


def in_order(events: list[dict]) -> list[str]:
    return sorted(json.dumps(event, sort_keys=True) for event in events)


def bare(events: list[dict]) -> list[dict]:
    return [{k: v for k, v in event.items() if k != "maximum"} for event in events if event["event"] != "closed"]


def test_all_files(shim):
    """Cases of Vectors/v1 over the pipe, by a runner that is not `verify`: every tenth, and all with MULTIPEER_FULL."""
    count = 0
    for number, case in enumerate(files.load(files.find([files.DEFAULT]))):
        if case.id in DISPUTED or case.group == "Session" or not (FULL or number % 10 == 0):
            continue
        runners = {
            "LinkScript": run_script, "AssociationScript": run_association, "NodeScript": run_node,
            "DatagramScript": run_path,
        }
        runners.get(case.group, run_stateless)(shim, case)
        count += 1
    assert count > (1_500 if FULL else 400)
    assert shim.end() == 0


def test_links_are_apart(shim):
    """Two links at once, freed one by one; a freed one does not exist any more."""
    case = next(case for case in files.load(files.find([files.DEFAULT])) if case.group == "LinkScript")
    first, second = (shim.ask("new", params=case.params)["link"] for _ in range(2))
    shim.ask("step", link=first, step={"actor": "clock", "advance": 10_000})
    assert shim.ask("poll", link=first)["events"][0]["end"] == "handshake_timeout"
    polled = shim.ask("poll", link=second)
    assert polled["events"] == [] and polled["deadline"] == 10_000
    assert shim.ask("free", link=first)["ok"] and not shim.ask("poll", link=first)["ok"]
    assert shim.ask("poll", link=second)["ok"]
