"""How a value that does not fit the schema is to be written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from divisionbell.validate.shape import schema
from divisionbell.validate.shape_words import EXAMPLES, misspelt, near, of_pattern, of_range, of_type, perhaps


def patterns() -> list[str]:
    slots = [slot for of in schema()["$defs"].values() for slot in of.get("properties", {}).values()]
    told = [part["pattern"] for slot in slots for part in (slot, slot.get("items", {})) if "pattern" in part]
    return sorted(set(told))


@pytest.mark.parametrize("pattern", patterns())
def test_every_pattern_of_the_schema_is_shown_by_an_example_of_it(pattern: str) -> None:
    told = of_pattern(schema(), pattern)
    example = told.rpartition("for example ")[2]
    assert re.search(pattern, example), told
    assert pattern not in told


def test_every_example_is_of_a_pattern() -> None:
    for owner, slot in EXAMPLES:
        told = schema()["$defs"][owner]["properties"][slot]
        assert "pattern" in told or "pattern" in told["items"], (owner, slot)


def test_an_unknown_pattern_is_told_as_it_is() -> None:
    assert of_pattern(schema(), "^x$") == "write it to match ^x$"


@pytest.mark.parametrize(
    ("types", "value", "told"),
    [
        ("integer", "57", "write 57 without quotes"),
        ("integer", "many", "write a whole number there without quotes and without a point, for example 57"),
        ("boolean", "false", "write false without quotes"),
        ("boolean", 1, "write true or false there, without quotes"),
        ("string", 1.1, "quote it"),
        ("string", [], "write a text there"),
    ],
)
def test_a_type_is_told_by_example(types: str, value: Any, told: str) -> None:
    assert of_type(types, value) == told


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ({"minimum": -1, "maximum": 1}, "write a number from -1 to 1"),
        ({"minimum": 0}, "write 0 or more"),
        ({"maximum": 9}, "write 9 or less"),
        ({"minItems": 1}, "write at least 1 element"),
        ({"minItems": 1, "maxItems": 1}, "write 1 element"),
        ({"type": "string"}, None),
    ],
)
def test_a_range_is_named(node: dict[str, Any], told: str | None) -> None:
    assert of_range(node) == told


def test_a_misspelt_key_is_paired_with_the_slot_that_is_not_there() -> None:
    item = schema()["$defs"]["Item"]
    assert misspelt({"statusquo": 1, "stem": 2}, item) == {"statusquo": "status_quo"}
    assert misspelt({"steem": 1, "stem": 2}, item) == {}  # stem is there
    assert misspelt({"no_such_slot": 1}, item) == {}
    assert misspelt({f"stem{n}": 1 for n in range(1000)}, item) == {}


def test_only_a_near_name_is_asked_about() -> None:
    assert perhaps("drafting-sofware", ["drafting-software", "x"]) == "; did you mean drafting-software?"
    assert perhaps("somebody", ["drafting-software", "x"]) == ""
    assert near("a" * 1000, ["a" * 999]) is None
    assert near(5, ["5"]) is None
