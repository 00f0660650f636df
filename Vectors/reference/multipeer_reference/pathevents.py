"""What a live path reports to its app (SPEC §26)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UdpOpened:
    """The local peer takes datagrams here."""

    host: str
    port: int


@dataclass(frozen=True)
class PathHolds:
    """From now on messages go over the path, to this port of the peer's (SPEC §26.5)."""

    port: int


@dataclass(frozen=True)
class PathLost:
    """It does not hold any more: messages go over the link."""


@dataclass(frozen=True)
class DatagramReceived:
    """A message that came as a datagram (SPEC §26.6)."""

    data: bytes


PathEvent = UdpOpened | PathHolds | PathLost | DatagramReceived
