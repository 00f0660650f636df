"""SPEC B.4, as this reading of the text builds it: every byte that it makes is in SPEC.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multipeer_reference import manifest
from multipeer_reference.association.frames import Ack, Credit
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen
from multipeer_reference.charter import Charter
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.files import FileAccept, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.session.admissions import admit, signed_bytes
from multipeer_reference.session.entries import Address, Entry
from multipeer_reference.session.frames import Admit, Digest, Roster as RosterFrame
from multipeer_reference.session.parameters import Parameters
from multipeer_reference.session.roster import Roster

TEXT = (Path(__file__).parents[3] / "SPEC.md").read_text().partition("### B.4 ")[2].partition("<!-- trace end -->")[0]
ANNA = SigningKey(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
BEN = SigningKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
CHARTER = Charter(
    ANNA.public, bytes.fromhex("80021590ff0b4dc3a53c36d76cec99e0758527120fbbe785a83d7e35de181749"),
    Parameters(maximum_members=8).fields(),
)
ADMISSION = admit(ANNA, CHARTER.identifier, BEN.public)
ANNAS = Entry(ANNA.public, 1_795_000_000_000, 0, name="Anna", addresses=(Address(1, bytes.fromhex("c00002011267")),))
ANNAS = ANNAS.signed(ANNA, CHARTER.identifier)
BENS = Entry(BEN.public, 1_795_000_001_000, 0, name="Ben", chain=(ADMISSION,)).signed(BEN, CHARTER.identifier)


def labelled() -> dict[str, str]:
    """The bytes of the tables that have a label, by it. A line without a label continues the one before."""
    found, label = {}, ""
    for line in TEXT.splitlines():
        if match := re.fullmatch(r"(\S.*?)?\s{2,}((?:[0-9a-f]{2})+)", line):
            label = match[1] or label
            found[label] = found.get(label, "") + match[2]
    return found


def listed(heading: str) -> str:
    """The bytes of a table that has offsets."""
    table = TEXT.partition(f"**{heading}**")[2].partition("```\n")[2].partition("```")[0]
    return "".join(line.split()[1] for line in table.splitlines())


FRAMES = [
    ("CREDIT of 300,000 of messages", T.CREDIT, Credit(0, 0, 300_000)), ("ACK of 64 frames", T.ACK, Ack(64)),
    ("STREAM_OPEN 0, both ways", T.STREAM_OPEN, StreamOpen(0, 32_768, "chat")), ('STREAM_DATA "hi"', T.STREAM_DATA, StreamData(0, b"hi")),
    ("STREAM_END of 2 bytes", T.STREAM_END, StreamEnd(0, 2)), ("FILE_OFFER 2, 5 bytes", T.FILE_OFFER, FileOffer(2, 5, "a.txt")),
    ("FILE_ACCEPT from 0", T.FILE_ACCEPT, FileAccept(2, 0, credit=5)), ('FILE_DATA "hello"', T.FILE_DATA, FileData(2, 0, b"hello")),
    ("FILE_END", T.FILE_END, FileEnd(2, bytes.fromhex("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"))),
    ("FILE_DONE", T.FILE_DONE, FileDone(2)), ("ADMIT", T.ADMIT, Admit((ADMISSION,))),
]


@pytest.mark.parametrize("label, type_, value", FRAMES, ids=[label for label, *_ in FRAMES])
def test_frames(label, type_, value):
    assert Frame(type_, value.encode()).encode().hex() == labelled()[label]


def test_session():
    bytes_ = labelled()
    assert CHARTER.encode().hex() == bytes_["charter"] and CHARTER.identifier.hex() == bytes_["session identifier"]
    assert signed_bytes(CHARTER.identifier, BEN.public).hex() == bytes_["admission, input"]
    for name, entry in (("Anna", ANNAS), ("Ben", BENS)):
        assert Frame(T.ROSTER, RosterFrame((entry,)).encode()).encode().hex() == listed(f"{name}'s own entry, in ROSTER")
        assert entry.hash.hex() == bytes_[f"entry hash of {name}'s"]
    roster = Roster(CHARTER)
    for entry in (ANNAS, BENS):
        roster.take(entry)
    assert Frame(T.DIGEST, Digest(roster.digest).encode()).encode().hex() == bytes_["DIGEST"]


def test_manifest():
    members = [manifest.Member(2, 0, 0, "bin"), manifest.Member(1, 3, 1_700_000_000, "bin/run")]
    assert manifest.encode(members).hex() == labelled()["manifest"]
