"""What all links of a process share of SPEC §25: the code that is shown, those that were typed, and comparisons."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Callable, Collection

from .errors import MisuseError
from .onetimecode import OneTimeCode
from .verification import NUMBERS

#: How long a code lives, shown or burned (SPEC §25.4, [R25.5-6]).
LIFETIME = 600_000
#: How long one attempt may take ([R25.6-8]).
ATTEMPT = 10_000
HOUR = 3_600_000
#: After as many codes that followed a wrong confirmation, all in an hour, somebody may be guessing (SPEC §25.5).
UNSUSPICIOUS = 5
#: How many comparisons an hour may have, those with a confirmation not counted (SPEC §25.3).
COMPARISONS = 10


@dataclass(eq=False)
class Shown:
    """A code, and the one guess that it is good for ([R25.5-5])."""

    code: OneTimeCode
    until: int
    is_burned: bool = False


@dataclass(frozen=True, eq=False)
class Attempt:
    """Of a peer that types the code that is shown. It continues when another code is shown meanwhile."""

    shown: Shown
    until: int

    @property
    def code(self) -> OneTimeCode:
        return self.shown.code


class Codes:
    """Times are those of the links. The live program has a thread for each link, and so this has a lock."""

    def __init__(self, random: Callable[[int], bytes] = os.urandom) -> None:
        self._random = random
        self._lock = threading.Lock()
        self._shown: Shown | None = None
        self._last_number = 0
        self._was_guessed = False  # the last code that was shown
        self._shown_after_guesses: list[int] = []
        self._typing: set[OneTimeCode] = set()
        self._burned: dict[OneTimeCode, int] = {}

    # The presenter

    def show(self, now: int, avoided: Collection[int] = ()) -> OneTimeCode:
        """A new code in place of the last one. Its number is not one of `avoided`, which others show, where it can be."""
        with self._lock:
            others = [number for number in NUMBERS if number != self._last_number]
            numbers = [number for number in others if number not in avoided] or others
            number = numbers[int.from_bytes(self._random(8), "big") % len(numbers)]
            return self._present(OneTimeCode.draw(number, self._random), now)

    def present(self, code: OneTimeCode, now: int) -> None:
        """Shows a code that was drawn."""
        with self._lock:
            self._present(code, now)

    def _present(self, code: OneTimeCode, now: int) -> OneTimeCode:
        self._shown, self._last_number = Shown(code, now + LIFETIME), code.number
        if self._was_guessed:
            self._shown_after_guesses.append(now)
            self._was_guessed = False
        return code

    def hide(self) -> None:
        """Attempts that are under way continue."""
        with self._lock:
            self._shown = None

    def shown(self, now: int) -> OneTimeCode | None:
        """None if no code is shown, or the last one is burned, or too old."""
        with self._lock:
            shown = self._shown_at(now)
            return shown.code if shown else None

    def _shown_at(self, now: int) -> Shown | None:
        if self._shown is not None and (self._shown.is_burned or now >= self._shown.until):
            self._shown = None
        return self._shown

    def is_suspicious(self, now: int) -> bool:
        """A peer that shows a further code warns its person that somebody may be guessing (SPEC §25.5)."""
        with self._lock:
            self._shown_after_guesses = [time for time in self._shown_after_guesses if now - time < HOUR]
            return len(self._shown_after_guesses) > UNSUSPICIOUS

    def begin(self, number: int, now: int) -> Attempt | None:
        """None if CODE_BEGIN has to be answered with `code_unavailable` ([R25.6-6])."""
        with self._lock:
            shown = self._shown_at(now)
            if shown is None or shown.code.number != number:
                return None
            return Attempt(shown, now + ATTEMPT)

    def guess(self, attempt: Attempt) -> bool:
        """CODE_CONFIRM has come, right or wrong. False if another link had the guess, so that nothing is compared ([R25.5-5])."""
        with self._lock:
            is_first = not attempt.shown.is_burned
            attempt.shown.is_burned = True
            return is_first

    def was_wrong(self) -> None:
        with self._lock:
            self._was_guessed = True

    # The typist

    def give(self, code: OneTimeCode, now: int) -> None:
        """Refuses what was burned ([R25.5-6]), and what another link tries: that would be a second guess."""
        with self._lock:
            self._burned = {burned: until for burned, until in self._burned.items() if now < until}
            if code in self._burned:
                raise MisuseError("this code has been used, and needs another one at the side that shows it")
            if code in self._typing:
                raise MisuseError("this code is being tried on another link")
            self._typing.add(code)

    def burn_given(self, code: OneTimeCode, now: int) -> None:
        """CODE_CONFIRM is about to go ([R25.5-6])."""
        with self._lock:
            self._typing.discard(code)
            self._burned[code] = now + LIFETIME

    def return_given(self, code: OneTimeCode) -> None:
        """The attempt was void, or ended before CODE_ANSWER ([R25.6-8])."""
        with self._lock:
            self._typing.discard(code)


@dataclass(frozen=True, eq=False)
class Comparison:
    """One that a person wants."""

    began: int


class Comparisons:
    """Too many without a confirmation could be tries of an attacker (SPEC §25.3, §25.8)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unconfirmed: list[Comparison] = []

    def begin(self, now: int) -> Comparison:
        with self._lock:
            self._unconfirmed = [one for one in self._unconfirmed if now - one.began < HOUR]
            if len(self._unconfirmed) >= COMPARISONS:
                raise MisuseError("too many comparisons in an hour ended without a confirmation")
            self._unconfirmed.append(Comparison(now))
            return self._unconfirmed[-1]

    def confirmed(self, comparison: Comparison) -> None:
        with self._lock:
            self._unconfirmed = [one for one in self._unconfirmed if one is not comparison]
