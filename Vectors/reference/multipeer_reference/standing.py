"""What an open link consists of: an association, and this link's part of a session (SPEC §13, §14, §16)."""

from __future__ import annotations

from typing import Iterable

from .association.association import Association
from .core import Core, State
from .datagrams.announcing import Announcing
from .errors import ErrorCode
from .events import Interrupted, OwnEntrySigned, SessionEvent
from .files import CancelFileReason
from .frames import SESSION_TYPES, Frame, FrameType
from .invitation import SessionKind
from .lasting import Lasting
from .resume import Position
from .session.exchange import Exchange
from .session.instances import Shown
from .session.member import Membership

_CONTROL_ALONE = 0


class Standing:
    """Nothing before the link is open. A membership that the config gives is shared with other links."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.association: Association | None = None
        self.exchange: Exchange | None = None
        self.membership: Membership | None = None
        self.lasting: Lasting | None = None
        self.announcing = Announcing(core, self._send_of_session)
        self._has_ended = False
        self._drains_until: int | None = None  # unless a byte of a message goes before
        self._drains_in_all = 0
        core.before_end = self._end
        core.has_unfinished_message = lambda: self.association is not None and self.association.incoming.is_unfinished

    def begin(self) -> None:
        """The link has opened by READY."""
        core, config = self._core, self._core.config
        assert core.peer_info is not None and core.peer_key is not None and core.charter is not None
        self.association = Association(
            core.is_lesser, config.maximum_message, core.peer_info.maximum_message, core.now, config.keep_alive,
            config.pools, config.takes_at_once, core.emit, (core.peer_key, core.charter.identifier), self._may_last,
        )
        make = config.membership or self._own_membership
        self.membership = make(core.charter)
        kind = SessionKind(core.session_kind)
        self.exchange = Exchange(self.membership, core.peer_key, kind, core.invited, core.now, config.is_within_host)
        if config.associations is not None and self._may_last:
            self.lasting = Lasting(core, self.association, self.exchange, self.membership, config.associations.grace)
            config.associations.began(self.lasting)
        if self.membership.has_left:
            self.drain()  # after the entry that says so ([R14.5-1], [R14.9-1])

    @property
    def _may_last(self) -> bool:
        held = self._core.config.associations
        return held is not None and held.grace > 0

    def resume(self, lasting: Lasting, received: int, files: Iterable[Position]) -> None:
        """The link has opened by RESUMED: what goes first ([R13.9-8])."""
        core = self._core
        self.lasting, self.association, self.exchange = lasting, lasting.association, lasting.exchange
        self.membership = lasting.membership
        if core.config.membership is None:
            self.membership.report_to(self._note)
        for event in lasting.events:
            core.emit(event)
        lasting.events.clear()
        for frame in self.association.resume(received, files, core.now, core.config.keep_alive, core.emit):
            core.queue(frame)
        self.exchange.resume(core.now)

    def is_closed_by_app(self) -> None:
        """What comes of the link now leaves nothing to resume ([R13.9-3])."""
        if self.lasting is not None:
            self.lasting.is_closed_by_app = True

    def _own_membership(self, charter) -> Membership:
        """Of a link without a node."""
        config = self._core.config
        shown, wall = Shown(config.display_name), config.wall_offset + self._core.now
        return Membership(config.identity, charter, shown, wall, stays_guest=config.stays_guest, emit=self._note)

    def _note(self, event: SessionEvent) -> None:
        if isinstance(event, OwnEntrySigned) and self.exchange is not None:
            self.exchange.own_signed(event.entry, self._core.now)
        self._core.emit(event)

    # Frames of the peer

    def record_came(self) -> None:
        if self.association is not None and not self._has_ended:
            self.association.record_came(self._core.now)

    def frame_came(self) -> None:
        """Of an open link."""
        if self.lasting is not None and self._core.state is State.OPEN:
            self.lasting.frame_came(self._core)

    def handle(self, frame: Frame) -> None:
        """A frame of an open link, REKEY apart."""
        assert self.association is not None and self.exchange is not None
        self.frame_came()
        if frame.type in SESSION_TYPES:
            self.exchange.receive(frame, self._core.now)
            self.association.processed(frame)
        elif frame.type == FrameType.DATAGRAMS:
            self.announcing.handle(frame)
        elif self._core.close_sent is not None:
            self.association.receive_closing(frame)
        else:
            self.association.receive(frame)

    # Time

    @property
    def deadline(self) -> int | None:
        if self.association is None:
            return None
        assert self.membership is not None
        times = self.association.deadline, self.membership.deadline, self._drains_until
        return min((time for time in times if time is not None), default=None)

    def expire(self) -> None:
        """ProtocolError where the peer was silent, or stalled, for too long."""
        if self.association is None or self.membership is None:
            return
        self.association.expire(self._core.now)
        self.membership.exceed(self._core.now)
        if self._drains_until is not None and self._core.now >= self._drains_until:
            self._close()

    # What is sent

    def produce(self, room: int) -> None:
        """Session frames first, so that ADMIT is the first of all ([R14.5-1])."""
        if self.association is None or self.exchange is None:
            return
        self._send_of_session()
        payload = self.association.take_frames(room)
        for frame in payload:
            self._core.queue(frame)
        if self._drains_until is None:
            return
        if self.association.outgoing.is_empty:
            self._close()
        elif any(frame.type in (FrameType.MESSAGE, FrameType.MESSAGE_PART) for frame in payload):
            self._drains_until = min(self._drains_in_all, self._core.now + self._core.config.deadlines.closing)

    def _send_of_session(self) -> None:
        assert self.association is not None and self.exchange is not None
        frames, self.exchange.frames = self.exchange.frames, []
        for frame in frames:
            self.association.sent(frame)
            self._core.queue(frame)

    def drain(self) -> None:
        """The app closes: messages go as far as credit lets them, and then CLOSE (SPEC §16.4)."""
        assert self.association is not None
        self.is_closed_by_app()
        if self._drains_until is None:
            deadlines = self._core.config.deadlines
            self._drains_until = self._core.now + deadlines.closing
            self._drains_in_all = self._core.now + deadlines.closing_in_all
            self.association.drain()
        self.produce(1 << 62)

    def _close(self) -> None:
        """[R16.1-5]."""
        assert self.association is not None
        self._drains_until = None
        self.association.close(CancelFileReason.INTERRUPTED)
        for frame in self.association.take_frames(_CONTROL_ALONE) + self.association.last_acknowledgement():
            self._core.queue(frame)
        self._core.close(ErrorCode.NO_ERROR)

    def answer_close(self) -> None:
        """The peer's CLOSE came: an ACK that is due goes before ours ([R13.6-1])."""
        if self.association is not None:
            for frame in self.association.last_acknowledgement():
                self._core.queue(frame)

    def _end(self) -> None:
        """The link is over for us: so is its association, unless it can be resumed."""
        if self.association is None or self._has_ended:
            return
        self._has_ended = True
        if self.lasting is None:
            self.association.end()
        elif self.lasting.survives(self._core):
            self._core.emit(Interrupted(self.lasting.identifier))
            self.lasting.lost(self._core)
        elif self.lasting.link in (None, self._core):
            self.lasting.end()
