"""Identities, chains and entries of one session, made from numbers."""

from __future__ import annotations

from functools import lru_cache

from multipeer_reference.charter import Charter
from multipeer_reference.ed25519 import SigningKey
from multipeer_reference.session.admissions import Chain, admit
from multipeer_reference.session.entries import Entry
from multipeer_reference.session.parameters import Admits, Parameters


@lru_cache(maxsize=None)
def key(number: int) -> SigningKey:
    return SigningKey(number.to_bytes(32, "big"))


FOUNDER = key(1)
CHARTER = Charter(FOUNDER.public, bytes(32))
CLOSED = Charter(FOUNDER.public, bytes(32), Parameters(Admits.FOUNDER).fields())


@lru_cache(maxsize=None)
def chain(*numbers: int, charter: Charter = CHARTER) -> Chain:
    """`numbers` are the member, who admitted it, and so on; the founder, who has the number 1, comes last."""
    return tuple(
        admit(key(admitter), charter.identifier, key(admitted).public) for admitted, admitter in zip(numbers, numbers[1:])
    )


@lru_cache(maxsize=None)
def entry(
    number: int, instance: int = 1, sequence: int = 0, via: tuple[int, ...] = (1,), charter: Charter = CHARTER, **values
) -> Entry:
    links = () if number == 1 else chain(number, *via, charter=charter)
    return Entry(key(number).public, instance, sequence, chain=links, **values).signed(key(number), charter.identifier)
