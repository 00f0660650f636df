"""The parts of --deep, and the table of docs/testing.md that says when each ran last, on which commit, and with which result."""
import datetime
import re
import subprocess

from .steps import ROOT, build, check, last_line, pure_release, python_tests, suite, swift_tests

TABLE = ROOT / "docs" / "testing.md"
ROW = re.compile(
    r"^\| `(?P<part>[a-z-]+)` \| (?P<about>[^|\n]*?) \| *(?P<date>[^|\n]*?) *\| *(?P<commit>[^|\n]*?) *\| *(?P<result>[^|\n]*?) *\|$", re.M)
OLD = datetime.timedelta(days=14)

TOOL, LABORATORY, PYTHON = ".build/debug/multipeer", ".build/debug/multipeer-lab", ".build/python/bin/python"
SHIM = f"env PYTHONPATH=Vectors/reference {PYTHON} -m multipeer_reference shim"


def parts():
    """In the order in which they run: what finds most in least time comes first."""
    return [
        suite("shim", LABORATORY, "vectors", "run", "--shim", SHIM),
        # Its last line counts comparisons, and its status says whether the answers differ.
        check("differential", LABORATORY, "vectors", "fuzz", "--seconds", "600", "--shim", f"{SHIM} 2>/dev/null"),
        suite("fuzz", "Scripts/fuzz", "all", "120"),
        suite("discovery", PYTHON, "Scripts/prove-discovery", TOOL),
        suite("attacks", PYTHON, "Scripts/attacks/attack.py", "--tool", TOOL, "rows"),
        suite("resume", PYTHON, "Scripts/prove-resume", TOOL, "--size", "256M"),
        suite("folders", PYTHON, "Scripts/prove-folders", TOOL),
        python_tests("reference", "-n", "2", env={"MULTIPEER_FULL": "1"}),
        suite("address", "Scripts/test", "--sanitize", "address"),
        suite("thread", "Scripts/test", "--sanitize", "thread"),
        swift_tests("groups", "--filter", r"^MultipeerConnectivityTests\.ThreeAppsTests/", env={"MULTIPEER_FULL": "1"}),
        suite("group-programs", "Scripts/prove-groups"),
        suite("decliners", "Scripts/prove-groups", "--decliners"),
        swift_tests("gatherings", "--filter", r"^MultipeerCoreTests\.GatheringTests/", folder=".build-release/release",
                    env={"MULTIPEER_FULL": "1"}),
        suite("reconnecting", "Scripts/prove-reconnecting"),
        suite("planted", "Scripts/fuzz", "planted"),
        suite("coverage", "Scripts/fuzz", "coverage"),
        suite("mutants", "Scripts/mutants"),
        suite("mutants-reference", PYTHON, "Scripts/mutants-reference"),
        suite("writes", "Scripts/prove-writes"),
        suite("models", "Scripts/prove", "--jobs", "2"),
        suite("resuming-model", "docs/proofs/resume.py"),
        suite("resuming-model-broken", "docs/proofs/resume.py", "--broken"),
        check("oss-fuzz", "Scripts/check-oss-fuzz", "--build"),
        check("package", "Scripts/package"),
        check("benchmark-programs", "Scripts/benchmark", "--smoke"),
        check("benchmarks", "Scripts/benchmark"),
        suite("stress", "Scripts/stress", "--runs", "20"),
    ]


def names():
    return [part.name for part in parts()]


def run(run, chosen):
    # Most of the parts use the tool, or the programs of a debug build.
    run.lanes([build("debug", "swift", "build", "--build-tests")])
    if not chosen or "gatherings" in chosen:
        run.lanes([pure_release()])
    for part in parts():
        if chosen and part.name not in chosen:
            continue
        judge = part.judge

        def judged(step, status, text, folder):
            result = judge(step, status, text, folder)
            note(step.name, f"{result.passed} passed, {result.failed} failed" + (f", {result.skipped} skipped" * bool(result.skipped)),
                 last_line(text))
            return result
        part.judge = judged
        run.lanes([part])


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def note(part, counts, said):
    """Writes a result into the table. A commit with a + had changes that were not committed."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/testing.md")
    commit = git("rev-parse", "--short=8", "HEAD") + ("+" if changed else "")
    result = counts if counts.split(",")[0] in said else f"{counts}: {said}"[:120].replace("|", "/")

    def row(match):
        if match["part"] != part:
            return match[0]
        return f"| `{part}` | {match['about']} | {datetime.date.today()} | {commit} | {result} |"
    TABLE.write_text(ROW.sub(row, TABLE.read_text()))


def say_what_is_old():
    """Prints which parts have not run for a fortnight. Their results are no part of the gate's."""
    rows = {match["part"]: match["date"] for match in ROW.finditer(TABLE.read_text())}
    for name in names():
        date = rows.get(name, "never")
        try:
            age = datetime.date.today() - datetime.date.fromisoformat(date)
        except ValueError:
            print(f"deep: {name} has not run yet")
            continue
        if age > OLD:
            print(f"deep: {name} ran {age.days} days ago, on {date}")
