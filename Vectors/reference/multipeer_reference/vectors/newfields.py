"""The frames of associations, sessions and verification as the JSON of vectors (SPEC §13 to §15, §25.6, §26.2)."""

from __future__ import annotations

from typing import Callable, Sequence

from ..association.frames import Ack, Credit, Ping
from ..association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from ..datagrams.frames import Datagrams
from ..fields import Field
from ..resume import Position, Resume, Resumed
from ..session.admissions import Chain
from ..session.frames import Admit, Digest, Enter, Roster, Summary, Unite, Want
from ..verification import Ask, Begin, Bytes

#: Decodes bytes to JSON's types, and gives the bytes that the decoded values encode to.
Codec = Callable[[bytes], tuple[dict, bytes]]


def show_fields(fields: Sequence[Field]) -> list[dict]:
    return [{"type": str(field.type), "value": field.value.hex()} for field in fields]


def show_chain(chain: Chain) -> list[dict]:
    return [{"admitter": link.admitter.hex(), "signature": link.signature.hex()} for link in chain]


def _credit(payload: bytes) -> tuple[dict, bytes]:
    credit = Credit.decode(payload)
    return {"kind": int(credit.kind), "id": str(credit.id), "limit": str(credit.limit)}, credit.encode()


def _ack(payload: bytes) -> tuple[dict, bytes]:
    ack = Ack.decode(payload)
    return {"count": str(ack.count)}, ack.encode()


def _ping(payload: bytes) -> tuple[dict, bytes]:
    ping = Ping.decode(payload)
    return {"data": ping.data.hex()}, ping.encode()


def _admit(payload: bytes) -> tuple[dict, bytes]:
    admit = Admit.decode(payload)
    return {"chain": show_chain(admit.chain), "fields": show_fields(admit.fields)}, admit.encode()


def _roster(payload: bytes) -> tuple[dict, bytes]:
    """Divided into entries; no signature is judged."""
    roster = Roster.decode(payload)
    return {"entries": [entry.bytes.hex() for entry in roster.entries]}, roster.encode()


def _digest(payload: bytes) -> tuple[dict, bytes]:
    digest = Digest.decode(payload)
    return {"digest": digest.digest.hex(), "fields": show_fields(digest.fields)}, digest.encode()


def _summary(payload: bytes) -> tuple[dict, bytes]:
    summary = Summary.decode(payload)
    items = [
        {
            "member": item.member.hex(), "instance": str(item.instance), "sequence": str(item.sequence),
            "entryHash": item.hash.hex(),
        }
        for item in summary.items
    ]
    return {"items": items, "fields": show_fields(summary.fields)}, summary.encode()


def _want(payload: bytes) -> tuple[dict, bytes]:
    want = Want.decode(payload)
    members = [member.hex() for member in want.members]
    return {"members": members, "fields": show_fields(want.fields)}, want.encode()


def show_files(files: Sequence[Position]) -> list[dict]:
    return [{"id": str(position.id), "offset": str(position.offset)} for position in files]


def _resume(payload: bytes) -> tuple[dict, bytes]:
    """No proof is judged."""
    resume = Resume.decode(payload)
    return {
        "association": resume.association.hex(), "epoch": str(resume.epoch), "received": str(resume.received),
        "files": show_files(resume.files), "fields": show_fields(resume.fields), "proof": resume.proof.hex(),
    }, resume.encode()


def _resumed(payload: bytes) -> tuple[dict, bytes]:
    resumed = Resumed.decode(payload)
    return {
        "received": str(resumed.received), "files": show_files(resumed.files), "fields": show_fields(resumed.fields),
        "proof": resumed.proof.hex(),
    }, resumed.encode()


def _unite(payload: bytes) -> tuple[dict, bytes]:
    """No signature is judged."""
    unite = Unite.decode(payload)
    return {
        "founder": unite.charter.founder.hex(), "nonce": unite.charter.nonce.hex(),
        "parameters": show_fields(unite.charter.parameters), "chain": show_chain(unite.chain),
        "admission": unite.admission.hex(), "fields": show_fields(unite.fields),
    }, unite.encode()


def _enter(payload: bytes) -> tuple[dict, bytes]:
    enter = Enter.decode(payload)
    return {"session": enter.session.hex(), "fields": show_fields(enter.fields)}, enter.encode()


def _datagrams(payload: bytes) -> tuple[dict, bytes]:
    """Whichever peer sends it: no port is judged."""
    frame = Datagrams.decode(payload)
    return {"port": frame.port, "fields": show_fields(frame.fields)}, frame.encode()


def _stream_open(payload: bytes) -> tuple[dict, bytes]:
    value = StreamOpen.decode(payload)
    return {
        "id": str(value.id), "credit": str(value.credit), "name": value.name.encode().hex(),
        "fields": show_fields(value.fields),
    }, value.encode()


def stream_data(payload: bytes) -> tuple[dict, bytes]:
    part = StreamData.decode(payload)
    return {"id": str(part.id), "data": part.data.hex()}, part.encode()


def _stream_end(payload: bytes) -> tuple[dict, bytes]:
    end = StreamEnd.decode(payload)
    return {"id": str(end.id), "size": str(end.size), "fields": show_fields(end.fields)}, end.encode()


def _stream_reset(payload: bytes) -> tuple[dict, bytes]:
    reset = StreamReset.decode(payload)
    return {"id": str(reset.id), "code": str(reset.code), "fields": show_fields(reset.fields)}, reset.encode()


def _ask(payload: bytes) -> tuple[dict, bytes]:
    ask = Ask.decode(payload)
    return {"fields": show_fields(ask.fields)}, ask.encode()


def _bytes(name: str) -> Codec:
    """A frame of 32 bytes of this name."""

    def codec(payload: bytes) -> tuple[dict, bytes]:
        frame = Bytes.decode(payload)
        return {name: frame.content.hex(), "fields": show_fields(frame.fields)}, frame.encode()

    return codec


def _begin(payload: bytes) -> tuple[dict, bytes]:
    begin = Begin.decode(payload)
    return {"share": begin.share.hex(), "number": begin.number, "fields": show_fields(begin.fields)}, begin.encode()


CONTROL: dict[str, Codec] = {
    "CREDIT": _credit, "ACK": _ack, "PING": _ping, "PONG": _ping, "ADMIT": _admit, "ROSTER": _roster,
    "DIGEST": _digest, "SUMMARY": _summary, "WANT": _want, "UNITE": _unite, "ENTER": _enter, "RESUME": _resume,
    "RESUMED": _resumed, "DATAGRAMS": _datagrams,
    "STREAM_OPEN": _stream_open, "STREAM_END": _stream_end, "STREAM_RESET": _stream_reset, "STREAM_STOP": _stream_reset,
    "STRING_ASK": _ask, "STRING_COMMIT": _bytes("commitment"), "STRING_NONCE": _bytes("nonce"),
    "STRING_REVEAL": _bytes("nonce"), "CODE_BEGIN": _begin, "CODE_ANSWER": _bytes("share"),
    "CODE_CONFIRM": _bytes("confirmation"),
}
