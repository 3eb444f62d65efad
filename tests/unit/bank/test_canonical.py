"""The bytes that digests are taken over."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from divisionbell.bank.canonical import COVERED, UNCOVERED, digest, extract_sha256, jcs, transformation_sha256
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
