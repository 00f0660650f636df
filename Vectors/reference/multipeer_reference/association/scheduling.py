"""What is sent next: messages and bulk by deficit round robin (SPEC §15.2)."""

from __future__ import annotations

from typing import Sequence

QUANTUM = 16_384
_MESSAGES_TO_BULK = 4


class Scheduler:
    """Four bytes of messages for one of bulk where both wait; within bulk the same for each number."""

    def __init__(self) -> None:
        self._messages = self._bulk = 0
        self._turns: list[int] = []
        self._left = 0  # of the turn of the first number

    def chooses_messages(self, messages_wait: bool, bulk_waits: bool) -> bool:
        if not (messages_wait and bulk_waits):
            self._messages = self._bulk = 0
            return messages_wait
        if self._messages <= 0 and self._bulk <= 0:
            self._messages += _MESSAGES_TO_BULK * QUANTUM
            self._bulk += QUANTUM
        return self._messages > 0

    def sent_message(self, length: int) -> None:
        self._messages -= length

    def number(self, ready: Sequence[int]) -> int:
        """The number whose turn it is, of those that have something to send."""
        self._turns = [number for number in self._turns if number in ready]
        self._turns += [number for number in ready if number not in self._turns]
        if self._left <= 0 or not self._turns:
            self._turns.append(self._turns.pop(0))
            self._left = QUANTUM
        return self._turns[0]

    def sent_bulk(self, length: int) -> None:
        self._bulk -= length
        self._left -= length
