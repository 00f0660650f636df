"""When members are dialled, and at which addresses (SPEC §14.8)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from .session.entries import IPV4, IPV6, Address, Entry

LATER = 500
BETWEEN_ADDRESSES = 250
AGAIN = 60_000
MAXIMUM_ATTEMPTS = 8
#: An attempt of which nothing is heard does not count for longer than a handshake may last.
ATTEMPT = 10_000


def may_be_dialled(address: Address, loopback: bool = False) -> bool:
    """[R14.8-4]; an address of an unknown kind cannot be. `loopback`: the user asks for such addresses."""
    if address.kind not in (IPV4, IPV6) or address.value[-2:] == b"\x00\x00":
        return False
    parsed = ipaddress.ip_address(address.value[:-2])
    mapped = getattr(parsed, "ipv4_mapped", None)  # it leads to the IPv4 address
    return not any(
        host.is_unspecified or (host.is_loopback and not loopback) or host.is_multicast or str(host) == "255.255.255.255"
        for host in (parsed, mapped) if host is not None
    )


@dataclass
class _Round:
    """The addresses of one member that are still to be tried."""

    addresses: list[Address] = field(default_factory=list)
    at: int = 0


class Dialler:
    """Says which addresses are to be tried now. It knows nothing of links but what it is told."""

    def __init__(self, loopback: bool = False) -> None:
        self._loopback = loopback
        self._rounds: dict[bytes, _Round] = {}
        self._tried: dict[Address, int] = {}
        self._under_way: dict[tuple[bytes, Address], int] = {}

    def want(self, own: bytes, entry: Entry, own_addresses: bool, now: int, at_once: bool = False) -> None:
        """The lesser key dials at once, the other later, or at once if it has no address at which it could be dialled."""
        addresses = self._addresses(entry)
        waits = own > entry.member and own_addresses and not at_once
        if not addresses:
            self.drop(entry.member)
        elif entry.member not in self._rounds:
            self._rounds[entry.member] = _Round(addresses, now + (LATER if waits else 0))

    def _addresses(self, entry: Entry) -> list[Address]:
        return [address for address in entry.addresses if may_be_dialled(address, self._loopback)]

    def wants(self, member: bytes) -> bool:
        return member in self._rounds

    def drop(self, member: bytes) -> None:
        """It is linked, gone or refused."""
        self._rounds.pop(member, None)
        for attempt in [attempt for attempt in self._under_way if attempt[0] == member]:
            del self._under_way[attempt]

    def failed(self, member: bytes, address: Address) -> None:
        self._under_way.pop((member, address), None)

    def _expire(self, now: int) -> None:
        for attempt, since in list(self._under_way.items()):
            if now >= since + ATTEMPT:
                del self._under_way[attempt]
        self._tried = {address: at for address, at in self._tried.items() if now < at + AGAIN}

    def due(self, now: int, entries: dict[bytes, Entry]) -> list[tuple[bytes, Address]]:
        """What is to be tried now; each address once in 60 s, and 8 attempts at most."""
        self._expire(now)
        dials: list[tuple[bytes, Address]] = []
        for member, turn in sorted(self._rounds.items()):
            if now < turn.at or len(self._under_way) >= MAXIMUM_ATTEMPTS:
                continue
            if not turn.addresses:
                turn.addresses = self._addresses(entries[member])
            address = next((address for address in turn.addresses if address not in self._tried), None)
            if address is None:
                turn.at = min((self._tried[address] + AGAIN for address in turn.addresses), default=now + AGAIN)
                continue
            turn.addresses.remove(address)
            self._tried[address] = now
            self._under_way[member, address] = now
            turn.at = now + (BETWEEN_ADDRESSES if turn.addresses else AGAIN)
            dials.append((member, address))
        return dials

    @property
    def deadline(self) -> int | None:
        times = [turn.at for turn in self._rounds.values()]
        if len(self._under_way) >= MAXIMUM_ATTEMPTS:
            times = [since + ATTEMPT for since in self._under_way.values()]
        return min(times, default=None)
