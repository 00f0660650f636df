"""The remote end of a node's link in a NodeScript: it proves itself, and then says what steps say."""

from __future__ import annotations

import hashlib
from typing import Callable

from ..config import Config
from ..core import Core, State
from ..ed25519 import SigningKey
from ..frames import Frame, FrameType, decode_frames
from ..hello import SUITE_CHACHAPOLY
from ..opening import Opening
from ..proofs import Role
from ..records import PROTECTED, Assembler


def seeded(seed: str) -> Callable[[int], bytes]:
    """Bytes that no script sees."""
    state = {"count": 0}

    def random(count: int) -> bytes:
        state["count"] += 1
        data = hashlib.shake_256(f"{seed}/{state['count']}".encode()).digest(count)
        return data

    return random


class NodePeer:
    """A channel, and the frames that came over it. A silent one answers only once a step asks it to."""

    def __init__(self, seed: bytes, role: Role, number: int, is_silent: bool) -> None:
        # Not with a hybrid suite, whose ciphertext no seed gives.
        suites = (SUITE_CHACHAPOLY,)
        config = Config(SigningKey(seed), "", maximum_message=16_777_216, grease=False, suites=suites)
        self._core = Core(config, role, seeded(f"peer {number}"), 0)
        self._opening = Opening(self._core)
        self._assembler = Assembler()
        self._is_silent = is_silent
        self.heard: list[Frame] = []
        self.has_closed = self.has_ended = False

    def prove(self) -> None:
        self._is_silent = False
        self._read()

    def receive(self, data: bytes) -> None:
        self._assembler.feed(data)
        if not self._is_silent:
            self._read()

    def take_output(self) -> bytes:
        return self._core.channel.take_output()

    @property
    def core(self) -> Core:
        """For what RESUME proves: keys and hashes."""
        return self._core

    def send(self, frame: Frame, fault: str | None) -> bytes:
        """A record with this frame; nothing before there are keys."""
        if not self._core.channel.is_secured:
            return b""
        before = self.take_output()
        self._core.channel.queue(frame)
        record = self.take_output()
        match fault:
            case "tag":
                record = record[:-1] + bytes([record[-1] ^ 1])
            case "cut":
                record = record[:-1]
        return before + record

    def _read(self) -> None:
        if not self._assembler.take_magic():
            return
        while (header := self._assembler.peek_header()) is not None:
            body = self._assembler.take_body(header)
            if body is None:
                return
            if header.kind not in PROTECTED:
                self._opening.handle_clear(header, body)
                continue
            for frame in decode_frames(self._core.channel.open(header, body)):
                self._hear(frame)

    def _hear(self, frame: Frame) -> None:
        """PROOF is shown without its payload, and only that of an initiator; PEER_INFO and PADDING are not."""
        if frame.type == FrameType.PROOF:
            if self._core.role is Role.RESPONDER:
                self.heard.append(Frame(FrameType.PROOF, b""))
            if self._core.state is State.PROOF:
                self._opening.handle_proof(frame)
        elif frame.type == FrameType.REKEY:
            assert self._core.channel.receiving is not None
            self._core.channel.receiving.rekey()
            self.heard.append(frame)
        elif frame.type != FrameType.PEER_INFO and not frame.is_ignorable:
            self.heard.append(frame)
            self.has_closed |= frame.type == FrameType.CLOSE
