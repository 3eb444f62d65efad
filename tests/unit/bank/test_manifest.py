"""What a freeze covers, and where two values differ."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.bank.load import load
from divisionbell.bank.manifest import ABSENT, differences, first_difference, parse_record_file, record_file, records


def paths(frozen: Any, working: Any) -> list[tuple[Any, ...]]:
    return [change.path for change in differences(frozen, working)]


@pytest.mark.parametrize(
    ("frozen", "working", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 0.0}, {"a": -0.0}, []),
        ({"a": 1}, {"a": True}, [("a",)]),
        ({"a": False}, {"a": 0}, [("a",)]),
        ({"a": True}, {"a": True}, []),
        ({"a": 1}, {"a": "1"}, [("a",)]),
        ({"a": None}, {}, [("a",)]),
        ({}, {"a": None}, [("a",)]),
        ([1, 2], [1, 3], [(1,)]),
        ([1, 2], [1], [(1,)]),
        ([1], [1, 2], [(1,)]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [("a", 0, "b")]),
        ({"a": []}, {"a": {}}, [("a",)]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
    ],
)
def test_differences(frozen: Any, working: Any, expected: list[tuple[Any, ...]]) -> None:
    assert paths(frozen, working) == expected
    assert len(paths(working, frozen)) == len(expected)


def test_a_missing_side_is_absent() -> None:
    (change,) = differences({"a": 1}, {})
    assert (change.frozen, change.working, repr(ABSENT)) == (1, ABSENT, "nothing")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_no_difference_means_the_same_canonical_form(one: Any, other: Any) -> None:
    assert paths(one, one) == []
    same = orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == orjson.dumps(other, option=orjson.OPT_SORT_KEYS)
    assert (paths(one, other) == []) == same


def test_first_difference() -> None:
    assert [first_difference(*pair) for pair in (("abc", "abd"), ("ab", "abc"), ("abc", "ab"), ("", "x"))] == [
        2,
        2,
        2,
        0,
    ]


def test_records_of_the_shipped_bank(repository: Path) -> None:
    bank = load(repository / "tests" / "pilot" / "bank")
    made = records(bank)
    keys = [(record.kind, record.id) for record in made]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    kinds = {kind for kind, _ in keys}
    assert kinds == set(
        "agent bank codebook data_source dossier excluded parser plan prospective reminder schema template".split()  # noqa: SIM905
    )
    data = record_file(made)
    assert [(r.kind, r.id, r.value) for r in parse_record_file(data)] == [(r.kind, r.id, r.value) for r in made]
    assert record_file(parse_record_file(data)) == data
    codebook = next(record.value for record in made if record.kind == "codebook")
    file = repository / "tests" / "pilot" / "bank" / "CODEBOOK.md"
    assert hashlib.sha256(codebook.encode()).hexdigest() == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"{}",
        b'{"id":"a","kind":"b"}',
        b'{"kind":"b","id":"a","value":1}',
        b'{"id":"a","kind":"b","value":1.0}',
        b'{"id": "a","kind":"b","value":1}',
        b'{"id":"a","kind":"b","value":1,"x":2}',
        b'{"id":"a","kind":"b","value":9007199254740993}',
        b'{"id":"a","kind":"b","value":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
        b'{"id":"a","id":"a","kind":"b","value":1}',
        b"\xff",
    ],
)
def test_lines_that_are_no_record(line: bytes) -> None:
    good = b'{"id":"a","kind":"b","value":1}\n'
    assert len(parse_record_file(good)) == 1
    with pytest.raises(ValueError, match="line 2"):
        parse_record_file(good + line + b"\n")
