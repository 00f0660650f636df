"""Attacks on the places that a listener has for strangers, on its output, and on what it waits for."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

from peers import BadPeer, NoAttack, Report, Tool, guest, identities, nearby, now, pump, temporary_folder
from multipeer_reference import events
from multipeer_reference.proofs import Role


def receive(tool: str, folder: str, store: tuple[str, ...], *arguments: str) -> Tool:
    return Tool(tool, "receive", "--listen", "127.0.0.1:0", "--accept", "all", "--dir", folder, *arguments, *store, *nearby())


def sends(tool: str, address: tuple[str, int], store: tuple[str, ...], limit: float) -> tuple[bool, str]:
    """Whether an honest peer can send a file to a receiver, and what was seen."""
    sender = Tool(tool, "connect", f"{address[0]}:{address[1]}", "--trust-on-first-use", "--file", __file__, *store)
    outcome = sender.wait(limit)
    is_done = sender.process.poll() == 0
    sender.end()
    return is_done, outcome


def once_places(tool: str, report: Report) -> None:
    """Three strangers open links to `receive --once` and offer nothing; then an honest sender comes.

    Before: senders were served one after the other, 60 s each, so the honest one waited for minutes. All should be served until one of
    them has offered something.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        receiver = receive(tool, folder, stores["ben"], "--once")
        address = receiver.address()
        strangers = [BadPeer.connecting(address, f"127.0.0.{2 + number}", name=f"stranger {number}", invites=True) for number in range(3)]
        pump(strangers, lambda: all(peer.is_open or peer.is_over for peer in strangers), 5)
        report.figure(f"{sum(peer.is_open for peer in strangers)} of 3 strangers are being served")
        done, outcome = sends(tool, address, stores["anna"], 45)
        report.expect(done, f"the honest sender {outcome}")
        for peer in strangers:
            peer.close()
        receiver.end()


def dead_senders(tool: str, report: Report) -> None:
    """Twelve senders from three addresses invite `receive`, and are cut while certificates are exchanged; then an honest newcomer comes.

    Before: they held the twelve places of new senders for a minute. A place should come back when its link ends.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        receiver = receive(tool, folder, stores["ben"])
        address = receiver.address()
        senders = [
            BadPeer.connecting(address, f"127.0.2.{1 + number // 4}", name=f"stranger {number}", invites=True, withholds=True)
            for number in range(12)]
        pump(senders, lambda: all(peer.is_asked or peer.is_over for peer in senders), 15)
        report.figure(f"{sum(peer.is_asked for peer in senders)} of 12 have come to the certificates, and are cut")
        for peer in senders:
            peer.close()
        time.sleep(1)
        done, outcome = sends(tool, address, stores["anna"], 30)
        report.expect(done, f"an honest newcomer {outcome}")
        receiver.end()


def fifth_join(tool: str, report: Report) -> None:
    """A known peer joins a chat six times within a minute: of `--accept all`, where nobody is asked, and of a person who accepts each time.

    Before: the fifth join was ignored in silence for 60 s. Where nobody is asked there should be no limit, and elsewhere a decline at once.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        for accept in ("all", "ask"):
            chat = Tool(
                tool, "chat", "--listen", "127.0.0.1:0", "--accept", accept, "--trust-on-first-use", *stores["ben"], typed=True)
            address = chat.address()
            over = threading.Event()
            if accept == "ask":
                threading.Thread(target=consent, args=(chat, over), daemon=True).start()
            said, slowest, joins = "", 0.0, 0
            for number in range(6):
                begin = time.monotonic()
                came = guest(tool, address, "chat", "--trust-on-first-use", *stores["anna"], timeout=40)
                took = came.seconds if came.seconds is not None else time.monotonic() - begin
                slowest, joins = max(slowest, took), joins + (came.seconds is not None)
                if came.seconds is None:
                    said = f"; join {number + 1} {came} after {took:.1f} s"
                    break
            over.set()
            holds = slowest < 15 and (joins == 6 or accept == "ask" and joins >= 4)
            report.expect(holds, f"--accept {accept}: {joins} joins, the slowest after {slowest:.1f} s{said}")
            chat.end()


def consent(chat: Tool, over: threading.Event) -> None:
    """The person at a chat who accepts whatever is asked."""
    answered = 0
    while not over.is_set():
        chat.waits_for(lambda: len(chat.all("invited")) > answered, 1)
        for event in chat.all("invited")[answered:]:
            answered += 1
            try:
                chat.type(f"/accept {event['name']}\n")
            except OSError:
                return


def asked_places(tool: str, report: Report) -> None:
    """Strangers from four addresses fill all questions of a listener that asks a person; then a remembered peer invites it.

    Before: no place was kept, and the remembered peer was turned away. It should be asked about.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        command = ("chat", "--listen", "127.0.0.1:0", "--accept", "ask", "--trust-on-first-use", *stores["ben"])
        chat = Tool(tool, *command, typed=True)
        over = threading.Event()
        threading.Thread(target=consent, args=(chat, over), daemon=True).start()
        report.figure(f"the friend, at first: {guest(tool, chat.address(), 'chat', '--trust-on-first-use', *stores['anna'], timeout=20)}")
        over.set()
        chat.end()
        chat = Tool(tool, *command, typed=True)
        address = chat.address()
        strangers = [
            BadPeer.connecting(address, f"127.0.3.{1 + number // 4}", name=f"stranger {number}", invites=True) for number in range(40)]
        pump(strangers, lambda: False, 5)
        waiting = sum(not peer.is_over for peer in strangers)
        report.figure(f"40 strangers of 10 addresses, of whom {waiting} wait; asked about: {len(chat.all('invited'))}")
        friend = Tool(tool, "chat", f"{address[0]}:{address[1]}", "--trust-on-first-use", "--stay", *stores["anna"])
        stop = time.monotonic() + 15
        asked = None
        while time.monotonic() < stop and asked is None:
            pump(strangers, lambda: False, 0.2)
            asked = chat.event("invited", 0, name="anna")
            if friend.process.poll() is not None:
                break
        took = time.monotonic() - friend.started
        report.expect(
            asked is not None,
            f"the friend is asked about after {took:.1f} s" if asked else f"the friend is not asked about within 15 s: {friend.wait(1)}")
        for peer in strangers:
            peer.close()
        friend.end()
        chat.end()


def trickled_credit(tool: str, report: Report) -> None:
    """A receiver allows one byte of a message a second, and then one of a file; the sender has `--stall-timeout 5`.

    Before: each byte counted as progress, and the sender waited for ever; after a later credit the patience was up to twice as long. It
    should end within 20 s.
    """
    with temporary_folder() as folder:
        store = identities(tool, folder, "anna")["anna"]
        path = Path(folder) / "file"
        path.write_bytes(os.urandom(4_000_000))
        trickled(tool, report, "a message", ("--message", "-", "--stay", *store), b"x" * 1_000_000)
        trickled(tool, report, "a file", ("--file", str(path), *store))
        late_stall(tool, report, "a message", ("--message", "-", "--stay", *store), b"x" * 1_000_000)
        late_stall(tool, report, "a file", ("--file", str(path), *store))


def listened_to(tool: str, *arguments: str, typed: bytes = b"") -> tuple[Tool, BadPeer]:
    """A sender that calls an attacker, who leaves the first credit for messages as it is. The session is open."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = Tool(tool, "connect", f"127.0.0.1:{server.getsockname()[1]}", "--accept-unverified", *arguments, typed=True)
        try:
            sender.process.stdin.write(typed)
            sender.process.stdin.close()
        except OSError:
            pass
        server.settimeout(20)
        peer = BadPeer(server.accept()[0], Role.RESPONDER, grants=False)
    if not peer.run("is_open", 20):
        raise NoAttack("no session opened")
    return sender, peer


def accepted(peer: BadPeer):
    """The file that is offered, accepted with one byte of credit, and no more than is given by hand."""
    association = peer.link.association(now())
    pump([peer], lambda: bool(peer.of(events.FileOffered)), 10)
    file = association.file(peer.of(events.FileOffered)[0].id)
    association.received_files.accept(file, credit=1, looks=True)
    return file


def late_stall(tool: str, report: Report, what: str, arguments: tuple[str, ...], typed: bytes = b"") -> None:
    """Credit comes once, a second after the first, and no more: the patience counts from there, and not from a later look."""
    sender, peer = listened_to(tool, "--stall-timeout", "8", *arguments, typed=typed)
    credit = peer.link.association(now()).incoming.credit if typed else accepted(peer).credit
    pump([peer], lambda: False, 1)
    credit.grant(credit.limit + 100_000)
    begin = time.monotonic()
    pump([peer], lambda: sender.process.poll() is not None, 25)
    sender.wait(3)
    took = time.monotonic() - begin
    report.expect(
        sender.process.poll() is not None and 7 < took < 12,
        f"with --stall-timeout 8, {what} ends {took:.1f} s after the last credit: {sender.wait(0.1)}")
    peer.close()
    sender.end()


def trickled(tool: str, report: Report, what: str, arguments: tuple[str, ...], typed: bytes = b"") -> None:
    sender, peer = listened_to(tool, "--stall-timeout", "5", *arguments, typed=typed)
    credit = peer.link.association(now()).incoming.credit if typed else accepted(peer).credit
    begin, given = time.monotonic(), 0
    while time.monotonic() - begin < 40 and sender.process.poll() is None:
        if not pump([peer], lambda: sender.process.poll() is not None, 1) and not peer.is_over:
            given += 1
            credit.grant(credit.limit + 1)
        elif peer.is_over:
            time.sleep(0.1)
    took = time.monotonic() - begin
    alive = sender.process.poll() is None
    report.expect(
        not alive and took < 20 and given > 2,
        f"{what}: after {given} bytes of credit in {took:.0f} s the sender " + ("still waits" if alive else sender.wait(1)))
    peer.close()
    sender.end()


def stranger_lines(tool: str, report: Report) -> None:
    """Hundreds of strangers make links that are identified, and go: how much a listener prints for people.

    Before: 2,400 strangers printed 1.1 MB of lines, 450 bytes each. They should be counted, and not printed.
    """
    with temporary_folder() as folder:
        store = identities(tool, folder, "ben")["ben"]
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        listener = Tool(
            tool, "listen", "--port", str(port), "--accept", "all", "--accept-unverified", *store, as_json=False)
        listener.waits_for(lambda: listener.printed > 0, 20)
        time.sleep(1)
        before, begin, count = listener.printed, time.monotonic(), 0
        while count < 1_200 and time.monotonic() - begin < 60:
            peers = [BadPeer.connecting(("127.0.0.1", port), f"127.0.4.{1 + (count + number) % 200}") for number in range(8)]
            pump(peers, lambda: all(peer.is_identified or peer.is_over for peer in peers), 10)
            count += sum(peer.is_identified for peer in peers)
            for peer in peers:
                peer.close()
        time.sleep(3)
        printed = listener.printed - before
        report.expect(
            count > 100 and printed < 60 * count, f"{count} strangers, {printed / 1e3:.0f} kB printed, {printed / max(1, count):.0f} bytes for each")
        listener.end()


class Relay:
    """Takes a connection, and continues with it to its goal once that was named: so that two can meet in one moment."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self._target: tuple[str, int] | None = None
        self._known = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def leads_to(self, target: tuple[str, int]) -> None:
        self._target = target
        self._known.set()

    def _run(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
                self._known.wait()
                far = socket.create_connection(self._target, timeout=10)
            except OSError:
                return
            for one, other in ((near, far), (far, near)):
                one.settimeout(None)
                threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65_536):
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def end(self) -> None:
        self._server.close()


def crossing_chats(tool: str, report: Report) -> None:
    """Two chats with `--stay` invite each other in the same moment, twelve times. Then two are started together, twelve times.

    Before: in 12 of 16 runs both ended with 69. They should be connected each time, also where one of them does not listen yet when the
    other one calls.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        for meet_at_once, what in ((True, "that listen and invite each other in one moment"), (False, "that are started together")):
            met, slowest, ends = 0, 0.0, []
            for _ in range(12):
                seconds, said = crossing_pair(tool, stores, meet_at_once)
                met += seconds is not None
                slowest = max(slowest, seconds or 0)
                ends += [said] if seconds is None else []
            report.expect(
                met == 12, f"{met} of 12 pairs {what} met, after {slowest:.1f} s at most" + (f"; one that did not: {ends[0]}" if ends else ""))


def crossing_pair(tool: str, stores: dict[str, tuple[str, str]], meet_at_once: bool) -> tuple[float | None, str]:
    """After how many seconds both are connected, or None, and how they ended."""
    relays = [Relay(), Relay()]
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        ports = [place.getsockname()[1] for place in (first, second)]
    pair = []
    for place, name in enumerate(stores):
        invited = relays[place].address if meet_at_once else f"127.0.0.1:{ports[1 - place]}"
        pair.append(Tool(
            tool, "chat", "--listen", f"127.0.0.1:{ports[place]}", "--invite", invited, "--stay", "--accept", "all",
            "--trust-on-first-use", *stores[name]))
    begin = time.monotonic()
    if meet_at_once:
        targets = [chat.address() for chat in pair]
        for relay, target in zip(relays, reversed(targets)):
            relay.leads_to(target)

    def is_decided() -> bool:
        return all(chat.all("memberConnected") for chat in pair) or all(chat.all("failed") for chat in pair)

    while time.monotonic() - begin < 12 and not is_decided():
        time.sleep(0.02)
    seconds = time.monotonic() - begin if all(chat.all("memberConnected") for chat in pair) else None
    if seconds is not None:
        # Nobody is lost again after the crossing.
        time.sleep(0.5)
        seconds = seconds if all(chat.process.poll() is None for chat in pair) else None
    said = " and ".join(chat.wait(0.1) for chat in pair) if seconds is None else ""
    for chat in pair:
        chat.send(signal.SIGINT)
    for chat in pair:
        chat.wait(10)
        chat.end()
    for relay in relays:
        relay.end()
    return seconds, said
