"""After any frames, an association and a session answer with an error of SPEC §18 or continue; nothing else is
raised.

A failure names its seed.
"""

from __future__ import annotations

import random

import pytest

from multipeer_reference.association.association import Association
from multipeer_reference.association.frames import Ack, Credit, Ping
from multipeer_reference.association.streamframes import StreamData, StreamEnd, StreamOpen, StreamReset
from multipeer_reference.charter import Charter
from multipeer_reference.errors import MisuseError, ProtocolError
from multipeer_reference.files import FileAccept, FileCancel, FileData, FileDone, FileEnd, FileOffer
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.admissions import admit
from multipeer_reference.session.exchange import Exchange
from multipeer_reference.session.frames import Admit, Digest, Enter, Item, Summary, Unite, Want
from multipeer_reference.session.member import Membership
from multipeer_reference.session.unions import Group
from multipeer_reference.writer import Writer

from .helpers import FULL
from .members import CHARTER, FOUNDER, chain, entry, key

#: A session that CHARTER's can unite with.
OTHER = next(
    charter for charter in (Charter(FOUNDER.public, bytes([number]) * 32) for number in range(1, 99))
    if charter.identifier < CHARTER.identifier
)
SIZES = (0, 0, 1, 5, 64, 32_768, 1 << 20, (1 << 62) - 1)


def association_frame(chance: random.Random, numbers: list[int]) -> Frame:
    """Mostly decodable, of numbers that are near the ones in use."""
    number, size, data = chance.choice(numbers), chance.choice(SIZES), bytes(chance.choice((1, 3, 100, 20_000)))
    made = {
        T.STREAM_OPEN: lambda: StreamOpen(number, size, "s"), T.STREAM_DATA: lambda: StreamData(number, data),
        T.STREAM_END: lambda: StreamEnd(number, size), T.STREAM_RESET: lambda: StreamReset(number, size),
        T.STREAM_STOP: lambda: StreamReset(number, size), T.CREDIT: lambda: Credit(chance.randrange(6), number, size),
        T.ACK: lambda: Ack(size), T.PING: lambda: Ping(bytes(8)), T.PONG: lambda: Ping(bytes(8)),
        T.FILE_OFFER: lambda: FileOffer(number, min(size, 2**53), "f", (), bytes(chance.choice((15, 15)) + 1), chance.randrange(3)),
        T.FILE_ACCEPT: lambda: FileAccept(number, chance.choice((0, 0, 1, size)), credit=min(size, 1 << 40)),
        T.FILE_CANCEL: lambda: FileCancel(number, chance.randrange(16)), T.FILE_DONE: lambda: FileDone(number),
        T.FILE_DATA: lambda: FileData(number, chance.choice((0, 3, size)), data), T.FILE_END: lambda: FileEnd(number, bytes(32)),
    }
    type_ = chance.choice([*made, T.MESSAGE, T.MESSAGE_PART])
    if type_ is T.MESSAGE:
        return Frame(type_, bytes([chance.randrange(64)]) + data[:10])
    payload = data if type_ is T.MESSAGE_PART else made[type_]().encode()
    return Frame(type_, payload[: chance.randrange(len(payload) + 1)] if chance.random() < 0.05 else payload)


def act(association: Association, chance: random.Random) -> None:
    items = list(association.live())
    item = chance.choice(items) if items else None
    try:
        match chance.randrange(10):
            case 0:
                association.streams.open("o", chance.choice((0, 9)))
            case 1:
                association.sent_files.offer(FileOffer(0, chance.choice((0, 50)), "o"))
            case 2:
                association.send(bytes(9))
            case 3 if item and item.is_stream:
                association.streams.stop(item, 1)
            case 4 if item and item.is_stream:
                association.streams.finish(item)
            case 5 if item and not item.is_stream and not item.is_own:
                association.received_files.accept(item)
            case 6 if item and not item.is_stream:
                association.cancel_file(item.id, 2)
            case 7 if item and item.is_stream:
                association.streams.take(item, 100)
            case 8:
                association.take_frames()
    except MisuseError:
        pass


@pytest.mark.parametrize("block", range(20 if FULL else 4))
def test_associations(block):
    """Each runs until its first fault; state and credit stay within their bounds."""
    faults: dict[str, int] = {}
    for seed in range(block * 100, block * 100 + 100):
        chance = random.Random(seed)
        association = Association(bool(seed % 2), 1 << 20, 1 << 20, takes_at_once=bool(seed % 3))
        try:
            for _ in range(200):
                numbers = [item.id for item in association.live()] * 3 + list(range(8)) + [1 << 40]
                numbers += [association._shared.numbers._next_peers] * 12
                association.receive(association_frame(chance, numbers))
                act(association, chance)
                assert sum(not item.is_own for item in association.live()) <= 64
        except ProtocolError as error:
            faults[error.code.name] = faults.get(error.code.name, 0) + 1
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        association.take_frames()
        association.end()
    assert {"MALFORMED", "UNEXPECTED_FRAME"} <= set(faults)


def session_frame(chance: random.Random) -> Frame:
    entries = [entry(number, chance.randrange(3), via=(1,) if number > 1 else ()) for number in range(1, 6)]
    chosen = sorted(chance.sample(entries, chance.randrange(1, 5)), key=lambda value: value.member)
    content = bytearray(b"".join(value.bytes for value in chosen))
    if chance.random() < 0.2:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    members = tuple(sorted(value.member for value in chosen))
    other = chance.choice((OTHER, OTHER, CHARTER))
    match chance.randrange(11):
        case 8 | 9:
            admission = admit(key(3), other.identifier, chance.choice((key(1), key(2))).public).signature
            unite = Unite(other, chain(3, 1, charter=other), chance.choice((admission, admission, b"")))
            return Frame(T.UNITE, unite.encode())
        case 10:
            return Frame(T.ENTER, Enter(other.identifier).encode())
        case 0:
            return Frame(T.ADMIT, Admit(chance.choice(((), chain(2, 1), chain(3, 2, 1)))).encode())
        case 1 | 2 | 3:
            return Frame(T.ROSTER, Writer().vector(bytes(content), 1, 65_504).bytes())
        case 4 | 5:
            return Frame(T.DIGEST, Digest(bytes(32)).encode())
        case 6:
            return Frame(T.SUMMARY, Summary(tuple(Item(m, chance.randrange(9), 0, bytes(32)) for m in members)).encode())
        case _:
            return Frame(T.WANT, Want(members).encode())


@pytest.mark.parametrize("seed", range(300 if FULL else 60))
def test_sessions(seed):
    """Kept state is valid after any input."""
    chance = random.Random(seed)
    own = FOUNDER if seed % 3 == 0 else key(2)
    exchanges: list[Exchange] = []

    def enter(charter, links, now):
        entered = Membership(own, charter, chain=links, group=group, emit=lambda event: group.review())
        group.add(entered)
        return entered

    group = Group(own.public, lambda: exchanges, enter)
    mine = Membership(
        own, CHARTER, chain=chain(2, 1) if seed % 3 == 1 else None, stays_guest=seed % 5 == 0, group=group,
        emit=lambda event: group.review(),
    )
    group.add(mine)
    kind, invited = chance.choice(list(SessionKind)), chance.random() < 0.5 and own is FOUNDER
    exchange = Exchange(mine, key(3).public, kind, invited, 0)
    exchanges.append(exchange)
    try:
        for turn in range(40):
            exchange.receive(session_frame(chance), turn * 1_000)
            if mine.is_member and chance.random() < 0.2:
                exchange.send_digest()
    except ProtocolError:
        pass
    except Exception as error:
        raise AssertionError(f"seed {seed}: {error!r}") from error
    for one in group:
        for kept in one.roster:
            kept.check(one.charter)
