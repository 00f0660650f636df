"""SPEC §15.7, §15.8: beginnings and folders on disk."""

from __future__ import annotations

import hashlib

import pytest

from multipeer_reference import folders
from multipeer_reference import held as held_module
from multipeer_reference.files import NO_TAG, CancelFileReason, FileOffer
from multipeer_reference.held import HeldBeginnings
from multipeer_reference.storage import IncomingFile
from multipeer_reference.manifest import BadManifest, Member, decode, encode, local_paths

TAG = b"0123456789abcdef"


def test_how_many_members():
    members = [Member(0, 0, 0, f"{index:05d}") for index in range(65_537)]
    for count, good in ((65_536, True), (65_537, False)):
        manifest = b"".join(member.encode() for member in members[:count])
        if good:
            assert len(decode(manifest, len(manifest))) == count
        else:
            with pytest.raises(BadManifest):
                decode(manifest, len(manifest))


def test_local_paths():
    """R15.8-2: no two become one, whatever the names are."""
    names = ["a\x01b", "a\x02b", "CON/x", "\\evil", "d\x01/x.txt", "d\x02/x.txt", "d\x02/x.txt ", " .", ".env", "e\x01", "e", "e (1)"]
    members = decode(manifest := encode([Member(0, 0, 0, name) for name in names]), len(manifest))
    paths = dict(zip((member.path for member in members), local_paths(members)))
    for kept in ("CON/x", "\\evil", " .", ".env", "e", "e (1)"):
        assert paths[kept] == tuple(kept.split("/"))
    assert {paths["a\x01b"], paths["a\x02b"]} == {("ab",), ("ab (1)",)} and paths["e\x01"] == ("e (2)",)
    for different, same in ((("A", "a/b"), False), (("a\x01/1", "a\x01/2"), True), (("a\x01/1", "a\x02/2"), False)):
        members = decode(manifest := encode([Member(0, 0, 0, name) for name in different]), len(manifest))
        first, second = (path[0] for path in local_paths(members))
        assert (first == second) is same
    assert paths["d\x01/x.txt"][0] != paths["d\x02/x.txt"][0] and len(set(paths.values())) == len(names)


def offer(**changes) -> FileOffer:
    return FileOffer(**({"id": 0, "size": 9, "name": "a", "tag": TAG} | changes))


def beginning(store, key=b"k" * 32, data=b"held", reason=CancelFileReason.INTERRUPTED, now=0, **changes):
    begun = store.begin(key, offer(**changes), now)
    begun.write(data)
    begun.ended(reason)


def length(store, key=b"k" * 32, now=1, **changes) -> int:
    begun = store.begin(key, offer(**changes), now)
    count = begun.length
    begun.ended(None)
    return count


def test_what_is_held(tmp_path):
    """R15.7-2: for the same offer of the same peer, also after a restart of the program."""
    beginning(HeldBeginnings(tmp_path))
    begun = HeldBeginnings(tmp_path).begin(b"k" * 32, offer(id=8, name="b"), 1)
    assert begun.length == 4 and begun.hash().digest() == hashlib.sha256(b"held").digest()
    begun.write(b" more")
    begun.ended(None)
    begun = HeldBeginnings(tmp_path).begin(b"k" * 32, offer(), 2)
    assert begun.length == 9 and begun.delivered().read_bytes() == b"held more"


@pytest.mark.parametrize("other", [
    {"key": b"l" * 32}, {"size": 10}, {"type": 1}, {"type": 2, "manifest": 3}, {"tag": bytes(15) + b"x"},
    {"now": held_module.WEEK},
])
def test_what_is_held_for_something_else(tmp_path, other):
    beginning(HeldBeginnings(tmp_path))
    assert length(HeldBeginnings(tmp_path), **other) == 0


@pytest.mark.parametrize("reason", [None, *CancelFileReason])
def test_what_is_kept(tmp_path, reason):
    """The table of reasons; and R15.7-3 of reason 7."""
    beginning(HeldBeginnings(tmp_path), reason=reason)
    assert (length(HeldBeginnings(tmp_path)) == 4) == (reason in (None, 3, 4, 9, 10, 12, 13))


def test_nothing_without_a_tag(tmp_path):
    beginning(HeldBeginnings(tmp_path), tag=NO_TAG)
    assert length(HeldBeginnings(tmp_path), tag=NO_TAG) == 0 and not list(tmp_path.rglob("*.part"))


def test_two_live_files_of_one_tag(tmp_path):
    """R15.7-2: the second finds nothing, and spoils nothing."""
    store = HeldBeginnings(tmp_path)
    beginning(store)
    first, second = (store.begin(b"k" * 32, offer(), 1) for _ in range(2))
    assert (first.length, second.length) == (4, 0)
    second.write(b"xxxxxx")
    second.ended(None)
    first.ended(None)
    assert length(store) == 4


def test_bytes_that_changed_on_disk(tmp_path):
    """R15.7-2: the hash covers the current bytes."""
    beginning(HeldBeginnings(tmp_path))
    next(tmp_path.rglob("*.part")).write_bytes(b"hxld")
    assert HeldBeginnings(tmp_path).begin(b"k" * 32, offer(), 1).hash().digest() == hashlib.sha256(b"hxld").digest()


@pytest.mark.parametrize("modified", [0, 1_700_000_000, 2**62 - 1])
@pytest.mark.parametrize("is_program", [False, True])
def test_what_is_kept_of_a_file(tmp_path, modified, is_program):
    """R15.8-3, R15.5-2: time, right to execute, and no other file is replaced."""
    for number in range(2):
        file = IncomingFile(tmp_path, "../a.sh", modified, is_program)
        file.write(b"content")
        path = file.store()
        assert path == tmp_path / ("a.sh" if number == 0 else "a (1).sh") and path.read_bytes() == b"content"
        assert bool(path.stat().st_mode & 0o100) is is_program
        assert modified != 1_700_000_000 or path.stat().st_mtime == modified
    assert len(list(tmp_path.iterdir())) == 2


def test_bounds(tmp_path, monkeypatch):
    """R15.7-5: 64 of each identity, whose oldest make room; and a limit of bytes in total, for which none do."""
    store = HeldBeginnings(tmp_path)
    for number in range(70):
        beginning(store, tag=number.to_bytes(16, "big")[::-1], now=number)
    assert len(list(tmp_path.rglob("*.part"))) == 64
    monkeypatch.setattr(held_module, "BYTES_IN_ALL", 255)
    beginning(store, key=b"l" * 32, now=100)
    assert length(store, key=b"l" * 32, now=101) == 0 and len(list(tmp_path.rglob("*.part"))) == 64
    beginning(store, tag=b"x" * 16, now=102)
    assert length(store, tag=b"x" * 16, now=103) == 4 and len(list(tmp_path.rglob("*.part"))) == 64


def test_a_manifest_is_read_from_disk(tmp_path):
    """R15.8-4: where it is kept with the held bytes, so that nothing of it stays in memory."""
    manifest, part = encode([Member(2, 0, 0, "bin"), Member(1, 3, 0, "bin/run")]), tmp_path / "a.part"
    part.write_bytes(manifest + b"run")
    whole = FileOffer(0, len(manifest) + 3, "src", (), TAG, 2, 0, len(manifest))
    folders.check(part, whole)
    part.write_bytes(manifest.replace(b"bin/run", b"bin/../") + b"run")
    with pytest.raises(BadManifest):
        folders.check(part, whole)
    part.write_bytes(manifest + b"run")
    made = folders.store(part, whole, tmp_path)
    assert made == tmp_path / "src" and (made / "bin" / "run").read_bytes() == b"run" and not part.exists()
    assert (made / "bin" / "run").stat().st_mode & 0o100
