"""Three nodes on sockets of the loopback interface: they find each other, exchange messages and leave."""

from __future__ import annotations

import json
import threading

from multipeer_reference.app import Plan
from multipeer_reference.association.keepalive import KeepAliveTimes
from multipeer_reference.config import Config
from multipeer_reference.living import Member
from multipeer_reference.trust import AcceptUnverified

from .members import key


def start(number: int, founds: bool = False) -> Member:
    config = Config(key(number), f"m{number}", keep_alive=KeepAliveTimes())
    plan = Plan(AcceptUnverified(), messages=(f"from {number}".encode(),), await_messages=2, as_json=True)
    return Member(config, plan, ("127.0.0.1", 0), founds, loopback=True, stays=1.5)


def test_three_members(capsys):
    """R14.6-7, R14.8-1, R14.9-1: two are invited by the third alone, and learn of each other from it."""
    invited = [start(number) for number in (2, 3)]
    founder = start(1, founds=True)
    for member in invited:
        founder.connect(member.address, None, None, True)
    statuses: dict[int, int] = {}
    threads = [
        threading.Thread(target=lambda n=n, member=member: statuses.update({n: member.run(2, 30)}))
        for n, member in enumerate((founder, *invited), 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == {1: 0, 2: 0, 3: 0}
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(event["text"] for event in told if event["event"] == "message-received") == sorted(
        ["from 1", "from 2", "from 3"] * 2
    )
    assert all(event["why"] in ("left", "closed") for event in told if event["event"] == "departed")
    assert {"left"} <= {event["why"] for event in told if event["event"] == "departed"}
