"""The hellos, the choice among their offers, GREASE, and REFUSAL (SPEC §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

from . import kem
from .errors import ErrorCode, ProtocolError, malformed
from .reader import Reader
from .writer import Writer

#: The number of this draft ([R1-1]).
DRAFT_04 = 0xFF04
SUITE_CHACHAPOLY = 0x0001
SUITE_AESGCM = 0x0002
SUITE_HYBRID_CHACHAPOLY = 0x0003
SUITE_HYBRID_AESGCM = 0x0004
HYBRID_SUITES = (SUITE_HYBRID_CHACHAPOLY, SUITE_HYBRID_AESGCM)
#: In our order of preference.
SUITES = (*HYBRID_SUITES, SUITE_CHACHAPOLY, SUITE_AESGCM)
#: What a hybrid suite adds to a hello (SPEC §7.6).
HYBRID_EXTENSION = 0x0001
GREASE = tuple(0x0A0A + 0x1010 * i for i in range(16))

MAXIMUM_EXTENSIONS = 3072
MAXIMUM_EXTENSION_DATA = 2048

UNSUPPORTED_VERSION, UNSUPPORTED_SUITE, BUSY, MALFORMED_HELLO = 1, 2, 3, 4
REFUSAL_NAMES = {1: "unsupported_version", 2: "unsupported_suite", 3: "busy", 4: "malformed_hello"}


@dataclass(frozen=True)
class Extension:
    type: int
    data: bytes = b""


def find_extension(extensions: Sequence[Extension], type_: int) -> bytes | None:
    """The data of the extension of this type; None if there is none."""
    return next((extension.data for extension in extensions if extension.type == type_), None)


def has_hybrid(suites: Sequence[int]) -> bool:
    return any(suite in HYBRID_SUITES for suite in suites)


def write_extensions(writer: Writer, extensions: Sequence[Extension]) -> None:
    content = Writer()
    for extension in extensions:
        content.u16(extension.type).vector(extension.data, 0, MAXIMUM_EXTENSION_DATA)
    writer.vector(content.bytes(), 0, MAXIMUM_EXTENSIONS)


def read_extensions(reader: Reader) -> tuple[Extension, ...]:
    """`Extension extensions<0..3072>`, strictly ascending ([R7.1-2])."""
    content = Reader(reader.vector(0, MAXIMUM_EXTENSIONS))
    extensions: list[Extension] = []
    while content.remaining:
        type_ = content.u16()
        if extensions and type_ <= extensions[-1].type:
            raise malformed("extension types are not strictly ascending")
        extensions.append(Extension(type_, content.vector(0, MAXIMUM_EXTENSION_DATA)))
    return tuple(extensions)


@dataclass(frozen=True)
class InitiatorHello:
    """SPEC §7.1."""

    versions: tuple[int, ...]
    suites: tuple[int, ...]
    extensions: tuple[Extension, ...]
    ephemeral: bytes

    @property
    def encapsulation_key(self) -> bytes | None:
        return find_extension(self.extensions, HYBRID_EXTENSION)

    def encode(self) -> bytes:
        writer = Writer().u16_vector(self.versions, 2, 64).u16_vector(self.suites, 2, 64)
        write_extensions(writer, self.extensions)
        return writer.raw(self.ephemeral, 32).bytes()

    @staticmethod
    def decode(body: bytes) -> "InitiatorHello":
        reader = Reader(body)
        versions = _distinct(reader.u16_vector(2, 64))
        suites = _distinct(reader.u16_vector(2, 64))
        extensions = read_extensions(reader)
        ephemeral = reader.take(32)
        reader.finish()
        return InitiatorHello(versions, suites, extensions, ephemeral)


@dataclass(frozen=True)
class ResponderHello:
    """SPEC §7.3; `ephemeral ‖ confirmation` is Noise message 2."""

    version: int
    suite: int
    extensions: tuple[Extension, ...]
    ephemeral: bytes
    confirmation: bytes

    @property
    def ciphertext(self) -> bytes | None:
        return find_extension(self.extensions, HYBRID_EXTENSION)

    def encode(self) -> bytes:
        writer = Writer().u16(self.version).u16(self.suite)
        write_extensions(writer, self.extensions)
        return writer.raw(self.ephemeral, 32).raw(self.confirmation, 16).bytes()

    @staticmethod
    def decode(body: bytes) -> "ResponderHello":
        reader = Reader(body)
        hello = ResponderHello(
            reader.u16(), reader.u16(), read_extensions(reader), reader.take(32), reader.take(16)
        )
        reader.finish()
        return hello


def _distinct(values: tuple[int, ...]) -> tuple[int, ...]:
    """A value that occurs twice is malformed ([R7.1-1])."""
    if len(set(values)) != len(values):
        raise malformed("a version or suite stands twice")
    return values


@dataclass(frozen=True)
class Refusal:
    """SPEC §7.5."""

    code: int
    versions: tuple[int, ...] = ()
    suites: tuple[int, ...] = ()

    def encode(self) -> bytes:
        return Writer().u8(self.code).u16_vector(self.versions, 0, 64).u16_vector(self.suites, 0, 64).bytes()

    @staticmethod
    def decode(body: bytes) -> "Refusal":
        reader = Reader(body)
        refusal = Refusal(reader.u8(), reader.u16_vector(0, 64), reader.u16_vector(0, 64))
        reader.finish()
        return refusal

    @property
    def name(self) -> str:
        return REFUSAL_NAMES.get(self.code, "unknown")


def choose(hello: InitiatorHello, versions: Sequence[int], suites: Sequence[int]) -> tuple[int, int] | Refusal:
    """The first version and the first suite of the initiator's lists that we support ([R7.3-1], [R7.3-3]).

    Between the two we judge whether the hello has what hybrid suites need ([R7.6-2]), and at last the key ([R7.6-3]).
    """
    version = next((v for v in hello.versions if v in versions), None)
    if version is None:
        return Refusal(UNSUPPORTED_VERSION, versions=tuple(versions))
    if has_hybrid(suites):
        _check_hybrid_offer(hello)
    suite = next((s for s in hello.suites if s in suites), None)
    if suite is None:
        return Refusal(UNSUPPORTED_SUITE, suites=tuple(suites))
    if suite in HYBRID_SUITES:
        kem.check_key(hello.encapsulation_key or b"")
    return version, suite


def _check_hybrid_offer(hello: InitiatorHello) -> None:
    """The extension is there if and only if a hybrid suite is offered, be it one that we lack ([R7.6-1], [R7.6-2])."""
    key = hello.encapsulation_key
    if (key is not None) != has_hybrid(hello.suites):
        raise malformed("hybrid suites and extension 0x0001 do not fit")
    if key is not None and len(key) != kem.KEY_LENGTH:
        raise malformed(f"an encapsulation key of {len(key)} bytes")


def check_choice(offer: InitiatorHello, answer: ResponderHello, versions: Sequence[int], suites: Sequence[int]) -> None:
    """`illegal_choice` unless all that the responder chose was offered and is supported ([R7.3-2], [R7.6-4])."""
    if answer.version not in offer.versions or answer.version not in versions:
        raise ProtocolError(ErrorCode.ILLEGAL_CHOICE, f"version 0x{answer.version:04x}")
    if answer.suite not in offer.suites or answer.suite not in suites:
        raise ProtocolError(ErrorCode.ILLEGAL_CHOICE, f"suite 0x{answer.suite:04x}")
    offered = {extension.type for extension in offer.extensions}
    shown = [(extension.type, len(extension.data)) for extension in answer.extensions]
    # Version 1 supports no other extension, so it cannot have offered another one in earnest.
    needed = [(HYBRID_EXTENSION, kem.CIPHERTEXT_LENGTH)] if answer.suite in HYBRID_SUITES else []
    if shown != needed or not offered.issuperset(type_ for type_, _ in shown):
        raise ProtocolError(ErrorCode.ILLEGAL_CHOICE, f"extensions (type, length) {shown}")


def greased(values: Sequence[int], random: Callable[[int], bytes]) -> tuple[int, ...]:
    """The values with one GREASE value among them, at a random place ([R7.4-1])."""
    value, place = random(2)
    result = list(values)
    result.insert(place % (len(result) + 1), GREASE[value % 16])
    return tuple(result)
