"""What an app of scripts does about SPEC §25, and what happens on its other links."""

from __future__ import annotations

from ..codes import Attempt
from ..errors import MisuseError
from ..link import Link
from ..onetimecode import BadCode, OneTimeCode

CODE_ACTS = ("showCode", "hideCode", "giveCode", "compareStrings", "otherLink")


class CodeActs:
    """One app has this link and another one, which is there by what it does with the codes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._book = link.core.config.codes
        self._attempt: Attempt | None = None  # on the other link, of somebody who types there
        self._given: OneTimeCode | None = None  # typed by the local peer's person there

    def act(self, step: dict, now: int) -> None:
        match step["do"]:
            case "showCode":
                self._book.present(_code(step), now)
            case "hideCode":
                self._book.hide()
            case "giveCode":
                try:
                    self._link.give_code(step["code"].encode(), now)
                except BadCode:
                    pass  # nothing is sent ([R25.4-1])
            case "compareStrings":
                self._link.compare(now)
            case "otherLink":
                self._other(step, now)

    def _other(self, step: dict, now: int) -> None:
        if self._attempt is not None and now >= self._attempt.until:
            self._end()
        match step["happens"]:
            case "begins":
                shown = self._book.shown(now)
                begun = self._book.begin(shown.number, now) if shown else None
                self._attempt = self._attempt or begun
            case "confirms" if self._attempt is not None:
                self._book.guess(self._attempt)
            case "ends":
                self._end()
            case "gives":
                self._give(_code(step), now)
            case "burns" if self._given is not None:
                self._book.burn_given(self._given, now)
                self._given = None

    def _end(self) -> None:
        self._attempt = None

    def _give(self, code: OneTimeCode, now: int) -> None:
        try:
            self._book.give(code, now)
        except MisuseError:
            return
        if self._given is not None:
            self._book.return_given(self._given)
        self._given = code


def _code(step: dict) -> OneTimeCode:
    return OneTimeCode.typed(step["code"].encode())
