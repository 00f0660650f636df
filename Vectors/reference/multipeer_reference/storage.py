"""Received files on disk: never outside of the chosen folder, never in place of another ([R15.5-2])."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .names import local_file_name


class IncomingFile:
    """Collects a file under a name of its own, and links it to its final name once it is complete."""

    def __init__(
        self, folder: Path, name: str, modified: int = 0, is_program: bool = False, part: Path | None = None
    ) -> None:
        """`part`: bytes that are on the same disk already."""
        self._folder = folder
        self._modified, self._is_program = modified, is_program
        self._name = local_file_name(name)
        if part is None:
            descriptor, path = tempfile.mkstemp(prefix=".multipeer-", suffix=".part", dir=folder)
            self._file, self._path = os.fdopen(descriptor, "wb"), Path(path)
        else:
            self._file, self._path = part.open("ab"), part

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def store(self) -> Path:
        """The final path, synced with its folder ([R15.3-6]); a number is put in where the name is taken."""
        self._file.flush()
        self._describe()
        os.fsync(self._file.fileno())
        self._file.close()
        stem, suffix = os.path.splitext(self._name)
        number = 0
        while True:
            target = self._folder / (self._name if number == 0 else f"{stem} ({number}){suffix}")
            try:
                os.link(self._path, target)  # fails if anything has the name, a dangling link too
            except FileExistsError:
                number += 1
                continue
            self._path.unlink()
            self._sync_folder()
            return target

    def _describe(self) -> None:
        """Time, and the right to execute for those who may read; nothing else ([R15.8-3])."""
        descriptor = self._file.fileno()
        if self._is_program:
            mode = os.fstat(descriptor).st_mode & 0o777
            os.fchmod(descriptor, mode | (mode & 0o444) >> 2)
        if self._modified:
            try:
                os.utime(descriptor, (self._modified, self._modified))
            except (OSError, OverflowError):
                pass  # a time that this disk cannot hold

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def discard(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)
