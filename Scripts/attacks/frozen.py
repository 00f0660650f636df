"""An attack by standing still: a member whose process is stopped for less than the time after which it is taken for silent."""

from __future__ import annotations

import signal
import time

from peers import Report, Tool, identities, temporary_folder

COUNT = 200


def stood_still(tool: str, report: Report) -> None:
    """A member stands still for 14 s, while 200 messages arrive in its socket.

    Before: it took its peer for silent when it woke, read nothing, and all messages were lost, with `unsentMessages: 0` at their sender.
    All should arrive.
    """
    with temporary_folder() as folder:
        stores = identities(tool, folder, "anna", "ben")
        trust = ("--accept", "all", "--trust-on-first-use")
        anna = Tool(tool, "chat", "--listen", "127.0.0.1:0", *trust, *stores["anna"], typed=True)
        host, port = anna.address()
        ben = Tool(tool, "chat", f"{host}:{port}", *trust, "--stay", *stores["ben"])
        met = ben.event("memberConnected", 20) and anna.event("memberConnected", 20)
        if not met:
            report.fault("the two did not meet")
            return
        # All that a new member exchanges has come.
        time.sleep(2)
        ben.send(signal.SIGSTOP)
        anna.type("".join(f"line {number}\n" for number in range(COUNT)))
        time.sleep(14)
        ben.send(signal.SIGCONT)
        arrived = ben.waits_for(lambda: len(ben.all("message")) == COUNT, 20)
        lost = [event for event in anna.all("memberDisconnected")]
        said = "; ".join(f"the sender hears {event['departure']}, unsentMessages {event['unsentMessages']}" for event in lost)
        report.expect(arrived, f"{len(ben.all('message'))} of {COUNT} messages arrived" + (f"; {said}" if said else "; the link lives"))
        anna.end()
        ben.end()
