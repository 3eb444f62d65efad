"""Mutants of a text by its lines, for files that are no YAML: the codebook, the frozen records, the statement."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

from of_values import LETTERS, LOOK_ALIKES

# Each class of characters that a line is made of is tried in each line.
CLASSES = {
    "letter": string.ascii_letters,
    "digit": string.digits,
    "quote": "\"'",
    "comma": ",",
    "colon": ":",
    "brace": "{}[]",
    "backslash": "\\",
    "blank": " ",
    "sign": "-.+#/_",
}


@dataclass(frozen=True)
class Change:
    """Lines start..end (from 0, end excluded) of a text that others take the place of; the changed lines from 1.

    The whole text is put together when it is asked for: a frozen file is large, and its changes are many.
    """

    kind: str
    lines: list[str]
    start: int
    end: int
    now: tuple[str, ...]
    first: int
    last: int
    line_end: str = "\n"

    def text(self) -> str:
        """The whole mutated text."""
        return self.line_end.join([*self.lines[: self.start], *self.now, *self.lines[self.end :]])


def line_mutants(name: str, text: str, lines_drawn: random.Random | None = None, most: int = 0) -> Iterator[Change]:
    """Every line with one character of each class changed, doubled or removed; lines deleted, doubled, moved.

    With `lines_drawn`, at most `most` lines that it draws instead of every line.
    """
    lines = text.split("\n")
    count = len(lines) - 1 if lines[-1] == "" else len(lines)
    numbers = range(count) if lines_drawn is None else lines_drawn.sample(range(count), min(most, count))
    for number in numbers:
        yield from _of_line(name, lines, number)
    yield Change("line ends CR LF", lines, 0, 0, (), 1, len(lines), line_end="\r\n")
    if lines[-1] == "":
        yield Change("last line end removed", lines, count, count + 1, (), count, count)
    yield Change("a line end added", lines, len(lines), len(lines), ("",), count + 1, count + 1)


def _of_line(name: str, lines: list[str], number: int) -> Iterator[Change]:
    line, at = lines[number], number + 1
    draw = random.Random(f"{name} {number}")

    def with_line(kind: str, *now: str, last: int = at, cut: int = at) -> Change:
        return Change(kind, lines, number, number + 1, now, cut, max(last, cut))

    for kind, characters in CLASSES.items():
        places = [n for n, character in enumerate(line) if character in characters]
        if places:
            n = draw.choice(places)
            yield with_line(f"{kind} changed", line[:n] + _other(line[n], draw) + line[n + 1 :])
            n = draw.choice(places)
            yield with_line(f"{kind} removed", line[:n] + line[n + 1 :])
            n = draw.choice(places)
            yield with_line(f"{kind} doubled", line[:n] + line[n] + line[n:])
    alike = [n for n, character in enumerate(line) if character in LOOK_ALIKES]
    if alike:
        n = draw.choice(alike)
        yield with_line("a look-alike", line[:n] + LOOK_ALIKES[line[n]] + line[n + 1 :])
    strange = [n for n, character in enumerate(line) if not character.isascii()]
    if strange:
        n = draw.choice(strange)
        yield with_line("character beyond ASCII changed", line[:n] + "?" + line[n + 1 :])
    yield with_line("blank added at the end of a line", line + " ")
    # Where no line stands at the cut, it is the last that there is.
    cut = min(at, len(lines) - 2) if lines[-1] == "" else min(at, len(lines) - 1)
    yield Change("line deleted", lines, number, number + 1, (), cut, cut)
    yield with_line("line doubled", line, line, last=at + 1)
    following = lines[number + 1] if number + 1 < len(lines) else ""
    if following not in {"", line}:
        yield Change("line moved behind the next", lines, number, number + 2, (following, line), at, at + 1)
    if following and line:
        yield Change("line feed removed", lines, number, number + 2, (line + following,), at, at)


def _other(character: str, draw: random.Random) -> str:
    if character in string.digits:
        return draw.choice([digit for digit in string.digits if digit != character])
    if character in string.ascii_letters:
        return draw.choice([letter for letter in LETTERS[:26] if letter != character])
    return draw.choice([sign for sign in "x0 ;" if sign != character])
