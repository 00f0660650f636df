"""Attacks on one-time codes (SPEC §25.4 to §25.7)."""

from __future__ import annotations

import threading
import time

from peers import BadPeer, NoAttack, Report, Tool, nearby, temporary_folder
from multipeer_reference.verification import FEATURE
from multipeer_reference.words import WORDS

ROUNDS = 6


class Strangers:
    """Several that begin to type a code of this number, and then say nothing. One whose link ends comes again under another key."""

    def __init__(self, address: tuple[str, int], number: int, count: int) -> None:
        self.begun = 0
        self._over = False
        # A guess that nearly always is wrong. It is never confirmed.
        self._text = f"{number}-{WORDS[0]}-{WORDS[1]}".encode()
        self._threads = [
            threading.Thread(target=self._run, args=(address, f"127.0.0.{11 + place}"), daemon=True) for place in range(count)]
        for thread in self._threads:
            thread.start()

    def _run(self, address: tuple[str, int], source: str) -> None:
        while not self._over:
            try:
                peer = BadPeer.connecting(address, source, features=(FEATURE,))
            except OSError:
                time.sleep(0.05)
                continue
            if peer.run("is_identified"):
                peer.link.give_code(self._text, peer.link.core.now)
                peer.flush()
                self.begun += 1
                # It reads, to notice the end of its link, and answers nothing.
                while not self._over and not peer.is_over:
                    try:
                        peer.is_over = not peer.connection.recv(65_536)
                    except TimeoutError:
                        pass
                    except OSError:
                        break
            peer.close()

    def end(self) -> None:
        self._over = True


def code_begins(tool: str, report: Report) -> None:
    """Three strangers send CODE_BEGIN in turn, while the person who was told the code types it.

    Before: one attempt at a time was taken, so the person heard *no code is shown here* six times of six, and the presenter saw nothing.
    The person should get through each time, and the presenter should hear that others have begun and gone.
    """
    passed, slowest, begun = 0, 0.0, 0
    with temporary_folder() as folder:
        for turn in range(ROUNDS):
            presenter = Tool(
                tool, "receive", "--code", "--once", "--listen", "127.0.0.1:0", "--dir", folder, "--store", f"{folder}/p{turn}", *nearby())
            address, code = presenter.address(), presenter.event("code")
            if code is None:
                raise NoAttack("no code is shown")
            strangers = Strangers(address, int(code["code"].split("-")[0]), 3)
            until = time.monotonic() + 10
            while strangers.begun < 3 and time.monotonic() < until:
                time.sleep(0.05)
            typist = Tool(
                tool, "send", __file__, "--code", code["code"], "--within", "20", "--store", f"{folder}/t{turn}", *nearby())
            outcome = typist.wait(40)
            took = time.monotonic() - typist.started
            is_in = typist.process.poll() == 0
            passed += is_in
            slowest = max(slowest, took) if is_in else slowest
            begun += strangers.begun
            if not is_in:
                report.figure(f"round {turn + 1}: the typist {outcome}")
            strangers.end()
            typist.end()
            presenter.end()
        report.expect(
            passed == ROUNDS,
            f"the person with the code got through {passed} of {ROUNDS} times"
            + (f", after {slowest:.1f} s at most" if passed else "") + f"; the strangers began {begun} times")
        presenter = Tool(
            tool, "receive", "--code", "--once", "--listen", "127.0.0.1:0", "--dir", folder, "--store", f"{folder}/p0", *nearby())
        address, code = presenter.address(), presenter.event("code")
        strangers = Strangers(address, int(code["code"].split("-")[0]), 1)
        told = presenter.event("codeAbandoned", 15)
        report.expect(told is not None, f"the presenter hears of an attempt that was begun and abandoned: {told is not None}")
        strangers.end()
        presenter.end()
