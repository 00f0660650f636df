"""Steps of a test run, and how each kind of step is judged."""
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import junit

ROOT = Path(__file__).resolve().parent.parent.parent
CLOSING = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")
# The number of tests of one program that run at a time: a live test has sockets, processes and threads.
WIDTH = 16


@dataclass
class Result:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)
    said: str = ""
    # The processor's time that the step and what it has waited for took, in seconds.
    processor: float = 0


@dataclass
class Step:
    """A command, and what its end means. `judge` gets the status, the output and the folder for files of results."""
    name: str
    command: list
    judge: object
    env: dict = field(default_factory=dict)
    # The names of steps that must have succeeded. If one has failed, this step does not run, and fails.
    needs: tuple = ()

    def run(self, started):
        """Runs the command, as the leader of a process group. `started` is told the process, so that the whole group can be ended.

        It has no session of its own: Linux gives each session an equal part of the processor, whatever the classes of its processes.
        """
        with tempfile.TemporaryDirectory() as folder:
            command = [part.replace("RESULTS", folder) for part in self.command]
            with open(f"{folder}/output", "w+b") as output:
                process = subprocess.Popen(
                    command, cwd=ROOT, env=os.environ | self.env, stdin=subprocess.DEVNULL, stdout=output,
                    stderr=subprocess.STDOUT, process_group=0)
                started(process)
                _, status, usage = os.wait4(process.pid, 0)
                status = process.returncode = os.waitstatus_to_exitcode(status)
                output.seek(0)
                text = output.read().decode(errors="replace")
            result = self.judge(self, status, text, Path(folder))
            result.processor = usage.ru_utime + usage.ru_stime
            return result


def tail(text, count):
    return "\n".join("    " + line for line in text.splitlines()[-count:])


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


# The kinds of steps


def idle(step):
    """A step that gets what the others leave of the processor. For checks: tests have limits, which a long wait would reach."""
    step.command = ["chrt", "--idle", "0", *step.command]
    return step


def build(name, *command, **options):
    """A command that only has to succeed. Its success is no test; what was compiled is shown if it fails.

    SwiftPM writes the traits of packages in the order of a Swift dictionary: without one order for all runs, every other build is a full one.
    """
    def judge(step, status, text, _):
        if status == 0:
            return Result(said="built")
        lines = [line for line in text.splitlines() if not re.match(r"\[\d+/\d+\]", line)]
        return Result(failed=1, failures=[f"the build failed: {name}"], said=tail("\n".join(lines), 200))
    options["env"] = {"SWIFT_DETERMINISTIC_HASHING": "1"} | options.get("env", {})
    return Step(name, list(command), judge, **options)


def pure_release():
    """The tests of the pure targets, in a release build without traits: Package.swift says why."""
    return build("release", "swift", "build", "-c", "release", "--build-tests", "-Xswiftc", "-enable-testing", "--scratch-path",
                 ".build-release", "--disable-default-traits", env={"MULTIPEER_TESTS": "pure"})


def check(name, *command, **options):
    """A command that is one test by itself."""
    def judge(step, status, text, _):
        if status == 0:
            return Result(passed=1, said=last_line(text))
        return Result(failed=1, failures=[name], said=tail(text, 60))
    return Step(name, list(command), judge, **options)


def suite(name, *command, **options):
    """A program whose last line is «N passed, N failed, N skipped»."""
    def judge(step, status, text, _):
        match = CLOSING.fullmatch(last_line(text))
        if not match or status > 1 or (status == 0) != (match[2] == "0"):
            return Result(failed=1, failures=[f"{name}: it ended with status {status}"], said=tail(text, 60))
        failures = [line.strip() for line in text.splitlines() if line.lstrip().startswith("✘")] if status else []
        counts = (int(match[1]), int(match[2]), int(match[3] or 0))
        return Result(*counts, failures or [name] * bool(status), tail(text, 60) if status else last_line(text))
    return Step(name, list(command), judge, **options)


def junit_tests(name, *command, pattern, **options):
    """Tests that write JUnit files. A crash of the runner leaves none, and must not pass for success."""
    def judge(step, status, text, folder):
        passed, skipped, failures = junit.read(folder.glob(pattern))
        said = f"{passed + len(failures)} ran, {len(failures)} failed"
        if (status and not failures) or status < 0 or not (passed or failures):
            failures.append(f"{name}: the tests ended with status {status}")
        return Result(passed, len(failures), skipped, failures, said + ("\n" + tail(text, 100) if failures else ""))
    return Step(name, list(command), judge, **options)


def swift_tests(name, *arguments, folder=".build/debug", width=WIDTH, **options):
    """Swift tests of what was built in a folder.

    The program is started directly: `swift test` would read the whole package each time, and would keep the folder from others until
    it ends. As `swift test` does it, no signal is ignored, whatever the caller ignores.
    """
    program = f"set -- {folder}/*PackageTests.xctest \"$@\"; exec env --default-signal \"$@\""
    return junit_tests(
        name, "bash", "-c", program, "bash", "--testing-library", "swift-testing",
        "--experimental-maximum-parallelization-width", str(width), "--xunit-output", "RESULTS/swift.xml", *arguments,
        pattern="*.xml", **options)


def python_tests(name, *arguments, **options):
    """Tests of the reference implementation."""
    command = f"cd Vectors/reference && exec {ROOT}/.build/python/bin/python -m pytest " + shlex.join(
        ["-q", "-p", "no:cacheprovider", "--junitxml", "RESULTS/python.xml", *arguments, "tests"])
    return junit_tests(name, "bash", "-c", command, pattern="*.xml", **options)
