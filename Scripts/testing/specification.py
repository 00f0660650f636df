"""The specification: SPEC.md and its companions in docs/spec/. Programs that read it take its files from here."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MAIN = ROOT / "SPEC.md"
# Written by Scripts/index-requirements, and no part of the specification.
INDEX = ROOT / "docs/spec/requirements.md"

IDENTIFIER = r"R\d+(?:\.\d+)?-\d+"
DEFINITION = re.compile(rf"^- \[({IDENTIFIER})\]", re.M)
HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)?) ", re.M)


def files() -> list[Path]:
    """SPEC.md first, then the companions."""
    return [MAIN, *sorted(path for path in INDEX.parent.glob("*.md") if path != INDEX)]


def texts() -> dict[Path, str]:
    return {path: path.read_text() for path in files()}


def place(identifier: str) -> tuple[int, ...]:
    """Sorts identifiers by section and number: R9.8-2 before R10.2-1."""
    return tuple(map(int, re.findall(r"\d+", identifier.replace("-", ".0." if "." not in identifier else "."))))


def requirements() -> list[str]:
    """The identifier of each requirement, in order. One that is defined twice is there twice."""
    return sorted((name for text in texts().values() for name in DEFINITION.findall(text)), key=place)


def sections() -> set[str]:
    """The number of each section, and of each entry of §22, which is a list."""
    everything = texts()
    registries = everything[MAIN].partition("\n## 22 ")[2].partition("\n## ")[0]
    found = {number for text in everything.values() for number in HEADING.findall(text)}
    return found | {f"22.{item}" for item in re.findall(r"^(\d+)\. ", registries, re.M)}
