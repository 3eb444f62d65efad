"""Words by the short way are the words by the pattern, and a bag of words passes nothing over."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.validate.terms import Terms
from divisionbell.validate.words import _WORD, first_word, pieces, runs, words

TEXTS = st.text(st.sampled_from("abAB1 .,-_'’\n\téßİ"), max_size=24) | st.text(max_size=24)


@settings(max_examples=600, deadline=None)
@given(TEXTS)
def test_words_are_those_of_the_pattern(text: str) -> None:
    assert words(text) == [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


@given(st.lists(st.sampled_from("ab"), max_size=9), st.integers(1, 4))
def test_runs(found: list[str], length: int) -> None:
    assert runs(" ".join(found), length) == {tuple(found[i : i + length]) for i in range(len(found) - length + 1)}


TERMS = st.lists(
    st.text(st.sampled_from("abAB '-."), min_size=1, max_size=6).filter(first_word), min_size=1, max_size=5
)


@settings(max_examples=1500, deadline=None)
@given(TERMS, st.text(st.sampled_from("abAB '-._é"), max_size=30), st.sampled_from([0, re.IGNORECASE]))
def test_terms_find_what_a_pattern_of_all_terms_finds(listed: list[str], text: str, flags: int) -> None:
    longest_first = sorted(set(listed), key=lambda term: (-len(term), term))
    whole = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)", flags)
    pattern = Terms(set(listed), flags).pattern(pieces(words(text)))
    found = [] if pattern is None else [hit.span() for hit in pattern.finditer(text)]
    assert found == [hit.span() for hit in whole.finditer(text)]


def test_apostrophes() -> None:
    assert words("The workers' hall, O'Brien’s") == ["the", "workers", "hall", "o'brien's"]
    assert pieces(["o'brien's"]) == {"o'brien's", "o", "brien", "s"}
    assert first_word("O'Brien") == "o"
    assert first_word("...") == ""
