"""The command line: `python -m multipeer_reference listen|connect|verify|shim …`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NoReturn, Sequence

from .app import UNREACHABLE, USAGE, Plan
from .association.keepalive import KeepAliveTimes
from .certificates import Credential
from .charter import Charter
from .config import Config, Deadlines, InviteRequest
from .datagrams.frames import FEATURE as DATAGRAMS
from .ed25519 import SigningKey
from .hello import SUITE_AESGCM, SUITE_CHACHAPOLY, SUITE_HYBRID_AESGCM, SUITE_HYBRID_CHACHAPOLY, SUITES
from .living import Member
from .names import decode_display_name
from .errors import ProtocolError
from .onetimecode import OneTimeCode
from .peer import Listener, connect
from .person import Wishes
from .policy import Preference
from .sources import tag_key
from .trust import AcceptUnverified, Pins, TrustAnchors, Validator
from .vectors import shim, verify
from .verification import FEATURE as VERIFICATION

_SUITES = {
    "chachapoly": (SUITE_CHACHAPOLY,),
    "aesgcm": (SUITE_AESGCM,),
    "both": (SUITE_CHACHAPOLY, SUITE_AESGCM),
    "hybrid-chachapoly": (SUITE_HYBRID_CHACHAPOLY,),
    "hybrid-aesgcm": (SUITE_HYBRID_AESGCM,),
    "all": SUITES,
}
#: Milliseconds that datagrams wait for a path.
_PATIENCE = 5_000


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="multipeer_reference", description="A live peer of the Multipeer protocol.")
    commands = parser.add_subparsers(dest="command", required=True)
    listen = commands.add_parser("listen", help="wait for connections")
    listen.add_argument("--port", type=int, required=True, help="0 for any; the event 'listening' tells which")
    listen.add_argument("--host", default="127.0.0.1")
    listen.add_argument("--once", action="store_true", help="end after one connection, with its status")
    listen.add_argument("--invite", action="store_true", help="the responder invites")
    listen.add_argument("--show-name-to", metavar="PEERKEY", action="append", help="tell no other key our name")
    listen.add_argument("--max-links", type=int, default=16, help="more at once are refused as busy")
    dial = commands.add_parser("connect", help="connect and invite")
    dial.add_argument("address", metavar="HOST:PORT")
    dial.add_argument("--no-invite", dest="invite", action="store_false", help="wait for the responder's invitation")
    dial.add_argument("--again", action="store_true", help="connect again after each link, until nobody listens")
    member = commands.add_parser("member", help="be a member of a session of many")
    member.add_argument("--port", type=int, default=0)
    member.add_argument("--host", default="127.0.0.1")
    member.add_argument("--found", action="store_true", help="found the session, and invite those of --peer")
    member.add_argument("--peer", metavar="HOST:PORT", action="append", default=[], help="whom to connect to")
    member.add_argument("--await-members", metavar="N", type=int, default=1, help="not done before N others were met")
    member.add_argument("--loopback", action="store_true", help="dial members at loopback addresses, too")
    for command in (listen, dial):
        _add_verification(command)
        _add_datagrams(command)
    for command in (listen, dial, member):
        _add_common(command)
        closes = command is dial
        command.add_argument("--close", action=argparse.BooleanOptionalAction, default=closes, help="close when done")
    checks = commands.add_parser("verify", help="check this implementation against vector files")
    checks.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="files or folders; Vectors/v1 if none")
    checks.add_argument("--filter", metavar="ID", help="only the cases whose id has this in it")
    checks.add_argument("--verbose", action="store_true", help="tell of cases that pass, too")
    commands.add_parser("shim", help="speak the protocol of Vectors/SHIM.md on standard input and output")
    return parser


def _add_common(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    identity = command.add_mutually_exclusive_group()
    identity.add_argument("--identity-seed", metavar="HEX", help="the 32 bytes of seed of the Ed25519 key")
    identity.add_argument("--identity", metavar="FILE", type=Path, help="the seed in hexadecimal; made if missing")
    add("--name", default="reference")
    add("--suite", choices=_SUITES, default="all", help="both are the classical ones")
    add("--encryption", choices=[p.name.lower() for p in Preference], default="required")
    add("--certificate", metavar="PEM", type=Path)
    add("--key", metavar="PEM", type=Path)
    trust = command.add_mutually_exclusive_group()
    trust.add_argument("--trust", metavar="PEM", type=Path, help="accept chains with a path to one of these")
    trust.add_argument("--pin", metavar="FP", action="append", help="accept this fingerprint, sha256:…")
    trust.add_argument("--accept-unverified", action="store_true", help="accept everybody")
    add("--expect-name", metavar="DNSNAME", help="with --trust: the name that the leaf must have")
    add("--match-name", action="store_true", help="with --trust: the leaf must certify the peer's display name")
    add("--accept", choices=["all", "none"], default="all", help="invitations")
    add("--expect", metavar="PEERKEY", help="the identity key that the peer must have (64 hexadecimal digits)")
    add("--session", metavar="HEX", help="the charter of an existing session to invite to")
    add("--context", default="")
    add("--timeout", metavar="S", type=float, help="for connecting, the invitation, a path and each later phase")
    add("--maximum-message", type=int, default=16 << 20)
    add("--message", metavar="TEXT", action="append", default=[])
    add("--file", metavar="PATH", type=Path, action="append", default=[])
    add("--save", metavar="DIR", type=Path, help="take files into this folder")
    add("--await-messages", metavar="N", type=int, default=0, help="not done before N messages came")
    add("--await-files", metavar="N", type=int, default=0)
    add("--no-grease", dest="grease", action="store_false")
    add("--guest", action="store_true", help="say nothing of sessions of many")
    add("--json", dest="as_json", action="store_true", help="one event a line on standard output")


def _add_verification(command: argparse.ArgumentParser) -> None:
    """A peer that is verified by one of these is accepted, too (SPEC §25)."""
    add = command.add_argument
    add("--show-code", action="store_true", help="show a one-time code, which a person types at the peer")
    add("--code", metavar="CODE", help="the one-time code that the peer shows; - asks on standard input")
    add("--compare", action="store_true", help="compare short strings with the person at the peer")
    add("--confirm", choices=["yes", "no", "ask"], default="ask", help="with --compare: whether the strings are equal")


def _add_datagrams(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--datagram", metavar="TEXT", action="append", default=[], help="a message that goes as a datagram (SPEC §26)")
    add("--no-datagrams", dest="knows_datagrams", action="store_false", help="do not list the feature datagrams")


def _features(options: argparse.Namespace) -> tuple[int, ...]:
    """Of a member, none."""
    verifies, knows_datagrams = bool(_wishes(options)), getattr(options, "knows_datagrams", False)
    return (VERIFICATION,) * verifies + (DATAGRAMS,) * knows_datagrams


def _wishes(options: argparse.Namespace) -> Wishes:
    """Of a member, none."""
    if options.command == "member":
        return Wishes()
    asks_code = options.code == "-"
    code = None if options.code is None or asks_code else options.code.encode()
    if code is not None:
        OneTimeCode.typed(code)  # before anything is sent ([R25.4-1])
    confirms = {"yes": True, "no": False, "ask": None}[options.confirm]
    return Wishes(code, asks_code, options.show_code, options.compare, confirms)


def _identity(options: argparse.Namespace) -> SigningKey:
    if options.identity_seed is not None:
        return SigningKey(_hex(options.identity_seed, 32))
    if options.identity is None:
        return SigningKey(os.urandom(32))
    try:
        descriptor = os.open(options.identity, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return SigningKey(_hex(options.identity.read_text().strip(), 32))
    seed = os.urandom(32)
    with os.fdopen(descriptor, "w") as file:
        file.write(seed.hex() + "\n")
    return SigningKey(seed)


def _hex(text: str, count: int) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != count:
        raise ValueError(f"{count} bytes in hexadecimal are needed, not {text!r}")
    return data


def _keys(texts: list[str] | None) -> frozenset[bytes] | None:
    return None if texts is None else frozenset(_hex(text, 32) for text in texts)


def _validator(options: argparse.Namespace) -> Validator:
    """Without a choice nobody is accepted: silence is never consent (SPEC §2)."""
    if options.accept_unverified:
        return AcceptUnverified()
    if options.trust:
        return TrustAnchors.from_pem(options.trust.read_bytes(), options.expect_name, options.match_name)
    return Pins(frozenset(options.pin or ()))


def _config(options: argparse.Namespace) -> Config:
    if (options.certificate is None) != (options.key is None):
        raise ValueError("--certificate and --key belong together")
    credential = None
    if options.certificate:
        credential = Credential.from_pem(options.certificate.read_bytes(), options.key.read_bytes())
    try:
        decode_display_name(options.name.encode())
    except ProtocolError as error:
        raise ValueError(f"--name: {error.detail}") from None
    deadlines = Deadlines()
    if options.timeout is not None:
        limit = max(1, int(options.timeout * 1000))
        deadlines = Deadlines(min(limit, 10_000), limit, limit)
    return Config(
        identity=_identity(options),
        display_name=options.name,
        maximum_message=options.maximum_message,
        preference=Preference[options.encryption.upper()],
        credential=credential,
        expected_peer=_hex(options.expect, 32) if options.expect else None,
        suites=_SUITES[options.suite],
        shows_name_to=_keys(getattr(options, "show_name_to", None)),
        features=_features(options),
        grease=options.grease,
        deadlines=deadlines,
        keep_alive=KeepAliveTimes(),
        stays_guest=options.guest,
        wall_offset=time.time_ns() // 1_000_000 - time.monotonic_ns() // 1_000_000,
    )


def _plan(options: argparse.Namespace, identity: SigningKey | None = None) -> Plan:
    for path in options.file:
        if not (path.is_file() or path.is_dir()):
            raise ValueError(f"{path} is not a file")
    if options.save and not options.save.is_dir():
        raise ValueError(f"{options.save} is not a folder")
    return Plan(
        validator=_validator(options),
        accept=options.accept == "all",
        messages=tuple(text.encode() for text in options.message),
        datagrams=tuple(text.encode() for text in getattr(options, "datagram", ())),
        patience=_PATIENCE if options.timeout is None else max(1, int(options.timeout * 1000)),
        files=tuple(options.file),
        save=options.save,
        await_messages=options.await_messages,
        await_files=options.await_files,
        closes=options.close,
        as_json=options.as_json,
        tag_key=tag_key(identity) if identity else b"",
        wishes=_wishes(options),
    )


def _request(options: argparse.Namespace) -> InviteRequest | None:
    if not options.invite:
        return None
    timeout = 30_000 if options.timeout is None else min(600_000, max(1, int(options.timeout * 1000)))
    charter = Charter.decode(bytes.fromhex(options.session)) if options.session else None
    return InviteRequest(charter=charter, timeout=timeout, context=options.context.encode())


def _member(options: argparse.Namespace, config: Config, plan: Plan) -> int:
    """Everybody is accepted, so it has to be asked for."""
    if not options.accept_unverified:
        raise SystemExit("member: --accept-unverified is needed")
    member = Member(config, plan, (options.host, options.port), options.found, options.loopback)
    for peer in options.peer:
        host, _, port = peer.rpartition(":")
        member.connect((host.strip("[]"), int(port)), None, None, options.found)
    return member.run(options.await_members, options.timeout or 60)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "verify":
        return verify.main(options.paths, options.filter, options.verbose)
    if options.command == "shim":
        return shim.run(sys.stdin, sys.stdout)
    try:
        config, request = _config(options), _request(options)
        plan = _plan(options, config.identity)
        if options.command == "connect":
            host, separator, port = options.address.rpartition(":")
            if not separator or not port.isdecimal():
                raise ValueError("an address is HOST:PORT")
            address = host.strip("[]"), int(port)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if options.command == "member":
        return _member(options, config, plan)
    if options.command == "connect":
        limit = 30 if options.timeout is None else options.timeout
        status = connect(address, limit, config, plan, request)
        while options.again and status != UNREACHABLE:
            config = _config(options)  # nothing is left of the link before, nor of the identity that was made for it
            status = connect(address, limit, config, _plan(options, config.identity), request)
        return status
    try:
        listener = Listener((options.host, options.port), config, plan, request, options.max_links)
    except (OSError, OverflowError) as error:
        parser.error(f"cannot listen: {error}")
    return listener.run(options.once, options.timeout)
