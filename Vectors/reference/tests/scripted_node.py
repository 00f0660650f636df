"""A node that is led as NodeScripts lead it, and what it sends and reports, in short."""

from __future__ import annotations

from multipeer_reference.charter import Charter
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame
from multipeer_reference.invitation import CHAIN, Invite, SessionKind
from multipeer_reference.session.admissions import admit, encode_chain
from multipeer_reference.vectors.nodes import ScriptedNode

from .members import key

LESSER, GREATER = sorted((2, 3), key=lambda number: key(number).public)
#: Frames of §14, which are not shown.
_SESSION = {"ADMIT", "ROSTER", "DIGEST", "SUMMARY", "WANT"}
#: The code or reason, or what a PING asks.
_SHOWN = {"CLOSE": 2, "DECLINE": 2, "PING": 16}


class Script:
    """A node, and one peer on all links. The node is the controller or the other one; it is the founder of its session, or in
    none."""

    def __init__(self, is_controller: bool, is_member: bool = True, **params: object) -> None:
        self.own, self.peer = (LESSER, GREATER) if is_controller else (GREATER, LESSER)
        self.charter = Charter(key(self.own).public, b"c" * 32)
        params |= {"identitySeed": self._seed(self.own), "displayName": "6e", "addresses": [], "milliseconds": 0}
        if is_member:
            params |= {"charter": self.charter.encode().hex(), "chain": ""}
        self.scripted = ScriptedNode(params)
        self.node = self.scripted.node

    @staticmethod
    def _seed(number: int) -> str:
        return number.to_bytes(32, "big").hex()

    # Steps

    def connects(self, link: int) -> "Script":
        self.scripted.step({"actor": "peer", "link": link, "identitySeed": self._seed(self.peer)})
        return self

    def frame(self, link: int, *frames: str, payload: str | None = None) -> "Script":
        plain = {"ACCEPT": "02000100", "CERTIFICATES": "0000000000", "READY": "00", "CLOSE": "0000"}
        for name in frames:
            data = payload if payload is not None else plain[name]
            self.scripted.step({"actor": "peer", "link": link, "frame": name, "payload": data})
        return self

    def pong(self, link: int, number: int) -> "Script":
        return self.frame(link, "PONG", payload=f"{number:016x}")

    def ends(self, link: int) -> "Script":
        self.scripted.step({"actor": "peer", "link": link, "end": True})
        return self

    def app(self, do: str, link: int | None = None, **values: str) -> "Script":
        self.scripted.step({"actor": "app", "do": do, **({} if link is None else {"link": link}), **values})
        return self

    def after(self, milliseconds: int) -> "Script":
        self.scripted.step({"actor": "clock", "advance": milliseconds})
        return self

    def they_invite(
        self, link: int, kind: SessionKind = SessionKind.MEMBERS, nonce: bytes = b"n", context: bytes = b"", timeout: int = 30_000,
        parameters: tuple[Field, ...] = (),
    ) -> "Script":
        """To the node's session as a member that the node has admitted, or to one that the peer has founded."""
        charter, fields = self.charter, ()
        if kind is SessionKind.NEW:
            charter = Charter(key(self.peer).public, nonce * 32, parameters)
        else:
            chain = (admit(key(self.own), charter.identifier, key(self.peer).public),)
            fields = (Field(CHAIN, encode_chain(chain)),)
        invite = Invite(charter, kind, 2, 0, timeout, context, fields)
        return self.connects(link).frame(link, "INVITE", payload=invite.encode().hex())

    def opens(self, link: int) -> "Script":
        """It is in *certificates*."""
        return self.frame(link, "CERTIFICATES", "READY")

    def opened(self, link: int = 1) -> "Script":
        """By an INVITE of the peer."""
        self.they_invite(link).opens(link).take()
        return self

    # What came of it

    def take(self) -> tuple[list[str], list[str]]:
        """Frames by link, and events."""
        sent, told, *_ = self.scripted.poll()
        return [
            self._shown(link, frame) for link, frames in sent.items() for frame in frames if frame.name not in _SESSION
        ], sorted(self._told(event) for event in told)

    @staticmethod
    def _shown(link: int, frame: Frame) -> str:
        count = _SHOWN.get(frame.name, 0)
        return f"{link} {frame.name}" + (f" {int(frame.payload.hex()[:count], 16)}" if count else "")

    @staticmethod
    def _told(event: dict) -> str:
        shown = [str(event[name]) for name in ("link", "by", "departure") if name in event]
        return " ".join((event["event"], *shown))
