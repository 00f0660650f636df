"""AssociationScript by hand: what scripts do, and that each part of one is compared."""

from __future__ import annotations

import copy

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
