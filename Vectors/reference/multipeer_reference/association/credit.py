"""Credit: what may still be sent, and what a receiver has granted (SPEC §13.3 to §13.5)."""

from __future__ import annotations

from ..errors import ErrorCode, ProtocolError, malformed

#: The windows ([R13.5-1]): a limit is kept that far above what is released. They are the limits at first, too.
MESSAGES_WINDOW = 262_144
COUNT_WINDOW = 32
STREAM_WINDOW = FILE_WINDOW = 32_768
#: What FILE_ACCEPT grants where memory allows it (SPEC §15.3).
FILE_AT_FIRST = 1 << 20
#: What each message uses beside its bytes.
MESSAGE_COST = 64


class SendCredit:
    """What the peer has granted us."""

    def __init__(self, limit: int, used: int = 0, may_repeat: bool = False) -> None:
        self.limit, self.used = limit, used
        self.may_repeat = may_repeat  # the first CREDIT on a resumed link may

    @property
    def available(self) -> int:
        return self.limit - self.used

    def use(self, count: int) -> None:
        if count > self.available:
            raise AssertionError("a sender uses no more than it has")  # [R13.3-1]
        self.used += count

    def raise_to(self, limit: int) -> None:
        """CREDIT came ([R13.4-2])."""
        if limit < self.limit or (limit == self.limit and not self.may_repeat):
            raise malformed(f"a limit of {limit} where {self.limit} holds")
        self.limit, self.may_repeat = limit, False


class ReceiveCredit:
    """What we have granted. A limit that was raised is announced by CREDIT when a record is built, and not before."""

    def __init__(self, limit: int, used: int = 0) -> None:
        self.limit, self.used = limit, used
        self._first = limit
        self._is_told = True

    def use(self, count: int) -> None:
        """[R13.3-1]."""
        if self.used + count > self.limit:
            raise ProtocolError(ErrorCode.CREDIT_EXCEEDED, f"{self.used + count} where {self.limit} is the limit")
        self.used += count

    def grant(self, limit: int) -> None:
        if limit > self.limit:
            self.limit, self._is_told = limit, False

    def keep(self, released: int, window: int, maximum: int | None = None) -> None:
        """The window above what is released, but not beyond `maximum`; it waits while half of it is unused ([R13.5-2])."""
        if self.limit - self.used < window / 2:
            limit = released + window
            self.grant(limit if maximum is None else min(limit, maximum))

    def tell_again(self) -> None:
        """On a resumed link: a limit that was raised ([R13.9-8])."""
        self._is_told = self.limit == self._first

    def untold(self) -> int | None:
        """The newest limit, once."""
        if self._is_told:
            return None
        self._is_told = True
        return self.limit
