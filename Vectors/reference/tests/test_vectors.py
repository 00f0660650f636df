"""`verify`: hand-made cases of every group, all files of Vectors/v1, and proof that each comparison can fail."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Iterator

import pytest

from multipeer_reference.errors import ErrorCode
from multipeer_reference.noise import public_key
from multipeer_reference.vectors import files, scripts, stateless, verify
from multipeer_reference.vectors.answers import Answer, layer
from multipeer_reference.vectors.files import Case, VectorError
from multipeer_reference.vectors.scripted import ScriptedLink
from multipeer_reference.vectors.wire import SentFrames, joined, match_signature

from .helpers import FULL

#: Cases of Vectors/v1 that SPEC.md does not support, and why. One that comes to pass must go from here.
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
    count = 0
    for case in cases:
        size = sum(len(step.get("bytes", "")) // 2 for step in case.test.get("steps", ()) if step["actor"] == "peer")
        if case.group != "LinkScript" or case.id in DISPUTED or size > (1 << 20 if FULL else 4_096):
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
    assert count > 900


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


def test_no_part_of_a_script_goes_unseen(cases):
    """Each leaf of `sends` and `events`, but `maximum`; two scripts of each file's first group, and the transcripts."""
    count, seen = 0, {}
    for case in cases:
        key = case.path, case.test["result"].get("code")
        seen[key] = seen.get(key, 0) + 1
        if "steps" not in case.test or seen[key] > 1 or case.id in DISPUTED:
            continue
        for number, step in enumerate(case.test["steps"]):
            for part in ("sends", "events"):
                for path in leaves(step.get(part, [])):
                    if path[-1] == "maximum" or "*" in str(step[part]):
                        continue
                    steps = list(case.test["steps"])
                    steps[number] = step | {part: without(step[part], path)}
                    test = case.test | {"steps": steps}
                    assert verify.judge(replace(case, test=test)).verdict == "failed", (case.id, number, part, path)
                    count += 1
    assert count > 1_000


def test_bytes_that_differ_from_the_script_are_seen(cases):
    """A transcript whose recorded bytes do not hold the recorded frames."""
    case = next(case for case in cases if case.group == "Session")
    number = max(n for n, step in enumerate(case.test["steps"]) if "sends" in step and step["sends"])
    steps = list(case.test["steps"])
    steps[number] = steps[number] | {"bytes": changed(steps[number]["bytes"])}
    assert verify.judge(replace(case, test=case.test | {"steps": steps})).verdict == "failed"


# Hand-made cases: bytes written by hand from SPEC.md, so that these do not depend on the files


HELLO = "02ff03" "020001" "00" + "aa" * 32
KEY = "11" * 32
CHARTER = "dd" * 32 + "ee" * 32
HAND_MADE = [
    ("Varint", {}, {"bytes": "7fff"}, {"value": "16383"}, ACCEPT),
    ("Varint", {}, {"bytes": "4001"}, {}, reject("malformed")),  # one byte would do
    ("Varint", {}, {"bytes": "0000"}, {}, reject("malformed")),
    ("Frames", {}, {"plaintext": "0100" "1000"},
     {"frames": [{"type": "1", "payload": ""}, {"type": "16", "payload": ""}]}, ACCEPT),
    ("Frames", {}, {"plaintext": "0100" "1001"}, {"frames": [{"type": "1", "payload": ""}]}, reject("malformed")),
    ("RecordStream", {"receiver": "responder"},
     {"bytes": "4d50454552" "0d0a00" "100012" + "00" * 18, "opening": "hello"},
     {"records": [], "consumed": 9}, reject("unexpected_record")),
    ("RecordStream", {"receiver": "initiator"}, {"bytes": "10001200", "opening": "protected"},
     {"records": [], "consumed": 4}, {"verdict": "incomplete"}),
    ("RecordStream", {"receiver": "initiator"},
     {"bytes": "100012" + "00" * 18, "opening": "protected", "allowance": 20},
     {"records": [], "consumed": 3}, reject("limit_exceeded")),
    ("InitiatorHello", {}, {"body": HELLO},
     {"versions": [0xFF03], "suites": [1], "extensions": [], "ephemeral": "aa" * 32}, ACCEPT),
    ("InitiatorHello", {}, {"body": HELLO + "00"}, {}, reject("malformed")),
    ("ResponderHello", {}, {"body": "ff03" "0002" "03000100" + "bb" * 32 + "cc" * 16},
     {"version": 0xFF03, "suite": 2, "extensions": [{"type": 1, "data": ""}], "ephemeral": "bb" * 32,
      "confirmation": "cc" * 16}, ACCEPT),
    ("Refusal", {}, {"body": "0102ff0300"}, {"code": 1, "versions": [0xFF03], "suites": []}, ACCEPT),
    ("Refusal", {}, {"body": "01010000"}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "031f01ee" "01" "02" "01" "4064" "02abcd" "0421022a2b"},
     {"fields": {"founder": "dd" * 32, "nonce": "ee" * 32, "parameters": [{"type": "31", "value": "ee"}],
                 "sessionKind": 1, "preference": 2, "identityKind": 1, "timeout": 100, "context": "abcd",
                 "fields": [{"type": "33", "value": "2a2b"}]}}, ACCEPT),
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "020600" "00" "02" "01" "4064" "00" "00"}, {},
     reject("unsupported")),  # a parameter of even type
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "03" "03" "00" "4064" "00" "00"}, {},
     reject("unsupported")),  # the kind of the session stands before the preference
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "00" "03" "02" "4064" "00" "00"}, {},
     reject("malformed")),  # the preference stands before the kind of identity
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "00" "02" "02" "4064" "00" "00"}, {},
     reject("unsupported")),
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "00" "02" "01" "4064" "00"}, {},
     reject("malformed")),  # the field list is there even where it is empty
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "00" "02" "01" "4064" "00" "020200"},
     {"fields": {"founder": "dd" * 32, "nonce": "ee" * 32, "parameters": [], "sessionKind": 0, "preference": 2,
                 "identityKind": 1, "timeout": 100, "context": "", "fields": [{"type": "2", "value": ""}]}}, ACCEPT),
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "00" "02" "01" "4064" "00" "00"}, {},
     reject("malformed")),  # whoever invites to a session that exists shows its chain
    ("ControlFrame", {"frame": "INVITE"}, {"payload": CHARTER + "00" "01" "02" "01" "4064" "00" "020200"}, {},
     reject("malformed")),
    ("ControlFrame", {"frame": "PEER_INFO"}, {"payload": "00" "4400" "04" "0a0a" "1234" "00"},
     {"fields": {"displayName": "", "maximumMessage": 1024, "features": [0x0A0A, 0x1234], "fields": []}}, ACCEPT),
    ("ControlFrame", {"frame": "PEER_INFO"}, {"payload": "0141" "01" "04" "1234" "0a0a" "00"}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "DECLINE"}, {"payload": "09" "01ff" "00"},
     {"fields": {"reason": 1, "detail": "", "fields": []}}, ACCEPT),
    ("ControlFrame", {"frame": "DECLINE"}, {"payload": "09" "01ff"}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "FILE_CANCEL"}, {"payload": "05" "06" "00"},
     {"fields": {"id": "5", "reason": 6, "fields": []}}, ACCEPT),
    ("ControlFrame", {"frame": "FILE_CANCEL"}, {"payload": "05" "86" "00"},
     {"fields": {"id": "5", "reason": 2, "fields": []}}, ACCEPT),  # no bit of the reason tells a direction
    ("ControlFrame", {"frame": "READY"}, {"payload": "00"}, {"fields": {"fields": []}}, ACCEPT),
    ("ControlFrame", {"frame": "READY"}, {"payload": ""}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "READY"}, {"payload": "0000"}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "REKEY"}, {"payload": "020100"},
     {"fields": {"fields": [{"type": "1", "value": ""}]}}, ACCEPT),
    ("SessionIdentifier", {}, {"charter": CHARTER + "031f01ee"},
     {"identifier": sha256(b"multipeer/1 session\x00" + bytes.fromhex(CHARTER + "031f01ee")).hexdigest()}, ACCEPT),
    ("SessionIdentifier", {}, {"charter": CHARTER}, {}, reject("malformed")),
    ("ControlFrame", {"frame": "CREDIT"}, {"payload": "0305" "4064"},
     {"fields": {"kind": 3, "id": "5", "limit": "100"}}, ACCEPT),
    ("CharterParameters", {}, {"parameters": "03" "040101"}, {}, reject("malformed")),
    ("CharterParameters", {}, {"parameters": "00"}, {"admission": 0, "maximumMembers": 256}, ACCEPT),
    ("CharterParameters", {}, {"parameters": "03" "020102"}, {}, reject("unsupported")),
    ("Manifest", {}, {"manifest": "0200000362696e0103c00000006553f1000762696e2f72756e", "size": 28},
     {"members": [{"type": 2, "size": "0", "modified": "0", "path": "62696e", "localPath": "62696e"},
                  {"type": 1, "size": "3", "modified": "1700000000", "path": "62696e2f72756e",
                   "localPath": "62696e2f72756e"}]}, ACCEPT),
    ("Manifest", {}, {"manifest": "00000003613a62" "00000003613f62", "size": 14},
     {"members": [{"type": 0, "size": "0", "modified": "0", "path": b"a:b".hex(), "localPath": b"a_b".hex()},
                  {"type": 0, "size": "0", "modified": "0", "path": b"a?b".hex()}]}, ACCEPT),  # it gave way to another name
    ("Manifest", {}, {"manifest": "", "size": 1}, {}, reject("bad_manifest") | {"action": "drop"}),
    ("PayloadFrame", {"frame": "FILE_DATA"}, {"payload": "00" "4040" "2a"},
     {"fields": {"id": "0", "offset": "64", "data": "2a"}}, ACCEPT),
    ("PayloadFrame", {"frame": "MESSAGE"}, {"payload": "01" "2a2a"}, {}, reject("malformed")),
    ("FileName", {}, {"name": b"../Aux .x".hex()}, {"localName": b"_Aux .x".hex()}, ACCEPT),
    ("FileName", {}, {"name": "ff"}, {}, reject("malformed")),
    ("DisplayName", {}, {"name": "c3a4"}, {}, ACCEPT),
    ("DisplayName", {}, {"name": "e280ae"}, {}, reject("malformed")),
    ("ResponderChoice", {"versions": [1], "suites": [2], "busy": False}, {"body": HELLO},
     {"refusal": "0102000100"}, reject("refused")),
    ("ResponderChoice", {"versions": [0xFF03], "suites": [2], "busy": False}, {"body": HELLO},
     {"refusal": "0200020002"}, reject("refused")),
    ("ResponderChoice", {"versions": [0xFF03], "suites": [2], "busy": True}, {"body": HELLO},
     {"refusal": "030000"}, reject("refused")),
    ("InitiatorCheck",
     {"versions": [0xFF03, 0x1A1A], "suites": [1], "extensions": [], "supportedVersions": [0xFF03],
      "supportedSuites": [1]},
     {"body": "1a1a" "0001" "00" + "bb" * 32 + "cc" * 16}, {}, reject("illegal_choice")),
    ("EncryptionPolicy", {}, {"inviter": 0, "invitee": 2}, {"outcome": "refused"}, ACCEPT),
    ("CrossingInvitations", {}, {"one": "80" + "00" * 31, "other": "7f" + "ff" * 31},
     {"stands": "7f" + "ff" * 31}, ACCEPT),
    ("MessageAssembly", {"maximumMessage": 3},
     {"frames": [{"type": "64", "payload": "03aa"}, {"type": "66", "payload": "bbcc"}]},
     {"messages": ["aabbcc"], "partial": False}, ACCEPT),
    ("MessageAssembly", {"maximumMessage": 3},
     {"frames": [{"type": "64", "payload": "03aa"}, {"type": "64", "payload": "00"}]},
     {"messages": [], "partial": True}, reject("unexpected_frame")),
    ("MessageAssembly", {"maximumMessage": 3}, {"frames": [{"type": "66", "payload": ""}]},
     {"messages": [], "partial": False}, reject("malformed")),
    ("MessageAssembly", {"maximumMessage": 3}, {"frames": [{"type": "64", "payload": "04aa"}]},
     {"messages": [], "partial": False}, reject("limit_exceeded")),
]


@pytest.mark.parametrize("group,params,inputs,expected,result", HAND_MADE)
def test_hand_made(group, params, inputs, expected, result):
    answer = stateless.test(group, params, inputs)
    assert answer.result == result and answer.expected == expected


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
    """Comparison joins parts and drops what is ignorable; what cannot be read is no silence."""
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
    """`*` stands for the signature and the field list behind it."""
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
    hello = "02ff03" "020002" "00" + public_key(bytes([7]) * 32).hex()
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
