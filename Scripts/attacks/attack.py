"""Attacks on a built `multipeer`, with figures and a verdict for each; see docs/attacks.md."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import codes  # noqa: E402
import disk  # noqa: E402
import frozen  # noqa: E402
import limits  # noqa: E402
import links  # noqa: E402
import network  # noqa: E402
import places  # noqa: E402
import sessions  # noqa: E402
import trust  # noqa: E402
from peers import FOLDERS, LIVING, NoAttack, Report  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Attack:
    """`row` is that of docs/attacks.md; `bound` says how many seconds it may take. Namespaces and small disks need root."""

    row: str
    run: Callable[[str, Report], None]
    bound: int
    needs_root: bool = False


ATTACKS = {
    "borrowed-tag": Attack("A1", network.borrowed_tag, 120, needs_root=True),
    "admitted-keys": Attack("A2", sessions.admitted_keys, 180),
    "judged-entries": Attack("A3", sessions.judged_entries, 240),
    "aimed-dials": Attack("A4", network.aimed_dials, 180, needs_root=True),
    "timed-places": Attack("A4", network.timed_places, 300, needs_root=True),
    "pushed-out": Attack("A5", sessions.pushed_out, 120),
    "code-begins": Attack("A6", codes.code_begins, 240),
    "two-guesses": Attack("A6", codes.two_guesses, 60),
    "first-name": Attack("A7", trust.first_name, 120),
    "first-uses": Attack("A7", trust.first_uses, 120),
    "unfinished-beside": Attack("A8", sessions.unfinished_beside, 120),
    "false-services": Attack("A9", network.false_services, 120, needs_root=True),
    "second-contact": Attack("A10", trust.second_contact, 60),
    "promised-bytes": Attack("A11", disk.promised_bytes, 60),
    "small-disk": Attack("A11", disk.small_disk, 90, needs_root=True),
    "silent-doors": Attack("A15", limits.silent_doors, 600),
    "stood-still": Attack("A16", frozen.stood_still, 90),
    "once-places": Attack("A17", places.once_places, 120),
    "dead-senders": Attack("A17", places.dead_senders, 120),
    "fifth-join": Attack("A18", places.fifth_join, 180),
    "asked-places": Attack("A19", places.asked_places, 90),
    "trickled-credit": Attack("A19", places.trickled_credit, 180),
    "stranger-lines": Attack("A19", places.stranger_lines, 120),
    "withheld-verdicts": Attack("A19", trust.withheld_verdicts, 120),
    "borrowed-name": Attack("A19", codes.borrowed_name, 60),
    "crossing-chats": Attack("A19", places.crossing_chats, 300),
    "broken-links": Attack("A20", links.broken_links, 300),
    "never-acknowledges": Attack("A20", links.never_acknowledges, 200),
    "guessed-resumes": Attack("A20", links.guessed_resumes, 120),
    "grinding-unions": Attack("A21", links.grinding_unions, 120),
    "stopped-file": Attack("limits", limits.stopped_file, 90),
    "stopped-message": Attack("limits", limits.stopped_message, 150),
    "throw-away-keys": Attack("limits", limits.throw_away_keys, 150),
    "descriptors": Attack("limits", limits.descriptors, 60),
    "unfinished-messages": Attack("limits", limits.unfinished_messages, 300),
    "silence": Attack("limits", limits.silence, 60),
    "once-queue": Attack("limits", limits.once_queue, 90),
    "once-junk": Attack("limits", limits.once_junk, 60),
}


def leave_nothing() -> None:
    """Ends processes of the tool, namespaces, small disks and temporary folders."""
    for tool in list(LIVING):
        tool.process.kill()
    network.remove_namespaces()
    disk.unmount_all()
    for folder in FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


def stop(name: str, bound: int) -> None:
    """Something waits for what never comes."""
    leave_nothing()
    print(f"  ✘ broken: {name} has not ended after {bound} s\n0 passed, 1 failed", flush=True)
    os._exit(1)


def interrupted(number: int, _: object) -> None:
    leave_nothing()
    os._exit(128 + number)


def carry_out(name: str, tool: str) -> Report:
    attack, report = ATTACKS[name], Report()
    print(f"{name} ({attack.row}):", flush=True)
    timer = threading.Timer(attack.bound, stop, (name, attack.bound))
    timer.daemon = True
    timer.start()
    begin = time.monotonic()
    try:
        attack.run(tool, report)
    except NoAttack as error:
        report.fault(str(error))
    except Exception as error:  # A fault of one attack does not keep the others from running.
        traceback.print_exc(file=sys.stdout)
        report.fault(f"{type(error).__name__}: {error}")
    finally:
        timer.cancel()
        for living in list(LIVING):
            living.end()
    if not report.held + report.broken:
        report.fault("nothing was judged")
    verdict = "broken" if report.broken else "held"
    print(f"  {name} ({attack.row}): {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    return report


def tool_path(argument: str | None) -> str:
    candidates = [argument] if argument else [str(ROOT / ".build" / build / "multipeer") for build in ("release", "debug")]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return str(Path(candidate).resolve())
    raise SystemExit("Scripts/attacks/attack.py: build the tool first: swift build")


def chosen(names: list[str]) -> list[str]:
    """Names and rows; all without any. The rows of docs/attacks.md are asked for as one."""
    if not names:
        return list(ATTACKS)
    known = {name for name in ATTACKS} | {attack.row for attack in ATTACKS.values()} | {"rows"}
    if unknown := set(names) - known:
        raise SystemExit(f"Scripts/attacks/attack.py: no attack {', '.join(sorted(unknown))}; --list lists them")
    return [name for name, attack in ATTACKS.items() if {name, attack.row} & set(names) or "rows" in names and attack.row != "limits"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="an attack, a row such as A6, limits, or rows (all but limits); all without any")
    parser.add_argument("--tool", metavar="PATH", help="the multipeer that is attacked, with multipeer-lab beside it; by default that of .build/release or .build/debug")
    parser.add_argument("--list", action="store_true", help="list the attacks")
    asked = parser.parse_args()
    if asked.list:
        for name, attack in ATTACKS.items():
            print(f"{attack.row:7} {name:20} {(attack.run.__doc__ or '').partition(chr(10))[0]}")
        return 0
    tool, names = tool_path(asked.tool), chosen(asked.names)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    held = broken = skipped = 0
    for name in names:
        if ATTACKS[name].needs_root and os.geteuid() != 0:
            print(f"{name} ({ATTACKS[name].row}): needs root")
            skipped += 1
            continue
        report = carry_out(name, tool)
        held, broken = held + report.held, broken + report.broken
    print(f"{held} passed, {broken} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    sys.stdout.flush()
    # Threads that read sockets may still wait.
    os._exit(1 if broken else 0)


if __name__ == "__main__":
    sys.exit(main())
