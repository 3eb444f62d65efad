"""The bytes that digests are taken over."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.bank.canonical import (
    COVERED,
    UNCOVERED,
    digest,
    extract_sha256,
    jcs,
    transformation_digests,
    transformation_sha256,
)
from divisionbell.bank.load import load


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5.0, "5"),
        (-0.0, "0"),
        (1e-7, "1e-7"),
        (1e21, "1e+21"),
        (0.1, "0.1"),
        (333333333.33333329, "333333333.3333333"),
        ('€$\u000f\nA\'B"\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\"/"'),
        ([None, True, False], "[null,true,false]"),
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        ({"\U0001f600": 1, "\ufb33": 2, "\u20ac": 3, "\r": 4, "1": 5}, None),
    ],
)
def test_rfc_8785(value: Any, written: str | None) -> None:
    if written is None:  # keys are sorted by UTF-16 code units: an astral key comes before U+FB33
        assert list(json.loads(jcs(value))) == ["\r", "1", "\u20ac", "\U0001f600", "\ufb33"]
    else:
        assert jcs(value).decode() == written


def test_what_has_no_canonical_form() -> None:
    for value in (float("nan"), float("inf"), 2**53 + 1, "\ud800"):
        with pytest.raises(ValueError):
            jcs(value)


def test_digest_is_sha256_of_the_form() -> None:
    assert digest({"b": 5.0, "a": "é"}) == hashlib.sha256('{"a":"é","b":5}'.encode()).hexdigest()


def by_hand(dossier: dict[str, Any], item: dict[str, Any]) -> str:
    """The transformation digest as the instrument's rule 11 says it, with the standard library and one JCS library."""
    first = item["scoring_key"]["key_a"][dossier["axis"]]
    covered = {name: dossier[name] for name in ("source", "issue_family", "contrast")}
    covered |= {name: item[name] for name in ("item_id", "kind", "stem", "options", "scoring_key")}
    covered["mirror_of"] = item.get("mirror_of")
    covered["option_order"] = ["negative", "positive"] if first < 0 else ["positive", "negative"]
    return hashlib.sha256(b"divisionbell/transformation/v1\n" + rfc8785.dumps(covered)).hexdigest()


def test_transformation_digests_by_hand(repository: Path) -> None:
    bank = load(repository / "tests" / "pilot" / "bank")
    pairs = [(document.value, item) for document in bank.dossiers for item in document.value["items"]]
    assert len(pairs) == 4 * len(bank.dossiers) > 0
    for dossier, item in pairs:
        assert item["transformation_sha256"] == by_hand(dossier, item) == transformation_sha256(dossier, item)


def test_covered_and_uncovered_are_apart() -> None:
    for owner, covered in COVERED.items():
        assert not set(covered) & set(UNCOVERED[owner])
        assert all(UNCOVERED[owner].values())


def test_extract_leaves_out_members_and_keeps_absent_slots() -> None:
    rows = [{"party": "X", "aye_voters": 1, "members": 7}]
    expected = {"ayes": 1, "number": None, "party_counts": [{"party": "X", "aye_voters": 1}]}
    assert extract_sha256({"ayes": 1, "party_counts": rows}, ["party_counts", "number", "ayes"]) == digest(expected)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1, 1).map(lambda x: round(x, 4)),
    st.sampled_from([0.0, -0.0, 1.0, 0.001, 0.0009999, 1e-6, 1e15, 1e16, 9007199254740993.0, 1e21, 123456789012345.6]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=1500, deadline=None)
@given(VALUES)
def test_the_short_way_gives_the_bytes_of_the_reference(value: Any) -> None:
    assert jcs(value) == rfc8785.dumps(value)


@given(VALUES)
def test_the_value_is_left_as_it_is(value: Any) -> None:
    before = repr(value)
    jcs(value)
    assert repr(value) == before


def test_digests_of_a_dossier_are_those_of_its_items(repository: Path) -> None:
    for document in load(repository / "tests" / "pilot" / "bank").dossiers:
        dossier = document.value
        assert transformation_digests(dossier) == [transformation_sha256(dossier, item) for item in dossier["items"]]


@given(VALUES, VALUES, TEXTS)
def test_digests_of_any_values(source: Any, contrast: Any, text: str) -> None:
    keys = [{"economic": 1.0, "social": -0.0}, {"economic": -1, "social": 0}]
    item = {"item_id": text, "kind": "x", "stem": text, "options": {"text_a": text, "text_b": "é"}}
    item["scoring_key"] = {"key_a": keys[0], "key_b": keys[1]}
    dossier = {"axis": "economic", "issue_family": text, "source": source, "contrast": contrast, "items": [item]}
    assert transformation_digests(dossier) == [by_hand(dossier, item)]
