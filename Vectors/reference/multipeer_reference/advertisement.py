"""What peers say of themselves by DNS-SD, and how it is read (SPEC §23.1 to §23.3)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Sequence

from .errors import ProtocolError
from .names import decode_display_name

MAXIMUM_NAME = 63
MAXIMUM_TEXT = 1_300
MAXIMUM_STRING = 255
MAXIMUM_INFO = 400

_LABEL = re.compile(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_TAG = re.compile(rb"[0-9a-f]{16}")
#: A key that an app may use ([R23.2-2]).
_KEY = re.compile(rb"[\x20-\x3c\x3e-\x5e\x60-\x7e][\x20-\x3c\x3e-\x7e]{0,63}")

Info = tuple[tuple[bytes, bytes], ...]


class BadAdvertisement(ValueError):
    """What nobody may say, or what is no advertisement."""


def service_type(label: bytes) -> str:
    """[R23.1-1]."""
    text = label.decode("latin-1")
    if len(label) > 15 or not _LABEL.fullmatch(text):
        raise BadAdvertisement("no service label")
    return f"_{text}._tcp"


def key_tag(key: bytes) -> bytes:
    return hashlib.sha256(b"multipeer/1 advertisement" + key).digest()[:8]


def instance_name(name: str, attempt: int) -> str:
    """The name that is tried after `attempt` - 1 others were taken."""
    if attempt == 1:
        return name
    ending = f" ({attempt})"
    while len((name + ending).encode()) > MAXIMUM_NAME:
        name = name[:-1]
    return name + ending


def info_strings(info: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """[R23.2-2]. They are in the order of their keys."""
    strings = []
    for key, value in sorted(info):
        if not _KEY.fullmatch(key) or not _is_text(value):
            raise BadAdvertisement("no key, or no value")
        strings.append(key + b"=" + value)
    if len({key.lower() for key, _ in info}) < len(info):
        raise BadAdvertisement("two equal keys")
    if any(len(string) > MAXIMUM_STRING for string in strings) or _length(strings) > MAXIMUM_INFO:
        raise BadAdvertisement("too long")
    return strings


def strings(tag: bytes, name: str | None, published_as: str, info: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    """[R23.2-1], [R23.3-1]: a private advertisement has no name."""
    tagged = [b"_v=1", (b"_r=" if name is None else b"_k=") + tag.hex().encode()]
    if name not in (None, published_as):
        tagged.append(b"_n=" + str(name).encode())
    return tagged + info_strings(info)


@dataclass(frozen=True)
class Advertisement:
    tag: bytes
    is_private: bool
    name: str | None
    info: Info

    @staticmethod
    def read(texts: Sequence[bytes], published_as: bytes) -> "Advertisement":
        """[R23.2-3] to [R23.2-5]."""
        if _length(texts) > MAXIMUM_TEXT or texts[:1] != [b"_v=1"]:
            raise BadAdvertisement("too long, or another version")
        first: dict[bytes, tuple[bytes, bytes]] = {}
        for text in texts:
            key, _, value = text.partition(b"=")
            if key and _is_text(value):
                first.setdefault(key.lower(), (key, value))
        tags = [(key, first[key][1]) for key in (b"_k", b"_r") if key in first]
        if len(tags) != 1 or not _TAG.fullmatch(tags[0][1]):
            raise BadAdvertisement("not one tag")
        is_private = tags[0][0] == b"_r"
        shown = first[b"_n"][1] if b"_n" in first else published_as
        info = tuple(pair for pair in first.values() if _KEY.fullmatch(pair[0]))
        return Advertisement(bytes.fromhex(tags[0][1].decode()), is_private, None if is_private else _name(shown), info)


def _name(shown: bytes) -> str | None:
    """[R23.2-5]."""
    try:
        return decode_display_name(shown)
    except ProtocolError:
        return None


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _length(texts: Sequence[bytes]) -> int:
    return sum(1 + len(text) for text in texts)
