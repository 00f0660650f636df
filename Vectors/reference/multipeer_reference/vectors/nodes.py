"""NodeScript: one node on links to peers that say what steps say."""

from __future__ import annotations

import json

from .. import resume
from ..association.association import Association
from ..charter import Charter
from ..config import Config
from ..ed25519 import SigningKey
from ..errors import MisuseError
from ..exporter import export
from ..frames import Frame, FrameType
from ..hosting import Host
from ..invitation import DeclineReason
from ..link import Link
from ..node import Node
from ..nodeevents import (
    Apart, Asked, Connected, Contradiction, Departed, Ghost, NodeEvent, NoPlace, Reconnecting, TakenPlaceOf, United,
)
from ..proofs import Role
from ..session.admissions import decode_chain
from ..session.entries import Address, Entry
from ..session.instances import Shown
from .acts import keep_alive
from .answers import Answer, Disagreement, require_same
from .associations import shortened
from .nodepeer import NodePeer, seeded


def _hex(text: str) -> bytes:
    return bytes.fromhex(text)


def _address(shown: dict) -> Address:
    return Address(shown["kind"], _hex(shown["value"]))


def _shown_address(address: Address) -> dict:
    return {"kind": address.kind, "value": address.value.hex()}


class ScriptedNode:
    def __init__(self, params: dict) -> None:
        self._key, self._name = SigningKey(_hex(params["identitySeed"])), _hex(params["displayName"]).decode()
        self._keep_alive = keep_alive(params)
        self._now = 0
        self._nonce: bytes | None = None
        self._random = seeded("node")
        shown = Shown(self._name, tuple(_address(address) for address in params["addresses"]))
        is_member = self._has_session = "charter" in params
        self.node = Node(
            self._key, self._draw, shown, 0, int(params["milliseconds"]),
            charter=Charter.decode(_hex(params["charter"])) if is_member else None,
            chain=decode_chain(_hex(params["chain"])) if is_member else None,
            remembered=int(params["instance"]) if "instance" in params else None,
            maximum_links=params.get("maximumLinks", 256), grace=params.get("grace", 0),
        )
        self._host = Host(self.node, frozenset(_hex(key) for key in params.get("refuses", ())))
        self._links: dict[int, Link] = {}
        self._peers: dict[int, NodePeer] = {}
        self._dials: list[tuple[bytes, Address]] = []
        self._reported: list[dict] = []
        for entry in params.get("entries", ()):
            assert self.node.membership is not None
            self.node.membership.take(Entry.decode(_hex(entry)), 0)
        self._settle()

    def _draw(self, count: int) -> bytes:
        """The nonce of a session that is founded, or what no script sees."""
        nonce, self._nonce = (self._nonce, None) if count == 32 else (None, self._nonce)
        return nonce or self._random(count)

    # Steps

    def step(self, step: dict) -> None:
        match step["actor"]:
            case "peer":
                self._peer(step)
            case "clock":
                self._advance(step["advance"])
            case "app":
                try:
                    self._app(step)
                except (MisuseError, KeyError):
                    pass  # what comes at a wrong time changes nothing
            case actor:
                raise ValueError(f"an actor {actor!r}")
        self._settle()

    def _peer(self, step: dict) -> None:
        if step.get("fails"):
            self._take_dial(_address(step["address"]))
            return
        number = step["link"]
        if "identitySeed" in step:
            self._connect(number, step)
        elif step.get("proves"):
            self._peers[number].prove()
        elif step.get("end"):
            self._end(number)
        else:
            frame = Frame(_type(step["frame"]), self._payload(number, step))
            for _ in range(step.get("times", 1)):
                self._give(number, self._peers[number].send(frame, step.get("fault")))
                self._settle()

    def _payload(self, number: int, step: dict) -> bytes:
        """Of RESUME and RESUMED a step gives what is between `association` and `proof`, and the first link of it."""
        payload = _hex(step["payload"])
        if "of" not in step:
            return payload
        association, secret = self._association_of(step["of"])
        if step["frame"] == "RESUME":
            payload = (bytes(len(association)) if step.get("fault") == "association" else association) + payload
        core = self._peers[number].core
        proof = resume.resume_proof(secret, core.role, core.handshake_hash, payload)
        return payload + (bytes(len(proof)) if step.get("fault") == "proof" else proof)

    def _association_of(self, number: int) -> tuple[bytes, bytes]:
        """Its identifier, and the resume secret."""
        secret = self._peers[number].core.exporter_secret
        return (
            export(secret, resume.ASSOCIATION_LABEL, b"", resume.ASSOCIATION_LENGTH),
            export(secret, resume.SECRET_LABEL, b"", resume.SECRET_LENGTH),
        )

    def _without_proof(self, number: int, frame: Frame) -> Frame:
        """RESUME and RESUMED without what differs with each handshake, which is judged here."""
        if frame.type not in (FrameType.RESUME, FrameType.RESUMED):
            return frame
        core, payload = self._peers[number].core, frame.payload[: -resume.PROOF_LENGTH]
        of = [self._association_of(first) for first in self._peers if self._peers[first].core.exporter_secret]
        proofs = {
            resume.resume_proof(secret, core.role.other, core.handshake_hash, payload): association
            for association, secret in of
        }
        association = proofs.get(frame.payload[-resume.PROOF_LENGTH :])
        start = 0 if frame.type == FrameType.RESUMED else resume.ASSOCIATION_LENGTH
        if association is None or not association.startswith(payload[:start]):
            raise Disagreement(f"the proof of {frame.name}")
        return Frame(frame.type, payload[start:])

    def _connect(self, number: int, step: dict) -> None:
        if number in self._peers:
            raise ValueError(f"link {number} is there already")
        expected = SigningKey(_hex(step["identitySeed"])).public if step.get("expected") else None
        if "address" in step:
            dial = self._take_dial(_address(step["address"]))
            if dial is None:
                raise ValueError("the node does not wait for this connection")
            expected = dial[0]
        role = Role.RESPONDER if expected is None else Role.INITIATOR
        config = Config(
            self._key, self._name, expected_peer=expected, grease=False, keep_alive=self._keep_alive,
            membership=self.node.membership_for, is_within_host=bool(step.get("withinHost")),
        )
        self._links[number] = Link(config, role, self._now, seeded(f"link {number}"))
        self._host.add(number, self._links[number], _address(step["address"]) if "address" in step else None)
        self._peers[number] = NodePeer(_hex(step["identitySeed"]), role.other, number, bool(step.get("silent")))

    def _take_dial(self, address: Address) -> tuple[bytes, Address] | None:
        for dial in self._dials:
            if dial[1] == address:
                self._dials.remove(dial)
                return dial
        return None

    def _give(self, number: int, data: bytes) -> None:
        if data and not self._peers[number].has_ended:
            self._links[number].receive(data, self._now)

    def _end(self, number: int) -> None:
        if not self._peers[number].has_ended:
            self._peers[number].has_ended = True
            self._links[number].end_of_stream(self._now)

    def _app(self, step: dict) -> None:
        node, member = self.node, _hex(step.get("member", ""))
        match step["do"]:
            case "invite" if "nonce" in step:
                self._nonce = _hex(step["nonce"])
                node.invite_anew(step["link"])
            case "invite" if node.membership is not None:
                node.invite(step["link"])
            case "invite":
                raise MisuseError("this node is in no session")
            case "accept":
                node.accept(step["link"])
            case "decline":
                node.decline(step["link"], DeclineReason.DECLINED)
            case "leave":
                node.leave()
            case "comeBack":
                node.come_back()
            case "dial":
                node.dial(member)
            case "disconnect":
                node.disconnect(member)
            case "block":
                node.block(member)
            case "send":
                for association in self._associations_with(member):
                    association.send(_hex(step["bytes"]))
            case "lift":
                node.lift(member)
            case do:
                raise ValueError(f"an app does not {do!r}")

    def _associations_with(self, member: bytes) -> list[Association]:
        """That of the open link, or the one that waits for another link."""
        waiting = [one.association for one in self.node.associations if one.peer == member and not one.is_over]
        known = [(link, self.node.links.get(number)) for number, link in self._links.items()]
        linked = [link for link, held in known if held is not None and held.key == member and held.is_open]
        return waiting or [link.association(self._now) for link in linked]

    # Time

    @property
    def _deadline(self) -> int | None:
        times = [link.deadline for link in self._links.values() if not link.is_closed] + [self.node.deadline]
        return min((time for time in times if time is not None), default=None)

    def _advance(self, milliseconds: int) -> None:
        """Every deadline that is passed acts, in order."""
        end = self._now + milliseconds
        while (deadline := self._deadline) is not None and max(deadline, self._now + 1) <= end:
            self._pass(max(deadline, self._now + 1))
        self._pass(end)

    def _pass(self, now: int) -> None:
        self._now = now
        for link in self._links.values():
            if not link.is_closed:
                link.timeout(now)
        self._settle()

    def _settle(self) -> None:
        """Carries bytes both ways until both are silent."""
        moved = True
        while moved:
            moved = False
            # What the first turn has learned may be due at once.
            for dial in self._host.turn(self._now) + self._host.turn(self._now):
                self._dials.append((dial.member, dial.address))
                self._reported.append({"event": "dial", "address": _shown_address(dial.address)})
            events, self.node.events = self.node.events, []
            for event in events:
                self._note(event)
            for number in sorted(self._peers):
                moved |= self._move(number)

    def _move(self, number: int) -> bool:
        link, peer = self._links[number], self._peers[number]
        data = link.take_output()
        if data:
            peer.receive(data)
        answer = peer.take_output()
        if answer:
            self._give(number, answer)
        elif peer.has_closed and not peer.has_ended:
            self._end(number)
            return True
        return bool(data or answer)

    # What is reported

    def _note(self, event: NodeEvent) -> None:
        match event:
            case Asked(link=link):
                invite = self.node.links[link].invite
                assert invite is not None
                told = {"event": "asked", "link": link, "sessionKind": int(invite.session_kind)}
            case TakenPlaceOf(link=link, former=former):
                told = {"event": "replaced", "link": former, "by": link}
            case Connected(key=key):
                self._has_session = True
                told = {"event": "connected", "member": key.hex()}
            case Reconnecting(key=key):
                told = {"event": "reconnecting", "member": key.hex()}
            case Departed(key=key, why=why):
                told = {"event": "departed", "member": key.hex(), "departure": str(why)}
            case Contradiction(key=key):
                told = {"event": "contradiction", "member": key.hex()}
            case Ghost():
                told = {"event": "twin"}
            case NoPlace():
                told = {"event": "placeLost"}
            case United(session=session):
                told = {"event": "united", "session": session.hex()}
            case Apart(session=session):
                told = {"event": "apart", "session": session.hex()}
            case _:
                return
        self._reported.append(told)

    def poll(self) -> tuple[dict[int, list[Frame]], list[dict], bytes | None, int | None]:
        """Frames by link, events, the digest of the roster of the home, or of the newest session, and the deadline."""
        sent = {}
        for number, peer in sorted(self._peers.items()):
            if peer.heard:
                sent[number], peer.heard = [self._without_proof(number, frame) for frame in peer.heard], []
        reported, self._reported = self._reported, []
        mine = self.node.membership
        is_told = mine is not None and mine.is_member and self._has_session
        return sent, reported, mine.roster.digest if is_told else None, self._deadline


def _type(name: str) -> int:
    return int(name) if name.isdecimal() else FrameType[name]


def _shown(sent: dict[int, list[Frame]]) -> list[dict]:
    return [
        {"link": number, "frame": _name(frame), "payload": shortened(frame.payload.hex())}
        for number, frames in sent.items() for frame in frames
    ]


def _name(frame: Frame) -> str:
    return frame.name if frame.is_known else str(frame.type)


def _in_order(events: list[dict]) -> list[str]:
    """Events of one step have no order among each other."""
    return sorted(json.dumps(event, sort_keys=True) for event in events)


def run(params: dict, steps: list[dict]) -> Answer:
    script = ScriptedNode(params)
    for number, step in enumerate(steps, 1):
        if step["actor"] != "self":
            script.step(step)
            continue
        sent, told, digest, _ = script.poll()
        require_same(f"step {number}: frames sent", _shown(sent), step["sends"])
        require_same(f"step {number}: events", _in_order(told), _in_order(step["events"]))
        require_same(f"step {number}: digest", digest.hex() if digest else None, step.get("digest"))
    sent, told, *_ = script.poll()
    if sent or told:
        raise Disagreement("something is left after the last step")
    return Answer()
