"""A UDP socket beside a TCP connection: at its local address, to and from its remote host alone (SPEC §26.5)."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from typing import Iterator

from .datagrams.packets import LONGEST

#: Level, option and value that forbid fragments, by platform and family. The module `socket` does not name them.
_WHOLE = {
    ("linux", socket.AF_INET): (socket.IPPROTO_IP, 10, 2),  # IP_MTU_DISCOVER, IP_PMTUDISC_DO
    ("linux", socket.AF_INET6): (socket.IPPROTO_IPV6, 23, 2),  # IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO
    ("darwin", socket.AF_INET): (socket.IPPROTO_IP, 28, 1),  # IP_DONTFRAG
    ("darwin", socket.AF_INET6): (socket.IPPROTO_IPV6, 62, 1),  # IPV6_DONTFRAG
}
#: So many packets are read before the link has its turn again.
_AT_ONCE = 64


def leads_to_a_host(connection: socket.socket) -> bool:
    """Otherwise there are no datagrams ([R26.5-1])."""
    return connection.family in (socket.AF_INET, socket.AF_INET6)


class UdpSocket:
    """OSError if `port` is not free; 0 is any port."""

    def __init__(self, connection: socket.socket, port: int) -> None:
        local, self._remote = connection.getsockname(), connection.getpeername()
        self.socket = socket.socket(connection.family, socket.SOCK_DGRAM)
        try:
            self._forbid_fragments()
            self.socket.setblocking(False)
            self.socket.bind((local[0], port, *local[2:]))
        except OSError:
            self.close()
            raise

    def _forbid_fragments(self) -> None:
        """Where the system allows that (SPEC §26.5)."""
        option = _WHOLE.get((sys.platform, self.socket.family))
        if option is not None:
            with suppress(OSError):
                self.socket.setsockopt(*option)

    @property
    def address(self) -> tuple[str, int]:
        """The local one."""
        host, port = self.socket.getsockname()[:2]
        return host, port

    @property
    def remote_host(self) -> str:
        return self._remote[0]

    def send(self, port: int, packet: bytes) -> None:
        """What the system does not take is lost."""
        with suppress(OSError):
            self.socket.sendto(packet, (self._remote[0], port, *self._remote[2:]))

    def receive(self) -> Iterator[tuple[int, bytes]]:
        """What has come from the remote host, and the ports that it came from. The others' is dropped ([R26.4-1])."""
        for _ in range(_AT_ONCE):
            try:
                packet, source = self.socket.recvfrom(LONGEST + 1)  # of a longer packet one byte too many
            except BlockingIOError:
                return
            except OSError:
                continue  # a packet that was sent has not arrived
            if _host(source) == _host(self._remote):
                yield source[1], packet

    def close(self) -> None:
        self.socket.close()


def _host(address: tuple) -> tuple:
    """With the scope, of IPv6."""
    return address[0], *address[3:]
