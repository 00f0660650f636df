"""Whether a path leads to its port: asking, answering, proving, holding and resting (SPEC §26.5)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Callable

from ..proofs import Role
from .bounds import SECOND, PerSecond
from .packets import NOTHING

#: How long an answer counts after its challenge went, and how many challenges it may name ([R26.5-4]).
ANSWERABLE, CHALLENGES = 3 * SECOND, 4
#: How long a path holds after the last challenge that was answered went, and how long it is wanted.
HOLDS, WANTED = 45 * SECOND, 300 * SECOND
#: When a peer asks where the path does not hold, and how soon again where it holds.
SERIES, AGAIN = (0, SECOND // 4, SECOND // 2, SECOND, 2 * SECOND, 15 * SECOND), 15 * SECOND
FIRST_REST, LONGEST_REST = 60 * SECOND, 3_600 * SECOND
#: After so many timers without a report the port is not proved any more, and the path rests ([R26.7-4]).
UNPROVED_AFTER, RESTS_AFTER = 3, 6
ANSWERS_PER_SECOND = 8


@dataclass(frozen=True)
class Challenge:
    value: bytes
    port: int
    went: int


class Probing:
    """`port` is that of the path: a responder has none before it was asked from one. `draw` gives 8 random bytes
    ([R26.5-2]), and `factor` what a time is multiplied by. `forget_fires` is called where the timer counts anew."""

    def __init__(
        self, role: Role, port: int | None, draw: Callable[[], bytes], factor: Callable[[], float],
        forget_fires: Callable[[], None], now: int,
    ) -> None:
        self._is_initiator = role is Role.INITIATOR
        self.port, self.is_proved = port, False
        self._draw, self._factor, self._forget_fires = draw, factor, forget_fires
        self._proved: int | None = None  # the port that was proved last
        self._asked: tuple[int, int] | None = None  # counter and port of the newest probe that asked
        self._wanted_until = now + WANTED
        self._challenges: deque[Challenge] = deque(maxlen=CHALLENGES)
        self._answered = 0  # when the last challenge that was answered went
        self._again = now  # when the next one goes, where the path holds
        self._series: list[int] | None = None  # the times at which a peer still asks
        self._gives_up = 0  # after the last of them
        self._rests_until: int | None = None
        self._last_rest: tuple[int, int] | None = None  # its length and its end, if no report has come since
        self._answers = PerSecond(ANSWERS_PER_SECOND)

    @property
    def rests(self) -> bool:
        return self._rests_until is not None

    def holds(self, now: int) -> bool:
        return self.is_proved and not self.rests and now - self._answered < HOLDS

    def want(self, now: int) -> None:
        """A message went or came."""
        self._wanted_until = now + WANTED

    # Challenges

    def _challenge(self, port: int, now: int) -> bytes:
        value = NOTHING
        while value == NOTHING:
            value = self._draw()
        self._challenges.append(Challenge(value, port, now))
        self._again = now + self._vary(AGAIN)
        return value

    def _vary(self, time: int) -> int:
        return int(time * self._factor())

    def asks(self, now: int) -> bytes | None:
        """The challenge that goes now to the path's port; None if none is due."""
        if not self._may_ask(now):
            self._series = None if self._series else self._series  # one that has gone to its end still gives up
            return None
        assert self.port is not None
        if self.holds(now):
            return self._challenge(self.port, now) if now >= self._again else None
        if self._series is None:
            self._series = self._times(now)
        if not self._series or now < self._series[0]:
            return None
        self._series = [time for time in self._series if time > now]
        self._gives_up = now + ANSWERABLE
        return self._challenge(self.port, now)

    def _may_ask(self, now: int) -> bool:
        return now < self._wanted_until and not self.rests and self.port is not None

    def is_elsewhere(self, port: int) -> bool:
        """Whether an initiator drops what comes from this port: it has one alone ([R26.4-1])."""
        return self._is_initiator and port != self.port

    # The port

    def _asked_from(self, port: int, counter: int, now: int) -> None:
        """A probe asks, with this counter, and is answered. It is remembered also while a port is proved."""
        if self._asked is None or counter > self._asked[0]:
            self._asked = counter, port
        if not self.is_proved:
            self._move(self._asked[1], now)

    def _unprove(self, now: int) -> None:
        """As long as none is proved, the port is that from which the newest probe came that asked."""
        self.is_proved = False
        if self._asked is not None:
            self._move(self._asked[1], now)

    def _move(self, port: int, now: int) -> None:
        """Where the port becomes another one a rest ends, the timer has not fired, and asking begins anew."""
        if port == self.port:
            return
        self.port, self._series = port, None
        if self.rests:
            self._rests_until = None
            self._last_rest = self._last_rest and (self._last_rest[0], now)
        self._forget_fires()

    def timer_fired(self, times: int, now: int) -> None:
        """So many times since a report ([R26.7-4]). The peer asks while the path holds."""
        if self.holds(now):
            self._again = now
        if times >= RESTS_AFTER:
            self.rest(now)
            self._forget_fires()
        elif times >= UNPROVED_AFTER:
            self._unprove(now)

    # Answers

    def answer(self, port: int, counter: int, now: int, has_answered: bool) -> bytes | None:
        """The challenge, or zeros, of a probe that answers one from this port; None if it is not answered ([R26.5-3])."""
        if not self._answers.take(now):
            return None
        self._asked_from(port, counter, now)
        if has_answered or port == self.port and (self.holds(now) or self.rests):
            return NOTHING
        if port == self.port and self._series is None:
            self._series = self._times(now)[1:]
            self._gives_up = now + ANSWERABLE
        return self._challenge(port, now)

    def _times(self, now: int) -> list[int]:
        return [now + (self._vary(time) if time else 0) for time in SERIES]

    def answered(self, value: bytes, port: int, now: int) -> tuple[int, bool] | None:
        """If it proves a port that was not proved ([R26.5-4]): its round trip, and whether another one was."""
        for challenge in self._challenges:
            if challenge.value == value and challenge.port == port and now - challenge.went <= ANSWERABLE:
                is_new = not self.is_proved or port != self.port
                self._move(port, now)
                self.is_proved, self._series = True, None
                self._answered = challenge.went if is_new else max(self._answered, challenge.went)
                is_another, self._proved = self._proved not in (None, port), port
                return (now - challenge.went, is_another) if is_new else None
        return None

    # Rests

    def rest(self, now: int) -> None:
        """One that follows soon, with no report in between, is twice as long as the last, up to an hour."""
        length = FIRST_REST
        if self._last_rest is not None and now - self._last_rest[1] < WANTED:
            length = min(2 * self._last_rest[0], LONGEST_REST)
        self._rests_until = now + length
        self._last_rest = length, self._rests_until
        self._series = None

    def report_came(self) -> None:
        self._last_rest = None

    def expire(self, now: int) -> None:
        if self._rests_until is not None and now >= self._rests_until:
            self._rests_until = None
            self._unprove(now)
        elif self._series == [] and now >= self._gives_up:
            self.rest(now)

    def deadline(self, now: int) -> int | None:
        if self._rests_until is not None:
            return self._rests_until
        if self._series == []:
            return self._gives_up
        if not self._may_ask(now):
            return None
        if self.holds(now):
            due = min(self._again, self._answered + HOLDS)
        else:
            due = self._series[0] if self._series else now
        return due if due < self._wanted_until else None
