"""From the first byte to an identified peer: hello, proof and info (SPEC §7, §8.1, §9, §17)."""

from __future__ import annotations

from . import hello as hellos
from . import kem, noise
from .core import Core, State
from .errors import ErrorCode, Outcome, ProtocolError, unexpected
from .events import Identified, Refused, Secured
from .frames import Frame, FrameType
from .hello import HYBRID_EXTENSION, HYBRID_SUITES, Extension, InitiatorHello, Refusal, ResponderHello
from .invitation import PeerInfo
from .proofs import Proof, Role, check_proof, make_proof
from .records import MAGIC, RecordHeader, RecordKind, encode_record


class Opening:
    """Holds the ephemeral keys only until Split()."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ephemeral = core.random(32)
        self._kem_seed = b""
        self._offer: InitiatorHello | None = None
        self.noise: noise.SymmetricState | None = None
        if core.role is Role.INITIATOR:
            self._send_offer()

    def _send_offer(self) -> None:
        config, random = self._core.config, self._core.random
        versions, suites, extensions = config.versions, config.suites, list(config.extensions)
        if hellos.has_hybrid(suites):  # [R7.6-1]
            self._kem_seed = random(kem.SEED_LENGTH)
            extensions.append(Extension(HYBRID_EXTENSION, kem.encapsulation_key(self._kem_seed)))
        if config.grease:
            versions, suites = hellos.greased(versions, random), hellos.greased(suites, random)
            choice = random(2)
            extensions.append(Extension(hellos.GREASE[choice[0] % 16], random(choice[1] % 9)))
        extensions.sort(key=lambda extension: extension.type)  # [R7.1-2]
        public = noise.public_key(self._ephemeral)
        self._offer = InitiatorHello(tuple(versions), tuple(suites), tuple(extensions), public)
        self._sent = MAGIC + encode_record(RecordKind.HELLO, self._offer.encode())
        self._core.channel.write_clear(self._sent)

    def handle_clear(self, header: RecordHeader, body: bytes) -> None:
        """The first record of the peer."""
        if self._core.role is Role.RESPONDER:
            self._answer(header, body)
        elif header.kind is RecordKind.REFUSAL:
            refusal = Refusal.decode(body)
            self._core.emit(Refused(refusal.code, refusal.versions, refusal.suites, by_us=False))
            self._core.finish(Outcome.REFUSED)
        else:
            self._conclude(header, body)

    def _answer(self, header: RecordHeader, body: bytes) -> None:
        """The responder chooses, answers and proves itself."""
        config = self._core.config
        try:
            offer = InitiatorHello.decode(body)
            choice = Refusal(hellos.BUSY) if config.busy else hellos.choose(offer, config.versions, config.suites)
        except ProtocolError:
            self._refuse(Refusal(hellos.MALFORMED_HELLO))
            raise
        if isinstance(choice, Refusal):
            self._refuse(choice)
            self._core.finish(Outcome.REFUSED)
            return
        version, suite = choice
        kem_secret, extensions = self._encapsulate(suite, offer)
        public = noise.public_key(self._ephemeral)
        blank = encode_record(RecordKind.HELLO, ResponderHello(version, suite, extensions, public, bytes(16)).encode())
        prologue = noise.prologue(MAGIC + header.bytes() + body[:-32], MAGIC + blank[:-48])
        self.noise, confirmation = noise.respond(suite, prologue, offer.ephemeral, self._ephemeral, kem_secret)
        self._core.channel.write_clear(MAGIC + blank[:-16] + confirmation)
        self._secure(version, suite)
        self._send_proof()

    def _encapsulate(self, suite: int, offer: InitiatorHello) -> tuple[bytes, tuple[Extension, ...]]:
        """The secret of ML-KEM-768, and the extensions of our hello: neither without a hybrid suite ([R7.6-4])."""
        if suite not in HYBRID_SUITES:
            return b"", ()
        assert offer.encapsulation_key is not None
        secret, ciphertext = self._core.config.encapsulate(offer.encapsulation_key)
        return secret, (Extension(HYBRID_EXTENSION, ciphertext),)

    def _refuse(self, refusal: Refusal) -> None:
        self._core.channel.write_clear(MAGIC + encode_record(RecordKind.REFUSAL, refusal.encode()))
        self._core.emit(Refused(refusal.code, refusal.versions, refusal.suites, by_us=True))

    def _conclude(self, header: RecordHeader, body: bytes) -> None:
        """The initiator checks the choice and message 2."""
        config, offer = self._core.config, self._offer
        assert offer is not None
        answer = ResponderHello.decode(body)
        hellos.check_choice(offer, answer, config.versions, config.suites)
        prologue = noise.prologue(self._sent[:-32], MAGIC + header.bytes() + body[:-48])
        kem_secret = b"" if answer.ciphertext is None else kem.decapsulate(self._kem_seed, answer.ciphertext)
        self.noise = noise.conclude(
            answer.suite, prologue, self._ephemeral, answer.ephemeral, answer.confirmation, kem_secret
        )
        self._secure(answer.version, answer.suite)

    def _secure(self, version: int, suite: int) -> None:
        """Split(); the handshake deadline continues."""
        core, state = self._core, self.noise
        assert state is not None
        first, second, core.exporter_key = state.split()
        mine = core.role is Role.INITIATOR
        core.channel.sending, core.channel.receiving = (first, second) if mine else (second, first)
        core.handshake_hash = state.h
        self._ephemeral = self._kem_seed = b""  # [R9.7-2]
        core.secured()
        core.emit(Secured(version, suite, state.h))

    def _send_proof(self) -> None:
        core = self._core
        proof = make_proof(core.config.identity, core.role, core.handshake_hash, core.peer_key or b"")
        core.send(FrameType.PROOF, proof.encode())

    def handle_proof(self, frame: Frame) -> None:
        """State *proof*: nothing but PROOF (CLOSE is taken before; [R6.4-3])."""
        core, config = self._core, self._core.config
        if frame.type != FrameType.PROOF:
            raise unexpected(f"{frame.name} before PROOF")
        proof = Proof.decode(frame.payload)
        check_proof(proof, core.role.other, core.handshake_hash, config.identity.public, config.expected_peer)
        core.proved(proof.identity_key)
        if core.role is Role.INITIATOR and not config.goes_on(proof.identity_key):
            core.close(ErrorCode.NO_ERROR)  # without PROOF ([R14.8-7])
            return
        if core.role is Role.INITIATOR:
            self._send_proof()
        info = PeerInfo(self._shown_name(proof.identity_key), config.maximum_message, config.features, config.info_fields)
        core.own_info = core.send(FrameType.PEER_INFO, info.encode()).encode()
        core.state = State.INFO

    def _shown_name(self, peer: bytes) -> str:
        """A responder may show its name to some keys alone ([R8.1-6])."""
        config = self._core.config
        is_hidden = self._core.role is Role.RESPONDER and peer not in (config.shows_name_to or ())
        return "" if config.shows_name_to is not None and is_hidden else config.display_name

    def handle_info(self, frame: Frame) -> None:
        """State *info*: nothing but PEER_INFO; ignorable frames are taken before."""
        core = self._core
        if frame.type != FrameType.PEER_INFO:
            raise unexpected(f"{frame.name} before PEER_INFO")
        core.peer_info, core.peer_info_frame = PeerInfo.decode(frame.payload), frame.encode()
        assert core.peer_key is not None
        core.enter(State.IDENTIFIED, core.config.deadlines.invitation)
        info = core.peer_info
        core.emit(Identified(core.peer_key, info.display_name, info.maximum_message, info.features))


