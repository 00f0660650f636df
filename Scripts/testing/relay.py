"""A relay between a tester and a peer: what the peer writes arrives in other pieces. Bytes and their order stay as they are.

    python3 Scripts/testing/relay.py split|merged HOST:PORT [-- COMMAND…]

It prints «relay at 127.0.0.1:PORT», and joins each connection to that port with one to HOST:PORT. Without COMMAND the peer is at
HOST:PORT. With it the peer is COMMAND, in which RELAY stands for the relay's own address, and the tester is at HOST:PORT.

split   the peer's bytes come one by one, with a pause after each header and each record, as long as there are not many
merged  the peer's bytes come when it has written nothing for a while, all at once
"""
import os
import socket
import sys
import threading
import time

MAGIC, HEADER = 8, 3
PAUSE, QUIET = 0.003, 0.03
# Records after which pauses would only take time.
FIRST = 40
# How long a relay outlives its peer at most.
PATIENCE = 10
# Connections that are not at their ends.
CARRYING = set()


class Boundaries:
    """Where headers and records end in a stream (SPEC §6.1, §6.2)."""

    def __init__(self):
        self._header, self._left, self.records = bytearray(), MAGIC, 0
        self._is_body = True

    def ends(self, byte):
        """Whether a header, or a record, ends with this byte."""
        if self._is_body:
            self._left -= 1
            if self._left:
                return False
            self._is_body = False
            self.records += 1
            return True
        self._header.append(byte)
        if len(self._header) < HEADER:
            return False
        self._left, self._is_body = int.from_bytes(self._header[1:], "big"), True
        self._header.clear()
        return True


def split(source, sink):
    boundaries = Boundaries()
    while data := source.recv(65_536):
        if boundaries.records > FIRST:
            sink.sendall(data)
            continue
        for byte in data:
            sink.sendall(bytes([byte]))
            if boundaries.ends(byte):
                time.sleep(PAUSE)


def merged(source, sink):
    waiting = bytearray()
    while True:
        source.settimeout(QUIET if waiting and len(waiting) < 1 << 20 else None)
        try:
            data = source.recv(65_536)
        except TimeoutError:
            data = None
        if data:
            waiting += data
            if len(waiting) < 1 << 20:
                continue
        sink.sendall(waiting)
        waiting.clear()
        if data == b"":
            return


def plain(source, sink):
    while data := source.recv(65_536):
        sink.sendall(data)


def carry(how, source, sink):
    """One direction. The end of the one stream is the end of the other."""
    try:
        how(source, sink)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(listener, target, how, is_peer_target):
    while True:
        near, _ = listener.accept()
        try:
            far = socket.create_connection(target)
        except OSError:
            near.close()
            continue
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer, tester = (far, near) if is_peer_target else (near, far)
        directions = [threading.Thread(target=carry, args=(how, peer, tester), daemon=True),
                      threading.Thread(target=carry, args=(plain, tester, peer), daemon=True)]
        for direction in directions:
            direction.start()
        CARRYING.add(near)
        threading.Thread(target=close, args=(directions, near, far), daemon=True).start()


def close(directions, *ends):
    for direction in directions:
        direction.join()
    CARRYING.discard(ends[0])
    for end in ends:
        end.close()


def main():
    mode, place, *rest = sys.argv[1:]
    host, _, port = place.rpartition(":")
    command = rest[1:] if rest[:1] == ["--"] else []
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    own = f"127.0.0.1:{listener.getsockname()[1]}"
    arguments = listener, (host, int(port)), {"split": split, "merged": merged}[mode], not command
    if not command:
        print(f"relay at {own}", flush=True)
        return serve(*arguments)
    parent = os.getpid()
    if os.fork() == 0:
        threading.Thread(target=serve, args=arguments, daemon=True).start()
        # The tester kills its peer and knows no relay: this one ends after the peer, once the peer's last bytes have gone.
        while os.getppid() == parent:
            time.sleep(QUIET)
        patience = time.monotonic() + PATIENCE
        while CARRYING and time.monotonic() < patience:
            time.sleep(QUIET)
        os._exit(0)
    listener.close()
    command = [own if part == "RELAY" else part for part in command]
    os.execvp(command[0], command)


try:
    sys.exit(main())
except KeyboardInterrupt:
    pass
