"""The short string that two persons compare (SPEC §25.3)."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from .errors import ErrorCode, ProtocolError
from .exporter import export
from .words import WORDS

EXPORT_LABEL = b"multipeer/1 short string"


@dataclass(frozen=True)
class Link:
    """What both peers have: the string key, and the identity keys in the roles of the link."""

    key: bytes
    initiator: bytes
    responder: bytes

    @staticmethod
    def of(exporter_secret: bytes, initiator: bytes, responder: bytes) -> "Link":
        return Link(export(exporter_secret, EXPORT_LABEL, b"", 32), initiator, responder)

    def _digest(self, label: bytes, nonces: bytes) -> bytes:
        return hashlib.sha256(label + b"\x00" + self.key + self.initiator + self.responder + nonces).digest()

    def commitment(self, nonce: bytes) -> bytes:
        """What the initiator sends before it sees the responder's nonce."""
        return self._digest(b"multipeer/1 commitment", nonce)

    def check(self, commitment: bytes, nonce: bytes) -> None:
        """What the responder does when the nonce is revealed ([R25.3-2])."""
        if not hmac.compare_digest(self.commitment(nonce), commitment):
            raise ProtocolError(ErrorCode.COMMITMENT_INVALID, "another nonce than the one committed to")

    def string(self, initiator_nonce: bytes, responder_nonce: bytes) -> "ShortString":
        s = self._digest(b"multipeer/1 short string", initiator_nonce + responder_nonce)
        bits = int.from_bytes(s[8:12], "big") >> 2
        indices = bits >> 20, bits >> 10 & 1023, bits & 1023
        return ShortString(f"{int.from_bytes(s[:8], 'big') % 10**6:06}", tuple(WORDS[index] for index in indices))


@dataclass(frozen=True)
class ShortString:
    """Six digits, and three words that say the same."""

    digits: str
    words: tuple[str, str, str]
