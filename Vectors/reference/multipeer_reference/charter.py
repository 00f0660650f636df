"""Charters and session identifiers (SPEC §4.3)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from .fields import Field, read_fields, write_fields
from .reader import Reader
from .session.parameters import KNOWN, Parameters
from .writer import Writer

LABEL = b"multipeer/1 session\x00"


@dataclass(frozen=True)
class Charter:
    """`founder` is an identity key, `nonce` 32 random bytes; SPEC §14.1 has the parameters."""

    founder: bytes
    nonce: bytes
    parameters: tuple[Field, ...] = ()

    def encode(self) -> bytes:
        return write_fields(Writer().raw(self.founder, 32).raw(self.nonce, 32), self.parameters).bytes()

    @staticmethod
    def read(reader: Reader) -> "Charter":
        """As a member of INVITE."""
        return Charter(reader.take(32), reader.take(32), read_fields(reader, known=KNOWN))

    @staticmethod
    def decode(data: bytes) -> "Charter":
        reader = Reader(data)
        charter = Charter.read(reader)
        reader.finish()
        return charter

    @cached_property
    def identifier(self) -> bytes:
        """The session identifier; skipped fields count as they were sent ([R4.3-2])."""
        return hashlib.sha256(LABEL + self.encode()).digest()

    @cached_property
    def rules(self) -> Parameters:
        return Parameters.of(self.parameters)
