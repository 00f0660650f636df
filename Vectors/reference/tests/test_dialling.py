"""SPEC §14.8, §14.9: which addresses are dialled and when, and what ended a connection."""

from __future__ import annotations

import pytest

from multipeer_reference.dialling import Dialler, may_be_dialled
from multipeer_reference.session.departures import End, departure_of
from multipeer_reference.session.entries import Address

from .members import entry, key
from .world import address


@pytest.mark.parametrize("end, left, other, why", [
    (End(None), False, False, "lost"), (End(None), True, False, "left"), (End(0, by_peer=True), False, False, "closed"),
    (End(0x20, by_peer=True), False, False, "closed"), (End(0, by_peer=True), True, False, "left"),
    (End(0, by_app=True), False, False, "closed"), (End(0x25), False, False, "lost"), (End(0x25, by_peer=True), False, False, "lost"),
    (End(0x06, in_frame=False), False, False, "lost"), (End(0x06, by_peer=True), False, False, "failed"),
    (End(0x01, in_frame=True), False, False, "misbehaved"), (End(0x01), False, False, "lost"),
    (End(0x24, in_frame=True), False, False, "misbehaved"), (End(0x26, in_frame=True), False, False, "misbehaved"),
    (End(0x26, by_peer=True), False, False, "failed"), (End(0x0B, proved=False), False, False, "lost"),
    (End(0x0D), False, False, "lost"), (End(0x0E, by_peer=True), False, False, "lost"),
    (End(0x11), False, False, "refused"), (End(0x13, by_peer=True), False, False, "refused"),
    (End(0x15, by_peer=True), False, False, "lost"), (End(0x15), False, False, "lost"), (End(0x14, in_frame=True), False, False, "misbehaved"),
    (End(0x21, by_peer=True), False, True, "replaced"), (End(0x21, by_peer=True), False, False, "lost"),
    (End(decline=5), False, True, "replaced"), (End(decline=5), False, False, "lost"), (End(decline=2), False, False, "lost"),
    (End(decline=4), False, False, "lost"), (End(decline=1), False, False, "refused"), (End(decline=6), False, False, "refused"),
    (End(cancel=2), False, False, "lost"), (End(cancel=1), False, False, "refused"),
    (End(0x01, by_peer=True, proved=False), False, False, "lost"), (End(0x22), False, False, "lost"),
    (End(0x22, by_peer=True), False, False, "lost"), (End(0x05), False, False, "lost"), (End(0x05, by_peer=True), False, False, "failed"),
    (End(0x04, in_frame=True), False, False, "failed"), (End(0x04, by_peer=True), False, False, "failed"),
    (End(0x01, in_frame=True), False, True, "misbehaved"), (End(0x01, in_frame=True), True, True, "left"),
    (End(None), False, True, "replaced"), (End(decline=1), False, True, "replaced"), (End(decline=1), True, False, "left"),
    (End(0, proved=False, by_peer=True), False, False, "lost"), (End(0x21), False, True, "replaced"), (End(0x21), False, False, "lost"),
])
def test_departures(end, left, other, why):
    """R14.9-2, row by row."""
    assert departure_of(end, left, other) == why


@pytest.mark.parametrize("kind, value, may", [
    (1, "c0000201", True), (1, "00000000", False), (1, "7f000001", False), (1, "e0000001", False), (1, "ffffffff", False),
    (1, "0a000001", True), (2, "20010db8" + "00" * 11 + "01", True), (2, "00" * 16, False), (2, "00" * 15 + "01", False),
    (2, "ff02" + "00" * 13 + "01", False), (2, "00" * 10 + "ffff" "7f000001", False), (2, "00" * 10 + "ffff" "c0000201", True),
    (9, "c0000201", False), (1, "00010203", False), (1, "a9fe0101", False), (2, "fe80" + "00" * 13 + "01", False),
    (2, "00" * 12 + "7f000001", False), (2, "00" * 12 + "c0000201", True), (2, "0064ff9b" + "00" * 8 + "7f000001", False),
    (2, "0064ff9b" + "00" * 8 + "c0000201", True), (2, "20027f000001" + "00" * 10, False), (2, "2002c0000201" + "00" * 10, True),
    (2, "2002a9fe0001" + "00" * 10, False),
])
def test_addresses(kind, value, may):
    """R14.8-4."""
    assert may_be_dialled(Address(kind, bytes.fromhex(value) + b"\x12\x67")) is may


def test_when_members_are_dialled():
    """§14.8: the greater key 500 ms later; 250 ms between addresses; each once in 60 s; 8 attempts at once."""
    low, high = sorted((key(2), key(3)), key=lambda one: one.public)
    other = entry(3 if low is key(2) else 2, addresses=(address(1), address(2)))
    entries = {other.member: other}
    dialler = Dialler()
    dialler.want(low.public, other, True, 0)
    assert dialler.due(0, entries) == [(other.member, address(1))] and dialler.deadline == 250
    assert dialler.due(249, entries) == [] and dialler.due(250, entries) == [(other.member, address(2))]
    assert dialler.due(59_999, entries) == [] and dialler.due(60_250, entries) == [(other.member, address(1))]
    mine = entry(2 if low is key(2) else 3, addresses=(address(3),))
    later = Dialler()
    later.want(high.public, mine, True, 0)
    assert later.due(499, {mine.member: mine}) == [] and later.due(500, {mine.member: mine})
    hidden = Dialler()
    hidden.want(high.public, mine, False, 0)
    assert hidden.due(0, {mine.member: mine})


def everybody(count, hosts=1, first=10):
    return {key(n).public: entry(n, addresses=(address(n % hosts),)) for n in range(first, first + count)}


def test_link_local_and_allowed_addresses():
    """R14.8-4."""
    local, loopback = Address(1, bytes.fromhex("a9fe0101" "1267")), Address(1, bytes.fromhex("7f000001" "1267"))
    assert may_be_dialled(local, has_link_local=True) and not may_be_dialled(loopback, has_link_local=True)
    assert may_be_dialled(loopback, is_allowed=True)
    assert not may_be_dialled(Address(1, bytes.fromhex("c0000201" "0000")), is_allowed=True)


def test_how_many_at_once():
    """R14.8-5: 8, of which 4 are for members to which there has never been a link; those that were linked first."""
    many = everybody(20, 20)
    dialler = Dialler()
    known = sorted(many)[-5:]
    for value in many.values():
        dialler.want(bytes(32), value, True, 0)
    assert len(dialler.due(0, many)) == 4 and dialler.due(1, many) == []
    for member in known:
        dialler.linked(member)
        dialler.want(bytes(32), many[member], True, 1)
    assert [member for member, _ in dialler.due(1, many)] == known[:4]
    dialler.failed(known[0], many[known[0]].addresses[0])
    assert [member for member, _ in dialler.due(2, many)] == known[4:]
    assert len(dialler.due(10_000, many)) == 4  # a handshake lasts no longer


def test_one_host():
    """R14.8-5: 16 times in 60 s, whatever the port, unless the user allowed it; and an address for each member."""
    for is_allowed, count in ((False, 16), (True, 20)):
        host = "c0000201" if not is_allowed else "7f000001"
        many = {
            key(n).public: entry(n, addresses=(Address(1, bytes.fromhex(host) + n.to_bytes(2, "big")),)) for n in range(10, 30)
        }
        dialler, tried = Dialler(is_allowed), 0
        for value in many.values():
            dialler.want(bytes(32), value, True, 0)
        for now in range(0, 60_000, 2_500):
            tried += len(dialler.due(now, many))
        assert tried == count
        assert len(dialler.due(61_000, many)) == 4


def test_two_members_at_one_address():
    """R14.8-5: for each member."""
    many = everybody(2)
    dialler = Dialler()
    for value in many.values():
        dialler.want(bytes(32), value, True, 0)
    assert len(dialler.due(0, many)) == 2


def rounds(dialler, value, until, since=0):
    """When it is tried."""
    times = []
    for now in range(since, until, 1_000):
        if dialler.due(now, {value.member: value}):
            times.append(now // 1_000)
    return times


def test_rounds_that_fail():
    """R14.8-6: after 60 s, 120 s, and so on up to an hour; and what begins anew."""
    value = entry(2, addresses=(address(1),))
    dialler = Dialler()
    dialler.want(bytes(32), value, True, 0)
    assert rounds(dialler, value, 15_000_000) == [0, 60, 180, 420, 900, 1860, 3780, 7380, 10980, 14580]
    dialler.has_greater_instance(value.member, 15_000_000)
    assert rounds(dialler, value, 15_100_000, 15_000_000) == [15_000, 15_060]
    dialler.has_greater_instance(value.member, 15_100_000)  # not within an hour
    assert rounds(dialler, value, 15_300_000, 15_100_000) == [15_180]
    dialler.linked(value.member)
    dialler.want(bytes(32), value, True, 15_300_000)
    assert rounds(dialler, value, 15_400_000, 15_300_000) == [15_300, 15_360]
