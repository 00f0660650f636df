"""Attacks on one-time codes (SPEC §25.4 to §25.7)."""

from __future__ import annotations

import re
import socket
import threading
import time

from peers import BadPeer, NoAttack, Report, Tool, identities, nearby, pump, temporary_folder
from multipeer_reference.events import PeerVerified
from multipeer_reference.pairing import Stage
from multipeer_reference.verification import FEATURE
from multipeer_reference.words import WORDS

ROUNDS = 6


def guess(number: int) -> bytes:
    """A code of this number that nearly always is wrong."""
    return f"{number}-{WORDS[0]}-{WORDS[1]}".encode()


class Strangers:
    """Several that begin to type a code of this number, and then say nothing. One whose link ends comes again under another key."""

    def __init__(self, address: tuple[str, int], number: int, count: int) -> None:
        self.begun = 0
        self._over = False
        self._text = guess(number)
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


def begun(address: tuple[str, int], source: str, code: bytes) -> BadPeer:
    """A typist whose CODE_CONFIRM is ready, and has not gone."""
    peer = BadPeer.connecting(address, source, features=(FEATURE,))
    if not peer.run("is_identified"):
        raise NoAttack("a typist was not identified")
    peer.link.give_code(code, peer.link.core.now)
    peer.flush()
    until = time.monotonic() + 3
    while time.monotonic() < until and not peer.is_over and peer.link.pairing.stage is not Stage.CONFIRMED:
        peer.connection.settimeout(0.1)
        peer.turn()
    peer.connection.settimeout(10)
    return peer


def two_guesses(tool: str, report: Report) -> None:
    """Two links of an attacker have begun to try the code. One confirms a wrong guess, and then the other one the right code.

    There should be one guess over all links: the second one should not be verified, and the code be used up (R25.5-5).
    """
    with temporary_folder() as folder:
        presenter = Tool(tool, "receive", "--code", "--listen", "127.0.0.1:0", "--dir", folder, "--store", f"{folder}/p", *nearby())
        address, code = presenter.address(), presenter.event("code")
        if code is None:
            raise NoAttack("no code is shown")
        right = code["code"].encode()
        peers = [begun(address, "127.0.0.11", guess(int(code["code"].split("-")[0]))), begun(address, "127.0.0.12", right)]
        report.figure(f"attempts that are ready to confirm: {sum(peer.link.pairing.stage is Stage.CONFIRMED for peer in peers)} of 2")
        peers[0].flush()
        ended = presenter.event("codeEnded", 5)
        peers[1].flush()
        pump([peers[1]], lambda: peers[1].is_over or peers[1].link.is_closed or bool(peers[1].of(PeerVerified)), 5)
        verified = bool(peers[1].of(PeerVerified))
        report.expect(
            ended is not None and not verified,
            f"after the wrong guess the code has ended: {ended and ended['outcome']}; the right one afterwards is verified: {verified}")
        for peer in peers:
            peer.close()
        presenter.end()


def borrowed_name(tool: str, report: Report) -> None:
    """A stranger that calls itself Anna types a wrong code.

    Before: people read *Anna has typed a wrong code*, and took it for Anna, whose key was known. The line should say that it is new, and
    show digits of its key.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "Anna", "Ben")
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = server.getsockname()[:2]
        place = f"{address[0]}:{address[1]}"
        command = ("receive", "--listen", place, "--dir", folder, *stores["Ben"], *nearby())
        first = Tool(tool, *command, "--accept", "all")
        first.address()
        met = Tool(tool, "connect", place, "--trust-on-first-use", "--file", __file__, *stores["Anna"])
        report.figure(f"Ben has met Anna: {met.wait(20)}")
        first.end()
        presenter = Tool(tool, *command, "--code", as_json=False)
        code = re.compile(r"\b([1-9][0-9]{0,2})-[a-z]+-[a-z]+\b")
        if not presenter.waits_for(lambda: any(code.search(line) for line in presenter.lines), 20):
            raise NoAttack("no code is shown")
        number = next(code.search(line)[1] for line in presenter.lines if code.search(line))
        stranger = BadPeer.connecting(address, "127.0.0.9", name="Anna", features=(FEATURE,))
        stranger.run("is_identified")
        stranger.link.give_code(guess(int(number)), stranger.link.core.now)
        pump([stranger], lambda: stranger.is_over or stranger.link.is_closed, 10)
        presenter.waits_for(lambda: any("wrong code" in line for line in presenter.lines), 10)
        said = [line.strip() for line in presenter.lines if "wrong code" in line]
        digits = stranger.key.public.hex()[:8]
        report.expect(bool(said) and "new" in said[0] and digits in said[0], f"people read: {said[0] if said else 'nothing'}")
        stranger.close()
        presenter.end()
