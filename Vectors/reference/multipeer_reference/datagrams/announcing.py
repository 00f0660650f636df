"""DATAGRAMS on one link: who sends it, when, and when both have gone (SPEC §26.2)."""

from __future__ import annotations

from typing import Callable

from ..core import Core
from ..errors import MisuseError, unexpected
from ..events import PathBegan
from ..frames import Frame, FrameType
from ..proofs import Role
from .frames import FEATURE, Datagrams, may_send_to


class Announcing:
    """`before` sends what of the session is to go first, as ADMIT does ([R14.5-1])."""

    def __init__(self, core: Core, before: Callable[[], None]) -> None:
        self._core, self._before = core, before
        #: Where DATAGRAMS is to go: the port that it names, or None where the local peer can take no datagrams.
        self.open_port: Callable[[], int | None] = self._port_of_config
        self._sent: Datagrams | None = None
        self._came: Datagrams | None = None

    def want(self) -> None:
        """The app wants to send a message as a datagram. MisuseError where there can be no path."""
        core = self._core
        if FEATURE not in core.config.features or core.peer_info is None or FEATURE not in core.peer_info.features:
            raise MisuseError("not both peers list the feature datagrams")
        if core.channel.is_readable:
            raise MisuseError("the link is readable")
        self._send()

    def _send(self) -> None:
        """Once; nothing by a peer that can take none."""
        core = self._core
        port = self.open_port() if self._sent is None else None
        if port is None:
            return
        self._before()
        self._sent = Datagrams(port)
        core.send(FrameType.DATAGRAMS, self._sent.encode())
        self._begin()

    def _port_of_config(self) -> int | None:
        core = self._core
        return 0 if core.role is Role.INITIATOR else core.config.datagram_port

    def handle(self, frame: Frame) -> None:
        """[R26.2-1], [R26.2-2]."""
        core = self._core
        came = Datagrams.decode(frame.payload)
        came.check_sender(core.role.other)
        assert core.peer_info is not None
        if core.channel.is_readable:
            raise unexpected("DATAGRAMS on a readable link")
        if FEATURE not in core.peer_info.features:
            raise unexpected("DATAGRAMS from a peer that does not list the feature")
        if self._came is not None:
            raise unexpected("a second DATAGRAMS")
        self._came = came
        if self._sent is None:
            self._send()
        else:
            self._begin()

    def _begin(self) -> None:
        """The path begins, where it may lead to that port ([R26.5-1])."""
        core = self._core
        if self._sent is None or self._came is None:
            return
        if core.role is Role.RESPONDER:
            core.emit(PathBegan(None))
        elif may_send_to(self._came.port):
            core.emit(PathBegan(self._came.port))
