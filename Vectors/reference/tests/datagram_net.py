"""Two paths, and a net between them that loses, doubles, delays and turns round, on a clock that the test turns."""

from __future__ import annotations

import heapq
import random

from multipeer_reference.datagrams.bounds import PerSecond
from multipeer_reference.datagrams.packets import Kind
from multipeer_reference.datagrams.path import Path
from multipeer_reference.hello import SUITE_AESGCM, SUITE_CHACHAPOLY
from multipeer_reference.proofs import Role

SECRET = bytes(range(32))
#: The responder's, which DATAGRAMS says, and the initiator's, which packets show.
PORT, OWN_PORT = 40_000, 50_000
MILLISECOND, SECOND = 1_000, 1_000_000


def path(role: Role, seed: int = 0, now: int = 0, suite: int = SUITE_CHACHAPOLY, maximum: int = 1 << 20,
         budget: PerSecond | None = None, varies: bool = False) -> Path:
    source = random.Random(f"{seed}/{role}")
    return Path(
        role, suite, SECRET, PORT if role is Role.INITIATOR else None, maximum, maximum, now,
        lambda: source.randbytes(8), (lambda: source.uniform(0.75, 1.25)) if varies else (lambda: 1), budget,
    )


class Net:
    """`sides` by role; `delay` in milliseconds each way, `jitter` on top of it. `blocked`: nothing comes through.
    `refused`: a kind of which nothing does."""

    def __init__(self, seed: int = 0, loss: float = 0, doubling: float = 0, delay: int = 20, jitter: int = 0,
                 varies: bool = False) -> None:
        self.random = random.Random(seed)
        self.loss, self.doubling, self.delay, self.jitter = loss, doubling, delay, jitter
        self.blocked, self.capacity = False, None
        self.refused: Kind | None = None
        self.now = 0
        suite = self.random.choice((SUITE_CHACHAPOLY, SUITE_AESGCM))
        self.sides = {role: path(role, seed, 0, suite, varies=varies) for role in Role}
        self.own_port = OWN_PORT  # a gate of addresses may give the initiator another one
        self.came: dict[Role, list[bytes]] = {role: [] for role in Role}
        self.log: list[tuple[int, Role, int, bytes]] = []  # all that was sent
        self.under_way: list[tuple[int, int, Role, int, bytes]] = []
        self._count = 0
        self._collect()

    def __getitem__(self, role: Role) -> Path:
        return self.sides[role]

    def _collect(self) -> None:
        for role, side in self.sides.items():
            sent, side.packets = side.packets, []
            for port, packet in sent:
                self.log.append((self.now, role, port, packet))
                if port == (PORT if role is Role.INITIATOR else self.own_port):
                    self._carry(role, packet)
            self.came[role] += [event.data for event in side.events]
            side.events.clear()
            side.take(1 << 20)

    def _carry(self, role: Role, packet: bytes) -> None:
        copies = 1 + (self.random.random() < self.doubling)
        for _ in range(copies):
            if self.blocked or packet[0] == self.refused or self.random.random() < self.loss:
                continue
            time = self.now + (self.delay + self.random.randint(0, self.jitter)) * MILLISECOND
            self._count += 1
            source = self.own_port if role is Role.INITIATOR else PORT
            heapq.heappush(self.under_way, (time, self._count, role.other, source, packet))

    def send(self, role: Role, message: bytes) -> str:
        result = self.sides[role].send(message, self.now)
        self._collect()
        return result

    def run(self, until: int) -> "Net":
        """All that happens to this time, in order."""
        while (next_ := self._next()) <= until:
            self.now = max(self.now, next_)
            while self.under_way and self.under_way[0][0] <= self.now:
                _, _, role, port, packet = heapq.heappop(self.under_way)
                self.sides[role].receive(packet, port, self.now)
                self._collect()
            for side in self.sides.values():
                if side.deadline is not None and side.deadline <= self.now:
                    side.timeout(self.now)
                    assert side.deadline is None or side.deadline > self.now, "a deadline that never passes"
            self._collect()
        self.now = until
        return self

    def _next(self) -> int:
        times = [side.deadline for side in self.sides.values() if side.deadline is not None]
        return min(times + [entry[0] for entry in self.under_way[:1]], default=1 << 62)

    def holds(self, role: Role) -> bool:
        return self.sides[role].probing.holds(self.now)
