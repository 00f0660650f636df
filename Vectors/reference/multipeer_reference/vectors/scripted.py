"""A link that is driven by the steps of a LinkScript, and reports in its events. The shim and `verify` use it alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from cryptography.hazmat.primitives.serialization import load_der_private_key

from .. import errors, events
from ..certificates import Credential
from ..charter import Charter
from ..config import (
    AcceptFile, AcceptInvitation, Config, Decision, DeclineInvitation, FileStored, InviteRequest, RejectFile, Terms,
    Verdict,
)
from ..ed25519 import SigningKey
from ..errors import ErrorCode, MisuseError
from ..files import CancelFileReason
from ..invitation import DeclineReason
from ..link import Link
from ..names import local_file_name
from ..policy import Preference
from ..proofs import Role
from . import answers


def _randomness(params: dict) -> Callable[[int], bytes]:
    """A link asks for an ephemeral key, and then, when it founds a session, for the nonce of its charter."""
    values = iter((params["ephemeralPrivate"], params["sessionNonce"]))
    return lambda count: bytes.fromhex(next(values))


def _config(params: dict) -> Config:
    expected, shown_to = params.get("expectedPeer"), params.get("showsNameTo")
    return Config(
        identity=SigningKey(bytes.fromhex(params["identitySeed"])),
        display_name=bytes.fromhex(params["displayName"]).decode(),
        maximum_message=params["maximumMessage"],
        expected_peer=bytes.fromhex(expected) if expected else None,
        suites=tuple(params.get("suites") or (params["suite"],)),
        shows_name_to=None if shown_to is None else frozenset(map(bytes.fromhex, shown_to)),
        grease=False,
    )


def _terms(step: dict) -> Terms:
    shown = step.get("certificate")
    if bool(shown) != (step["identityKind"] == 1):
        raise ValueError("identityKind and certificate do not fit")
    credential = None
    if shown:
        key = load_der_private_key(bytes.fromhex(shown["privateKey"]), None)
        credential = Credential([bytes.fromhex(der) for der in shown["chain"]], key)
    return Terms(Preference(step["preference"]), credential)


def joined_data(reported: list[dict]) -> list[dict]:
    """Consecutive fileData of one file as one (Vectors/README.md)."""
    result: list[dict] = []
    for event in reported:
        last = result[-1] if result else {}
        if event["event"] == last.get("event") == "fileData" and event["id"] == last["id"]:
            result[-1] = last | {"bytes": last["bytes"] + event["bytes"]}
        else:
            result.append(event)
    return result


@dataclass
class _Sending:
    id: int
    size: int
    count: int = 0
    is_wanted: bool = False


class ScriptedLink:
    def __init__(self, params: dict) -> None:
        self._now = 0
        self.link = Link(_config(params), Role[params["role"].upper()], 0, _randomness(params))
        self._events: list[dict] = []
        self._invitation = self._verdict = self._offer = self._storage = 0  # the latest tokens
        self._incoming: int | None = None
        self._sending: _Sending | None = None

    # Steps

    def step(self, step: dict) -> None:
        """A step whose actor is peer, clock or app. What the state does not allow changes nothing."""
        match step["actor"]:
            case "peer" if step.get("end"):
                self.link.end_of_stream(self._now)
            case "peer":
                self.link.receive(bytes.fromhex(step["bytes"]), self._now)
            case "clock" if step.get("timers") is False:
                self._now += step["advance"]  # nothing fires: the next input finds the deadline passed ([R18-2])
            case "clock":
                self._advance(step["advance"])
            case "app":
                self._drain()  # the app knows the latest tokens
                try:
                    self._app(step)
                except MisuseError:
                    pass
            case actor:
                raise ValueError(f"an actor {actor!r}")
        self._drain()

    def _advance(self, milliseconds: int) -> None:
        """Every deadline that is passed acts, in order."""
        end = self._now + milliseconds
        while (deadline := self.link.deadline) is not None and deadline <= end:
            self._now = max(self._now, deadline)
            self.link.timeout(self._now)
        self._now = end
        self.link.timeout(end)

    def _app(self, step: dict) -> None:
        link, now = self.link, self._now
        match step["do"]:
            case "invite":
                charter = step.get("charter")
                link.invite(InviteRequest(
                    charter=Charter.decode(bytes.fromhex(charter)) if charter else None, timeout=step["timeout"],
                    context=bytes.fromhex(step["context"]), terms=_terms(step),
                ), now)
            case "cancelInvitation":
                link.cancel_invitation(now)
            case "accept":
                self._answer(self._invitation, AcceptInvitation(_terms(step)))
            case "decline":
                self._answer(self._invitation, DeclineInvitation(DeclineReason(step["reason"])))
            case "resolve":
                accepts = step["verdict"] == "accept"
                self._answer(self._verdict, Verdict(ErrorCode.NO_ERROR if accepts else ErrorCode.CERTIFICATE_REJECTED))
            case "send":
                link.send_message(bytes.fromhex(step["message"]), now)
            case "rekey":
                link.rekey(now)
            case "export":
                label, context = bytes.fromhex(step["label"]), bytes.fromhex(step["context"])
                try:
                    self._report("exported", bytes=link.export(label, context, step["length"], now).hex())
                except ValueError:
                    pass  # out of its range
            case "close":
                link.close(now, answers.code(step["code"]) if "code" in step else ErrorCode.NO_ERROR)
            case _:
                self._file(step)

    def _answer(self, token: int, decision: Decision) -> bool:
        return self.link.resolve(token, decision, self._now)

    def _file(self, step: dict) -> None:
        link, now = self.link, self._now
        match step["do"]:
            case "offerFile":
                id_ = link.offer_file(bytes.fromhex(step["name"]).decode(), step["size"], now)
                self._sending = _Sending(id_, step["size"])
            case "supply":
                self._supply(bytes.fromhex(step["bytes"]))
            case "acceptFile":
                self._answer(self._offer, AcceptFile())
            case "refuseFile":
                reason = CancelFileReason(step["reason"])
                if not self._answer(self._offer, RejectFile(reason)) and self._incoming is not None:
                    link.cancel_file(self._incoming, False, reason, now)
            case "confirmFile":
                self._answer(self._storage, FileStored())
            case "cancelFile" if self._sending:
                link.cancel_file(self._sending.id, True, CancelFileReason(step["reason"]), now)
            case "cancelFile":
                pass
            case do:
                raise ValueError(f"an app does not {do!r}")

    def _supply(self, data: bytes) -> None:
        sending = self._sending
        if sending is None or not sending.is_wanted:
            return
        self.link.send_file_data(sending.id, data, self._now)
        sending.count += len(data)
        self._want(sending)

    def _want(self, sending: _Sending) -> None:
        """Our Link lets an app send when it likes; what other links ask for follows from what was supplied."""
        sending.is_wanted = sending.count < sending.size
        if sending.is_wanted:
            left = sending.size - sending.count
            self._report("fileWanted", id=str(sending.id), offset=str(sending.count), maximum=left)

    # Outputs

    def poll(self) -> tuple[bytes, list[dict], int | None]:
        """Bytes, events and deadline."""
        self._drain()
        reported, self._events = self._events, []
        return self.link.take_output(), joined_data(reported), self.link.deadline

    def _drain(self) -> None:
        for event in self.link.take_events():
            self._note(event)

    def _report(self, name: str, /, **values: object) -> None:
        self._events.append({"event": name, **values})

    def _note(self, event: events.Event) -> None:
        match event:
            case events.Identified():
                self._report("identified", key=event.identity_key.hex(), name=event.display_name.encode().hex())
            case events.InvitationReceived():
                self._invitation = event.token
                self._report(
                    "invited", session=event.session.hex(), charter=event.charter.hex(),
                    sessionKind=int(event.session_kind), preference=event.preference,
                    identityKind=int(event.identity_kind), context=event.context.hex(), timeout=event.timeout,
                )
            case events.InvitationAnswered(by_us=False):
                self._report("accepted", outcome=int(event.outcome))
            case events.InvitationAnswered(crossing_context=bytes()):
                self._report(
                    "merged", session=event.session.hex(), charter=event.charter.hex(),
                    context=event.crossing_context.hex(),
                )
            case events.CertificatesReceived():
                self._verdict = event.token
                self._report("judge", chain=[der.hex() for der in event.chain])
            case events.Opened():
                hash_ = self.link.core.handshake_hash.hex()
                self._report(
                    "opened", outcome=int(event.outcome), session=event.session.hex(), charter=event.charter.hex(),
                    handshakeHash=hash_,
                )
            case events.MessageReceived():
                self._report("message", bytes=event.data.hex())
            case events.Closed():
                self._closed(event)
            case _:
                self._note_file(event)

    def _note_file(self, event: events.Event) -> None:
        match event:
            case events.FileOffered():
                self._offer, self._incoming = event.token, event.id
                local = local_file_name(event.name).encode().hex()
                self._report(
                    "fileOffered", id=str(event.id), name=event.name.encode().hex(), localName=local, size=event.size
                )
            case events.FileAccepted():
                self._report("fileAccepted", id=str(event.id))
                if self._sending and self._sending.id == event.id:
                    self._want(self._sending)
            case events.FileDelivered():
                self._report("fileDelivered", id=str(event.id))
            case events.FileDataReceived():
                self._report("fileData", id=str(event.id), bytes=event.data.hex())
            case events.FileReceived():
                self._storage = event.token
                self._report("fileComplete", id=str(event.id), sha256=event.sha256.hex())
            case events.FileCancelled():
                if event.sending and self._sending and self._sending.id == event.id:
                    self._sending.is_wanted = False
                self._report(
                    "fileEnded", id=str(event.id), direction="outgoing" if event.sending else "incoming",
                    reason=int(event.reason), byPeer=not event.by_us,
                )

    def _closed(self, event: events.Closed) -> None:
        if event.outcome == errors.name(ErrorCode.NO_ERROR) and self.link.core.was_open:
            self._report("closed", end="finished")
            return
        known = event.outcome in [errors.name(code) for code in ErrorCode] + list(errors.Outcome)
        values: dict[str, object] = {"end": event.outcome if known else "unknown"}
        values["layer"] = answers.layer(event.outcome)
        if event.error is None and event.peer_code is not None and event.outcome == errors.name(event.peer_code):
            values["byPeer"] = True
        self._report("closed", **values)
