"""AssociationScript, one association without its link, led by recorded steps; and the stateless groups of payloads."""

from __future__ import annotations

import hashlib

from .. import errors
from ..association.association import Association
from ..association.messages import IncomingMessages
from ..association.pools import MessagePool
from ..errors import MisuseError, ProtocolError
from ..files import FileOffer
from ..frames import Frame, FrameType
from ..names import local_file_name, portable_file_name, visible_name
from ..resume import Position
from ..writer import Writer
from .acts import Acts, filled, keep_alive, plenty, require_known
from .answers import Answer, Disagreement, require_same
from .newfields import show_files
from .wire import in_any_order, joined, joined_data


#: What has more bytes is in scripts as its length and SHA-256.
LONGEST = 1_024


class ScriptedAssociation:
    def __init__(self, params: dict) -> None:
        self._now = 0
        self._association = Association(
            params["lesser"], params["maximumMessage"], params.get("peerMaximum", 0xFFFF_FFFF), 0, keep_alive(params),
            plenty(), takes_at_once=False, keeps=params.get("keeps", False),
        )
        self._keep_alive = keep_alive(params)
        self._first: list[Frame] = []  # what goes first on a link that has opened by RESUMED
        self._is_lost = False
        self._reported: list[dict] = []
        self._acts = Acts(self._report)
        self.fault: ProtocolError | None = None

    def _report(self, name: str, /, **values: object) -> None:
        self._reported.append({"event": name, **values})

    def step(self, step: dict) -> None:
        """Nothing happens after a fault."""
        if self.fault is not None:
            return
        try:
            self._do(step)
        except ProtocolError as error:
            self.fault = error
        except MisuseError:
            pass
        self._drain()
        if self.fault is not None:
            self._report("failed", code=errors.name(self.fault.code))

    def _do(self, step: dict) -> None:
        match step["actor"]:
            case "peer" if step.get("end"):
                self._association.end()
            case "link" if step.get("lost"):
                association, self._is_lost = self._association, True
                self._report("resumable", received=str(association.received), files=show_files(association.positions))
            case "link":
                self._resume(int(step["resumed"]["received"]), step["resumed"]["files"])
            case "peer":
                self._association.record_came(self._now)
                self._association.receive(Frame(_type(step["frame"]), filled(step, "payload")))
            case "clock":
                self._advance(step["advance"])
            case "app" if step["do"] == "close":
                self._association.close()
            case "app":
                require_known(step["do"])
                for _ in range(step.get("times", 1)):
                    self._acts.act(self._association, step)
            case actor:
                raise ValueError(f"an actor {actor!r}")

    def _resume(self, received: int, files: list[dict]) -> None:
        """Another link has opened by RESUMED, in which the peer says this."""
        positions = [Position(int(file["id"]), int(file["offset"])) for file in files]
        self._association.check(received, positions)
        self._acts.resumed()
        self._first += self._association.resume(received, positions, self._now, self._keep_alive)
        self._is_lost = False

    def _advance(self, milliseconds: int) -> None:
        """Every deadline that is passed acts, in order."""
        end = self._now + milliseconds
        while (deadline := self._association.deadline) is not None and self._now < deadline <= end:
            self._now = deadline
            self._association.expire(deadline)
        self._now = end
        self._association.expire(end)

    def _drain(self) -> None:
        noted, self._association.events[:] = list(self._association.events), []
        for event in noted:
            self._acts.note(event)

    def poll(self) -> tuple[list[Frame], list[dict], int | None]:
        """What was sent, what was reported, and the deadline."""
        is_silent = self.fault is not None or self._is_lost
        frames = [] if is_silent else self._first + self._association.take_frames()
        self._first = []
        self._drain()
        if self.fault is None:
            self._acts.want(self._association)
        reported, self._reported = self._reported, []
        return frames, reported, self._association.deadline


def _type(name: str) -> int:
    return int(name, 16) if name.startswith("0x") else FrameType[name]


def run(params: dict, steps: list[dict]) -> Answer:
    script = ScriptedAssociation(params)
    for number, step in enumerate(steps):
        if step["actor"] != "self":
            script.step(step)
            continue
        frames, told, _ = script.poll()
        sent = joined([{"frame": frame.name, "payload": frame.payload.hex()} for frame in frames])
        require_same(f"step {number}: frames sent", _short(sent, "payload"), in_any_order(step["sends"]))
        require_same(f"step {number}: events", _short(_bare(told), "bytes"), _bare(step["events"]))
    if any(script.poll()[:2]):
        raise Disagreement("something is left after the last step")
    return Answer() if script.fault is None else Answer.rejected(script.fault)


def _short(entries: list[dict], name: str) -> list[dict]:
    """Long bytes become their length and SHA-256."""
    return [entry | {name: shortened(entry[name])} if name in entry else entry for entry in entries]


def shortened(data: str) -> str:
    if len(data) <= 2 * LONGEST:
        return data
    return f"#{len(data) // 2}:{hashlib.sha256(bytes.fromhex(data)).hexdigest()}"


def _bare(told: list[dict]) -> list[dict]:
    """With the data of one file joined, and without `maximum`, which is not compared."""
    return [{key: value for key, value in event.items() if key != "maximum"} for event in joined_data(told)]


def file_name(params: dict, inputs: dict) -> dict:
    """Judged as FILE_OFFER is: a name has 1 to 255 bytes of UTF-8."""
    offer = Writer().varint(0).varint(0).raw(bytes(16)).u8(0).varint(0).varint(0)
    offer.vector(bytes.fromhex(inputs["name"]), 0, 65_511).vector(b"", 0, 1024)
    local = local_file_name(FileOffer.decode(offer.bytes()).name)
    shown = {"localName": local, "portableName": portable_file_name(local), "visibleName": visible_name(local)}
    return {key: text.encode().hex() for key, text in shown.items()}


def message_assembly(params: dict, inputs: dict) -> Answer:
    assembler, messages = IncomingMessages(params["maximumMessage"], MessagePool()), []
    fault: ProtocolError | None = None
    try:
        for frame in inputs["frames"]:
            message = assembler.handle(Frame(int(frame["type"]), bytes.fromhex(frame["payload"])))
            if message is not None:
                messages.append(message.hex())
    except ProtocolError as error:
        fault = error
    expected = {"messages": messages, "partial": assembler.is_unfinished}
    return Answer.rejected(fault, expected) if fault else Answer(expected)
