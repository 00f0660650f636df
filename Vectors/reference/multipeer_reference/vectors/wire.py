"""What an implementation has sent, as the frames that LinkScript compares: opened with the vector's `sendKey`."""

from __future__ import annotations

import hashlib
from itertools import groupby

from ..certificates import Certificates
from ..errors import ProtocolError
from ..frames import FrameType, decode_frames
from ..integers import decode_varint
from ..noise import CipherState
from ..protection import unseal
from ..records import PROTECTED, Assembler, RecordKind
from .answers import Disagreement


class SentFrames:
    """Takes raw bytes, gives entries of `sends`. Without a key only clear records can be read."""

    def __init__(self, suite: int, key: str | None) -> None:
        self._state = CipherState(suite, bytes.fromhex(key)) if key else None
        self._assembler = Assembler()
        self._is_padded = True  # up to and with the record that holds READY ([R6.5-1])

    def take(self, data: bytes) -> list[dict]:
        """All bytes must be whole records."""
        self._assembler.feed(data)
        entries: list[dict] = []
        try:
            while entry := self._next():
                entries += entry
        except ProtocolError as error:
            raise Disagreement(f"what was sent cannot be read: {error}") from error
        if not self._assembler.is_empty:
            raise Disagreement("what was sent ends within a record")
        return entries

    def _next(self) -> list[dict] | None:
        if not self._assembler.take_magic():
            if self._assembler.magic_seen:
                raise Disagreement("what was sent ends within the magic")
            return None
        header = self._assembler.peek_header()
        body = self._assembler.take_body(header) if header else None
        if header is None or body is None:
            return None
        if header.kind not in PROTECTED:
            return [{"clear": header.kind.name, "body": body.hex()}]
        if self._state is None:
            raise Disagreement("a protected record where no keys come to be")
        protection = "encrypted" if header.kind is RecordKind.ENCRYPTED else "readable"
        frames = decode_frames(unseal(self._state, header, body))
        types = {frame.type for frame in frames}
        if FrameType.REKEY in types:
            self._state.rekey()
        self._check_padding(header.record_length, types)
        return [
            {"frame": frame.name, "payload": frame.payload.hex(), "protection": protection} for frame in frames
        ]

    def _check_padding(self, length: int, types: set[int]) -> None:
        if FrameType.PROOF in types and length > 1024:
            raise Disagreement(f"a record of {length} bytes with PROOF ([R19-2])")
        unit = 4096 if FrameType.CERTIFICATES in types else 1024
        if self._is_padded and types != {FrameType.CLOSE} and length % unit:
            raise Disagreement(f"a record of {length} bytes before the link is open")
        self._is_padded &= FrameType.READY not in types


def _is_ignorable(entry: dict) -> bool:
    name = entry.get("frame", "")
    return name == "PADDING" or (name.startswith("0x") and int(name, 16) % 2 == 1)


#: What is a state and not an event: only the newest counts, wherever it is (Vectors/README.md).
_STATES = ("CREDIT", "ACK", "PONG")


def joined(entries: list[dict]) -> list[dict]:
    """For comparison: without ignorable frames, the frames of a message as one, consecutive data of one number as one,
    and of CREDIT, ACK and PONG the last ones, at the end."""
    result: list[dict] = []
    states: dict[tuple, dict] = {}
    for entry in entries:
        name = entry.get("frame", "")
        last = result[-1] if result else {}
        if _is_ignorable(entry):
            continue
        if name in _STATES:
            states[name, _credit_of(entry["payload"]) if name == "CREDIT" else ""] = entry
        elif name == "MESSAGE_PART" and last.get("frame") in ("MESSAGE", "MESSAGE_PART"):
            result[-1] = last | {"payload": last["payload"] + entry["payload"]}
        elif name in ("FILE_DATA", "STREAM_DATA") and name == last.get("frame") and _goes_on(last, entry):
            result[-1] = last | {"payload": last["payload"] + _data_of(entry).hex()}
        else:
            result.append(entry)
    return in_any_order(result) + [states[key] for key in sorted(states)]


#: What gives up all that lives, in whatever order ([R16.1-5]).
_ENDS = ("FILE_CANCEL", "STREAM_RESET", "STREAM_STOP")


#: What has more bytes is in LinkScripts as its length and SHA-256.
LONGEST = 65_536


def shortened(entry: dict) -> dict:
    payload = entry.get("payload", "")
    if len(payload) <= 2 * LONGEST:
        return entry
    return entry | {"payload": f"#{len(payload) // 2}:{hashlib.sha256(bytes.fromhex(payload)).hexdigest()}"}


def in_any_order(entries: list[dict]) -> list[dict]:
    """With neighbours that end what lives sorted."""
    result: list[dict] = []
    for is_end, run in groupby(entries, key=lambda entry: entry.get("frame") in _ENDS):
        listed = list(run)
        result += sorted(listed, key=lambda entry: (entry["frame"], entry["payload"])) if is_end else listed
    return result


def joined_data(reported: list[dict]) -> list[dict]:
    """Of events: consecutive fileData of one file as one (Vectors/README.md)."""
    result: list[dict] = []
    for event in reported:
        last = result[-1] if result else {}
        if event["event"] == last.get("event") == "fileData" and event["id"] == last["id"]:
            result[-1] = last | {"bytes": last["bytes"] + event["bytes"]}
        else:
            result.append(event)
    return result


def _credit_of(payload: str) -> str:
    """Kind and number."""
    data = bytes.fromhex(payload)
    return data[: decode_varint(data, 1)[1]].hex()


def _goes_on(last: dict, entry: dict) -> bool:
    """Whether both are of one number."""
    return decode_varint(bytes.fromhex(last["payload"]))[0] == decode_varint(bytes.fromhex(entry["payload"]))[0]


def _data_of(entry: dict) -> bytes:
    """Without number and offset."""
    data = bytes.fromhex(entry["payload"])
    end = decode_varint(data)[1]
    return data[decode_varint(data, end)[1] :] if entry["frame"] == "FILE_DATA" else data[end:]


def match_signature(mine: dict, theirs: dict) -> dict:
    """`mine` with `*` in place of its signature and field list, where `theirs` has one: there must be a signature, of any value."""
    if not theirs.get("payload", "").endswith("*") or mine.get("frame") != "CERTIFICATES":
        return mine
    certificates = Certificates.decode(bytes.fromhex(mine["payload"]))
    if not certificates.signature:
        raise Disagreement("CERTIFICATES without a signature")
    unsigned = Certificates(certificates.chain, certificates.algorithm).encode()[:-2]
    return mine | {"payload": unsigned.hex() + "*"}
