"""Outgoing frames to records, and the keys of both directions (SPEC §6.3, §11, §12)."""

from __future__ import annotations

from .frames import Frame
from .noise import CipherState
from .protection import seal, unseal
from .records import HEADER_LENGTH, MAXIMUM_PLAINTEXT, TAG_LENGTH, RecordHeader, RecordKind

#: What a receiver takes before our PROOF is verified, as the whole record ([R19-2]).
MAXIMUM_UNPROVED_RECORD = 1024
_FIRST_PLAINTEXT = MAXIMUM_UNPROVED_RECORD - HEADER_LENGTH - TAG_LENGTH


class Channel:
    """Groups frames that are queued together into records, as few as the limits allow."""

    def __init__(self) -> None:
        self.sending: CipherState | None = None
        self.receiving: CipherState | None = None
        self.is_readable = False
        self._output = bytearray()
        self._kind = RecordKind.ENCRYPTED
        self._plaintext = bytearray()

    @property
    def is_secured(self) -> bool:
        return self.sending is not None

    def write_clear(self, data: bytes) -> None:
        """Magic, hello or refusal."""
        self._output += data

    def queue(self, frame: Frame) -> None:
        kind = RecordKind.AUTHENTICATED if self.is_readable and frame.is_payload else RecordKind.ENCRYPTED
        data = frame.encode()
        if self._plaintext and (kind is not self._kind or len(self._plaintext) + len(data) > self._room()):
            self._seal()
        self._kind = kind
        self._plaintext += data

    def _room(self) -> int:
        """The first record holds our PROOF, so it stays short ([R19-2])."""
        assert self.sending is not None
        return _FIRST_PLAINTEXT if self.sending.n == 0 else MAXIMUM_PLAINTEXT

    def _seal(self) -> None:
        assert self.sending is not None
        self._output += seal(self.sending, self._kind, bytes(self._plaintext))
        self._plaintext.clear()

    def take_output(self) -> bytes:
        if self._plaintext:
            self._seal()
        output = bytes(self._output)
        self._output.clear()
        return output

    def open(self, header: RecordHeader, body: bytes) -> bytes:
        assert self.receiving is not None
        return unseal(self.receiving, header, body)
