"""`verify`: all files of Vectors/v1, proof that each comparison can fail, and the answers to a wrong file or script."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Iterator

import pytest

from multipeer_reference.errors import ErrorCode
from multipeer_reference.noise import public_key
from multipeer_reference.vectors import associations, files, nodes, scripts, verify
from multipeer_reference.vectors.answers import Answer, layer
from multipeer_reference.vectors.files import Case, VectorError
from multipeer_reference.vectors.scripted import ScriptedLink
from multipeer_reference.vectors.wire import SentFrames, joined, match_signature

from .helpers import FULL

#: Cases of Vectors/v1 that SPEC.md does not support, and why. A case that passes must be removed.
DISPUTED: dict[str, str] = {}
ACCEPT = {"verdict": "accept"}


def reject(code: str) -> dict:
    return {"verdict": "reject", "layer": layer(code), "code": code, "action": "close"}


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    return list(files.load(files.find([files.DEFAULT])))


# All files


@pytest.mark.skipif(not FULL, reason="the gate runs `verify` itself")
def test_all_files(cases):
    outcomes = [verify.judge(case) for case in cases]
    failed = {outcome.case.id: outcome.reason for outcome in outcomes if outcome.verdict == "failed"}
    assert not {id_: reason for id_, reason in failed.items() if id_ not in DISPUTED}
    assert not set(DISPUTED) - set(failed), "no longer disputed: take them from the list"
    assert not [outcome for outcome in outcomes if outcome.verdict == "skipped"]
    assert {case.group for case in cases} == set(verify.GROUPS)  # each group has a case


def test_scripts_byte_by_byte(cases):
    """However the peer's bytes are cut, frames and events are the same (SPEC §6.2: record boundaries mean nothing)."""
    count = scripts_seen = 0
    for case in cases:
        size = sum(len(step.get("bytes", "")) // 2 for step in case.test.get("steps", ()) if step["actor"] == "peer")
        if case.group != "LinkScript" or case.id in DISPUTED or size > (1 << 20 if FULL else 4_096):
            continue
        scripts_seen += 1
        if not FULL and scripts_seen % 3:
            continue
        steps: list[dict] = []
        for step in case.test["steps"]:
            if step["actor"] == "peer" and "bytes" in step:
                data = bytes.fromhex(step["bytes"])
                steps += [{"actor": "peer", "bytes": f"{byte:02x}"} for byte in data]
            else:
                steps.append(step)
        assert scripts.run_script(case.params, steps).result == case.test["result"], case.id
        count += 1
    assert count > (900 if FULL else 300)


# Every comparison can fail


def leaves(value: object, path: tuple = ()) -> Iterator[tuple]:
    """The paths of all leaves, and of all keys and elements that can be taken away."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    if path:
        yield path


def changed(value: object) -> object:
    """Something else of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return "00" if value in ("", "ff") else value[:-1] + ("0" if value[-1] != "0" else "1")
    return [*value, {}] if isinstance(value, list) else {**value, "more": 1}


def without(value: object, path: tuple) -> object:
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = changed(inner[path[-1]])
    return value


def one_of_each(cases: list[Case]) -> list[Case]:
    """The first two accepted and the first two other cases of each group, but full rosters, which take long."""
    chosen: dict[tuple, list[Case]] = {}
    for case in cases:
        key = case.group, case.test["result"]["verdict"]
        if len(str(case.test["inputs"])) > 100_000:
            continue
        if case.id not in DISPUTED and len(chosen.setdefault(key, [])) < 2:
            chosen[key].append(case)
    return [case for some in chosen.values() for case in some]


def test_no_part_of_expected_or_result_goes_unseen(cases):
    count = 0
    for case in one_of_each(cases):
        assert verify.judge(case).verdict == "passed", case.id
        for part in ("expected", "result"):
            for path in leaves(case.test[part]):
                test = case.test | {part: without(case.test[part], path)}
                assert verify.judge(replace(case, test=test)).verdict == "failed", (case.id, part, path)
                count += 1
    assert count > 200


def wrong_steps(steps: list[dict]) -> Iterator[tuple]:
    """With each leaf of `sends` and `events` changed, but `maximum`; with each frame and event taken away; with another digest."""
    for number, step in enumerate(steps):
        wrong = [("digest", {"digest": changed(step["digest"])})] if "digest" in step else []
        for part in ("sends", "events"):
            if "*" in str(step.get(part)):
                continue
            entries = step.get(part, [])
            wrong += [((part, path), {part: without(entries, path)}) for path in leaves(entries) if path[-1] != "maximum"]
            wrong += [((part, index), {part: entries[:index] + entries[index + 1 :]}) for index in range(len(entries))]
        for what, change in wrong:
            yield (number, what), [*steps[:number], step | change, *steps[number + 1 :]]


def test_no_part_of_a_script_goes_unseen(cases):
    """One script of each file for each way to end, and the transcripts."""
    count, seen = 0, {}
    for case in cases:
        key = case.path, case.test["result"].get("code")
        seen[key] = seen.get(key, 0) + 1
        if "steps" not in case.test or seen[key] > 1 or case.id in DISPUTED:
            continue
        # A third of them, with another remainder for each script, unless MULTIPEER_FULL asks for everything.
        changes = list(wrong_steps(case.test["steps"]))
        for what, steps in changes if FULL else changes[len(seen) % 3 :: 3]:
            test = case.test | {"steps": steps}
            assert verify.judge(replace(case, test=test)).verdict == "failed", (case.id, what)
            count += 1
    assert count > (3_000 if FULL else 1_000)


def test_bytes_that_differ_from_the_script_are_seen(cases):
    """A transcript whose recorded bytes do not hold the recorded frames."""
    case = next(case for case in cases if case.group == "Session")
    number = max(n for n, step in enumerate(case.test["steps"]) if "sends" in step and step["sends"])
    steps = list(case.test["steps"])
    steps[number] = steps[number] | {"bytes": changed(steps[number]["bytes"])}
    assert verify.judge(replace(case, test=case.test | {"steps": steps})).verdict == "failed"


# Hand-made cases: bytes written by hand from SPEC.md, so that these do not depend on the files


HELLO = "02ff04" "020001" "00" + "aa" * 32
KEY = "11" * 32


def test_nothing_is_taken_for_an_answer_by_mistake():
    assert Answer().result == ACCEPT
    assert Answer(error="truncated").result == reject("truncated") and layer("truncated") == "closing"
    assert layer("policy_conflict") == layer("declined") == "invitation" and layer("refused") == "handshake"
    assert layer("timed_out") == layer("internal") == layer("0x5000") == "any"
    assert {layer(code.name.lower()) for code in ErrorCode} == {
        "closing", "wire", "protection", "handshake", "invitation", "certificates", "association", "session", "any"
    }


# What is sent


def test_sent_frames():
    """Comparison joins parts and drops ignorable frames; unreadable bytes do not count as silence."""
    part = {"frame": "MESSAGE_PART", "payload": "bb", "protection": "readable"}
    entries = [
        {"frame": "PADDING", "payload": "", "protection": "encrypted"},
        {"frame": "MESSAGE", "payload": "03aa", "protection": "readable"}, part,
        {"frame": "0x21", "payload": "ff", "protection": "encrypted"}, part | {"payload": "cc"},
        {"frame": "FILE_DATA", "payload": "0000aa", "protection": "readable"},
        {"frame": "FILE_DATA", "payload": "0001bb", "protection": "readable"},
        {"frame": "FILE_DATA", "payload": "0200cc", "protection": "readable"},
        {"frame": "0x26", "payload": "ff", "protection": "encrypted"},
        {"frame": "CREDIT", "payload": "00000a"}, {"frame": "CREDIT", "payload": "030109"}, {"frame": "CREDIT", "payload": "00000b"},
        {"frame": "STREAM_DATA", "payload": "01aa"}, {"frame": "STREAM_DATA", "payload": "01bb"},
    ]
    assert joined(entries) == [
        {"frame": "MESSAGE", "payload": "03aabbcc", "protection": "readable"},
        {"frame": "FILE_DATA", "payload": "0000aabb", "protection": "readable"},
        {"frame": "FILE_DATA", "payload": "0200cc", "protection": "readable"},
        {"frame": "0x26", "payload": "ff", "protection": "encrypted"}, {"frame": "STREAM_DATA", "payload": "01aabb"},
        {"frame": "CREDIT", "payload": "00000b"}, {"frame": "CREDIT", "payload": "030109"},
    ]
    for data in ("4d50", "4d504545520d0a0001", "58", "4d504545520d0a00100012" + "00" * 18):
        with pytest.raises(scripts.Disagreement):
            SentFrames(1, None).take(bytes.fromhex(data))
        with pytest.raises(scripts.Disagreement):
            SentFrames(1, KEY).take(bytes.fromhex(data))
    assert SentFrames(1, None).take(b"") == []


def test_signatures_that_cannot_be_reproduced():
    """`*` stands for the signature and the field list after it."""
    chain = "02" "01ab" "0403"
    mine, star = ({"frame": "CERTIFICATES", "payload": chain + rest} for rest in ("02ffff" "00", "*"))
    assert match_signature(mine, star) == star and match_signature(mine, mine) == mine
    assert match_signature(mine, star | {"payload": "02" "01ac" "0403" "*"}) == star  # another chain is not equal
    with pytest.raises(scripts.Disagreement):
        match_signature(mine | {"payload": chain + "00" "00"}, star)


# A script by hand


def test_scripted_link_by_hand():
    """An initiator that meets silence: HELLO goes, the deadline of §19 acts, and nothing is sent (§16.3)."""
    params = {
        "role": "initiator", "suite": 2, "identitySeed": "01" * 32, "displayName": "41", "maximumMessage": 9,
        "ephemeralPrivate": "07" * 32, "sessionNonce": "05" * 32,
    }
    hello = "02ff04" "020002" "00" + public_key(bytes([7]) * 32).hex()
    steps = [
        {"actor": "self", "sends": [{"clear": "HELLO", "body": hello}], "events": []},
        {"actor": "clock", "advance": 9_999},
        {"actor": "self", "sends": [], "events": []},
        {"actor": "app", "do": "send", "message": "00"},  # not open: changes nothing
        {"actor": "clock", "advance": 1},
        {"actor": "self", "sends": [],
         "events": [{"event": "closed", "end": "handshake_timeout", "layer": "handshake"}]},
    ]
    assert scripts.run_script(params, steps).result == reject("handshake_timeout")
    with pytest.raises(scripts.Disagreement):
        scripts.run_script(params, steps[:-1])
    with pytest.raises(scripts.Disagreement):
        scripts.run_script(params, [*steps[:4], {"actor": "clock", "advance": 0}, steps[5]])  # not late yet
    link = ScriptedLink(params)
    assert link.poll()[2] == 10_000 and link.poll() == (b"", [], 10_000)
    for wrong in ({"actor": "nobody"}, {"actor": "app", "do": "fly"}):
        with pytest.raises(ValueError):
            link.step(wrong)


def test_associations_by_hand():
    """Unexpected frames and unknown acts are detected. Frames that end everything may come in any order (R16.1-5)."""
    params, send = {"lesser": True, "maximumMessage": 1 << 20}, {"actor": "app", "do": "send", "message": "00"}
    with pytest.raises(scripts.Disagreement):
        associations.run(params, [send])
    for wrong in ({"actor": "nobody"}, {"actor": "app", "do": "fly"}):
        with pytest.raises(ValueError):
            associations.run(params, [wrong])
    frames = [("STREAM_OPEN", "00090000"), ("FILE_OFFER", "0201" + "00" * 19 + "016100")]
    ended = {"event": "fileEnded", "id": "2", "direction": "outgoing", "reason": 12, "byPeer": False}
    for order in permutations([("STREAM_STOP", "000000"), ("STREAM_RESET", "000000"), ("FILE_CANCEL", "020c00")]):
        sends = [[{"frame": name, "payload": payload} for name, payload in part] for part in (frames, order)]
        associations.run(params, [
            {"actor": "app", "do": "openStream", "name": "", "credit": "9"}, {"actor": "app", "do": "offerFile", "name": "61", "size": 1},
            {"actor": "self", "sends": sends[0], "events": []}, {"actor": "app", "do": "close"},
            {"actor": "self", "sends": sends[1], "events": [ended]},
        ])


def test_nodes_by_hand(cases):
    """A step at a wrong time changes nothing, and a step that makes no sense is an error."""
    case = next(case for case in cases if case.group == "NodeScript" and "charter" in case.params)
    address = {"kind": 1, "value": "c00002631267"}
    for do in ("invite", "accept", "decline"):
        nodes.run(case.params, [{"actor": "app", "do": do, "link": 1}])
    for step in (
        {"actor": "nobody"}, {"actor": "app", "do": "rest"}, {"actor": "peer", "link": 1, "end": True},
        {"actor": "peer", "link": 1, "identitySeed": "01" * 32, "address": address},
    ):
        with pytest.raises((ValueError, KeyError)):
            nodes.run(case.params, [step])
    steps = next(case.test["steps"] for case in cases if case.group == "NodeScript" and case.test["steps"][-1].get("sends"))
    params = next(case.params for case in cases if case.test.get("steps") is steps)
    with pytest.raises(scripts.Disagreement):
        nodes.run(params, steps[:-1])


# Files


def vector_file(**changes: object) -> dict:
    test = {
        "id": "a-b-001", "comment": "", "spec": "§3.2", "requirements": [], "importance": "must", "features": [],
        "flags": [], "inputs": {"bytes": "00"}, "expected": {"value": "0"}, "result": ACCEPT,
    }
    return {
        "schema": "varint-v1.json", "specVersion": files.SPEC_VERSION, "suite": "a/b", "source": {"name": "", "version": ""},
        "numberOfTests": 1, "notes": {}, "groups": [{"type": "Varint", "params": {}, "tests": [test | changes]}],
    }


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_verify_ends_in_counts(tmp_path, capsys):
    good = write(tmp_path / "1.json", vector_file())
    assert verify.main([good], None, False) == 0 and capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"
    write(tmp_path / "2.json", vector_file(id="a-b-002", expected={"value": "1"}))
    write(tmp_path / "3.json", vector_file(id="a-b-003", features=["teleportation"]))
    assert verify.main([tmp_path], None, False) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == "1 passed, 1 failed, 1 skipped"
    assert lines[0].startswith("failed a-b-002") and "teleportation" in lines[1]
    assert verify.main([tmp_path], "b-001", True) == 0
    assert capsys.readouterr().out == "passed a-b-001\n1 passed, 0 failed, 0 skipped\n"


@pytest.mark.parametrize("content,complaint", [
    ("{", "Expecting"), ("[]", "not an object"), ('{"a": 1, "a": 2}', "twice"),
    (vector_file() | {"numberOfTests": 2}, "there are 1"), (vector_file() | {"specVersion": "2"}, "specVersion"),
    (vector_file() | {"surplus": 1}, "surplus"), ({"schema": ""}, "specVersion is missing"),
    (vector_file(flags=["Strange"]), "Strange"), (vector_file(result={"verdict": "perhaps"}), "perhaps"),
    (vector_file(inputs=3), "a-b-001: inputs"), (vector_file(surplus=1), "surplus"),
    (vector_file() | {"groups": [{"type": "Varint"}]}, "group 0"),
])
def test_bad_files(content, complaint, tmp_path, capsys):
    path = write(tmp_path / "bad.json", content)
    assert verify.main([path], None, False) == 65
    error = capsys.readouterr().err
    assert str(path) in error and complaint in error


def test_ids_are_unique_over_all_files(tmp_path):
    paths = [write(tmp_path / name, vector_file()) for name in ("1.json", "2.json")]
    with pytest.raises(VectorError, match="a-b-001: the id is used already"):
        list(files.load(paths))
    with pytest.raises(VectorError, match="no such file"):
        files.find([tmp_path / "nothing"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(VectorError, match="no vector files"):
        files.find([tmp_path / "empty"])


def test_a_case_that_makes_no_sense_fails_alone(tmp_path, capsys):
    write(tmp_path / "1.json", vector_file(inputs={"octets": "00"}))
    write(tmp_path / "2.json", vector_file(id="a-b-002"))
    unknown = vector_file(id="a-b-003")
    unknown["groups"][0]["type"] = "Telepathy"
    write(tmp_path / "3.json", unknown)
    assert verify.main([tmp_path], None, False) == 1
    assert capsys.readouterr().out.endswith("1 passed, 2 failed, 0 skipped\n")
