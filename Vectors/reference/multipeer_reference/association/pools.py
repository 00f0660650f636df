"""Memory that all links of a process share (SPEC §13.5)."""

from __future__ import annotations

POOL_OF_MESSAGES = 64 << 20
POOL_OF_BULK = 128 << 20


class MessagePool:
    """A message reserves all that it lacks before it is granted any of it, in the order of asking."""

    def __init__(self, size: int = POOL_OF_MESSAGES) -> None:
        self._free = size
        self._held: dict[object, int] = {}
        self._waiting: list[object] = []

    def holds(self, owner: object) -> int:
        return self._held.get(owner, 0)

    def reserve(self, owner: object, amount: int) -> bool:
        """Whether `owner` has `amount` now; asked again until it has."""
        lacking = amount - self.holds(owner)
        if lacking <= 0:
            return True
        if owner not in self._waiting:
            self._waiting.append(owner)
        if self._waiting[0] is not owner or lacking > self._free:
            return False
        self._waiting.remove(owner)
        self._free -= lacking
        self._held[owner] = amount
        return True

    def keep(self, owner: object, amount: int) -> None:
        """Needs no more than `amount`, and gives back what is above."""
        if owner in self._waiting:
            self._waiting.remove(owner)
        surplus = self.holds(owner) - amount
        if surplus > 0:
            self._free += surplus
            self._held[owner] = amount
        if amount == 0:
            self._held.pop(owner, None)

    def others_wait(self, owner: object) -> bool:
        return any(waiting is not owner for waiting in self._waiting)


class BulkPool:
    """A link gets at most half of what is free, so that another one always finds something."""

    def __init__(self, size: int = POOL_OF_BULK) -> None:
        self._free = size
        self._held: dict[object, int] = {}

    def take(self, owner: object, wanted: int) -> int:
        """How much of `wanted` there is for `owner`."""
        held = self._held.get(owner, 0)
        given = max(0, min(wanted, (self._free + held) // 2 - held))
        self._free -= given
        self._held[owner] = held + given
        return given

    def give_back(self, owner: object, amount: int) -> None:
        self._free += amount
        self._held[owner] = self._held.get(owner, 0) - amount

    def leave(self, owner: object) -> None:
        self._free += self._held.pop(owner, 0)


class Pools:
    def __init__(self, messages: int = POOL_OF_MESSAGES, bulk: int = POOL_OF_BULK) -> None:
        self.messages, self.bulk = MessagePool(messages), BulkPool(bulk)
