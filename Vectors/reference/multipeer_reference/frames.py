"""Frames and their registry (SPEC §6.3–6.5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .errors import malformed
from .integers import decode_varint, encode_varint

MAXIMUM_PAYLOAD = 65_511


class FrameType(IntEnum):
    CLOSE = 0x00
    PADDING = 0x01
    PROOF = 0x02
    PEER_INFO = 0x04
    INVITE = 0x06
    ACCEPT = 0x08
    DECLINE = 0x0A
    CANCEL = 0x0C
    CERTIFICATES = 0x0E
    READY = 0x10
    REKEY = 0x12
    PING = 0x14
    PONG = 0x16
    CREDIT = 0x18
    ACK = 0x1A
    ADMIT = 0x1C
    ROSTER = 0x1E
    DIGEST = 0x20
    SUMMARY = 0x22
    WANT = 0x24
    RESUME = 0x26
    RESUMED = 0x28
    UNITE = 0x2A
    ENTER = 0x2C
    MESSAGE = 0x40
    MESSAGE_PART = 0x42
    DATAGRAMS = 0x46
    FILE_OFFER = 0x50
    FILE_ACCEPT = 0x52
    FILE_CANCEL = 0x54
    FILE_DATA = 0x56
    FILE_END = 0x58
    FILE_DONE = 0x5A
    STREAM_OPEN = 0x60
    STREAM_DATA = 0x62
    STREAM_END = 0x64
    STREAM_RESET = 0x66
    STREAM_STOP = 0x68
    STRING_ASK = 0x70
    STRING_COMMIT = 0x72
    STRING_NONCE = 0x74
    STRING_REVEAL = 0x76
    CODE_BEGIN = 0x78
    CODE_ANSWER = 0x7A
    CODE_CONFIRM = 0x7C


#: The frames of class *payload*; all others are control (SPEC §6.3).
PAYLOAD_TYPES = frozenset({
    FrameType.MESSAGE, FrameType.MESSAGE_PART, FrameType.FILE_DATA, FrameType.STREAM_DATA
})
FILE_TYPES = frozenset({t for t in FrameType if 0x50 <= t <= 0x5A})
STREAM_TYPES = frozenset({t for t in FrameType if 0x60 <= t <= 0x68})
#: The frames of §14, which go to a session and not to an association.
SESSION_TYPES = frozenset({t for t in FrameType if 0x1C <= t <= 0x2C}) - {FrameType.RESUME, FrameType.RESUMED}
#: Those of the feature *verification* (SPEC §25.6): of short strings, and of one-time codes.
STRING_TYPES = frozenset({t for t in FrameType if 0x70 <= t <= 0x76})
VERIFICATION_TYPES = STRING_TYPES | {t for t in FrameType if 0x78 <= t <= 0x7C}
#: *Frames of an open link*, from REKEY on, and DATAGRAMS (SPEC §6.3).
OPEN_TYPES = frozenset({t for t in FrameType if t >= 0x12}) - VERIFICATION_TYPES - {FrameType.RESUME, FrameType.RESUMED}
#: Those that ACK counts (SPEC §13.6).
COUNTED_TYPES = STREAM_TYPES | {
    FrameType.MESSAGE, FrameType.MESSAGE_PART, FrameType.FILE_OFFER, FrameType.FILE_ACCEPT, FrameType.FILE_CANCEL,
    FrameType.FILE_DONE, FrameType.ADMIT, FrameType.UNITE, FrameType.ENTER,
}
KNOWN_TYPES = frozenset(int(t) for t in FrameType)


@dataclass(frozen=True)
class Frame:
    type: int
    payload: bytes = b""

    def encode(self) -> bytes:
        if len(self.payload) > MAXIMUM_PAYLOAD:
            raise ValueError("a frame's payload is too long")
        return encode_varint(self.type) + encode_varint(len(self.payload)) + self.payload

    @property
    def is_known(self) -> bool:
        """To a peer that lists every feature; what a link knows `Core.knows` says."""
        return self.type in KNOWN_TYPES

    @property
    def is_ignorable(self) -> bool:
        """PADDING, and unknown odd types ([R6.4-1], SPEC §6.5)."""
        return self.type == FrameType.PADDING or (self.type % 2 == 1 and not self.is_known)

    @property
    def is_payload(self) -> bool:
        return self.type in PAYLOAD_TYPES

    @property
    def name(self) -> str:
        return FrameType(self.type).name if self.is_known else f"0x{self.type:x}"


def padding(count: int) -> bytes:
    """Frames of PADDING that have `count` bytes in all (SPEC §6.5); no frame has one byte."""
    if count == 0:
        return b""
    if count == 66:  # no single frame has 66 bytes
        return padding(2) + padding(64)
    header = 2 if count <= 65 else 3
    return Frame(FrameType.PADDING, bytes(count - header)).encode()


def decode_frame(plaintext: bytes, offset: int) -> tuple[Frame, int]:
    """The frame at `offset` and the offset after it; it must lie wholly in the record ([R6.3-1])."""
    type_, offset = decode_varint(plaintext, offset)
    length, offset = decode_varint(plaintext, offset)
    if length > MAXIMUM_PAYLOAD:
        raise malformed("a frame's payload is too long")
    if length > len(plaintext) - offset:
        raise malformed("a frame claims more than its record holds")
    return Frame(type_, plaintext[offset : offset + length]), offset + length


def decode_frames(plaintext: bytes) -> list[Frame]:
    """All frames of a record; for tests and vectors, as a link decodes one at a time ([R6.3-2])."""
    frames, offset = [], 0
    while offset < len(plaintext):
        frame, offset = decode_frame(plaintext, offset)
        frames.append(frame)
    return frames
