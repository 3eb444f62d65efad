"""Where two values differ, with list elements matched by what names them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.bank.differences import ABSENT, Difference, differences, first_difference
from divisionbell.bank.matching import Order, matched


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


def of(frozen: list[Any], working: list[Any], slot: str = "items") -> list[Difference]:
    return list(differences({slot: frozen}, {slot: working}))


def items(*names: str) -> list[Any]:
    return [{"item_id": name, "stem": f"stem of {name}", "frame": "loss", "n": 1} for name in names]


def test_one_element_less_or_more_is_one_difference() -> None:
    (less,) = of(items("a", "b", "c", "d"), items("a", "c", "d"))
    assert (less.path, less.steps, less.working, less.element) == (("items", 1), ("items", "b"), ABSENT, True)
    (more,) = of(items("a", "c"), items("a", "b", "c"))
    assert (more.path, more.steps, more.frozen, more.element) == (("items", 1), ("items", "b"), ABSENT, True)
    (less,) = of(["x " * 50, "y " * 50, "z " * 50], ["x " * 50, "z " * 50], "weak_points")
    assert (less.path, less.steps, less.element) == (("weak_points", 1), ("weak_points", "1"), True)


def test_a_missing_key_is_no_element() -> None:
    (change,) = differences({"a": [{"b": 1, "c": 2}]}, {"a": [{"c": 2}]})
    assert (change.path, change.element) == (("a", 0, "b"), False)


@pytest.mark.parametrize("slot", ["items", "something_else"])
def test_an_exchange_is_one_difference_at_the_first_that_stands_elsewhere(slot: str) -> None:
    (change,) = of(items("a", "b", "c", "d"), items("a", "d", "c", "b"), slot)
    assert change.path == (slot, 1)
    names = ("b", "c", "d") if slot == "items" else ("1", "2", "3")
    assert (change.frozen, change.working) == (Order(names), Order(names[::-1]))


def test_the_place_of_an_exchange_counts_what_was_added_before_it() -> None:
    changes = of(items("a", "b"), items("x", "b", "a"))
    assert [change.path for change in changes] == [("items", 1), ("items", 0)]


def test_an_element_under_another_name_is_one_difference_of_its_name() -> None:
    (change,) = of(items("a", "b"), [*items("a"), {**items("b")[0], "item_id": "c"}])
    assert (change.path, change.frozen, change.working) == (("items", 1, "item_id"), "b", "c")
    (change,) = of(["a", "b"], ["a", "c"], "covers")
    assert (change.path, change.frozen, change.working) == (("covers", 1), "b", "c")


def test_an_element_that_shares_little_is_another_one() -> None:
    changes = of(items("a", "b"), [*items("a"), {"item_id": "c", "stem": "other", "frame": "gain", "n": 1}])
    assert [change.steps for change in changes] == [("items", "c"), ("items", "b")]


def test_a_doubled_element_is_one_difference() -> None:
    (change,) = of(items("a", "b"), items("a", "a", "b"))
    assert change.element


NAMES = st.lists(st.sampled_from("abcdef"), max_size=6)


@given(NAMES, NAMES)
def test_every_element_is_matched_once(old: list[str], new: list[str]) -> None:
    for slot in ("items", "other"):
        found = matched(items(*old), items(*new), slot)
        assert sorted(p.old for p in found.pairs if p.old is not None) == list(range(len(old)))
        assert sorted(p.new for p in found.pairs if p.new is not None) == list(range(len(new)))


@given(NAMES, NAMES)
def test_lists_of_names_differ_where_their_forms_do(old: list[str], new: list[str]) -> None:
    assert (of(items(*old), items(*new)) == []) == (old == new)
    assert (of(list(old), list(new), "covers") == []) == (old == new)
