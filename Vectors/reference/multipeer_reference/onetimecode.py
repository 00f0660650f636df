"""The one-time code that a person types (SPEC §25.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable

from .words import WORDS, is_word

MAXIMUM_TEXT = 64
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")


class BadCode(ValueError):
    """Text without a normal form; nothing is sent."""


@dataclass(frozen=True)
class OneTimeCode:
    number: int
    words: tuple[str, str]

    @staticmethod
    def draw(number: int, random: Callable[[int], bytes]) -> "OneTimeCode":
        """[R25.4-2]. 2^16 is a multiple of the number of words."""
        first, second = (WORDS[int.from_bytes(random(2), "big") % len(WORDS)] for _ in range(2))
        return OneTimeCode(number, (first, second))

    @staticmethod
    def typed(text: bytes) -> "OneTimeCode":
        """[R25.4-1]."""
        if len(text) > MAXIMUM_TEXT:
            raise BadCode("too long")
        # Bytes above ASCII stand for letters that no word has.
        parts = [part for part in re.split("[ \t\n\r_-]+", text.decode("latin-1")) if part]
        if len(parts) != 3:
            raise BadCode("not a number and two words")
        number, *words = (re.sub("[A-Z]", lambda letter: letter[0].lower(), part) for part in parts)
        if not _NUMBER.fullmatch(number) or not all(map(is_word, words)):
            raise BadCode("not a number and two words")
        return OneTimeCode(int(number), (words[0], words[1]))

    @property
    def normal_form(self) -> str:
        return "-".join((str(self.number), *self.words))
