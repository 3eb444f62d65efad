"""Word diffs and the edit scripts below them: nothing lost, shortest, and in bounded time for any text."""

from __future__ import annotations

import itertools
import random
import time
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from divisionbell.bank.edit_script import MOST_EDITS, runs
from divisionbell.freeze import word_diff as module
from divisionbell.freeze.diff_values import value_changes
from divisionbell.freeze.word_diff import word_diff

FEW = st.lists(st.sampled_from("abc"), max_size=12)


def shortest(old: list[str], new: list[str]) -> int:
    """The number of edits of a shortest script, by the plain table of longest common subsequences."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            table[i + 1][j + 1] = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
    return len(old) + len(new) - 2 * table[-1][-1]


@given(FEW, FEW)
def test_runs_are_both_sequences_and_the_script_is_shortest(old: list[str], new: list[str]) -> None:
    found = runs(old, new)
    assert [one for _, a, b, _, _ in found for one in old[a:b]] == old
    assert [one for _, _, _, a, b in found for one in new[a:b]] == new
    assert all(old[a:b] == new[c:d] for common, a, b, c, d in found if common)
    assert all(one[0] != other[0] for one, other in itertools.pairwise(found))
    edits = sum(b - a + d - c for common, a, b, c, d in found if not common)
    assert edits == shortest(old, new)


@given(st.text(alphabet="ab \n\t", max_size=30), st.text(alphabet="ab \n\t", max_size=30))
def test_no_word_is_lost(old: str, new: str) -> None:
    assume(old != new)
    with patch.object(module, "CONTEXT", 100):  # so that no common part is cut
        parts = word_diff(old, new)
    blank = str.maketrans("", "", " \n\t␣")
    for mark, text in (("-", old), ("+", new)):
        assert "".join(part for kind, part in parts if kind in {"=", mark}).translate(blank) == text.translate(blank)
    assert any(kind != "=" for kind, _ in parts)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("a b c", "a x c", [("=", "a "), ("-", "b "), ("+", "x "), ("=", "c")]),
        ("a b c", "a c", [("=", "a "), ("-", "b "), ("=", "c")]),
        ("a b c d e", "a x c y e", [("=", "a "), ("-", "b c d "), ("+", "x c y "), ("=", "e")]),
        ("a b", "a  b", [("-", "a␣"), ("+", "a␣␣"), ("=", "b")]),
        ("", "a", [("+", "a")]),
        ("one two three four five six seven eight", "1 2 3 4 5 6 7 8", None),
    ],
)
def test_parts(old: str, new: str, parts: list[tuple[str, str]] | None) -> None:
    assert word_diff(old, new) == (parts or [("-", old), ("+", new)])


def test_long_common_parts_are_cut() -> None:
    words = [str(number) for number in range(100)]
    changed = [*words[:50], "x", *words[51:]]
    told = word_diff(" ".join(words), " ".join(changed))
    assert told[0] == ("=", "… 44 45 46 47 48 49 ")
    assert told[-1] == ("=", "51 52 53 54 55 56 … ")


def hostile(count: int) -> list[tuple[str, str]]:
    draw = random.Random(1)
    return [
        (" ".join(draw.choices("ab", k=count)), " ".join(draw.choices("ab", k=count))),
        ("a b " * (count // 2), "b a b " * (count // 3)),
        ("a " * count, "a " * (count // 2) + "b " * count),
        (" ".join(map(str, range(count))), " ".join(map(str, range(count, 0, -1)))),
    ]


@pytest.mark.parametrize("number", range(4))
def test_any_text_takes_bounded_time(number: int) -> None:
    old, new = hostile(100_000)[number]
    started = time.monotonic()
    assert word_diff(old, new)
    assert list(value_changes({"x": old.split()}, {"x": new.split()}))
    assert time.monotonic() - started < 30


def test_beyond_the_bound_it_is_one_run() -> None:
    old = ["start", *(f"o{n}" for n in range(MOST_EDITS)), "same", "end"]
    new = ["start", *(f"n{n}" for n in range(MOST_EDITS)), "same", "x", "end"]
    found = runs(old, new)
    assert [common for common, *_ in found] == [True, False, True]
