"""Keys and tag of the datagrams of one peer of a link (SPEC §26.3), and how they are sealed (SPEC §26.4)."""

from __future__ import annotations

from ..aead import Aead
from ..errors import ProtocolError
from ..exporter import export
from ..proofs import Role
from .packets import HEADER_LENGTH, counter_of

_KEY_LABEL, _TAG_LABEL = b"multipeer/1 datagram", b"multipeer/1 datagram tag"
_KEY_LENGTH, _TAG_LENGTH = 32, 8
#: So many counters share a key.
_GENERATION = 1 << 20
_GENERATIONS_HELD = 2


class Keys:
    """`secret` is the exporter secret of the link, and `role` that of the sender."""

    def __init__(self, suite: int, secret: bytes, role: Role) -> None:
        self._suite, self._secret, self._role = suite, secret, bytes([role])
        self.tag = export(secret, _TAG_LABEL, self._role, _TAG_LENGTH)
        self._ciphers: dict[int, Aead] = {}

    def destroy(self) -> None:
        self._secret = b""
        self._ciphers.clear()

    def key(self, counter: int) -> bytes:
        context = self._role + (counter // _GENERATION).to_bytes(8, "big")
        return export(self._secret, _KEY_LABEL, context, _KEY_LENGTH)

    def _cipher(self, counter: int) -> Aead:
        generation = counter // _GENERATION
        if generation not in self._ciphers:
            while len(self._ciphers) >= _GENERATIONS_HELD:
                del self._ciphers[next(iter(self._ciphers))]
            self._ciphers[generation] = Aead(self._suite, self.key(counter))
        return self._ciphers[generation]

    def seal(self, kind: int, counter: int, contents: bytes) -> bytes:
        header = bytes([kind]) + self.tag + counter.to_bytes(8, "big")
        return header + self._cipher(counter).encrypt(counter, header, contents)

    def open(self, packet: bytes) -> bytes | None:
        """The contents of a packet that fits; None if it does not verify."""
        counter = counter_of(packet)
        try:
            return self._cipher(counter).decrypt(counter, packet[:HEADER_LENGTH], packet[HEADER_LENGTH:])
        except ProtocolError:
            return None
