"""Attacks on the disk of a receiver (SPEC §15.3)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from peers import BadPeer, Report, Tool, identities, nearby, now, pump, temporary_folder
from multipeer_reference import events
from multipeer_reference.files import CancelFileReason, FileOffer

MOUNTED: list[str] = []


def unmount_all() -> None:
    while MOUNTED:
        subprocess.run(["umount", "--lazy", MOUNTED.pop()], check=False)


def receiver_of(tool: str, folder: str, store: tuple[str, ...]) -> Tool:
    return Tool(tool, "receive", "--listen", "127.0.0.1:0", "--accept", "all", "--dir", folder, *store, *nearby())


def promised_bytes(tool: str, report: Report) -> None:
    """One sender offers four files, of which each alone takes nine tenths of the disk's free room.

    Before: all four were accepted (256 GiB each with 77 GiB free). Promised bytes should count: one at most is accepted.
    """
    with temporary_folder() as folder:
        store = identities(tool, folder, "ben")["ben"]
        receiver = receiver_of(tool, folder, store)
        room = os.statvfs(folder)
        size = room.f_bavail * room.f_frsize * 9 // 10
        sender = BadPeer.connecting(receiver.address(), invites=True)
        sender.run("is_open")
        for number in range(4):
            sender.link.association(now()).sent_files.offer(FileOffer(0, size, f"large {number}"))
            # One after the other, so that nobody sees them as one offer.
            pump([sender], lambda n=number: len(sender.of(events.FileAccepted)) + len(sender.of(events.FileCancelled)) > n, 5)
        pump([sender], lambda: len(sender.of(events.FileAccepted)) + len(sender.of(events.FileCancelled)) == 4, 10)
        accepted = len(sender.of(events.FileAccepted))
        reasons = [CancelFileReason(event.reason).name.lower() for event in sender.of(events.FileCancelled)]
        report.expect(
            sender.is_open and accepted <= 1 and accepted + len(reasons) == 4,
            f"{accepted} of 4 files of {size / 2**30:.0f} GiB accepted, with {room.f_bavail * room.f_frsize / 2**30:.0f} GiB free; "
            f"the others: {', '.join(reasons) or 'none'}")
        sender.close()
        receiver.end()


def small_disk(tool: str, report: Report) -> None:
    """A file of 40 MB comes to a disk with 24 MB, and then a file of 5 bytes.

    Before: it was accepted and filled the disk, and its beginning was held for a week, so that the small file failed too. It should be
    declined at once, with status 69 at its sender, and the small file stored.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        small = Path(folder) / "disk"
        small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "attack", str(small)], check=True)
        MOUNTED.append(str(small))
        try:
            large, tiny = Path(folder) / "large", Path(folder) / "tiny"
            large.write_bytes(os.urandom(40_000_000))
            tiny.write_bytes(b"tiny\n")
            receiver = receiver_of(tool, str(small), stores["ben"])
            host, port = receiver.address()
            call = ("connect", f"{host}:{port}", "--trust-on-first-use", *stores["anna"], "--file")
            first = Tool(tool, *call, str(large))
            outcome = first.wait(40)
            used = (lambda room: (room.f_blocks - room.f_bfree) * room.f_frsize)(os.statvfs(small))
            report.expect(first.process.poll() == 69, f"40 MB into 24 MB: the sender {outcome}; {used / 1e6:.1f} MB used afterwards")
            second = Tool(tool, *call, str(tiny))
            outcome = second.wait(20)
            report.expect(second.process.poll() == 0, f"5 bytes afterwards: the sender {outcome}")
            for process in (first, second, receiver):
                process.end()
        finally:
            unmount_all()
