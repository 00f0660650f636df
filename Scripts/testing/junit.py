"""What JUnit files say: how many tests passed and were skipped, and what failed. As a program it prints «passed failed skipped» and failures."""
import sys
import xml.etree.ElementTree as tree


def cases(path, failures):
    """The tests of a file. A runner that crashed leaves one that cannot be read, which is a failure."""
    try:
        return list(tree.parse(path).getroot().iter("testcase"))
    except tree.ParseError as error:
        failures.append(f"{path}: the runner has not written its results to the end ({error})")
        return []


def read(paths):
    """Returns (passed, skipped, failures), where a failure is a name with its message."""
    passed = skipped = 0
    failures = []
    for case in (case for path in paths for case in cases(path, failures)):
        problems = case.findall("failure") + case.findall("error")
        if problems:
            messages = (" ".join(problem.get("message", "").split())[:1_000] for problem in problems)
            failures.append(f"{case.get('classname')}.{case.get('name')}: " + "; ".join(messages))
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, skipped, failures


if __name__ == "__main__":
    passed, skipped, failures = read(sys.argv[1:])
    print(passed, len(failures), skipped, *failures, sep="\n")
