"""Reading vector files: structure, counts and ids, with a clear complaint that names file and test."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

_FILE = {
    "schema": str, "specVersion": str, "suite": str, "source": dict, "numberOfTests": int, "notes": dict,
    "groups": list,
}
_GROUP = {"type": str, "params": dict, "tests": list}
_TEST = {
    "id": str, "comment": str, "spec": str, "requirements": list, "importance": str, "features": list, "flags": list,
    "inputs": dict, "expected": dict, "result": dict,
}
SPEC_VERSION = "1-draft-04"
#: Where the files are if no path is given.
DEFAULT = Path(__file__).parents[3] / "v1"


class VectorError(Exception):
    """A file that is no vector file; the message names it, and the test."""


@dataclass(frozen=True)
class Case:
    path: Path
    group: str
    params: dict
    test: dict

    @property
    def id(self) -> str:
        return self.test["id"]


def find(paths: list[Path]) -> list[Path]:
    """Files as they are, folders as the .json files in them."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.rglob("*.json"))
        elif path.is_file():
            found.append(path)
        else:
            raise VectorError(f"{path}: there is no such file")
    if not found:
        raise VectorError(f"{', '.join(map(str, paths))}: no vector files")
    return found


def load(paths: list[Path]) -> Iterator[Case]:
    """All cases; an id that is used twice, in any of the files, is an error."""
    seen: dict[str, Path] = {}
    for path in paths:
        for case in _load(path):
            if case.id in seen:
                raise VectorError(f"{path}: {case.id}: the id is used already in {seen[case.id]}")
            seen[case.id] = path
            yield case


def _unique(pairs: list[tuple[str, object]]) -> dict:
    """JSON takes the last of several equal keys; a vector has none."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key that stands twice")
    return value


def _load(path: Path) -> list[Case]:
    try:
        content = json.loads(path.read_text("utf-8"), object_pairs_hook=_unique)
    except (OSError, ValueError) as error:
        raise VectorError(f"{path}: {error}") from None
    _require(content, _FILE, str(path), exact=True)
    if content["specVersion"] != SPEC_VERSION:
        raise VectorError(f"{path}: specVersion {content['specVersion']!r}, this is {SPEC_VERSION!r}")
    cases: list[Case] = []
    for number, group in enumerate(content["groups"]):
        _require(group, _GROUP, f"{path}: group {number}", exact=True)
        for test in group["tests"]:
            _check_test(test, content["notes"], path, number)
            cases.append(Case(path, group["type"], group["params"], test))
    if len(cases) != content["numberOfTests"]:
        raise VectorError(f"{path}: numberOfTests is {content['numberOfTests']}, there are {len(cases)}")
    return cases


def _check_test(test: object, notes: dict, path: Path, group: int) -> None:
    name = test.get("id", "a test without id") if isinstance(test, dict) else "a test"
    where = f"{path}: group {group}: {name}"
    _require(test, _TEST, where, exact=False)
    assert isinstance(test, dict)
    if extra := set(test) - set(_TEST) - {"steps"}:
        raise VectorError(f"{where}: unknown keys {sorted(extra)}")
    for flag in test["flags"]:
        if flag not in notes:
            raise VectorError(f"{where}: the flag {flag!r} has no note")
    if test["result"].get("verdict") not in ("accept", "reject", "incomplete"):
        raise VectorError(f"{where}: result {test['result']}")


def _require(value: object, keys: dict[str, type], where: str, exact: bool) -> None:
    if not isinstance(value, dict):
        raise VectorError(f"{where}: not an object")
    for key, kind in keys.items():
        if not isinstance(value.get(key), kind) or isinstance(value[key], bool):
            raise VectorError(f"{where}: {key} is missing, or no {kind.__name__}")
    if exact and (extra := set(value) - set(keys)):
        raise VectorError(f"{where}: unknown keys {sorted(extra)}")
