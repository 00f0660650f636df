"""Datagram and DatagramScript: what one peer of a link sends and does beside it (SPEC §26)."""

from __future__ import annotations

import itertools

from ..datagrams import packets
from ..datagrams.keys import Keys
from ..datagrams.packets import Contents, Message, Probe
from ..datagrams.path import Path
from ..proofs import Role
from .answers import Answer, Disagreement, require_same

#: Scripts have milliseconds, a path has microseconds.
MILLISECOND = 1_000


def _role(name: str) -> Role:
    return Role[name.upper()]


def datagram(params: dict, inputs: dict) -> dict:
    """Of the sender. Any kind and any contents are sealed; what they have to be is a matter of scripts."""
    keys = Keys(params["suite"], bytes.fromhex(inputs["exporterSecret"]), _role(inputs["sender"]))
    counter, contents = int(inputs["counter"]), bytes.fromhex(inputs["contents"])
    packet = keys.seal(inputs["kind"], counter, contents)
    require_same("opened again", keys.open(packet), contents)
    return {"tag": keys.tag.hex(), "key": keys.key(counter).hex(), "packet": packet.hex()}


class ScriptedPath:
    def __init__(self, params: dict) -> None:
        challenges = itertools.cycle([bytes.fromhex(challenge) for challenge in params["challenges"]])
        self._now = 0  # in milliseconds
        self._told: list[dict] = []
        self._path = Path(
            _role(params["role"]), params["suite"], bytes.fromhex(params["exporterSecret"]), params.get("port"),
            params["maximumMessage"], params["peerMaximum"], 0, draw=lambda: next(challenges),
        )

    def step(self, step: dict) -> None:
        """A step whose actor is peer, link, clock or app."""
        path, now = self._path, self._now * MILLISECOND
        match step["actor"]:
            case "peer":
                path.receive(bytes.fromhex(step["packet"]), step["port"], now)
            case "link" if "message" in step:
                path.note_link_message(now)
            case "link":
                path.close()
            case "clock":
                self._advance(step["advance"])
            case "app" if step["do"] == "send":
                for _ in range(step.get("times", 1)):
                    self._told.append({"event": path.send(bytes.fromhex(step["message"]), now)})
            case "app" if step["do"] == "take":
                path.take(step["messages"])
            case actor:
                raise ValueError(f"an actor {actor!r}, or what it does")
        self._told += [{"event": "message", "bytes": event.data.hex()} for event in path.events]
        path.events.clear()

    def _advance(self, milliseconds: int) -> None:
        """Every deadline that is passed acts, in order, each at its own time."""
        end = (self._now + milliseconds) * MILLISECOND
        while (deadline := self._path.deadline) is not None and deadline <= end:
            self._path.timeout(deadline)
        self._now += milliseconds
        self._path.timeout(end)

    def poll(self) -> tuple[list[tuple[int, bytes]], list[dict], int | None]:
        """Packets with their ports, events, and the deadline in milliseconds, rounded up."""
        sent, self._path.packets = self._path.packets, []
        told, self._told = self._told, []
        deadline = self._path.deadline
        return sent, told, None if deadline is None else -(-deadline // MILLISECOND)


def show(keys: Keys, port: int, packet: bytes) -> dict:
    """What the peer of a script has sent, as the script has it."""
    opened = keys.open(packet) if packets.fits(packet) and packet[1:9] == keys.tag else None
    contents = None if opened is None else packets.decode(packet[0], opened)
    if contents is None:
        raise Disagreement(f"a packet that the peer would drop: {packet.hex()[:64]}…")
    return {"port": port, "counter": str(packets.counter_of(packet)), **_show(contents)}


def _show(contents: Contents) -> dict:
    match contents:
        case Message(data):
            return {"message": data.hex()}
        case Probe(challenge, answered):
            return {"challenge": challenge.hex(), "answered": answered.hex()}
        case report:
            return {"greatest": str(report.greatest), "received": str(report.received), "delay": report.delay}


def run(params: dict, steps: list[dict]) -> Answer:
    """A DatagramScript."""
    script = ScriptedPath(params)
    keys = Keys(params["suite"], bytes.fromhex(params["exporterSecret"]), _role(params["role"]))
    for number, step in enumerate(steps):
        if step["actor"] != "self":
            script.step(step)
            continue
        sent, told, _ = script.poll()
        require_same(f"step {number}: packets sent", [show(keys, *one) for one in sent], step["sends"])
        require_same(f"step {number}: events", told, step["events"])
    if any(script.poll()[:2]):
        raise Disagreement("something is left after the last step")
    return Answer()


GROUPS = {"Datagram": datagram}
