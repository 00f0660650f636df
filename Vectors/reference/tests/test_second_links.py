"""SPEC §8.7, R8.2-10: several links of one group between two peers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from multipeer_reference.charter import Charter
from multipeer_reference.fields import Field
from multipeer_reference.invitation import SessionKind
from multipeer_reference.nodeevents import Asked, Connected, Departed

from .helpers import FULL
from .members import key
from .scripted_node import Script
from .world import World

EXISTING, NEW, MEMBERS = SessionKind.EXISTING, SessionKind.NEW, SessionKind.MEMBERS
ACCEPTED = ["ACCEPT", "CERTIFICATES"]
EITHER = pytest.mark.parametrize("is_controller", [True, False])


def on(link: int, *frames: str) -> list[str]:
    return [f"{link} {frame}" for frame in frames]


# R8.7-2


@EITHER
def test_one_invitation_at_a_time(is_controller):
    """R8.7-2: none while the own one waits, in certificates, or open; one that waits for the own app is no reason."""
    script = Script(is_controller).connects(1).connects(2).app("invite", 1)
    assert script.take() == (["1 INVITE"], [])
    assert script.app("invite", 2).take() == ([], [])
    script.frame(1, "ACCEPT").take()
    assert script.app("invite", 2).take() == ([], [])
    script.opens(1).take()
    assert script.app("invite", 2).take() == ([], [])
    script.ends(1).take()
    assert script.app("invite", 2).take() == (["2 INVITE"], [])
    asked = Script(is_controller).they_invite(1, EXISTING).connects(2)
    assert asked.app("invite", 2).take() == (["2 INVITE"], ["asked 1"])


# R8.7-5


@EITHER
def test_a_new_invite_takes_the_place_of_an_earlier_one(is_controller):
    """R8.7-5: for whatever session, whether it waits for the app or was accepted, of which the app hears nothing; the own
    INVITE stays."""
    script = Script(is_controller, is_member=False).connects(9).app("invite", 9, nonce="55" * 32)
    assert script.they_invite(1, NEW, b"1").take() == (["9 INVITE"], ["asked 1"])
    assert script.they_invite(2, NEW, b"2").take() == (["1 CLOSE 33"], ["asked 2", "replaced 1 2"])
    assert script.app("accept", 2).take() == (on(2, *ACCEPTED), [])
    sent, told = script.they_invite(3, NEW, b"3", context=b"other").take()
    assert sent == ["2 CLOSE 33"] and told == ["asked 3"]


# R8.7-7


@EITHER
@pytest.mark.parametrize("kind", [EXISTING, NEW, MEMBERS])
def test_an_invite_beside_an_open_link_that_lives(is_controller, kind):
    """R8.7-7: PING at once, and no question; its PONG, or a later one, makes DECLINE of reason 2."""
    script = Script(is_controller).opened()
    assert script.they_invite(2, kind).take() == (["1 PING 1"], [])
    assert script.app("accept", 2).app("decline", 2).take() == ([], [])
    assert script.pong(1, 0).pong(1, 2).take() == ([], [])
    assert script.pong(1, 1).take() == (on(2, "DECLINE 2", "CLOSE 0"), [])
    assert script.after(10_000).take() == ([], [])
    assert script.they_invite(3, kind).they_invite(4, kind).take() == (["1 PING 2", "1 PING 3", "3 CLOSE 33"], [])
    assert script.pong(1, 2).take() == ([], [])
    assert script.pong(1, 3).take() == (on(4, "DECLINE 2", "CLOSE 0"), [])


def test_the_answer_to_a_later_ping():
    """R8.7-7, R13.7-3: keep-alive sends PING at its own times, and PONG may answer the last one alone."""
    script = Script(True, keepAlive={"ping": 1_500}).opened()
    assert script.after(500).they_invite(2).take() == (["1 PING 1"], [])
    assert script.after(1_000).take() == (["1 PING 2"], [])
    assert script.pong(1, 2).take() == (on(2, "DECLINE 2", "CLOSE 0"), [])
    assert script.after(1_499).take() == ([], []) and script.after(1).take() == (["1 PING 3"], [])
    assert script.after(1_500).take() == (["1 PING 4"], [])  # nothing is expected within 2 s any more


@EITHER
@pytest.mark.parametrize("kind", [EXISTING, MEMBERS])
def test_an_invite_beside_an_open_link_that_is_silent(is_controller, kind):
    """R8.7-7: 2 s after the last record the open link ends, also where keep-alive is off; then the INVITE is judged."""
    script = Script(is_controller).opened()
    script.after(60_000).they_invite(2, kind).take()
    assert script.after(1_500).pong(1, 7).after(1_999).take() == ([], [])
    expected = (["1 CLOSE 37", *on(2, *ACCEPTED)], []) if kind is MEMBERS else (["1 CLOSE 37"], ["asked 2"])
    assert script.after(1).take() == expected
    if kind is EXISTING:
        script.app("accept", 2)
    sent, told = script.opens(2).take()
    assert "2 READY" in sent and told == []  # the first one was replaced


@EITHER
@pytest.mark.parametrize("end", ["stream", "close"])
def test_the_open_link_ends_while_an_invite_waits(is_controller, end):
    """R8.7-7: the INVITE is judged anew."""
    script = Script(is_controller).opened().they_invite(2)
    script.take()
    script = script.ends(1) if end == "stream" else script.frame(1, "CLOSE")
    sent, told = script.take()
    assert [frame for frame in sent if frame.startswith("2")] == on(2, *ACCEPTED) and not told


def test_judged_anew_with_all_that_is_held_against_the_peer():
    """R8.7-7, R14.9-4: the open link ended as *misbehaved*."""
    script = Script(True).opened().they_invite(2)
    script.take()
    sent, told = script.frame(1, "ROSTER", payload="ff").take()
    assert sent[-2:] == on(2, "DECLINE 1", "CLOSE 0") and "departed misbehaved" in told


def test_the_timeout_of_an_invite_that_waits():
    """R8.7-7: it runs on. The open link is still expected to answer."""
    script = Script(True).opened().they_invite(2, timeout=1_000)
    script.take()
    assert script.after(1_000).take() == (on(2, "DECLINE 4", "CLOSE 0"), [])
    assert script.after(1_000).take() == (["1 CLOSE 37"], ["departed lost"])


def test_reasons_to_decline_come_before_the_open_link():
    """SPEC §8.2: 6, 1, 7 and 2 need no PING."""
    script = Script(True).opened()
    script.charter = Charter(key(script.own).public, b"d" * 32)
    assert script.they_invite(2, MEMBERS).take() == (on(2, "DECLINE 6", "CLOSE 0"), [])
    script = Script(True).opened()
    script.node._misbehaved.add(key(script.peer).public)
    assert script.they_invite(2, NEW).take() == (on(2, "DECLINE 1", "CLOSE 0"), [])


# R8.7-3


@EITHER
def test_the_app_is_asked_about_one_link_and_another_opens(is_controller):
    """R8.7-3, R8.7-7: the controller closes the one, the other peer lets it wait; both tell the app."""
    script = Script(is_controller).connects(1).app("invite", 1).they_invite(2, EXISTING)
    assert script.take() == (["1 INVITE"], ["asked 2"])
    sent, told = script.frame(1, "ACCEPT").opens(1).take()
    assert told == ["connected", "replaced 2 1"]
    if is_controller:
        assert "2 CLOSE 33" in sent and "1 PING 1" not in sent
        assert script.app("accept", 2).take() == ([], [])
        return
    assert "2 CLOSE 33" not in sent and "1 PING 1" in sent
    assert script.app("accept", 2).take() == ([], [])
    assert script.ends(1).take() == (on(2, *ACCEPTED), [])


def test_a_question_that_has_not_been_answered_is_asked_again():
    """R8.7-7: where the app has not accepted meanwhile; R8.7-5 reports a question once."""
    script = Script(False).connects(1).app("invite", 1).they_invite(2, EXISTING).frame(1, "ACCEPT").opens(1)
    script.take()
    assert script.ends(1).take() == ([], ["asked 2"])
    script = Script(False).connects(1).app("invite", 1).they_invite(2, EXISTING).frame(1, "ACCEPT").opens(1)
    script.take()
    assert script.they_invite(3, EXISTING).take() == (["1 PING 2", "2 CLOSE 33"], [])
    script = Script(False).connects(1).app("invite", 1).they_invite(2, EXISTING).frame(1, "ACCEPT").opens(1)
    script.take()
    assert script.app("decline", 2).take() == (on(2, "DECLINE 1", "CLOSE 0"), [])


@EITHER
def test_links_that_are_closed_when_one_opens(is_controller):
    """R8.7-3: where the own INVITE waits, by both; in certificates, by the controller; without any INVITE, by none."""
    script = Script(is_controller).connects(1).app("invite", 1).they_invite(2).connects(3)
    script.take()
    assert "1 CLOSE 33" in script.opens(2).take()[0]
    script = Script(is_controller).connects(1).app("invite", 1).they_invite(2).connects(3).frame(1, "ACCEPT")
    script.take()
    sent = script.opens(2).take()[0]
    assert ("1 CLOSE 33" in sent) is is_controller and not any(frame.startswith("3") for frame in sent)


# R8.7-8


def two_in_certificates(is_controller: bool, later: int = 0) -> Script:
    """CERTIFICATES have come on the own link 1, and `later` on the peer's link 2."""
    script = Script(is_controller).connects(1).app("invite", 1).they_invite(2).frame(1, "ACCEPT")
    script.take()
    assert script.frame(1, "CERTIFICATES").take() == (["1 READY"], [])
    assert script.after(later).frame(2, "CERTIFICATES").take() == ([] if is_controller else ["2 READY"], [])
    return script


@EITHER
def test_one_ready_of_the_controller(is_controller):
    """R8.7-8: its READY goes on one link, and says which one opens."""
    script = two_in_certificates(is_controller)
    sent, told = script.frame(2, "READY").take()
    if is_controller:
        assert (sent, told) == ([], [])
        sent, told = script.frame(1, "READY").take()
        assert "2 CLOSE 33" in sent and told == ["connected"]
    else:
        assert told == ["connected"]


def test_the_verdict_is_free_when_the_other_link_has_ended():
    """R8.7-8: by itself, or closed for a new INVITE (R8.7-5)."""
    assert two_in_certificates(True).ends(1).take() == (["2 READY"], [])
    script = Script(True).connects(1).app("invite", 1).they_invite(2).frame(1, "ACCEPT").frame(2, "CERTIFICATES")
    assert script.take()[0][-1] == "2 READY"
    assert script.frame(1, "CERTIFICATES").take() == ([], [])
    assert script.they_invite(3).take() == (["1 READY", "2 CLOSE 33", *on(3, *ACCEPTED)], [])


@pytest.mark.parametrize("later", [0, 3_000])
def test_the_controller_waits_for_ten_seconds(later):
    """R8.7-8: from the later of READY there and CERTIFICATES here."""
    script = two_in_certificates(True, later)
    assert script.node.deadline == later + 10_000
    assert script.after(9_999).take() == ([], [])
    assert script.after(1).take() == (["1 CLOSE 33", "2 READY"], [])
    assert script.frame(2, "READY").take()[1] == ["connected"]


def test_a_link_that_opens_when_it_has_been_given_up():
    """R8.7-8: its READY came in the same moment."""
    script = two_in_certificates(True)
    script.node.tick(10_000)
    script.node.opened(1, SimpleNamespace(is_neighbour=False, frames=[], catch_up=lambda now: None))
    assert script.node.links[2].is_alive and not script.node.events


def test_only_the_controller_gives_up_a_link():
    """R8.7-8."""
    script = two_in_certificates(False)
    assert script.after(20_000).take() == ([], [])


# R8.2-10


def accepted(kind: SessionKind = NEW, timeout: int = 30_000, **values) -> Script:
    """The app has accepted an INVITE on link 1, which was lost before it was open."""
    script = Script(True, is_member=kind is EXISTING).they_invite(1, kind, b"1", timeout=timeout, **values)
    assert script.app("accept", 1).take() == (on(1, *ACCEPTED), ["asked 1"])
    return script


@pytest.mark.parametrize("kind", [EXISTING, NEW])
def test_an_answer_counts_for_an_equal_invite(kind):
    """R8.2-10: of the same peer, with equal context and parameters, until its time is over; also if the first link is closed
    for the second one (R8.7-5)."""
    script = accepted(kind, context=b"x").ends(1)
    assert script.take() == ([], ["departed lost"])
    assert script.after(29_999).they_invite(2, kind, b"2", b"x").take() == (on(2, *ACCEPTED), [])
    sent, told = script.opens(2).take()
    assert told == ["connected"] and script.node.membership.charter.identifier == script.node.links[2].invite.charter.identifier
    script = accepted(kind)
    assert script.they_invite(2, kind, b"2").take() == (["1 CLOSE 33", *on(2, *ACCEPTED)], [])


def test_an_answer_that_does_not_count():
    """R8.2-10: another context, other parameters, another peer, a time that is over."""
    assert accepted().ends(1).they_invite(2, NEW, b"2", b"y").take()[1] == ["asked 2", "departed lost"]
    rules = (Field(4, b"\x08"),)
    assert accepted().ends(1).they_invite(2, NEW, b"2", parameters=rules).take()[1] == ["asked 2", "departed lost"]
    assert accepted(timeout=5_000).ends(1).after(5_000).they_invite(2, NEW).take()[1] == ["asked 2", "departed lost"]
    other = accepted().ends(1)
    other.peer = 4
    assert other.they_invite(2, NEW).take()[1] == ["asked 2", "departed lost"]


@pytest.mark.parametrize("end, why", [
    ("close", "closed"), ("cancel", "refused"), ("disconnect", "closed"), ("block", "closed"), ("decline", "lost"),
    ("disconnected later", "lost"),
])
def test_an_answer_ends_with_a_departure(end, why):
    """R8.2-10: but as *lost* or *replaced*; and with what the app says against the peer."""
    script = accepted()
    member = key(script.peer).public.hex()
    match end:
        case "close":
            script.frame(1, "CLOSE")
        case "cancel":
            script.frame(1, "CANCEL", payload="0100")
        case "disconnect" | "block":
            script.app(end, member=member)
        case "disconnected later":
            script.ends(1).app("disconnect", member=member)
        case "decline":
            script.ends(1).they_invite(2, NEW, context=b"other").app("decline", 2)
            assert script.take()[1] == ["asked 2", "departed lost", "departed refused"]
    if end == "block":
        script.app("lift", member=member)
    sent, told = script.they_invite(3, NEW).take()
    assert "asked 3" in told and (end == "decline" or f"departed {why}" in told)


def test_a_decline_ends_an_answer_though_another_link_is_under_way():
    """R8.2-10: by the app, where its DECLINE is reported as *replaced*, which alone would not end it."""
    script = accepted(EXISTING).connects(9).ends(1).app("invite", 9).they_invite(2, EXISTING, context=b"other").app("decline", 2)
    script.take()
    assert script.they_invite(3, EXISTING).take() == ([], ["asked 3"])


# Both peers


def test_both_found_a_session_for_each_other():
    """SPEC §8.7: on two links. Both apps accept; one link is left, and both are in its session."""
    for seed in range(60 if FULL else 12):
        world = World(2, seed)
        links = [world.connect(1, 2), world.connect(2, 1)]
        world.settle()
        for number, link in zip((1, 2), links):
            world.node(number).invite_anew(link)
        world.settle(250)
        assert not world.of(1, Connected) and not world.of(2, Connected), seed  # to invite is not to accept
        for number in (1, 2):
            world.node(number).accept(world.of(number, Asked)[-1].link)
        world.settle(2_000)
        mine, theirs = (world.node(number) for number in (1, 2))
        assert list(world.open_links(1).values()) == list(world.open_links(2).values()) != [], seed
        assert len(world.wires) == 1 and not world.of(1, Departed) + world.of(2, Departed), seed
        assert mine.membership.charter == theirs.membership.charter, seed
        assert mine.membership.roster.digest == theirs.membership.roster.digest, seed
