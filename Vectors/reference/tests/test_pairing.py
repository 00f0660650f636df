"""SPEC §25: short strings, one-time codes, and what is computed from them."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from multipeer_reference import cpace, ristretto
from multipeer_reference.cpace import PRESENTER, TYPIST, Message, Side
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.onetimecode import BadCode, OneTimeCode
from multipeer_reference.shortstring import Link
from multipeer_reference.verification import Begin, Bytes
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
PRIME = ristretto.P.to_bytes(32, "little")
ALICE, BOB, CAROL, SID = b"A" * 32, b"B" * 32, b"C" * 32, b"s" * 32


def test_multiples_of_the_generator():
    generator = ristretto.decode(bytes.fromhex(MULTIPLES[1]))
    for number, expected in enumerate(MULTIPLES):
        assert ristretto.encode(ristretto.multiply(number, generator)).hex() == expected
    assert ristretto.encode(ristretto.multiply(ristretto.ORDER, generator)) == ristretto.IDENTITY


@pytest.mark.parametrize("encoding", (
    PRIME, (ristretto.P + 2).to_bytes(32, "little"), b"\xff" * 32, b"\x01" + bytes(31), bytes(31) + b"\x80", bytes(31), bytes(33),
))
def test_what_is_no_element(encoding):
    """[R25.5-2]."""
    with pytest.raises(ristretto.NoElement):
        ristretto.decode(encoding)


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
    section = (REPOSITORY / "SPEC.md").read_text().partition("\n### 25.2 ")[2].partition("\n### ")[0]
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() in section
    assert len(set(WORDS)) == len({word[:4] for word in WORDS}) == 1024 and list(WORDS) == sorted(WORDS)
    assert all(re.fullmatch("[a-z]{4,7}", word) for word in WORDS)


# Short strings

def link(key: bytes = b"k" * 32, initiator: bytes = ALICE, responder: bytes = BOB) -> Link:
    return Link(key, initiator, responder)


def test_string_of_a_link():
    """[R25.3-3]."""
    links = (link(), link(b"l" * 32), link(initiator=CAROL), link(responder=CAROL), link(initiator=BOB, responder=ALICE))
    strings = {one.string(b"1" * 32, b"2" * 32) for one in links} | {link().string(b"2" * 32, b"1" * 32)}
    assert len(strings) == len({string.digits for string in strings}) == len({string.words for string in strings}) == 6
    assert all(re.fullmatch("[0-9]{6}", string.digits) and len(string.words) == 3 for string in strings)


def test_commitments():
    """[R25.3-2]."""
    commitment = link().commitment(b"1" * 32)
    link().check(commitment, b"1" * 32)
    for wrong in (b"2" * 32, b"1" * 31 + b"0"):
        assert error_of(lambda: link().check(commitment, wrong)) is ErrorCode.COMMITMENT_INVALID
    for other in (link(b"l" * 32), link(initiator=CAROL), link(initiator=BOB, responder=ALICE)):
        assert error_of(lambda: other.check(commitment, b"1" * 32)) is ErrorCode.COMMITMENT_INVALID


# Codes

@pytest.mark.parametrize("text", (b"4-tulip-orbit", b"4 TULIP Orbit", b"\t4 --tulip-  orbit -"))
def test_normal_form(text):
    """[R25.4-1]."""
    assert OneTimeCode.typed(text) == OneTimeCode(4, ("tulip", "orbit"))
    assert OneTimeCode.typed(text).normal_form == "4-tulip-orbit"


@pytest.mark.parametrize("text", (
    b"", b"-", b"4-tulip", b"tulip-orbit", b"4-tulip-orbit-acorn", b"0-tulip-orbit", b"1000-tulip-orbit", b"04-tulip-orbit",
    b"4-tulip-orbis", b"4-tulip-orbit\n", b"4-tulip\xe2\x80\x93orbit", b"4-tulip-orbit" + b" " * 52, b"\xb2-tulip-orbit",
))
def test_what_is_no_code(text):
    """[R25.4-1]."""
    with pytest.raises(BadCode):
        OneTimeCode.typed(text)


def test_codes_are_drawn_anew():
    """[R25.4-2]."""
    codes = {OneTimeCode.draw(7, os.urandom) for _ in range(32)}
    assert len(codes) > 30 and all(OneTimeCode.typed(code.normal_form.encode()) == code for code in codes)


# Frames

@pytest.mark.parametrize("number", (0, 1000, 2**62 - 1))
def test_numbers_of_codes(number):
    """[R25.6-1]."""
    assert error_of(lambda: Begin.decode(Begin(ALICE, number).encode())) is ErrorCode.MALFORMED


def test_what_is_authenticated_of_a_frame():
    for number in (1, 63, 64, 999):
        begin = Begin(ALICE, number)
        assert Begin.decode(begin.encode()) == begin and begin.encode() == ALICE + begin.associated_data
    assert Bytes(BOB).encode() == BOB + Bytes(BOB).associated_data == BOB + b"\x00"


# Attempts

def error_of(action) -> ErrorCode:
    with pytest.raises(ProtocolError) as caught:
        action()
    return caught.value.code


def side(role: bytes, code: bytes = b"4-tulip-orbit", typist: bytes = ALICE, presenter: bytes = BOB, sid: bytes = SID) -> Side:
    data = b"\x04\x00" if role == TYPIST else b"\x00"
    return Side(role, code, cpace.channel(typist, presenter), sid, data, role * 31 + b"\x77")


def exchange(typist: Side, presenter: Side) -> None:
    presenter.receive(typist.message)
    typist.receive(presenter.message)
    presenter.check(typist.confirmation)
    typist.check(presenter.confirmation)


def test_one_code():
    exchange(side(TYPIST), side(PRESENTER))


@pytest.mark.parametrize("difference", (
    {"code": b"4-tulip-acorn"}, {"code": b"5-tulip-orbit"}, {"sid": b"t" * 32}, {"typist": CAROL}, {"presenter": CAROL},
    {"typist": BOB, "presenter": ALICE},
))
def test_what_differs(difference):
    """[R25.5-3]."""
    assert error_of(lambda: exchange(side(TYPIST, **difference), side(PRESENTER))) is ErrorCode.CODE_WRONG
    assert error_of(lambda: exchange(side(TYPIST), side(PRESENTER, **difference))) is ErrorCode.CODE_WRONG


def test_a_presenter_without_the_code():
    """[R25.5-3]: it skips its own check."""
    typist, presenter = side(TYPIST), side(PRESENTER, b"4-acorn-orbit")
    presenter.receive(typist.message)
    typist.receive(presenter.message)
    assert error_of(lambda: typist.check(presenter.confirmation)) is ErrorCode.CODE_WRONG


@pytest.mark.parametrize("role", (TYPIST, PRESENTER))
def test_reflections(role):
    """[R25.5-3]."""
    mirrored = side(role)
    mirrored.receive(mirrored.message)
    assert error_of(lambda: mirrored.check(mirrored.confirmation)) is ErrorCode.CODE_WRONG
    one, other = side(role), side(PRESENTER if role == TYPIST else TYPIST)
    one.receive(other.message)
    assert error_of(lambda: one.check(one.confirmation)) is ErrorCode.CODE_WRONG


@pytest.mark.parametrize("role", (TYPIST, PRESENTER))
@pytest.mark.parametrize("share", (ristretto.IDENTITY, PRIME, b"\xff" * 32, b"\x01" + bytes(31)))
def test_bad_shares(role, share):
    """[R25.5-2]."""
    assert error_of(lambda: side(role).receive(Message(share, b""))) is ErrorCode.MALFORMED


def test_a_relayed_code():
    """Somebody between two peers passes everything on ([R25.5-3])."""
    typist = side(TYPIST, presenter=CAROL, sid=b"1" * 32)
    presenter = side(PRESENTER, typist=CAROL, sid=b"2" * 32)
    assert error_of(lambda: exchange(typist, presenter)) is ErrorCode.CODE_WRONG
