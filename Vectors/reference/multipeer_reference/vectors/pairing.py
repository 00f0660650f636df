"""The stateless groups of SPEC §25: ShortString, OneTimeCode, CodeExchange."""

from __future__ import annotations

from .. import cpace, errors, ristretto
from ..errors import ProtocolError
from ..exporter import exporter_secret
from ..onetimecode import BadCode, OneTimeCode
from ..shortstring import Link
from .answers import Answer


def _bytes(inputs: dict, *names: str) -> list[bytes]:
    return [bytes.fromhex(inputs[name]) for name in names]


def _secret(inputs: dict) -> bytes:
    return exporter_secret(*_bytes(inputs, "exporterKey", "handshakeHash", "initiatorKey", "responderKey"))


def short_string(params: dict, inputs: dict) -> dict:
    link = Link.of(_secret(inputs), *_bytes(inputs, "initiatorKey", "responderKey"))
    commitment, initiator_nonce, responder_nonce = _bytes(inputs, "commitment", "initiatorNonce", "responderNonce")
    link.check(commitment, initiator_nonce)
    string = link.string(initiator_nonce, responder_nonce)
    return {"stringKey": link.key.hex(), "digits": string.digits, "words": list(string.words)}


def one_time_code(params: dict, inputs: dict) -> Answer:
    try:
        code = OneTimeCode.typed(*_bytes(inputs, "text"))
    except BadCode:
        return Answer(error="bad_code", drops=True)
    return Answer({"number": code.number, "words": list(code.words), "normalForm": code.normal_form})


def code_exchange(params: dict, inputs: dict) -> Answer:
    """One party. What it has sent before a fault is released."""
    try:
        code = OneTimeCode.typed(*_bytes(inputs, "code"))
    except BadCode:
        return Answer(error="bad_code", drops=True)
    is_typist = params["role"] == "typist"
    sid = cpace.session_identifier(_secret(inputs))
    keys = _bytes(inputs, "initiatorKey", "responderKey")
    channel = cpace.channel(*(keys if inputs["typist"] == "initiator" else reversed(keys)))
    data, random, share, peer_data, confirmation = _bytes(
        inputs, "data", "random", "peerShare", "peerData", "peerConfirmation"
    )
    sent: dict = {}
    try:
        role = cpace.TYPIST if is_typist else cpace.PRESENTER
        side = cpace.Side(role, code.normal_form.encode(), channel, sid, data, random)
        own_share = {"share": side.message.share.hex()}
        sent |= own_share if is_typist else {}
        side.receive(cpace.Message(share, peer_data))
        sent |= own_share | ({"confirmation": side.confirmation.hex()} if is_typist else {})
        side.check(confirmation)
    except ProtocolError as error:
        return Answer(sent, errors.name(error.code))
    assert side.keys is not None
    return Answer({
        "sid": sid.hex(), "channel": channel.hex(), "generator": ristretto.encode(side.generator).hex(), **own_share,
        "product": side.product.hex(), "intermediateKey": side.keys.intermediate.hex(),
        "confirmationKey": side.keys.confirmation.hex(), "confirmation": side.confirmation.hex(),
    })


GROUPS = {"ShortString": short_string, "OneTimeCode": one_time_code, "CodeExchange": code_exchange}
