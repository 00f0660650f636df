"""Memory beyond the windows: what all links of a process share, and what each peer has for itself (SPEC §13.5)."""

from __future__ import annotations

from collections import deque

POOL_OF_MESSAGES = 64 << 20
#: A message that lacks more than this is a long one.
SHORT = 1 << 20
#: What the streams and files of one peer and session have together.
SHARE = 1 << 20


class Reservation:
    """What one message lacks, in its half of the pool."""

    def __init__(self, pool: "MessagePool", amount: int) -> None:
        self._half = pool.halves[amount > SHORT]
        self._amount = amount
        self.is_granted = False
        self._half.waiting.append(self)
        self._half.serve()

    def others_wait(self) -> bool:
        return any(other is not self for other in self._half.waiting)

    def give_back(self) -> None:
        """The app has taken the message, or it will never be whole."""
        if self.is_granted:
            self._half.free += self._amount
        else:
            self._half.waiting.remove(self)
        self._half.serve()

    @property
    def amount(self) -> int:
        return self._amount


class _Half:
    """Messages wait in the order in which they came."""

    def __init__(self, size: int) -> None:
        self.free = size
        self.waiting: deque[Reservation] = deque()

    def serve(self) -> None:
        while self.waiting and self.waiting[0].amount <= self.free:
            reservation = self.waiting.popleft()
            self.free -= reservation.amount
            reservation.is_granted = True


class MessagePool:
    """A message reserves the whole of what it lacks before it is granted any of it. Short ones do not wait for long ones."""

    def __init__(self, size: int = POOL_OF_MESSAGES) -> None:
        self.halves = _Half(size // 2), _Half(size - size // 2)


class Share:
    """What one peer has in one session for its streams and files; nobody else has it."""

    def __init__(self, size: int = SHARE) -> None:
        self._free = size

    def take(self, wanted: int) -> int:
        """How much of `wanted` there is."""
        given = max(0, min(wanted, self._free))
        self._free -= given
        return given

    def give_back(self, amount: int) -> None:
        self._free += amount


class Pools:
    """Of one process. `share` is for each pair of a peer and a session."""

    def __init__(self, messages: int = POOL_OF_MESSAGES, share: int = SHARE) -> None:
        self.messages = MessagePool(messages)
        self._size = share
        self._shares: dict[object, Share] = {}

    def share_of(self, owner: object) -> Share:
        """`owner` names the peer and the session, so that all their links have one share."""
        return self._shares.setdefault(owner, Share(self._size))
