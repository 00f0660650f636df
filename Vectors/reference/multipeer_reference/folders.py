"""Folders on disk: one sequence of bytes to send, and files made of what came (SPEC §15.8)."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from . import manifest as manifests
from .files import FileKind, FileOffer
from .manifest import Member
from .storage import describe, free_name, sync_folder

_CHUNK = 1 << 20


class FolderSource:
    """Reads like a file: the manifest, and then the content of each file in its order.

    Symbolic links are not followed; what is neither file nor folder is left out ([R15.8-3]).
    """

    def __init__(self, root: Path) -> None:
        found: list[tuple[Member, Path, os.stat_result]] = []
        _scan(root, "", found)
        found.sort(key=lambda one: one[0].path.encode())
        self.manifest = manifests.encode(member for member, _, _ in found)
        self.size = len(self.manifest) + sum(member.size for member, _, _ in found)
        #: What distinguishes this content from another: for the tag.
        self.identity = "\n".join(f"{m.path}/{s.st_dev}/{s.st_ino}/{s.st_size}/{s.st_mtime_ns}" for m, _, s in found).encode()
        self._files = [(path, member.size) for member, path, _ in found if member.type != FileKind.FOLDER]
        self._head = self.manifest
        self._file: BinaryIO | None = None
        self._left = 0

    def read(self, count: int) -> bytes:
        """Fewer bytes than asked for mean the end, or a file that has become shorter."""
        data = bytearray()
        while len(data) < count:
            part = self._some(count - len(data))
            if not part:
                break
            data += part
        return bytes(data)

    def _some(self, count: int) -> bytes:
        if self._head:
            part, self._head = self._head[:count], self._head[count:]
            return part
        while not self._left:
            if not self._files:
                return b""
            path, self._left = self._files.pop(0)
            self.close()
            self._file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")
        assert self._file is not None
        part = self._file.read(min(count, self._left))
        self._left -= len(part)
        return part

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _scan(folder: Path, prefix: str, found: list[tuple[Member, Path, os.stat_result]]) -> None:
    for item in os.scandir(folder):
        status = item.stat(follow_symlinks=False)
        path, modified = prefix + item.name, max(0, int(status.st_mtime))
        if stat.S_ISDIR(status.st_mode):
            found.append((Member(FileKind.FOLDER, 0, modified, path), Path(item.path), status))
            _scan(Path(item.path), path + "/", found)
        elif stat.S_ISREG(status.st_mode):
            kind = FileKind.PROGRAM if status.st_mode & 0o100 else FileKind.FILE
            found.append((Member(kind, status.st_size, modified, path), Path(item.path), status))


def check(part: Path, offer: FileOffer) -> None:
    """BadManifest, as soon as the manifest is there and before anything is made of it ([R15.8-1])."""
    with part.open("rb") as file:
        manifests.decode(file.read(offer.manifest), offer.size)


def store(part: Path, offer: FileOffer, into: Path) -> Path:
    """Makes the folder beside its place, synced, and then moves it there; nothing that exists is replaced ([R15.5-2])."""
    with part.open("rb") as file:
        members = manifests.decode(file.read(offer.manifest), offer.size)
        made = Path(tempfile.mkdtemp(prefix=".multipeer-", suffix=".part", dir=into))
        try:
            os.chmod(made, 0o777 & ~_umask())
            for member, path in zip(members, manifests.local_paths(members)):
                _make(made.joinpath(*path), member, file)
            for folder, _, _ in os.walk(made):
                sync_folder(Path(folder))
            target = free_name(into, offer.name, lambda path: path.mkdir())
            made.rename(target)  # over the empty folder that was made this moment
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    sync_folder(into)
    part.unlink()
    return target


def _make(path: Path, member: Member, source: BinaryIO) -> None:
    if member.type == FileKind.FOLDER:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        left = member.size
        while left:
            data = source.read(min(left, _CHUNK))
            if not data:
                raise OSError("the folder's bytes have become fewer")
            file.write(data)
            left -= len(data)
        file.flush()
        describe(file.fileno(), member.modified, member.type == FileKind.PROGRAM)
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
