"""What the parts of one association share."""

from __future__ import annotations

from collections import deque
from typing import Callable

from ..errors import MisuseError
from ..events import Event
from ..frames import Frame, FrameType
from .counted import Kept
from .numbers import Numbers
from .pools import Pools, Share


class Shared:
    """Numbers, events, the control frames that wait, and the counted ones that went.

    `is_draining`: nothing new is begun (SPEC §16.4). `is_over`: the association has ended, so nothing is sent any more.
    `is_resumed`: the link is a later one than the first, on which CREDIT may repeat a limit once ([R13.4-2]).
    """

    def __init__(
        self, is_lesser: bool, pools: Pools, share: Share, emit: Callable[[Event], None], keeps: bool
    ) -> None:
        self.numbers = Numbers(is_lesser)
        self.pools, self.share = pools, share
        self.emit = emit
        self.control: deque[Frame] = deque()
        self.kept = Kept(keeps)
        self.is_draining = self.is_over = self.is_resumed = False

    def require_beginning(self) -> None:
        if self.is_draining or self.is_over:
            raise MisuseError("the link is being closed")

    def has_room(self, length: int) -> bool:
        """Whether one more frame that begins something, or carries payload, may be sent ([R13.9-2])."""
        return self.kept.has_room(length, self.control)

    def send(self, type_: FrameType, payload: bytes) -> None:
        """A control frame. Those of one number keep their order (R15.2-2): what waits as bulk is dropped by its sender
        before a frame that ends it goes here."""
        if not self.is_over:
            self.control.append(Frame(type_, payload))
