"""Attacks that need hosts of their own: false advertisements (SPEC §23), and addresses at which a member aims others (SPEC §14.8).

Hosts are the network namespaces of Scripts/prove-discovery, without an Avahi daemon: the responder inside the tool does the work. Nothing
leaves this machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from peers import BadPeer, Canary, NoAttack, Report, joined, pump, temporary_folder
from sessions import fresh_key
from multipeer_reference.living import address_of
from multipeer_reference.session.entries import Address, Entry

SCRIPTS = Path(__file__).resolve().parents[1]
SETTINGS: list = []
_CLONE_NEWNET = 0x40000000


def _proof():
    """Scripts/prove-discovery, as a module."""
    loader = SourceFileLoader("prove_discovery", str(SCRIPTS / "prove-discovery"))
    # No compiled file beside a program.
    sys.dont_write_bytecode = True
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@contextlib.contextmanager
def hosts(tool: str, *names: str) -> Iterator[tuple]:
    """A network with these hosts. The first is 192.0.2.17, the next 192.0.2.18, and so on."""
    proof = _proof()
    with temporary_folder() as folder:
        setting = proof.Setting(tool, Path(folder))
        SETTINGS.append(setting)
        try:
            places = [setting.host(name) for name in names]
            setting.network(1, [(place, "eth0") for place in places])
            yield setting, *places
        except proof.Failure as error:
            raise NoAttack(str(error)) from None
        finally:
            remove_namespaces()


def remove_namespaces() -> None:
    while SETTINGS:
        SETTINGS.pop().close()


@contextlib.contextmanager
def inside(host: str) -> Iterator[None]:
    """Sockets that this thread makes meanwhile are those of another host."""
    system = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as own, open(f"/run/netns/{host}") as other:
        if system.setns(other.fileno(), _CLONE_NEWNET):
            raise NoAttack(f"setns: {os.strerror(ctypes.get_errno())}")
        try:
            yield
        finally:
            system.setns(own.fileno(), _CLONE_NEWNET)


def hostile(setting, host: str, *arguments: str):
    process = setting.start(host, sys.executable, str(SCRIPTS / "discovery" / "hostile-peer"), *arguments)
    process.line("ready")
    return process


def receiver(setting, host: str):
    folder = setting.folder / "in"
    folder.mkdir()
    process = setting.multipeer(host, "ben", "receive", "--name", "Ben", "--dir", str(folder), "--accept", "all")
    return folder, process, process.event("advertised")


def borrowed_tag(tool: str, report: Report) -> None:
    """Eve advertises Ben's public tag under the name *Cleo*; Anna runs `send --to Cleo`.

    Before: the newest name of a tag counted, and Ben got the file that was meant for Cleo. Nobody should get it.
    """
    with hosts(tool, "a", "b", "e") as (setting, anna, ben, eve):
        folder, process, advertised = receiver(setting, ben)
        letter, secret = setting.folder / "letter", setting.folder / "secret"
        letter.write_text("for Ben")
        secret.write_text("for Cleo alone")
        before = setting.multipeer(anna, "other", "send", str(letter), "--to", "Ben", "--within", "15").status()
        report.figure(f"without Eve, send --to Ben ends with status {before}")
        liar = hostile(setting, eve, "192.0.2.19", "claim", "Cleo", advertised["tag"], str(advertised["port"]))
        sender = setting.multipeer(anna, "anna", "send", str(secret), "--to", "Cleo", "--within", "10")
        status = sender.status()
        failed = [event for event in sender.heard() if event["event"] == "failed"]
        delivered = (folder / "secret").exists()
        report.expect(
            before == 0 and not delivered and status != 0,
            f"send --to Cleo ends with status {status}, Ben has the file: {delivered}" + (f"; {failed[-1]['reason']}" if failed else ""))
        liar.end()


def false_services(tool: str, report: Report) -> None:
    """Eve advertises sixteen services with Ben's tag and name at ports where nobody listens; Anna runs `send --to Ben`.

    Before: they took all places of that tag, and Ben was not found. Ben should get the file.
    """
    with hosts(tool, "a", "b", "e") as (setting, anna, ben, eve):
        letter = setting.folder / "letter"
        letter.write_text("for Ben")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        folder, process, advertised = receiver(setting, ben)
        hostile(setting, eve, "192.0.2.19", "crowd", "Ben", advertised["tag"], str(port), "16")
        # Anna hears the false ones first, and Ben later.
        seeker = setting.multipeer(anna, "seeker", "nearby")
        seeker.event("peerFound", tag=advertised["tag"])
        begin = time.monotonic()
        sender = setting.multipeer(anna, "anna", "send", str(letter), "--to", "Ben", "--within", "20")
        status = sender.status()
        failed = [event for event in sender.heard() if event["event"] == "failed"]
        report.expect(
            (folder / "letter").exists() and status == 0,
            f"send --to Ben ends with status {status} after {time.monotonic() - begin:.1f} s" + (f": {failed[-1]['reason']}" if failed else ""))


def chat_of(setting, victim: str):
    chat = setting.multipeer(
        victim, "victim", "chat", "--listen", "0.0.0.0:4712", "--visible", "--listen-nearby", "127.0.0.1:0", "--accept", "all",
        "--accept-unverified", "--stay", "--name", "Victim")
    chat.event("advertised")
    return chat


def entry_of(member: BadPeer, *addresses: Address) -> Entry:
    """Of a new member that the attacker has admitted."""
    key = fresh_key()
    return member.entry_of(key, member.admits(key), addresses=addresses)


def _time_to_own_dial(eve: str, host: str, port: int, report: Report) -> float | None:
    """How long the victim takes to dial the attacker's own address after a port of a third host, in seconds; infinity if it does not
    within 25. None if the attacker could not join, which the report has."""
    with inside(eve):
        member = joined(("192.0.2.17", 4712), report, within_host=False)
        own = Canary("192.0.2.18")
    if member is None:
        return None
    member.send_entries([entry_of(member, address_of(host, port)) for _ in range(8)])
    pump([member], lambda: False, 0.7)
    begin = time.monotonic()
    member.send_entries([entry_of(member, address_of(*own.address))])
    pump([member], lambda: bool(own.times), 25)
    seconds = own.times[0] - begin if own.times else math.inf
    member.close()
    own.end()
    # What was under way is over.
    time.sleep(12)
    return seconds


def _are_alike(some: list[float], others: list[float]) -> bool:
    """Whether the ranges of the times meet, but for a second."""
    return max(min(some), min(others)) - min(max(some), max(others)) < 1


def timed_places(tool: str, report: Report) -> None:
    """A member lists one port of a third host for eight Sybils, and its own address for a ninth: how long that one waits for a place.

    Before: it waited for 10 s where the port was open and silent, and not at all where it was closed, which told the attacker so. Both should
    take the same time (R14.8-5).
    """
    with hosts(tool, "v", "e", "t") as (setting, victim, eve, third):
        network = _proof()
        network.inside(third, "ip", "addr", "add", "192.0.2.20/28", "dev", "eth0")
        with inside(third):
            silent = socket.create_server(("192.0.2.19", 0), backlog=64)
        port = silent.getsockname()[1]
        chat_of(setting, victim)
        # Each dial has its place by chance. A leak is a difference that repetitions do not level out.
        times: dict[str, list[float]] = {"192.0.2.19": [], "192.0.2.20": []}
        for _ in range(6):
            for host, seen in times.items():
                seconds = _time_to_own_dial(eve, host, port, report)
                if seconds is None:
                    return
                seen.append(seconds)
            if _are_alike(*times.values()):
                break
        said = [" and ".join("never" if t == math.inf else f"{t:.1f} s" for t in seen) for seen in times.values()]
        report.expect(
            _are_alike(*times.values()),
            f"the attacker's own address is dialled after {said[0]} where the port of the third host is open and silent, and after {said[1]} "
            "where it is closed")
        silent.close()


def aimed_dials(tool: str, report: Report) -> None:
    """A member on another host lists a loopback port of the victim, and then 250 Sybils with eight addresses each.

    Before: with one listener at 127.0.0.1 every member could aim the victim at its own loopback services; Sybils made it dial 1,190
    addresses a minute. Its loopback should be left alone, and 240 addresses a minute be tried at most (R14.8-5).
    """
    with hosts(tool, "v", "e") as (setting, victim, eve):
        network = _proof()
        network.inside(victim, "ip", "route", "add", "198.51.100.0/24", "via", "192.0.2.18")
        network.inside(eve, "ip", "route", "add", "local", "198.51.100.0/24", "dev", "lo")
        with inside(victim):
            service = Canary("127.0.0.1")
        with inside(eve):
            control, sink = Canary("192.0.2.18"), Canary("0.0.0.0")
        chat_of(setting, victim)
        with inside(eve):
            member = joined(("192.0.2.17", 4712), report, within_host=False)
        if member is None:
            return
        member.send_entries([entry_of(member, address_of(*place.address)) for place in (control, service)])
        pump([member], lambda: False, 12)
        report.figure(f"an address of the attacker's host is dialled {len(control.times)} times in 12 s")
        report.expect(
            bool(control.times) and not service.times, f"a service of the victim at 127.0.0.1 is dialled {len(service.times)} times in 12 s")
        port = sink.address[1]
        entries = [
            entry_of(member, *(address_of(f"198.51.100.{1 + (number * 8 + place) % 250}", port) for place in range(8))) for number in range(250)]
        begin = time.monotonic()
        member.send_entries(entries)
        pump([member], lambda: False, 75)
        minute = [place for moment, place in zip(sink.times, sink.places) if moment - begin <= 60]
        most = Counter(minute).most_common(1)
        report.expect(
            0 < len(minute) <= 240,
            f"250 Sybils make it dial {len(minute)} addresses in a minute, one host {most[0][1] if most else 0} times at most")
        member.close()
        for canary in (service, control, sink):
            canary.end()
