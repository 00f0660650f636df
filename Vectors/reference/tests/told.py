"""A node that is told of links by hand, and one peer of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from multipeer_reference.charter import Charter
from multipeer_reference.fields import Field
from multipeer_reference.invitation import CHAIN, Invite, SessionKind
from multipeer_reference.node import Node
from multipeer_reference.nodeevents import Asked, Departed, Dial, SendInvite
from multipeer_reference.session.admissions import encode_chain
from multipeer_reference.session.instances import Shown

from .helpers import seeded
from .members import CHARTER, FOUNDER, chain, entry, key
from .world import address

NEW, EXISTING, MEMBERS = SessionKind.NEW, SessionKind.EXISTING, SessionKind.MEMBERS
#: Members whose keys are lesser, and greater, than the founder's.
LESSER = next(number for number in range(2, 40) if key(number).public < FOUNDER.public)
GREATER = next(number for number in range(2, 40) if key(number).public > FOUNDER.public)


@dataclass
class Told:
    """The founder's node, and one peer of it."""

    peer: int = GREATER
    links: int = 256
    now: int = 0
    node: Node = field(init=False)

    def __post_init__(self) -> None:
        shown = Shown("me", (address(1),))
        self.node = Node(FOUNDER, seeded("n"), shown, charter=CHARTER, maximum_links=self.links)

    @property
    def key(self) -> bytes:
        return key(self.peer).public

    def knows(self, instance: int = 1, **values) -> "Told":
        self.node.membership.take(entry(self.peer, instance, addresses=(address(self.peer),), **values), self.now)
        return self

    def invite(self, kind: SessionKind = EXISTING, charter: Charter = CHARTER, number: int | None = None) -> Invite:
        """One of the peer's."""
        links = chain(number or self.peer, 1, charter=charter)
        fields = () if kind is NEW else (Field(CHAIN, encode_chain(links)),)
        return Invite(charter, kind, 2, 0, 1_000, b"", fields)

    def founded(self) -> Invite:
        return Invite(Charter(self.key, bytes(32)), NEW, 2, 0, 1_000)

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

    def meets(self, link: object, dialled: bool = False) -> "Told":
        self.node.identified(link, self.key, dialled)
        return self

    def we_invite(self, link: object) -> "Told":
        self.meets(link)
        self.node.invite(link)
        assert isinstance(self.take()[0], SendInvite)
        return self

    def they_invite(self, link: object, invite: Invite | None = None) -> list:
        self.meets(link)
        self.node.invited(link, invite or self.invite())
        return self.take()

    def opens(self, link: object) -> "Told":
        self.node.opened(link, SimpleNamespace(is_neighbour=False, frames=[], catch_up=lambda now: None))
        return self


def asked(told: Told) -> list:
    return [event.link for event in told.events(Asked)]
