"""The app of the live program: answers a link's questions, sends what was asked for, reports, ends with a status."""

from __future__ import annotations

import datetime
import hashlib
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from . import events, folders, policy
from .association.messages import Result
from .association.outgoing import OutgoingFile
from .config import AcceptInvitation, DeclineInvitation, InviteRequest
from .errors import ErrorCode, MisuseError, Outcome
from .files import CancelFileReason, FileKind, FileOffer
from .folders import FolderSource
from .held import Beginning, HeldBeginnings
from .invitation import DeclineReason, SessionKind
from .link import Link
from .livepath import LivePath
from .manifest import BadManifest
from .outbox import Outbox
from .person import Person, Wishes
from .reporting import complain, describe, kebab, report
from .sources import offer_of
from .storage import IncomingFile
from .trust import Validator

DONE, USAGE, UNREACHABLE, TIMED_OUT, FAILED, REFUSED = 0, 64, 69, 75, 76, 77
_TIMEOUTS = (ErrorCode.HANDSHAKE_TIMEOUT, ErrorCode.INVITATION_TIMEOUT, ErrorCode.VERDICT_TIMEOUT)
_VERDICTS = (
    *range(ErrorCode.CERTIFICATE_REQUIRED, ErrorCode.UNKNOWN_AUTHORITY + 1),
    ErrorCode.CODE_WRONG, ErrorCode.CODE_UNAVAILABLE, ErrorCode.STRINGS_DIFFER,
)
_REFUSALS = (Outcome.REFUSED, Outcome.DECLINED, Outcome.POLICY_CONFLICT)
_CHUNK = 32_768
#: Below the folder of received files: what is held of those that did not end.
_HELD = ".multipeer-held"


@dataclass(frozen=True)
class Plan:
    """What one run shall do."""

    validator: Validator
    accept: bool = True
    messages: tuple[bytes, ...] = ()
    datagrams: tuple[bytes, ...] = ()
    patience: int = 0  # milliseconds that datagrams wait for a path, before they go over the link
    files: tuple[Path, ...] = ()
    save: Path | None = None
    await_messages: int = 0
    await_files: int = 0
    closes: bool = True
    as_json: bool = False
    tag_key: bytes = b""  # without it files are offered without a tag
    wishes: Wishes = Wishes()


@dataclass
class App:
    plan: Plan
    link: Link
    request: InviteRequest | None = None
    connection: socket.socket | None = None  # without one, as in tests, there are no datagrams
    status: int = FAILED
    _opened: bool = False
    _file_refused: bool = False
    _gave_up: bool = False
    _files_left: list[Path] = field(default_factory=list)
    _source: BinaryIO | FolderSource | None = None
    _sending: OutgoingFile | None = None
    _remaining: int = 0
    _held: HeldBeginnings | None = None
    _incoming: dict[int, tuple[Beginning, FileOffer]] = field(default_factory=dict)
    _messages_received: int = 0
    _files_received: int = 0

    def __post_init__(self) -> None:
        self._files_left = list(self.plan.files)
        self.person = Person(self.plan.wishes, self.link, self.request)
        self.path = LivePath(self.link, self.connection)
        self.outbox = Outbox(self.plan, self.link, self.path)

    def begin(self, now: int) -> None:
        self.person.begin(now)

    def drain(self, now: int) -> None:
        """Handles all events, also those that handling brings about."""
        while pending := [*self.path.take_events(), *self.link.take_events()]:
            for event in pending:
                if not isinstance(event, events.FileDataReceived | events.FileWanted):
                    report(self.plan, kebab(type(event).__name__), describe(event))
                self.person.handle(event, now)
                self._handle(event, now)
        if self.outbox.pump(now):
            self._close_if_done(now)

    @property
    def deadline(self) -> int | None:
        """When `drain` is due, if nothing happens before."""
        return min((time for time in (self.outbox.deadline, self.path.deadline) if time is not None), default=None)

    def _handle(self, event: events.Event, now: int) -> None:
        match event:
            case events.InvitationReceived(token=token, session_kind=kind, preference=preference):
                answer = AcceptInvitation() if self.plan.accept else DeclineInvitation()
                if policy.outcome(preference, self.link.core.config.preference) is None:  # nobody is asked ([R8.2-9])
                    answer = DeclineInvitation(DeclineReason.ENCRYPTION_POLICY)
                if kind == SessionKind.MEMBERS:  # this program remembers no session (R14.8-2)
                    answer = DeclineInvitation(DeclineReason.NO_SESSION)
                self.link.resolve(token, answer, now)
            case events.CertificatesReceived(token=token, chain=chain, display_name=name):
                code = self.plan.validator.judge(chain, name, datetime.datetime.now(datetime.timezone.utc))
                self.person.judge(token, code, now)
            case events.PeerVerified() if self._opened:
                self._close_if_done(now)
            case events.Opened():
                self._opened = True
                self._send_all(now)
            case events.MessageReceived():
                self.path.note_link_message()
                self._message_came(now)
            case events.DatagramReceived():
                self._message_came(now)
            case events.PathBegan(port=port):
                self.path.begin(port)
            case events.MessageEnded(result=Result.NOT_SENT):
                complain("a message was not sent")
                self._gave_up = True
            case events.Closed():
                self._finish(event)
            case _:
                try:
                    self._handle_file(event, now)
                except MisuseError:
                    pass  # the link, or the file, has ended since

    def _send_messages(self, now: int) -> None:
        for message in self.plan.messages:
            self.link.send_message(message, now)

    def _message_came(self, now: int) -> None:
        self._messages_received += 1
        self._close_if_done(now)

    # Files

    def _send_all(self, now: int) -> None:
        """What the plan has, as far as the link still takes it: its peer's CLOSE may have come with READY."""
        try:
            self._send_messages(now)
            self.outbox.begin(now)
            self._offer_next(now)
        except MisuseError:
            self._gave_up = True

    def _offer_next(self, now: int) -> None:
        """Offers the next file, or, with none left, looks whether all is done."""
        if not self._files_left:
            self._close_if_done(now)
            return
        path = self._files_left[0]
        offer, self._source = offer_of(path, self.plan.tag_key, self.link.core.peer_key or b"")
        self._remaining = offer.size
        self._sending = self.link.association(now).sent_files.offer(offer)

    def pump(self, now: int) -> bool:
        """Puts one chunk of the accepted file into the link; False if there is none to put, or no credit for it."""
        file = self._sending
        if file is None or self._source is None or self.link.has_sent_all:
            return False
        wanted = min(_CHUNK, self._remaining, file.wanted)
        if not wanted:
            return False
        files = self.link.association(now).sent_files
        try:
            data = self._source.read(wanted)
        except OSError:
            files.cancel(file, CancelFileReason.SOURCE_FAILED)
            return False
        if len(data) < wanted:  # it has become shorter
            files.cancel(file, CancelFileReason.SOURCE_CHANGED)
            return False
        self._remaining -= len(data)
        files.supply(file, data)
        return True

    def _end_sending(self, now: int) -> None:
        if self._source:
            self._source.close()
        self._source, self._sending = None, None
        self._files_left.pop(0)
        self._offer_next(now)

    def _handle_file(self, event: events.Event, now: int) -> None:
        match event:
            case events.FileOffered(id=number, offer=offer):
                self._answer_offer(number, offer, now)
            case events.HashWanted(length=length):
                self._hash_beginning(length, now)
            case events.FileDataReceived(id=number, data=data):
                self._write(number, data, now)
            case events.FileReceived(id=number):
                self._store(number, now)
            case events.FileDelivered():
                self._end_sending(now)
            case events.FileCancelled(sending=True):
                self._file_refused = True
                self._end_sending(now)
            case events.FileCancelled(id=number, reason=reason):
                self._drop_incoming(number, CancelFileReason(reason))
            case events.StreamOpened(id=number):
                self._refuse_stream(number, now)

    def _refuse_stream(self, number: int, now: int) -> None:
        """This program wants none."""
        association = self.link.association(now)
        stream = association.stream(number)
        if stream is not None:
            association.streams.stop(stream, 1)
            association.streams.reset(stream, 1)

    def _hash_beginning(self, length: int, now: int) -> None:
        """What the peer says that it holds is compared with what we have ([R15.3-10])."""
        assert self._source is not None and self._sending is not None
        hasher = hashlib.sha256()
        left = length
        while left and (data := self._source.read(min(left, _CHUNK))):
            hasher.update(data)
            left -= len(data)
        self._remaining -= length
        self.link.association(now).sent_files.beginning(self._sending, hasher)

    def _answer_offer(self, number: int, offer: FileOffer, now: int) -> None:
        association = self.link.association(now)
        file = association.file(number)
        if self.plan.save is None:
            association.cancel_file(number, CancelFileReason.DECLINED)
        elif file is not None:
            held = HeldBeginnings(self.plan.save / _HELD) if self._held is None else self._held
            self._held = held
            begun = held.begin(self.link.core.peer_key or b"", offer, int(time.time()))
            self._incoming[number] = begun, offer
            hasher = begun.hash() if begun.length else None
            association.received_files.accept(file, begun.length, hasher)

    def _write(self, number: int, data: bytes, now: int) -> None:
        if number not in self._incoming:
            return
        try:
            begun, offer = self._incoming[number]
            before = begun.length
            begun.write(data)
            if offer.type == FileKind.FOLDER and before < offer.manifest <= begun.length:
                folders.check(begun.path, offer)
        except OSError:
            self.link.association(now).cancel_file(number, CancelFileReason.STORAGE_FAILED)
        except BadManifest:
            self.link.association(now).cancel_file(number, CancelFileReason.BAD_MANIFEST)

    def _store(self, number: int, now: int) -> None:
        association = self.link.association(now)
        file = association.file(number)
        if file is None:
            return  # The sender has cancelled it in the same record: its end is reported next.
        try:
            begun, offer = self._incoming.pop(number)
            assert self.plan.save is not None
            part = begun.delivered()
            if offer.type == FileKind.FOLDER:
                path = folders.store(part, offer, self.plan.save)
            else:
                program = offer.type == FileKind.PROGRAM
                path = IncomingFile(self.plan.save, offer.name, offer.modified, program, part).store()
        except OSError:
            association.cancel_file(number, CancelFileReason.STORAGE_FAILED)
            return
        except BadManifest:
            association.cancel_file(number, CancelFileReason.BAD_MANIFEST)
            return
        self._files_received += 1
        association.received_files.stored(file)
        report(self.plan, "file-stored", {"path": str(path)})
        self._close_if_done(now)

    def _drop_incoming(self, number: int, reason: CancelFileReason | None = None) -> None:
        """What came is kept or not, as the reason says; without one the link has ended."""
        if number in self._incoming:
            self._incoming.pop(number)[0].ended(reason)

    # The end

    def _close_if_done(self, now: int) -> None:
        plan = self.plan
        awaited = self._messages_received >= plan.await_messages and self._files_received >= plan.await_files
        is_done = awaited and not self._files_left and self.outbox.is_done and self.person.has_compared
        if plan.closes and is_done:
            self.link.close(now)

    def _finish(self, event: events.Closed) -> None:
        for number in list(self._incoming):
            self._drop_incoming(number)
        if self._source:
            self._source.close()
        self.status = self._judge(event)

    def _judge(self, event: events.Closed) -> int:
        """The exit status."""
        code = event.error if event.error is not None else event.peer_code
        if code in _TIMEOUTS or event.outcome == Outcome.TIMED_OUT:
            return TIMED_OUT
        if code in _VERDICTS or event.outcome in _REFUSALS or self._file_refused or self.person.found_difference:
            return REFUSED
        failed = event.outcome != "no_error" or event.unfinished_message or self._gave_up or not self.person.has_compared
        return FAILED if failed or not self._opened or self._files_left or self.outbox.has_left else DONE
