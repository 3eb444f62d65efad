"""Where two texts differ, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal

# A word with the white space after it, so that a change of white space alone is a change of a word.
_WORD = re.compile(r"\A\s+|\S+\s*")
CONTEXT = 6  # words kept on each side of a change
MAX_ALIGNED = 3_000  # words; between longer texts only what stands before and after the change is cut off
REWRITTEN = 0.5  # below this share of common words the two texts are told one after the other

Part = tuple[Literal["=", "-", "+"], str]


def word_diff(old: str, new: str) -> list[Part]:
    """The parts of two different texts: common (=), only in the old (-), only in the new (+).

    Long common parts are cut to their ends with … between. Joined, the - parts are not empty unless words were only
    added, and the other way round.
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    middle = before[start : len(before) - end], after[start : len(after) - end]
    runs: list[tuple[str, list[str], list[str]]] = [("=", before[:start], before[:start])]
    if max(map(len, middle)) > MAX_ALIGNED:
        runs.append(("~", *middle))
    else:
        for tag, a, a_end, b, b_end in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
            runs.append(("=" if tag == "equal" else "~", middle[0][a:a_end], middle[1][b:b_end]))
    tail = before[len(before) - end :]
    runs.append(("=", tail, tail))
    return _parts(_merged(runs))


def rewritten(old: str, new: str) -> bool:
    """Whether two texts have so little in common that a word diff of them could not be read."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if min(len(before), len(after)) < 8 or max(len(before), len(after)) > MAX_ALIGNED:
        return False
    return SequenceMatcher(None, before, after, autojunk=False).ratio() < REWRITTEN


def _common(before: list[str], after: list[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _merged(runs: list[tuple[str, list[str], list[str]]]) -> list[tuple[str, list[str], list[str]]]:
    """Runs with a single common word between two changes taken into them: a patchwork cannot be read."""
    merged: list[tuple[str, list[str], list[str]]] = []
    for number, (tag, old, new) in enumerate(runs):
        if not old and not new:
            continue
        inner = tag == "=" and len(old) == 1 and 0 < number < len(runs) - 1
        if merged and merged[-1][0] == "~" and (tag == "~" or (inner and runs[number + 1][0] == "~")):
            _, before, after = merged.pop()
            merged.append(("~", before + old, after + new))
        else:
            merged.append((tag, old, new))
    return merged


def _parts(runs: list[tuple[str, list[str], list[str]]]) -> list[Part]:
    parts: list[Part] = []
    for number, (tag, old, new) in enumerate(runs):
        if tag == "=":
            first, last = number == 0, number == len(runs) - 1
            parts.append(("=", _shortened(old, 0 if first else CONTEXT, 0 if last else CONTEXT)))
            continue
        before, after = "".join(old), "".join(new)
        if before.split() == after.split():  # white space alone: it must be seen
            before, after = before.replace(" ", "␣"), after.replace(" ", "␣")
        parts += [("-", before), ("+", after)]
    return [part for part in parts if part[1]]


def _shortened(words: list[str], head: int, tail: int) -> str:
    if len(words) <= head + tail + 3:
        return "".join(words)
    return "".join(words[:head]) + "… " + "".join(words[len(words) - tail :] if tail else [])
