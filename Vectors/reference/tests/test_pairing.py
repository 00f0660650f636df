"""SPEC §25: the list of words, and known answers of RFC 9496 and of the draft of CPace."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from multipeer_reference import cpace, ristretto
from multipeer_reference.cpace import TYPIST, Message, Side
from multipeer_reference.ed25519 import L
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.words import FILE, WORDS

REPOSITORY = Path(__file__).parents[3]
EXTERNAL = Path(os.environ.get("MULTIPEER_EXTERNAL_VECTORS", REPOSITORY / "../shared/external"))
KNOWN = EXTERNAL / "cpace/ristretto255.json"
known_answers = pytest.mark.skipif(not KNOWN.exists(), reason="the known answers are no part of the repository, and are not here")

#: 0 to 3 times the generator (RFC 9496 §A.1).
MULTIPLES = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
    "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
)
ALICE, BOB, SID = b"A" * 32, b"B" * 32, b"s" * 32


def test_multiples_of_the_generator():
    generator = ristretto.decode(bytes.fromhex(MULTIPLES[1]))
    for number, expected in enumerate(MULTIPLES):
        assert ristretto.encode(ristretto.multiply(number, generator)).hex() == expected
    assert ristretto.encode(ristretto.multiply(L, generator)) == ristretto.IDENTITY


@known_answers
def test_known_answers_of_the_draft():
    """[R25.5-2]."""
    file = json.loads(KNOWN.read_text())
    run = {name: bytes.fromhex(value) for name, value in file["G_Coffee25519"].items()}
    generator = cpace.generator(run["PRS"], run["CI"], run["sid"])
    assert ristretto.encode(generator) == run["g"]
    messages = [Message(run["Y" + side], run["AD" + side]) for side in "ab"]
    for own, other in ("ab", "ba"):
        y = int.from_bytes(run["y" + own], "little")
        assert ristretto.encode(ristretto.multiply(y, generator)) == run["Y" + own]
        product = ristretto.encode(ristretto.multiply(y, ristretto.decode(run["Y" + other])))
        assert product == run["K"]
        assert cpace.Keys.of(product, run["sid"], *messages).intermediate == run["ISK_IR"]
    points = file["G_Coffee25519_points"]
    valid = {name: bytes.fromhex(value) for name, value in points["Valid"].items()}
    y = int.from_bytes(valid["s"], "little")
    assert ristretto.encode(ristretto.multiply(y, ristretto.decode(valid["X"]))) == valid["G.scalar_mult_vfy(s,X)"]
    invalid = [bytes.fromhex(value) for name, value in points.items() if name.startswith("Invalid")]
    assert len(invalid) == 2
    for share in invalid:
        assert error_of(lambda: side(TYPIST).receive(Message(share, b""))) is ErrorCode.MALFORMED


def test_words():
    """[R25.2-1]."""
    section = (REPOSITORY / "docs/spec/verification.md").read_text().partition("\n### 25.2 ")[2].partition("\n### ")[0]
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() in section
    assert len(set(WORDS)) == len({word[:4] for word in WORDS}) == 1024 and list(WORDS) == sorted(WORDS)
    assert all(re.fullmatch("[a-z]{4,7}", word) for word in WORDS)


# Short strings


# Codes


# Frames


# Attempts

def error_of(action) -> ErrorCode:
    with pytest.raises(ProtocolError) as caught:
        action()
    return caught.value.code


def side(role: bytes, code: bytes = b"4-tulip-orbit", typist: bytes = ALICE, presenter: bytes = BOB, sid: bytes = SID) -> Side:
    data = b"\x04\x00" if role == TYPIST else b"\x00"
    return Side(role, code, cpace.channel(typist, presenter), sid, data, role * 31 + b"\x77")
