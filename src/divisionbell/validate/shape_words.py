"""How a value that does not fit the schema is to be written: by example, by range, and by the nearest name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from divisionbell.bank.read import Path_
from divisionbell.validate.shape_parts import at, resolved

# Longer names, and longer lists of them, are not compared: that takes long, and nobody meant one of the others.
_LONGEST, _MOST, _MOST_NAMES = 60, 8, 500
_NEAR = 0.75
_WITHOUT_BLANKS = "without blanks or line ends at its ends"

# How a slot of each pattern is written: what the compiled schema keeps of a type is its pattern, not its name.
EXAMPLES: dict[tuple[str, str], tuple[str, str]] = {
    ("Agent", "agent_id"): ("in small letters, digits and hyphens, ", "drafting-software"),
    ("Agent", "label"): ("on one line, without blanks at its ends, ", "Office of statistics"),
    ("Agent", "role"): (f"{_WITHOUT_BLANKS}, ", "reviews items"),
    ("Bank", "version"): ("", "1.0.0"),
    ("Bank", "base_iri"): ("", "https://example.org/page"),
    ("Bank", "response_seed"): ("as 64 digits from 0 to 9 and a to f, ", "0123456789abcdef" * 4),
    ("Item", "item_id"): ("as q and seven of a to z and 2 to 7, ", "q4k7m2xa"),
    ("Transformation", "made_on"): ("as a day, ", "2024-05-31"),
    ("DivisionSourceRecord", "held_at"): ("as a day and a time, ", "2024-05-31T14:05:00"),
    ("Evaluation", "registered_at"): ("as a day and a time in UTC, ", "2024-05-31T14:05:00Z"),
    ("Coding", "guessed_preference"): ("as A or B, ", "A"),
    ("DataSource", "doi"): ("", "10.1000/182"),
    ("DataSource", "fields"): ("in small letters, digits and _, ", "civlib_laworder"),
    ("DivisionSourceRecord", "official_title"): ("with a character that is no blank, ", "Public Order Bill"),
    ("Dossier", "dossier_id"): ("", "commons-1541"),
    ("MotionSemanticsReview", "semantics_evidence"): ("", "commons-1541#title"),
    ("PartySpaceReview", "party_space_evidence"): ("", "commons-1541#party_counts"),
    ("ParserSpecification", "parser_id"): ("in small letters, digits and _, ", "strict_json_v1"),
    ("ParserVector", "vector_reason"): ("in small letters and _, ", "not_json"),
    ("PlannedEstimate", "estimate_name"): ("in small letters, digits, _ and points, ", "position.social"),
    ("Waiver", "rule"): ("", "TXT001"),
    ("FreezeStatement", "_type"): ("", "https://in-toto.io/Statement/v1"),
    ("FreezeStatement", "predicateType"): ("", "https://w3id.org/divisionbell/freeze/v1"),
}
_TYPES = {
    "integer": "write a whole number there without quotes and without a point, for example 57",
    "number": "write a number there without quotes, for example 0.25",
    "boolean": "write true or false there, without quotes",
    "string": "write a text there",
    "array": "write a list there: each element behind a dash, for example - first",
    "object": "write slots there: each with its name and a colon, for example name: value",
}


def near(name: object, known: Iterable[str]) -> str | None:
    """The one of the known names that is most like another, where any is."""
    names = list(known)
    if not isinstance(name, str) or len(name) > _LONGEST or len(names) > _MOST_NAMES:
        return None
    from difflib import get_close_matches  # not at the start, since it is seldom needed

    return next(iter(get_close_matches(name, names, n=1, cutoff=_NEAR)), None)


def perhaps(name: object, known: Iterable[str]) -> str:
    """The question whether another name was meant, to stand at the end of a message; empty where none is near."""
    found = near(name, known)
    return f"; did you mean {found}?" if found else ""


def holder(schema: dict[str, Any], root: str, path: Path_) -> dict[str, Any]:
    """The class that the value at a path of a document is of; empty where the schema has none there."""
    node: tuple[str, ...] = ("$defs", root)
    for step in path:
        node = resolved(schema, node)
        told = at(schema, node)
        if isinstance(step, int) and "items" in told:
            node = (*node, "items")
        elif isinstance(step, str) and step in told.get("properties", {}):
            node = (*node, "properties", step)
        else:
            return {}
    return at(schema, resolved(schema, node))


def misspelt(held: Any, of_class: dict[str, Any]) -> dict[str, str]:
    """Each key of a mapping that its class has no slot for and that is near to one that is not there -> that one."""
    slots = of_class.get("properties", {})
    odd = tuple(key for key in held if key not in slots)
    return _paired(odd, tuple(slot for slot in slots if slot not in held)) if len(odd) <= _MOST else {}


@lru_cache(maxsize=1024)
def _paired(odd: tuple[str, ...], free: tuple[str, ...]) -> dict[str, str]:
    left, pairs = list(free), {}
    for key in odd:
        slot = near(key, left)
        if slot is not None:
            left.remove(slot)
            pairs[key] = slot
    return pairs


def of_type(types: str, value: Any) -> str:
    """How a value of a type is written, said for the value that stands there."""
    if types == "string" and isinstance(value, int | float):
        return "quote it"
    if types in {"integer", "number"} and isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return f"write {value.strip()} without quotes"
    if types == "boolean" and value in ("true", "false"):
        return f"write {value} without quotes"
    return " or ".join(_TYPES.get(one, f"write {one} there") for one in types.split(" or "))


def of_pattern(schema: dict[str, Any], pattern: str) -> str:
    """How a text of a pattern is written, by example."""
    for (owner, slot), (words, example) in EXAMPLES.items():
        told = schema["$defs"][owner]["properties"][slot]
        if pattern in (told.get("pattern"), told.get("items", {}).get("pattern")):
            return f"write it {words}for example {example}" if words else f"write for example {example}"
    return f"write it to match {pattern}"


def of_range(node: dict[str, Any]) -> str | None:
    """Between what a number must lie, or how many elements a list must have, where the schema says so."""
    low, high = node.get("minimum"), node.get("maximum")
    if low is not None and high is not None:
        return f"write a number from {low} to {high}"
    if low is not None or high is not None:
        return f"write {low} or more" if high is None else f"write {high} or less"
    least, most = node.get("minItems"), node.get("maxItems")
    if least is not None and most is not None:
        return f"write {least} element{'' if least == 1 else 's'}" if least == most else f"write {least} to {most}"
    if least is not None:
        return f"write at least {least} element{'' if least == 1 else 's'}"
    return None if most is None else f"write at most {most} element{'' if most == 1 else 's'}"
