"""SPEC §13.5, §14.8, §14.9: which peers a node accepts, declines and dials, in cases that no script can express."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.dialling import Dialler, may_be_dialled
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.fields import Field
from multipeer_reference.invitation import CHAIN, DeclineReason, Invite, SessionKind
from multipeer_reference.node import Node
from multipeer_reference.nodeevents import Asked, CloseLink, Departed, Dial, Ghost, SendInvite
from multipeer_reference.session.admissions import encode_chain
from multipeer_reference.session.departures import End, departure_of
from multipeer_reference.session.entries import Address
from multipeer_reference.session.instances import Shown

from .helpers import seeded
from .members import CHARTER, FOUNDER, chain, entry, key
from .world import address

EXISTING, MEMBERS = SessionKind.EXISTING, SessionKind.MEMBERS
#: Its key is greater than the founder's.
PEER = next(number for number in range(2, 40) if key(number).public > FOUNDER.public)


def new_exchange() -> SimpleNamespace:
    """Of a link on which nothing has gone or come."""
    mine = SimpleNamespace(session=CHARTER.identifier, roster={})
    return SimpleNamespace(
        is_neighbour_in=lambda session: False, frames=[], catch_up=lambda now: None, unite=lambda now: None, outgoing=mine, incoming=mine,
    )


@dataclass
class Told:
    """The founder's node, and one peer of it."""

    links: int = 256  # at most
    now: int = 0
    node: Node = field(init=False)

    def __post_init__(self) -> None:
        shown = Shown("me", (address(1),))
        self.node = Node(FOUNDER, seeded("n"), shown, charter=CHARTER, maximum_links=self.links)

    @property
    def key(self) -> bytes:
        return key(PEER).public

    def knows(self) -> "Told":
        self.node.membership.take(entry(PEER, addresses=(address(PEER),)), self.now)
        return self

    def invite(self, kind: SessionKind = EXISTING, charter: Charter = CHARTER) -> Invite:
        """One of the peer's, to a session that exists."""
        links = chain(PEER, 1, charter=charter)
        return Invite(charter, kind, 2, 0, 1_000, b"", (Field(CHAIN, encode_chain(links)),))

    def take(self) -> list:
        commands, self.node.commands = self.node.commands, []
        return [command for command in commands if not isinstance(command, Dial)]

    def events(self, kind: type) -> list:
        return [event for event in self.node.events if isinstance(event, kind)]

    def whys(self) -> list[str]:
        return [str(event.why) for event in self.events(Departed)]

    def at(self, now: int) -> "Told":
        self.now = now
        self.node.tick(now)
        return self

    def meets(self, link: object, dialled: Address | None = None) -> "Told":
        self.node.identified(link, self.key, dialled)
        return self

    def they_invite(self, link: object, invite: Invite | None = None) -> list:
        self.meets(link)
        self.node.invited(link, invite or self.invite())
        return self.take()

    def opens(self, link: object) -> "Told":
        self.node.opened(link, new_exchange())
        return self


def test_reasons_to_decline_and_their_order():
    """R14.8-2, R13.5-6: 6, 1, 7, 2."""
    def answer(told: Told, charter: Charter = CHARTER, kind: SessionKind = MEMBERS) -> list:
        return [command.reason for command in told.they_invite("new", told.invite(kind, charter))]

    other = Charter(FOUNDER.public, b"o" * 32)
    crowd = Told(links=0)
    crowd.node._left[crowd.key] = [SimpleNamespace(untaken=131_073)]
    crowd.node.block(crowd.key)
    assert answer(crowd, other) == [DeclineReason.NO_SESSION] and answer(crowd) == [DeclineReason.DECLINED]
    assert answer(crowd, other, EXISTING) == [DeclineReason.DECLINED]
    crowd.node._blocked.clear()
    crowd.node._asks_for.clear()
    assert answer(crowd) == [DeclineReason.FULL] and answer(crowd, kind=EXISTING) == [DeclineReason.BUSY]
    crowd.node._maximum_links = 1
    assert answer(crowd) == [DeclineReason.BUSY]
    with pytest.raises(MisuseError):
        crowd.meets("mine").node.invite("mine")
    crowd.node._left[crowd.key][0].untaken -= 1
    assert not answer(crowd, kind=EXISTING) and crowd.events(Asked)
    gone = Told()
    gone.node.leave()
    assert answer(gone) == [DeclineReason.NO_SESSION]


def test_a_duplicate_that_something_explains():
    """R14.9-3: another link that ended within the last minute."""
    for later, ghost in ((59_999, False), (60_000, True)):
        told = Told().knows()
        for number in (1, 2):
            told.they_invite(number, told.invite(MEMBERS))
            told.opens(number)
            if number == 1:
                told.node.ended(1, End(ErrorCode.DUPLICATE_LINK))
        told.at(later)
        told.node.ended(2, End(ErrorCode.DUPLICATE_LINK, by_peer=True))
        assert bool(told.events(Ghost)) is ghost


def test_what_is_dialled_becomes_an_invite_once():
    """§14.10, R14.8-7: of kind 2; a second link is not needed."""
    told = Told().knows().at(600)
    told.take()
    told.meets(1, dialled=address(PEER))
    command = told.take()[0]
    assert isinstance(command, SendInvite) and command.request.kind is MEMBERS
    assert told.meets(2, dialled=address(PEER)).take() == [CloseLink(2, ErrorCode.NO_ERROR, End(ErrorCode.NO_ERROR, by_app=True))]
    told.node.ended(2, End(0, by_app=True))
    assert not told.whys()


def test_link_local_and_allowed_addresses():
    """R14.8-4."""
    local, loopback = Address(1, bytes.fromhex("a9fe0101" "1267")), Address(1, bytes.fromhex("7f000001" "1267"))
    six = Address(2, bytes.fromhex("fe80" + "00" * 13 + "07" "1267"))
    for families in (set(), {4}, {6}, {4, 6}):
        owned = frozenset(families)
        assert may_be_dialled(local, link_local=owned) is (4 in owned)
        assert may_be_dialled(six, link_local=owned) is (6 in owned)
        assert not may_be_dialled(loopback, link_local=owned)
    assert may_be_dialled(loopback, is_allowed=True)
    assert not may_be_dialled(Address(1, bytes.fromhex("c0000201" "0000")), is_allowed=True)


def test_one_host():
    """R14.8-5: 16 times in 60 s, whatever the port, unless the user allowed it; and an address for each member."""
    for is_allowed, count in ((False, 16), (True, 20)):
        host = "c0000201" if not is_allowed else "7f000001"
        many = {
            key(n).public: entry(n, addresses=(Address(1, bytes.fromhex(host) + n.to_bytes(2, "big")),)) for n in range(10, 30)
        }
        dialler, tried = Dialler(is_allowed), 0
        for value in many.values():
            dialler.want(bytes(32), value, True, 0)
        for now in range(0, 60_000, 4_000):
            tried += len(dialler.due(now, many))
        assert tried == count
        assert len(dialler.due(61_000, many)) == 4


@pytest.mark.parametrize("end", [End(0x0B, proved=False), End(0x01, by_peer=True, proved=False), End(0, by_peer=True, proved=False)])
def test_before_its_proof_nothing_speaks_for_a_member(end):
    """SPEC §14.9: a node hears of links after PROOF, so no script ends one before."""
    assert departure_of(end, False, False) == "lost"
