"""A public suite for path validation, x509-limbo: both implementations answer every case alike.

The Swift tests hold what GnuTLSPathValidator answers (Tests/MultipeerCertificatesTests/limbo-deviations.json); where this
one answers otherwise, limbo-exceptions.json says why, and since when.
"""

import base64
import datetime
import ipaddress
import json
import os
from pathlib import Path

import pytest
from cryptography import x509

from multipeer_reference.certificates import MAXIMUM_COUNT
from multipeer_reference.errors import ErrorCode
from multipeer_reference.paths import CLIENT, SERVER, Requirements
from multipeer_reference.trust import TrustAnchors

REPOSITORY = Path(__file__).parents[3]
EXTERNAL = Path(os.environ.get("MULTIPEER_EXTERNAL_VECTORS", REPOSITORY / "../shared/external"))
SUITE, SUBSET = EXTERNAL / "x509/limbo-generated.json", EXTERNAL / "x509/limbo-peer-subset.json"
SWIFT = REPOSITORY / "Tests/MultipeerCertificatesTests/limbo-deviations.json"
EXCEPTIONS = Path(__file__).with_name("limbo-exceptions.json")

pytestmark = [
    pytest.mark.skipif(not SUITE.exists(), reason="the suite is no part of the repository, and is not here"),
    # The library warns of serial numbers that it will refuse.
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore:Parsed a:DeprecationWarning"),
]
NAMES = {
    "DNS": x509.DNSName, "RFC822": x509.RFC822Name, "IP": lambda text: x509.IPAddress(ipaddress.ip_address(text)),
}


def der(pem):
    return base64.b64decode("".join(line for line in pem.splitlines() if line and not line.startswith("-----")))


def accepts(case):
    chain = [der(case["peer_certificate"]), *map(der, case["untrusted_intermediates"])]
    if len(chain) > MAXIMUM_COUNT:
        return False
    names = [name for name in [case["expected_peer_name"], *case["expected_peer_names"]] if name]
    depth = case["max_chain_depth"]
    requirements = Requirements(
        SERVER if case["validation_kind"] == "SERVER" else CLIENT,
        tuple(NAMES[name["kind"]](name["value"]) for name in names),
        MAXIMUM_COUNT if depth is None else depth,
    )
    text = case["validation_time"]
    time = datetime.datetime.fromisoformat(text) if text else datetime.datetime.fromtimestamp(1_750_000_000, datetime.UTC)
    anchors = [x509.load_der_x509_certificate(der(pem)) for pem in case["trusted_certs"]]
    return TrustAnchors(anchors, requirements=requirements).judge(chain, "peer", time) is ErrorCode.NO_ERROR


def swift_accepts(cases, subset):
    """What the Swift implementation answers, by identifier."""
    known = json.loads(SWIFT.read_text())
    answers = {name: cases[name]["expected_result"] == "SUCCESS" for name in subset}
    answers |= {entry["id"]: entry["ours"] == "SUCCESS" for entry in known["deviations"]}
    others = set(cases) - set(subset)
    assert set(known["others"]["accepted"]) <= others
    return answers | {name: name in known["others"]["accepted"] for name in others}


def test_both_implementations_agree():
    cases = {case["id"]: case for case in json.loads(SUITE.read_text())["testcases"]}
    swift = swift_accepts(cases, json.loads(SUBSET.read_text())["ids"])
    exceptions = {entry["id"]: entry for entry in json.loads(EXCEPTIONS.read_text())["exceptions"]}
    assert all(entry["since"] and entry["reason"] for entry in exceptions.values())
    assert len(swift) == len(cases) == 208
    differs = {name: accepts(case) for name, case in cases.items() if accepts(case) != swift[name]}
    assert differs == {name: entry["reference"] == "SUCCESS" for name, entry in exceptions.items()}
