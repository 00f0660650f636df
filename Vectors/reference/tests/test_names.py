"""SPEC §15.5: received files on disk."""

import os
import stat

import pytest

from multipeer_reference.names import local_file_name, portable_file_name
from multipeer_reference.storage import IncomingFile

CASES = {
    "a.txt": "a.txt",
    "../../etc/passwd": "passwd",
    "C:\\Users\\x\\a.txt": "C:\\Users\\x\\a.txt",
    "/": "file", "a/": "file", ".": "file", "..": "file", "   ": "file", "\x00\x1f": "file", "../": "file", "\x00.": "file",
    "a\u202eb\x07c": "abc",
    'a:b*c?d"e<f>g|h': 'a:b*c?d"e<f>g|h',
    ".profile": ".profile", "...a b. .": "...a b. .", "a. ": "a. ", " . . ": " . . ", "CON": "CON",
    "x" * 255: "x" * 255,
}

PORTABLE = {
    "a.txt": "a.txt",
    "C:\\Users\\x\\a.txt": "a.txt",
    "\\": "file", " . . ": "file",
    'a:b*c?d"e<f>g|h': "a_b_c_d_e_f_g_h",
    ".profile": "profile", "...a b. .": "a b", "a. ": "a",
    "CON": "_CON", "con.txt": "_con.txt", "Lpt9.a.b": "_Lpt9.a.b", "COM0": "COM0", "COM10": "COM10",
    "CONSOLE": "CONSOLE", ".NUL": "_NUL", "a.CON": "a.CON",
    "aux .c": "_aux .c", "AUX  ": "_AUX", "CONIN$": "_CONIN$", "conout$.x": "_conout$.x", "CON$": "CON$",
    "COM\u00b9": "_COM\u00b9", "lpt\u00b3.a": "_lpt\u00b3.a", "COM\u2074": "COM\u2074", "ＣＯＮ": "ＣＯＮ",
    "x" * 200: "x" * 200,
    "x" * 201: "x" * 200,
    "x" * 251 + ".txt": "x" * 196 + ".txt",
    "ä" * 120 + ".txt": "ä" * 98 + ".txt",
    "a." + "x" * 240: "a." + "x" * 198,
    "x" * 180 + "." + "y" * 31: "x" * 168 + "." + "y" * 31,
    "x" * 180 + "." + "y" * 32: "x" * 168 + "." + "y" * 31,  # cut to a short end first, then before it
    "😀" * 63: "😀" * 50,
    "x" * 199 + " y": "x" * 199,
}


@pytest.mark.parametrize("name, local", CASES.items(), ids=range(len(CASES)))
def test_local_names(name, local):
    assert local_file_name(name) == local


@pytest.mark.parametrize("local, portable", PORTABLE.items(), ids=range(len(PORTABLE)))
def test_portable_names(local, portable):
    assert portable_file_name(local) == portable
    assert len(portable.encode()) <= 200


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


@pytest.mark.parametrize("name, local", {
    ".bashrc": "bashrc", "..": "file", "...": "file", ". .x": "x", " .x": " .x", "a.": "a.",
}.items())
def test_hidden_names_that_nobody_has_seen(name, local, tmp_path):
    """R15.5-3"""
    assert store(tmp_path, name) == tmp_path / local


def test_unfinished_files_leave_nothing(tmp_path):
    incoming = IncomingFile(tmp_path, "a")
    incoming.write(b"half")
    incoming.discard()
    assert not list(tmp_path.iterdir())


def test_received_files_are_private(tmp_path):
    path = store(tmp_path, "a")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
