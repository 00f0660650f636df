"""The app of the live program on links in memory: files that are cut off continue over the next link (SPEC §15.7)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from multipeer_reference import manifest
from multipeer_reference.app import App, Plan
from multipeer_reference.config import InviteRequest
from multipeer_reference.events import InvitationDeclined
from multipeer_reference.files import FileData
from multipeer_reference.frames import FrameType
from multipeer_reference.invitation import DeclineReason
from multipeer_reference.link import Link
from multipeer_reference.policy import Preference
from multipeer_reference.proofs import Role
from multipeer_reference.sources import identity_of, tag_key, tag_of
from multipeer_reference.trust import AcceptUnverified

from .helpers import ALICE, BOB, config, seeded


def run(sender: Plan, receiver: Plan, limit: int = 1 << 62) -> tuple[list[int], list[int]]:
    """One link until it is closed, or `limit` bytes of the sender's have gone; statuses, and the offsets of FILE_DATA."""
    links = [Link(config(key), role, 0, seeded(str(role))) for key, role in ((ALICE, Role.INITIATOR), (BOB, Role.RESPONDER))]
    apps = [App(plan, link) for plan, link in zip((sender, receiver), links)]
    links[0].invite(InviteRequest(), 0)
    offsets: list[int] = []
    queue = links[0].core.channel.queue

    def watch(frame):
        if frame.type == FrameType.FILE_DATA:
            offsets.append(FileData.decode(frame.payload).offset)
        queue(frame)

    links[0].core.channel.queue = watch
    gone, moved = 0, True
    while moved:
        moved = False
        for index in (0, 1):
            apps[index].drain(0)
            apps[index].pump(0)
            data = links[index].take_output(100_000)
            gone += len(data) if index == 0 else 0
            if gone > limit:
                break
            moved |= bool(data)
            links[1 - index].receive(data, 0)
            apps[1 - index].drain(0)
        if gone > limit:
            break
    for link, app in zip(links, apps):
        link.end_of_stream(0)
        app.drain(0)
    return [app.status for app in apps], offsets


@pytest.mark.parametrize("accepts", [True, False])
def test_nobody_is_asked_about_what_cannot_succeed(accepts):
    """[R8.2-9]: DECLINE of reason 3 goes out whatever the app would have said."""
    links = [
        Link(replace(config(key), preference=preference), role, 0, seeded(str(role)))
        for key, role, preference in (
            (ALICE, Role.INITIATOR, Preference.NONE), (BOB, Role.RESPONDER, Preference.REQUIRED)
        )
    ]
    plan = Plan(AcceptUnverified())
    apps = [App(plan, links[0]), App(replace(plan, accept=accepts), links[1])]
    links[0].invite(InviteRequest(), 0)
    told = []
    receive = apps[0]._handle
    apps[0]._handle = lambda event, now: (told.append(event), receive(event, now))
    for _ in range(12):
        for index in (0, 1):
            apps[index].drain(0)
            links[1 - index].receive(links[index].take_output(100_000), 0)
    declined = [event for event in told if isinstance(event, InvitationDeclined)]
    assert [(event.reason, event.detail) for event in declined] == [
        (DeclineReason.ENCRYPTION_POLICY, bytes([Preference.REQUIRED]))
    ]


@pytest.fixture
def plans(tmp_path) -> tuple[Plan, Plan, Path]:
    source, saved = tmp_path / "source.bin", tmp_path / "saved"
    source.write_bytes(os.urandom(3_000_000))
    saved.mkdir()
    sender = Plan(AcceptUnverified(), files=(source,), tag_key=tag_key(ALICE))
    return sender, Plan(AcceptUnverified(), save=saved, closes=False), source


def test_a_file_that_was_cut_off_goes_on(plans):
    sender, receiver, source = plans
    assert run(sender, receiver, 1_500_000)[0] == [76, 76]
    assert receiver.save and not (receiver.save / source.name).exists()
    statuses, offsets = run(sender, receiver)
    assert statuses == [0, 0] and offsets[0] > 1_000_000
    assert (receiver.save / source.name).read_bytes() == source.read_bytes()
    assert run(sender, receiver)[1][0] == 0  # nothing is held of a file that is whole


def test_a_source_that_changed_begins_anew(plans):
    """R15.7-1: its tag is another one."""
    sender, receiver, source = plans
    run(sender, receiver, 1_500_000)
    source.write_bytes(os.urandom(3_000_000))
    os.utime(source, (1, 1))
    statuses, offsets = run(sender, receiver)
    assert statuses == [0, 0] and offsets[0] == 0


def test_a_beginning_that_is_not_the_senders(plans):
    """R15.3-10: reason 7 drops what is held (R15.7-3)."""
    sender, receiver, source = plans
    run(sender, receiver, 1_500_000)
    assert receiver.save
    held = next(receiver.save.rglob("*.part"))
    held.write_bytes(bytes(held.stat().st_size))
    assert run(sender, receiver)[1] == [] and not list(receiver.save.rglob("*.part"))
    assert run(sender, receiver)[0] == [0, 0]


def test_a_source_that_becomes_shorter(plans, monkeypatch):
    """R15.3-11: reason 8, and nothing is stored."""
    sender, receiver, source = plans
    offer_next = App._offer_next

    def shortened(app, now):
        offer_next(app, now)
        if app.plan.files:
            os.truncate(source, 1_000)

    monkeypatch.setattr(App, "_offer_next", shortened)
    statuses, offsets = run(sender, receiver)
    assert statuses[0] == 77 and receiver.save and not (receiver.save / source.name).exists()


def test_tags(tmp_path):
    """R15.7-1: for each receiver and source another one, and the same one again."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"x"), other.write_bytes(b"x")
    key = tag_key(ALICE)
    tags = {tag_of(key, peer, identity_of(path.stat())) for peer in (b"a" * 32, b"b" * 32) for path in (one, other)}
    assert len(tags) == 4 and tag_of(key, b"a" * 32, identity_of(one.stat())) in tags
    assert tag_of(tag_key(BOB), b"a" * 32, identity_of(one.stat())) not in tags


def folder(path: Path) -> Path:
    (path / "sub" / "empty").mkdir(parents=True)
    (path / "a.txt").write_bytes(b"text")
    (path / "sub" / "run.sh").write_bytes(b"#!/bin/sh\n")
    (path / "sub" / "run.sh").chmod(0o755)
    (path / "sub" / "large").write_bytes(os.urandom(2_000_000))
    os.utime(path / "a.txt", (1_700_000_000, 1_700_000_000))
    (path / "link").symlink_to("/etc/passwd")
    os.mkfifo(path / "pipe")
    return path


def content(path: Path) -> dict[str, bytes | None]:
    return {
        str(one.relative_to(path)): one.read_bytes() if one.is_file() else None
        for one in path.rglob("*") if not one.is_symlink() and not one.is_fifo()
    }


@pytest.mark.parametrize("limit", [None, 1_200_000])
def test_a_folder(tmp_path, limit):
    """R15.8-2, R15.8-3: what is neither file nor folder is left out; cut off, it continues."""
    source, saved = folder(tmp_path / "things"), tmp_path / "saved"
    saved.mkdir()
    sender = Plan(AcceptUnverified(), files=(source,), tag_key=tag_key(ALICE))
    receiver = Plan(AcceptUnverified(), save=saved, closes=False)
    if limit is not None:
        run(sender, receiver, limit)
        assert not (saved / "things").exists()
    statuses, offsets = run(sender, receiver)
    assert statuses == [0, 0] and (offsets[0] > 500_000) == (limit is not None)
    assert content(saved / "things") == content(source)
    assert os.access(saved / "things" / "sub" / "run.sh", os.X_OK) and not os.access(saved / "things" / "a.txt", os.X_OK)
    assert (saved / "things" / "a.txt").stat().st_mtime == 1_700_000_000
    assert run(sender, receiver)[0] == [0, 0] and (saved / "things (1)").is_dir()


def test_a_hostile_folder(tmp_path, monkeypatch):
    """R15.8-1: nothing is made of it, and the link continues."""
    source, saved = folder(tmp_path / "things"), tmp_path / "saved"
    saved.mkdir()
    encode = manifest.encode
    monkeypatch.setattr(manifest, "encode", lambda members: encode(members).replace(b"a.txt", b"/.txt"))
    sender = Plan(AcceptUnverified(), files=(source,))
    statuses, _ = run(sender, Plan(AcceptUnverified(), save=saved, closes=False))
    assert statuses[0] == 77 and not [path for path in saved.rglob("*") if path.is_file()]
    assert [path.name for path in saved.iterdir()] == [".multipeer-held"]
