"""NodeScript by hand: what scripts do, and that each part of one is compared."""

from __future__ import annotations

import copy

import pytest

from multipeer_reference.frames import decode_frames
from multipeer_reference.session.admissions import encode_chain
from multipeer_reference.session.frames import Roster
from multipeer_reference.vectors import nodes
from multipeer_reference.vectors.answers import Disagreement
from multipeer_reference.vectors.shim import Shim
from multipeer_reference.writer import Writer

from .members import CHARTER, chain, entry
from .told import GREATER
from .world import address

SEED = {number: number.to_bytes(32, "big").hex() for number in (1, GREATER)}
ADDRESS = {"kind": 1, "value": address(GREATER).value.hex()}
MEMBER = entry(GREATER).member.hex()
PARAMS = {
    "identitySeed": SEED[1], "displayName": "6d65", "addresses": [], "milliseconds": "1000",
    "charter": CHARTER.encode().hex(), "chain": "",
}


def peer(**values: object) -> dict:
    return {"actor": "peer", "link": 1, **values}


def frame(name: str, payload: bytes) -> dict:
    return peer(frame=name, payload=payload.hex())


def invite() -> dict:
    fields = b"\x02" + Writer().vector(encode_chain(chain(GREATER, 1)), 0, 768).bytes()
    payload = Writer().raw(CHARTER.encode()).u8(2).u8(2).u8(0).varint(30_000).vector(b"", 0, 0)
    return frame("INVITE", payload.vector(fields, 0, 8_192).bytes())


READY = frame("READY", b"\x00")
LINKING = [
    peer(identitySeed=SEED[GREATER]), invite(), frame("CERTIFICATES", b"\x00\x00\x00\x00\x00"), READY,
    frame("ROSTER", Roster((entry(GREATER),)).encode()),
]


def heard(script: nodes.ScriptedNode) -> dict:
    """What a script says after these steps, as it would be recorded."""
    sent, told, digest, _ = script.poll()
    return {"actor": "self", "sends": nodes._shown(sent), "events": told, "digest": digest.hex()}


def recorded(params: dict, *steps: dict) -> list[dict]:
    script, result = nodes.ScriptedNode(params), []
    for step in steps:
        script.step(step)
        result += [step, heard(script)]
    return result


def names(steps: list[dict]) -> list[str]:
    return [sent["frame"] for step in steps for sent in step.get("sends", ())]


def events(steps: list[dict]) -> list[str]:
    return [event["event"] for step in steps for event in step.get("events", ())]


def test_a_member_links_and_vanishes():
    steps = recorded(PARAMS, *LINKING, peer(end=True))
    assert names(steps) == ["ACCEPT", "CERTIFICATES", "READY", "ROSTER", "DIGEST"]
    assert events(steps) == ["connected", "departed"]
    nodes.run(PARAMS, steps)


def test_each_part_is_compared():
    steps = recorded(PARAMS, *LINKING)
    for number, step in enumerate(steps):
        changes = [{"digest": "00" * 32}] if "digest" in step else []
        for part in ("sends", "events"):
            for index in range(len(step.get(part, ()))):
                changes.append({part: step[part][:index] + step[part][index + 1 :]})
                changes.append({part: step[part][:index] + [step[part][index]] * 2 + step[part][index + 1 :]})
        for change in changes:
            changed = copy.deepcopy(steps)
            changed[number] |= change
            with pytest.raises(Disagreement):
                nodes.run(PARAMS, changed)
    with pytest.raises(Disagreement):
        nodes.run(PARAMS, steps[:-1])  # something is left


def test_a_dial():
    """It fails, is tried again, and comes to the wrong peer, to which nothing is said."""
    known = entry(GREATER, addresses=(address(GREATER),))
    params = PARAMS | {"entries": [known.bytes.hex()]}
    steps = recorded(
        params, {"actor": "clock", "advance": 0}, {"actor": "peer", "address": ADDRESS, "fails": True},
        {"actor": "clock", "advance": 60_000}, peer(identitySeed="ee" * 32, address=ADDRESS),
    )
    assert events(steps) == ["dial", "dial"] and names(steps) == ["CLOSE"]
    steps = recorded(params, peer(identitySeed=SEED[GREATER], address=ADDRESS, silent=True), peer(proves=True))
    assert names(steps[:2]) == [] and names(steps[2:]) == ["PROOF", "INVITE"]


@pytest.mark.parametrize("fault, sent", [("tag", ["CLOSE"]), ("cut", [])])
def test_bad_records(fault, sent):
    steps = recorded(PARAMS, *LINKING, frame("DIGEST", bytes(33)) | {"fault": fault})
    assert names(steps[-1:]) == sent


def test_what_comes_at_a_wrong_time_changes_nothing():
    steps = recorded(PARAMS, *({"actor": "app", "do": do, "link": 1} for do in ("invite", "accept", "decline")))
    assert names(steps) == events(steps) == []


@pytest.mark.parametrize("step", [
    {"actor": "nobody"}, {"actor": "app", "do": "rest"}, peer(identitySeed=SEED[1], address=ADDRESS), peer(end=True),
])
def test_no_steps(step):
    with pytest.raises((ValueError, KeyError)):
        nodes.ScriptedNode(PARAMS).step(step)


def test_the_shim():
    """What a node has sent is told by link."""
    shim = Shim()
    number = shim.answer({"command": "new", "group": "NodeScript", "params": PARAMS})["link"]
    for step in LINKING[:2]:
        assert shim.answer({"command": "step", "link": number, "step": step}) == {"ok": True}
    polled = shim.answer({"command": "poll", "link": number})
    assert [frame.name for frame in decode_frames(bytes.fromhex(polled["links"]["1"]))] == ["ACCEPT", "CERTIFICATES"]
    assert len(polled["digest"]) == 64 and polled["sends"] == ""
