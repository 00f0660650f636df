"""Outgoing frames to records, and the keys of both directions (SPEC §6.3, §11, §12)."""

from __future__ import annotations

from .frames import Frame, FrameType, padding
from .noise import CipherState
from .protection import seal, unseal
from .records import HEADER_LENGTH, MAXIMUM_PLAINTEXT, TAG_LENGTH, RecordHeader, RecordKind

#: What a receiver takes before our PROOF is verified, as the whole record ([R19-2]).
MAXIMUM_UNPROVED_RECORD = 1024
_OVERHEAD = HEADER_LENGTH + TAG_LENGTH
_MAXIMUM_RECORD = MAXIMUM_PLAINTEXT + _OVERHEAD


class Channel:
    """Groups frames that are queued together into records, as few as the limits allow."""

    def __init__(self) -> None:
        self.sending: CipherState | None = None
        self.receiving: CipherState | None = None
        self.is_readable = False
        self.pads = True  # until the link is open; the record with READY is padded, too ([R6.5-1])
        self._output = bytearray()
        self._kind = RecordKind.ENCRYPTED
        self._plaintext = bytearray()
        self._types: set[int] = set()  # of the frames in _plaintext
        self._is_padded = False  # _plaintext holds a frame that was queued while `pads`

    @property
    def is_secured(self) -> bool:
        return self.sending is not None

    def write_clear(self, data: bytes) -> None:
        """Magic, hello or refusal."""
        self._output += data

    def queue(self, frame: Frame) -> None:
        kind = RecordKind.AUTHENTICATED if self.is_readable and frame.is_payload else RecordKind.ENCRYPTED
        data = frame.encode()
        # After REKEY no PADDING may follow, and CLOSE has a record of its own ([R12.6-2], [R6.5-1]).
        alone = self._is_padded and frame.type in (FrameType.REKEY, FrameType.CLOSE)
        if self._plaintext and (alone or kind is not self._kind or not self._fits(frame.type, len(data))):
            self._seal()
        self._kind = kind
        self._plaintext += data
        self._types.add(frame.type)
        self._is_padded |= self.pads
        if frame.type == FrameType.REKEY:  # the last frame of its record ([R12.6-1], [R12.6-2])
            self._seal()
            assert self.sending is not None
            self.sending.rekey()

    def _fits(self, type_: int, length: int) -> bool:
        """The first record holds our PROOF, so it stays short ([R19-2])."""
        assert self.sending is not None
        maximum = MAXIMUM_UNPROVED_RECORD if self.sending.n == 0 else _MAXIMUM_RECORD
        length += len(self._plaintext)
        fill = self._fill(length, self._types | {type_}) if self.pads or self._is_padded else 0
        return length + _OVERHEAD + fill <= maximum

    @staticmethod
    def _fill(length: int, types: set[int]) -> int:
        """How many bytes of PADDING a record with `length` bytes of frames needs ([R6.5-1])."""
        if FrameType.CLOSE in types:
            return 0
        unit = 4096 if FrameType.CERTIFICATES in types else 1024
        missing = -(length + _OVERHEAD) % unit
        return missing + unit if missing == 1 else missing

    def _seal(self) -> None:
        assert self.sending is not None
        if self._is_padded:
            self._plaintext += padding(self._fill(len(self._plaintext), self._types))
        self._output += seal(self.sending, self._kind, bytes(self._plaintext))
        self._plaintext.clear()
        self._types.clear()
        self._is_padded = False

    def take_output(self) -> bytes:
        if self._plaintext:
            self._seal()
        output = bytes(self._output)
        self._output.clear()
        return output

    def open(self, header: RecordHeader, body: bytes) -> bytes:
        assert self.receiving is not None
        return unseal(self.receiving, header, body)
