"""Structures of SPEC.md as the JSON of vectors, and back again: decode, show, encode."""

from __future__ import annotations

from typing import Sequence

from ..certificates import Certificates
from ..charter import Charter
from ..closing import Close
from ..errors import malformed
from ..fields import read_fields, write_fields
from ..files import FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from ..hello import Extension, InitiatorHello, Refusal, ResponderHello
from ..integers import decode_varint, encode_varint
from ..invitation import Accept, Cancel, Decline, DeclineReason, Invite, PeerInfo
from ..proofs import Proof
from ..reader import Reader
from ..writer import Writer
from . import newfields
from .newfields import Codec, show_fields


def show_extensions(extensions: Sequence[Extension]) -> list[dict]:
    return [{"type": extension.type, "data": extension.data.hex()} for extension in extensions]


def initiator_hello(body: bytes) -> tuple[dict, bytes]:
    hello = InitiatorHello.decode(body)
    return {
        "versions": list(hello.versions), "suites": list(hello.suites),
        "extensions": show_extensions(hello.extensions), "ephemeral": hello.ephemeral.hex(),
    }, hello.encode()


def responder_hello(body: bytes) -> tuple[dict, bytes]:
    hello = ResponderHello.decode(body)
    return {
        "version": hello.version, "suite": hello.suite, "extensions": show_extensions(hello.extensions),
        "ephemeral": hello.ephemeral.hex(), "confirmation": hello.confirmation.hex(),
    }, hello.encode()


def refusal(body: bytes) -> tuple[dict, bytes]:
    value = Refusal.decode(body)
    shown = {"code": value.code, "versions": list(value.versions), "suites": list(value.suites)}
    return shown, value.encode()


def _close(payload: bytes) -> tuple[dict, bytes]:
    close = Close.decode(payload)
    return {"code": str(close.code), "fields": show_fields(close.fields)}, close.encode()


def _proof(payload: bytes) -> tuple[dict, bytes]:
    proof = Proof.decode(payload)
    return {"identityKey": proof.identity_key.hex(), "signature": proof.signature.hex()}, proof.encode()


def _peer_info(payload: bytes) -> tuple[dict, bytes]:
    info = PeerInfo.decode(payload)
    return {
        "displayName": info.display_name.encode().hex(), "maximumMessage": info.maximum_message,
        "features": list(info.features), "fields": show_fields(info.fields),
    }, info.encode()


def _invite(payload: bytes) -> tuple[dict, bytes]:
    invite = Invite.decode(payload)
    return {
        "founder": invite.charter.founder.hex(), "nonce": invite.charter.nonce.hex(),
        "parameters": show_fields(invite.charter.parameters), "sessionKind": int(invite.session_kind),
        "preference": invite.preference, "identityKind": int(invite.identity_kind),
        "timeout": invite.timeout, "context": invite.context.hex(), "fields": show_fields(invite.fields),
    }, invite.encode()


def _accept(payload: bytes) -> tuple[dict, bytes]:
    accept = Accept.decode(payload)
    return {
        "preference": accept.preference, "identityKind": int(accept.identity_kind), "outcome": accept.outcome,
        "fields": show_fields(accept.fields),
    }, accept.encode()


def _decline(payload: bytes) -> tuple[dict, bytes]:
    """An unknown reason shows as *declined*, its detail as empty ([R8.4-1])."""
    decline = Decline.decode(payload)
    known = decline.reason in [int(reason) for reason in DeclineReason]
    detail = decline.detail.hex() if known else ""
    shown = {"reason": int(decline.meaning), "detail": detail, "fields": show_fields(decline.fields)}
    return shown, decline.encode()


def _cancel(payload: bytes) -> tuple[dict, bytes]:
    cancel = Cancel.decode(payload)
    return {"reason": int(cancel.meaning), "fields": show_fields(cancel.fields)}, cancel.encode()


def _certificates(payload: bytes) -> tuple[dict, bytes]:
    value = Certificates.decode(payload)
    return {
        "chain": [der.hex() for der in value.chain], "algorithm": value.algorithm, "signature": value.signature.hex(),
        "fields": show_fields(value.fields),
    }, value.encode()


def _only_fields(payload: bytes) -> tuple[dict, bytes]:
    """READY and REKEY."""
    reader = Reader(payload)
    fields = read_fields(reader)
    reader.finish()
    return {"fields": show_fields(fields)}, write_fields(Writer(), fields).bytes()


def _file_offer(payload: bytes) -> tuple[dict, bytes]:
    offer = FileOffer.decode(payload)
    return {
        "id": str(offer.id), "size": str(offer.size), "tag": offer.tag.hex(), "type": int(offer.type),
        "modified": str(offer.modified), "manifest": str(offer.manifest), "name": offer.name.encode().hex(),
        "fields": show_fields(offer.fields),
    }, offer.encode()


def _file_accept(payload: bytes) -> tuple[dict, bytes]:
    accept = FileAccept.decode(payload)
    return {
        "id": str(accept.id), "offset": str(accept.offset), "sha256": accept.sha256.hex(),
        "credit": str(accept.credit), "fields": show_fields(accept.fields),
    }, accept.encode()


def _file_done(payload: bytes) -> tuple[dict, bytes]:
    done = FileDone.decode(payload)
    return {"id": str(done.id), "fields": show_fields(done.fields)}, done.encode()


def _file_cancel(payload: bytes) -> tuple[dict, bytes]:
    """An unknown reason shows as 2 (SPEC §15.3)."""
    cancel = FileCancel.decode(payload)
    shown = {"id": str(cancel.id), "reason": int(cancel.meaning), "fields": show_fields(cancel.fields)}
    return shown, cancel.encode()


def _file_end(payload: bytes) -> tuple[dict, bytes]:
    end = FileEnd.decode(payload)
    return {"id": str(end.id), "sha256": end.sha256.hex(), "fields": show_fields(end.fields)}, end.encode()


def _message(payload: bytes) -> tuple[dict, bytes]:
    """The payload alone: `data` of no byte is allowed where `total` is 0, and never longer than it ([R15.1-1])."""
    total, offset = decode_varint(payload)
    data = payload[offset:]
    if len(data) > total or (total and not data):
        raise malformed("data does not fit total")
    return {"total": str(total), "data": data.hex()}, encode_varint(total) + data


def _message_part(payload: bytes) -> tuple[dict, bytes]:
    if not payload:
        raise malformed("a part is empty")
    return {"data": payload.hex()}, payload


def _file_data(payload: bytes) -> tuple[dict, bytes]:
    part = FileData.decode(payload)
    return {"id": str(part.id), "offset": str(part.offset), "data": part.data.hex()}, part.encode()


def charter(data: bytes) -> tuple[dict, bytes]:
    value = Charter.decode(data)
    return {"identifier": value.identifier.hex()}, value.encode()


CONTROL: dict[str, Codec] = {
    "CLOSE": _close, "PROOF": _proof, "PEER_INFO": _peer_info, "INVITE": _invite, "ACCEPT": _accept,
    "DECLINE": _decline, "CANCEL": _cancel, "CERTIFICATES": _certificates, "READY": _only_fields, "REKEY": _only_fields,
    "FILE_OFFER": _file_offer, "FILE_ACCEPT": _file_accept, "FILE_CANCEL": _file_cancel, "FILE_END": _file_end,
    "FILE_DONE": _file_done, **newfields.CONTROL,
}
PAYLOAD: dict[str, Codec] = {
    "MESSAGE": _message, "MESSAGE_PART": _message_part, "FILE_DATA": _file_data, "STREAM_DATA": newfields.stream_data,
}
