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
from .config import AcceptFile, AcceptInvitation, DeclineInvitation, FileStored, RejectFile, Verdict
from .errors import ErrorCode, MisuseError, Outcome
from .files import CancelFileReason
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
    _sending: int | None = None
    _may_send: bool = False
    _remaining: int = 0
    _incoming: IncomingFile | None = None
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
                self._handle_file(event, now)

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
        self._remaining = os.fstat(self._source.fileno()).st_size
        self._sending = self.link.offer_file(path.name, self._remaining, now)

    def pump(self, now: int) -> bool:
        """Puts one chunk of the accepted file into the link; False if there is none to put."""
        if not (self._may_send and self._source and self._sending is not None) or self.link.has_sent_all:
            return False
        data = self._source.read(min(_CHUNK, self._remaining))
        self._remaining -= len(data)
        if data:
            self.link.send_file_data(self._sending, data, now)
        elif self._remaining:  # it has become shorter
            self.link.cancel_file(self._sending, True, CancelFileReason.SOURCE_FAILED, now)
        self._may_send = self._remaining > 0 and bool(data)
        return bool(data)

    def _end_sending(self, now: int) -> None:
        if self._source:
            self._source.close()
        self._source, self._sending, self._may_send = None, None, False
        self._files_left.pop(0)
        self._offer_next(now)

    def _handle_file(self, event: events.Event, now: int) -> None:
        match event:
            case events.FileOffered(token=token, name=name):
                if self.plan.save is None:
                    self.link.resolve(token, RejectFile(), now)
                    return
                self._incoming = IncomingFile(self.plan.save, name)
                self.link.resolve(token, AcceptFile(), now)
            case events.FileDataReceived(data=data):
                self._write(data, now, event.id)
            case events.FileReceived(token=token):
                self._store(token, now)
            case events.FileAccepted():
                self._may_send = True
            case events.FileDelivered():
                self._end_sending(now)
            case events.FileCancelled(sending=True):
                self._file_refused = True
                self._end_sending(now)
            case events.FileCancelled():
                self._drop_incoming()

    def _write(self, data: bytes, now: int, id_: int) -> None:
        if self._incoming is None:
            return
        try:
            self._incoming.write(data)
        except OSError:
            self.link.cancel_file(id_, False, CancelFileReason.STORAGE_FAILED, now)

    def _store(self, token: int, now: int) -> None:
        assert self._incoming is not None
        try:
            path = self._incoming.store()
        except OSError:
            self.link.resolve(token, FileStored(False), now)
            return
        self._incoming = None
        self._files_received += 1
        self.link.resolve(token, FileStored(), now)
        report(self.plan, "file-stored", {"path": str(path)})
        self._close_if_done(now)

    def _drop_incoming(self) -> None:
        if self._incoming:
            self._incoming.discard()
            self._incoming = None

    # The end

    def _close_if_done(self, now: int) -> None:
        plan = self.plan
        awaited = self._messages_received >= plan.await_messages and self._files_received >= plan.await_files
        if plan.closes and awaited and not self._files_left:
            self.link.close(now)

    def _finish(self, event: events.Closed) -> None:
        self._drop_incoming()
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
