"""`python -m multipeer_reference shim`: Vectors/SHIM.md on standard input and output."""

from __future__ import annotations

import json
import sys
from typing import TextIO

from . import stateless
from .answers import Answer, Disagreement, layer
from .associations import ScriptedAssociation
from .datagrams import ScriptedPath
from .files import SPEC_VERSION
from .nodes import ScriptedNode
from .scripted import ScriptedLink
from .verify import FEATURES, GROUPS

NAME, VERSION = "multipeer_reference", "0.1.0"


class Shim:
    def __init__(self) -> None:
        self._links: dict[int, ScriptedLink | ScriptedAssociation | ScriptedNode | ScriptedPath] = {}
        self._count = 0

    def answer(self, request: dict) -> dict | None:
        """The answer to a request, without `seq`; None for `exit`."""
        match request["command"]:
            case "hello":
                # Scripts are run by new, step and poll; a Session is two LinkScripts.
                return {
                    "name": NAME, "version": VERSION, "specVersion": SPEC_VERSION, "features": list(FEATURES),
                    "groups": list(GROUPS),
                }
            case "test" if request["group"] in stateless.GROUPS:
                return _show(stateless.test(request["group"], request["params"], request["inputs"]))
            case "new":
                self._count += 1
                self._links[self._count] = _SCRIPTED[request.get("group", "LinkScript")](request["params"])
                return {"ok": True, "link": self._count}
            case "step":
                self._links[request["link"]].step(request["step"])
                return {"ok": True}
            case "poll":
                subject = self._links[request["link"]]
                if isinstance(subject, ScriptedNode):
                    return _show_node(subject)
                if isinstance(subject, ScriptedPath):
                    return _show_path(subject)
                sent, events, deadline = subject.poll()
                if isinstance(sent, list):  # the frames of an association
                    sent = b"".join(frame.encode() for frame in sent)
                return {"ok": True, "sends": sent.hex(), "events": events, "deadline": deadline}
            case "free":
                del self._links[request["link"]]
                return {"ok": True}
            case "exit":
                return None
            case _:
                return {"unimplemented": True}


_SCRIPTED = {
    "LinkScript": ScriptedLink, "AssociationScript": ScriptedAssociation, "NodeScript": ScriptedNode,
    "DatagramScript": ScriptedPath,
}


def _show_node(node: ScriptedNode) -> dict:
    """What a node has sent is reported by link."""
    sent, events, digest, deadline = node.poll()
    links = {str(number): b"".join(frame.encode() for frame in frames).hex() for number, frames in sent.items()}
    answer = {"ok": True, "sends": "", "links": links, "events": events, "deadline": deadline}
    return answer if digest is None else answer | {"digest": digest.hex()}


def _show_path(path: ScriptedPath) -> dict:
    """Packets go one by one, each to a port."""
    sent, events, deadline = path.poll()
    packets = [{"port": port, "packet": packet.hex()} for port, packet in sent]
    return {"ok": True, "sends": "", "packets": packets, "events": events, "deadline": deadline}


def _show(answer: Answer) -> dict:
    if answer.incomplete:
        return {"ok": False, "incomplete": True, "expected": answer.expected}
    if answer.error is None:
        return {"ok": True, "expected": answer.expected}
    error = {"layer": layer(answer.error), "code": answer.error}
    return {"ok": False, "error": error, "expected": answer.expected}


def _harness(error: Exception) -> dict:
    """What is said about the question, or about this program, and never taken for a judgement of the bytes."""
    code = "inconsistent" if isinstance(error, Disagreement) else "bad_question"
    detail = f"{type(error).__name__}: {error}"
    print(detail, file=sys.stderr, flush=True)
    return {"ok": False, "error": {"layer": "harness", "code": code, "detail": detail}}


def run(requests: TextIO, answers: TextIO) -> int:
    """One JSON object a line each way, until `exit` or the end of input."""
    shim = Shim()
    for line in requests:
        if not line.strip():
            continue
        request = json.loads(line)
        try:
            answer = shim.answer(request)
        except (Disagreement, ValueError, KeyError, TypeError) as error:
            answer = _harness(error)
        if answer is None:
            break
        print(json.dumps({"seq": request["seq"], **answer}), file=answers, flush=True)
    return 0
