"""Programs under test as child processes: this reference's, and the Swift ones (path of `multipeer` in MULTIPEER_BINARY)."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Callable

from multipeer_reference import cli

ROOT = Path(__file__).parent.parent
LIMIT = 60  # seconds; a run that hangs is killed
SWIFT = Path(os.environ.get("MULTIPEER_BINARY") or ROOT.parent.parent / ".build" / "debug" / "multipeer")
#: The program beside it, for single links.
LABORATORY = SWIFT.with_name(f"{SWIFT.name}-lab")

#: Children of a process that has imported the program once: imports would be over half of a short run.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["multipeer_reference.cli"])


def _child(arguments: list[str], output: Connection, errors: Connection) -> None:
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    sys.exit(cli.main(arguments))


class Program:
    """One run, its events (a JSON object a line) and its complaints read in threads.

    The first event of a listener, which names its port, is waited for.
    """

    def __init__(
        self, output: IO[str], errors: IO[str], wait: Callable[[], int | None], kill: Callable[[], None], listens: bool,
        interrupt: Callable[[], None] = lambda: None, stdin: IO[str] | None = None,
    ) -> None:
        self._wait, self._kill, self._interrupt = wait, kill, interrupt
        self._pipes = output, errors
        self._stdin = stdin
        self.events: list[dict] = []
        self.errors = ""
        self.first = json.loads(output.readline() or "{}") if listens else {}
        self._readers = [threading.Thread(target=target) for target in (self._read_events, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read_events(self) -> None:
        for line in self._pipes[0]:
            self.events.append(json.loads(line))

    def _read_errors(self) -> None:
        self.errors += self._pipes[1].read()

    @property
    def port(self) -> int:
        return self.first["port"]

    def wait(self) -> int:
        """The exit status."""
        try:
            status = self._wait()
        finally:
            self.stop()
        assert status is not None and status >= 0 and "Traceback" not in self.errors, (status, self.errors)
        return status

    def interrupt_after(self, name: str) -> None:
        """SIGINT, once an event of this name has come."""
        self.await_events(name)
        self._interrupt()

    def await_events(self, name: str, count: int = 1) -> list[dict]:
        """The events of this name, once there are as many."""
        deadline = time.monotonic() + LIMIT
        while len(self.all(name)) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(self.all(name)) >= count, (name, self.events, self.errors)
        return self.all(name)

    def type(self, text: str) -> None:
        assert self._stdin is not None
        self._stdin.write(text + "\n")
        self._stdin.flush()

    def end_input(self) -> None:
        assert self._stdin is not None
        self._stdin.close()

    def stop(self) -> None:
        self._kill()
        for reader in self._readers:
            reader.join()
        for pipe in self._pipes:
            pipe.close()

    def all(self, name: str) -> list[dict]:
        return [event for event in list(self.events) if event["event"] == name]

    def one(self, name: str) -> dict:
        found = self.all(name)
        assert len(found) == 1, (name, self.events, self.errors)
        return found[0]

    def has(self, name: str) -> bool:
        return bool(self.all(name))


def _spawn(command: list[object], listens: bool, stdin: int, environment: dict[str, str] | None = None) -> Program:
    process = subprocess.Popen(
        [str(part) for part in command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=ROOT, env={**os.environ, **(environment or {})},
    )

    def kill() -> None:
        process.kill()
        process.wait()

    return Program(
        process.stdout, process.stderr, lambda: process.wait(LIMIT), kill, listens,
        lambda: process.send_signal(signal.SIGINT), process.stdin,
    )


def python(*arguments: object) -> Program:
    """This reference's program, in a process of its own, without starting Python anew."""
    pipes = [_FORKS.Pipe(duplex=False) for _ in range(2)]
    values = [*map(str, arguments), "--json"]
    process = _FORKS.Process(target=_child, args=(values, pipes[0][1], pipes[1][1]), daemon=True)
    process.start()
    for _, sending in pipes:
        sending.close()
    output, errors = (os.fdopen(os.dup(receiving.fileno()), "r") for receiving, _ in pipes)
    for receiving, _ in pipes:
        receiving.close()

    def wait() -> int | None:
        process.join(LIMIT)
        return process.exitcode

    def kill() -> None:
        process.kill()
        process.join()

    return Program(output, errors, wait, kill, arguments[0] == "listen")


def python_module(*arguments: object, stdin: int = subprocess.DEVNULL) -> Program:
    """The same as `python -m multipeer_reference`."""
    command = [sys.executable, "-m", "multipeer_reference", *arguments, "--json"]
    return _spawn(command, arguments[0] == "listen", stdin)


def swift(*arguments: object, store: Path, stdin: int = subprocess.DEVNULL) -> Program:
    command = [LABORATORY if arguments[0] in ("listen", "connect") else SWIFT, *arguments, "--json", "--store", store]
    return _spawn(command, arguments[0] in ("listen", "chat"), stdin, {"SWIFT_BACKTRACE": "enable=no"})
