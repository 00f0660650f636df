"""SPEC §15.5: received files on disk."""

import os
import stat


from multipeer_reference.storage import IncomingFile


def store(folder, name, data=b"new"):
    incoming = IncomingFile(folder, name)
    incoming.write(data)
    return incoming.store()


def test_storage_never_leaves_or_replaces(tmp_path):
    """R15.5-2, with real files and links."""
    folder, outside = tmp_path / "save", tmp_path / "outside"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"old")
    (folder / "link.txt").symlink_to(outside)
    assert store(folder, "../a.txt") == folder / "a (1).txt"
    assert store(folder, "a.txt") == folder / "a (2).txt"
    assert store(folder, "link.txt") == folder / "link (1).txt"
    assert (folder / "a.txt").read_bytes() == b"old" and not outside.exists()
    assert sorted(p.name for p in folder.iterdir()) == [
        "a (1).txt", "a (2).txt", "a.txt", "link (1).txt", "link.txt"
    ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["save"]


def test_unfinished_files_leave_nothing(tmp_path):
    incoming = IncomingFile(tmp_path, "a")
    incoming.write(b"half")
    incoming.discard()
    assert not list(tmp_path.iterdir())


def test_received_files_are_private(tmp_path):
    path = store(tmp_path, "a")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
