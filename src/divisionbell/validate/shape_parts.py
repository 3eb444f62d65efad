"""A document taken apart for the check of its shape: the engine keeps every error with all that it is about, so that of
one file with 200,000 faults there would be gigabytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
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


def otherwise_spelt(spelling: Mapping[Any, type], value: Any) -> list[Path_]:
    """Where a whole number is written with a point in a slot that writes it without one, or the other way: to the
    schema, and in every digest, 5.0 is 5, so that the change of one into the other would be seen by nothing.
    """
    found: list[Path_] = []
    if isinstance(value, dict | list):
        _otherwise_spelt(spelling, value, (), found)
    return found


def _otherwise_spelt(spelling: Mapping[Any, type], value: Any, path: Path_, found: list[Path_]) -> None:
    for step, held in value.items() if value.__class__ is dict else enumerate(value):
        kind = held.__class__
        if kind is dict or kind is list:
            _otherwise_spelt(spelling, held, (*path, step), found)
        elif (kind is int or (kind is float and held.is_integer())) and spelling.get(step, kind) is not kind:
            found.append((*path, step))


def rightly_spelt(spelling: Mapping[Any, type], value: dict[str, Any] | list[Any]) -> bool:
    """Whether there is no such place: the short way, for the many documents that have none."""
    spelt_as = spelling.get
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        for step, held in part.items() if part.__class__ is dict else enumerate(part):
            kind = held.__class__
            if kind is str:
                continue
            if kind is dict or kind is list:
                waiting.append(held)
            elif (kind is int or (kind is float and held.is_integer())) and spelt_as(step, kind) is not kind:
                return False
    return True
