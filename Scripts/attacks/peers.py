"""What the attacks have in common: processes of the tool, their figures, and bad peers on sockets."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Vectors" / "reference"))

from multipeer_reference import events  # noqa: E402
from multipeer_reference.config import AcceptInvitation, Config, InviteRequest, Verdict  # noqa: E402
from multipeer_reference.ed25519 import SigningKey  # noqa: E402
from multipeer_reference.errors import ErrorCode  # noqa: E402
from multipeer_reference.link import Link  # noqa: E402
from multipeer_reference.proofs import Role  # noqa: E402


def now() -> int:
    return time.monotonic_ns() // 1_000_000


class Tool:
    """A process of the tool, with the events that it prints."""

    def __init__(self, tool: str, *arguments: str, descriptors: int | None = None) -> None:
        command = [tool, *arguments, "--json"]
        if descriptors is not None:
            command = ["/bin/sh", "-c", f'ulimit -n {descriptors}; exec "$0" "$@"', *command]
        environment = {**os.environ, "XDG_DATA_HOME": "/nonexistent", "SWIFT_BACKTRACE": "enable=no"}
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.events: list[dict] = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            with self._news:
                try:
                    self.events.append(json.loads(line))
                except ValueError:
                    pass
                self._news.notify_all()

    def event(self, name: str, timeout: float = 20) -> dict | None:
        """The first event of this name; None if it does not come in time."""
        found = lambda: next((event for event in self.events if event["event"] == name), None)  # noqa: E731
        with self._news:
            self._news.wait_for(lambda: found() is not None, timeout)
            return found()

    def address(self) -> tuple[str, int]:
        event = self.event("advertised" if self.process.args[1] == "receive" else "listening")
        if event is None:
            raise SystemExit("the tool does not listen")
        return "127.0.0.1", event["port"]

    def send(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, timeout: float) -> str:
        """How it ended, and when."""
        begin = time.monotonic()
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            return f"still alive after {timeout:.0f} s"
        failed = [event for event in self.events if event["event"] == "failed"]
        reason = f" ({failed[-1]['phase']}: {failed[-1]['reason']})" if failed else ""
        return f"ended with status {status} after {time.monotonic() - begin:.1f} s{reason}"

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        self.send(signal.SIGKILL)
        self.process.wait()


class BadPeer:
    """A peer that goes as far as it is told, and then does nothing more."""

    def __init__(self, connection: socket.socket, role: Role, key: SigningKey | None = None, invites: bool = False) -> None:
        config = Config(identity=key or SigningKey(os.urandom(32)), display_name="Mallory", maximum_message=1 << 24)
        self.connection, self.link = connection, Link(config, role, now())
        self.connection.settimeout(10)
        self.is_identified = self.is_open = False
        if invites:
            self.link.invite(InviteRequest(), now())

    @staticmethod
    def connecting(address: tuple[str, int], **options) -> BadPeer:
        return BadPeer(socket.create_connection(address, timeout=10), Role.INITIATOR, **options)

    def run(self, until: str) -> bool:
        """Goes on until it is identified or open. False if the link ended before."""
        try:
            while not getattr(self, until):
                self.flush()
                data = self.connection.recv(65_536)
                if not data:
                    return False
                self.link.receive(data, now())
                self._react()
            self.flush()
            return True
        except OSError:
            return False

    def flush(self) -> None:
        if output := self.link.take_output():
            self.connection.sendall(output)

    def _react(self) -> None:
        for event in self.link.take_events():
            match event:
                case events.Identified():
                    self.is_identified = True
                case events.InvitationReceived(token=token):
                    self.link.resolve(token, AcceptInvitation(), now())
                case events.CertificatesReceived(token=token):
                    self.link.resolve(token, Verdict(ErrorCode.NO_ERROR), now())
                case events.Opened():
                    self.is_open = True


def silent(address: tuple[str, int], source: str) -> socket.socket:
    """A connection that says nothing."""
    return socket.create_connection(address, timeout=10, source_address=(source, 0))


def honest(tool: str, address: tuple[str, int], *arguments: str, timeout: float = 30) -> str:
    """An honest peer comes and sends a message: what becomes of it."""
    peer = Tool(tool, "connect", f"{address[0]}:{address[1]}", "--accept-unverified", "--message", "x", *arguments)
    outcome = peer.wait(timeout)
    peer.end()
    return outcome


def guest(tool: str, address: tuple[str, int], command: str, *arguments: str, timeout: float = 90) -> str:
    """Somebody comes in, and goes again: what becomes of it, and when the link was open."""
    peer = Tool(tool, command, f"{address[0]}:{address[1]}", "--stay", *arguments)
    opened = peer.event("opened", timeout)
    passed = time.monotonic() - peer.started
    if opened is not None:
        peer.send(signal.SIGINT)
    outcome = peer.wait(20)
    peer.end()
    return f"in after {passed:.1f} s" if opened is not None else f"not in: {outcome}"


class Crowd:
    """Connections from many addresses that say nothing. Whoever is turned away comes back."""

    def __init__(self, address: tuple[str, int], count: int, addresses: int) -> None:
        self._address, self._selector, self._over = address, selectors.DefaultSelector(), False
        self.made = 0
        self._sources = [f"127.1.{number // 250}.{1 + number % 250}" for number in range(addresses)]
        for number in range(count):
            self._come(self._sources[number % addresses])
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _come(self, source: str) -> None:
        connection = socket.socket()
        connection.setblocking(False)
        connection.bind((source, 0))
        connection.connect_ex(self._address)
        self.made += 1
        self._selector.register(connection, selectors.EVENT_READ, source)

    def _run(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.2):
                # Nobody speaks to somebody who is silent: this is the end.
                self._selector.unregister(key.fileobj)
                key.fileobj.close()
                self._come(key.data)

    def end(self) -> None:
        self._over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
