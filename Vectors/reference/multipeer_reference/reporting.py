"""What the live program prints: one event a line."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import sys
import threading
from typing import TYPE_CHECKING

from . import errors, events
from .fingerprints import fingerprint

if TYPE_CHECKING:
    from .app import Plan

_print_lock = threading.Lock()


def report(plan: Plan, name: str, values: dict[str, object]) -> None:
    """One event a line on standard output."""
    if plan.as_json:
        line = json.dumps({"event": name, **values}, ensure_ascii=False)
    else:
        line = " ".join([name, *(f"{key}={value}" for key, value in values.items())])
    with _print_lock:
        print(line, flush=True)


def kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def describe(event: events.Event) -> dict[str, object]:
    """The fields of an event in JSON's types."""
    if isinstance(event, events.MessageReceived):
        text = event.data.decode("utf-8", "replace") if len(event.data) <= 1024 else None
        return {"length": len(event.data), "sha256": hashlib.sha256(event.data).hexdigest(), "text": text}
    if isinstance(event, events.DatagramReceived):
        return {"length": len(event.data), "bytes": event.data.hex(), "text": event.data.decode("utf-8", "replace")}
    values: dict[str, object] = {}
    match event:
        case events.FileOffered(id=number, offer=offer):
            return {"id": number, "size": offer.size, "name": offer.name, "type": int(offer.type)}
        case events.OwnEntrySigned(entry=entry) | events.FirstEntry(entry=entry) | events.EntryKept(entry=entry):
            return {"member": entry.member.hex(), "instance": entry.instance, "presence": entry.presence}
        case events.Admitted(chain=chain):
            return {"length": len(chain)}
    for entry in dataclasses.fields(event):
        value = getattr(event, entry.name)
        if entry.name == "chain":
            values["certificates"] = len(value)
            values["fingerprint"] = fingerprint(value[0]) if value else None
        elif entry.name == "error" or entry.name == "peer_code":
            values[entry.name] = None if value is None else errors.name(value)
        elif isinstance(value, bytes):
            values[entry.name] = value.hex()
        elif isinstance(value, tuple):
            values[entry.name] = list(value)
        else:
            values[entry.name] = value
    return values


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
