"""Two peers whose links are cut, and who resume; each has an app that sends, reads and stores."""

from __future__ import annotations

import hashlib
from typing import Callable

from multipeer_reference import events
from multipeer_reference.association.association import Association
from multipeer_reference.config import AcceptInvitation, Config, InviteRequest, Verdict
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.errors import ErrorCode, MisuseError
from multipeer_reference.files import FileOffer
from multipeer_reference.lasting import Associations, Lasting
from multipeer_reference.link import Link
from multipeer_reference.policy import Preference
from multipeer_reference.proofs import Role

from .helpers import ALICE, BOB, config, seeded


class Peer:
    """What its app has got is in `messages`, `read` and `stored`; `sources` are the files that it sends."""

    def __init__(self, key: SigningKey, grace: int, **changes: object) -> None:
        self.key = key
        self.held = Associations(grace)
        self.config: Config = config(key, associations=self.held, **changes)
        self.link: Link | None = None
        self.events: list[events.Event] = []
        self.messages: list[bytes] = []
        self.results: dict[object, str] = {}
        self.read: dict[int, bytes] = {}
        self.ends: dict[int, bool] = {}
        self.sources: dict[str, bytes] = {}
        self._names: dict[int, str] = {}
        self.taken: dict[int, bytes] = {}
        self.stored: dict[int, bytes] = {}
        self.delivered: list[int] = []

    @property
    def lasting(self) -> Lasting:
        (lasting,) = self.held
        return lasting

    @property
    def association(self) -> Association:
        return self.lasting.association

    def offer(self, name: str, data: bytes) -> None:
        self.sources[name] = data
        self.association.sent_files.offer(FileOffer(0, len(data), name=name))

    def of(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def drain(self, now: int) -> None:
        assert self.link is not None
        while pending := self.link.take_events():
            for event in pending:
                self.events.append(event)
                self._act(event, now)

    def collect(self) -> None:
        """What was reported while no link was there."""
        for lasting in self.held:
            pending, lasting.events[:] = list(lasting.events), []
            for event in pending:
                self.events.append(event)
                self._act(event, 0)

    def _act(self, event: events.Event, now: int) -> None:
        link = self.link
        assert link is not None
        match event:
            case events.InvitationReceived(token=token):
                link.resolve(token, AcceptInvitation(), now)
            case events.CertificatesReceived(token=token):
                link.resolve(token, Verdict(ErrorCode.NO_ERROR), now)
            case events.MessageReceived(data=data):
                self.messages.append(data)
            case events.MessageEnded(tag=tag, result=result):
                assert tag not in self.results
                self.results[tag] = str(result)
            case events.StreamReadable(id=number):
                stream = self.association.stream(number)
                if stream is not None:
                    data = self.association.streams.take(stream, 1 << 20)
                    self.read[number] = self.read.get(number, b"") + data
            case events.StreamEnded(id=number, is_complete=complete):
                assert number not in self.ends
                self.ends[number] = complete
            case events.FileStarted(id=number, name=name):
                self._names[number] = name
            case events.FileWanted(id=number, offset=offset, maximum=maximum):
                file = self.association.file(number)
                if file is not None and file.credit.used + len(file.waiting) == offset:
                    self.association.sent_files.supply(file, self.sources[self._names[number]][offset : offset + maximum])
            case events.FileOffered(id=number):
                self.association.received_files.accept(self.association.file(number))
            case events.FileDataReceived(id=number, data=data):
                self.taken[number] = self.taken.get(number, b"") + data
            case events.FileReceived(id=number, sha256=sha256):
                assert hashlib.sha256(self.taken[number]).digest() == sha256
                self.stored[number] = self.taken[number]
                self.association.received_files.stored(self.association.file(number))
            case events.FileDelivered(id=number):
                self.delivered.append(number)


class Mending:
    """`peers[0]` has the lesser key. A link is cut after `budget` bytes have gone in both directions together.

    Of each chunk, all that was sent before the cut arrives: what is lost is what comes after it.
    """

    def __init__(self, grace: int = 60_000, preference: Preference = Preference.REQUIRED, **changes: object) -> None:
        self.now = 0
        self.peers = [Peer(key, grace, preference=preference, **changes) for key in (ALICE, BOB)]
        self.links = self.moved = 0
        self.budget: int | None = None
        self.tamper: Callable[[int, bytes], bytes] = lambda sender, data: data
        self.connect(0)

    def connect(self, initiator: int) -> list[Link]:
        """Also while a link is there; `peers[…].link` is the newest."""
        self.links += 1
        for number, peer in enumerate(self.peers):
            role = Role.INITIATOR if number == initiator else Role.RESPONDER
            expected = self.peers[1 - number].key.public if role is Role.INITIATOR else None
            made = Config(**{**vars(peer.config), "expected_peer": expected})
            peer.link = Link(made, role, self.now, seeded(f"{self.links}/{number}"))
        return [peer.link for peer in self.peers if peer.link]

    def open(self) -> "Mending":
        self.link(0).invite(InviteRequest(), self.now)
        return self.settle()

    def link(self, number: int) -> Link:
        link = self.peers[number].link
        assert link is not None
        return link

    def resume(self, initiator: int) -> "Mending":
        self.connect(initiator)
        self.link(initiator).resume(self.peers[initiator].lasting, self.now)
        return self.settle()

    def cut(self) -> None:
        for peer in self.peers:
            assert peer.link is not None
            peer.link.end_of_stream(self.now)
            peer.drain(self.now)

    def step(self, sender: int) -> bool:
        """False if there is nothing to move; the cut comes within a chunk."""
        source, target = self.peers[sender], self.peers[1 - sender]
        source.drain(self.now)
        data = self.tamper(sender, self.link(sender).take_output(8_192))
        if self.budget is not None and len(data) > self.budget - self.moved:
            data = data[: self.budget - self.moved]
            self.moved += len(data)
            self.link(1 - sender).receive(data, self.now)
            target.drain(self.now)
            raise Cut
        self.moved += len(data)
        self.link(1 - sender).receive(data, self.now)
        target.drain(self.now)
        return bool(data)

    def pump(self) -> None:
        while self.step(0) | self.step(1):
            pass

    def settle(self) -> "Mending":
        """Until nothing moves, ACKs among it; a cut within that leaves the association resumable."""
        try:
            for _ in range(3):
                self.pump()
                self.now += 20
                for peer in self.peers:
                    assert peer.link is not None
                    peer.link.timeout(self.now)
            self.pump()
        except Cut:
            self.cut()
        return self

    @property
    def is_open(self) -> bool:
        return all(peer.link is not None and peer.link.state.name == "OPEN" for peer in self.peers)


class Cut(Exception):
    """The budget is used up."""


__all__ = ["Cut", "Mending", "MisuseError", "Peer"]
