"""Two associations and the frames between them, with an app for each peer and a clock that the test turns."""

from __future__ import annotations

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.association.pools import Pools
from multipeer_reference.frames import Frame, FrameType


class Two:
    """`sides[0]` has the lesser key. Frames arrive in order, when the test says so."""

    def __init__(
        self, maximum: int = 1 << 20, times: KeepAliveTimes | None = None, takes_at_once: bool = True,
        pools: Pools | None = None,
    ) -> None:
        self.now = 0
        self.sides = [
            Association(lesser, maximum, maximum, 0, times, pools, takes_at_once) for lesser in (True, False)
        ]
        self.wires: list[list[Frame]] = [[], []]  # frames that a peer has sent and the other has not got
        self.log: list[list[Frame]] = [[], []]  # all that a peer has sent

    def send(self, side: int, room: int = 1 << 62) -> int:
        frames = self.sides[side].take_frames(room)
        self.wires[side] += frames
        self.log[side] += frames
        return len(frames)

    def deliver(self, side: int, count: int = 1 << 30) -> int:
        """What `side` has sent arrives, `count` frames of it."""
        frames, self.wires[side] = self.wires[side][:count], self.wires[side][count:]
        other = self.sides[1 - side]
        for frame in frames:
            other.record_came(self.now)
            other.receive(Frame(frame.type, frame.payload))
        return len(frames)

    def settle(self) -> "Two":
        while sum(self.send(side) + self.deliver(side) for side in (0, 1)):
            pass
        return self

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds
        for side in self.sides:
            side.expire(self.now)

    def quiet(self) -> "Two":
        """All that is owed has come, ACKs among it."""
        for _ in range(3):
            self.settle()
            self.advance(20)
        return self.settle()

    def of(self, side: int, kind: type) -> list:
        return [event for event in self.sides[side].events if isinstance(event, kind)]

    def sent(self, side: int, type_: FrameType) -> list[Frame]:
        return [frame for frame in self.log[side] if frame.type == type_]

    def messages(self, side: int) -> list[bytes]:
        return [event.data for event in self.of(side, events.MessageReceived)]
