"""Attacks of members of a chat on the others (SPEC §14)."""

from __future__ import annotations

import os
import signal
import time

from peers import BadPeer, Canary, Report, Tool, identities, joined, now, pump, temporary_folder
from multipeer_reference.config import InviteRequest
from multipeer_reference.events import MessageEnded
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.frames import FrameType
from multipeer_reference.living import address_of
from multipeer_reference.session.admissions import Chain, admit
from multipeer_reference.session.entries import LEFT
from multipeer_reference.session.frames import Admit

CHAT = ("chat", "--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified", "--stay")


def fresh_key() -> SigningKey:
    return SigningKey(os.urandom(32))


def comes_as_member(address: tuple[str, int], key: SigningKey, charter, chain: Chain, source: str = "127.0.0.7") -> BadPeer:
    """A link with the invitation of one member to another, as soon as the victim has answered it."""
    peer = BadPeer.connecting(address, source, key=key, request=InviteRequest(charter, chain=chain, is_of_members=True))
    peer.run("is_open", 6)
    return peer


def misbehave(peer: BadPeer) -> None:
    """ADMIT from a peer that must not send it."""
    peer.send_frame(FrameType.ADMIT, Admit(peer.membership.chain).encode())
    pump([peer], lambda: peer.is_over or peer.link.is_closed, 10)
    peer.close()


def admitted_keys(tool: str, report: Report) -> None:
    """A member that has misbehaved comes back under keys that it has admitted itself, and by itself after a restart of a kept chat.

    Before: 60 of 60 such keys got in, the first after 0.1 s, and after the restart the member itself. None should get in.
    """
    with temporary_folder() as folder:
        store = identities(tool, folder, "victim")["victim"]
        kept = (*CHAT, "--keep", "room", *store)
        chat = Tool(tool, *kept)
        address = chat.address()
        member = joined(address, report)
        if member is None:
            return
        charter, chain = member.charter, member.membership.chain
        keys = [fresh_key() for _ in range(60)]
        chains = [member.admits(key) for key in keys]
        misbehave(member)
        gone = chat.event("memberDisconnected", 10)
        report.figure(f"the member has departed: {gone and gone['departure']}")
        begin, entered, first = time.monotonic(), 0, None
        tried = 0
        for key, own in zip(keys, chains):
            if time.monotonic() - begin > 60:
                break
            tried += 1
            peer = comes_as_member(address, key, charter, own)
            entered += peer.is_open
            if peer.is_open and first is None:
                first = time.monotonic() - begin
            peer.close()
        report.expect(
            gone is not None and not entered,
            f"{entered} of {tried} keys that it has admitted got in" + (f", the first after {first:.1f} s" if first else ""))
        back = comes_as_member(address, member.key, charter, chain)
        report.expect(not back.is_open, f"the member itself, before a restart: {'in' if back.is_open else 'not in'}")
        back.close()
        chat.send(signal.SIGINT)
        chat.wait(15)
        chat.end()
        chat = Tool(tool, *kept)
        back = comes_as_member(chat.address(), member.key, charter, chain)
        report.expect(not back.is_open, f"the member itself, after a restart of the kept chat: {'in' if back.is_open else 'not in'}")
        back.close()
        other = joined(chat.address(), report)
        report.figure(f"somebody else can still join: {other is not None}")
        chat.end()


def quiet_seconds(tool: Tool) -> float:
    """Its processor time, once it has nothing to do any more, or after 40 s."""
    last, end = tool.processor_seconds(), time.monotonic() + 40
    while time.monotonic() < end:
        time.sleep(1)
        spent = tool.processor_seconds()
        if spent - last < 0.1:
            return spent
        last = spent
    return last


def judged_entries(tool: str, report: Report) -> None:
    """A member sends 1,024 entries of 9 signatures each, and the same entries again over three new links.

    Before: each link cost the same 4 to 6 s of processor time in a debug build. What was judged should not be judged again, and a new
    link should bring no new budget.
    """
    chat = Tool(tool, *CHAT)
    address = chat.address()
    member = joined(address, report)
    if member is None:
        return
    charter, own = member.charter, member.membership.chain
    # A chain of eight: the founder has admitted the attacker, who has admitted a key, and so on.
    chain, admitter = own, member.key
    while len(chain) < 7:
        key = fresh_key()
        chain, admitter = (admit(admitter, charter.identifier, key.public), *chain), key
    entries = []
    for _ in range(1_024):
        key = fresh_key()
        entries.append(member.entry_of(key, (admit(admitter, charter.identifier, key.public), *chain)))
    spent = quiet_seconds(chat)
    costs = []
    for number in range(4):
        if number:
            member.link.close(now())
            pump([member], lambda: member.link.is_closed, 8)
            member.close()
            member = BadPeer.connecting(
                address, key=member.key, shown=(), request=InviteRequest(charter, chain=own, is_of_members=True))
            if not member.run("is_open", 10):
                report.figure(f"link {number + 1} did not open")
                break
        member.send_entries(entries)
        pump([member], lambda: False, 2)
        total = quiet_seconds(chat)
        costs.append(total - spent)
        spent = total
    again = sum(costs[1:])
    report.expect(
        bool(costs) and again < max(1.5, costs[0]),
        "processor time for 1,024 entries over each link: " + ", ".join(f"{cost:.1f} s" for cost in costs))
    member.close()
    chat.end()


def pushed_out(tool: str, report: Report) -> None:
    """Three hundred Sybil entries push out the entry of a member that has left, and an old *present* one of it is played again.

    Before: the departed member was back, and dialled. Nobody should be dialled at its address; an honest new member should.
    """
    chat = Tool(tool, *CHAT)
    address = chat.address()
    control, gone = Canary("127.0.0.3"), Canary("127.0.0.2")
    leaver = joined(address, report, shown=(address_of(*gone.address),), source="127.0.0.2")
    member = joined(address, report, source="127.0.0.4")
    if leaver is None or member is None:
        return
    old = leaver.membership.own.newest
    honest = fresh_key()
    begin = time.monotonic()
    member.send_entries([member.entry_of(honest, member.admits(honest), addresses=(address_of(*control.address),))])
    pump([member, leaver], lambda: bool(control.times), 15)
    report.figure("an honest new member is " + (f"dialled after {control.times[0] - begin:.1f} s" if control.times else "not dialled"))
    leaver.link.standing.exchange.own_signed(leaver.membership.leave(), now())
    leaver.link.close(now())
    pump([leaver, member], lambda: leaver.link.is_closed, 8)
    leaver.close()
    report.figure(f"the other member has departed: {(chat.event('memberDisconnected', 8) or {}).get('departure')}")
    before = len(gone.times)
    sybils = [fresh_key() for _ in range(300)]
    for presence in (1, LEFT):
        member.send_entries([member.entry_of(key, member.admits(key), presence=presence, instance=old.instance + 10**9) for key in sybils])
        pump([member], lambda: False, 4)
    begin = time.monotonic()
    member.send_entries([old])
    pump([member], lambda: len(gone.times) > before, 20)
    dialled = len(gone.times) > before
    report.expect(
        bool(control.times) and not dialled,
        "after 300 Sybil entries and its old entry the departed member is "
        + (f"dialled after {gone.times[before] - begin:.1f} s" if dialled else "not dialled within 20 s"))
    member.close()
    chat.end()
    control.end()
    gone.end()


def delivery(peer: BadPeer, others: list[BadPeer], size: int, limit: float) -> float | None:
    """After how many seconds a message is confirmed."""
    started, before = time.monotonic(), len(peer.of(MessageEnded))
    peer.link.send_message(bytes(size), now())
    arrived = pump([peer, *others], lambda: len(peer.of(MessageEnded)) > before, limit)
    return time.monotonic() - started if arrived else None


def unfinished_beside(tool: str, report: Report) -> None:
    """Two members each begin a message of 16 MiB and stop; an honest member sends one of 3 MB.

    Before: 3.3 s alone became more than 45 s. The honest message should arrive within 15 s.
    """
    chat = Tool(tool, *CHAT)
    address = chat.address()
    honest = joined(address, report, source="127.0.0.2")
    if honest is None:
        return
    alone = delivery(honest, [], 3_000_000, 45)
    report.figure("alone: " + (f"{alone:.1f} s" if alone else "not within 45 s"))
    bad = [peer for peer in (joined(address, report, source=f"127.0.0.{3 + number}") for number in range(2)) if peer]
    begun = [begin(peer, 16_777_216, 200_000) for peer in bad]
    report.figure(f"two members have begun, and sent {', '.join(f'{count / 1e6:.1f} MB' for count in begun)}")
    beside = delivery(honest, bad, 3_000_000, 45)
    report.expect(
        beside is not None and beside < 15, "3 MB of an honest member beside them: " + (f"{beside:.1f} s" if beside else "not within 45 s"))
    for peer in [honest, *bad]:
        peer.close()
    chat.end()


def begin(peer: BadPeer, size: int, kept: int) -> int:
    """Sends what credit lets go of a message within 3 s, but for its last bytes. From then on it sends control frames alone."""
    peer.link.send_message(bytes(size), now())
    sent, end = 0, time.monotonic() + 3
    while time.monotonic() < end and sent < size - kept:
        peer.room = min(65_536, size - kept - sent)
        sent += peer.flush()
        peer.room = 0
        pump([peer], lambda: False, 0.02)
    peer.room = 0
    return sent
