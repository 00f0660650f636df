"""SPEC §14.5, §14.6: who sends what on the links of a session, and whether rosters become equal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from multipeer_reference import events
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.frames import Frame, FrameType as T
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.entries import LEFT
from multipeer_reference.session.exchange import Exchange
from multipeer_reference.session.frames import Admit, Digest, Item, Roster, Summary, Want, rosters
from multipeer_reference.session.instances import Shown
from multipeer_reference.session.member import Membership
from multipeer_reference.writer import Writer

from .helpers import ALICE, BOB, Pair, config
from .helpers import CHARTER as PAIRS
from .members import CHARTER, FOUNDER, chain, entry, key

X, M, E = ErrorCode.UNEXPECTED_FRAME, ErrorCode.MALFORMED, ErrorCode.ENTRY_INVALID
NEW, EXISTING, BETWEEN = SessionKind.NEW, SessionKind.EXISTING, SessionKind.MEMBERS
#: By their keys: of 1 to 40 those that are lesser, and greater, than the founder's.
LESSER = next(number for number in range(2, 40) if key(number).public < FOUNDER.public)
GREATER = next(number for number in range(2, 40) if key(number).public > FOUNDER.public)


def names(frames: list[Frame]) -> list[str]:
    return [frame.name for frame in frames]


def take(exchange: Exchange) -> list[Frame]:
    frames, exchange.frames = exchange.frames, []
    return frames


def member(number: int, wall: int = 100, **values) -> Membership:
    links = None if number == 1 else chain(number, 1)
    return Membership(key(number), CHARTER, Shown(f"m{number}"), wall, values.pop("links", links), **values)


def linked(mine: Membership, theirs: int, kind=BETWEEN, invited=False) -> Exchange:
    return Exchange(mine, key(theirs).public, kind, invited, 0)


def roster_of(*entries) -> Frame:
    frames = rosters(entries)
    assert len(frames) == 1
    return Frame(T.ROSTER, frames[0].encode())


def raw(content: bytes) -> Frame:
    return Frame(T.ROSTER, Writer().vector(content, 1, 65_504).bytes())


def refuses(code, exchange, frame, now=0):
    with pytest.raises(ProtocolError) as caught:
        exchange.receive(frame, now)
    assert caught.value.code is code, caught.value


def admit(links) -> Frame:
    return Frame(T.ADMIT, Admit(links).encode())


def test_the_inviter_admits():
    """R14.5-1: ADMIT, then its own entry; the newcomer becomes a member by it."""
    founder, newcomer = Membership(FOUNDER, CHARTER), Membership(key(2), CHARTER)
    one, other = linked(founder, 2, NEW, True), linked(newcomer, 1, NEW)
    frames = take(one)
    assert names(frames) == ["ADMIT", "ROSTER"] and not take(other)
    other.receive(frames[0], 0)
    assert newcomer.chain == chain(2, 1)
    other.receive(frames[1], 0)
    assert newcomer.roster.get(FOUNDER.public).bytes == founder.own.newest.bytes
    refuses(X, other, frames[0])
    refuses(X, one, admit(()))


def test_admit_between_members_and_for_the_founder():
    refuses(X, linked(member(2), 1), admit(chain(2, 1)))
    for wrong in ((), chain(3, 1), chain(2, 3)):
        refuses(E, linked(Membership(key(2), CHARTER), 1, EXISTING), admit(wrong))
    founder = linked(Membership(FOUNDER, CHARTER), 2, EXISTING)
    refuses(E, founder, admit(chain(2, 1)))
    linked(Membership(FOUNDER, CHARTER), 2, EXISTING).receive(admit(()), 0)


def test_an_inviter_that_has_left():
    """R14.5-1, R14.9-1: no ADMIT, and the link is closed behind the entry."""
    founder = Membership(ALICE, PAIRS)
    founder.leave()
    pair = Pair(config(ALICE, membership=lambda charter: founder), config(BOB))
    pair.invite(charter=PAIRS)
    pair.pump()
    assert not pair.responder.of(events.Admitted)
    assert [event.entry.presence for event in pair.responder.of(events.EntryKept)] == [LEFT]
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)


def test_guests():
    """R14.5-5: they send nothing, and look only whether things decode."""
    guest = linked(Membership(key(2), CHARTER, stays_guest=True), 1, NEW)
    guest.receive(admit(chain(2, 1)), 0)
    guest.receive(roster_of(entry(1)), 0)
    guest.receive(raw(entry(1).bytes[:-1] + b"\xff"), 0)  # a bad signature
    guest.receive(Frame(T.DIGEST, Digest(bytes(32)).encode()), 0)
    assert not guest.frames
    refuses(M, guest, raw(entry(1).bytes[:-1]))
    refuses(X, guest, Frame(T.SUMMARY, Summary(()).encode()))
    refuses(X, guest, admit(chain(2, 1)))


def test_an_inviter_that_is_a_guest():
    """R14.5-5: it has founded a session of two, sends nothing of it, and takes no ADMIT."""
    guest = linked(Membership(FOUNDER, CHARTER, stays_guest=True), 2, NEW, True)
    guest.receive(roster_of(entry(2)), 0)
    guest.receive(Frame(T.DIGEST, Digest(bytes(32)).encode()), 0)
    assert not guest.frames
    refuses(X, guest, admit(()))
    refuses(X, guest, Frame(T.WANT, Want((bytes(32),)).encode()))


@pytest.mark.parametrize("number, digests", [(LESSER, 1), (GREATER, 0)])
def test_who_begins(number, digests):
    """R14.6-2: the lesser key, behind both own entries, once."""
    exchange = linked(member(number), 1)
    assert names(take(exchange)) == ["ROSTER"]
    exchange.receive(roster_of(entry(9)), 0)
    assert not take(exchange) and not exchange.is_neighbour
    exchange.receive(roster_of(entry(1)), 0)
    assert names(take(exchange)) == ["DIGEST"] * digests and exchange.is_neighbour
    exchange.receive(roster_of(entry(1, 2)), 0)
    assert not take(exchange)


def test_digest_and_summary():
    """R14.6-4: nothing for an equal one; one answer in 10 s."""
    mine = member(2)
    exchange = linked(mine, 1)
    exchange.receive(roster_of(entry(1)), 0)
    take(exchange)
    exchange.receive(Frame(T.DIGEST, Digest(mine.roster.digest).encode()), 0)
    assert not exchange.frames
    other = Frame(T.DIGEST, Digest(bytes(32)).encode())
    for now, answers in ((5, 1), (10_004, 0), (10_005, 1)):
        exchange.receive(other, now)
        assert names(take(exchange)) == ["SUMMARY"] * answers


def test_what_nobody_asked_for():
    """R14.5-4, R14.6-6: as many SUMMARYs as DIGESTs went, as many WANTs as SUMMARYs."""
    exchange = linked(member(GREATER), 1)
    for frame in (Digest(bytes(32)), Summary(()), Want((bytes(32),))):
        refuses(X, exchange, Frame(T[type(frame).__name__.upper()], frame.encode()))  # the own entry has not come
    exchange._member.take(entry(1, 9), 0)
    exchange.receive(roster_of(entry(1, 8)), 0)  # it has come, though it is not greater
    refuses(X, exchange, Frame(T.SUMMARY, Summary(()).encode()))
    refuses(X, exchange, Frame(T.WANT, Want((bytes(32),)).encode()))
    for _ in range(2):
        exchange.send_digest()
    for _ in range(2):
        exchange.receive(Frame(T.SUMMARY, Summary(()).encode()), 0)
    refuses(X, exchange, Frame(T.SUMMARY, Summary(()).encode()))
    exchange.receive(Frame(T.DIGEST, Digest(bytes(32)).encode()), 0)
    take(exchange)
    exchange.receive(Frame(T.WANT, Want((bytes(32), key(GREATER).public)).encode()), 0)
    assert take(exchange) == [roster_of(exchange._member.own.newest)]
    refuses(X, exchange, Frame(T.WANT, Want((bytes(32),)).encode()))


def test_an_answer_to_summary():
    """R14.6-5: what the peer lacks, then what we lack."""
    mine = member(2)
    for value in (entry(3, 5), entry(4, 5), entry(5, 5)):
        mine.take(value, 0)
    exchange = linked(mine, 1)
    mine.take(entry(1), 0)
    exchange.receive(roster_of(entry(1)), 0)
    exchange.send_digest()
    take(exchange)
    items = [Item.of(value) for value in (mine.own.newest, entry(1), entry(3, 4), entry(4, 6), entry(6, 1), entry(5, 5))]
    summary = Summary(tuple(sorted(items, key=lambda item: item.member)))
    exchange.receive(Frame(T.SUMMARY, summary.encode()), 0)
    roster, want = take(exchange)
    assert [value.member for value in Roster.decode(roster.payload).entries] == [key(3).public]
    assert Want.decode(want.payload).members == tuple(sorted((key(4).public, key(6).public)))


def test_those_before_a_faulty_one_are_kept():
    """R14.5-3, R14.3-2: where all of them decode; otherwise none is."""
    good = sorted((entry(number) for number in (3, 4, 5)), key=lambda value: value.member)
    forged = good[1].bytes[:-1] + bytes([good[1].bytes[-1] ^ 1])
    for content, code, kept in (
        (good[0].bytes + forged + good[2].bytes, E, 1), (good[0].bytes + good[2].bytes[:-9], M, 0),
        (good[0].bytes + good[0].bytes, M, 0), (good[1].bytes + good[0].bytes, M, 0), (good[0].bytes + forged + b"x", M, 0),
    ):
        exchange = linked(member(2), 1)
        refuses(code, exchange, raw(content))
        assert len(exchange._member.roster) == 1 + kept


def test_an_older_entry_of_the_neighbour_goes_back():
    """R14.7-3, and R14.7-2 on the other side."""
    mine, restarted = member(2), member(1, wall=50)
    mine.take(entry(1, 5_000), 0)
    one, other = linked(mine, 1), linked(restarted, 2)
    take(one)
    one.receive(take(other)[0], 0)
    frames = [frame for frame in take(one) if frame.name == "ROSTER"]
    assert frames == [roster_of(entry(1, 5_000))]
    other.receive(frames[0], 0)
    assert restarted.own.newest.place == (5_001, 0) and restarted.roster.get(FOUNDER.public).place == (5_001, 0)
    assert isinstance(restarted.events[-1], events.OwnEntrySigned)


def test_how_many_entries():
    """R14.6-8: 512 of others sent and 1,024 judged within a minute; what is beyond is dropped, once decoded."""
    mine = member(2)
    exchange = linked(mine, 1)
    take(exchange)
    for _ in range(600):
        exchange.send_entries([entry(3), mine.own.newest], 0)
    sent = [Roster.decode(frame.payload).entries for frame in take(exchange)]
    assert len(sent) == 600 and sum(len(entries) for entries in sent) == 600 + 512  # own ones do not count
    exchange.send_entries([entry(3)], 59_999)
    assert not take(exchange)
    exchange.send_entries([entry(3)], 60_000)
    assert take(exchange)
    for _ in range(1_024):
        exchange.receive(roster_of(entry(3)), 0)
    exchange.receive(roster_of(entry(4)), 59_999)
    assert mine.roster.get(key(4).public) is None
    refuses(M, exchange, raw(entry(4).bytes + b"x"), 59_999)
    exchange.receive(roster_of(entry(4)), 60_000)
    assert mine.roster.get(key(4).public) is not None


def test_a_newcomer_is_passed_on():
    """R14.6-7: the first entry of it that is kept, by whoever admitted it, once."""
    founder = member(1)
    founder.take(entry(2, 7), 0)
    inviting, between = linked(founder, 2, NEW, True), linked(founder, 3)
    for value in (entry(2, 6), entry(2, 7), entry(2, 8), entry(2, 9)):
        inviting.receive(roster_of(value), 0)
    between.receive(roster_of(entry(3, 7)), 0)
    firsts = [event for event in founder.events if isinstance(event, events.FirstEntry)]
    assert firsts == [events.FirstEntry(key(2).public, entry(2, 8))]


def test_a_forged_entry_of_oneself_changes_nothing():
    """R14.4-2, R14.7-2: also behind one that was right."""
    mine = member(2, wall=1)
    exchange = linked(mine, 1)
    for name in ("first", "second"):
        twin = entry(2, 1, 0, name=name)
        exchange.receive(roster_of(twin), 0)
    assert mine.own.newest.place == (2, 0)
    newest = mine.own.newest
    refuses(E, exchange, raw(replace(newest, name="forged").bytes))
    assert mine.own.newest is newest and not mine.roster.contradictions
