"""Whether a respondent answers by where an option stands and not by what it says."""

from __future__ import annotations

from collections.abc import Mapping

# A coin gives the same letter in both orders of half its items. From this share on, at most one item in five got an
# answer that followed the content.
SAME_LETTER = 0.8


def answers_by_position(flips: Mapping[str, float | None]) -> bool:
    """True where, on every axis that has items answered in both orders, at least `SAME_LETTER` of them got the same
    letter in both. `flips` gives the flip rate of the concrete scale by axis, None where it is undefined."""
    known = [flip for flip in flips.values() if flip is not None]
    return bool(known) and min(known) >= SAME_LETTER
