"""Words of a text as a reader meets them: for runs, lengths and names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words(text: str) -> list[str]:
    """The words of a text in lower case, hyphenated ones apart."""
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Every run of `length` words in a row."""
    found = words(text)
    return {tuple(found[i : i + length]) for i in range(len(found) - length + 1)}


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
