"""The error registry (SPEC §18) and the exceptions that carry its codes."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class ErrorCode(IntEnum):
    """The codes of CLOSE (SPEC §18)."""

    NO_ERROR = 0x00
    MALFORMED = 0x01
    UNEXPECTED_RECORD = 0x02
    UNEXPECTED_FRAME = 0x03
    UNSUPPORTED = 0x04
    LIMIT_EXCEEDED = 0x05
    DECRYPT_FAILED = 0x06
    WRONG_PROTECTION = 0x07
    ILLEGAL_CHOICE = 0x08
    HANDSHAKE_FAILED = 0x09
    PROOF_INVALID = 0x0A
    UNEXPECTED_IDENTITY = 0x0B
    OWN_IDENTITY = 0x0C
    HANDSHAKE_TIMEOUT = 0x0D
    INVITATION_TIMEOUT = 0x0E
    POLICY_VIOLATION = 0x0F
    CERTIFICATE_REQUIRED = 0x10
    CERTIFICATE_REJECTED = 0x11
    CERTIFICATE_EXPIRED = 0x12
    UNKNOWN_AUTHORITY = 0x13
    BINDING_INVALID = 0x14
    VERDICT_TIMEOUT = 0x15
    SHUTTING_DOWN = 0x20
    DUPLICATE_LINK = 0x21
    INTERNAL = 0x22
    MOVED = 0x23
    CREDIT_EXCEEDED = 0x24
    SILENT = 0x25
    ENTRY_INVALID = 0x26
    CODE_WRONG = 0x27
    CODE_UNAVAILABLE = 0x28
    COMMITMENT_INVALID = 0x29
    STRINGS_DIFFER = 0x2A


#: Codes that a peer may give for a verdict of *rejected* (SPEC §10.5, [R10.5-2]).
VERDICT_CODES = range(0x10, 0x16)

_LAYERS: dict[str, range | tuple[int, ...]] = {
    "wire": range(0x01, 0x06),
    "protection": range(0x06, 0x08),
    "handshake": range(0x08, 0x0E),
    "invitation": (0x0E, 0x0F, 0x21),
    "certificates": (*VERDICT_CODES, 0x27, 0x28, 0x29, 0x2A),
    "closing": (0x00, 0x20, 0x23),
    "association": (0x24, 0x25),
    "session": (0x26,),
    "any": (0x22,),
}


def layer(code: int) -> str:
    """The layer of a code, or "unknown" (SPEC §18)."""
    for name, codes in _LAYERS.items():
        if code in codes:
            return name
    return "unknown"


def name(code: int) -> str:
    """The name of a code, or its number in hexadecimal (SPEC §18, [R16.1-4])."""
    try:
        return ErrorCode(code).name.lower()
    except ValueError:
        return f"0x{code:02x}"


class Outcome(StrEnum):
    """How a link ended where no code of CLOSE says so: the names without a number of SPEC §18."""

    TRUNCATED = "truncated"
    REFUSED = "refused"
    DECLINED = "declined"
    POLICY_CONFLICT = "policy_conflict"
    TIMED_OUT = "timed_out"


class ProtocolError(Exception):
    """What the peer sent, or did not send, is an error of SPEC §18."""

    def __init__(self, code: ErrorCode, detail: str = "") -> None:
        super().__init__(f"{code.name.lower()}: {detail}" if detail else code.name.lower())
        self.code = code
        self.detail = detail


def malformed(detail: str) -> ProtocolError:
    """*Treated as malformed* (SPEC §3.5)."""
    return ProtocolError(ErrorCode.MALFORMED, detail)


def unexpected(detail: str) -> ProtocolError:
    """A frame that the state does not allow (SPEC §17)."""
    return ProtocolError(ErrorCode.UNEXPECTED_FRAME, detail)


class MisuseError(Exception):
    """The app asked for something that the state of the link, or the protocol, does not allow."""
