"""Admissions and chains of them (SPEC §14.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from .. import ed25519
from ..charter import Charter
from ..errors import ErrorCode, ProtocolError, malformed
from ..reader import Reader
from ..writer import Writer
from .parameters import Admits

LABEL = b"multipeer/1 admission\x00"
LENGTH = 96
MAXIMUM_CHAIN = 8


@dataclass(frozen=True)
class Admission:
    """`signature` says that `admitter` wants somebody in a session; the member and the session are not in it."""

    admitter: bytes
    signature: bytes

    def encode(self) -> bytes:
        return Writer().raw(self.admitter, 32).raw(self.signature, 64).bytes()


#: The first admits the member itself, each later one the admitter before it.
Chain = tuple[Admission, ...]


def signed_bytes(session: bytes, admitted: bytes) -> bytes:
    return LABEL + session + admitted


def admit(key: ed25519.SigningKey, session: bytes, admitted: bytes) -> Admission:
    return Admission(key.public, key.sign(signed_bytes(session, admitted)))


def extended(key: ed25519.SigningKey, own: Chain, session: bytes, admitted: bytes) -> Chain:
    """The chain of a member that the owner of `own` admits ([R14.2-2])."""
    if len(own) >= MAXIMUM_CHAIN:
        raise ValueError("a member with the longest chain admits nobody")
    return (admit(key, session, admitted), *own)


def encode_chain(chain: Sequence[Admission]) -> bytes:
    return b"".join(admission.encode() for admission in chain)


def decode_chain(content: bytes) -> Chain:
    """The content of `Admission chain<0..768>`; also the value of INVITE's field 0x02."""
    if len(content) % LENGTH or len(content) > MAXIMUM_CHAIN * LENGTH:
        raise malformed(f"{len(content)} bytes are no chain of admissions")
    return tuple(
        Admission(content[start : start + 32], content[start + 32 : start + LENGTH])
        for start in range(0, len(content), LENGTH)
    )


def read_chain(reader: Reader) -> Chain:
    return decode_chain(reader.vector(0, MAXIMUM_CHAIN * LENGTH))


def is_valid(chain: Chain, charter: Charter, member: bytes) -> bool:
    """[R14.2-1]."""
    if member == charter.founder:
        return not chain
    limit = 1 if charter.rules.admission is Admits.FOUNDER else MAXIMUM_CHAIN
    if not 1 <= len(chain) <= limit or chain[-1].admitter != charter.founder:
        return False
    session, admitted = charter.identifier, member
    for admission in chain:
        if not ed25519.verify(admission.admitter, admission.signature, signed_bytes(session, admitted)):
            return False
        admitted = admission.admitter
    return True


def may_admit(charter: Charter, member: bytes, chain: Chain) -> bool:
    """Whether a member with this chain may ([R14.1-2], [R14.2-2])."""
    if len(chain) >= MAXIMUM_CHAIN:
        return False
    return charter.rules.admission is not Admits.FOUNDER or member == charter.founder


def check(chain: Chain, charter: Charter, member: bytes) -> None:
    if not is_valid(chain, charter, member):
        raise ProtocolError(ErrorCode.ENTRY_INVALID, "a chain of admissions that is not valid")
