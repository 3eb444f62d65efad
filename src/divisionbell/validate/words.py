"""Words of a text as a reader meets them: for runs, lengths and names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# ASCII in lower case, with a blank for every character that is no letter or digit.
_PLAIN = bytes(ord(chr(code).lower()) if chr(code).isalnum() and code < 128 else 32 for code in range(256))


def words(text: str) -> list[str]:
    """The words of a text in lower case, hyphenated ones apart."""
    if text.isascii() and "'" not in text:  # the same words by the shortest way
        return text.encode().translate(_PLAIN).decode().split()
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of `length` words in a row."""
    return set(word_runs(words(text), length))


# Longer runs are not compared: all runs of a long text together would take more room than there is.
LONGEST_RUN = 40


def word_runs(found: list[str], length: int) -> Iterator[tuple[str, ...]]:
    """Every run of `length` of the words in a row. Raises ValueError for runs longer than LONGEST_RUN."""
    if length > LONGEST_RUN:
        raise ValueError(f"runs of {length} words are not compared")
    return zip(*(found[i:] for i in range(length)), strict=False)


def pieces(found: list[str]) -> frozenset[str]:
    """The words, those with an apostrophe in their parts as well."""
    whole = frozenset(found)
    halved = [word for word in whole if "'" in word]
    return whole.union(part for word in halved for part in word.split("'")) if halved else whole


def first_word(term: str) -> str:
    """The first piece of a term, which every text that holds the term has; empty where the term has no word."""
    return next(iter(words(term)), "").split("'")[0]


def surface(item: Mapping[str, Any]) -> str:
    """All that a respondent reads of an item itself; the breaks keep runs from crossing from one part to the next."""
    return " \n".join((item["stem"], item["options"]["text_a"], item["options"]["text_b"]))


def parts(item: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """The three texts of an item with the path of each."""
    return [
        (("stem",), item["stem"]),
        (("options", "text_a"), item["options"]["text_a"]),
        (("options", "text_b"), item["options"]["text_b"]),
    ]
