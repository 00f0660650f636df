"""Swift tests under a sanitizer. Whatever a process reports is a failure, even where a test expects its process to fail."""
import subprocess
import tempfile
from pathlib import Path

from .steps import ROOT, Result, Step, build, swift_tests

SETTINGS = ROOT / "Scripts" / "sanitizers"
NAMES = {"address": "AddressSanitizer", "thread": "ThreadSanitizer"}


def environment(kind, reports):
    """Where reports go, and what is not reported (docs/sanitizers.md)."""
    # 86 is no status of the tool or of a test, so that neither takes a report for an expected failure.
    common = f"log_path='{reports}/report':log_exe_name=1:exitcode=86"
    # The runtime's own crash handler would fork inside of the sanitizer's.
    shared = {"SWIFT_BACKTRACE": "enable=no"}
    if kind == "address":
        # Only the slow unwinder passes through C libraries, which have no frame pointers: suppressions need what is above.
        return shared | {
            "ASAN_OPTIONS": f"{common}:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:fast_unwind_on_malloc=0",
            "LSAN_OPTIONS": f"suppressions='{SETTINGS}/leaks.txt':print_suppressions=0",
        }
    return shared | {
        "TSAN_OPTIONS": f"{common}:suppressions='{SETTINGS}/races.txt':print_suppressions=0:second_deadlock_stack=1"}


def is_sanitized(kind, program):
    """A step: a program whose runtime lists the sanitizer's options has the sanitizer in it."""
    def judge(step, status, text, _):
        if f"Available flags for {NAMES[kind]}" in text:
            return Result(passed=1, said=program)
        return Result(failed=1, failures=[step.name], said=f"{program} has no {NAMES[kind]}")
    return Step(f"{program.rsplit('/', 1)[1]} is sanitized", [program, "--help"], judge, {"ASAN_OPTIONS": "help=1", "TSAN_OPTIONS": "help=1"},
                ("sanitized",))


def run(run, kind, expression, live, examples):
    scratch = f".build-{kind}"
    flags = ["--sanitize", kind, "--scratch-path", scratch, "-Xswiftc", f"-DMULTIPEER_SANITIZER_{kind.upper()}"]
    if kind == "thread":
        (ROOT / scratch).mkdir(exist_ok=True)
        subprocess.run(
            ["clang", "-c", "-O1", "-Wall", "-Werror", SETTINGS / "mutex.c", "-o", ROOT / scratch / "mutex.o"], check=True)
        flags += ["-Xlinker", str(ROOT / scratch / "mutex.o")]
    with tempfile.TemporaryDirectory() as reports:
        # Everything is several times slower, so few tests run at a time.
        options = {"folder": f"{scratch}/debug", "width": 2, "env": environment(kind, reports), "needs": ("sanitized",)}
        # The faults that are planted have to be seen, by the tests' process and by the programs.
        steps = [
            build("sanitized", "swift", "build", "--build-tests", *flags),
            is_sanitized(kind, f"{scratch}/debug/multipeer"),
            is_sanitized(kind, f"{scratch}/debug/multipeer-lab"),
            swift_tests("Planted faults", "--filter", "^SanitizerTests", **options),
        ]
        if expression:
            steps.append(swift_tests("Tests that match", "--filter", expression, "--skip", "^SanitizerTests", **options))
        else:
            steps += [swift_tests(target, "--filter", target, "--skip", examples, **options) for target in live]
            steps.append(swift_tests("The ported apps", "--filter", examples, **options))
            steps.append(swift_tests("All others", "--skip", "|".join(["^SanitizerTests", *live]), **options))
        run.lanes(steps)
        for report in sorted(Path(reports).iterdir()):
            demangled = subprocess.run(
                ["swift", "demangle", "--simplified"], input=report.read_bytes(), capture_output=True).stdout.decode(errors="replace")
            print("\n".join(demangled.splitlines()[:100]))
            run.fail(report.name)
