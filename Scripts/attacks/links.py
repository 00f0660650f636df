"""Attacks by peers whose links break, that ask for associations, and that unite without end (SPEC §13.9, §14.11)."""

from __future__ import annotations

import contextlib
import os
import threading
import time

from peers import BadPeer, Report, Tool, joined, pump
from sessions import CHAT
from multipeer_reference.charter import Charter
from multipeer_reference.frames import Frame, FrameType
from multipeer_reference.resume import Resume
from multipeer_reference.session.admissions import admit
from multipeer_reference.session.frames import Enter, Unite


def source(number: int) -> str:
    """One of 200 addresses."""
    return f"127.0.1.{number % 200 + 2}"


def newcomer(tool: str, address: tuple[str, int], report: Report, seconds: float) -> None:
    """An honest peer joins, and has to be in soon."""
    begin = time.monotonic()
    peer = Tool(tool, "chat", f"{address[0]}:{address[1]}", *CHAT[1:])
    entered = peer.event("memberConnected", seconds)
    report.expect(entered is not None, f"a newcomer is in after {time.monotonic() - begin:.1f} s")
    peer.end()


def broken_links(tool: str, report: Report) -> None:
    """600 peers with new keys join a chat from 200 addresses, and cut their connections; then a newcomer comes.

    The chat waits for each of them for its grace time. What it holds for them should be bounded, and end.
    """
    chat = Tool(tool, *CHAT)
    address = chat.address()
    joined(address, report)
    before, most, came, spent = chat.resident_megabytes(), 0.0, 0, chat.processor_seconds()
    begin = time.monotonic()
    for number in range(600):
        if time.monotonic() - begin > 100:
            break
        try:
            peer = BadPeer.connecting(address, source(number), shown=())
        except OSError:
            continue
        came += peer.run("is_open", 3)
        peer.close()  # without CLOSE
        if number % 50 == 49:
            most = max(most, chat.resident_megabytes())
    report.figure(f"{came} joined within {time.monotonic() - begin:.0f} s, for {chat.processor_seconds() - spent:.1f} s of processor time")
    waiting = len(chat.all("memberReconnecting")) - len(chat.all("memberDisconnected"))
    report.expect(came > 100 and waiting <= 256, f"the chat waits for {waiting} of them")
    report.expect(most - before < 60, f"it has grown by {most - before:.0f} MB at most")
    newcomer(tool, address, report, 20)
    over = chat.waits_for(lambda: len(chat.all("memberDisconnected")) >= len(chat.all("memberReconnecting")), 90)
    report.expect(over, f"after the grace time it waits for nobody: {over}")
    chat.end()


def never_acknowledges(tool: str, report: Report) -> None:
    """A member reads all, and acknowledges nothing; another one grants no more credit. A chat says 8,000 lines, which a third member has to get.

    The chat waits for room for each of its members. It gives up one that takes nothing after its stall timeout, here 3 s, and after twice that at most.
    """
    for what in ("acknowledges nothing", "grants nothing"):
        chat = Tool(tool, *CHAT, "--stall-timeout", "3", typed=True)
        address = chat.address()
        bad = joined(address, report, grants=what != "grants nothing")
        good = Tool(tool, "chat", f"{address[0]}:{address[1]}", *CHAT[1:])
        if bad is None or not chat.waits_for(lambda: len(chat.all("memberConnected")) == 2, 20):
            return report.fault("somebody could not join")
        if what == "acknowledges nothing":
            bad.link.standing.association._acknowledger.due = lambda now, is_last=False: None
        before, lines, most = chat.resident_megabytes(), 8_000, 0.0
        begin = time.monotonic()
        threading.Thread(target=say, args=(chat, lines), daemon=True).start()
        while time.monotonic() - begin < 40 and len(good.all("message")) < lines:
            if bad.is_over:
                time.sleep(0.1)
            else:
                pump([bad], lambda: False, 0.5)
            most = max(most, chat.resident_megabytes())
        spent, texts = time.monotonic() - begin, [int(event["text"].split()[1]) for event in good.all("message")]
        report.expect(
            texts == list(range(lines)) and spent < 15,
            f"it {what}: the other member has {len(texts)} of {lines} lines, in order, after {spent:.0f} s")
        report.expect(most - before < 60, f"the chat has grown by {most - before:.0f} MB at most")
        newcomer(tool, address, report, 20)
        for one in (chat, good):
            one.end()


def say(chat: Tool, lines: int) -> None:
    with contextlib.suppress(OSError):
        for number in range(lines):
            chat.type(f"line {number} {'x' * 400}\n")


def guessed_resumes(tool: str, report: Report) -> None:
    """400 strangers ask by RESUME for associations that they make up; a member asks for its own with a wrong proof."""
    chat = Tool(tool, *CHAT)
    address = chat.address()
    member = joined(address, report)
    if member is None:
        return
    chat.event("memberConnected", 10)
    printed, spent, before = chat.printed, chat.processor_seconds(), chat.resident_megabytes()
    answers: list[Frame] = []
    for number in range(400):
        key = member.key if number % 4 == 3 else None
        peer = BadPeer.connecting(address, source(number), key=key)
        if peer.run("is_identified", 10):
            resuming = peer.link.resuming
            resuming.takes, resuming.handle = lambda frame: frame.type == FrameType.DECLINE, answers.append
            peer.link.core.send(FrameType.RESUME, Resume(os.urandom(16), 0, 0, proof=os.urandom(32)).encode())
            pump([peer], lambda: peer.is_over or peer.link.is_closed, 10)
        peer.close()
    declined = sum(frame.payload[0] == 6 for frame in answers)
    pump([member], lambda: False, 0.5)
    report.expect(declined == 400, f"{declined} of 400 were declined with reason 6")
    report.expect(not member.is_over and not member.link.is_closed, "the member's own link stays open")
    report.expect(chat.printed == printed, f"the chat prints {chat.printed - printed} bytes about it")
    grown = chat.resident_megabytes() - before
    report.expect(grown < 20, f"it has grown by {grown:.0f} MB, for {chat.processor_seconds() - spent:.1f} s of processor time")
    newcomer(tool, address, report, 10)
    chat.end()


def grinding_unions(tool: str, report: Report) -> None:
    """A member founds 200 sessions, and asks the chat to unite with each, one lesser than the other; another member is in the chat."""
    chat = Tool(tool, *CHAT, typed=True)
    address = chat.address()
    bad = joined(address, report)
    good = Tool(tool, "chat", f"{address[0]}:{address[1]}", *CHAT[1:])
    if bad is None or good.event("memberConnected", 20) is None:
        return report.fault("somebody could not join")
    pump([bad], lambda: False, 1)
    home = bad.charter
    made = (Charter(bad.key.public, os.urandom(32), home.parameters) for _ in range(4_000))
    lesser = sorted((charter for charter in made if charter.identifier < home.identifier), key=lambda one: one.identifier, reverse=True)
    step = max(1, len(lesser) // 200)
    entered: list[bytes] = []
    exchange = bad.link.standing.exchange
    exchange.receive = lambda frame, now: entered.append(Enter.decode(frame.payload).session) if frame.type == FrameType.ENTER else None
    exchange.catch_up = lambda now: None
    victim, spent, printed, sent = bad.link.core.peer_key, chat.processor_seconds(), chat.printed, 0
    for charter in lesser[::step][:200]:
        if bad.is_over or bad.link.is_closed:
            break
        bad.send_frame(FrameType.UNITE, Unite(charter, (), admit(bad.key, charter.identifier, victim).signature).encode())
        pump([bad], lambda: False, 0.02)
        sent += 1
    pump([bad], lambda: False, 1)
    report.figure(f"{sent} UNITEs were sent, for {chat.processor_seconds() - spent:.1f} s of processor time")
    report.expect(0 < len(entered) <= 8, f"the chat follows {len(entered)} times within a minute")
    report.expect(chat.printed - printed < 20_000, f"it prints {chat.printed - printed} bytes about it")
    chat.type("still here\n")
    begin = time.monotonic()
    heard = good.event("message", 30, text="still here")
    report.expect(heard is not None, f"the other member hears the chat after {time.monotonic() - begin:.1f} s")
    newcomer(tool, address, report, 20)
    for one in (chat, good):
        one.end()
