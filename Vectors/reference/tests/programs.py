"""Programs under test as child processes: this reference's, and the Swift one (path in MULTIPEER_BINARY)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIMIT = 60  # seconds; a run that hangs is killed
SWIFT = Path(os.environ.get("MULTIPEER_BINARY") or ROOT.parent.parent / ".build" / "debug" / "multipeer")


class Program:
    """One run, its events (a JSON object a line) and its complaints read in threads.

    The first event of a listener, which names its port, is waited for.
    """

    def __init__(
        self, command: list[object], listens: bool, environment: dict[str, str] | None = None,
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        self._process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
            env={**os.environ, **(environment or {})}, stdin=stdin,
        )
        self.events: list[dict] = []
        self.errors = ""
        self.first = json.loads(self._process.stdout.readline() or "{}") if listens else {}
        self._readers = [threading.Thread(target=target) for target in (self._read_events, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read_events(self) -> None:
        self.events += [json.loads(line) for line in self._process.stdout]

    def _read_errors(self) -> None:
        self.errors += self._process.stderr.read()

    @property
    def port(self) -> int:
        return self.first["port"]

    def wait(self) -> int:
        """The exit status."""
        try:
            status = self._process.wait(LIMIT)
        finally:
            self.stop()
        assert status >= 0 and "Traceback" not in self.errors, (status, self.errors)
        return status

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()

    def all(self, name: str) -> list[dict]:
        return [event for event in self.events if event["event"] == name]

    def one(self, name: str) -> dict:
        found = self.all(name)
        assert len(found) == 1, (name, self.events, self.errors)
        return found[0]

    def has(self, name: str) -> bool:
        return bool(self.all(name))


def python(*arguments: object) -> Program:
    return Program([sys.executable, "-m", "multipeer_reference", *arguments, "--json"], arguments[0] == "listen")


def swift(*arguments: object, store: Path, stdin: int = subprocess.DEVNULL) -> Program:
    command = [SWIFT, *arguments, "--json", "--store", store]
    return Program(command, arguments[0] == "listen", {"SWIFT_BACKTRACE": "enable=no"}, stdin)
