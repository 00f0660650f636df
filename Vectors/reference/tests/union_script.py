"""A node in one session, led as NodeScripts lead it, and peers that unite with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from multipeer_reference.charter import Charter
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import CHAIN, Invite, SessionKind
from multipeer_reference.session.admissions import admit, encode_chain
from multipeer_reference.session.entries import Address, Entry
from multipeer_reference.session.frames import Enter, Roster, Unite
from multipeer_reference.session.parameters import Parameters
from multipeer_reference.vectors.nodes import ScriptedNode

from .members import FOUNDER, chain, entry, key

OWN = 2
LESSER, GREATER = (next(n for n in range(3, 60) if (key(n).public < key(OWN).public) is lesser) for lesser in (True, False))


@lru_cache(maxsize=None)
def charters(parameters: Parameters = Parameters(), founder: int = 1) -> list[Charter]:
    """Many sessions, in ascending order."""
    made = (Charter(key(founder).public, number.to_bytes(32, "big"), parameters.fields()) for number in range(64))
    return sorted(made, key=lambda charter: charter.identifier)


@dataclass
class Seen:
    """`sent` in short: link, frame, and what it says; `frames` whole."""

    sent: list[str]
    told: list[str]
    frames: list[tuple[int, Frame]]
    digest: bytes | None

    def only(self, type_: FrameType) -> list[Frame]:
        return [frame for _, frame in self.frames if frame.type == type_]


class UnionScript:
    """`home` is the node's session. The founder has admitted the node and its peers, unless a test says otherwise."""

    def __init__(self, home: Charter, own: int = OWN, entries: tuple[Entry, ...] = (), **params: object) -> None:
        self.home, self.own = home, own
        own_chain = chain(own, 1, charter=home) if own != 1 else ()
        params |= {
            "identitySeed": own.to_bytes(32, "big").hex(), "displayName": "6e", "milliseconds": 1_000,
            "charter": home.encode().hex(), "chain": encode_chain(own_chain).hex(),
            "entries": [one.bytes.hex() for one in entries],
        }
        self.scripted = ScriptedNode({"addresses": []} | params)
        self.node = self.scripted.node
        self.peers: dict[int, int] = {}
        self.take()

    # Steps

    def step(self, **values: object) -> "UnionScript":
        self.scripted.step(values)
        return self

    def frame(self, link: int, type_: FrameType, payload: bytes) -> "UnionScript":
        return self.step(actor="peer", link=link, frame=type_.name, payload=payload.hex())

    def connects(self, link: int, peer: int, **values: object) -> "UnionScript":
        self.peers[link] = peer
        return self.step(actor="peer", link=link, identitySeed=peer.to_bytes(32, "big").hex(), **values)

    def invites(self, link: int, peer: int, charter: Charter | None = None, via: tuple[int, ...] = (1,), kind=SessionKind.MEMBERS):
        charter = charter or self.home
        shown = chain(peer, *via, charter=charter) if peer != 1 else ()
        fields = () if kind is SessionKind.NEW else (Field(CHAIN, encode_chain(shown)),)
        invite = Invite(charter, kind, 2, 0, 30_000, b"", fields)
        return self.connects(link, peer).frame(link, FrameType.INVITE, invite.encode())

    def opens(self, link: int) -> "UnionScript":
        return self.frame(link, FrameType.CERTIFICATES, bytes(5)).frame(link, FrameType.READY, bytes(1))

    def links(self, link: int, peer: int, charter: Charter | None = None, via: tuple[int, ...] = (1,)) -> "UnionScript":
        """By an INVITE of the peer between members, up to its own entry."""
        self.invites(link, peer, charter, via).opens(link).roster(link, charter or self.home, via=via)
        self.take()
        return self

    def roster(self, link: int, charter: Charter, *numbers: int, **values: object) -> "UnionScript":
        """Entries; without numbers the peer's own."""
        made = [entry(number, charter=charter, **values) for number in numbers or (self.peers[link],)]
        return self.frame(link, FrameType.ROSTER, Roster(tuple(sorted(made, key=lambda one: one.member))).encode())

    def made(self, link: int, charter: Charter, via: tuple[int, ...] = (1,), admits: bool = True) -> Unite:
        """What the peer's UNITE says."""
        peer = self.peers[link]
        own = chain(peer, *via, charter=charter) if key(peer).public != charter.founder else ()
        admission = admit(key(peer), charter.identifier, key(self.own).public).signature if admits else b""
        return Unite(charter, own, admission)

    def unites(self, link: int, charter: Charter, **values: object) -> "UnionScript":
        return self.frame(link, FrameType.UNITE, self.made(link, charter, **values).encode())

    def enters(self, link: int, charter: Charter, with_entry: bool = True, **values: object) -> "UnionScript":
        self.frame(link, FrameType.ENTER, Enter(charter.identifier).encode())
        return self.roster(link, charter, **values) if with_entry else self

    def after(self, milliseconds: int) -> "UnionScript":
        return self.step(actor="clock", advance=milliseconds)

    def app(self, do: str, **values: object) -> "UnionScript":
        return self.step(actor="app", do=do, **values)

    # What came of it

    def take(self) -> Seen:
        """Without ACK, which says nothing of sessions."""
        sent, told, digest, _ = self.scripted.poll()
        frames = [(link, frame) for link, found in sent.items() for frame in found if frame.type != FrameType.ACK]
        events = sorted(" ".join((event["event"], *_shown(event))) for event in told)
        return Seen([_short(link, frame) for link, frame in frames], events, frames, digest)


def _shown(event: dict) -> list[str]:
    return [str(event[name])[:8] for name in ("link", "member", "departure", "session") if name in event]


def name(charter: Charter) -> str:
    """In short."""
    return charter.identifier.hex()[:8]


def _short(link: int, frame: Frame) -> str:
    says = ""
    match frame.type:
        case FrameType.CLOSE | FrameType.DECLINE:
            says = f" {frame.payload[0]}"
        case FrameType.ENTER:
            says = f" {frame.payload.hex()[:8]}"
        case FrameType.UNITE:
            unite = Unite.decode(frame.payload)
            says = f" {name(unite.charter)}" + ("" if unite.admission else " without")
    return f"{link} {frame.name}{says}"


__all__ = ["FOUNDER", "GREATER", "LESSER", "OWN", "Address", "Seen", "UnionScript", "charters", "name"]
