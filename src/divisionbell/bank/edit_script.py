"""The shortest way from one sequence to another, in bounded time.

E. W. Myers, An O(ND) difference algorithm and its variations, Algorithmica 1 (1986) 251-266. The standard library's
matcher takes cubic time on texts made to that end, and the texts compared here are untrusted.
"""

from __future__ import annotations

from collections.abc import Sequence

# Beyond so many elements that are only on one side, two sequences are told one after the other.
MOST_EDITS = 600

Run = tuple[bool, int, int, int, int]


def runs(old: Sequence[object], new: Sequence[object]) -> list[Run]:
    """The runs that two sequences are made of: whether both have it, and its start and end in each.

    Common and other runs alternate. Where more than MOST_EDITS elements would have to go or come, what stands between
    the common start and the common end is one run that differs.
    """
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    pairs = _matches(inner_old, inner_new)
    found: list[Run] = []
    a = b = 0
    kept = [(n, n) for n in range(start)]
    kept += [(start + i, start + j) for i, j in pairs]
    kept += [(len(old) - end + n, len(new) - end + n) for n in range(end)]
    for i, j in [*kept, (len(old), len(new))]:
        if (a, b) != (i, j):
            found.append((False, a, i, b, j))
        if i == len(old) and j == len(new):
            break
        if found and found[-1][0]:
            found[-1] = (True, found[-1][1], i + 1, found[-1][3], j + 1)
        else:
            found.append((True, i, i + 1, j, j + 1))
        a, b = i + 1, j + 1
    return found


def _common(old: Sequence[object], new: Sequence[object]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _matches(old: Sequence[object], new: Sequence[object]) -> list[tuple[int, int]]:
    """The places in both that a shortest edit script keeps; none where it is longer than MOST_EDITS."""
    if not old or not new:
        return []
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _backwards(trace, x, y)
    return []


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where a path on a diagonal begins: one element of the new taken in, or one of the old left out."""
    down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
    return furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1


def _backwards(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        diagonal = x - y
        begin = _step(trace[edits], diagonal, edits)
        while x > begin:
            x, y = x - 1, y - 1
            kept.append((x, y))
        if edits:
            down = diagonal == -edits or (diagonal != edits and trace[edits][diagonal - 1] < trace[edits][diagonal + 1])
            x, y = (x, y - 1) if down else (x - 1, y)
    return kept[::-1]
