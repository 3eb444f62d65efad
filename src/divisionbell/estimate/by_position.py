"""Whether a respondent answers by where an option stands and not by what it says."""

from __future__ import annotations

from collections.abc import Iterable

# A coin gives the same letter in both orders of half its items. From this share on, at most one item in five got an
# answer that followed the content.
SAME_LETTER = 0.8


def answers_by_position(flips: Iterable[tuple[float | None, int]]) -> bool:
    """True where at least `SAME_LETTER` of all items answered in both orders got the same letter in both.

    `flips` gives for each axis the flip rate of its concrete scale, None where it is undefined, and the number of items
    it is a share of. The axes are taken together: a habit of position knows no axis, and a rate over a few items of
    one axis falls below the line by chance.
    """
    known = [(flip, count) for flip, count in flips if flip is not None and count > 0]
    items = sum(count for _, count in known)
    return items > 0 and sum(flip * count for flip, count in known) / items >= SAME_LETTER
