"""SPEC §14: rosters whose entries come in any order, and cases that no script can express."""

from __future__ import annotations

import random

import pytest

from multipeer_reference import events
from multipeer_reference.session.admissions import Admission
from multipeer_reference.session.entries import LEFT, Entry
from multipeer_reference.session.instances import OwnEntries, Shown
from multipeer_reference.session.member import Membership
from multipeer_reference.session.roster import Roster, branch, digest_of, ranked

from .helpers import ALICE, BOB, Pair, config
from .helpers import CHARTER as PAIRS
from .members import CHARTER, FOUNDER, chain, entry, key


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


@pytest.mark.parametrize("seed", range(30))
def test_any_order_gives_one_digest(seed):
    """R14.4-1, R14.4-3: with duplicates and contradictions."""
    chance = random.Random(seed)
    pool = [
        entry(number, chance.randrange(3), chance.randrange(3), (1,) if chance.random() < 0.7 or number == 2 else (2, 1),
              presence=chance.randrange(2), name=chance.choice("ab"))
        for number in range(2, 12) for _ in range(4)
    ]
    digests = set()
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


def test_the_shorter_chain_is_kept():
    """§14.5, and the entry says so."""
    member = Membership(key(3), CHARTER, chain=chain(3, 2, 1))
    member.admitted(chain(3, 4, 1))
    assert member.chain == chain(3, 2, 1) and member.own.newest.sequence == 0
    member.admitted(chain(3, 1))
    assert member.chain == chain(3, 1) and member.own.newest.place == (0, 1)


def test_leaving_and_coming_back():
    """§14.9."""
    member = Membership(FOUNDER, CHARTER)
    left = member.leave()
    assert left.presence == LEFT and left.sequence == 1 and not member.may_admit and member.leave() is None
    assert member.come_back().is_present and member.is_present and Membership(key(2), CHARTER).leave() is None


def test_an_inviter_that_has_left():
    """R14.5-1, R14.9-1: no ADMIT, and the link is closed after the entry."""
    founder = Membership(ALICE, PAIRS)
    founder.leave()
    pair = Pair(config(ALICE, membership=lambda charter: founder), config(BOB))
    pair.invite(charter=PAIRS)
    pair.pump()
    assert not pair.responder.of(events.Admitted)
    assert [event.entry.presence for event in pair.responder.of(events.EntryKept)] == [LEFT]
    assert all(side.one(events.Closed).outcome == "no_error" for side in pair.sides)
