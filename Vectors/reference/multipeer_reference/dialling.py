"""When members are dialled, and at which addresses (SPEC §14.8)."""

from __future__ import annotations

import ipaddress
from collections import deque
from dataclasses import dataclass, field
from typing import Container

from .session.entries import IPV4, IPV6, Address, Entry
from .session.roster import branch

LATER = 500
BETWEEN_ADDRESSES = 250
MINUTE, HOUR = 60_000, 3_600_000
#: From one round to the next, and for each address, while an association with the member waits ([R13.9-10]).
RESUMING = 15_000
MAXIMUM_ATTEMPTS, MAXIMUM_UNKNOWN = 8, 4
MAXIMUM_OF_HOST, MAXIMUM_IN_ALL = 16, 240
#: An attempt counts for so long, whatever becomes of it.
ATTEMPT = 4_000
#: How many attempts at one host for one branch there are before the first rest ([R14.8-8]).
FREE_ATTEMPTS = 8

_Host = ipaddress.IPv4Address | ipaddress.IPv6Address
_NOWHERE = ipaddress.ip_network("0.0.0.0/8")
_CARRIERS = tuple(ipaddress.ip_network(text) for text in ("::/96", "::ffff:0:0/96", "64:ff9b::/96"))
_SIX_TO_FOUR = ipaddress.ip_network("2002::/16")


def host_of(address: Address) -> _Host:
    return ipaddress.ip_address(address.value[:-2])


def _counted(address: Address) -> _Host:
    """IPv4 that is mapped into IPv6 is IPv4."""
    host = host_of(address)
    return (host.version == 6 and host.ipv4_mapped) or host


def _hosts(address: Address) -> list[_Host]:
    """The address, and the IPv4 one that it carries."""
    host = host_of(address)
    if host.version == 4:
        return [host]
    if any(host in network for network in _CARRIERS):
        return [host, ipaddress.IPv4Address(host.packed[-4:])]
    return [host, ipaddress.IPv4Address(host.packed[2:6])] if host in _SIX_TO_FOUR else [host]


def may_be_dialled(address: Address, is_allowed: bool = False, link_local: frozenset[int] = frozenset()) -> bool:
    """[R14.8-4]; an address of an unknown kind cannot be. `is_allowed`: the user allows such addresses. `link_local`: the families
    (4, 6) in which the local peer has a link-local address."""
    if address.kind not in (IPV4, IPV6) or address.value[-2:] == b"\x00\x00":
        return False
    return is_allowed or not any(
        host.is_unspecified or host.is_loopback or host.is_multicast or str(host) == "255.255.255.255"
        or (host.version == 4 and host in _NOWHERE) or (host.is_link_local and host.version not in link_local)
        for host in _hosts(address)
    )


@dataclass
class _Member:
    """What is remembered of a member: how long the next round waits, and how often it was tried."""

    was_linked: bool = False
    tries: int = 0
    delay: int = MINUTE
    next_round: int = 0
    began_anew: int | None = None  # when a greater instance last did that


@dataclass
class _Round:
    """The addresses of one member that are still to be tried; None before the first."""

    at: int
    addresses: list[Address] | None = field(default=None)


@dataclass
class _Rest:
    """How often a host was tried for a branch without a PROOF, and when it may be again."""

    attempts: int = 0
    until: int = 0


class Dialler:
    """Says which addresses are to be tried now. It knows nothing of links but what it hears."""

    def __init__(self, is_allowed: bool = False, link_local: frozenset[int] = frozenset()) -> None:
        self._is_allowed, self._link_local = is_allowed, link_local
        self._members: dict[bytes, _Member] = {}
        self._rounds: dict[bytes, _Round] = {}
        self._tried: dict[tuple[bytes, Address], int] = {}
        self._hosts: dict[_Host, deque[int]] = {}
        self._all: deque[int] = deque()
        self._rests: dict[tuple[_Host, bytes], _Rest] = {}
        self._under_way: dict[tuple[bytes, Address], tuple[int, bool]] = {}  # since when, and whether it was linked before
        self.on_this_host: Container[bytes] = ()  # members whose loopback addresses are those of this host
        self.resumable: Container[bytes] = ()  # members with which an association waits for another link

    def _member(self, member: bytes) -> _Member:
        return self._members.setdefault(member, _Member())

    # What is wanted, and what became of it

    def want(self, own: bytes, entry: Entry, own_addresses: bool, now: int, at_once: bool = False) -> None:
        """The lesser key dials at once, the other later, or at once if it has no address at which it could be dialled."""
        waits = own > entry.member and own_addresses and not at_once
        if not self._addresses(entry):
            self.drop(entry.member)
        elif entry.member not in self._rounds or at_once:
            due = max(now + (LATER if waits else 0), self._member(entry.member).next_round)
            self._rounds[entry.member] = _Round(due)

    def _addresses(self, entry: Entry) -> list[Address]:
        return [address for address in entry.addresses if self._is_permitted(entry.member, address)]

    def _is_permitted(self, member: bytes, address: Address) -> bool:
        is_here = member in self.on_this_host and address.kind in (IPV4, IPV6) and _counted(address).is_loopback
        return may_be_dialled(address, self._is_allowed or is_here, self._link_local)

    def drop(self, member: bytes) -> None:
        """It is linked, gone or refused. Attempts keep their places for their time ([R14.8-5])."""
        self._rounds.pop(member, None)

    def reached(self, member: bytes, address: Address, entry: Entry | None) -> None:
        """The expected PROOF has verified."""
        self._under_way.pop((member, address), None)
        if entry is not None:
            self._rests.pop((_counted(address), branch(entry)), None)

    def asked_for(self, entry: Entry) -> None:
        """By the app: its hosts are tried as if nothing had been ([R14.8-8])."""
        for address in self._addresses(entry):
            self._rests.pop((_counted(address), branch(entry)), None)

    def begin_anew(self, member: bytes) -> None:
        """A link, an INVITE of it, or the app: the next round does not wait longer for those that failed ([R14.8-6])."""
        record = self._member(member)
        record.delay, record.next_round = MINUTE, 0

    def has_greater_instance(self, member: bytes, now: int) -> None:
        """Once an hour at most."""
        record = self._member(member)
        if record.began_anew is None or now >= record.began_anew + HOUR:
            record.began_anew = now
            self.begin_anew(member)
            if member in self._rounds and self._rounds[member].addresses is None:
                self._rounds[member].at = min(self._rounds[member].at, now)

    def linked(self, member: bytes) -> None:
        """A link to it is open."""
        self._member(member).was_linked = True
        self.begin_anew(member)
        self.drop(member)

    # What is due

    def _expire(self, now: int) -> None:
        for attempt, (since, _) in list(self._under_way.items()):
            if now >= since + ATTEMPT:
                del self._under_way[attempt]
        self._tried = {tried: at for tried, at in self._tried.items() if now < at + MINUTE}
        for times in [self._all, *self._hosts.values()]:
            while times and now >= times[0] + MINUTE:
                times.popleft()
        for host, times in list(self._hosts.items()):
            if not times:
                del self._hosts[host]

    def due(self, now: int, entries: dict[bytes, Entry]) -> list[tuple[bytes, Address]]:
        """What is to be tried now ([R14.8-5]); of several members one that was linked first, then the least tried."""
        self._expire(now)
        dials: list[tuple[bytes, Address]] = []
        order = sorted(self._rounds, key=lambda m: (not self._member(m).was_linked, self._member(m).tries, m))
        for member in order:
            turn = self._rounds[member]
            if now >= turn.at and self._has_room(member) and member in entries:
                address = self._next(member, turn, entries[member], now)
                if address is not None:
                    dials.append((member, address))
        return dials

    def _has_room(self, member: bytes) -> bool:
        unknown = sum(not was_linked for _, was_linked in self._under_way.values())
        if not self._member(member).was_linked and unknown >= MAXIMUM_UNKNOWN:
            return False
        return len(self._under_way) < MAXIMUM_ATTEMPTS

    def _next(self, member: bytes, turn: _Round, entry: Entry, now: int) -> Address | None:
        """One address, and when the next one is due; the first of a round says when the next round is."""
        record = self._member(member)
        if turn.addresses is None:
            turn.addresses = self._addresses(entry)
        address = next((address for address in turn.addresses if self._free_at(entry, address, now) <= now), None)
        if address is None:
            times = [self._free_at(entry, address, now) for address in turn.addresses]
            turn.at = max(now + 1, min(times, default=now + MINUTE))
            return None
        if len(turn.addresses) == len(self._addresses(entry)) and member in self.resumable:
            record.next_round = now + RESUMING
        elif len(turn.addresses) == len(self._addresses(entry)):
            record.next_round = now + record.delay
            record.delay = min(2 * record.delay, HOUR)
        turn.addresses.remove(address)
        record.tries += 1
        self._tried[member, address] = now
        self._under_way[member, address] = now, record.was_linked
        self._all.append(now)
        if not self._is_apart(address):
            self._hosts.setdefault(_counted(address), deque()).append(now)
            self._rest(_counted(address), branch(entry), now)
        turn.at = now + BETWEEN_ADDRESSES
        if not turn.addresses:
            turn.at, turn.addresses = record.next_round, None
        return address

    def _rest(self, host: _Host, of: bytes, now: int) -> None:
        """It counts as one that has failed from its beginning, so that what becomes of it does not show."""
        rest = self._rests.setdefault((host, of), _Rest())
        if now >= rest.until + HOUR:
            rest.attempts = 0
        rest.attempts += 1
        over = rest.attempts - FREE_ATTEMPTS
        rest.until = now + (min(MINUTE << min(over, 6), HOUR) if over >= 0 else 0)

    def _is_apart(self, address: Address) -> bool:
        """This host, or one that only the user's word lets through."""
        return self._is_allowed or not may_be_dialled(address, False, self._link_local)

    def _free_at(self, entry: Entry, address: Address, now: int) -> int:
        pause = RESUMING if entry.member in self.resumable else MINUTE
        times = [self._tried.get((entry.member, address), now - pause) + pause]
        if len(self._all) >= MAXIMUM_IN_ALL:
            times.append(self._all[0] + MINUTE)
        if not self._is_apart(address):
            of_host = self._hosts.get(_counted(address), ())
            if len(of_host) >= MAXIMUM_OF_HOST:
                times.append(of_host[0] + MINUTE)
            rest = self._rests.get((_counted(address), branch(entry)))
            if rest is not None:
                times.append(rest.until)
        return max(times)

    @property
    def deadline(self) -> int | None:
        times = [turn.at for turn in self._rounds.values()]
        if len(self._under_way) >= MAXIMUM_UNKNOWN:
            times += [since + ATTEMPT for since, _ in self._under_way.values()]
        return min(times, default=None)
