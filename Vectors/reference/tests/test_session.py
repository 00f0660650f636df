"""SPEC §14.1 to §14.7: charters, admissions, entries, rosters and instances."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest

from multipeer_reference import events
from multipeer_reference.ed25519 import L
from multipeer_reference.errors import ErrorCode, ProtocolError
from multipeer_reference.fields import Field
from multipeer_reference.session.admissions import Admission, admit, extended, is_valid
from multipeer_reference.session.entries import LEFT, Address, Entry
from multipeer_reference.session.instances import OwnEntries, Shown
from multipeer_reference.session.member import Membership
from multipeer_reference.session.roster import MAXIMUM_ENTRIES, Roster, Taken, branch, digest_of, ranked

from .members import CHARTER, CLOSED, FOUNDER, chain, entry, key
from .test_wire03 import ANNA, BEN, annas_entry, bens_entry
from .test_wire03 import CHARTER as TRACE

M, E = ErrorCode.MALFORMED, ErrorCode.ENTRY_INVALID
NINE = tuple(range(9, 0, -1))


def flipped(data: bytes, bit: int) -> bytes:
    copy = bytearray(data)
    copy[bit // 8] ^= 1 << bit % 8
    return bytes(copy)


@pytest.mark.parametrize("numbers", [(2, 1), (3, 2, 1), NINE])
def test_valid_chains(numbers):
    """R14.2-1."""
    assert is_valid(chain(*numbers), CHARTER, key(numbers[0]).public)
    assert is_valid((), CHARTER, FOUNDER.public)
    assert is_valid(chain(2, 1, charter=CLOSED), CLOSED, key(2).public)


def test_invalid_chains():
    """R14.2-1, each part of it."""
    good, member = chain(3, 2, 1), key(3).public
    assert not is_valid((), CHARTER, member) and not is_valid(chain(2, 1), CHARTER, FOUNDER.public)
    assert not is_valid(chain(10, *NINE), CHARTER, key(10).public)
    assert not is_valid(chain(3, 2), CHARTER, member) and not is_valid(good[::-1], CHARTER, member)
    assert not is_valid(good[:1], CHARTER, member) and not is_valid(good[1:], CHARTER, member)
    assert not is_valid(good, CHARTER, key(2).public) and not is_valid(good, replace(CHARTER, nonce=bytes([1]) * 32), member)
    assert not is_valid(chain(3, 2, 1, charter=CLOSED), CLOSED, member)
    assert not is_valid(chain(3, 2, charter=CLOSED), CLOSED, member)
    for index in range(2):
        for bit in (0, 255, 256, 511):
            signature = flipped(good[index].signature, bit)
            assert not is_valid(good[:index] + (replace(good[index], signature=signature),) + good[index + 1 :], CHARTER, member)
    admission = chain(2, 1)[0]
    scalar = int.from_bytes(admission.signature[32:], "little") + L
    large = Admission(FOUNDER.public, admission.signature[:32] + scalar.to_bytes(32, "little"))
    assert not is_valid((large,), CHARTER, key(2).public)
    small = Admission(bytes([1]) + bytes(31), bytes([1]) + bytes(63))  # it would verify without R9.6-1
    assert not is_valid((small,), replace(CHARTER, founder=small.admitter), key(2).public)


def test_what_an_admission_signs():
    """R14.2-1, R14.2-2."""
    session, member = CHARTER.identifier, key(2).public
    for wrong in (b"multipeer/1 roster entry\x00", b"multipeer/1 identity proof\x00", b"multipeer/1 admission"):
        forged = Admission(FOUNDER.public, FOUNDER.sign(wrong + session + member))
        assert not is_valid((forged,), CHARTER, member)
    assert is_valid((admit(FOUNDER, session, member),), CHARTER, member)
    with pytest.raises(ValueError):
        extended(key(9), chain(*NINE), session, member)


@pytest.mark.parametrize("values", [
    {}, {"name": "x" * 63}, {"presence": LEFT}, {"addresses": (Address(1, bytes(6)), Address(2, bytes(18)), Address(9, b""))},
    {"addresses": (Address(9, bytes(64)),) * 3}, {"fields": (Field(31, b"x"),)}, {"addresses": (Address(3, b""),) * 8},
])
def test_entries(values):
    """R14.3-1, R14.3-3: what is unknown is kept."""
    value = entry(2, 1 << 40, 3, **values)
    decoded = Entry.decode(value.bytes)
    assert decoded == value and decoded.bytes == value.bytes and len(value.bytes) <= 1_024
    decoded.check(CHARTER)


@pytest.mark.parametrize("change", [
    {"presence": 2}, {"name": "\u202e"}, {"addresses": (Address(3, b""),) * 9}, {"addresses": (Address(1, bytes(5)),)},
    {"addresses": (Address(1, bytes(7)),)}, {"addresses": (Address(2, bytes(17)),)}, {"fields": (Field(2, b""),)},
    {"fields": (Field(3, b""), Field(1, b""))},
])
def test_malformed_entries(change):
    """R14.3-1: whatever the signature is."""
    with pytest.raises(ProtocolError) as caught:
        Entry.decode(replace(entry(2), **change).bytes)
    assert caught.value.code is M


@pytest.mark.parametrize("size", [1_024, 1_025])
def test_an_entry_of_1024_bytes_and_one_more(size):
    """R14.3-1."""
    long = Entry(key(9).public, 1, 0, addresses=(Address(9, bytes(60)),) * 2, chain=chain(*NINE))
    value = replace(long, name="x" * (size - len(long.bytes)))
    assert len(value.bytes) == size
    if size == 1_024:
        assert Entry.decode(value.bytes) == value and value.signed(key(9), CHARTER.identifier)
        return
    refuses(M, Entry.decode, value.bytes)
    with pytest.raises(ValueError):
        value.signed(key(9), CHARTER.identifier)


def refuses(code, action, *arguments):
    with pytest.raises(ProtocolError) as caught:
        action(*arguments)
    assert caught.value.code is code


def test_entries_that_do_not_verify():
    """R14.3-2."""
    good = entry(3, via=(2, 1))
    good.check(CHARTER)
    refuses(E, replace(good, signature=flipped(good.signature, 5)).check, CHARTER)
    refuses(E, replace(good, sequence=1).check, CHARTER)
    refuses(E, good.check, replace(CHARTER, nonce=bytes([7]) * 32))
    refuses(E, replace(good, signature=key(2).sign(good.signed_bytes(CHARTER.identifier))).check, CHARTER)
    refuses(E, entry(3, via=(2,)).check, CHARTER)
    refuses(E, Entry(FOUNDER.public, 1, 0, chain=chain(2, 1)).signed(FOUNDER, CHARTER.identifier).check, CHARTER)
    with pytest.raises(ValueError):
        good.signed(key(2), CHARTER.identifier)


def test_digest_of_the_trace():
    """SPEC B.4."""
    roster = Roster(TRACE)
    assert [roster.take(value) for value in (annas_entry(), bens_entry())] == [Taken.KEPT] * 2
    assert roster.digest.hex() == "c98474085ed4a4fb67185e1df499a2a088f19e3763464bc54edea5acd609cab2"
    assert [value.member for value in roster] == [BEN.public, ANNA.public]


def test_order():
    """R14.4-1: instance, then sequence, then hash."""
    roster = Roster(CHARTER)
    newer = entry(2, 5, 1)
    assert roster.take(newer) is Taken.KEPT and roster.take(newer) is Taken.SAME
    for older in (entry(2, 5, 0), entry(2, 4, 9)):
        assert roster.take(older) is Taken.LESSER
        assert roster.take(replace(older, signature=bytes(64))) is Taken.LESSER  # nobody looks at it
    refuses(E, roster.take, replace(entry(2, 6, 0), signature=bytes(64)))
    assert roster.get(key(2).public) is newer and not roster.contradictions
    assert roster.take(entry(2, 6, 0, presence=LEFT)) is Taken.KEPT


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_contradictions(order):
    """R14.4-2: reported once, whatever came first, and the greatest hash counts."""
    three = [entry(2, 5, 1, name=name) for name in "abc"]
    roster = Roster(CHARTER)
    for index in order:
        roster.take(three[index])
    assert roster.contradictions == [key(2).public]
    assert roster.get(key(2).public) is max(three, key=lambda value: value.hash)


def test_a_contradiction_is_one_only_if_it_is_valid():
    roster = Roster(CHARTER)
    first, second = sorted((entry(2, 5, 1, name=name) for name in "ab"), key=lambda value: value.hash)
    roster.take(second)
    refuses(E, roster.take, replace(first, name="c", signature=bytes(64)) if first.name != "c" else first)
    assert not roster.contradictions


def test_a_full_roster():
    """R14.4-3: present before left, shorter chain, greater instance, lesser member."""
    everybody = [entry(1, 1)]
    everybody += [entry(number, 5) for number in range(2, 202)]
    everybody += [entry(number, 5, via=(2, 1)) for number in range(202, 262)]  # 261 in all
    everybody[7] = entry(8, 9, presence=LEFT)
    everybody[250] = entry(251, 6, via=(2, 1))
    roster = Roster(CHARTER)
    random.Random(3).shuffle(everybody)
    for value in everybody:
        roster.take(value)
    assert len(roster) == MAXIMUM_ENTRIES
    gone = {value.member for value in everybody} - {value.member for value in roster}
    longer = sorted(key(number).public for number in range(202, 262) if number != 251)
    assert gone == {key(8).public, *longer[-4:]}
    assert roster.take(entry(8, 10, presence=LEFT)) is Taken.NO_ROOM


def unsigned(number: int, instance: int, *admitters: int, presence: int = 1) -> Entry:
    """For orders, which look at no signature."""
    links = tuple(Admission(key(admitter).public, bytes(64)) for admitter in admitters)
    return Entry(key(number).public, instance, 0, presence, chain=links)


def test_whoever_admits_many_competes_with_those():
    """R14.4-3: one branch of 250 does not displace the members of others."""
    honest = [unsigned(1, 1)] + [unsigned(number, 1, 1) for number in range(2, 13)]
    honest += [unsigned(100 + 3 * admitter + index, 1, admitter, 1) for admitter in range(2, 12) for index in range(3)]
    many = [unsigned(1_000 + number, 2**62 - 2, 12, 1) for number in range(250)]
    kept = ranked(many + honest)[:256]
    assert set(map(id, honest)) <= set(map(id, kept))
    by_one = [entry_ for entry_ in kept if entry_.chain and branch(entry_) == key(12).public]
    assert len(by_one) == 256 - len(honest) + 1


@pytest.mark.parametrize("better, worse", [
    (unsigned(9, 1, 2, 1), unsigned(9, 1, 2, 1, presence=0)),  # present before left
    (unsigned(8, 1, 3, 2, 1), unsigned(9, 9, 4, 1)),  # another branch: the lesser turn comes before the shorter chain
    (unsigned(8, 1, 2, 1), unsigned(9, 9, 3, 2, 1)),  # within a branch the shorter chain
    (unsigned(8, 2, 2, 1), unsigned(9, 1, 2, 1)),  # the greater instance
    (min(unsigned(8, 1, 2, 1), unsigned(9, 1, 2, 1), key=lambda e: e.member),
     max(unsigned(8, 1, 2, 1), unsigned(9, 1, 2, 1), key=lambda e: e.member)),  # the lesser member
])
def test_the_order_of_a_full_roster(better, worse):
    """R14.4-3: of branch 4 another entry stands before these."""
    others = [unsigned(4, 1, 1)]
    order = ranked([worse, *others, better])
    assert order.index(better) < order.index(worse)


@pytest.mark.parametrize("seed", range(30))
def test_any_order_gives_one_digest(seed):
    """R14.4-1, R14.4-3: with duplicates and contradictions."""
    chance = random.Random(seed)
    pool = [
        entry(number, chance.randrange(3), chance.randrange(3), (1,) if chance.random() < 0.7 or number == 2 else (2, 1),
              presence=chance.randrange(2), name=chance.choice("ab"))
        for number in range(2, 12) for _ in range(4)
    ]
    digests, accused = set(), set()
    for _ in range(5):
        roster = Roster(CHARTER)
        for value in chance.sample(pool, len(pool)) + chance.choices(pool, k=20):
            roster.take(value)
        digests.add(roster.digest)
        assert roster.digest == digest_of(CHARTER.identifier, list(roster))
    assert len(digests) == 1, f"seed {seed}"


def own(started=1_000, remembered=None, number=2):
    values = OwnEntries(key(number), CHARTER, chain(number, 1), Shown("me"), started, remembered)
    values.sign()
    return values


def test_instances():
    """R14.7-1, R14.3-4."""
    assert own().newest.place == (1_000, 0) and own(remembered=999).newest.place == (1_000, 0)
    assert own(remembered=1_000).newest.place == (1_001, 0) and own(remembered=5_000).newest.place == (5_001, 0)
    values = own()
    assert [values.sign().place for _ in range(3)] == [(1_000, 1), (1_000, 2), (1_000, 3)]
    values.newest.check(CHARTER)


def test_a_greater_entry_of_oneself_is_exceeded():
    """R14.7-2: once in 10 s; the third time the app is told."""
    values = own()
    values.met(entry(2, 999, 7))
    values.met(values.newest)
    assert values.exceed(0) is None
    values.met(entry(2, 2_000, 7))
    assert values.exceed(0).place == (2_001, 0)
    values.met(entry(2, 3_000, 7))
    values.met(entry(2, 2_500, 7))
    assert values.exceed(9_999) is None and values.exceed(10_000).place == (3_001, 0) and not values.has_twin
    twin = entry(2, 3_001, 0, name="another")
    values.met(twin)
    assert values.exceed(20_000).place == (3_002, 0) and values.has_twin


def test_the_greatest_instance_cannot_be_exceeded():
    values = own()
    values.met(entry(2, 2**62 - 1, 0))
    assert values.exceed(0) is None and values.has_twin


def test_no_need_any_more():
    """R14.7-2: a newer entry of our own has exceeded what contradicted."""
    values = own()
    values.met(entry(2, 2_000, 0))
    assert values.exceed(0).place == (2_001, 0)
    values.met(entry(2, 2_001, 0, name="twin"))
    assert values.deadline == 10_000 and values.sign().place == (2_001, 1)
    assert values.exceed(10_000) is None and values.deadline is None


def test_behind_the_last_sequence():
    """§14.7."""
    values = own()
    values._sequence = 2**62 - 1
    assert values.sign().place == (1_001, 0)


def test_membership():
    """R14.1-2, R14.5-5: founders, members and guests."""
    founder = Membership(FOUNDER, CHARTER, wall=5)
    assert founder.is_member and founder.may_admit and founder.chain_for(key(2).public) == chain(2, 1)
    guest = Membership(key(2), CHARTER)
    assert not guest.is_member and not guest.may_admit and guest.chain_for(FOUNDER.public) == ()
    guest.admitted(chain(2, 1))
    assert guest.is_member and guest.roster.get(key(2).public).chain == chain(2, 1)
    assert isinstance(guest.events[-1], events.Admitted)
    shy = Membership(key(2), CHARTER, stays_guest=True)
    shy.admitted(chain(2, 1))
    assert not shy.is_member
    assert not Membership(key(3), CHARTER, chain=chain(2, 1)).is_member
    assert not Membership(key(9), CHARTER, chain=chain(*NINE)).may_admit
    assert not Membership(key(2), CLOSED, chain=chain(2, 1, charter=CLOSED)).may_admit


def test_the_shorter_chain_is_kept():
    """§14.5, and the entry says so."""
    member = Membership(key(3), CHARTER, chain=chain(3, 2, 1))
    member.admitted(chain(3, 4, 1))
    assert member.chain == chain(3, 2, 1) and member.own.newest.sequence == 0
    member.admitted(chain(3, 1))
    assert member.chain == chain(3, 1) and member.own.newest.place == (0, 1)


def test_maximum_members():
    """R14.1-2: those that are present count, and those who are invited and have no entry yet."""
    member = Membership(ANNA, TRACE)  # of 8 members
    stranger = key(20).public
    for number in range(2, 9):
        assert member.has_place_for(stranger, ()) and member.has_place_for(stranger, [key(2).public])
        assert member.has_place_for(stranger, [key(30).public]) is (number < 8)
        value = Entry(key(number).public, 1, 0, chain=(admit(ANNA, TRACE.identifier, key(number).public),))
        member.take(value.signed(key(number), TRACE.identifier), 0)
    assert not member.has_place_for(stranger, ()) and member.has_place_for(key(2).public, ()) and member.may_admit


def test_leaving_and_coming_back():
    """§14.9."""
    member = Membership(FOUNDER, CHARTER)
    left = member.leave()
    assert left.presence == LEFT and left.sequence == 1 and not member.may_admit and member.leave() is None
    assert member.come_back().is_present and member.is_present and Membership(key(2), CHARTER).leave() is None
