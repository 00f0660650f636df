"""How many messages a sender has in flight, and when it takes them for lost (SPEC §26.7). Times are microseconds."""

from __future__ import annotations

from collections import deque

from .bounds import SECOND
from .packets import LONGEST_DELAY, Report

FIRST_WINDOW, LEAST_WINDOW, GREATEST_WINDOW = 10, 2, 256
#: After so long without a message the window is no greater than at first.
IDLE = SECOND
SHORTEST_TIMER, LONGEST_TIMER = SECOND // 2, 4 * SECOND
LEAST_ROUND_TRIP = 1_000
#: A message in so long a time, and in a round trip, always goes.
PAUSE = 10_000


class Rate:
    def __init__(self) -> None:
        self.window = FIRST_WINDOW
        self.round_trip: int | None = None  # before a port was proved
        self._flying: deque[tuple[int, int]] = deque()  # counters of messages, and when they went
        self._last: Report | None = None  # that was taken
        self._reported_at = self._messaged_at = 0
        self._changed_at: int | None = None  # the window, by a report
        self._was_full = False  # since the window has changed
        self._greatest_loss = 0
        self.fires = 0  # how many times the timer has fired since a report

    @property
    def in_flight(self) -> int:
        return len(self._flying)

    def begin(self, round_trip: int, is_another: bool) -> None:
        """A port was proved where another one was, or none ([R26.5-4])."""
        self.round_trip = max(round_trip, LEAST_ROUND_TRIP)
        if is_another:
            self._flying.clear()
            self._set_window(FIRST_WINDOW)
            self._changed_at = None

    def _set_window(self, window: int) -> None:
        self.window = window
        self._was_full = self.in_flight >= window

    # What is sent

    def has_room(self, now: int) -> bool:
        """[R26.7-3]."""
        self._calm(now)
        return self.in_flight < self.window or now - self._messaged_at >= max(self.round_trip or 0, PAUSE)

    def _calm(self, now: int) -> None:
        if now - self._messaged_at >= IDLE and self.window > FIRST_WINDOW:
            self._set_window(FIRST_WINDOW)

    def sent(self, counter: int, now: int, is_message: bool) -> None:
        if is_message:
            self._flying.append((counter, now))
            self._messaged_at = now
            self._was_full |= self.in_flight >= self.window

    # Reports of the peer

    def take(self, report: Report, next_counter: int, now: int) -> bool:
        """False for one that is ignored ([R26.7-2])."""
        last = self._last or Report(-1, 0, 0)
        if not last.greatest < report.greatest < next_counter:
            return False
        if not max(1, last.received) <= report.received <= report.greatest + 1:
            return False
        self._calm(now)
        self._last, self._reported_at, self.fires = report, now, 0
        self._measure(report, now)
        while self._flying and self._flying[0][0] <= report.greatest:
            self._flying.popleft()
        self._adapt(report.greatest + 1 - report.received, now)
        return True

    def _measure(self, report: Report, now: int) -> None:
        """The round trip."""
        went = next((went for counter, went in self._flying if counter == report.greatest), None)
        if self.round_trip is not None and went is not None and report.delay != LONGEST_DELAY:
            measured = max(0, now - went - report.delay)
            self.round_trip = max(LEAST_ROUND_TRIP, (7 * self.round_trip + measured) // 8)

    def _adapt(self, loss: int, now: int) -> None:
        """The window ([R26.7-3])."""
        is_more, self._greatest_loss = loss > self._greatest_loss, max(loss, self._greatest_loss)
        if self._changed_at is not None and now - self._changed_at < (self.round_trip or 0):
            return
        if is_more:
            self._set_window(max(LEAST_WINDOW, self.window // 2))
        elif self._was_full and self.window < GREATEST_WINDOW:
            self._set_window(self.window + 1)
        else:
            return
        self._changed_at = now

    # The timer

    @property
    def deadline(self) -> int | None:
        """[R26.7-4]."""
        if not self._flying or self.round_trip is None:
            return None
        lasts = min(max(3 * self.round_trip, SHORTEST_TIMER) << self.fires, LONGEST_TIMER)
        return max(self._flying[0][1], self._reported_at) + lasts

    def expire(self, now: int) -> bool:
        """Whether the timer fires."""
        if self.deadline is None or now < self.deadline:
            return False
        self._flying.clear()
        self._set_window(LEAST_WINDOW)
        self.fires += 1
        return True

    def forget_fires(self) -> None:
        """The path's port has become another one (SPEC §26.5)."""
        self.fires = 0
