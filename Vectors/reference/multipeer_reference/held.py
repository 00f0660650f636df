"""Beginnings of files that did not end, kept for a later offer (SPEC §15.7)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import BinaryIO

from .files import NO_TAG, CancelFileReason, FileOffer

#: What is held of one identity at most, how long, and how much in all ([R15.7-5]).
BEGINNINGS_OF_EACH = 64
WEEK = 7 * 24 * 3_600
BYTES_IN_ALL = 16 << 30
_CHUNK = 1 << 20


class Beginning:
    """The bytes of one file that have come, on disk, in use by one live file."""

    def __init__(self, store: "HeldBeginnings", path: Path, notes: dict, may_stay: bool) -> None:
        self._store, self.path, self.notes = store, path, notes
        self._may_stay = may_stay  # after its link
        self._file: BinaryIO = path.open("ab")

    @property
    def length(self) -> int:
        self._file.flush()
        return self.path.stat().st_size

    def hash(self) -> "hashlib._Hash":
        """From the bytes that are there now, not from what is remembered of them ([R15.7-2])."""
        self._file.flush()
        hasher = hashlib.sha256()
        with self.path.open("rb") as file:
            while data := file.read(_CHUNK):
                hasher.update(data)
        return hasher

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def ended(self, reason: CancelFileReason | None) -> None:
        """`reason` is that of FILE_CANCEL; None is the end of the link."""
        self._file.close()
        keeps = self._may_stay and (reason is None or reason.keeps_beginning)
        self._store.release(self, keeps and self.notes["tag"] != NO_TAG.hex())

    def delivered(self) -> Path:
        """The whole file, which from now on is the caller's."""
        self._file.close()
        return self._store.give_away(self)


class HeldBeginnings:
    """A folder for each identity key; in it, for each tag, the bytes and a note of what was offered."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._used: set[Path] = set()

    def begin(self, key: bytes, offer: FileOffer, now: int) -> Beginning:
        """What is held for the same offer of the same peer, unless another file uses it; otherwise nothing yet."""
        path = self._path(key, offer)
        self._used.add(path)
        may_stay = self._make_room(key, now)
        notes = {
            "tag": offer.tag.hex(), "size": offer.size, "type": int(offer.type), "manifest": offer.manifest, "at": now
        }
        if path.exists() and not (self._fits(path, notes) and offer.tag != NO_TAG):
            self._remove(path)
        path.with_suffix(".json").write_text(json.dumps(notes))
        return Beginning(self, path, notes, may_stay)

    def _path(self, key: bytes, offer: FileOffer) -> Path:
        """A name that no live file uses."""
        folder = self._folder / key.hex()
        folder.mkdir(parents=True, exist_ok=True)
        path, number = folder / f"{offer.tag.hex()}.part", 0
        while path in self._used:
            number += 1
            path = folder / f"{offer.tag.hex()}-{number}.part"
            if path not in self._used:
                self._remove(path)
        return path

    def _fits(self, path: Path, notes: dict) -> bool:
        try:
            held = json.loads(path.with_suffix(".json").read_text())
            return all(held[name] == notes[name] for name in ("tag", "size", "type", "manifest")) and (
                path.stat().st_size <= notes["size"] and notes["at"] < held["at"] + WEEK
            )
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        path.with_suffix(".json").unlink(missing_ok=True)

    def release(self, beginning: Beginning, keeps: bool) -> None:
        self._used.discard(beginning.path)
        if not keeps or beginning.path.stem != beginning.notes["tag"] or not beginning.path.stat().st_size:
            self._remove(beginning.path)

    def give_away(self, beginning: Beginning) -> Path:
        self._used.discard(beginning.path)
        beginning.path.with_suffix(".json").unlink(missing_ok=True)
        return beginning.path

    def _make_room(self, key: bytes, now: int) -> bool:
        """What is a week old goes, and then an identity's own oldest; nobody's give way to those of another ([R15.7-5]).

        False where there is no room for one more.
        """
        for folder in list(self._folder.glob("*")):
            for at, path in self._ages(folder):
                if at + WEEK <= now:
                    self._remove(path)
        mine = self._ages(self._folder / key.hex())
        while len(mine) >= BEGINNINGS_OF_EACH:
            self._remove(mine.pop(0)[1])
        total = sum(path.stat().st_size for folder in self._folder.glob("*") for _, path in self._ages(folder))
        while mine and total > BYTES_IN_ALL:
            path = mine.pop(0)[1]
            total -= path.stat().st_size
            self._remove(path)
        return total <= BYTES_IN_ALL

    def _ages(self, folder: Path) -> list[tuple[int, Path]]:
        """Of what no live file uses; a note that cannot be read makes it old."""
        ages = []
        for path in folder.glob("*.part"):
            if path not in self._used:
                try:
                    ages.append((int(json.loads(path.with_suffix(".json").read_text())["at"]), path))
                except (OSError, ValueError, KeyError, TypeError):
                    ages.append((0, path))
        return sorted(ages)
