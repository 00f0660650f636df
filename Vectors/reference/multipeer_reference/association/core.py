"""What the parts of one association share."""

from __future__ import annotations

from collections import deque
from typing import Callable

from ..events import Event
from ..frames import Frame, FrameType
from .numbers import Numbers
from .pools import Pools


class Shared:
    """Numbers, events, and the control frames that wait. `owner` stands for the link in the pools."""

    def __init__(self, is_lesser: bool, pools: Pools, emit: Callable[[Event], None]) -> None:
        self.numbers = Numbers(is_lesser)
        self.pools = pools
        self.emit = emit
        self.control: deque[Frame] = deque()

    def send(self, type_: FrameType, payload: bytes) -> None:
        """A control frame. Those of one number keep their order (R15.2-2): what waits as bulk is dropped by its sender
        before a frame that ends it goes here."""
        self.control.append(Frame(type_, payload))
