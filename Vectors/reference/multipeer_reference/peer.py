"""Links over TCP with plain sockets, with datagrams beside them: one loop a connection, one thread a connection for a
listener."""

from __future__ import annotations

import select
import socket
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

from .app import DONE, FAILED, TIMED_OUT, UNREACHABLE, App, Plan
from .config import Config, InviteRequest
from .link import Link
from .proofs import Role
from .reporting import complain, report

_READ_SIZE = 65_536
#: While more than this waits to be written no more file data is made.
_WRITE_AHEAD = 262_144


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


def run_link(connection: socket.socket, config: Config, role: Role, plan: Plan, request: InviteRequest | None) -> int:
    """Runs one link until it is closed, and gives the exit status."""
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link = Link(config, role, _now())
    app = App(plan, link, request, connection)
    app.begin(_now())
    with connection, closing(app.path):
        _Loop(connection, link, app).run()
    return app.status


class _Loop:
    """Moves bytes both ways. It continues to read while its writes wait, so two of these cannot block each other."""

    def __init__(self, connection: socket.socket, link: Link, app: App) -> None:
        self._connection, self._link, self._app = connection, link, app
        self._output = bytearray()
        self._reads = True
        self._shut = False

    def run(self) -> None:
        while True:
            self._app.drain(_now())
            self._fill()
            if self._link.is_closed and not self._output:
                break
            if not self._turn():
                break
        self._app.drain(_now())
        self._linger()

    def _fill(self) -> None:
        self._output += self._link.take_output(max(0, _WRITE_AHEAD - len(self._output)))
        while len(self._output) < _WRITE_AHEAD and self._app.pump(_now()):
            self._output += self._link.take_output(_WRITE_AHEAD)
        if self._link.has_sent_all and not self._output and not self._shut:
            self._shut = True
            try:
                self._connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def _turn(self) -> bool:
        """Waits for what comes first: bytes, packets, room to write, or a deadline. False when the socket is dead."""
        deadline = min((time for time in (self._link.deadline, self._app.deadline) if time is not None), default=None)
        wait = 5.0 if deadline is None else max(0.0, (deadline - _now()) / 1000)
        reads: list = [self._connection] if self._reads and not self._link.is_closed else []
        reads += [sys.stdin] if self._app.person.is_asked else []
        reads += self._app.path.sockets
        writes = [self._connection] if self._output else []
        readable, writable, _ = select.select(reads, writes, [], wait)
        try:
            if writable:
                del self._output[: self._connection.send(self._output)]
            if sys.stdin in readable:
                self._app.person.read(_now())
            if self._connection in readable:
                self._read()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._link.end_of_stream(_now())
            self._output.clear()
            return False
        self._link.timeout(_now())
        self._app.drain(_now())  # a path may have begun, or be over, before its packets are read
        self._app.path.turn()
        return True

    def _read(self) -> None:
        data = self._connection.recv(_READ_SIZE)
        if data:
            self._link.receive(data, _now())
        else:
            self._reads = False
            self._link.end_of_stream(_now())

    def _linger(self) -> None:
        """Reads what still comes, for a moment, lest a reset overtake our last bytes."""
        self._connection.settimeout(0.5)
        end = time.monotonic() + 1
        try:
            while self._connection.recv(_READ_SIZE) and time.monotonic() < end:
                pass
        except OSError:
            pass


def _show_code(config: Config, plan: Plan) -> None:
    """A person who wants another one starts the program again, unless it listens on."""
    if plan.wishes.shows_code:
        report(plan, "code", {"code": config.codes.show(_now()).normal_form})


def connect(address: tuple[str, int], timeout: float, config: Config, plan: Plan, request: InviteRequest | None) -> int:
    try:
        connection = socket.create_connection(address, timeout=timeout)
    except TimeoutError:
        complain(f"{address[0]}:{address[1]} does not answer")
        return TIMED_OUT
    except OSError as error:
        complain(f"{address[0]}:{address[1]} cannot be reached: {error}")
        return UNREACHABLE
    _show_code(config, plan)
    return run_link(connection, config, Role.INITIATOR, plan, request)


class Listener:
    """Accepts connections; more than `limit` at once are answered with REFUSAL *busy* (SPEC §19)."""

    def __init__(self, address: tuple[str, int], config: Config, plan: Plan, request: InviteRequest | None, limit: int):
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._socket = socket.create_server(address, family=family)
        self._config, self._plan, self._request = config, plan, request
        self._slots = threading.Semaphore(limit)
        self._screen = threading.Lock()

    def run(self, once: bool, timeout: float | None) -> int:
        host, port = self._socket.getsockname()[:2]
        report(self._plan, "listening", {"host": host, "port": port})
        _show_code(self._config, self._plan)
        with self._socket:
            self._socket.settimeout(timeout if once else None)
            while True:
                try:
                    connection, _ = self._socket.accept()
                except TimeoutError:
                    return TIMED_OUT
                except KeyboardInterrupt:
                    return DONE
                if once:
                    return self._serve(connection)
                threading.Thread(target=self._serve_on, args=(connection,), daemon=True).start()

    def _serve_on(self, connection: socket.socket) -> None:
        """The next one to connect needs another code than one that is burned, or ten minutes old."""
        self._serve(connection)
        with self._screen:
            if self._config.codes.shown(_now()) is None:
                _show_code(self._config, self._plan)

    def _serve(self, connection: socket.socket) -> int:
        free = self._slots.acquire(blocking=False)
        config = self._config if free else replace(self._config, busy=True)
        try:
            return run_link(connection, config, Role.RESPONDER, self._plan, self._request if free else None)
        except Exception as error:  # one connection's fault must not end the listener
            complain(f"internal: {error!r}")
            return FAILED
        finally:
            if free:
                self._slots.release()
