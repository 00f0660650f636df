"""SPEC §23.1 to §23.3: what peers say of themselves by DNS-SD, and how it is read."""

import pytest

from multipeer_reference.advertisement import (
    Advertisement, BadAdvertisement, info_strings, instance_name, key_tag, service_type, strings,
)

TAG = bytes.fromhex("00112233445566ff")
HEAD = [b"_v=1", b"_k=" + TAG.hex().encode()]


def read(*texts: bytes, name: bytes = b"Anna") -> Advertisement:
    return Advertisement.read(list(texts), name)


def test_tag():
    """By another program: printf 'multipeer/1 advertisement' | cat - KEY | sha256sum."""
    assert key_tag(bytes(range(32))).hex() == "b05b25b4815c390d"


@pytest.mark.parametrize("label", (b"a", b"chat", b"1a", b"my-chat", b"0123456789-ab-c"))
def test_services(label):
    """[R23.1-1]."""
    assert service_type(label) == f"_{label.decode()}._tcp"


@pytest.mark.parametrize("label", (
    b"", b"0123456789abcdef", b"123", b"1-2", b"-chat", b"chat-", b"my--chat", b"Chat", b"_chat", b"my chat", b"chat.",
    b"chat\n", b"chat\x00", "chät".encode(), b"\xff",
))
def test_what_is_no_service(label):
    """[R23.1-1]."""
    with pytest.raises(BadAdvertisement):
        service_type(label)


@pytest.mark.parametrize("name, attempt, expected", (
    ("Anna", 1, "Anna"), ("Anna", 2, "Anna (2)"), ("x" * 63, 100, "x" * 57 + " (100)"),
    ("ä" * 31 + "x", 2, "ä" * 29 + " (2)"),
))
def test_names_that_are_taken(name, attempt, expected):
    assert instance_name(name, attempt) == expected and len(expected.encode()) <= 63


def test_what_is_said():
    """[R23.2-1], [R23.3-1]."""
    info = [(b"room", b"4"), (b"Level", b"2")]
    assert strings(TAG, "Anna", "Anna", info) == [*HEAD, b"Level=2", b"room=4"]
    assert strings(TAG, "Anna", "Anna (2)", []) == [*HEAD, b"_n=Anna"]
    assert strings(TAG, None, TAG.hex(), []) == [b"_v=1", b"_r=" + TAG.hex().encode()]
    both = read(*strings(TAG, "Anna", "Anna (2)", info), name=b"Anna (2)")
    assert both == Advertisement(TAG, False, "Anna", ((b"Level", b"2"), (b"room", b"4")))


@pytest.mark.parametrize("info", (
    [(b"", b"4")], [(b"k" * 65, b"4")], [(b"_room", b"4")], [(b"ro=om", b"4")], [(b"ro\tom", b"4")], [(b"r\xc3\xa4um", b"4")],
    [(b"room", b"\xff")], [(b"room", b"4"), (b"ROOM", b"5")], [(b"k", b"v" * 254)], [(b"a", b"v" * 253), (b"b", b"v" * 142)],
))
def test_info_that_nobody_may_say(info):
    """[R23.2-2]."""
    with pytest.raises(BadAdvertisement):
        info_strings(info)


@pytest.mark.parametrize("texts", (
    [], HEAD[1:], HEAD[::-1], [b"_v=2", HEAD[1]], [b"_V=1", HEAD[1]], [b"", *HEAD], HEAD[:1], [b"_v=1", b"_k"], [b"_v=1", b"_k="],
    [b"_v=1", HEAD[1][:-1]], [b"_v=1", HEAD[1].upper()], [b"_v=1", HEAD[1] + b"00"], [*HEAD, b"_r=" + TAG.hex().encode()],
    [*HEAD, b"_r"], [*HEAD, b"x" * 1_274, b""], [b"_v=1", "_\u212a=00112233445566ff".encode()],
))
def test_what_is_ignored(texts):
    """[R23.2-3]."""
    with pytest.raises(BadAdvertisement):
        read(*texts)


def test_the_longest():
    """[R23.2-3]."""
    assert read(*HEAD, b"x" * 1_274).name == "Anna"


def test_what_counts():
    """[R23.2-4]."""
    texts = [b"_v=1", b"_K=" + TAG.hex().encode(), b"room=4", b"ROOM=5", b"flag", b"=4", b"", b"_later=1", b"k\x01=x", b"bad=\xff", b"a=b=c"]
    assert read(*texts) == Advertisement(TAG, False, "Anna", ((b"room", b"4"), (b"flag", b""), (b"a", b"b=c")))


@pytest.mark.parametrize("name", (b"", b"x" * 64, b"line\nline", b"\x1b[31mred", b"\xff"))
def test_names_that_are_none(name):
    """[R23.2-5]."""
    assert read(*HEAD, name=name).name is None
    # What is no UTF-8 does not count ([R23.2-4]).
    assert read(*HEAD, b"_n=" + name).name == ("Anna" if name == b"\xff" else None)


def test_private_ones():
    """[R23.3-1]."""
    hidden = read(b"_v=1", b"_r=" + TAG.hex().encode(), b"_n=Anna")
    assert hidden.is_private and hidden.name is None
