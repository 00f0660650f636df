"""Two links in memory, with seeded randomness and a clock that the test turns."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import Callable

from multipeer_reference import events
from multipeer_reference.charter import Charter
from multipeer_reference.config import AcceptInvitation, Config, Decision, InviteRequest, Verdict
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.errors import ErrorCode
from multipeer_reference.frames import Frame
from multipeer_reference.hello import SUITE_AESGCM, SUITE_CHACHAPOLY
from multipeer_reference.link import Link
from multipeer_reference.proofs import Role
from multipeer_reference.session.admissions import admit

#: With MULTIPEER_FULL=1 sweeps are complete; otherwise large ones are sampled under a fixed seed.
FULL = os.environ.get("MULTIPEER_FULL") == "1"

#: Alice, the initiator by default, has the lesser key, so her files have even numbers (SPEC §15.3).
ALICE, BOB = sorted((SigningKey(bytes([seed]) * 32) for seed in (1, 2)), key=lambda key: key.public)
LESSER, GREATER = ALICE, BOB
#: Their public keys begin with 0000 and ffff: lesser and greater than (nearly) anybody's.
LEAST, GREATEST = (SigningKey(number.to_bytes(32, "big")) for number in (36, 22_186))
#: With these all bytes follow from seeds; those of a hybrid suite do not, since the library draws the ciphertext.
REPEATABLE = (SUITE_CHACHAPOLY, SUITE_AESGCM)
#: A session that exists already.
CHARTER = Charter(ALICE.public, bytes(range(32)))


def seed_of(key: SigningKey) -> str:
    """As --identity-seed takes it."""
    return key._key.private_bytes_raw().hex()


def seeded(seed: str) -> Callable[[int], bytes]:
    """SHA-256 in counter mode."""
    state = {"counter": 0, "buffer": b""}

    def random(count: int) -> bytes:
        while len(state["buffer"]) < count:
            state["buffer"] += hashlib.sha256(f"{seed}/{state['counter']}".encode()).digest()
            state["counter"] += 1
        result, state["buffer"] = state["buffer"][:count], state["buffer"][count:]
        return result

    return random


def config(identity: SigningKey = ALICE, **changes: object) -> Config:
    return replace(Config(identity=identity, display_name="peer", suites=REPEATABLE), **changes)


class Side:
    """A link with an app that says yes, unless the test takes over."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.events: list[events.Event] = []
        self.answers: dict[type, Callable[[object], Decision | None]] = {
            events.InvitationReceived: lambda event: AcceptInvitation(),
            events.CertificatesReceived: lambda event: Verdict(ErrorCode.NO_ERROR),
        }

    def drain(self, now: int) -> None:
        while pending := self.link.take_events():
            self.events += pending
            for event in pending:
                answer = self.answers.get(type(event), lambda event: None)(event)
                if answer is not None:
                    self.link.resolve(event.token, answer, now)

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type):
        found = self.of(kind)
        assert len(found) == 1, (kind, self.events)
        return found[0]

    def one_drained(self, now: int, kind: type):
        self.drain(now)
        return self.one(kind)

    @property
    def error(self) -> ErrorCode | None:
        return self.link.core.error

    def inject(self, *frames: Frame) -> None:
        """Sends frames past the state machine, as a faulty peer would."""
        for frame in frames:
            self.link.core.channel.queue(frame)


class Pair:
    """`wire` collects all that went: (from initiator?, bytes)."""

    def __init__(self, initiator: Config | None = None, responder: Config | None = None, seed: str = "test") -> None:
        self.now = 0
        self.initiator = Side(Link(initiator or config(ALICE), Role.INITIATOR, 0, seeded(seed + "i")))
        self.responder = Side(Link(responder or config(BOB), Role.RESPONDER, 0, seeded(seed + "r")))
        self.sent = {True: bytearray(), False: bytearray()}
        self.tamper: Callable[[bool, int, bytes], bytes] = lambda from_initiator, offset, data: data
        self.chunk = 1 << 30

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.initiator, self.responder

    def step(self, from_initiator: bool) -> bool:
        """Moves what one peer has to send; False if that is nothing."""
        sender, receiver = self.sides if from_initiator else self.sides[::-1]
        sender.drain(self.now)
        data = sender.link.take_output()
        offset = len(self.sent[from_initiator])
        self.sent[from_initiator] += data
        data = self.tamper(from_initiator, offset, data)
        for start in range(0, len(data), self.chunk):
            receiver.link.receive(data[start : start + self.chunk], self.now)
            receiver.drain(self.now)
        return bool(data)

    def pump(self) -> "Pair":
        while self.step(True) | self.step(False):
            pass
        for side in self.sides:
            side.drain(self.now)
        return self

    def invite(self, by: Side | None = None, **values: object) -> None:
        """With a charter: as its founder, who is Alice, or as a member that she has admitted."""
        side, charter = by or self.initiator, values.get("charter")
        own = side.link.core.config.identity.public
        if charter is not None and own != charter.founder:
            values.setdefault("chain", (admit(ALICE, charter.identifier, own),))
        side.link.invite(InviteRequest(**values), self.now)

    def open(self, by: Side | None = None) -> "Pair":
        self.invite(by)
        self.pump()
        assert all(side.of(events.Opened) for side in self.sides), [side.events for side in self.sides]
        return self

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds
        for side in self.sides:
            side.link.timeout(self.now)
        self.pump()
