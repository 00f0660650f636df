"""SPEC §25.3 to §25.5: what all links of a process share, without a link."""

import threading

import pytest

from multipeer_reference.codes import ATTEMPT, Codes, Comparisons
from multipeer_reference.errors import MisuseError
from multipeer_reference.onetimecode import OneTimeCode

from .helpers import seeded

HOUR = 3_600_000
CODE = OneTimeCode(4, ("tulip", "orbit"))


def codes() -> Codes:
    return Codes(seeded("codes"))


def test_numbers():
    """SPEC §25.4: a number that nobody else shows, if one is free, and another one each time."""
    shown = codes()
    assert shown.show(0, range(1, 999)).number == 999
    numbers = [shown.show(0).number for _ in range(300)]
    assert all(1 <= number <= 999 for number in numbers) and len(set(numbers)) > 200
    assert all(one != other for one, other in zip(numbers, numbers[1:]))
    only = [shown.show(0, range(3, 1000)).number for _ in range(20)]
    assert set(only) == {1, 2} and all(one != other for one, other in zip(only, only[1:]))
    crowded = [shown.show(0, range(1, 1000)).number for _ in range(20)]
    assert all(one != other for one, other in zip(crowded, crowded[1:]))


def test_both_words_are_new():
    """R25.4-2: of every code."""
    shown = codes()
    words = [shown.show(0).words for _ in range(100)]
    assert len(set(words)) == 100 and len({first for first, _ in words}) > 80 and len({second for _, second in words}) > 80


def test_attempts():
    """R25.6-6: on all links at once; R25.5-5: one guess for all of them; R25.6-8: a code that is not burned stays."""
    shown = codes()
    code = shown.show(0)
    other = code.number % 999 + 1
    assert shown.begin(other, 0) is None
    attempts = [shown.begin(code.number, 0) for _ in range(100)]
    assert all(attempts) and shown.shown(ATTEMPT) == code
    assert shown.guess(attempts[50])
    assert not any(shown.guess(attempt) for attempt in attempts)
    assert shown.shown(2) is None and shown.begin(code.number, 2) is None


def test_stale_attempts_burn_no_new_code():
    """SPEC §25.6."""
    shown = codes()
    attempt = shown.begin(shown.show(0).number, 0)
    newer = shown.show(1)
    assert shown.guess(attempt)
    assert shown.shown(1) == newer and shown.begin(newer.number, 1) is not None


def test_guesses():
    """SPEC §25.5: the sixth code in an hour that follows a wrong confirmation comes with a warning."""
    shown = codes()
    for turn in range(7):
        shown.show(turn)
        assert not shown.is_suspicious(turn) or turn == 6
        shown.was_wrong()
    assert shown.is_suspicious(6)
    assert shown.is_suspicious(HOUR) and not shown.is_suspicious(HOUR + 1)
    quiet = codes()
    for turn in range(20):
        quiet.show(turn)
        assert not quiet.is_suspicious(turn)


def test_typed_codes_are_forgotten():
    """SPEC §25.4: ten minutes later a code is forgotten, once the next one is given."""
    typed = codes()
    typed.give(CODE, 0)
    typed.burn_given(CODE, 0)
    typed.give(OneTimeCode(5, ("orbit", "tulip")), 600_000)
    assert not typed._burned


def test_a_code_is_shown_for_ten_minutes():
    """SPEC §25.4."""
    shown = codes()
    code = shown.show(0)
    assert shown.shown(599_999) == code and shown.begin(code.number, 599_999) is not None
    assert shown.shown(600_000) is None and shown.begin(code.number, 600_000) is None


def test_comparisons():
    """SPEC §25.3."""
    compared = Comparisons()
    begun = [compared.begin(now) for now in range(10)]
    with pytest.raises(MisuseError):
        compared.begin(10)
    compared.confirmed(begun[3])
    compared.confirmed(begun[3])
    compared.begin(11)
    with pytest.raises(MisuseError):
        compared.begin(HOUR - 1)
    compared.begin(HOUR)  # the first one is an hour old
    with pytest.raises(MisuseError):
        compared.begin(HOUR)


def test_one_of_many_threads_gets_the_guess():
    """R25.5-5: the live program has a thread for each link."""
    shown = codes()
    number, barrier, guesses = shown.show(0).number, threading.Barrier(8), []

    def race() -> None:
        attempt = shown.begin(number, 0)
        barrier.wait()
        guesses.append(shown.guess(attempt))

    threads = [threading.Thread(target=race) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(guesses) == [False] * 7 + [True]
