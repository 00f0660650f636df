"""Attacks on the limits of decision 12, and on doors that strangers hold (A15)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from peers import BadPeer, Crowd, Report, Tool, guest, honest, now, silent
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.proofs import Role
from testing.programs import program

LISTEN = ("listen", "--port", "0", "--accept", "all")
OPEN_TO_ALL = (*LISTEN, "--accept-unverified")


def stopped_file(tool: str, report: Report) -> None:
    """The receiver of a file is stopped with SIGSTOP, then the sender gets SIGINT: it should end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with path.open("wb") as file:
            file.truncate(8_000_000_000)
        receiver = Tool(tool, *OPEN_TO_ALL, "--save", folder + "/in")
        host, port = receiver.address()
        sender = Tool(tool, "connect", f"{host}:{port}", "--accept-unverified", "--file", str(path))
        sender.event("fileProgress")
        receiver.send(signal.SIGSTOP)
        time.sleep(1)
        sender.send(signal.SIGINT)
        outcome = sender.wait(45)
        report.expect("still alive" not in outcome, f"the sender, after SIGINT: {outcome}")
        sender.end()
        receiver.end()


def stopped_message(tool: str, report: Report) -> None:
    """A session is opened and never read again, while the tool sends messages: the tool should end."""
    for count in (2, 9, 15):
        # A Unix socket takes little, so that messages wait at the sender.
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(folder + "/socket")
            server.listen()
            messages = [part for _ in range(count) for part in ("--message", "x" * 120_000)]
            stall = ["--stall-timeout", "10"] if "--stall-timeout" in help_text(tool) else []
            sender = Tool(tool, "connect", f"unix:{folder}/socket", "--accept-unverified", *stall, *messages)
            peer = BadPeer(server.accept()[0], Role.RESPONDER)
            is_open = peer.run("is_open")
            outcome = sender.wait(30)
            report.expect(is_open and "still alive" not in outcome, f"{count} messages, session open: {is_open}; the sender: {outcome}")
            sender.end()
            peer.connection.close()


def help_text(tool: str) -> str:
    return subprocess.run([program(tool, "connect"), "connect", "--help"], capture_output=True, text=True, check=False).stdout


def throw_away_keys(tool: str, report: Report) -> None:
    """Identified peers with new keys fill all places, from one address: a pinned peer should get in."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [tool, "identity", "create", "Honest", "--store", folder, "--json"], capture_output=True, text=True, check=True)
        identity = made.stdout.split('"peer":"')[1][:64]
        listener = Tool(tool, *LISTEN, "--pin", identity)
        address = listener.address()
        peers: list[BadPeer] = []
        identified = 0
        begin = time.monotonic()
        while len(peers) < 1_100 and time.monotonic() - begin < 45:
            peers.append(BadPeer.connecting(address))
            identified += peers[-1].run("is_identified")
        report.figure(f"{identified} of {len(peers)} peers with new keys identified in {time.monotonic() - begin:.1f} s")
        outcome = honest(tool, address, "--store", folder)
        report.expect("status 0" in outcome, f"the pinned peer: {outcome}")
        listener.end()


def descriptors(tool: str, report: Report) -> None:
    """More connections than the process has descriptors: it should stay calm, and an honest peer should get in."""
    listener = Tool(tool, *OPEN_TO_ALL, descriptors=100)
    address = listener.address()
    sockets = [silent(address, f"127.0.0.{2 + number % 20}") for number in range(300)]
    time.sleep(4)
    begin, before = time.monotonic(), listener.processor_seconds()
    time.sleep(3)
    share = (listener.processor_seconds() - before) / (time.monotonic() - begin)
    count = len(os.listdir(f"/proc/{listener.process.pid}/fd"))
    report.figure(f"300 silent connections, 100 descriptors: {count} in use, {share:.0%} of a core")
    outcome = honest(tool, address, timeout=20)
    report.expect("status 0" in outcome and share < 0.2, f"an honest peer: {outcome}")
    del sockets
    listener.end()


def unfinished_messages(tool: str, report: Report) -> None:
    """A hundred links of one identity each send nearly all of a message of 16 MiB: memory should stay bounded."""
    listener = Tool(tool, *OPEN_TO_ALL)
    address, key = listener.address(), SigningKey(os.urandom(32))
    before = listener.resident_megabytes()
    message = bytes(16_777_216)
    peers: list[BadPeer] = []
    sent = opened = 0
    begin = time.monotonic()
    while len(peers) < 100 and time.monotonic() - begin < 200:
        peer = BadPeer.connecting(address, key=key, invites=True)
        peers.append(peer)
        if not peer.run("is_open"):
            continue
        opened += 1
        peer.link.send_message(message, now())
        output = memoryview(peer.link.take_output())
        try:
            peer.connection.sendall(output[: len(output) - 100_000])
            sent += 1
        except OSError:
            pass
    time.sleep(1)
    after = listener.resident_megabytes()
    report.figure(f"{opened} links opened with one key, {sent} sent nearly 16 MiB: from {before:.0f} to {after:.0f} MB resident")
    outcome = honest(tool, address)
    report.expect("status 0" in outcome and after - before < 600, f"an honest peer: {outcome}")
    listener.end()


def silence(tool: str, report: Report) -> None:
    """128 connections from four addresses say nothing: an honest peer should get in."""
    listener = Tool(tool, *OPEN_TO_ALL)
    address = listener.address()
    sockets = [silent(address, f"127.0.0.{2 + number % 4}") for number in range(128)]
    time.sleep(2)
    outcome = honest(tool, address)
    report.expect("status 0" in outcome, f"128 silent connections from 4 addresses; an honest peer from a fifth: {outcome}")
    del sockets
    listener.end()


def doors(tool: str, folder: str) -> dict[str, tuple[str, ...]]:
    """What listens, each at a port of the system's choice, and lets everybody in."""
    store, trust = ("--store", folder + "/ben"), ("--accept", "all", "--trust-on-first-use")
    nearby = ("--interface", "lo", "--discovery", "embedded", "--service", f"a{os.getpid()}")
    return {
        "listen": ("listen", "--port", "0", *trust, *store),
        "chat": ("chat", "--listen", "127.0.0.1:0", "--stay", *trust, *store),
        "receive": ("receive", "--listen", "127.0.0.1:0", "--accept", "all", "--dir", folder, *store, *nearby),
    }


def silent_doors(tool: str, report: Report) -> None:
    """1,024 strangers say nothing, and come back when they are turned away, at every command that listens.

    Before: 64 of them from two addresses closed `receive` and `chat` to everybody. A peer that was met before should get in.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in ("anna", "ben"):
            subprocess.run([tool, "identity", "create", name, "--store", f"{folder}/{name}"], capture_output=True, check=True)
        friend = ("connect", "--trust-on-first-use", "--store", folder + "/anna")
        for name, command in doors(tool, folder).items():
            listener = Tool(tool, *command)
            address = listener.address()
            report.figure(f"{name}, nobody else: {guest(tool, address, *friend)}")
            for count in (2, 1_024):
                # As many addresses as one host has by itself, and as many as there are strangers.
                crowd = Crowd(address, 1_024, count)
                first = guest(tool, address, *friend)
                second = guest(tool, address, *friend)
                report.expect(
                    first.seconds is not None and second.seconds is not None,
                    f"{name}, a remembered peer among 1,024 strangers of {count} addresses that come at once: {first}; when all have come: "
                    f"{second} ({crowd.made} connections)")
                crowd.end()
            listener.end()


def once_queue(tool: str, report: Report) -> None:
    """5,000 connections to `listen --once` while one link is being served: memory should stay bounded."""
    listener = Tool(tool, *OPEN_TO_ALL, "--once")
    address = listener.address()
    # Identified, and then it does not invite: it is served for a minute.
    first = BadPeer.connecting(address)
    first.run("is_identified")
    before = listener.resident_megabytes()
    begin = time.monotonic()
    count = 0
    while count < 5_000 and time.monotonic() - begin < 40:
        connection = silent(address, "127.0.0.2")
        connection.sendall(b"\0")
        connection.close()
        count += 1
    alive = listener.process.poll() is None
    after = listener.resident_megabytes() if alive else 0
    report.expect(
        alive and after - before < 200,
        f"{count} connections in {time.monotonic() - begin:.0f} s: from {before:.0f} to {after:.0f} MB resident"
        if alive else f"{count} connections: the listener has ended")
    first.connection.close()
    listener.end()


def once_junk(tool: str, report: Report) -> None:
    """One junk byte to `listen --once`, then one silent connection: an honest peer should get in."""
    listener = Tool(tool, *OPEN_TO_ALL, "--once")
    address = listener.address()
    with silent(address, "127.0.0.1") as junk:
        junk.sendall(b"\0")
        time.sleep(1)
    status = listener.process.poll()
    report.expect(status is None, "after one junk byte the listener " + ("continues" if status is None else f"has ended with status {status}"))
    listener.end()
    listener = Tool(tool, *OPEN_TO_ALL, "--once")
    address = listener.address()
    quiet = silent(address, "127.0.0.1")
    outcome = honest(tool, address, "--timeout", "5")
    report.expect("status 0" in outcome, f"beside one silent connection, an honest peer: {outcome}")
    quiet.close()
    report.figure(f"the listener: {listener.wait(10)}")
    listener.end()
