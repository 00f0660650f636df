"""The app of the live program: answers a link's questions, sends what was asked for, reports, ends with a status."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import re
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from . import errors, events
from .association.outgoing import OutgoingFile
from .config import AcceptInvitation, DeclineInvitation, Verdict
from .errors import ErrorCode, MisuseError, Outcome
from .files import CancelFileReason, FileOffer
from .fingerprints import fingerprint
from .link import Link
from .storage import IncomingFile
from .trust import Validator

DONE, USAGE, UNREACHABLE, TIMED_OUT, FAILED, REFUSED = 0, 64, 69, 75, 76, 77
_TIMEOUTS = (ErrorCode.HANDSHAKE_TIMEOUT, ErrorCode.INVITATION_TIMEOUT, ErrorCode.VERDICT_TIMEOUT)
_VERDICTS = range(ErrorCode.CERTIFICATE_REQUIRED, ErrorCode.UNKNOWN_AUTHORITY + 1)
_REFUSALS = (Outcome.REFUSED, Outcome.DECLINED, Outcome.POLICY_CONFLICT)
_CHUNK = 32_768
_print_lock = threading.Lock()


@dataclass(frozen=True)
class Plan:
    """What one run shall do."""

    validator: Validator
    accept: bool = True
    messages: tuple[bytes, ...] = ()
    files: tuple[Path, ...] = ()
    save: Path | None = None
    await_messages: int = 0
    await_files: int = 0
    closes: bool = True
    as_json: bool = False


def report(plan: Plan, name: str, values: dict[str, object]) -> None:
    """One event a line on standard output."""
    if plan.as_json:
        line = json.dumps({"event": name, **values}, ensure_ascii=False)
    else:
        line = " ".join([name, *(f"{key}={value}" for key, value in values.items())])
    with _print_lock:
        print(line, flush=True)


def _kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _describe(event: events.Event) -> dict[str, object]:
    """The fields of an event in JSON's types."""
    if isinstance(event, events.MessageReceived):
        text = event.data.decode("utf-8", "replace") if len(event.data) <= 1024 else None
        return {"length": len(event.data), "sha256": hashlib.sha256(event.data).hexdigest(), "text": text}
    values: dict[str, object] = {}
    match event:
        case events.FileOffered(id=number, offer=offer):
            return {"id": number, "size": offer.size, "name": offer.name, "type": int(offer.type)}
        case events.OwnEntrySigned(entry=entry) | events.FirstEntry(entry=entry) | events.EntryKept(entry=entry):
            return {"member": entry.member.hex(), "instance": entry.instance, "presence": entry.presence}
        case events.Admitted(chain=chain):
            return {"length": len(chain)}
    for entry in dataclasses.fields(event):
        value = getattr(event, entry.name)
        if entry.name == "chain":
            values["certificates"] = len(value)
            values["fingerprint"] = fingerprint(value[0]) if value else None
        elif entry.name == "error" or entry.name == "peer_code":
            values[entry.name] = None if value is None else errors.name(value)
        elif isinstance(value, bytes):
            values[entry.name] = value.hex()
        elif isinstance(value, tuple):
            values[entry.name] = list(value)
        else:
            values[entry.name] = value
    return values


@dataclass
class App:
    plan: Plan
    link: Link
    status: int = FAILED
    _opened: bool = False
    _file_refused: bool = False
    _gave_up: bool = False
    _files_left: list[Path] = field(default_factory=list)
    _source: BinaryIO | None = None
    _sending: OutgoingFile | None = None
    _remaining: int = 0
    _incoming: dict[int, IncomingFile] = field(default_factory=dict)
    _messages_received: int = 0
    _files_received: int = 0

    def __post_init__(self) -> None:
        self._files_left = list(self.plan.files)

    def drain(self, now: int) -> None:
        """Handles all events, also those that handling brings about."""
        while pending := self.link.take_events():
            for event in pending:
                if not isinstance(event, events.FileDataReceived):
                    report(self.plan, _kebab(type(event).__name__), _describe(event))
                self._handle(event, now)

    def _handle(self, event: events.Event, now: int) -> None:
        match event:
            case events.InvitationReceived(token=token):
                answer = AcceptInvitation() if self.plan.accept else DeclineInvitation()
                self.link.resolve(token, answer, now)
            case events.CertificatesReceived(token=token, chain=chain, display_name=name):
                code = self.plan.validator.judge(chain, name, datetime.datetime.now(datetime.timezone.utc))
                self.link.resolve(token, Verdict(code), now)
            case events.Opened():
                self._opened = True
                self._send_messages(now)
                self._offer_next(now)
            case events.MessageReceived():
                self._messages_received += 1
                self._close_if_done(now)
            case events.Closed():
                self._finish(event)
            case _:
                try:
                    self._handle_file(event, now)
                except MisuseError:
                    pass  # the link, or the file, has ended since

    def _send_messages(self, now: int) -> None:
        try:
            for message in self.plan.messages:
                self.link.send_message(message, now)
        except MisuseError as error:
            complain(f"a message was not sent: {error}")
            self._gave_up = True

    # Files

    def _offer_next(self, now: int) -> None:
        """Offers the next file, or, with none left, looks whether all is done."""
        if not self._files_left:
            self._close_if_done(now)
            return
        path = self._files_left[0]
        self._source = path.open("rb")
        status = os.fstat(self._source.fileno())
        self._remaining = status.st_size
        offer = FileOffer(
            0, status.st_size, path.name, type=1 if status.st_mode & 0o100 else 0, modified=max(0, int(status.st_mtime))
        )
        self._sending = self.link.association(now).sent_files.offer(offer)

    def pump(self, now: int) -> bool:
        """Puts one chunk of the accepted file into the link; False if there is none to put, or no credit for it."""
        file = self._sending
        if file is None or self._source is None or self.link.has_sent_all:
            return False
        wanted = min(_CHUNK, self._remaining, file.wanted)
        if not wanted:
            return False
        data = self._source.read(wanted)
        files = self.link.association(now).sent_files
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
            case events.FileDataReceived(id=number, data=data):
                self._write(number, data, now)
            case events.FileReceived(id=number):
                self._store(number, now)
            case events.FileDelivered():
                self._end_sending(now)
            case events.FileCancelled(sending=True):
                self._file_refused = True
                self._end_sending(now)
            case events.FileCancelled(id=number):
                self._drop_incoming(number)
            case events.StreamOpened(id=number):
                self._refuse_stream(number, now)

    def _refuse_stream(self, number: int, now: int) -> None:
        """This program wants none."""
        association = self.link.association(now)
        stream = association.stream(number)
        if stream is not None:
            association.streams.stop(stream, 1)
            association.streams.reset(stream, 1)

    def _answer_offer(self, number: int, offer: FileOffer, now: int) -> None:
        """Files only; a folder is declined."""
        association = self.link.association(now)
        file = association.file(number)
        if self.plan.save is None or offer.type == 2:
            association.cancel_file(number, CancelFileReason.DECLINED)
        elif file is not None:
            self._incoming[number] = IncomingFile(self.plan.save, offer.name, offer.modified, offer.type == 1)
            association.received_files.accept(file)

    def _write(self, number: int, data: bytes, now: int) -> None:
        if number not in self._incoming:
            return
        try:
            self._incoming[number].write(data)
        except OSError:
            self.link.association(now).cancel_file(number, CancelFileReason.STORAGE_FAILED)

    def _store(self, number: int, now: int) -> None:
        association = self.link.association(now)
        try:
            path = self._incoming[number].store()
        except OSError:
            association.cancel_file(number, CancelFileReason.STORAGE_FAILED)
            return
        del self._incoming[number]
        self._files_received += 1
        association.received_files.stored(association.file(number))
        report(self.plan, "file-stored", {"path": str(path)})
        self._close_if_done(now)

    def _drop_incoming(self, number: int) -> None:
        if number in self._incoming:
            self._incoming.pop(number).discard()

    # The end

    def _close_if_done(self, now: int) -> None:
        plan = self.plan
        awaited = self._messages_received >= plan.await_messages and self._files_received >= plan.await_files
        if plan.closes and awaited and not self._files_left:
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
        if code in _VERDICTS or event.outcome in _REFUSALS or self._file_refused:
            return REFUSED
        failed = event.outcome != "no_error" or event.unfinished_message or self._gave_up
        return FAILED if failed or not self._opened or self._files_left else DONE


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
