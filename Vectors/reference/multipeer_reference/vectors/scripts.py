"""LinkScript and Session: this reference's Link against recorded steps."""

from __future__ import annotations

from .answers import Answer, Disagreement, layer, require_same
from .scripted import ScriptedLink
from .wire import SentFrames, joined, joined_data, match_signature, shortened


def _comparable(events: list[dict]) -> list[dict]:
    """All but `closed`, which is compared at the end, and without `maximum`, which is not compared."""
    kept = [event for event in joined_data(events) if event["event"] != "closed"]
    return [{key: value for key, value in event.items() if key != "maximum"} for event in kept]


class Comparison:
    """Compares what one link does with what a script says; `closed` once, at the end."""

    def __init__(self, params: dict, link: ScriptedLink) -> None:
        self._link = link
        self._sent = SentFrames(params["suite"], params.get("sendKey"))
        self._mine: list[dict] = []
        self._theirs: list[dict] = []

    def take(self, number: int, step: dict) -> bytes:
        """Compares a step of the implementation's own; the bytes that were sent."""
        data, events, _ = self._link.poll()
        self._compare_frames(number, self._sent.take(data), step["sends"])
        self._mine += [event for event in events if event["event"] == "closed"]
        self._theirs += [event for event in step["events"] if event["event"] == "closed"]
        require_same(f"step {number}: events", _comparable(events), _comparable(step["events"]))
        return data

    def _compare_frames(self, number: int, mine: list[dict], theirs: list[dict]) -> None:
        mine, theirs = [shortened(entry) for entry in joined(mine)], joined(theirs)
        if len(mine) == len(theirs):
            mine = [match_signature(*pair) for pair in zip(mine, theirs)]
        require_same(f"step {number}: frames sent", mine, theirs)

    def finish(self) -> Answer:
        """The result follows from `closed`. Our Link reports to its app when the stream ends, and others may report at
        once; what they report is settled (SPEC §16.3)."""
        if self._theirs and not self._mine:
            self._link.step({"actor": "peer", "end": True})
        data, events, _ = self._link.poll()
        require_same("bytes after the last step", data, b"")
        self._mine += [event for event in events if event["event"] == "closed"]
        require_same("events after the last step", _comparable(events), [])
        require_same("how it ended", self._mine, self._theirs)
        return Answer(error=fault_of(self._mine))


def fault_of(closed: list[dict]) -> str | None:
    """Where the implementation finds a fault the script is rejected; what the peer's CLOSE says is no fault of the
    script's."""
    faults = [event["end"] for event in closed if event["end"] != "finished" and not event.get("byPeer")]
    for event in closed:
        if event["end"] != "finished" and event.get("layer") != layer(event["end"]):
            raise Disagreement(f"the layer of {event['end']}")
    return faults[0] if faults else None


def run_script(params: dict, steps: list[dict]) -> Answer:
    """A LinkScript."""
    link = ScriptedLink(params)
    comparison = Comparison(params, link)
    for number, step in enumerate(steps):
        if step["actor"] == "self":
            comparison.take(number, step)
        else:
            link.step(step)
    _check_secrets(params, link)
    return comparison.finish()


def _check_secrets(params: dict, link: ScriptedLink) -> None:
    """The hash that the script gives is the one that this link came to; keys that it does not give never came to be."""
    require_same("the handshake hash", link.link.core.handshake_hash.hex(), params.get("handshakeHash", ""))


def run_session(params: dict, steps: list[dict]) -> Answer:
    """A transcript: each peer is replayed against the recorded bytes of the other."""
    roles = ("initiator", "responder")
    for me, other in (roles, roles[::-1]):
        mine = params | params[me] | {"role": me, "sendKey": params[f"{me}Key"], "receiveKey": params[f"{other}Key"]}
        _replay(mine, me, steps)
    return Answer()


def _replay(params: dict, me: str, steps: list[dict]) -> None:
    link = ScriptedLink(params)
    comparison = Comparison(params, link)
    recorded = SentFrames(params["suite"], params["sendKey"])
    for number, step in enumerate(steps):
        if "do" in step:
            if step["actor"] == me:
                link.step(step | {"actor": "app"})
        elif step["actor"] == me:
            comparison.take(number, step)
            held = recorded.take(bytes.fromhex(step["bytes"]))
            require_same(f"step {number}: what the bytes hold", joined(held), joined(step["sends"]))
        elif step["bytes"]:
            link.step({"actor": "peer", "bytes": step["bytes"]})
    _check_secrets(params, link)
    if comparison.finish().error:
        raise Disagreement("a transcript has no fault")
