"""[R6.6-1]: the receiving path of SPEC §6.6, transcribed, and a link that gets the same records."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from multipeer_reference import events
from multipeer_reference.core import State
from multipeer_reference.errors import ErrorCode
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.policy import Preference
from multipeer_reference.protection import seal
from multipeer_reference.records import RecordKind

from .helpers import ALICE, BOB, FULL, Pair, config

RUNS = 20_000 if FULL else 750
ODD, EVEN = 0x1F, 0x3E
SEALED, READABLE = RecordKind.ENCRYPTED, RecordKind.AUTHENTICATED
#: Frames with a payload that decodes, and that no other frame makes wrong.
SOUND = {
    T.MESSAGE: b"\x01m", T.PING: bytes(8), T.PADDING: b"xy", T.REKEY: b"\x00", T.READY: b"\x00", T.CLOSE: b"\x00\x00",
    T.ADMIT: b"\x00\x00", T.PEER_INFO: b"\x00", ODD: b"?", EVEN: b"?",
}
#: SPEC §17, for the types above.
ALLOWED = {"proof": set(), "identified": set(), "open": {T.MESSAGE, T.PING, T.REKEY}, "readable": {T.MESSAGE, T.PING, T.REKEY}}


class Failed(Exception):
    def __init__(self, code: ErrorCode) -> None:
        self.code = code


@dataclass
class Receiver:
    """The procedure, for a link in one of the places and until its first error or CLOSE."""

    place: str
    messages: int = 0
    is_over: bool = False
    code: ErrorCode | None = None
    rekeyed: bool = False

    def header(self, kind: int, length: int) -> None:
        if kind not in (0x01, 0x02, SEALED, READABLE):
            raise Failed(ErrorCode.MALFORMED)
        if kind in (0x01, 0x02):
            raise Failed(ErrorCode.UNEXPECTED_RECORD)
        if not 18 <= length <= 65_532:
            raise Failed(ErrorCode.MALFORMED)
        if 3 + length > 1_024 and self.place == "proof":
            raise Failed(ErrorCode.LIMIT_EXCEEDED)
        # The 131,072 bytes of R19-1 are more than a run sends.
        if kind == READABLE and self.place != "readable":
            raise Failed(ErrorCode.WRONG_PROTECTION)

    def frames(self, frames: list[tuple[int, bytes]], kind: int) -> None:
        self.rekeyed = False
        for type_, data in frames:
            if data == OVERLONG:
                raise Failed(ErrorCode.MALFORMED)
            if self.rekeyed:
                raise Failed(ErrorCode.UNEXPECTED_FRAME)
            if type_ == EVEN and self.place != "proof":
                raise Failed(ErrorCode.UNSUPPORTED)
            if kind == READABLE and type_ != T.MESSAGE:
                raise Failed(ErrorCode.WRONG_PROTECTION)
            if kind == SEALED and type_ == T.MESSAGE and self.place == "readable":
                raise Failed(ErrorCode.WRONG_PROTECTION)
            if type_ == T.CLOSE:
                self.is_over = True
                return
            if self.place == "proof":
                raise Failed(ErrorCode.UNEXPECTED_FRAME)
            if type_ in (T.PADDING, ODD):
                continue
            if type_ not in ALLOWED[self.place]:
                raise Failed(ErrorCode.UNEXPECTED_FRAME)
            self.messages += type_ == T.MESSAGE
            self.rekeyed = type_ == T.REKEY


#: A frame that claims more than is left.
OVERLONG = b"\x01\x05\x00"


def placed(place: str) -> Pair:
    preference = Preference.NONE if place == "readable" else Preference.REQUIRED
    pair = Pair(config(ALICE, preference=preference), config(BOB, preference=preference), place)
    if place == "proof":
        pair.step(True)
        pair.step(False)  # the initiator has keys, and has sent nothing under them
    elif place == "identified":
        pair.pump()
    else:
        pair.open()
    assert pair.responder.link.state is {"proof": State.PROOF, "identified": State.IDENTIFIED}.get(place, State.OPEN)
    return pair


def run(place: str, chance: random.Random) -> tuple[Receiver, set[str]]:
    """Sends records until the procedure has failed or seen CLOSE. Says which places in the procedure were reached."""
    pair, model, reached = placed(place), Receiver(place), set()
    link, cipher = pair.responder.link, pair.initiator.link.core.channel.sending
    before = len(pair.responder.of(events.MessageReceived))
    for _ in range(8):
        kind = chance.choice([SEALED] * 6 + [READABLE] * 3)
        usual = [T.MESSAGE] if kind == READABLE else [T.PING, T.PADDING, ODD, T.REKEY] + [T.MESSAGE] * (place == "open")
        types = [chance.choice(usual if chance.random() < 0.8 else list(SOUND)) for _ in range(chance.randint(1, 4))]
        frames = [(type_, Frame(type_, SOUND[type_]).encode()) for type_ in types]
        if chance.random() < 0.08:
            frames.append((T.PADDING, OVERLONG))
        if place == "proof" and chance.random() < 0.3:
            frames.append((T.PADDING, Frame(T.PADDING, bytes(1_100)).encode()))
        plaintext = b"".join(data for _, data in frames)
        plaintext = plaintext if len(plaintext) > 1 else plaintext + b"\x01\x00"
        record = bytearray(seal(cipher, kind, plaintext))
        fault = chance.choice(["kind", "order", "length", "tag"]) if chance.random() < 0.1 else ""
        if fault == "kind":
            record[0] = 0x33
        elif fault == "order":
            record[0] = 0x01
        elif fault == "length":
            record[1:3] = (17).to_bytes(2, "big")
        elif fault == "tag":
            record[-1] ^= 1
        try:
            model.header(record[0], int.from_bytes(record[1:3], "big"))
            if fault == "tag":
                raise Failed(ErrorCode.DECRYPT_FAILED)
            model.frames(frames, kind)
        except Failed as failed:
            model.is_over, model.code = True, failed.code
        link.receive(bytes(record), pair.now)
        pair.responder.drain(pair.now)
        label = (place, kind.name, fault, [hex(type_) for type_ in types])
        assert pair.responder.error == model.code, label
        assert len(pair.responder.of(events.MessageReceived)) - before == model.messages, label
        assert (link.state in (State.CLOSING, State.CLOSED)) == model.is_over, label
        reached.add(str(model.code))
        if model.is_over:
            break
        if model.rekeyed:
            cipher.rekey()
    return model, reached


@pytest.mark.parametrize("place", ALLOWED)
def test_random_records(place):
    """[R6.6-1], [R18-1], [R6.3-2]: the same error, and the same frames acted on before it."""
    chance, reached = random.Random(f"receiving/{place}"), set()
    for _ in range(RUNS // len(ALLOWED)):
        reached |= run(place, chance)[1]
    wanted = {ErrorCode.MALFORMED, ErrorCode.UNEXPECTED_RECORD, ErrorCode.UNEXPECTED_FRAME, ErrorCode.DECRYPT_FAILED,
              ErrorCode.WRONG_PROTECTION}
    wanted |= {ErrorCode.LIMIT_EXCEEDED} if place == "proof" else {ErrorCode.UNSUPPORTED}
    assert reached >= {str(code) for code in wanted} | {"None"}
