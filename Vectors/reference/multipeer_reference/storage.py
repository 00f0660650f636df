"""Received files on disk: never outside of the chosen folder, never in place of another ([R15.5-2])."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Callable

from .names import local_file_name, visible_name


def describe(descriptor: int, modified: int, is_program: bool) -> None:
    """Time, and the right to execute for those who may read; nothing else ([R15.8-3])."""
    if is_program:
        mode = os.fstat(descriptor).st_mode & 0o777
        os.fchmod(descriptor, mode | (mode & 0o444) >> 2)
    if modified:
        try:
            os.utime(descriptor, (modified, modified))
        except (OSError, OverflowError):
            pass  # a time that this disk cannot hold


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_name(folder: Path, offered: str, make: Callable[[Path], None]) -> Path:
    """The local name, with a number where it is taken; `make` fails with FileExistsError where anything has it.

    Nobody is asked here, so nobody has seen a name that begins with a full stop ([R15.5-3]).
    """
    name = visible_name(local_file_name(offered))
    stem, suffix = os.path.splitext(name)
    number = 0
    while True:
        target = folder / (name if number == 0 else f"{stem} ({number}){suffix}")
        try:
            make(target)
            return target
        except FileExistsError:
            number += 1


class IncomingFile:
    """Collects a file under a name of its own, and links it to its final name once it is complete."""

    def __init__(
        self, folder: Path, name: str, modified: int = 0, is_program: bool = False, part: Path | None = None
    ) -> None:
        """`part`: bytes that are on the same disk already."""
        self._folder, self._name = folder, name
        self._modified, self._is_program = modified, is_program
        if part is None:
            descriptor, path = tempfile.mkstemp(prefix=".multipeer-", suffix=".part", dir=folder)
            self._file, self._path = os.fdopen(descriptor, "wb"), Path(path)
        else:
            self._file, self._path = part.open("ab"), part

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def store(self) -> Path:
        """The final path, synced with its folder ([R15.3-6])."""
        self._file.flush()
        describe(self._file.fileno(), self._modified, self._is_program)
        os.fsync(self._file.fileno())
        self._file.close()
        target = free_name(self._folder, self._name, lambda path: os.link(self._path, path))
        self._path.unlink()
        sync_folder(self._folder)
        return target

    def discard(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)
