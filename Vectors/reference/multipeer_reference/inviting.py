"""Invitation, certificates and verdicts (SPEC §8.2–8.6, §10, §17)."""

from __future__ import annotations

from . import policy
from .certificates import Certificates, Side, check_binding, make_certificates, transcript
from .charter import Charter
from .config import AcceptInvitation, Decision, DeclineInvitation, InviteRequest, Terms, Verdict
from .core import Core, State
from .errors import VERDICT_CODES, ErrorCode, MisuseError, Outcome, ProtocolError, unexpected
from .events import (
    CertificatesReceived, InvitationAnswered, InvitationCancelled, InvitationDeclined, InvitationReceived, Opened,
)
from .fields import read_fields
from .frames import Frame, FrameType
from .invitation import (
    Accept, Cancel, CancelReason, Decline, DeclineReason, IdentityKind, Invite, SessionKind, own_invite_stands,
)
from .pairing import Pairing
from .proofs import Role
from .reader import Reader

INVITATION = "invitation"
VERDICT = "verdict"


class Inviting:
    def __init__(self, core: Core, pairing: Pairing) -> None:
        self._core, self._pairing = core, pairing
        self._terms = Terms(core.config.preference, core.config.credential)
        self._request: InviteRequest | None = None
        self._own: tuple[Invite, bytes] | None = None  # with the whole frame, for the transcript
        self._peers: tuple[Invite, bytes] | None = None
        self._invite_until = 0
        self._invitee = False
        self._transcript = b""
        self._peer_kind = IdentityKind.NONE
        self._peer_certificates = False
        self._ready_sent = False
        self._ready_received = False

    # Requests and decisions of the app

    def invite(self, request: InviteRequest) -> None:
        """Sends INVITE, or keeps the request until it may go (SPEC §8.2, [R17-1])."""
        core = self._core
        if self._own or self._request or core.state not in (
            State.HELLO, State.PROOF, State.INFO, State.IDENTIFIED, State.PAIRING
        ):
            raise MisuseError("an invitation is not possible now")
        self._request = request
        self._terms = request.terms or self._terms
        self.send_waiting()

    def send_waiting(self) -> None:
        """In *identified*, or, by an initiator that expects a certain peer, in *info* ([R8.2-6])."""
        core, request = self._core, self._request
        expects = core.role is Role.INITIATOR and core.config.expected_peer is not None
        early = expects and core.state is State.INFO
        if request is None or self._own or not (early or core.state is State.IDENTIFIED):
            return
        charter = request.charter or Charter(core.config.identity.public, core.random(32), request.parameters)
        invite = Invite(
            charter, request.kind, self._terms.preference, self._kind(), request.timeout, request.context,
            request.all_fields,
        )
        self._own = invite, core.send(FrameType.INVITE, invite.encode()).encode()
        self._invite_until = core.now + invite.timeout
        if core.state is State.IDENTIFIED:
            self._enter_inviting()

    def _enter_inviting(self) -> None:
        """Counted from the sending of INVITE, `timeout` may be over before PEER_INFO came (SPEC §8.2)."""
        core = self._core
        core.state, core.state_deadline, core.invite_deadline = State.INVITING, None, self._invite_until
        if core.now >= self._invite_until:
            self.cancel(CancelReason.TIMEOUT)

    def identified(self) -> None:
        """PEER_INFO has come; until then the handshake deadline held."""
        if self._own:
            self._enter_inviting()
        else:
            self.send_waiting()

    def _kind(self) -> IdentityKind:
        return IdentityKind.X509 if self._terms.credential else IdentityKind.NONE

    def resolve(self, topic: str, decision: Decision) -> None:
        match topic, decision:
            case "invitation", AcceptInvitation(terms=terms):
                self._terms = terms or self._terms
                self._answer()
            case "invitation", DeclineInvitation(reason=reason):
                self.decline(reason)
            case "verdict", Verdict(code=ErrorCode.NO_ERROR):
                self._core.send(FrameType.READY, b"\x00")  # no fields
                self._ready_sent = True
                self._open_if_ready()
            case "verdict", Verdict(code=code) if code in VERDICT_CODES:
                self._core.fail(ProtocolError(code, "the local verdict"))
            case _:
                raise MisuseError("this decision does not answer that question")

    def forgets_waiting(self) -> bool:
        """Drops an invitation that waits until it may go. False if none does."""
        waits = self._request is not None and self._own is None and self._core.state in (
            State.HELLO, State.PROOF, State.INFO, State.PAIRING
        )
        if waits:
            self._request = None
        return waits

    def withdraw(self) -> None:
        """The app has changed its mind, before an answer came."""
        if not self.awaits_answer:
            raise MisuseError("no local invitation waits for an answer")
        self.cancel(CancelReason.CANCELLED)

    def cancel(self, reason: CancelReason) -> None:
        """CANCEL, then CLOSE of no_error ([R8.5-1])."""
        self._core.send(FrameType.CANCEL, Cancel(reason).encode())
        self._cancelled(reason, by_us=True)

    def _cancelled(self, reason: CancelReason, by_us: bool) -> None:
        self._core.emit(InvitationCancelled(reason, by_us))
        self._core.ends_by(Outcome.TIMED_OUT if reason is CancelReason.TIMEOUT else Outcome.DECLINED)
        self._core.close(ErrorCode.NO_ERROR)

    def declined(self, reason: DeclineReason, detail: bytes, by_us: bool) -> None:
        """DECLINE went or came, which then ends the link."""
        self._core.emit(InvitationDeclined(reason, detail, by_us))
        special = {
            DeclineReason.ENCRYPTION_POLICY: Outcome.POLICY_CONFLICT, DeclineReason.TIMEOUT: Outcome.TIMED_OUT
        }
        self._core.ends_by(special.get(reason, Outcome.DECLINED))
        self._core.close(ErrorCode.NO_ERROR)

    @property
    def awaits_answer(self) -> bool:
        return self._own is not None and self._core.state is State.INVITING

    def decline(self, reason: DeclineReason) -> None:
        """DECLINE, then CLOSE of no_error ([R8.4-3])."""
        detail = bytes([self._terms.preference]) if reason is DeclineReason.ENCRYPTION_POLICY else b""
        self._core.send(FrameType.DECLINE, Decline(reason, detail).encode())
        self.declined(reason, detail, by_us=True)

    # Frames

    def handle(self, frame: Frame) -> None:
        match self._core.state, frame.type:
            case State.IDENTIFIED, FrameType.INVITE:
                self._receive_invite(frame)
            case State.PAIRING, FrameType.INVITE if self._pairing.awaits_answer and self._peers is None:
                self._take_invite(frame)  # it crossed our code; the peer closes the link (SPEC §25.7)
            case State.INVITING, FrameType.INVITE if self._peers is None:
                self._receive_crossing(frame)
            case State.INVITING, FrameType.ACCEPT:
                self._receive_accept(frame)
            case State.INVITING, FrameType.DECLINE:
                decline = Decline.decode(frame.payload)
                self.declined(decline.meaning, decline.detail, by_us=False)
            case _, FrameType.CANCEL if self._may_be_cancelled:
                self._cancelled(Cancel.decode(frame.payload).meaning, by_us=False)
            case State.CERTIFICATES, FrameType.CERTIFICATES if not self._peer_certificates:
                self._receive_certificates(frame)
            case State.CERTIFICATES, FrameType.READY if self._peer_certificates and not self._ready_received:
                reader = Reader(frame.payload)
                read_fields(reader)
                reader.finish()
                self._ready_received = True
                self._open_if_ready()
            case _:
                raise unexpected(f"{frame.name} in {self._core.state.name.lower()}")

    @property
    def _may_be_cancelled(self) -> bool:
        """CANCEL may cross our ACCEPT ([R8.5-2]), or end a void INVITE ([R8.6-1])."""
        state = self._core.state
        if state is State.CERTIFICATES:
            return self._invitee and not self._peer_certificates
        return state is State.INVITED or (state in (State.INVITING, State.PAIRING) and self._peers is not None)

    def _receive_invite(self, frame: Frame) -> None:
        self._ask(self._take_invite(frame))

    def _take_invite(self, frame: Frame) -> Invite:
        """Its fields, its sender's role, its chain, in this order (SPEC §8.2); with the whole frame, for the transcript."""
        core = self._core
        assert core.peer_key is not None
        invite = Invite.decode(frame.payload)
        invite.check_founder(core.peer_key)
        if invite.session_kind == SessionKind.MEMBERS and core.role is Role.INITIATOR:
            raise unexpected("an INVITE between members from the responder")  # [R14.8-1]
        invite.check_chain(core.peer_key)
        self._peers, core.peer_invited = (invite, frame.encode()), True
        return invite

    def _ask(self, invite: Invite) -> None:
        core = self._core
        core.invite_deadline = None
        core.enter(State.INVITED, invite.timeout)
        core.emit(InvitationReceived(
            core.ask(INVITATION), invite.charter.identifier, invite.charter.encode(), invite.session_kind,
            invite.preference, invite.identity_kind, invite.timeout, invite.context,
        ))

    def _receive_crossing(self, frame: Frame) -> None:
        """Both invited (SPEC §8.6). Where ours is void, our app is asked as if we had not invited ([R8.6-4])."""
        invite, core = self._take_invite(frame), self._core
        assert self._own is not None and core.peer_key is not None
        own, theirs = self._own[0].charter.identifier, invite.charter.identifier
        if not own_invite_stands(core.config.identity.public, own, core.peer_key, theirs):
            self._ask(invite)  # otherwise the peer's is void, and ignored ([R8.6-1])

    def _answer(self) -> None:
        """ACCEPT and CERTIFICATES, or DECLINE of reason 3 ([R8.4-2])."""
        core, preference = self._core, self._terms.preference
        assert self._peers is not None
        invite, invite_frame = self._peers
        result = policy.outcome(invite.preference, preference)
        if result is None:
            self.decline(DeclineReason.ENCRYPTION_POLICY)
            return
        accept = core.send(FrameType.ACCEPT, Accept(preference, self._kind(), result).encode())
        self._invitee = True
        self._tell(invite, result, invite.preference, by_us=True)
        self._agree(invite, invite_frame, accept.encode(), result, invite.identity_kind)

    def _receive_accept(self, frame: Frame) -> None:
        accept = Accept.decode(frame.payload)
        assert self._own is not None
        invite, invite_frame = self._own
        result = policy.outcome(invite.preference, accept.preference)
        if result is None or result != accept.outcome:
            raise ProtocolError(ErrorCode.POLICY_VIOLATION, "an outcome that both preferences do not give")
        self._tell(invite, result, accept.preference, by_us=False)
        self._agree(invite, invite_frame, frame.encode(), result, accept.identity_kind)

    def _tell(self, invite: Invite, result: policy.Outcome, preference: int, by_us: bool) -> None:
        charter = invite.charter
        self._core.emit(InvitationAnswered(charter.identifier, charter.encode(), result, preference, by_us))

    def _agree(
        self, invite: Invite, invite_frame: bytes, accept_frame: bytes, result: policy.Outcome, kind: int
    ) -> None:
        """Both peers: the transcript is fixed, our CERTIFICATES go (SPEC §10.1, §10.3)."""
        core = self._core
        assert core.peer_key is not None
        core.charter, core.policy, self._peer_kind = invite.charter, result, IdentityKind(kind)
        core.session_kind, core.invited = invite.session_kind, not self._invitee
        sides = [Side(core.config.identity.public, core.own_info), Side(core.peer_key, core.peer_info_frame)]
        initiator, responder = sides if core.role is Role.INITIATOR else reversed(sides)
        inviter = core.role.other if self._invitee else core.role
        self._transcript = transcript(core.handshake_hash, initiator, responder, inviter, invite_frame, accept_frame)
        core.invite_deadline = None
        core.enter(State.CERTIFICATES, core.config.deadlines.certificates)
        mine = make_certificates(self._terms.credential, core.role, self._transcript)
        core.send(FrameType.CERTIFICATES, mine.encode())

    def _receive_certificates(self, frame: Frame) -> None:
        """The binding is checked before the app is asked anything ([R10.4-1])."""
        core = self._core
        certificates = Certificates.decode(frame.payload)
        certificates.check_kind(self._peer_kind)
        check_binding(certificates, core.role.other, self._transcript)
        self._peer_certificates = True
        assert core.peer_key is not None and core.peer_info is not None
        core.emit(CertificatesReceived(
            core.ask(VERDICT), core.peer_key, core.peer_info.display_name, certificates.chain
        ))

    def _open_if_ready(self) -> None:
        core = self._core
        if not (self._ready_sent and self._ready_received):
            return
        assert core.charter is not None and core.policy is not None
        core.channel.pads = False
        core.channel.is_readable = core.policy is policy.Outcome.READABLE
        core.was_open = True
        core.enter(State.OPEN, None)
        core.emit(Opened(core.charter.identifier, core.charter.encode(), core.policy))

    @property
    def received(self) -> Invite | None:
        """The peer's INVITE."""
        return self._peers[0] if self._peers else None
