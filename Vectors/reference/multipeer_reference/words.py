"""The words of short strings and one-time codes (SPEC §25.2)."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parents[2] / "words-v1.txt"
WORDS = tuple(FILE.read_text().splitlines())
_KNOWN = frozenset(WORDS)


def is_word(text: str) -> bool:
    return text in _KNOWN
