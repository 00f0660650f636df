"""`python -m multipeer_reference verify`: this implementation against vector files."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from . import associations, datagrams, files, nodes, scripts, stateless
from .answers import Answer, Disagreement, require_same
from .files import Case, VectorError

FEATURES = (
    "suite-aesgcm", "mlkem768", "verification", "x509", "x509-rsa", "x509-p256", "x509-p384", "x509-ed25519",
    "datagrams",
)
GROUPS = (*stateless.GROUPS, "LinkScript", "Session", "AssociationScript", "NodeScript", "DatagramScript")
PASSED, FAILED, DATA_ERROR = 0, 1, 65


@dataclass(frozen=True)
class Outcome:
    case: Case
    verdict: str  # passed, failed or skipped
    reason: str = ""


def answer(case: Case) -> Answer:
    match case.group:
        case "LinkScript":
            return scripts.run_script(case.params, case.test["steps"])
        case "AssociationScript":
            return associations.run(case.params, case.test["steps"])
        case "NodeScript":
            return nodes.run(case.params, case.test["steps"])
        case "DatagramScript":
            return datagrams.run(case.params, case.test["steps"])
        case "Session":
            return scripts.run_session(case.params, case.test["steps"])
        case _:
            return stateless.test(case.group, case.params, case.test["inputs"])


def judge(case: Case) -> Outcome:
    """Compares verdict, code, layer and all that was released. What a case breaks in this program fails the case."""
    lacking = [feature for feature in case.test["features"] if feature not in FEATURES]
    if lacking:
        return Outcome(case, "skipped", f"lacks {', '.join(lacking)}")
    if case.group not in GROUPS:
        return Outcome(case, "failed", f"an unknown group {case.group}")
    try:
        mine = answer(case)
        require_same("result", mine.result, case.test["result"])
        require_same("expected", mine.expected, case.test["expected"])
    except Disagreement as disagreement:
        return Outcome(case, "failed", str(disagreement))
    except Exception as error:  # a wrong key or type in the case, or a fault of ours: not the end of the run
        return Outcome(case, "failed", f"{type(error).__name__}: {error}")
    return Outcome(case, "passed")


def main(paths: list[Path], pattern: str | None, is_verbose: bool) -> int:
    """The last line is `N passed, N failed, N skipped`; `pattern` is a part of an id."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    try:
        for case in files.load(files.find(paths or [files.DEFAULT])):
            if pattern and pattern not in case.id:
                continue
            outcome = judge(case)
            counts[outcome.verdict] += 1
            if outcome.verdict != "passed" or is_verbose:
                reason = f" ({case.test['comment']}): {outcome.reason}" if outcome.reason else ""
                print(f"{outcome.verdict} {case.id}{reason}")
    except VectorError as error:
        print(error, file=sys.stderr)
        return DATA_ERROR
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return FAILED if counts["failed"] else PASSED
