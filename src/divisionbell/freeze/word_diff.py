"""Where two texts differ, word by word."""

from __future__ import annotations

import re
from typing import Literal

from divisionbell.bank.edit_script import runs

# A word with the white space after it, so that a change of white space alone is a change of a word.
_WORD = re.compile(r"\A\s+|\S+\s*")
CONTEXT = 6  # words kept on each side of a change
REWRITTEN = 0.5  # below this share of common words the two texts are told one after the other

Mark = Literal["=", "-", "+"]
Part = tuple[Mark, str]


def word_diff(old: str, new: str) -> list[Part]:
    """The parts of two different texts: common (=), only in the old (-), only in the new (+).

    Long common parts are cut to their ends with … between. A text that was rewritten is told whole after the old one.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    found = runs(before, after)
    kept = sum(end - start for common, start, end, _, _ in found if common)
    if min(len(before), len(after)) >= 8 and 2 * kept < REWRITTEN * (len(before) + len(after)):
        return [("-", old), ("+", new)]
    merged: list[tuple[bool, list[str], list[str]]] = []
    for number, (common, a, a_end, b, b_end) in enumerate(found):
        # A single common word between two changes is taken into them: a patchwork cannot be read.
        inner = common and a_end - a == 1 and 0 < number < len(found) - 1
        if merged and not merged[-1][0] and (inner or not common):
            _, gone, come = merged.pop()
            merged.append((False, gone + before[a:a_end], come + after[b:b_end]))
        else:
            merged.append((common, before[a:a_end], after[b:b_end]))
    return _parts(merged)


def _parts(merged: list[tuple[bool, list[str], list[str]]]) -> list[Part]:
    parts: list[Part] = []
    for number, (common, gone, come) in enumerate(merged):
        if common:
            first, last = number == 0, number == len(merged) - 1
            parts.append(("=", _shortened(gone, 0 if first else CONTEXT, 0 if last else CONTEXT)))
            continue
        old, new = "".join(gone), "".join(come)
        if old.split() == new.split():  # white space alone: it must be seen
            old, new = old.replace(" ", "␣"), new.replace(" ", "␣")
        parts += [("-", old), ("+", new)]
    return [part for part in parts if part[1]]


def _shortened(words: list[str], head: int, tail: int) -> str:
    if len(words) <= head + tail + 3:
        return "".join(words)
    return "".join(words[:head]) + "… " + "".join(words[len(words) - tail :] if tail else [])
