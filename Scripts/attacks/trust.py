"""Attacks on trust at first use, and on what is said of it."""

from __future__ import annotations

import subprocess

from peers import BadPeer, Report, Tool, guest, identities, nearby, now, pump, temporary_folder
from testing.programs import program

LISTEN = ("listen", "--port", "0", "--accept", "all", "--trust-on-first-use")


def first_name(tool: str, report: Report) -> None:
    """A stranger comes first under the name *alice*; then the real one comes. Then a stranger comes under a name that was given here.

    Before: the real one was refused for good (status 77), and the receiver of a file saw neither line nor event of anybody refused.
    The real one should get in; a stranger under the name of somebody whom a person has named should be refused, visibly.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "alice", "ben")
        listener = Tool(tool, *LISTEN, *stores["ben"])
        address = listener.address()
        stranger = BadPeer.connecting(address, invites=True, name="alice")
        report.figure(f"the stranger that calls itself alice opened a link: {stranger.run('is_open')}")
        stranger.link.close(now())
        pump([stranger], lambda: stranger.link.is_closed, 5)
        stranger.close()
        real = guest(tool, address, "connect", "--trust-on-first-use", *stores["alice"], timeout=20)
        report.expect(real.seconds is not None, f"the real alice afterwards: {real}")
        listener.end()

        carol = identities(tool, folder, "carol", "dora")
        receiver = Tool(tool, "receive", "--listen", "127.0.0.1:0", "--accept", "all", "--dir", folder, *carol["dora"], *nearby())
        address = receiver.address()
        place = f"{address[0]}:{address[1]}"
        sent = Tool(tool, "connect", place, "--trust-on-first-use", "--file", __file__, *carol["carol"])
        report.figure(f"carol sends a file: {sent.wait(30)}")
        subprocess.run([tool, "peers", "rename", "carol", "Carol of the desk", *carol["dora"]], capture_output=True, check=False)
        stranger = BadPeer.connecting(address, "127.0.0.9", invites=True, name="carol")
        is_open = stranger.run("is_open")
        seen = receiver.event("refused", 5) is not None
        report.expect(seen and not is_open, f"a stranger under the name of carol: open {is_open}, an event at the receiver {seen}")
        stranger.close()
        receiver.end()


def strangers_of(address: tuple[str, int], count: int, **options) -> list[BadPeer]:
    """Four throw-away keys from each of `count` addresses, each under a name of its own."""
    return [
        BadPeer.connecting(address, f"127.0.1.{host + 1}", name=f"stranger {host} {number}", invites=True, **options)
        for host in range(count) for number in range(4)]


def first_uses(tool: str, report: Report) -> None:
    """Eight addresses with four throw-away keys each take all first uses; then an honest newcomer comes.

    Before: the newcomer was refused for five minutes. Some first uses should be kept for addresses from which nobody has come.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "alice", "ben")
        listener = Tool(tool, *LISTEN, *stores["ben"])
        address = listener.address()
        strangers = strangers_of(address, 8)
        pump(strangers, lambda: all(peer.is_open or peer.is_over for peer in strangers), 40)
        report.figure(f"{sum(peer.is_open for peer in strangers)} of {len(strangers)} throw-away keys became known")
        newcomer = guest(tool, address, "connect", "--trust-on-first-use", *stores["alice"], timeout=20)
        report.expect(newcomer.seconds is not None, f"an honest newcomer: {newcomer}")
        for peer in strangers:
            peer.close()
        listener.end()


def withheld_verdicts(tool: str, report: Report) -> None:
    """Forty strangers from ten addresses get the verdict of the tool and withhold theirs; then an honest newcomer comes.

    Before: each had used up a first use, and the newcomer was refused. First uses should count once both peers trust each other.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "alice", "ben")
        listener = Tool(tool, *LISTEN, *stores["ben"])
        address = listener.address()
        strangers = strangers_of(address, 10, withholds=True)
        pump(strangers, lambda: all(peer.is_asked or peer.is_over for peer in strangers), 40)
        report.figure(f"{sum(peer.is_asked for peer in strangers)} of {len(strangers)} strangers withhold their verdict")
        # The verdict of the tool comes after its certificates.
        pump(strangers, lambda: False, 2)
        newcomer = guest(tool, address, "connect", "--trust-on-first-use", *stores["alice"], timeout=20)
        report.expect(newcomer.seconds is not None, f"an honest newcomer: {newcomer}")
        for peer in strangers:
            peer.close()
        listener.end()


def second_contact(tool: str, report: Report) -> None:
    """The second contact of a key that was met by first use.

    Before: it printed *verified*, and JSON said `"verified":true`. Only an anchor, a pin, a string or a code should say so.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        listener = Tool(tool, *LISTEN, *stores["ben"])
        address = listener.address()
        call = ("connect", f"{address[0]}:{address[1]}", "--trust-on-first-use", "--message", "x", *stores["anna"])
        opened = []
        for _ in range(2):
            caller = Tool(tool, *call)
            caller.wait(20)
            opened.append(caller.event("opened", 1))
        listener.waits_for(lambda: len(listener.all("opened")) > 1, 5)
        seen = listener.all("opened")
        text = subprocess.run([program(tool, call[0]), *call], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout
        said = [line.strip() for line in text.splitlines() if "verified" in line and "unverified" not in line and "not verified" not in line]
        verified = [bool(event and event.get("verified")) for event in (opened[1], seen[1] if len(seen) > 1 else None)]
        report.expect(
            len(seen) > 1 and opened[1] is not None and not any(verified) and not said,
            f"at the second contact, caller and listener say verified: {verified}; remembered: {opened[1] and opened[1].get('remembered')}; "
            f"lines for people with that word: {said}")
        listener.end()
