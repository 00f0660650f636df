"""AssociationScript by hand: what scripts do, and that each part of one is compared."""

from __future__ import annotations

import copy
import hashlib
from itertools import permutations

import pytest

from multipeer_reference.files import HASH_OF_NOTHING
from multipeer_reference.vectors import associations
from multipeer_reference.vectors.answers import Disagreement

PARAMS = {"lesser": True, "maximumMessage": 1 << 20}


def sent(*frames: tuple[str, str], events: tuple[dict, ...] = ()) -> dict:
    return {"actor": "self", "sends": [{"frame": name, "payload": payload} for name, payload in frames], "events": list(events)}


def peer(frame: str, payload: str) -> dict:
    return {"actor": "peer", "frame": frame, "payload": payload}


def app(do: str, **values: object) -> dict:
    return {"actor": "app", "do": do, **values}


MESSAGES = [
    app("send", message="6869", tag=1), sent(("MESSAGE", "026869")), peer("ACK", "01"),
    sent(events=({"event": "delivered", "tag": 1},)),
    peer("MESSAGE", "016a"), sent(events=({"event": "message", "bytes": "6a"},)), {"actor": "clock", "advance": 19}, sent(),
    {"actor": "clock", "advance": 1}, sent(("ACK", "01")), app("send", message="", tag=2), sent(("MESSAGE", "00")),
    {"actor": "peer", "end": True}, sent(events=({"event": "result", "tag": 2, "result": "in doubt"},)),
]
STREAMS = [
    app("openStream", name="73", credit=9), app("write", bytes="6869"), app("endStream", stream=0),
    sent(("STREAM_OPEN", "0009017300"), ("STREAM_DATA", "006869"), ("STREAM_END", "000200")),
    peer("STREAM_DATA", "0061"), peer("STREAM_END", "000100"), sent(), app("takeStream", stream=0, count=9),
    sent(events=({"event": "streamData", "id": "0", "bytes": "61"}, {"event": "streamEnded", "id": "0", "complete": True})),
]
FILES = [
    app("offerFile", name="61", size=2), sent(("FILE_OFFER", "0002" + "00" * 19 + "016100")),
    peer("FILE_ACCEPT", "0000" + HASH_OF_NOTHING.hex() + "0500"),
    sent(events=({"event": "fileAccepted", "id": "0", "offset": "0"}, {"event": "fileWanted", "id": "0", "offset": "0"})),
    app("supply", bytes="6869"),
    sent(("FILE_DATA", "00006869"),
         ("FILE_END", "00" "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4" "00")),
    peer("FILE_DONE", "0000"), sent(events=({"event": "fileDelivered", "id": "0"},)),
]
FAULT = [peer("CREDIT", "000000"), sent(events=({"event": "failed", "code": "malformed"},))]


@pytest.mark.parametrize("steps, verdict", [(MESSAGES, "accept"), (STREAMS, "accept"), (FILES, "accept"), (FAULT, "reject")])
def test_scripts(steps, verdict):
    assert associations.run(PARAMS, steps).result["verdict"] == verdict
    for number, step in enumerate(steps):
        for part in ("sends", "events"):
            for index in range(len(step.get(part, ()))):
                wrong = copy.deepcopy(steps)
                del wrong[number][part][index]
                with pytest.raises(Disagreement):
                    associations.run(PARAMS, wrong)


def test_what_is_left_is_seen():
    with pytest.raises(Disagreement):
        associations.run(PARAMS, MESSAGES[:1])
    with pytest.raises(ValueError):
        associations.run(PARAMS, [app("fly")])


DIGEST = "be33c9a97d2402f0c5c3a4e0ba37cfa5a68eeb1c0a5e3cf1b6b8b2e5f4a2e9c1"
RESUMED = [
    app("offerFile", name="61", size=9, tag="11" * 16), sent(("FILE_OFFER", "0009" + "11" * 16 + "000000" "016100")),
    peer("FILE_ACCEPT", "0007" + DIGEST + "0500"), sent(events=({"event": "hashWanted", "id": "0", "length": "7"},)),
    app("sourceHash", file="0", sha256=DIGEST, whole="ee" * 32),
    sent(events=({"event": "fileAccepted", "id": "0", "offset": "7"}, {"event": "fileWanted", "id": "0", "offset": "7"})),
    app("supply", file="0", bytes="6869"), sent(("FILE_DATA", "00076869"), ("FILE_END", "00" + "ee" * 32 + "00")),
]
RESUMING = [
    peer("FILE_OFFER", "0109" + "11" * 16 + "000000" "016100"),
    sent(events=({"event": "fileOffered", "id": "1", "name": "61", "size": 9, "type": 0, "localName": "61", "tag": "11" * 16,
                  "manifest": 0},)),
    app("acceptFile", file="1", offset="7", sha256=DIGEST, whole="ee" * 32), sent(("FILE_ACCEPT", "0107" + DIGEST + "0200")),
    peer("FILE_DATA", "01076869"), sent(events=({"event": "fileData", "id": "1", "bytes": "6869"},)),
    peer("FILE_END", "01" + "ee" * 32 + "00"), sent(events=({"event": "fileComplete", "id": "1", "sha256": "ee" * 32},)),
    app("confirmFile", file="1"), sent(("FILE_DONE", "0100")),
]
PINGS = [
    {"actor": "clock", "advance": 10_000}, sent(("PING", "0000000000000001"), ("PING", "0000000000000002")),
    peer("PING", "aa" * 8), peer("PING", "bb" * 8), sent(("PONG", "bb" * 8)), {"actor": "clock", "advance": 15_000},
    sent(("PING", "0000000000000003"), ("PING", "0000000000000004"), events=({"event": "failed", "code": "silent"},)),
]


@pytest.mark.parametrize("steps", [RESUMED, RESUMING])
def test_resuming(steps):
    associations.run(PARAMS, steps)


def test_long_bytes():
    """They stand as length and SHA-256."""
    data = bytes.fromhex("47d0" "61") + b"\x5a" * 1_999
    shown = f"#{len(data)}:{hashlib.sha256(data).hexdigest()}"
    associations.run(PARAMS, [app("send", message="61", fill=1_999), sent(("MESSAGE", shown))])


def test_keep_alive():
    """What was built before the fault is not sent any more."""
    steps = copy.deepcopy(PINGS)
    steps[-1]["sends"] = []
    associations.run(PARAMS | {"keepAlive": {"ping": 5_000, "silent": 15_000}}, steps)
    associations.run(PARAMS | {"keepAlive": {"ping": 5_000}}, [*PINGS[:5], {"actor": "clock", "advance": 4_999}, sent()])


def test_what_ends_everything_has_no_order():
    """R16.1-5, in either order."""
    ends = [("STREAM_STOP", "000000"), ("STREAM_RESET", "000000"), ("FILE_CANCEL", "020c00")]
    for order in permutations(ends):
        associations.run(PARAMS, [
            app("openStream", name="", credit="9"), app("offerFile", name="61", size=1), sent(
                ("STREAM_OPEN", "00090000"), ("FILE_OFFER", "0201" + "00" * 19 + "016100")),
            app("close"), sent(*order, events=({"event": "fileEnded", "id": "2", "direction": "outgoing", "reason": 12, "byPeer": False},)),
        ])
