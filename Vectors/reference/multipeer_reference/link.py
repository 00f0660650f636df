"""A link: the state machine of SPEC §17 without sockets, clocks or randomness of its own.

Inputs: `receive`, `end_of_stream`, `timeout`, `resolve`, and requests of the app. After each, drain `take_output` and
`take_events`, and wait for bytes until `deadline`. Times are milliseconds of any clock that does not go back.
"""

from __future__ import annotations

import os
from typing import Callable

from . import exporter
from .association.association import Association
from .channel import MAXIMUM_UNPROVED_RECORD
from .comparing import Comparing
from .config import Config, Decision, InviteRequest
from .core import Core, State
from .dispatch import Dispatch
from .errors import ErrorCode, MisuseError, Outcome, ProtocolError
from .events import Event
from .frames import decode_frame
from .invitation import CancelReason, DeclineReason
from .inviting import Inviting
from .opening import Opening
from .pairing import Pairing
from .proofs import Role
from .lasting import Lasting
from .records import PROTECTED, Assembler, RecordHeader, RecordKind
from .resuming import Resuming
from .standing import Standing

MAXIMUM_BEFORE_OPEN = 131_072


class Link:
    def __init__(
        self, config: Config, role: Role, now: int, random: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._core = Core(config, role, random, now)
        self._assembler = Assembler()
        self.opening = Opening(self._core)
        self.comparing = Comparing(self._core)
        self.pairing = Pairing(self._core)
        self.inviting = Inviting(self._core, self.pairing)
        self.standing = Standing(self._core)
        self.resuming = Resuming(self._core, self.inviting, self.standing)
        self._received_before_open = 0
        self._is_deaf = False  # a record was bad, so nothing after it can be distinguished
        self._dispatch = Dispatch(
            self._core, self.opening, self.comparing, self.pairing, self.inviting, self.standing, self.resuming
        )

    # Outputs

    @property
    def state(self) -> State:
        return self._core.state

    @property
    def core(self) -> Core:
        """For vectors: keys, counters and the handshake hash."""
        return self._core

    @property
    def deadline(self) -> int | None:
        """When `timeout` is due ([R19-3])."""
        times = (self._core.deadline, self.standing.deadline if self.state is State.OPEN else None)
        return min((time for time in times if time is not None), default=None)

    @property
    def is_closed(self) -> bool:
        return self._core.state is State.CLOSED

    @property
    def has_sent_all(self) -> bool:
        """After the output is written, close the stream for sending ([R16.1-2])."""
        return self._core.close_sent is not None or self.is_closed

    def take_output(self, room: int = 1 << 62) -> bytes:
        """What is to be sent, with at most about `room` bytes of messages and bulk (SPEC §15.2)."""
        if self.state is State.OPEN:
            self.standing.produce(room)
        return self._core.channel.take_output()

    def take_events(self) -> list[Event]:
        events, self._core.events = self._core.events, []
        return events

    # Bytes and time

    def receive(self, data: bytes, now: int) -> None:
        self._expire(now)
        if self.is_closed or self._is_deaf:
            return
        self._assembler.feed(data)
        try:
            while not self.is_closed and self._step():
                pass
        except ProtocolError as error:  # of a record; those of frames are caught below
            self._is_deaf = True
            self._core.fail(error)
        if self.is_closed or self._is_deaf:
            self._assembler.discard()

    def end_of_stream(self, now: int) -> None:
        """The peer sends no more; without its CLOSE that is a truncation ([R16.2-1])."""
        self._expire(now)
        self._core.finish(Outcome.TRUNCATED)

    def timeout(self, now: int) -> None:
        self._expire(now)

    def _expire(self, now: int) -> None:
        core = self._core
        core.now = now
        if core.invite_deadline is not None and now >= core.invite_deadline:
            self.inviting.cancel(CancelReason.TIMEOUT)
        if core.state is State.OPEN:
            try:
                self.standing.expire()
            except ProtocolError as error:
                core.fail(error)
        if core.state_deadline is None or now < core.state_deadline:
            return
        match core.state:
            case State.HELLO | State.PROOF | State.INFO | State.RESUMING | State.PAIRING:
                core.fail(ProtocolError(ErrorCode.HANDSHAKE_TIMEOUT))
            case State.IDENTIFIED:
                core.fail(ProtocolError(ErrorCode.INVITATION_TIMEOUT))
            case State.INVITED:
                self.inviting.decline(DeclineReason.TIMEOUT)
            case State.CERTIFICATES:
                core.fail(ProtocolError(ErrorCode.VERDICT_TIMEOUT))
            case State.CLOSING:
                core.finish(Outcome.TIMED_OUT)

    # Requests of the app

    def invite(self, request: InviteRequest, now: int) -> None:
        self._expire(now)
        self.inviting.invite(request)

    def resume(self, lasting: Lasting, now: int) -> None:
        """Continues this association here; the link expects its peer (SPEC §13.9)."""
        self._expire(now)
        self.resuming.resume(lasting)

    def cancel_invitation(self, now: int) -> None:
        """CANCEL; an INVITE that has not gone out is never sent, and the link closes."""
        self._expire(now)
        if self.inviting.forgets_waiting():
            self.close(now)
        else:
            self.inviting.withdraw()

    def compare(self, now: int) -> None:
        """A person wants to compare short strings with the remote person (SPEC §25.6)."""
        self._expire(now)
        self.comparing.want()

    def confirm_string(self, now: int) -> None:
        """A person has found both strings equal. If they differ, `close` with STRINGS_DIFFER (SPEC §25.3)."""
        self._expire(now)
        self.comparing.confirm()

    def give_code(self, text: bytes, now: int) -> None:
        """What a person has typed, in *identified*; BadCode if that is no code ([R25.4-1])."""
        self._expire(now)
        self.pairing.give(text)

    def resolve(self, token: int, decision: Decision, now: int) -> bool:
        """Answers a question; False if it is late or has been answered, and then nothing changes ([R10.5-1])."""
        self._expire(now)
        topic = self._core.answered(token)
        if topic is None:
            return False
        try:
            self.inviting.resolve(topic, decision)
            if self.state is State.OPEN:
                self.standing.begin()
        except MisuseError:
            self._core.restore(token, topic)
            raise
        return True

    def send_message(self, message: bytes, now: int, tag: object = None) -> None:
        """MessageEnded reports what becomes of it, with `tag`."""
        self.association(now).send(message, tag)

    def association(self, now: int) -> Association:
        """For streams and files. While the link drains nothing new is begun, and what lives continues (SPEC §16.4)."""
        self._require_open(now)
        assert self.standing.association is not None
        return self.standing.association

    def use_datagrams(self, now: int) -> None:
        """The app wants to send a message as a datagram (SPEC §26.2)."""
        self._require_open(now)
        self.standing.announcing.want()

    def rekey(self, now: int) -> None:
        """Replaces the key of our direction (SPEC §12.6)."""
        self._require_open(now)
        self._core.rekey()

    def export(self, label: bytes, context: bytes, length: int, now: int) -> bytes:
        """A key for another purpose, while the link is open (SPEC §9.8)."""
        self._require_open(now)  # [R9.8-1]
        if label.startswith(b"multipeer/"):
            raise ValueError("a label of SPEC.md's own")
        return exporter.export(self._core.exporter_secret, label, context, length)

    def close(self, now: int, code: ErrorCode = ErrorCode.NO_ERROR) -> None:
        """CLOSE; with no_error an open invitation or file is ended first; before Split() the stream just ends."""
        self._expire(now)
        if self.has_sent_all:
            return
        self.standing.is_closed_by_app()
        if not self._core.was_open:
            self._core.ends_by(Outcome.DECLINED)  # SPEC §18
        if not self._core.channel.is_secured:
            self._core.finish()
        elif code is not ErrorCode.NO_ERROR:
            self._core.close(code)
        elif self.inviting.awaits_answer:
            self.inviting.cancel(CancelReason.CANCELLED)
        elif self.state is State.INVITED:
            self.inviting.decline(DeclineReason.DECLINED)
        elif self.state is State.OPEN:
            self.standing.drain()
        else:
            self._core.close(code)

    def _require_open(self, now: int) -> None:
        self._expire(now)
        if self.state is not State.OPEN:
            raise MisuseError("the link is not open")

    # Records

    def _step(self) -> bool:
        """Takes one record; False if it is not there yet. Each check comes as early as its bytes ([R18-1])."""
        if not self._assembler.take_magic():
            return False
        kind = self._assembler.peek_kind()
        if kind is None:
            return False
        self._check_kind(kind)
        header = self._assembler.peek_header()
        if header is None:
            return False
        if kind in PROTECTED:
            self._check_header(header)
        body = self._assembler.take_body(header)
        if body is None:
            return False
        if kind in PROTECTED:
            self._handle_protected(header, body)
        else:
            self.opening.handle_clear(header, body)
        return True

    def _check_kind(self, kind: RecordKind) -> None:
        """[R6.2-2]."""
        if self.state is not State.HELLO or self._core.channel.is_secured:
            allowed = kind in PROTECTED
        elif self._core.role is Role.RESPONDER:
            allowed = kind is RecordKind.HELLO
        else:
            allowed = kind in (RecordKind.HELLO, RecordKind.REFUSAL)
        if not allowed:
            raise ProtocolError(ErrorCode.UNEXPECTED_RECORD, kind.name)

    def _check_header(self, header: RecordHeader) -> None:
        """[R19-2], [R19-1], [R12.4-2]."""
        core = self._core
        if core.peer_key is None and header.record_length > MAXIMUM_UNPROVED_RECORD:
            raise ProtocolError(ErrorCode.LIMIT_EXCEEDED, "a long record before PROOF")
        if not core.was_open and self._received_before_open + header.record_length > MAXIMUM_BEFORE_OPEN:
            raise ProtocolError(ErrorCode.LIMIT_EXCEEDED, "too much before the link is open")
        if header.kind is RecordKind.AUTHENTICATED and not core.channel.is_readable:
            raise ProtocolError(ErrorCode.WRONG_PROTECTION, "AUTHENTICATED on a link that is not open and readable")

    def _handle_protected(self, header: RecordHeader, body: bytes) -> None:
        if not self._core.was_open:
            self._received_before_open += header.record_length
        plaintext = self._core.channel.open(header, body)
        self._core.record_came()
        self.standing.record_came()
        offset = 0
        self._dispatch.rekeyed = False
        while offset < len(plaintext) and not self.is_closed:
            end = len(plaintext)
            try:
                frame, end = decode_frame(plaintext, offset)  # one at a time ([R6.3-2])
                self._dispatch.handle(header.kind, frame)
            except ProtocolError as error:
                self._core.fault_in_frame |= self._core.error is None and self._core.peer_key is not None
                self._core.fail(error)  # we continue, to find the peer's CLOSE
            offset = end
