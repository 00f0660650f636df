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
    (End(0x26, by_peer=True), False, False, "failed"), (End(0x0B, in_frame=True), False, False, "lost"),
    (End(0x0D), False, False, "lost"), (End(0x0E, by_peer=True), False, False, "lost"),
    (End(0x11), False, False, "refused"), (End(0x13, by_peer=True), False, False, "refused"),
    (End(0x15, by_peer=True), False, False, "refused"), (End(0x14, in_frame=True), False, False, "misbehaved"),
    (End(0x21, by_peer=True), False, True, "replaced"), (End(0x21, by_peer=True), False, False, "lost"),
    (End(decline=5), False, True, "replaced"), (End(decline=5), False, False, "lost"), (End(decline=2), False, False, "lost"),
    (End(decline=4), False, False, "lost"), (End(decline=1), False, False, "refused"), (End(decline=6), False, False, "refused"),
    (End(cancel=2), False, False, "lost"), (End(cancel=1), False, False, "refused"),
    (End(0x01, by_peer=True, proved=False), False, False, "lost"), (End(0x22), False, False, "lost"),
])
def test_departures(end, left, other, why):
    """R14.9-2, row by row."""
    assert departure_of(end, left, other) == why


@pytest.mark.parametrize("kind, value, may", [
    (1, "c0000201", True), (1, "00000000", False), (1, "7f000001", False), (1, "e0000001", False), (1, "ffffffff", False),
    (1, "0a000001", True), (2, "20010db8" + "00" * 11 + "01", True), (2, "00" * 16, False), (2, "00" * 15 + "01", False),
    (2, "ff02" + "00" * 13 + "01", False), (2, "00" * 10 + "ffff" "7f000001", False), (2, "00" * 10 + "ffff" "c0000201", True),
    (9, "c0000201", False),
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
    many = {key(n).public: entry(n, addresses=(address(n),)) for n in range(10, 20)}
    crowd = Dialler()
    for value in many.values():
        crowd.want(bytes(32), value, True, 0)
    assert len(crowd.due(0, many)) == 8 and crowd.due(1, many) == []
    crowd.drop(next(iter(sorted(many))))
    assert len(crowd.due(2, many)) == 1


