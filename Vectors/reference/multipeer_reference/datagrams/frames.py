"""The feature *datagrams* and its frame (SPEC §26.2)."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import malformed
from ..fields import Field, read_fields, write_fields
from ..proofs import Role
from ..reader import Reader
from ..writer import Writer

#: What PEER_INFO lists.
FEATURE = 0x0002
#: Of other protocols, whose servers answer anybody ([R26.5-1]).
_FOREIGN_PORTS = frozenset({1900, 3702, 5353, 5355, 11211})
_LEAST_PORT = 1024


def may_send_to(port: int) -> bool:
    """Whether an initiator may send to this port of a responder ([R26.5-1])."""
    return port >= _LEAST_PORT and port not in _FOREIGN_PORTS


@dataclass(frozen=True)
class Datagrams:
    """DATAGRAMS. `port` is that of a responder; an initiator sends 0."""

    port: int
    fields: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().u16(self.port), self.fields).bytes()

    @staticmethod
    def decode(payload: bytes) -> "Datagrams":
        reader = Reader(payload)
        frame = Datagrams(reader.u16(), read_fields(reader))
        reader.finish()
        return frame

    def check_sender(self, role: Role) -> None:
        """[R26.2-2]."""
        if (self.port == 0) != (role is Role.INITIATOR):
            raise malformed(f"port {self.port} of the {role.name.lower()}")
