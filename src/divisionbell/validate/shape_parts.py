"""A document taken apart for the check of its shape: the engine keeps every error with all that it is about, so that of
one file with 200,000 faults there would be gigabytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from divisionbell.bank.read import Path_

# So many elements of a list are looked at together with what is around them; each one after them by itself.
TOGETHER = 50

Part = tuple[tuple[str, ...], Any, Path_]
"""Where in the schema a part's node is, the part, and where in the document it stands."""


def parts(schema: dict[str, Any], root: str, value: Any) -> Iterator[Part]:
    """The document with its long lists cut, then every element that was cut off, in the same way."""
    waiting: deque[Part] = deque([(("$defs", root), value, ())])
    while waiting:
        node, part, path = waiting.popleft()
        yield node, _cut(schema, node, part, path, waiting), path


def _cut(schema: dict[str, Any], node: tuple[str, ...], value: Any, path: Path_, waiting: deque[Part]) -> Any:
    if not isinstance(value, dict | list):
        return value
    node = resolved(schema, node)
    told = at(schema, node)
    if isinstance(value, dict):
        known = told.get("properties", {})
        return {
            key: _cut(schema, (*node, "properties", key), held, (*path, key), waiting) if key in known else held
            for key, held in value.items()
        }
    if "items" not in told:
        return value
    of_element = (*node, "items")
    waiting.extend((of_element, value[number], (*path, number)) for number in range(TOGETHER, len(value)))
    return [_cut(schema, of_element, held, (*path, n), waiting) for n, held in enumerate(value[:TOGETHER])]


def resolved(schema: dict[str, Any], node: tuple[str, ...]) -> tuple[str, ...]:
    """Where a node is that may only name another one."""
    name = at(schema, node).get("$ref")
    return node if name is None else ("$defs", name.removeprefix("#/$defs/"))


def at(schema: dict[str, Any], node: tuple[str, ...]) -> dict[str, Any]:
    found: Any = schema
    for step in node:
        found = found[step]
    told: dict[str, Any] = found
    return told


def decimals(counting: frozenset[str], value: Any) -> list[Path_]:
    """Where a whole number is written with a point, in one of the slots that count or number things: to the schema 5.0
    is an integer, and to whoever counts with it it is none."""
    found: list[Path_] = []
    if isinstance(value, dict | list):
        _decimals(counting, value, (), found)
    return found


def _decimals(counting: frozenset[str], value: Any, path: Path_, found: list[Path_]) -> None:
    for step, held in value.items() if value.__class__ is dict else enumerate(value):
        kind = held.__class__
        if kind is dict or kind is list:
            _decimals(counting, held, (*path, step), found)
        elif kind is float and step in counting and held.is_integer():
            found.append((*path, step))
