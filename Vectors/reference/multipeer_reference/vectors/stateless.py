"""The stateless groups of Vectors/README.md: `test` judges one case.

Each function takes params and inputs, raises ProtocolError for a fault that releases nothing, and checks on the way
what the README asks for beside `expected`: that accepted bytes are encoded to the same bytes again, and signatures
made anew.
"""

from __future__ import annotations

from typing import Callable

from .. import hello as hellos
from .. import kem, noise, policy, resume
from ..certificates import Certificates, Side, check_binding, signed_bytes as binding_bytes, transcript
from ..ed25519 import SigningKey
from ..exporter import export, exporter_secret
from ..errors import ErrorCode, ProtocolError, malformed
from ..fingerprints import fingerprint
from ..frames import decode_frame
from ..hello import HYBRID_SUITES, Extension, InitiatorHello, Refusal, ResponderHello
from ..integers import decode_varint, encode_varint
from ..invitation import IdentityKind, own_invite_stands
from ..names import decode_display_name
from ..noise import CipherState, SymmetricState
from ..proofs import Proof, Role, check_proof, make_proof, signed_bytes as proof_bytes
from ..protection import seal, unseal
from ..records import HEADER_LENGTH, LENGTHS, MAGIC, PROTECTED, RecordKind, decode_header, decode_kind
from ..writer import Writer
from . import associations, datagrams, discovery, fields, pairing, sessions, stream
from .answers import Answer, require_same


def _hex(text: str) -> bytes:
    return bytes.fromhex(text)


def _role(name: str) -> Role:
    return Role[name.upper()]


def _require(what: str, condition: object) -> None:
    """What the README says of inputs; where it is not so there is no question."""
    if not condition:
        raise ValueError(f"it is not so that {what}")


def _coded(codec: fields.Codec, data: bytes) -> dict:
    shown, encoded = codec(data)
    require_same("encoded again", encoded, data)
    return shown


def _varint(params: dict, inputs: dict) -> dict:
    data = _hex(inputs["bytes"])
    value, end = decode_varint(data)
    if end != len(data):
        raise malformed("bytes are left over")
    require_same("encoded again", encode_varint(value), data)
    return {"value": str(value)}


def _frames(params: dict, inputs: dict) -> Answer:
    data, offset = _hex(inputs["plaintext"]), 0
    frames: list[dict] = []
    encoded = b""
    try:
        while offset < len(data):
            frame, offset = decode_frame(data, offset)
            encoded += frame.encode()
            frames.append({"type": str(frame.type), "payload": frame.payload.hex()})
    except ProtocolError as error:
        return Answer.rejected(error, {"frames": frames})
    require_same("encoded again", encoded, data)
    return Answer({"frames": frames})


def _control_frame(params: dict, inputs: dict) -> dict:
    return {"fields": _coded(fields.CONTROL[params["frame"]], _hex(inputs["payload"]))}


def _payload_frame(params: dict, inputs: dict) -> dict:
    return {"fields": _coded(fields.PAYLOAD[params["frame"]], _hex(inputs["payload"]))}


def _display_name(params: dict, inputs: dict) -> dict:
    name = _hex(inputs["name"])
    require_same("encoded again", decode_display_name(name).encode(), name)
    return {}


def _responder_choice(params: dict, inputs: dict) -> Answer:
    offer = InitiatorHello.decode(_hex(inputs["body"]))
    is_busy = params["busy"]
    choice = Refusal(hellos.BUSY) if is_busy else hellos.choose(offer, params["versions"], params["suites"])
    if isinstance(choice, Refusal):
        return Answer({"refusal": choice.encode().hex()}, "refused")
    return Answer({"version": choice[0], "suite": choice[1]})


def _initiator_check(params: dict, inputs: dict) -> dict:
    extensions = tuple(Extension(type_) for type_ in params["extensions"])
    offer = InitiatorHello(tuple(params["versions"]), tuple(params["suites"]), extensions, bytes(32))
    answer = ResponderHello.decode(_hex(inputs["body"]))
    hellos.check_choice(offer, answer, params["supportedVersions"], params["supportedSuites"])
    return {}


_STEPS = {
    "name": "start", "prologue": "prologue", "1:e": "-> e", "1:payload": "-> payload", "2:e": "<- e", "2:ee": "<- ee",
    "2:kem": "<- kem", "2:payload": "<- payload",
}


def _opening_body(opening: bytes) -> bytes:
    _require("an opening begins with the magic", opening[: len(MAGIC)] == MAGIC)
    front = opening[len(MAGIC) : len(MAGIC) + HEADER_LENGTH]
    length = int.from_bytes(front[1:], "big")
    _require("an opening is a HELLO", front[:1] == bytes([RecordKind.HELLO]) and length in LENGTHS[RecordKind.HELLO])
    _require("an opening is a whole record", len(opening) == len(MAGIC) + HEADER_LENGTH + length)
    return opening[len(MAGIC) + HEADER_LENGTH :]


def _show_states(state: SymmetricState) -> list[dict]:
    shown = []
    for token, h, ck, k, n in state.trace:
        entry: dict = {"after": _STEPS[token], "h": h.hex(), "ck": ck.hex()}
        if k is not None:
            entry |= {"k": k.hex(), "n": n}
        shown.append(entry)
    return shown


def _decapsulated(inputs: dict, offer: InitiatorHello, answer: ResponderHello) -> bytes:
    """Of the initiator, with a hybrid suite."""
    seed, ciphertext = _hex(inputs["initiatorKemSeed"]), answer.ciphertext or b""
    is_own = kem.encapsulation_key(seed) == offer.encapsulation_key
    _require("the initiator's opening has its encapsulation key", is_own)
    _require("the responder's opening has a ciphertext", len(ciphertext) == kem.CIPHERTEXT_LENGTH)
    return kem.decapsulate(seed, ciphertext)


def _handshake(params: dict, inputs: dict) -> dict:
    """Judged by the peer whose private key is there; by both, both must come to the same."""
    suite, openings = params["suite"], [_hex(inputs[name]) for name in ("initiatorOpening", "responderOpening")]
    offer = InitiatorHello.decode(_opening_body(openings[0]))
    answer = ResponderHello.decode(_opening_body(openings[1]))
    prologue = noise.prologue(openings[0][:-32], openings[1][:-48])
    is_hybrid = suite in HYBRID_SUITES
    states: list[SymmetricState] = []
    for side, hello in ("initiator", offer), ("responder", answer):
        if private := inputs.get(f"{side}EphemeralPrivate"):
            _require(f"the {side}'s opening has its key", noise.public_key(_hex(private)) == hello.ephemeral)
    if private := inputs.get("initiatorEphemeralPrivate"):
        secret = _decapsulated(inputs, offer, answer) if is_hybrid else b""
        states.append(noise.conclude(suite, prologue, _hex(private), answer.ephemeral, answer.confirmation, secret))
    if private := inputs.get("responderEphemeralPrivate"):
        secret = _hex(inputs["responderKemSecret"]) if is_hybrid else b""
        state, confirmation = noise.respond(suite, prologue, offer.ephemeral, _hex(private), secret)
        _require("the responder's opening has its confirmation", states or confirmation == answer.confirmation)
        require_same("the confirmation", confirmation, answer.confirmation)
        states.append(state)
    require_same("both sides' traces", states[0].trace, states[-1].trace)
    first, second, exporter_key = states[0].split()
    return {
        "prologue": prologue.hex(), "message1": offer.ephemeral.hex(), "handshakeHash": states[0].h.hex(),
        "message2": (answer.ephemeral + answer.confirmation).hex(), "states": _show_states(states[0]),
        "initiatorKey": first.k.hex(), "responderKey": second.k.hex(), "exporterKey": exporter_key.hex(),
    }


def _proof(params: dict, inputs: dict) -> dict:
    signer, hash_ = _role(params["verifierRole"]).other, _hex(inputs["handshakeHash"])
    expected = _hex(inputs["expectedPeer"]) if inputs.get("expectedPeer") else None
    payload = _hex(inputs["payload"])
    proof = Proof.decode(payload)
    own = _hex(inputs["ownIdentity"])  # the verifier's: what an initiator has to sign as its peer's
    check_proof(proof, signer, hash_, own, expected)
    require_same("encoded again", proof.encode(), payload)
    if "seed" in inputs:
        require_same("signed again", make_proof(SigningKey(_hex(inputs["seed"])), signer, hash_, own), proof)
    signed = proof_bytes(signer, hash_, proof.identity_key, own)
    return {"identityKey": proof.identity_key.hex(), "signedBytes": signed.hex()}


def _open_record(state: CipherState, wire: bytes, is_readable: bool) -> tuple[RecordKind, bytes]:
    _require("a record has a kind", wire)
    if (kind := decode_kind(wire[0])) not in PROTECTED:
        raise ProtocolError(ErrorCode.UNEXPECTED_RECORD, kind.name)
    _require("a record has a header", len(wire) >= HEADER_LENGTH)
    header = decode_header(wire[:HEADER_LENGTH])
    _require("each is one whole record", len(wire) == header.record_length)
    if header.kind is RecordKind.AUTHENTICATED and not is_readable:
        raise ProtocolError(ErrorCode.WRONG_PROTECTION)  # [R12.4-2], before the tag
    return header.kind, unseal(state, header, wire[HEADER_LENGTH:])


def _record_protection(params: dict, inputs: dict) -> Answer:
    state = CipherState(params["suite"], _hex(inputs["key"]), int(inputs["counter"]))
    twin = CipherState(params["suite"], _hex(inputs["key"]), int(inputs["counter"]))
    is_readable = params["encryption"] == "readable"
    opened: list[dict] = []
    fault: ProtocolError | None = None
    for record in inputs["records"]:
        counter = str(state.n)
        try:
            kind, plaintext = _open_record(state, _hex(record), is_readable)
        except ProtocolError as error:
            fault = error
            break
        require_same("sealed again", seal(twin, kind, plaintext), _hex(record))
        opened.append({"kind": int(kind), "plaintext": plaintext.hex(), "counter": counter})
    expected = {"opened": opened, "counterAfter": str(state.n), "keyAfter": state.k.hex()}
    if fault is None:
        return Answer(expected)
    if "genuine" in inputs:
        _open_record(state, _hex(inputs["genuine"]), is_readable)  # the counter has not moved
    return Answer.rejected(fault, expected)


def _rekey(params: dict, inputs: dict) -> dict:
    state = CipherState(params["suite"], _hex(inputs["key"]))
    state.rekey()
    return {"key": state.k.hex()}


def _encryption_policy(params: dict, inputs: dict) -> dict:
    outcome = policy.outcome(inputs["inviter"], inputs["invitee"])
    return {"outcome": "refused" if outcome is None else int(outcome)}


def _crossing_invitations(params: dict, inputs: dict) -> dict:
    one = _hex(inputs["one"]), _hex(inputs["oneSession"])
    other = _hex(inputs["other"]), _hex(inputs["otherSession"])
    require_same("seen by both", own_invite_stands(*one, *other), not own_invite_stands(*other, *one))
    return {"stands": (one if own_invite_stands(*one, *other) else other)[0].hex()}


def _certificates(chain: tuple[bytes, ...], algorithm: int, signature: bytes) -> Certificates:
    """As they come from a peer that announced a chain (SPEC §10.2)."""
    content = b"".join(encode_varint(len(der)) + der for der in chain)
    payload = Writer().vector(content, 0, 1 << 20).u16(algorithm).vector(signature, 0, 1 << 20)
    payload = payload.vector(b"", 0, 0).bytes()
    certificates = Certificates.decode(payload)
    certificates.check_kind(IdentityKind.X509)
    return certificates


def _binding(params: dict, inputs: dict) -> dict:
    signer, chain = _role(inputs["signerRole"]), tuple(map(_hex, inputs["chain"]))
    hash_ = transcript(
        _hex(inputs["handshakeHash"]), Side(_hex(inputs["initiatorKey"]), _hex(inputs["initiatorInfoFrame"])),
        Side(_hex(inputs["responderKey"]), _hex(inputs["responderInfoFrame"])),
        _role(inputs["inviterRole"]), _hex(inputs["inviteFrame"]), _hex(inputs["acceptFrame"]),
    )
    certificates = _certificates(chain, inputs["algorithm"], _hex(inputs["signature"]))
    check_binding(certificates, signer, hash_)
    message = binding_bytes(signer, hash_, chain)
    return {"transcript": hash_.hex(), "message": message.hex(), "fingerprint": fingerprint(chain[0])}


def _exporter(params: dict, inputs: dict) -> Answer:
    """What is out of its range is refused as a failure of one's own ([R9.8-1])."""
    keys = (_hex(inputs[name]) for name in ("exporterKey", "handshakeHash", "initiatorKey", "responderKey"))
    secret = exporter_secret(*keys)
    try:
        output = export(secret, _hex(inputs["label"]), _hex(inputs["context"]), inputs["length"])
    except (ValueError, OverflowError):
        return Answer(error="internal")
    return Answer({"exporterSecret": secret.hex(), "bytes": output.hex()})


def _resume_proof(params: dict, inputs: dict) -> dict:
    """From the link by which an association began to the proof on a later one (SPEC §13.9)."""
    keys = (_hex(inputs[name]) for name in ("exporterKey", "handshakeHash", "initiatorKey", "responderKey"))
    secret = exporter_secret(*keys)
    shared = export(secret, resume.SECRET_LABEL, b"", resume.SECRET_LENGTH)
    proof = resume.resume_proof(
        shared, _role(inputs["role"]), _hex(inputs["newHandshakeHash"]), _hex(inputs["payload"])
    )
    association = export(secret, resume.ASSOCIATION_LABEL, b"", resume.ASSOCIATION_LENGTH)
    return {"association": association.hex(), "resumeSecret": shared.hex(), "proof": proof.hex()}


GROUPS: dict[str, Callable[[dict, dict], dict | Answer]] = {
    "Varint": _varint,
    "Frames": _frames,
    "RecordStream": stream.judge,
    "InitiatorHello": lambda params, inputs: _coded(fields.initiator_hello, _hex(inputs["body"])),
    "ResponderHello": lambda params, inputs: _coded(fields.responder_hello, _hex(inputs["body"])),
    "Refusal": lambda params, inputs: _coded(fields.refusal, _hex(inputs["body"])),
    "ControlFrame": _control_frame,
    "PayloadFrame": _payload_frame,
    "FileName": associations.file_name,
    "DisplayName": _display_name,
    "ResponderChoice": _responder_choice,
    "InitiatorCheck": _initiator_check,
    "Handshake": _handshake,
    "Proof": _proof,
    "RecordProtection": _record_protection,
    "Rekey": _rekey,
    "EncryptionPolicy": _encryption_policy,
    "CrossingInvitations": _crossing_invitations,
    "Binding": _binding,
    "SessionIdentifier": lambda params, inputs: _coded(fields.charter, _hex(inputs["charter"])),
    "Exporter": _exporter,
    "ResumeProof": _resume_proof,
    "MessageAssembly": associations.message_assembly,
    **sessions.GROUPS,
    **pairing.GROUPS,
    **discovery.GROUPS,
    **datagrams.GROUPS,
}


def test(group: str, params: dict, inputs: dict) -> Answer:
    """One case of a stateless group; Disagreement where bytes do not come out as they went in."""
    try:
        answer = GROUPS[group](params, inputs)
    except ProtocolError as error:
        return Answer.rejected(error)
    return answer if isinstance(answer, Answer) else Answer(answer)
