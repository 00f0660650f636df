"""What a case gives: the verdict, and what was released."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import errors
from ..errors import ErrorCode, Outcome, ProtocolError

#: The layers of the outcomes without a number (SPEC §18).
_LOCAL_LAYERS = {
    Outcome.TRUNCATED: "closing",
    Outcome.REFUSED: "handshake",
    Outcome.DECLINED: "invitation",
    Outcome.POLICY_CONFLICT: "invitation",
    Outcome.TIMED_OUT: "any",
}
_CODES = {errors.name(code): code for code in ErrorCode}


def layer(name: str) -> str:
    """The layer of a name of SPEC §18; that of a code which it lacks is *any*."""
    if name in _CODES:
        return errors.layer(_CODES[name])
    return _LOCAL_LAYERS.get(name, "any")  # type: ignore[call-overload]


def code(name: str) -> ErrorCode:
    return _CODES[name]


@dataclass
class Answer:
    """`error` is a name of SPEC §18; neither it nor `incomplete` means accepted."""

    expected: dict = field(default_factory=dict)
    error: str | None = None
    incomplete: bool = False
    drops: bool = False  # only a file is refused, and the link continues

    @staticmethod
    def rejected(error: ProtocolError, expected: dict | None = None) -> "Answer":
        return Answer(expected or {}, errors.name(error.code))

    @property
    def result(self) -> dict:
        """The `result` of a test. Rejections close the link (SPEC §18), but those of a folder's list."""
        if self.incomplete:
            return {"verdict": "incomplete"}
        if self.error is None:
            return {"verdict": "accept"}
        return {"verdict": "reject", "layer": layer(self.error), "code": self.error, "action": "drop" if self.drops else "close"}


class Disagreement(Exception):
    """Bytes that came out otherwise than they went in, or another unexpected difference."""


def require_same(what: str, mine: object, theirs: object) -> None:
    if mine != theirs:
        raise Disagreement(f"{what}: {shorten(mine)} here, {shorten(theirs)} there")


def shorten(value: object, limit: int = 300) -> str:
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
