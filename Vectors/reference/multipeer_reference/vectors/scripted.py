"""A link that is driven by the steps of a LinkScript, and reports in its events. The shim and `verify` use it alike."""

from __future__ import annotations

from typing import Callable

from cryptography.hazmat.primitives.serialization import load_der_private_key

from .. import errors, events
from ..association.association import Association
from ..certificates import Credential
from ..charter import Charter
from ..config import AcceptInvitation, Config, Decision, DeclineInvitation, InviteRequest, Terms, Verdict
from ..core import State
from ..ed25519 import SigningKey
from ..errors import ErrorCode, MisuseError
from ..hello import has_hybrid
from ..invitation import DeclineReason, SessionKind
from ..link import Link
from ..policy import Preference
from ..proofs import Role
from ..session.admissions import decode_chain
from ..verification import Means
from . import answers
from .acts import TAKING_ACTS, Acts, keep_alive, plenty, require_known
from .codeacts import CODE_ACTS, CodeActs
from .wire import joined_data


def _suites(params: dict) -> tuple[int, ...]:
    return tuple(params.get("suites") or (params["suite"],))


def _randomness(params: dict) -> Callable[[int], bytes]:
    """A link asks for its ephemeral keys, and then for what its frames need, in their order: the nonce of a charter,
    and with the feature *verification* y and the nonce of a short string."""
    offers_hybrid = params["role"] == "initiator" and has_hybrid(_suites(params))
    keys = [params["ephemeralPrivate"], *([params["kemSeed"]] if offers_hybrid else [])]
    values = iter((*keys, *params.get("random", (params["sessionNonce"],))))
    return lambda count: bytes.fromhex(next(values))


def _encapsulation(params: dict) -> Callable[[bytes], tuple[bytes, bytes]]:
    """What Encaps gives, whatever the key; that has been checked ([R7.6-3])."""
    return lambda key: (bytes.fromhex(params["kemSecret"]), bytes.fromhex(params["kemCiphertext"]))


def _config(params: dict) -> Config:
    expected, shown_to = params.get("expectedPeer"), params.get("showsNameTo")
    return Config(
        identity=SigningKey(bytes.fromhex(params["identitySeed"])),
        display_name=bytes.fromhex(params["displayName"]).decode(),
        maximum_message=params["maximumMessage"],
        expected_peer=bytes.fromhex(expected) if expected else None,
        suites=_suites(params),
        encapsulate=_encapsulation(params),
        shows_name_to=None if shown_to is None else frozenset(map(bytes.fromhex, shown_to)),
        grease=False,
        keep_alive=keep_alive(params),
        pools=plenty(),
        stays_guest=not params.get("member", False),
        features=tuple(params.get("features", ())),
        datagram_port=params.get("datagramPort"),
    )


def _request(step: dict) -> InviteRequest:
    """With `charter` to a session that exists, as the member that `chain` shows; the founder's is empty."""
    charter = step.get("charter")
    return InviteRequest(
        charter=Charter.decode(bytes.fromhex(charter)) if charter else None, timeout=step["timeout"],
        context=bytes.fromhex(step["context"]), terms=_terms(step), chain=decode_chain(bytes.fromhex(step.get("chain", ""))),
        is_of_members=step.get("sessionKind") == SessionKind.MEMBERS,
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


class ScriptedLink:
    def __init__(self, params: dict) -> None:
        self._now = 0
        self.link = Link(_config(params), Role[params["role"].upper()], 0, _randomness(params))
        self._events: list[dict] = []
        self._output = bytearray()
        self._invitation = self._verdict = 0  # the latest tokens
        self._acts = Acts(self._report)
        self._codes = CodeActs(self.link)

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
            self._output += self.link.take_output()
        self._now = end
        self.link.timeout(end)

    def _app(self, step: dict) -> None:
        link, now = self.link, self._now
        match step["do"]:
            case "invite":
                link.invite(_request(step), now)
            case "cancelInvitation":
                link.cancel_invitation(now)
            case "accept":
                self._answer(self._invitation, AcceptInvitation(_terms(step)))
            case "decline":
                self._answer(self._invitation, DeclineInvitation(DeclineReason(step["reason"])))
            case "resolve":
                accepts = step["verdict"] == "accept"
                self._answer(self._verdict, Verdict(ErrorCode.NO_ERROR if accepts else ErrorCode.CERTIFICATE_REJECTED))
            case "rekey":
                link.rekey(now)
            case "useDatagrams":
                self._output += link.take_output()  # what was asked for before goes before
                link.use_datagrams(now)
            case "export":
                label, context = bytes.fromhex(step["label"]), bytes.fromhex(step["context"])
                try:
                    self._report("exported", bytes=link.export(label, context, step["length"], now).hex())
                except ValueError:
                    pass  # out of its range
            case "close":
                link.close(now, answers.code(step["code"]) if "code" in step else ErrorCode.NO_ERROR)
            case do if do in CODE_ACTS:
                self._codes.act(step, now)
            case do:
                require_known(do)
                self._acts.act(self._association(do), step)

    def _association(self, do: str) -> Association:
        """What was whole when the link ended can be taken, and stored, after that ([R16.1-5])."""
        association = self.link.standing.association
        if association is None or do not in TAKING_ACTS:
            return self.link.association(self._now)
        if do == "takeStream" and self.link.state is not State.OPEN:
            # CLOSE has ended every live stream, and what came of it goes with the link.
            association.streams.end()
        return association

    def _answer(self, token: int, decision: Decision) -> bool:
        return self.link.resolve(token, decision, self._now)

    # Outputs

    def poll(self) -> tuple[bytes, list[dict], int | None]:
        """Bytes, events and deadline."""
        output = bytes(self._output) + self.link.take_output()
        self._output.clear()
        self._drain()
        reported, self._events = self._events, []
        return output, joined_data(reported), self.link.deadline

    def _drain(self) -> None:
        for event in self.link.take_events():
            self._note(event)
        if self.link.state is State.OPEN and self.link.standing.association is not None:
            self._acts.want(self.link.standing.association)

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
            case events.CertificatesReceived():
                self._verdict = event.token
                self._report("judge", chain=[der.hex() for der in event.chain])
            case events.Opened():
                hash_ = self.link.core.handshake_hash.hex()
                self._report(
                    "opened", outcome=int(event.outcome), session=event.session.hex(), charter=event.charter.hex(),
                    handshakeHash=hash_,
                )
            case events.PathBegan(port=port):
                self._report("path", **({} if port is None else {"port": port}))
            case events.CodeBurned():
                self._report("codeBurned")
            case events.PeerVerified(means=Means.CODE):
                self._report("verified", key=event.identity_key.hex())
            case events.StringWanted():
                self._report("comparisonWanted")
            case events.StringReady():
                self._report("shortString", digits=event.digits, words=list(event.words))
            case events.Closed():
                self._closed(event)
            case _:
                self._acts.note(event)

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
