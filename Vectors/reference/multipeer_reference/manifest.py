"""The list at the beginning of a folder (SPEC §15.8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

from .errors import ProtocolError
from .files import FileKind
from .names import local_part
from .reader import Reader
from .writer import Writer

MAXIMUM_MEMBERS = 65_536
MAXIMUM_PARTS = 32
MAXIMUM_PART = 255
MAXIMUM_FOLDERS = 65_536


class BadManifest(Exception):
    """The folder ends by FILE_CANCEL with reason 11; the link continues ([R15.8-1])."""


@dataclass(frozen=True)
class Member:
    """`path` has its parts separated by `/`."""

    type: int
    size: int
    modified: int
    path: str

    def encode(self) -> bytes:
        writer = Writer().u8(self.type).varint(self.size).varint(self.modified)
        return writer.vector(self.path.encode(), 1, 1024).bytes()


def encode(members: Iterable[Member]) -> bytes:
    """In the order of their paths."""
    return b"".join(member.encode() for member in sorted(members, key=lambda member: member.path.encode()))


def decode(manifest: bytes, size: int) -> list[Member]:
    """`size` is that of the offer; BadManifest where anything of [R15.8-1] is so."""
    try:
        members = _read(Reader(manifest))
    except ProtocolError as error:
        raise BadManifest(error.detail) from None
    paths = [member.path.encode() for member in members]
    _check_order(paths)
    _check_folders(paths)
    files = {member.path for member in members if member.type != FileKind.FOLDER}
    for member in members:
        parts = member.path.split("/")
        if any("/".join(parts[:count]) in files for count in range(1, len(parts))):
            raise BadManifest(f"{member.path!r} is below a file")
    if len(manifest) + sum(member.size for member in members) != size:
        raise BadManifest("the sizes do not add up")  # numbers here have no end, so none overflows on the way
    return members


def _read(reader: Reader) -> list[Member]:
    members: list[Member] = []
    while reader.remaining:
        member = Member(reader.u8(), reader.varint(), reader.varint(), _path(reader.vector(1, 1024)))
        if member.type not in FileKind._value2member_map_:
            raise BadManifest(f"a member of type {member.type}")
        if member.type == FileKind.FOLDER and member.size:
            raise BadManifest("a folder with a size")
        members.append(member)
        if len(members) > MAXIMUM_MEMBERS:
            raise BadManifest("more than 65,536 members")
    return members


def _path(data: bytes) -> str:
    try:
        path = data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadManifest("a path that is not UTF-8") from None
    parts = path.split("/")
    if len(parts) > MAXIMUM_PARTS:
        raise BadManifest("a path of more than 32 parts")
    if any(part in ("", ".", "..") or len(part.encode()) > MAXIMUM_PART for part in parts):
        raise BadManifest(f"a part that cannot be, in {path!r}")
    return path


def _check_order(paths: Sequence[bytes]) -> None:
    for low, high in zip(paths, paths[1:]):
        if low >= high:
            raise BadManifest("paths that are not strictly ascending")


def _check_folders(paths: Sequence[bytes]) -> None:
    """Of each path the leading parts count that it does not share with the one before it ([R15.8-1])."""
    folders = 0
    last: list[bytes] = []
    for path in paths:
        parts = path.split(b"/")
        shared = 0
        while shared < min(len(parts) - 1, len(last)) and parts[shared] == last[shared]:
            shared += 1
        folders += len(parts) - 1 - shared
        if folders > MAXIMUM_FOLDERS:
            raise BadManifest("paths through more than 65,536 folders")
        last = parts


def local_paths(members: Sequence[Member]) -> list[tuple[str, ...]]:
    """Where each member goes below the received folder; different parts of one folder never share a name ([R15.8-2]).

    This is for disks that hold every local name, and tell all of them apart.
    """
    paths = [tuple(member.path.split("/")) for member in members]
    prefixes = dict.fromkeys(parts[:count] for parts in paths for count in range(1, len(parts) + 1))
    names: dict[tuple[str, ...], str] = {}  # of each path, folders that only serve others included
    taken: dict[tuple[str, ...], set[str]] = {}  # the names in each folder, by that folder's own path
    for path in prefixes:  # what is in the manifest is nobody else's, and most parts keep their names
        taken.setdefault(path[:-1], set()).add(path[-1])
    for path in prefixes:
        local = local_part(path[-1])
        names[path] = local if local == path[-1] else _another(local, taken[path[:-1]])
        taken[path[:-1]].add(names[path])
    return [tuple(names[parts[:count]] for count in range(1, len(parts) + 1)) for parts in paths]


def _another(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    stem, stop, extension = name.rpartition(".")
    if not stem:
        stem, stop, extension = name, "", ""
    number, candidate = 0, name
    while candidate in taken:
        number += 1
        candidate = f"{stem} ({number}){stop}{extension}"
    return candidate
