"""Credit: what may still be sent, and what a receiver has granted (SPEC §13.3 to §13.5)."""

from __future__ import annotations

from ..errors import ErrorCode, ProtocolError, malformed

MESSAGES_AT_FIRST = 262_144
COUNT_AT_FIRST = 32
STREAM_AT_FIRST = 32_768
FILE_WINDOW = 1 << 20
#: What each message uses beside its bytes.
MESSAGE_COST = 64


class SendCredit:
    """What the peer has granted us."""

    def __init__(self, limit: int, used: int = 0) -> None:
        self.limit, self.used = limit, used

    @property
    def available(self) -> int:
        return self.limit - self.used

    def use(self, count: int) -> None:
        if count > self.available:
            raise AssertionError("a sender uses no more than it has")  # [R13.3-1]
        self.used += count

    def raise_to(self, limit: int) -> None:
        """CREDIT came ([R13.4-2])."""
        if limit <= self.limit:
            raise malformed(f"a limit of {limit} where {self.limit} holds")
        self.limit = limit


class ReceiveCredit:
    """What we have granted. A limit that was raised is told by CREDIT when a record is built, and not before."""

    def __init__(self, limit: int, used: int = 0) -> None:
        self.limit, self.used = limit, used
        self._is_told = True

    def use(self, count: int) -> None:
        """[R13.3-1]."""
        if self.used + count > self.limit:
            raise ProtocolError(ErrorCode.CREDIT_EXCEEDED, f"{self.used + count} where {self.limit} is the limit")
        self.used += count

    def grant(self, limit: int) -> None:
        if limit > self.limit:
            self.limit, self._is_told = limit, False

    def untold(self) -> int | None:
        """The newest limit, once."""
        if self._is_told:
            return None
        self._is_told = True
        return self.limit
