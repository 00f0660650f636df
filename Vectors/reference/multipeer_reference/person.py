"""What a person does at the live program to verify a peer: shows or types a code, compares strings (SPEC §25)."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Callable

from . import events
from .config import InviteRequest, Verdict
from .errors import ErrorCode, MisuseError
from .link import Link
from .onetimecode import BadCode
from .reporting import complain
from .verification import FEATURE, Means


@dataclass(frozen=True)
class Wishes:
    """`confirms`: whether the strings are equal; None asks on standard input."""

    code: bytes | None = None
    asks_code: bool = False
    shows_code: bool = False
    compares: bool = False
    confirms: bool | None = None

    def __bool__(self) -> bool:
        """The feature is listed."""
        return self.has_code or self.shows_code or self.compares


    @property
    def has_code(self) -> bool:
        """Or will have one, before it invites."""
        return self.code is not None or self.asks_code


class Person:
    """Leads one link, as far as verification goes. An invitation waits for the code, of either peer."""

    def __init__(self, wishes: Wishes, link: Link, request: InviteRequest | None) -> None:
        self._wishes, self._link = wishes, link
        self._request = request
        self._verdict: int | None = None  # the question that waits for a confirmation
        self._typed = b""  # of a line that has not ended
        self._questions: list[tuple[str, Callable[[str, int], bool]]] = []
        self.is_verified = False
        self.found_difference = False

    def begin(self, now: int) -> None:
        """Without codes the invitation goes when it may."""
        if not self._wishes.has_code and not self._wishes.shows_code:
            self._invite(now)

    def _invite(self, now: int) -> None:
        if self._request is not None:
            self._link.invite(self._request, now)
        self._request = None

    @property
    def is_asked(self) -> bool:
        """On standard input."""
        return bool(self._questions)

    @property
    def has_compared(self) -> bool:
        """Or does not want to."""
        return self.is_verified or not self._wishes.compares

    def handle(self, event: events.Event, now: int) -> None:
        """Whatever is not possible any more ends the link: nobody is to be taken for verified."""
        try:
            match event:
                case events.Identified(features=features) if self._wishes:
                    self._meet(FEATURE in features, now)
                case events.StringReady(digits=digits, words=words):
                    self._compare(f"{digits[:3]} {digits[3:]}, {' '.join(words)}", now)
                case events.PeerVerified(means=means):
                    self._verified(means, now)
        except MisuseError as error:
            complain(str(error))
            self._link.close(now)

    def _meet(self, knows: bool, now: int) -> None:
        wishes = self._wishes
        if not knows:
            raise MisuseError("the peer knows no codes and no strings: it does not list the feature verification")
        if wishes.compares:
            self._link.compare(now)
        if wishes.code is not None:
            self._give(wishes.code, now)
        elif wishes.asks_code:
            self._ask("Which code does the peer show?", self._type)

    def _give(self, code: bytes, now: int) -> None:
        self._link.give_code(code, now)
        self._invite(now)  # after the attempt

    def _compare(self, string: str, now: int) -> None:
        if self._wishes.confirms is None:
            self._ask(f"Does the other screen show this? {string}. Type yes or no:", self._answer)
        else:
            self._say(self._wishes.confirms, now)

    # Questions

    def _ask(self, question: str, take: Callable[[str, int], bool]) -> None:
        """`take` says whether that was an answer."""
        self._questions.append((question, take))
        if len(self._questions) == 1:
            complain(question)

    def read(self, now: int) -> None:
        """Something was typed. Pressing Enter is no answer, and silence is no confirmation (SPEC §25.3)."""
        data = os.read(sys.stdin.fileno(), 4096)
        if not data:
            self._questions.clear()
        *lines, self._typed = (self._typed + data).split(b"\n")
        for line in lines:
            if self._questions:  # what is typed before a question answers nothing
                self._take(line.strip().decode(errors="replace"), now)

    def _take(self, line: str, now: int) -> None:
        try:
            if self._questions[0][1](line, now):
                self._questions.pop(0)
        except MisuseError as error:
            complain(str(error))
            self._questions.clear()
            self._link.close(now)
        if self._questions:
            complain(self._questions[0][0])

    def _type(self, line: str, now: int) -> bool:
        try:
            self._give(line.encode(), now)
        except BadCode as error:
            complain(str(error))
            return False
        return True

    def _answer(self, line: str, now: int) -> bool:
        if line in ("yes", "no"):
            self._say(line == "yes", now)
        return line in ("yes", "no")

    def _say(self, are_equal: bool, now: int) -> None:
        if are_equal:
            self._link.confirm_string(now)
        else:
            self.found_difference = True
            self._link.close(now, ErrorCode.STRINGS_DIFFER)

    def _verified(self, means: Means, now: int) -> None:
        self.is_verified = True
        if means is Means.CODE:
            self._invite(now)
        if self._verdict is not None:
            self._link.resolve(self._verdict, Verdict(ErrorCode.NO_ERROR), now)

    def judge(self, token: int, code: ErrorCode, now: int) -> None:
        """A verified key is accepted, whatever the validator says; a person who still compares is waited for."""
        if code is not ErrorCode.NO_ERROR and not self.has_compared:
            self._verdict = token
            return
        self._link.resolve(token, Verdict(ErrorCode.NO_ERROR if self.is_verified else code), now)
