"""What an app does with messages, streams and files in scripts, and what it hears (LinkScript, AssociationScript)."""

from __future__ import annotations

from typing import Callable

from .. import events
from ..association.association import Association
from ..association.keepalive import KeepAliveTimes
from ..association.messages import Result
from ..association.outgoing import OutgoingFile, Sending
from ..association.pools import Pools
from ..errors import MisuseError
from ..files import NO_TAG, CancelFileReason, FileOffer
from ..names import local_file_name


def _hex(text: str) -> bytes:
    return bytes.fromhex(text)


def filled(step: dict, name: str) -> bytes:
    """The bytes of a step; `fill` says how many of 0x5a follow them."""
    return _hex(step.get(name, "")) + b"\x5a" * int(step.get("fill", 0))


MESSAGE_ACTS = ("send", "take", "takeBack")
STREAM_ACTS = ("openStream", "write", "endStream", "resetStream", "stopStream", "takeStream")
FILE_ACTS = (
    "offerFile", "supply", "sourceHash", "sourceChanged", "acceptFile", "consentFile", "takeFile", "confirmFile",
    "refuseFile", "cancelFile",
)


def keep_alive(params: dict) -> KeepAliveTimes | None:
    """Without `keepAlive` no PING goes, and without `silent` nothing is ever silent."""
    shown = params.get("keepAlive")
    return None if shown is None else KeepAliveTimes(shown["ping"], shown.get("silent"))


#: What an app may do when the link has ended, too.
TAKING_ACTS = ("take", "takeStream", "takeFile", "confirmFile")


def plenty() -> Pools:
    """In scripts nothing is ever short."""
    return Pools(1 << 62, 1 << 62)


def require_known(do: str) -> None:
    if do not in MESSAGE_ACTS + STREAM_ACTS + FILE_ACTS:
        raise ValueError(f"an app does not {do!r}")


class Held:
    """Stands for a hash whose bytes a script does not give: first that of the beginning, then that of the whole file."""

    def __init__(self, beginning: bytes, whole: bytes, is_told: bool = False) -> None:
        self._beginning, self._whole = beginning, whole
        self._is_told = is_told

    def digest(self) -> bytes:
        digest = self._whole if self._is_told else self._beginning
        self._is_told = True
        return digest

    def copy(self) -> "Held":
        return Held(self._beginning, self._whole, self._is_told)

    def update(self, data: bytes) -> None:
        """The script says what comes out."""


def _held(step: dict) -> Held:
    return Held(_hex(step["sha256"]), _hex(step.get("whole", step["sha256"])))


class Acts:
    """`report` takes the events of a script. Streams and files are named by number; without one the latest is meant."""

    def __init__(self, report: Callable[..., None]) -> None:
        self._report = report
        self._latest = {"file": 0, "stream": 0}
        self._wanted: dict[int, int] = {}

    def _number(self, step: dict, kind: str) -> int:
        return int(step.get(kind, self._latest[kind]))

    def act(self, association: Association, step: dict) -> None:
        """MisuseError where the state does not allow it."""
        do = step["do"]
        if do in MESSAGE_ACTS:
            self._message(association, do, step)
        elif do in STREAM_ACTS:
            self._stream(association, do, step)
        else:
            self._file(association, do, step)

    def _message(self, association: Association, do: str, step: dict) -> None:
        match do:
            case "send":
                association.send(filled(step, "message"), step.get("tag"))
            case "take":
                association.take_messages(int(step["messages"]))
            case "takeBack":
                association.take_back(step["tag"])

    def _stream(self, association: Association, do: str, step: dict) -> None:
        if do == "openStream":
            association.streams.open(_hex(step["name"]).decode(), int(step["credit"]))
            return
        number = self._number(step, "stream")
        stream = association.stream(number)
        if stream is None:
            raise MisuseError("there is no such stream")
        match do:
            case "write":
                association.streams.write(stream, filled(step, "bytes"))
            case "endStream":
                association.streams.finish(stream)
            case "resetStream":
                association.streams.reset(stream, int(step["code"]))
            case "stopStream":
                association.streams.stop(stream, int(step["code"]))
            case "takeStream":
                data = association.streams.take(stream, int(step["count"]))
                if data:
                    self._report("streamData", id=str(number), bytes=data.hex())

    def _file(self, association: Association, do: str, step: dict) -> None:
        if do == "offerFile":
            association.sent_files.offer(FileOffer(
                0, int(step["size"]), _hex(step["name"]).decode(), (), _hex(step["tag"]) if "tag" in step else NO_TAG,
                int(step.get("type", 0)), int(step.get("modified", 0)), int(step.get("manifest", 0)),
            ))
            return
        number = self._number(step, "file")
        file = association.file(number)
        if file is None:
            raise MisuseError("there is no such file")
        match do:
            case "supply":
                association.sent_files.supply(file, filled(step, "bytes"))
            case "sourceHash":
                association.sent_files.beginning(file, _held(step))
            case "sourceChanged":
                association.cancel_file(number, CancelFileReason.SOURCE_CHANGED)
            case "acceptFile":
                offset, credit = int(step.get("offset", 0)), int(step["credit"]) if "credit" in step else None
                hasher = _held(step) if offset else None
                association.received_files.accept(file, offset, hasher, credit, step.get("looks", False))
            case "consentFile":
                association.received_files.go_on(file)
            case "takeFile":
                association.received_files.take(file, int(step["count"]))
            case "confirmFile":
                association.received_files.stored(file)
            case "refuseFile" | "cancelFile":
                association.cancel_file(number, CancelFileReason(int(step["reason"])))

    def want(self, association: Association) -> None:
        """Files for which the app may supply bytes, now that what it supplied has gone."""
        for item in association.live():
            if isinstance(item, OutgoingFile) and item.state is Sending.SENDING and item.wanted and not item.waiting:
                self._want(item.id or 0, item.credit.used, item.wanted)

    def _want(self, number: int, offset: int, maximum: int) -> None:
        """Told once for each place."""
        if self._wanted.get(number) != offset:
            self._wanted[number] = offset
            self._report("fileWanted", id=str(number), offset=str(offset), maximum=maximum)

    def resumed(self) -> None:
        """Bytes that had been supplied, and not sent, are asked for again."""
        self._wanted.clear()

    def note(self, event: events.Event) -> None:
        """An event of an association as the script shows it."""
        match event:
            case events.MessageReceived(data=data):
                self._report("message", bytes=data.hex())
            case events.MessageEnded(tag=tag, result=result):
                if tag is not None and result == Result.DELIVERED:
                    self._report("delivered", tag=tag)
                elif tag is not None:
                    self._report("result", tag=tag, result=str(result))
            case events.StreamStarted(id=number):
                self._latest["stream"] = number
            case events.StreamOpened(id=number, name=name):
                self._latest["stream"] = number
                self._report("streamOpened", id=str(number), name=name.encode().hex())
            case events.StreamEnded(id=number, is_complete=complete, code=code):
                ending = {} if code is None else {"code": str(code)}
                self._report("streamEnded", id=str(number), complete=complete, **ending)
            case events.StreamStopped(id=number, code=code):
                self._report("streamStopped", id=str(number), code=str(code))
            case _:
                self._note_file(event)

    def _note_file(self, event: events.Event) -> None:
        match event:
            case events.FileStarted(id=number):
                self._latest["file"] = number
            case events.FileOffered(id=number, offer=offer):
                self._latest["file"] = number
                self._report(
                    "fileOffered", id=str(number), name=offer.name.encode().hex(), size=offer.size, type=int(offer.type),
                    localName=local_file_name(offer.name).encode().hex(), tag=offer.tag.hex(), manifest=offer.manifest,
                )
            case events.HashWanted(id=number, length=length):
                self._report("hashWanted", id=str(number), length=str(length))
            case events.FileAccepted(id=number, offset=offset):
                self._report("fileAccepted", id=str(number), offset=str(offset))
            case events.FileWanted(id=number, offset=offset, maximum=maximum):
                self._want(number, offset, maximum)
            case events.FileDelivered(id=number):
                self._report("fileDelivered", id=str(number))
            case events.FileDataReceived(id=number, data=data):
                self._report("fileData", id=str(number), bytes=data.hex())
            case events.FileReceived(id=number, sha256=digest):
                self._report("fileComplete", id=str(number), sha256=digest.hex())
            case events.FileCancelled():
                self._report(
                    "fileEnded", id=str(event.id), direction="outgoing" if event.sending else "incoming",
                    reason=int(event.reason), byPeer=not event.by_us,
                )
