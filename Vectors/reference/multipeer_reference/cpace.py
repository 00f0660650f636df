"""CPACE-RISTR255-SHA512 and its confirmations (SPEC §25.5). All intermediates are open to vectors."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from . import ristretto
from .errors import ErrorCode, ProtocolError, malformed
from .exporter import export

EXPORT_LABEL = b"multipeer/1 one-time code"
CHANNEL_LABEL = b"multipeer/1 code channel\x00"
_IDENTIFIER = b"CPaceRistretto255"
_BLOCK = 128
TYPIST, PRESENTER = b"\x00", b"\x01"


def _lv(*parts: bytes) -> bytes:
    return b"".join(_leb128(len(part)) + part for part in parts)


def _leb128(number: int) -> bytes:
    digits = bytearray()
    while number >= 128:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes(digits) + bytes([number])


def session_identifier(exporter_secret: bytes) -> bytes:
    """sid (SPEC §25.1)."""
    return export(exporter_secret, EXPORT_LABEL, b"", 32)


def channel(typist: bytes, presenter: bytes) -> bytes:
    """CI."""
    return CHANNEL_LABEL + typist + presenter


def generator(password: bytes, channel: bytes, sid: bytes) -> ristretto.Point:
    head = _lv(_IDENTIFIER, password)
    padding = bytes(max(0, _BLOCK - 1 - len(head)))
    return ristretto.derive(hashlib.sha512(head + _lv(padding, channel, sid)).digest())


@dataclass(frozen=True)
class Message:
    share: bytes
    data: bytes


def transcript(typist: Message, presenter: Message) -> bytes:
    return _lv(typist.share, typist.data, presenter.share, presenter.data)


@dataclass(frozen=True)
class Keys:
    """What both parties come to if password, link and messages are the same."""

    intermediate: bytes
    confirmation: bytes
    transcript: bytes

    @staticmethod
    def of(product: bytes, sid: bytes, typist: Message, presenter: Message) -> "Keys":
        covered = transcript(typist, presenter)
        intermediate = hashlib.sha512(_lv(_IDENTIFIER + b"_ISK", sid, product) + covered).digest()
        return Keys(intermediate, hashlib.sha512(b"CPaceMac" + sid + intermediate).digest(), covered)

    def of_role(self, role: bytes) -> bytes:
        """The confirmation of TYPIST or PRESENTER."""
        return hmac.new(self.confirmation, role + self.transcript, hashlib.sha256).digest()


class Side:
    """One party of one attempt. A second answer, or a second look at a confirmation, has no place in it."""

    def __init__(self, role: bytes, password: bytes, channel: bytes, sid: bytes, data: bytes, random: bytes) -> None:
        self.role, self.sid = role, sid
        self.generator = generator(password, channel, sid)
        # 252 of the 256 random bits.
        self._y = int.from_bytes(random, "little") & ((1 << 252) - 1)
        self.message = Message(ristretto.encode(ristretto.multiply(self._y, self.generator)), data)
        if self.message.share == ristretto.IDENTITY:
            raise malformed("y is zero")
        self.product = b""
        self.keys: Keys | None = None

    def receive(self, other: Message) -> None:
        """The other party's share ([R25.5-2])."""
        try:
            point = ristretto.decode(other.share)
        except ristretto.NoElement as error:
            raise malformed(f"the share is {error}") from None
        self.product = ristretto.encode(ristretto.multiply(self._y, point))
        if self.product == ristretto.IDENTITY:
            raise malformed("the product is the identity")
        pair = (self.message, other) if self.role == TYPIST else (other, self.message)
        self.keys = Keys.of(self.product, self.sid, *pair)

    @property
    def confirmation(self) -> bytes:
        """A typist sends it before it has the other one, a presenter after `check` ([R25.5-4])."""
        assert self.keys is not None
        return self.keys.of_role(self.role)

    def check(self, confirmation: bytes) -> None:
        """The other party's confirmation ([R25.5-3])."""
        assert self.keys is not None
        expected = self.keys.of_role(PRESENTER if self.role == TYPIST else TYPIST)
        if not hmac.compare_digest(expected, confirmation):
            raise ProtocolError(ErrorCode.CODE_WRONG, "another code")
