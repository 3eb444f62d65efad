"""Mutants of a text by its lines, for files that are no YAML: the codebook, the frozen records, the statement."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

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
Change = tuple[str, str, int, int]
"""Kind, the whole mutated text, first and last changed line from 1."""


def line_mutants(name: str, text: str) -> Iterator[Change]:
    """Every line of a text with one character of each class changed, doubled or removed; lines deleted, doubled, moved."""
    lines = text.split("\n")
    count = len(lines) - 1 if lines[-1] == "" else len(lines)
    for number in range(count):
        yield from _of_line(name, lines, number)
    yield "line ends CR LF", "\r\n".join(lines), 1, len(lines)
    yield "last line end removed", text.removesuffix("\n"), count, count
    yield "a line end added", text + "\n", count + 1, count + 1


def _of_line(name: str, lines: list[str], number: int) -> Iterator[Change]:
    line, at = lines[number], number + 1
    draw = random.Random(f"{name} {number}")

    def with_line(*now: str) -> str:
        return "\n".join([*lines[:number], *now, *lines[number + 1 :]])

    for kind, characters in CLASSES.items():
        places = [n for n, character in enumerate(line) if character in characters]
        if places:
            n = draw.choice(places)
            yield f"{kind} changed", with_line(line[:n] + _other(line[n], draw) + line[n + 1 :]), at, at
            n = draw.choice(places)
            yield f"{kind} removed", with_line(line[:n] + line[n + 1 :]), at, at
            n = draw.choice(places)
            yield f"{kind} doubled", with_line(line[:n] + line[n] + line[n:]), at, at
    alike = [n for n, character in enumerate(line) if character in LOOK_ALIKES]
    if alike:
        n = draw.choice(alike)
        yield "a look-alike", with_line(line[:n] + LOOK_ALIKES[line[n]] + line[n + 1 :]), at, at
    strange = [n for n, character in enumerate(line) if not character.isascii()]
    if strange:
        n = draw.choice(strange)
        yield "character beyond ASCII changed", with_line(line[:n] + "?" + line[n + 1 :]), at, at
    yield "blank added at the end of a line", with_line(line + " "), at, at
    cut = min(at, len(lines) - 2) if lines[-1] == "" else min(at, len(lines) - 1)
    yield "line deleted", with_line(), cut, cut
    yield "line doubled", with_line(line, line), at, at + 1
    if number + 1 < len(lines) and lines[number + 1] not in {"", line}:
        moved = "\n".join([*lines[:number], lines[number + 1], line, *lines[number + 2 :]])
        yield "line moved behind the next", moved, at, at + 1
    if number + 1 < len(lines) and lines[number + 1] and line:
        joined = "\n".join([*lines[:number], line + lines[number + 1], *lines[number + 2 :]])
        yield "line feed removed", joined, at, at


def _other(character: str, draw: random.Random) -> str:
    if character in string.digits:
        return draw.choice([digit for digit in string.digits if digit != character])
    if character in string.ascii_letters:
        return draw.choice([letter for letter in LETTERS[:26] if letter != character])
    return draw.choice([sign for sign in "x0 ;" if sign != character])
