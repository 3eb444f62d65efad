"""Find listed terms in an item's texts, trying only those whose every word is there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from divisionbell.validate.words import first_word, pieces, words


class Terms:
    """A list of terms, in the case in which they are written or in any."""

    def __init__(self, terms: Iterable[str], flags: int = 0) -> None:
        self.flags = flags
        self._by_first: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for term in sorted(terms):
            self._by_first.setdefault(first_word(term), []).append((term, pieces(words(term))))
        self._first = frozenset(self._by_first)

    def pattern(self, bag: frozenset[str]) -> re.Pattern[str] | None:
        """A pattern of the terms that could stand in texts with these words, longest first; None where none could."""
        if self._first.isdisjoint(bag):
            return None
        candidates = tuple(
            term for first in self._first & bag for term, needed in self._by_first[first] if needed <= bag
        )
        return (
            _either(tuple(sorted(candidates, key=lambda term: (-len(term), term))), self.flags) if candidates else None
        )


@lru_cache(maxsize=1024)
def _either(longest_first: tuple[str, ...], flags: int) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)", flags)
