"""The stateless groups of sessions and folders: CharterParameters, Admission, RosterEntry, Roster, Manifest."""

from __future__ import annotations

from .. import manifest as manifests
from ..charter import Charter
from ..ed25519 import SigningKey
from ..fields import read_fields
from ..names import local_part
from ..reader import Reader
from ..session import admissions
from ..session.admissions import admit
from ..session.entries import Entry
from ..session.parameters import KNOWN, Parameters
from ..session.roster import Roster
from .answers import Answer, require_same
from .newfields import show_chain, show_fields


def _hex(text: str) -> bytes:
    return bytes.fromhex(text)


def charter_parameters(params: dict, inputs: dict) -> dict:
    """The whole vector, with its length."""
    reader = Reader(_hex(inputs["parameters"]))
    rules = Parameters.of(read_fields(reader, known=KNOWN))
    reader.finish()
    return {
        "admission": int(rules.admission), "maximumMembers": rules.maximum_members,
        "uniting": int(rules.permit_uniting),
    }


def admission(params: dict, inputs: dict) -> dict:
    charter, member = Charter.decode(_hex(inputs["charter"])), _hex(inputs["member"])
    chain = admissions.decode_chain(_hex(inputs["chain"]))
    admissions.check(chain, charter, member)
    admitted = [member, *(link.admitter for link in chain)]
    signed = [admissions.signed_bytes(charter.identifier, one) for one in admitted[: len(chain)]]
    for link, one, seed in zip(chain, admitted, inputs.get("seeds", ())):
        require_same("admitted again", admit(SigningKey(_hex(seed)), charter.identifier, one), link)
    return {"session": charter.identifier.hex(), "signedBytes": [data.hex() for data in signed]}


def roster_entry(params: dict, inputs: dict) -> dict:
    charter, data = Charter.decode(_hex(inputs["charter"])), _hex(inputs["entry"])
    entry = Entry.decode(data)
    require_same("encoded again", entry.bytes, data)
    entry.check(charter)
    if "seed" in inputs:
        require_same("signed again", entry.signed(SigningKey(_hex(inputs["seed"])), charter.identifier).bytes, data)
    return {
        "member": entry.member.hex(), "instance": str(entry.instance), "sequence": str(entry.sequence),
        "presence": entry.presence, "name": entry.name.encode().hex(),
        "addresses": [{"kind": address.kind, "value": address.value.hex()} for address in entry.addresses],
        "chain": show_chain(entry.chain), "fields": show_fields(entry.fields),
        "signedBytes": entry.signed_bytes(charter.identifier).hex(), "entryHash": entry.hash.hex(),
    }


def roster(params: dict, inputs: dict) -> dict:
    """Entries as they came."""
    kept = Roster(Charter.decode(_hex(inputs["charter"])))
    for data in inputs["entries"]:
        kept.take(Entry.decode(_hex(data)))
    entries = list(kept)
    return {
        "members": [entry.member.hex() for entry in entries], "hashes": [entry.hash.hex() for entry in entries],
        "digest": kept.digest.hex(), "contradictions": [member.hex() for member in sorted(kept.contradictions)],
    }


def manifest(params: dict, inputs: dict) -> Answer:
    try:
        members = manifests.decode(_hex(inputs["manifest"]), int(inputs["size"]))
    except manifests.BadManifest:
        return Answer(error="bad_manifest", drops=True)
    require_same("encoded again", manifests.encode(members), _hex(inputs["manifest"]))
    paths = manifests.local_paths(members)
    return Answer({"members": [_show_member(member, path) for member, path in zip(members, paths)]})


def _show_member(member: manifests.Member, local: tuple[str, ...]) -> dict:
    """Without `localPath` where a part had to give way to another name, which SPEC leaves free ([R15.8-2])."""
    shown = {
        "type": member.type, "size": str(member.size), "modified": str(member.modified), "path": member.path.encode().hex(),
    }
    plain = tuple(local_part(part) for part in member.path.split("/"))
    return shown | {"localPath": "/".join(local).encode().hex()} if local == plain else shown


GROUPS = {
    "CharterParameters": charter_parameters, "Admission": admission, "RosterEntry": roster_entry, "Roster": roster,
    "Manifest": manifest,
}
