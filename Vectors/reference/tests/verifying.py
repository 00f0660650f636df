"""Two links that know SPEC §25, and an attacker between two pairs of them."""

from __future__ import annotations

from typing import Callable

from multipeer_reference import events
from multipeer_reference.codes import Codes, Comparisons
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.ristretto import derive, encode
from multipeer_reference.verification import FEATURE, Ask, Begin, Bytes, Means

from .helpers import ALICE, BOB, Pair, Side, config, seeded

T = FrameType
#: A share that decodes.
SHARE = encode(derive(bytes(range(64))))
#: Well-formed frames of §25.6. CODE_BEGIN names a number that nobody here shows by chance.
FRAMES = {
    T.STRING_ASK: Ask().encode(), T.STRING_COMMIT: Bytes(b"c" * 32).encode(), T.STRING_NONCE: Bytes(b"n" * 32).encode(),
    T.STRING_REVEAL: Bytes(b"r" * 32).encode(), T.CODE_BEGIN: Begin(SHARE, 999).encode(),
    T.CODE_ANSWER: Bytes(SHARE).encode(), T.CODE_CONFIRM: Bytes(b"x" * 32).encode(),
}


def frame(type_: FrameType) -> Frame:
    return Frame(type_, FRAMES[type_])


def begin(number: int, share: bytes = SHARE) -> Frame:
    return Frame(T.CODE_BEGIN, Begin(share, number).encode())


def sides_of(pair: Pair, first: str) -> tuple[Side, Side]:
    """`first` is "initiator" or "responder"."""
    return pair.sides if first == "initiator" else pair.sides[::-1]


def shared(name: str = "") -> dict:
    """What all links of one process share. The feature is listed."""
    return {"features": (FEATURE,), "codes": Codes(seeded("codes" + name)), "comparisons": Comparisons()}


def verifying(initiator=ALICE, responder=BOB, mine: dict | None = None, yours: dict | None = None, seed: str = "test") -> Pair:
    """Both are identified."""
    return Pair(config(initiator, **(mine or shared("i"))), config(responder, **(yours or shared("r"))), seed).pump()


def codes_of(side: Side) -> Codes:
    return side.link.core.config.codes


def show(pair: Pair, side: Side) -> bytes:
    """This peer shows a code, as a person would type it."""
    return codes_of(side).show(pair.now).normal_form.encode()


def step_from(pair: Pair, side: Side) -> None:
    """What this peer has to send arrives; nothing goes the other way."""
    pair.step(side is pair.initiator)


def inject(pair: Pair, sender: Side, *frames: Frame) -> None:
    """They arrive from `sender`, and nothing else moves."""
    sender.inject(*frames)
    step_from(pair, sender)


def sent_by(side: Side) -> list[FrameType]:
    """Notes the types of frames that this peer sends from now on."""
    types: list[FrameType] = []
    channel = side.link.core.channel
    queue: Callable = channel.queue

    def note(frame: Frame) -> None:
        types.append(FrameType(frame.type))
        queue(frame)

    channel.queue = note
    return types


def verified(side: Side) -> list[tuple[bytes, Means]]:
    side.drain(side.link.core.now)
    return [(event.identity_key, event.means) for event in side.of(events.PeerVerified)]


class Relay:
    """Mallory between Alice and Bob: each frame that one of them sends goes to the other one, changed or not."""

    def __init__(self, alice_initiates: bool, mallory, change: Callable[[Frame], Frame] = lambda frame: frame) -> None:
        mine = shared("a"), shared("m")
        self.near = verifying(ALICE, mallory, *mine, seed="near") if alice_initiates else verifying(
            mallory, ALICE, *mine[::-1], seed="near")
        self.far = verifying(mallory, BOB, shared("m"), shared("b"), seed="far")
        role, other = ("initiator", "responder") if alice_initiates else ("responder", "initiator")
        (self.alice, self._near), (self._far, self.bob) = sides_of(self.near, role), self.far.sides
        assert self._near is getattr(self.near, other)
        self._change = change
        self._take(self._near, self._far)
        self._take(self._far, self._near)

    def _take(self, side: Side, other: Side) -> None:
        def handle(kind, frame: Frame) -> None:
            if frame.type != T.PADDING:
                other.inject(self._change(frame))

        side.link._dispatch.handle = handle

    def pump(self) -> "Relay":
        while self.near.step(True) | self.near.step(False) | self.far.step(True) | self.far.step(False):
            pass
        return self


def compare(pair: Pair) -> Pair:
    """Both persons want to."""
    for side in pair.sides:
        side.link.compare(pair.now)
    return pair.pump()


def strings(pair: Pair) -> list:
    return [(event.digits, event.words) for side in pair.sides for event in side.of(events.StringReady)]
