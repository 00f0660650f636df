"""Runs lanes of steps at the same time, and counts what they say."""
import os
import signal
import subprocess
import sys
import threading
import time


class Run:
    """Lanes run at the same time; the steps of one lane run one after the other. No step's result depends on how long another takes."""

    def __init__(self):
        self.begin = time.monotonic()
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.lock = threading.Lock()
        self.ended = {}
        self.succeeded = set()
        self.processes = set()

    def say(self, text):
        minutes, seconds = divmod(int(time.monotonic() - self.begin), 60)
        with self.lock:
            print(f"[{minutes:2}:{seconds:02}] {text}", flush=True)

    def lanes(self, *lanes):
        """Runs all lanes to their ends."""
        for lane in lanes:
            for step in lane:
                self.ended[step.name] = threading.Event()
        threads = [threading.Thread(target=self.lane, args=(lane,), daemon=True) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def lane(self, lane):
        for step in lane:
            try:
                self.step(step)
            finally:
                self.ended[step.name].set()

    def step(self, step):
        for name in step.needs:
            self.ended[name].wait()
        missing = [name for name in step.needs if name not in self.succeeded]
        if missing:
            return self.fail(f"{step.name}: not run, because of {missing[0]}")
        process = None

        def started(new):
            nonlocal process
            process = new
            with self.lock:
                self.processes.add(new)
        begin = time.monotonic()
        result = step.run(started)
        # What a step has left running must not run beside the next one.
        end_group(process)
        with self.lock:
            self.processes.discard(process)
            self.passed += result.passed
            self.failed += result.failed
            self.skipped += result.skipped
            self.failures += [f"✘ {text}" for text in result.failures]
            if not result.failed:
                self.succeeded.add(step.name)
        times = f"{time.monotonic() - begin:.0f} s, processor {result.processor:.0f} s"
        self.say(f"{'✘' if result.failed else '✔'} {step.name} ({times}): {result.said}")

    def fail(self, text):
        with self.lock:
            self.failed += 1
            self.failures.append(f"✘ {text}")
        self.say(f"✘ {text}")

    def end(self):
        """Says once more what failed, since it has long scrolled away, and the closing line. Returns the exit status."""
        if self.failures:
            print("What failed:", *self.failures, sep="\n")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 1 if self.failed else 0

    def stop(self, *_):
        """A signal: nothing that was started continues. Compilers have process groups of their own, and end with `swift build` if that may."""
        running = list(self.processes)
        for process in running:
            os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                pass
            end_group(process)
        os._exit(130)


def end_group(process):
    """Ends what is left of a process's group. The process leads it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def setup(*arguments):
    """What tests need of the system. Without it nothing can run."""
    status = subprocess.run(["Scripts/setup", *arguments]).returncode
    if status:
        sys.exit(status)
