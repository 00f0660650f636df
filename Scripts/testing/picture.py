"""A picture that moves: what terminals have shown, frame by frame, as an SVG without scripts and fonts of its own.

Each line of a terminal that stays the same over several frames is one element, whose class says from which frame to which. So `read` gets
back from a picture what `Recording` had, and a check can compare it with a new recording.
"""
from __future__ import annotations

import re
import xml.etree.ElementTree as tree
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

#: The size of a character, and of what is around the terminals.
WIDTH, HEIGHT, MARGIN, CAPTION, GAP = 8.4, 19, 14, 26, 12
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
#: The attributes that a terminal is asked for, and their classes.
STYLES = {1: "b", 2: "d", 31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan"}
#: What ends an attribute.
ENDS = {22: {"b", "d"}, 39: {"red", "green", "yellow", "blue", "magenta", "cyan"}}
NAMESPACE = "{http://www.w3.org/2000/svg}"
LIGHT = {
    "paper": "#fff", "edge": "#d0d7de", "ink": "#1f2328", "soft": "#59636e", "red": "#cf222e", "green": "#116329", "yellow": "#7d4e00",
    "blue": "#0550ae", "magenta": "#8250df", "cyan": "#1b7c83"}
DARK = {
    "paper": "#0d1117", "edge": "#3d444d", "ink": "#e6edf3", "soft": "#9198a1", "red": "#ff7b72", "green": "#56d364", "yellow": "#e3b341",
    "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#56d4dd"}


def colours(of: dict[str, str]) -> str:
    """Rules without variables, which viewers outside of browsers do not know."""
    rules = f"rect{{fill:{of['paper']};stroke:{of['edge']}}}text{{fill:{of['ink']}}}.c,.d{{fill:{of['soft']}}}"
    return rules + "".join(f".{name}{{fill:{of[name]}}}" for name in STYLES.values() if name in of)


STYLE = "\n".join([
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}.b{font-weight:bold}",
    colours(LIGHT),
    f"@media (prefers-color-scheme:dark){{{colours(DARK)}}}",
    "@media (prefers-reduced-motion:reduce){text{animation:none!important}}"])

Span = tuple[str, str]  # classes, text
Line = tuple[Span, ...]


def parse(captured: str) -> list[Line]:
    """The lines of a screen as `tmux capture-pane -e` prints them, without empty ones. Attributes last beyond the ends of lines."""
    on: set[str] = set()
    lines: list[Line] = []
    for text in captured.splitlines():
        spans: list[Span] = []
        for position, part in enumerate(ESCAPE.split(text)):
            if position % 2 == 0:
                if part:
                    spans.append((" ".join(sorted(on)), part))
                continue
            for code in (int(number or 0) for number in part.split(";")):
                if code == 0:
                    on.clear()
                elif code in STYLES:
                    on -= ENDS[39] if code > 30 else set()
                    on.add(STYLES[code])
                else:
                    on -= ENDS.get(code, set())
        if spans:
            spans[-1] = (spans[-1][0], spans[-1][1].rstrip())
        if any(part.strip() for _, part in spans):
            lines.append(tuple(span for span in spans if span[1]))
    return lines


def plain(line: Line) -> str:
    return "".join(part for _, part in line)


@dataclass
class Recording:
    """Frames of several terminals, each with the seconds for which it is shown."""

    captions: list[str]
    columns: int
    frames: list[list[list[Line]]] = field(default_factory=list)
    holds: list[float] = field(default_factory=list)

    def add(self, screens: list[list[Line]], hold: float) -> None:
        self.frames.append(screens)
        self.holds.append(hold)

    def texts(self) -> list[list[list[str]]]:
        return [[[plain(line) for line in screen] for screen in frame] for frame in self.frames]

    def svg(self, title: str) -> str:
        rows = [max(len(frame[number]) for frame in self.frames) for number in range(len(self.captions))]
        width = round(self.columns * WIDTH + 2 * MARGIN)
        times = [0.0]
        for hold in self.holds:
            times.append(times[-1] + hold)
        body: list[str] = []
        used: set[tuple[int, int]] = set()
        top = 0
        for number, caption in enumerate(self.captions):
            height = CAPTION + rows[number] * HEIGHT + MARGIN
            body.append(f'<rect x=".5" y="{top + 0.5}" width="{width - 1}" height="{height}" rx="6"/>')
            body.append(f'<text class="c" x="{MARGIN}" y="{top + 18}">{escape(caption)}</text>')
            body.append(f"<g id={quoteattr(f'terminal-{number}')}>")
            for row in range(rows[number]):
                y = top + CAPTION + (row + 1) * HEIGHT - 4
                for first, last, line in self.runs(number, row):
                    used.add((first, last))
                    body.append(f'<text class="f{first}-{last}" y="{y}" xml:space="preserve">{self.line(line)}</text>')
            body.append("</g>")
            top += height + GAP
        height = top - GAP + 1
        style = "\n".join([STYLE, *(self.animation(first, last, times) for first, last in sorted(used))])
        story = "\n".join(" / ".join(plain(line) for line in screen) for screen in self.frames[-1])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(story)}</desc>\n<style>\n{style}\n</style>\n" + "\n".join(body) + "\n</svg>\n")

    def runs(self, number: int, row: int) -> list[tuple[int, int, Line]]:
        """From which frame to which a line of a terminal is the same."""
        found: list[tuple[int, int, Line]] = []
        for at, frame in enumerate(self.frames):
            line = frame[number][row] if row < len(frame[number]) else ()
            if found and found[-1][1] == at - 1 and found[-1][2] == line:
                found[-1] = (found[-1][0], at, line)
            elif line:
                found.append((at, at, line))
        return found

    def line(self, line: Line) -> str:
        """Each span has its place and its length, so that columns fit whatever the font is."""
        column, parts = 0, []
        for classes, part in line:
            kind = f' class="{classes}"' if classes else ""
            x, length = round(MARGIN + column * WIDTH, 1), round(len(part) * WIDTH, 1)
            parts.append(f'<tspan{kind} x="{x:g}" textLength="{length:g}" lengthAdjust="spacingAndGlyphs">{escape(part)}</tspan>')
            column += len(part)
        return "".join(parts)

    def animation(self, first: int, last: int, times: list[float]) -> str:
        """Without animations the last frame is seen."""
        name, ends = f"f{first}-{last}", last == len(self.frames) - 1
        if first == 0 and ends:
            return ""
        keys = ["0%{opacity:1}"] if first == 0 else ["0%{opacity:0}", f"{100 * times[first] / times[-1]:.2f}%{{opacity:1}}"]
        if not ends:
            keys.append(f"{100 * times[last + 1] / times[-1]:.2f}%{{opacity:0}}")
        return (f"@keyframes {name}{{{''.join(keys)}}}"
                f".{name}{{opacity:{int(ends)};animation:{name} {times[-1]:g}s step-end infinite}}")


def read(path: Path) -> list[list[list[str]]]:
    """The text of each frame of a picture: for each terminal its lines."""
    terminals: list[list[tuple[int, int, float, str]]] = []
    for group in tree.fromstring(path.read_text()).iter(f"{NAMESPACE}g"):
        terminals.append([])
        for line in group.iter(f"{NAMESPACE}text"):
            first, last = map(int, line.get("class", "")[1:].split("-"))
            terminals[-1].append((first, last, float(line.get("y", "0")), "".join(line.itertext())))
    count = max(last for terminal in terminals for _, last, _, _ in terminal) + 1
    return [
        [[text for first, last, _, text in sorted(terminal, key=lambda line: line[2]) if first <= at <= last] for terminal in terminals]
        for at in range(count)]
