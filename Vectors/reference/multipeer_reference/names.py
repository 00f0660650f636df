"""Names: of peers (SPEC §4.2) and of files (SPEC §15.5)."""

from __future__ import annotations

import re

from .errors import malformed

_FORBIDDEN = (
    frozenset(range(0x00, 0x20))
    | frozenset(range(0x7F, 0xA0))
    | frozenset((0xAD, 0x061C, 0xFEFF))
    | frozenset(range(0x200B, 0x2010))
    | frozenset(range(0x2028, 0x202F))
    | frozenset(range(0x2060, 0x2065))
    | frozenset(range(0x2066, 0x206A))
    | frozenset(range(0xE0000, 0xE0080))
)
_BLANK = frozenset((0x20, 0xA0, 0x115F, 0x1160, 0x1680, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0)) | frozenset(
    range(0x2000, 0x200B)
)
_DEVICE = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9\u00b9\u00b2\u00b3])\Z", re.IGNORECASE | re.ASCII
)
_REPLACED = str.maketrans({character: "_" for character in ':*?"<>|'})
_REPLACED_IN_PARTS = _REPLACED | str.maketrans({"\\": "_"})

MAXIMUM_PORTABLE_NAME = 200
MAXIMUM_PORTABLE_EXTENSION = 32


def decode_utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise malformed("not well-formed UTF-8") from None


def decode_display_name(data: bytes) -> str:
    """A display name of 1 to 63 bytes ([R4.2-1])."""
    if not 1 <= len(data) <= 63:
        raise malformed("a display name has 1 to 63 bytes")
    text = decode_utf8(data)
    if any(ord(character) in _FORBIDDEN for character in text):
        raise malformed("a display name has a forbidden code point")
    if all(ord(character) in _BLANK for character in text):
        raise malformed("a display name has nothing that can be seen")
    return text


def local_file_name(name: str) -> str:
    """The local name of a received file: steps 1 to 3 of SPEC §15.5."""
    return local_part(name.rpartition("/")[2])


def local_part(part: str) -> str:
    """The local name of one part of a path in a folder: steps 2 and 3 ([R15.8-2])."""
    name = "".join(character for character in part if ord(character) not in _FORBIDDEN)
    return "file" if not name.strip(" ") or name in (".", "..") else name


def visible_name(local: str) -> str:
    """The local name of what nobody was shown the name of ([R15.5-3])."""
    return (local.lstrip(" .") or "file") if local.startswith(".") else local


def portable_file_name(local: str) -> str:
    """The name for a disk that does not hold the local one: steps 4 to 10 of SPEC §15.5."""
    return _from_step_5(local.rpartition("\\")[2], _REPLACED)


def portable_part(local: str) -> str:
    """The same for one part of a path in a folder ([R15.8-2])."""
    return _from_step_5(local, _REPLACED_IN_PARTS)


def _from_step_5(name: str, replaced: dict[int, str]) -> str:
    name = name.translate(replaced).strip(" .")
    for _ in range(2):
        if _DEVICE.match(name.split(".", 1)[0].rstrip(" ")):
            name = "_" + name
        while len(name.encode("utf-8")) > MAXIMUM_PORTABLE_NAME:
            name = _shortened(name)
        name = name.rstrip(" .")
    return name or "file"


def _shortened(name: str) -> str:
    """Step 8 once: one code point less."""
    stem, stop, extension = name.rpartition(".")
    if not stem or len((stop + extension).encode("utf-8")) > MAXIMUM_PORTABLE_EXTENSION:
        return name[:-1]
    return stem[:-1] + stop + extension
