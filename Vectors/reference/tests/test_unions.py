"""SPEC §14.11: how a node follows, enters, and answers what is wrong."""

from __future__ import annotations

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fields import Field
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.invitation import SessionKind
from multipeer_reference.session.admissions import admit
from multipeer_reference.session.entries import LEFT, Address
from multipeer_reference.session.exchange import Exchange
from multipeer_reference.session.frames import Digest, Enter, Roster, Unite, Want
from multipeer_reference.session.member import Membership
from multipeer_reference.session.parameters import Admits, Parameters

from .members import chain, entry, key
from .union_script import GREATER, LESSER, OWN, UnionScript, charters, name

T = FrameType
LOW, MIDDLE, HIGH = charters()[5], charters()[30], charters()[60]
BOTH = pytest.mark.parametrize("peer", [LESSER, GREATER])
MALFORMED, UNEXPECTED, INVALID = (ErrorCode.MALFORMED, ErrorCode.UNEXPECTED_FRAME, ErrorCode.ENTRY_INVALID)


def linked(peer: int = GREATER, **values) -> UnionScript:
    return UnionScript(HIGH, **values).links(1, peer)


# Following, and what it sends


@BOTH
def test_following(peer):
    """R14.11-3, R14.11-5, R14.11-7: ENTER and the own entry at once; DIGEST by the lesser key, after both own entries."""
    script = linked(peer)
    seen = script.unites(1, LOW).take()
    assert seen.sent == [f"1 ENTER {name(LOW)}", "1 ROSTER"] and seen.told == [f"united {name(LOW)}"]
    own = Roster.decode(seen.only(T.ROSTER)[0].payload).entries[0]
    assert own.chain == chain(OWN, peer, 1, charter=LOW) and (own.instance, own.sequence) == (1_000, 0)
    own.check(LOW)
    assert seen.digest == script.node.group.home.roster.digest and len(script.node.group.home.roster) == 1
    seen = script.enters(1, LOW).take()
    assert seen.sent == (["1 DIGEST"] if peer == GREATER else []) and not seen.told
    assert len(script.node.group.home.roster) == 2


def test_the_founder_follows_with_an_empty_chain():
    """R14.11-3: the node has founded the session, and has forgotten it."""
    script = UnionScript(HIGH, own=1).links(1, 3)
    own = Roster.decode(script.unites(1, LOW).take().only(T.ROSTER)[0].payload).entries[0]
    assert own.chain == () and own.member == key(1).public


def test_what_is_followed_goes_on_to_others():
    """R14.11-1: to all neighbours, in the same moment and once."""
    script = linked().links(2, LESSER)
    seen = script.unites(1, LOW).take()
    assert seen.sent == [f"1 ENTER {name(LOW)}", "1 ROSTER", f"2 UNITE {name(LOW)}"]
    unite = Unite.decode(seen.only(T.UNITE)[0].payload)
    assert unite.charter == LOW and unite.chain == chain(OWN, GREATER, 1, charter=LOW)
    unite.check(key(OWN).public, key(LESSER).public)
    assert script.unites(1, LOW).take().sent == []  # ENTER has gone, too
    seen = script.enters(2, LOW, via=(OWN, GREATER, 1)).take()
    assert seen.sent == [f"2 ENTER {name(LOW)}", "2 ROSTER"] and not seen.told


def test_unite_to_a_new_neighbour():
    """R14.11-1: as soon as its own entry has come, and behind the DIGEST to which that leads."""
    script = linked().unites(1, LOW)
    script.take()
    seen = script.invites(2, 9).opens(2).take()
    assert seen.sent[-1] == "2 ROSTER"
    expected = (["2 DIGEST"] if key(OWN).public < key(9).public else []) + [f"2 UNITE {name(LOW)}"]
    assert script.roster(2, HIGH).take().sent == expected


def test_two_that_both_unite():
    """R14.11-5: both have the same home, and each has sent UNITE; neither ENTER answers the other."""
    script = linked().links(2, LESSER).unites(1, LOW)
    script.take()
    seen = script.unites(2, LOW).take()
    assert seen.sent == [f"2 ENTER {name(LOW)}", "2 ROSTER"]
    assert script.enters(2, LOW).take().sent == []  # the peer is the lesser one


def test_enter_of_a_former_home():
    """R14.11-5: the home has fallen meanwhile; both peers go on to it."""
    script = linked().links(2, LESSER).unites(1, MIDDLE).unites(1, LOW)
    sent = script.take().sent
    assert [line for line in sent if line[0] == "2"] == [f"2 UNITE {name(MIDDLE)}", f"2 UNITE {name(LOW)}"]
    assert script.enters(2, MIDDLE, with_entry=False).take().sent == [f"2 ENTER {name(MIDDLE)}", "2 ROSTER"]
    assert script.roster(2, MIDDLE).take().sent == []  # UNITE for the home has gone here
    assert script.enters(2, LOW).take().sent == [f"2 ENTER {name(LOW)}", "2 ROSTER"]


def test_a_greater_session_than_the_home_changes_nothing():
    """R14.11-3, R14.11-5: the direction has a greater one still."""
    script = linked().links(2, LESSER).unites(1, LOW)
    script.take()
    seen = script.unites(2, MIDDLE).take()
    assert seen.sent == [] and seen.told == [] and script.node.group.get(MIDDLE.identifier) is None


def test_without_an_admission_nothing_is_followed():
    """R14.11-3: but ENTER answers if it is the home (R14.11-5)."""
    script = linked().links(2, LESSER)
    assert script.unites(1, LOW, admits=False).take().sent == []
    script.unites(1, LOW).take()
    assert script.unites(2, LOW, admits=False).take().sent == [f"2 ENTER {name(LOW)}", "2 ROSTER"]


def test_a_sender_that_may_not_admit():
    """R14.11-1: with a chain of eight it unites with those alone that are in its home."""
    script = linked().links(2, LESSER)
    long = tuple(range(20, 26)) + (1,)  # with the peer's own admission, eight: the node would be the ninth
    script.unites(1, LOW, via=long)
    seen = script.take()
    assert seen.sent[0] == f"1 ENTER {name(LOW)}" and not seen.only(T.UNITE)
    script.enters(1, LOW, via=long)
    seen = script.roster(1, LOW, LESSER).take()
    assert seen.sent[-1] == f"2 UNITE {name(LOW)} without"


def test_unite_again_every_30_seconds():
    """R14.11-1, R14.6-3: behind the DIGEST, as long as it is owed."""
    script = linked().unites(1, LOW).links(2, LESSER)
    script.step(actor="peer", link=1, end=True)
    script.take()
    assert script.after(30_000).take().sent == ["2 DIGEST", f"2 UNITE {name(LOW)}"]
    script.enters(2, LOW).take()
    assert script.after(30_000).take().sent == ["2 DIGEST"]


def test_no_more_than_sixteen_are_sent():
    """R14.11-1: within 60 s on a link."""
    script = UnionScript(HIGH).links(1, 10).links(2, 11).links(3, 12).links(4, 13)
    for index in range(18):
        script.unites(1 + index % 3, charters()[40 - index])
    seen = script.take()
    assert len(seen.only(T.UNITE)) > 16 and sum(line.startswith("4 UNITE") for line in seen.sent) == 16


# Newcomers


def in_low(*others: int) -> UnionScript:
    """Link 1 has entered LOW, in which the node has followed. On the links behind it UNITE has gone."""
    script = linked().unites(1, LOW).enters(1, LOW)
    for link, peer in enumerate(others, 2):
        script.links(link, peer)
    script.take()
    return script


def test_a_newcomer_by_unite():
    """R14.6-7: its first entry goes on to all others in that session, and no later one."""
    script = in_low(LESSER, 9)
    seen = script.enters(2, LOW).take()
    assert [line for line in seen.sent if line[0] != "2"] == ["1 ROSTER"]
    passed = next(frame for link, frame in seen.frames if link == 1)
    assert Roster.decode(passed.payload).entries == (entry(LESSER, charter=LOW),)
    assert script.roster(2, LOW, instance=2).take().sent == []


def test_newcomers_by_unite_in_two_sessions():
    """R14.6-7: the home falls; the same peer is a newcomer there, too."""
    script = linked().unites(1, MIDDLE).enters(1, MIDDLE).links(2, LESSER).enters(2, MIDDLE)
    assert [line for line in script.take().sent if line[0] == "1"][-1] == "1 ROSTER"
    script.unites(1, LOW).enters(1, LOW).take()
    assert [line for line in script.enters(2, LOW).take().sent if line[0] == "1"] == ["1 ROSTER"]


def test_a_newcomer_that_was_known():
    """R14.6-7: the entry that comes is there already, and a greater one goes into the roster."""
    script = in_low(LESSER).roster(1, LOW, LESSER)
    assert [line for line in script.enters(2, LOW).take().sent if line[0] == "1"] == []
    assert script.roster(2, LOW, instance=2).take().sent == ["1 ROSTER"]
    assert script.roster(2, LOW, instance=3).take().sent == []


def test_a_newcomer_that_was_not_admitted():
    """R14.6-7: UNITE without `admission` brings nobody in."""
    long = tuple(range(20, 26)) + (1,)
    script = linked().unites(1, LOW, via=long).enters(1, LOW, via=long).links(2, LESSER)
    assert script.roster(1, LOW, LESSER).take().sent[-1] == f"2 UNITE {name(LOW)} without"
    seen = script.enters(2, LOW, instance=2).take()
    assert [line for line in seen.sent if line[0] == "1"] == []


def test_a_newcomer_goes_to_neighbours_of_its_session():
    """R14.6-7: the peer of link 1 has not entered it, so it is none there; the DIGEST behind its own entry tells it."""
    script = linked().unites(1, LOW).links(2, LESSER)
    assert [line for line in script.enters(2, LOW).take().sent if line[0] == "1"] == []
    assert script.enters(1, LOW).take().only(T.DIGEST)


# Sessions that do not unite


@pytest.mark.parametrize("parameters, unites", [
    (Parameters(), True), (Parameters(uniting=False), False), (Parameters(uniting=True), True),
    (Parameters(Admits.FOUNDER), False), (Parameters(Admits.FOUNDER, uniting=True), True),
])
def test_what_the_charter_permits(parameters, unites):
    """R14.11-1, R14.11-2, SPEC §14.1: without the parameter, where every member admits."""
    low, high = charters(parameters)[5], charters(parameters)[60]
    assert parameters.permit_uniting is unites and Parameters.of(parameters.fields()) == parameters
    script = UnionScript(high).links(1, 1)
    seen = script.unites(1, low).take()
    assert seen.sent[0] == (f"1 ENTER {name(low)}" if unites else "1 CLOSE 3")


def test_other_parameters():
    """R14.11-1: no UNITE to a session with others, though both permit it."""
    other = charters(Parameters(uniting=True))[60]
    script = linked().unites(1, LOW).invites(2, LESSER, other, kind=SessionKind.EXISTING)
    script.app("accept", link=2).opens(2).roster(2, other)
    assert not any("2 UNITE" in line for line in script.take().sent)


@pytest.mark.parametrize("value, code", [(b"", MALFORMED), (b"\0\0", MALFORMED), (b"\2", ErrorCode.UNSUPPORTED)])
def test_bad_parameters(value, code):
    """R14.1-1."""
    with pytest.raises(ProtocolError) as caught:
        Charter.decode(Charter(bytes(32), bytes(32), (Field(6, value),)).encode())
    assert caught.value.code is code


def test_an_app_that_permits_no_unions():
    """R14.11-3: what its home is others may follow, and UNITE of others is judged still."""
    script = linked()
    script.node.group._enter = None
    assert script.unites(1, LOW).take().sent == []
    assert script.unites(1, charters()[61]).take().sent == ["1 CLOSE 3"]


# What is wrong


def changed(what: str, script: UnionScript) -> bytes:
    """UNITE for LOW with a fault."""
    good = script.made(1, LOW)
    peer, own = key(script.peers[1]), key(OWN).public
    match what:
        case "no longer admission":
            return good.encode().replace(b"\x40\x40" + good.admission, b"\x3f" + good.admission[1:])
        case "longer than all":
            return good.encode() + b"\0"
        case "an even field":
            return Unite(good.charter, good.chain, good.admission, (Field(2, b""),)).encode()
        case "the same session":
            return script.made(1, HIGH).encode()
        case "a greater session":
            return script.made(1, charters()[61]).encode()
        case "other parameters":
            return script.made(1, charters(Parameters(maximum_members=9))[0]).encode()
        case "a wrong length, in a greater session":
            greater = script.made(1, charters()[61])
            return greater.encode().replace(b"\x40\x40" + greater.admission, b"\x01" + greater.admission[:1])
        case "a greater session, and a bad chain":
            return Unite(charters()[61], good.chain, good.admission).encode()
        case "the same session, and a bad admission":
            return Unite(HIGH, script.made(1, HIGH).chain, good.admission).encode()
        case "other parameters, and a bad chain":
            return Unite(charters(Parameters(maximum_members=9))[0], good.chain[:0], good.admission).encode()
        case "the chain of another":
            return Unite(LOW, chain(LESSER, 1, charter=LOW), good.admission).encode()
        case "the chain of another session":
            return Unite(LOW, chain(GREATER, 1, charter=HIGH), good.admission).encode()
        case "an admission of another":
            return Unite(LOW, good.chain, admit(peer, LOW.identifier, key(50).public).signature).encode()
        case "an admission by another":
            return Unite(LOW, good.chain, admit(key(50), LOW.identifier, own).signature).encode()
        case "an admission behind eight":
            return script.made(1, LOW, via=(*range(20, 27), 1)).encode()
    raise ValueError(what)


@pytest.mark.parametrize("what, code", [
    ("no longer admission", MALFORMED), ("longer than all", MALFORMED), ("an even field", ErrorCode.UNSUPPORTED),
    ("a wrong length, in a greater session", MALFORMED), ("the same session", UNEXPECTED), ("a greater session", UNEXPECTED),
    ("a greater session, and a bad chain", UNEXPECTED), ("the same session, and a bad admission", UNEXPECTED),
    ("other parameters", UNEXPECTED), ("other parameters, and a bad chain", UNEXPECTED), ("the chain of another", INVALID),
    ("the chain of another session", INVALID), ("an admission of another", INVALID), ("an admission by another", INVALID),
    ("an admission behind eight", INVALID),
])
def test_bad_unites(what, code):
    """R14.11-2: of several faults the first one in its order counts."""
    script = linked()
    assert script.frame(1, T.UNITE, changed(what, script)).take().sent[-1] == f"1 CLOSE {int(code)}"
    assert len(script.node.group) == 1


def test_unite_before_the_own_entry():
    """R14.11-2: of the session of its direction; after ENTER again."""
    for what in ("", "the chain of another"):
        script = UnionScript(HIGH).invites(1, GREATER).opens(1)
        payload = changed(what, script) if what else script.made(1, LOW).encode()
        assert script.frame(1, T.UNITE, payload).take().sent[-1] == "1 CLOSE 3"
    script = linked().unites(1, MIDDLE).enters(1, MIDDLE, with_entry=False)
    script.take()
    assert script.unites(1, LOW).take().sent == ["1 CLOSE 3"]


def test_an_admission_where_the_founder_alone_admits():
    """R14.11-2: of another member than it."""
    rules = Parameters(Admits.FOUNDER, uniting=True)
    low, high = charters(rules)[5], charters(rules)[60]
    script = UnionScript(high).links(1, GREATER)
    assert script.unites(1, low).take().sent == ["1 CLOSE 38"]
    script = UnionScript(high).links(1, GREATER)
    assert script.unites(1, low, admits=False).take().sent == []


@pytest.mark.parametrize("payload", [Enter(LOW.identifier).encode(), Enter(HIGH.identifier).encode()])
def test_enter_of_a_session_that_was_not_named(payload):
    """R14.11-6."""
    assert linked().frame(1, T.ENTER, payload).take().sent == ["1 CLOSE 3"]


def test_enter_twice():
    """R14.11-6: the second one is not less than the session of its direction."""
    script = linked().unites(1, LOW).enters(1, LOW)
    script.take()
    assert script.enters(1, LOW, with_entry=False).take().sent == ["1 CLOSE 3"]


def test_enter_of_a_greater_session_than_that_of_its_direction():
    """R14.11-6: though it was named."""
    script = linked().links(2, LESSER).unites(1, MIDDLE).unites(1, LOW).enters(2, LOW)
    script.take()
    assert script.enters(2, MIDDLE, with_entry=False).take().sent == ["2 CLOSE 3"]


def test_enter_that_was_named_on_another_link():
    """R14.11-6: on this link alone counts."""
    script = linked().unites(1, LOW).invites(2, LESSER).opens(2)
    script.take()
    assert script.enters(2, LOW, with_entry=False).take().sent == ["2 CLOSE 3"]


@pytest.mark.parametrize("payload", [b"", LOW.identifier, LOW.identifier + b"\0\0", LOW.identifier[1:] + b"\0"])
def test_malformed_enter(payload):
    script = linked().unites(1, LOW)
    script.take()
    assert script.frame(1, T.ENTER, payload).take().sent == ["1 CLOSE 1"]


def test_before_a_link_is_open():
    """SPEC §17."""
    for type_ in (T.UNITE, T.ENTER):
        script = UnionScript(HIGH).invites(1, GREATER)
        script.take()
        payload = script.made(1, LOW).encode() if type_ is T.UNITE else Enter(LOW.identifier).encode()
        assert script.frame(1, type_, payload).take().sent == ["1 CLOSE 3"]


def test_guests():
    """R14.5-5, R14.11-6: UNITE is decoded and ignored; ENTER is unexpected."""
    guest = Membership(key(OWN), HIGH, stays_guest=True)
    exchange = Exchange(guest, key(GREATER).public, SessionKind.NEW, False, 0)
    unite = Unite(LOW, chain(GREATER, 1, charter=LOW), bytes(64))
    for _ in range(20):
        exchange.receive(Frame(T.UNITE, unite.encode()), 0)
    assert not exchange.frames
    for type_, payload, code in ((T.UNITE, unite.encode()[:-1], MALFORMED), (T.ENTER, Enter(LOW.identifier).encode(), UNEXPECTED)):
        with pytest.raises(ProtocolError) as caught:
            exchange.receive(Frame(type_, payload), 0)
        assert caught.value.code is code


# Directions with different sessions


def test_what_belongs_to_another_session_is_ignored():
    """R14.11-7: DIGEST, SUMMARY and WANT, once decoded; SUMMARY would be unexpected."""
    script = linked().unites(1, LOW)
    script.take()
    for type_, payload in (
        (T.DIGEST, Digest(bytes(32)).encode()), (T.SUMMARY, b"\0\0"), (T.WANT, Want((bytes(32),)).encode()),
    ):
        assert script.frame(1, type_, payload).take().sent == []
    assert script.frame(1, T.DIGEST, b"").take().sent == ["1 CLOSE 1"]


@pytest.mark.parametrize("type_, payload", [
    (T.DIGEST, Digest(bytes(32)).encode()), (T.SUMMARY, b"\0\0"), (T.WANT, Want((bytes(32),)).encode()),
])
def test_after_enter_the_own_entry_comes_first(type_, payload):
    """R14.11-7, R14.5-4: as on a new link."""
    script = linked().unites(1, LOW).enters(1, LOW, with_entry=False)
    script.take()
    assert script.frame(1, type_, payload).take().sent == ["1 CLOSE 3"]


def test_digests_of_a_former_session_do_not_count():
    """R14.11-7, R14.5-4: SUMMARY in the new one without a DIGEST there."""
    script = linked(LESSER).after(30_000)
    assert script.take().sent == ["1 DIGEST"]
    script.unites(1, LOW).enters(1, LOW)
    assert script.frame(1, T.SUMMARY, b"\0\0").take().sent[-1] == "1 CLOSE 3"


def test_entries_are_of_the_session_of_their_direction():
    """R14.11-7: a ROSTER behind ENTER goes into the roster of the new one, and one before it into that of the old one."""
    script = linked().unites(1, LOW).roster(1, HIGH, 9)
    assert script.node.group.get(HIGH.identifier).roster.get(key(9).public)
    script.enters(1, LOW).roster(1, LOW, 10)
    assert script.node.group.home.roster.get(key(10).public) and not script.node.group.home.roster.get(key(9).public)
    script.take()
    assert script.roster(1, HIGH, 11).take().sent == ["1 CLOSE 38"]


def test_a_departure_is_judged_in_the_session_of_the_peers_direction():
    """R14.9-2."""
    for entered, departure in ((False, "lost"), (True, "left")):
        script = linked().unites(1, LOW)
        if entered:
            script.enters(1, LOW, with_entry=False)
        script.roster(1, LOW if entered else HIGH)
        if entered:
            script.roster(1, LOW, instance=2, presence=LEFT)
        script.take()
        assert any(f"departed" in line and departure in line for line in script.step(actor="peer", link=1, end=True).take().told)


# Bounds


def test_sixteen_unites_are_judged():
    """R14.11-2: from one peer within a minute, over all successive links; the others are dropped, but decoded."""
    script = linked()
    for _ in range(10):
        script.unites(1, LOW, admits=False)
    script.step(actor="peer", link=1, end=True).links(2, GREATER)
    for _ in range(6):
        script.unites(2, LOW, admits=False)
    assert script.unites(2, charters()[61]).unites(2, LOW).take().sent == []
    assert script.frame(2, T.UNITE, b"").take().sent[-1] == "2 CLOSE 1"
    script = linked()
    for _ in range(16):
        script.unites(1, LOW, admits=False)
    assert script.after(59_999).unites(1, LOW).take().sent == ["1 DIGEST"]
    assert f"1 ENTER {name(LOW)}" in script.after(1).unites(1, LOW).take().sent


def used_up() -> UnionScript:
    """Link 1 has ended, after sixteen UNITEs of its peer."""
    script = linked()
    for _ in range(16):
        script.unites(1, LOW, admits=False)
    return script.step(actor="peer", link=1, end=True)


@pytest.mark.parametrize("what", ["a greater session", "other parameters", "the chain of another", "an admission by another"])
def test_what_is_dropped_is_not_judged(what):
    """R14.11-2: the limit comes before all but the decoding."""
    script = used_up().links(2, GREATER)
    script.peers[1] = GREATER
    assert script.frame(2, T.UNITE, changed(what, script)).take().sent == []
    assert script.frame(2, T.UNITE, changed("no longer admission", script)).take().sent == ["2 CLOSE 1"]


def test_what_is_dropped_needs_no_neighbour():
    """R14.11-2: the limit comes before the own entry of the sender."""
    script = used_up().invites(2, GREATER).opens(2)
    script.take()
    assert script.unites(2, LOW).take().sent == []
    assert script.roster(2, HIGH).unites(2, LOW).take().sent in ([], ["2 DIGEST"])


def test_summaries_are_counted_in_each_session():
    """R14.6-4, R14.11-7: one within 10 s answers DIGEST, and after ENTER another one."""
    script, asks = linked(), Digest(bytes(32)).encode()
    script.frame(1, T.DIGEST, asks).frame(1, T.DIGEST, asks)
    assert len(script.take().only(T.SUMMARY)) == 1
    script.unites(1, LOW).enters(1, LOW).frame(1, T.DIGEST, asks).frame(1, T.DIGEST, asks)
    assert len(script.take().only(T.SUMMARY)) == 1
    assert len(script.after(9_999).frame(1, T.DIGEST, asks).take().only(T.SUMMARY)) == 0
    assert len(script.after(1).frame(1, T.DIGEST, asks).take().only(T.SUMMARY)) == 1


def test_entries_are_judged_in_each_session():
    """R14.6-8: 1,024 of one neighbour within a minute; the session that it enters has its own number."""
    script = linked()
    same = Roster((entry(GREATER, charter=HIGH),)).encode()
    script.step(actor="peer", link=1, frame="ROSTER", payload=same.hex(), times=1_022)
    held = script.node.group.get(HIGH.identifier).roster
    assert script.roster(1, HIGH, 20) and held.get(key(20).public)  # the last one
    assert script.roster(1, HIGH, 21) and not held.get(key(21).public)
    script.unites(1, LOW).enters(1, LOW).roster(1, LOW, 21)
    assert script.node.group.home.roster.get(key(21).public)
    script.step(actor="peer", link=1, end=True).links(2, GREATER).roster(2, HIGH, 21)
    assert not held.get(key(21).public)  # over all successive links


def test_entries_of_others_are_sent_by_the_link():
    """R14.6-8: 512 within a minute on one link, in whatever session."""
    script = linked()
    exchange = script.node.links[1].exchange

    def sent(charter: Charter, count: int) -> int:
        exchange.send_entries([entry(number, charter=charter) for number in range(100, 100 + count)], 0)
        return sum(len(Roster.decode(frame.payload).entries) for frame in script.after(0).take().only(T.ROSTER))

    assert [sent(HIGH, 250), sent(HIGH, 250)] == [250, 250]
    script.unites(1, LOW).enters(1, LOW).take()
    assert exchange.outgoing.charter == LOW and [sent(LOW, 20), sent(LOW, 20)] == [12, 0]


def test_eight_of_one_branch_are_followed():
    """R14.11-4: within a minute; those that a member has admitted are of its branch, and others are not."""
    script = UnionScript(HIGH).links(1, 10).links(2, 11, via=(10, 1)).links(3, 12)
    for index in range(8):
        script.unites(1 + index % 2, charters()[40 - index])
    assert len([line for line in script.take().told if line.startswith("united")]) == 8
    seen = script.unites(1, charters()[20]).unites(2, charters()[20]).take()
    assert seen.told == [f"apart {name(charters()[20])}"] * 2 and seen.sent == []
    assert script.unites(3, charters()[20]).take().told == [f"united {name(charters()[20])}"]
    script.after(60_000).take()
    assert script.unites(1, LOW).take().told == [f"united {name(LOW)}"]


def test_thirty_two_are_followed_in_all():
    """R14.11-4."""
    script = UnionScript(HIGH)
    for link in range(1, 6):
        script.links(link, 9 + link)
    for index in range(32):
        script.unites(1 + index // 8, charters()[50 - index])
    assert len([line for line in script.take().told if line.startswith("united")]) == 32
    assert script.unites(5, LOW).take().told == [f"apart {name(LOW)}"]


# The group


def test_a_home_that_was_founded_by_the_node():
    """R14.11-1: sessions come together by INVITEs, too: that for another one is accepted, and both are held."""
    script = UnionScript(HIGH).links(1, GREATER)
    script.invites(2, LESSER, LOW, kind=SessionKind.EXISTING).app("accept", link=2).opens(2)
    assert len(script.node.group) == 2
    script.take()
    own = chain(OWN, LESSER, 1, charter=LOW)
    script.frame(2, T.ADMIT, b"\x40\xc0" + b"".join(one.encode() for one in own) + b"\0")
    seen = script.roster(2, LOW).take()
    assert seen.told == [f"united {name(LOW)}"] and seen.sent[0] == f"1 UNITE {name(LOW)}"


def joins(script: UnionScript, link: int, peer: int, charter: Charter) -> UnionScript:
    """By an INVITE that the app accepts, up to the own entry of the inviter."""
    script.invites(link, peer, charter, kind=SessionKind.EXISTING).app("accept", link=link).opens(link)
    own = chain(OWN, peer, 1, charter=charter)
    script.frame(link, T.ADMIT, b"\x40\xc0" + b"".join(one.encode() for one in own) + b"\0").roster(link, charter)
    return script


@pytest.mark.parametrize("other, home", [(LOW, LOW), (charters()[61], HIGH)])
def test_a_session_is_kept_without_a_link(other, home):
    """R14.11-8: the node remains a present member, accepts INVITE there, and unites both."""
    script = linked().step(actor="peer", link=1, end=True)
    script.take()
    sent = joins(script, 2, LESSER, other).take().sent
    assert {mine.session for mine in script.node.group if mine.is_present} == {HIGH.identifier, other.identifier}
    assert script.node.group.home.charter == home and (f"2 UNITE {name(HIGH)}" in sent) is (home == HIGH)
    seen = script.invites(3, GREATER).opens(3).roster(3, HIGH).take()
    assert seen.sent[0] == "3 ACCEPT" and (f"3 UNITE {name(LOW)}" in seen.sent) is (home == LOW)


def test_a_session_that_nobody_has_joined_is_kept():
    """R14.11-8."""
    script = joins(UnionScript(HIGH), 2, LESSER, LOW)
    assert len(script.node.group) == 2 and all(mine.is_present for mine in script.node.group)
    assert "3 ACCEPT" in script.invites(3, GREATER).take().sent


def test_the_greatest_of_more_than_eight_is_forgotten():
    """R14.11-8: not while a link is in it; INVITE there is declined from then on."""
    followed = [charters()[40 - index] for index in range(8)]
    script = UnionScript(HIGH).links(1, 10).links(2, 11)
    for charter in followed:
        script.unites(1, charter)
    assert len(script.node.group) == 9  # the peers have not entered any of them
    script.enters(1, followed[-1]).unites(1, followed[-1])
    script.enters(2, followed[-1]).unites(2, LOW).take()
    assert [mine.charter for mine in script.node.group] == [LOW, *reversed(followed[1:])]
    for link, charter, answer in ((3, HIGH, "DECLINE 6"), (4, followed[0], "DECLINE 6"), (5, followed[1], "ACCEPT")):
        assert script.invites(link, 20 + link, charter).take().sent[0] == f"{link} {answer}"


def test_the_greatest_stays_while_a_link_is_in_it():
    """R14.11-8: and so do all lesser ones; the peer may ENTER them still."""
    script = UnionScript(HIGH).links(1, 10).links(2, 11)
    for index in range(9):
        script.unites(1 + index // 8, charters()[40 - index])
    assert len(script.node.group) == 10
    assert script.enters(2, charters()[40]).take().sent[-1] != "2 CLOSE 3"


def test_sessions_that_the_app_has_left_are_no_part_of_another_group():
    """R14.11-9: all are left together, and an INVITE that is accepted then is for a new group."""
    script = linked().unites(1, MIDDLE).app("leave")
    assert len(script.node.group) == 2
    assert [mine.charter for mine in joins(script, 2, LESSER, LOW).node.group] == [LOW]


def test_a_session_of_which_the_node_has_not_become_a_member():
    """Without ADMIT; the link has ended."""
    script = UnionScript(HIGH).invites(2, LESSER, MIDDLE, kind=SessionKind.EXISTING).app("accept", link=2).opens(2)
    script.step(actor="peer", link=2, end=True)
    assert [mine.charter for mine in joins(script, 3, 9, LOW).node.group] == [LOW, HIGH]


def test_invites_to_all_sessions_of_the_group():
    """R14.11-8, R14.8-2: between members; to no other session."""
    script = linked().unites(1, LOW)
    script.take()
    for link, charter, answer in ((2, HIGH, "ACCEPT"), (3, LOW, "ACCEPT"), (4, MIDDLE, "DECLINE 6")):
        assert script.invites(link, 20 + link, charter).take().sent[0] == f"{link} {answer}"


WHERE = Address(1, bytes([192, 0, 2, 9, 1, 1]))
OTHER = next(number for number in range(40, 90) if key(number).public > key(OWN).public)


@pytest.mark.parametrize("member, at_once", [(LESSER, False), (GREATER, True)])
def test_one_dial_for_all_sessions(member, at_once):
    """R14.11-8: in the least session with an entry of the member, and none while there is a link."""
    script = UnionScript(HIGH, addresses=[{"kind": 1, "value": "c00002010101"}]).links(1, 9)
    assert script.roster(1, HIGH, member, addresses=(WHERE,)).take().told.count("dial") == at_once
    script.unites(1, LOW).enters(1, LOW).roster(1, LOW, member, addresses=(WHERE,))
    assert script.after(499).take().told.count("dial") == 0
    assert script.after(1).take().told.count("dial") == (not at_once)
    script.connects(2, member, address={"kind": 1, "value": WHERE.value.hex()})
    assert script.take().only(T.INVITE)[0].payload.startswith(LOW.encode())
    script.frame(2, T.ACCEPT, bytes.fromhex("02000100")).opens(2).roster(2, LOW, addresses=(WHERE,), instance=5)
    script.roster(1, LOW, member, addresses=(WHERE,), instance=6)
    assert "dial" not in script.after(60_000).take().told


def test_a_member_that_has_left_the_least_session():
    """R14.11-8, R14.11-9: it has left them all, whatever a greater one says."""
    script = linked().roster(1, HIGH, 9).unites(1, LOW).enters(1, LOW).roster(1, LOW, 9, presence=LEFT)
    script.links(2, LESSER).roster(2, HIGH, 9, instance=9, addresses=(WHERE,))
    assert "dial" not in script.after(1_000).take().told


@pytest.mark.parametrize("values", [{"presence": LEFT, "addresses": (WHERE,)}, {}])
def test_an_entry_in_a_lesser_session_counts_alone(values):
    """R14.11-8: whatever it says, that of a greater session is not dialled, though the app asks; a later one there is."""
    script = linked().links(2, 9).unites(1, LOW).enters(1, LOW).roster(1, LOW, OTHER, **values)
    script.roster(2, HIGH, OTHER, instance=9, addresses=(WHERE,)).app("dial", member=key(OTHER).public.hex())
    assert "dial" not in script.after(59_000).take().told
    script.roster(1, LOW, OTHER, instance=2, addresses=(WHERE,)).after(60_000)
    script.connects(3, OTHER, address={"kind": 1, "value": WHERE.value.hex()})
    assert script.take().only(T.INVITE)[0].payload.startswith(LOW.encode())


def test_a_link_in_another_session_of_the_group():
    """R14.11-8: it is open in the greater session, so the member is not dialled in the lesser one until it has ended."""
    script = linked().links(2, OTHER).unites(1, LOW).enters(1, LOW)
    script.roster(1, LOW, OTHER, addresses=(WHERE,)).app("dial", member=key(OTHER).public.hex())
    assert "dial" not in script.after(70_000).take().told
    assert "dial" in script.step(actor="peer", link=2, end=True).after(500).take().told
    script.connects(3, OTHER, address={"kind": 1, "value": WHERE.value.hex()})
    assert script.take().only(T.INVITE)[0].payload.startswith(LOW.encode())


def test_leaving_leaves_all():
    """R14.11-9: each link hears of it in the session of its direction; and the node returns to all."""
    script = linked().links(2, LESSER).unites(1, LOW)
    script.take()
    seen = script.app("leave").take()
    assert [line.split()[1] for line in seen.sent] == ["ROSTER", "CLOSE", "ROSTER", "CLOSE"]
    for frame, charter in zip(seen.only(T.ROSTER), (LOW, HIGH)):
        gone = Roster.decode(frame.payload).entries[0]
        gone.check(charter)
        assert gone.presence == LEFT and gone.member == key(OWN).public
    assert not any(mine.is_present for mine in script.node.group)
    script.app("comeBack")
    assert all(mine.is_present for mine in script.node.group)
    script.app("leave").app("comeBack").take()
    for link, charter in ((3, HIGH), (4, LOW)):
        assert script.invites(link, 20 + link, charter).take().sent[0] == f"{link} ACCEPT"


@pytest.mark.parametrize("held, answer", [("block", "DECLINE 1"), ("disconnect", "asked")])
def test_what_is_held_against_a_peer(held, answer):
    """R14.11-9, R14.8-2: in all sessions."""
    script = linked().links(2, LESSER).unites(1, LOW)
    script.app(held, member=key(LESSER).public.hex()).take()
    seen = script.invites(3, LESSER, LOW).take()
    assert seen.sent[:1] == ["3 DECLINE 1"] if answer != "asked" else seen.told == ["asked 3"]


def test_what_is_held_against_an_admitter():
    """R14.11-9, R14.9-5: by the chain in whatever session."""
    script = linked().roster(1, HIGH, 12, via=(11, 1)).unites(1, LOW)
    script.app("block", member=key(11).public.hex()).take()
    assert script.invites(2, 12, LOW).take().sent[0] == "2 DECLINE 1"


def test_a_union_is_no_later_run():
    """R14.11-9, R14.9-3: a member that was refused is not dialled because its first entry in another session is younger."""
    where = {"addresses": (WHERE,)}
    script = UnionScript(HIGH, refuses=[key(9).public.hex()]).links(1, LESSER).roster(1, HIGH, 9)
    script.invites(2, 9).opens(2)
    script.step(actor="peer", link=2, end=True).unites(1, LOW).enters(1, LOW)
    script.take()
    assert "dial" not in script.roster(1, LOW, 9, instance=500, **where).after(1_000).take().told
    assert "dial" in script.roster(1, LOW, 9, instance=501, **where).after(1_000).take().told


def test_invitations_of_the_app_are_for_the_home():
    """SPEC §14.11."""
    script = linked().unites(1, LOW).connects(2, 30)
    script.take()
    assert script.app("invite", link=2).take().only(T.INVITE)[0].payload.startswith(LOW.encode())


def test_a_full_home():
    """R14.11-1, R14.1-2: no peer without an entry is admitted beyond the maximum, and those that have had an admission count."""
    rules = Parameters(maximum_members=3)
    low, high = charters(rules)[5], charters(rules)[60]
    script = UnionScript(high).links(1, 9).links(2, 10).links(3, 11).unites(1, low)
    unites = [line for line in script.take().sent if "UNITE" in line]
    assert unites == [f"2 UNITE {name(low)}", f"3 UNITE {name(low)}"]  # before any entry of others
    script = UnionScript(high).links(1, 9).unites(1, low).enters(1, low).links(2, 10)
    script.invites(3, 11).opens(3).take()
    assert not any("UNITE" in line for line in script.roster(3, high).take().sent)  # the one on link 2 may come
    seen = script.enters(2, low).roster(1, low, 11).take()
    assert f"3 UNITE {name(low)}" in seen.sent  # it is there already
    script = UnionScript(high).links(1, 9).unites(1, low).enters(1, low).connects(2, 10).app("invite", link=2)
    script.invites(3, 11).opens(3).take()
    assert not any("UNITE" in line for line in script.roster(3, high).take().sent)  # nor while an invitation is under way
    assert f"3 UNITE {name(low)}" in script.step(actor="peer", link=2, end=True).take().sent


def test_entries_of_two_charters_are_apart():
    """An entry of one session is no entry of the other."""
    with pytest.raises(ProtocolError):
        entry(3, charter=LOW).check(HIGH)
