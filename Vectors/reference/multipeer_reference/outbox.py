"""What the live program sends as datagrams, and over the link where no path holds (SPEC §26.1, §26.6)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .datagrams.path import DROPPED, OVER_LINK, SENT
from .errors import MisuseError
from .link import Link
from .livepath import LivePath
from .reporting import complain, report

if TYPE_CHECKING:
    from .app import Plan

_RESULTS = {SENT: "sent", DROPPED: "dropped", OVER_LINK: "over link"}


class Outbox:
    """They wait for a path, and there for room; after `Plan.patience` without a path they go over the link."""

    def __init__(self, plan: Plan, link: Link, path: LivePath) -> None:
        self._plan, self._link, self._path = plan, link, path
        self._left = deque(plan.datagrams)
        self._until: int | None = None  # while something is to be done

    @property
    def has_left(self) -> bool:
        return bool(self._left)

    @property
    def is_done(self) -> bool:
        """What was sent has been counted by the peer, or is lost: a CLOSE would overtake it."""
        return not self._left and not self._path.in_flight

    def begin(self, now: int) -> None:
        """The link is open."""
        if not self._left or self._link.has_sent_all:
            return
        self._until = now + self._plan.patience
        try:
            self._link.use_datagrams(now)
        except MisuseError as error:
            self._give_up(str(error), now)
        else:
            if not self._path.sockets:
                self._give_up(self._path.lacks, now)

    @property
    def deadline(self) -> int | None:
        """When `pump` is due, if nothing comes before."""
        waits = self._left and not self._path.holds and not self._link.has_sent_all
        return self._until if waits else None

    def pump(self, now: int) -> bool:
        """Sends what may go now. Whether all is done by this."""
        if self._until is None or self._link.has_sent_all:
            return False
        while self._left and self._path.has_room:
            self._send(self._left.popleft(), now)
        if self._left and not self._path.holds and now >= self._until:
            seconds = self._plan.patience / 1_000
            self._give_up(f"no path for datagrams held within {seconds:g} seconds ({self._path.lacks})", now)
        if not self.is_done:
            return False
        self._until = None
        return True

    def _send(self, message: bytes, now: int) -> None:
        result = self._path.send(message)
        if result == OVER_LINK:
            self._link.send_message(message, now)
        self._report(message, result)

    def _give_up(self, why: str, now: int) -> None:
        complain(f"{why}: datagrams go over the link")
        while self._left:
            message = self._left.popleft()
            self._link.send_message(message, now)
            self._report(message, OVER_LINK)

    def _report(self, message: bytes, result: str) -> None:
        report(self._plan, "datagram-ended", {"length": len(message), "result": _RESULTS[result]})
