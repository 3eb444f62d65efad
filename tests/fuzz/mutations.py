"""Ways to spoil a bank file: by bytes, by tokens and by structure. Every choice comes from a `random.Random`, which
hypothesis, a fuzzer or a seed can stand behind."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from divisionbell.validate.shape import schema

Path_ = tuple[str | int, ...]

TOKENS = (
    *":-?,[]{}#&*!|>'\"%@`~=<",
    ": ",
    "- ",
    "? ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    " ",
    "  ",
    "\n  ",
    "\n- ",
    "\n---\n",
    "\n...\n",
    "---",
    "...",
    "<<: ",
    "<<: {a: b}",
    "&a ",
    "*a",
    '"b":&a ',
    "!",
    "!!str ",
    "!<x> ",
    "%YAML 1.1\n---\n",
    "%TAG ! x:\n",
    "|\n",
    "|+\n",
    ">-\n",
    ">2\n",
    "#",
    " # ",
    "null",
    "~",
    "true",
    "False",
    "no",
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1.50",
    "007",
    "+1",
    "0x1F",
    "0o7",
    "1e3",
    "1e999",
    ".5",
    "5.",
    ".inf",
    ".nan",
    "9007199254740993",
    "12345678901234567890",
    '"',
    '"\\u0065\\u0301"',
    '"\\ud800"',
    '"\\0"',
    '"\\N\\L\\P"',
    '"\\x1b[2J"',
    "\\",
    "e\u0301",
    "é",
    "\u0430",
    "\u202e",
    "\x85",
    "\u2028",
    "\ufeff",
    "\u200b",
    "\U0001f600",
    "\0",
    "\x0b",
    "\x0c",
    "\x1b",
)

ODD_TEXTS = (
    "",
    " ",
    "x",
    " x ",
    "x\n",
    "\nx",
    "x\ry",
    "a\x00b",
    "\x1b]0;x\x07",
    "\u2028",
    "x\x85",
    "\u202exyz",
    "\U0001f600",
    "é",
    "\u0430",
    "!",
    "'",
    "don't",
    "a'b'c",
    "The Act of 1999 cost £5 in Paris",
    "waste " * 30,
    "word " * 200 + "end",
    "Velmarrow",
    "q" * 3000,
    "q2345abc",
    "commons-1",
    "0" * 64,
    "economic",
    "social",
    "approved",
    "2026-02-30",
    "1.0.0",
    "1." + "1" * 300 + ".0",
    "../../../../etc/passwd",
    "a/b",
    "-",
    "https://votes.parliament.uk/votes/commons/division/1",
    "language_model",
    "reversed",
)
ODD_NUMBERS = (0, 1, -1, 2, 3, 0.5, 1.0, 5.0, -0.5, 1e-9, 50, 200, 999, 10**6, 2**53 - 1, -(2**53 - 1), 1e15, 0.1234567)


def odd_value(draw: Random) -> Any:
    """A value that may be of any kind."""
    kind = draw.randrange(8)
    if kind < 3:
        return draw.choice(ODD_TEXTS)
    if kind < 5:
        return draw.choice(ODD_NUMBERS)
    held = (None, True, False, [], {}, [[]], [{}], [None], {"a": {"b": []}}, _deep(40), ["x"] * 500)
    return copy.deepcopy(draw.choice(held))


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def paths(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The path of every value within a value."""
    yield path
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in held:
        yield from paths(inner, (*path, step))


def at(value: Any, path: Path_) -> Any:
    for step in path:
        value = value[step]
    return value


def put(value: Any, path: Path_, new: Any) -> Any:
    """The value with another one at a path."""
    if not path:
        return new
    at(value, path[:-1])[path[-1]] = new
    return value


def spoiled_value(draw: Random, value: Any) -> Any:
    """The value of a document with one or a few parts changed; most changes keep to what the schema admits."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        value = draw.choice(_CHANGES)(draw, value)
    return value


def _any(draw: Random, value: Any) -> Path_:
    return draw.choice(list(paths(value)))


def _replaced(draw: Random, value: Any) -> Any:
    return put(value, _any(draw, value), odd_value(draw))


def _removed(draw: Random, value: Any) -> Any:
    path = _any(draw, value)
    if path:
        del at(value, path[:-1])[path[-1]]
    return value


def _doubled(draw: Random, value: Any) -> Any:
    found = [path for path in paths(value) if path and isinstance(path[-1], int)]
    if found:
        path = draw.choice(found)
        holder = at(value, path[:-1])
        holder.insert(draw.randrange(len(holder) + 1), copy.deepcopy(holder[path[-1]]))
    return value


def _emptied(draw: Random, value: Any) -> Any:
    found = [path for path in paths(value) if isinstance(at(value, path), list | dict)]
    return put(value, draw.choice(found), draw.choice(([], {}))) if found else value


def _exchanged(draw: Random, value: Any) -> Any:
    """A value copied to another place, mostly to one of the same name."""
    here = _any(draw, value)
    others = [path for path in paths(value) if path[-1:] == here[-1:] and path != here] or list(paths(value))
    return put(value, draw.choice(others), copy.deepcopy(at(value, here)))


def _added(draw: Random, value: Any) -> Any:
    found = [path for path in paths(value) if isinstance(at(value, path), dict)]
    if found:
        at(value, draw.choice(found))[draw.choice(("x", "", "note", "mirror_of", "k" * 2000))] = odd_value(draw)
    return value


def _fitting(draw: Random, value: Any) -> Any:
    """A value replaced by another one that the schema admits for a slot of this name."""
    found = [path for path in paths(value) if path and isinstance(path[-1], str) and path[-1] in _slots()]
    if not found:
        return value
    path = draw.choice(found)
    return put(value, path, fitting(draw, draw.choice(_slots()[str(path[-1])])))


def _without_optional(draw: Random, value: Any) -> Any:
    """Every slot that the schema does not ask for taken out, at one place or everywhere."""
    if draw.randrange(2):
        return _bare(value)
    found = [p for p in paths(value) if p and isinstance(p[-1], str) and p[-1] in _optional()]
    if found:
        path = draw.choice(found)
        del at(value, path[:-1])[path[-1]]
    return value


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(held) for key, held in value.items() if key not in _optional()}
    return [_bare(held) for held in value] if isinstance(value, list) else value


def _with_optional(draw: Random, value: Any) -> Any:
    """A slot added that the schema admits there."""
    found = [path for path in paths(value) if isinstance(at(value, path), dict)]
    holder = at(value, draw.choice(found)) if found else {}
    classes = [c for c in schema()["$defs"].values() if c.get("required") and set(c["required"]) <= set(holder)]
    if classes:
        known = draw.choice(classes)["properties"]
        slot = draw.choice(sorted(known))
        holder[slot] = fitting(draw, known[slot])
    return value


_CHANGES = (
    _replaced,
    _replaced,
    _removed,
    _doubled,
    _emptied,
    _exchanged,
    _exchanged,
    _added,
    _fitting,
    _fitting,
    _fitting,
    _fitting,
    _without_optional,
    _without_optional,
    _with_optional,
)

_found: dict[str, Any] = {}


def _slots() -> dict[str, list[Any]]:
    """Each slot's name -> what the schema says of it, in every class that has it."""
    if "slots" not in _found:
        slots: dict[str, list[Any]] = {}
        for node in schema()["$defs"].values():
            for name, told in node.get("properties", {}).items():
                slots.setdefault(name, []).append(told)
        _found["slots"] = slots
    found: dict[str, list[Any]] = _found["slots"]
    return found


def _optional() -> set[str]:
    if "optional" not in _found:
        nodes = list(schema()["$defs"].values())
        required = {name for node in nodes for name in node.get("required", [])}
        _found["optional"] = {name for node in nodes for name in node.get("properties", {})} - required
    found: set[str] = _found["optional"]
    return found


def fitting(draw: Random, node: Any) -> Any:
    """A value that a node of the schema admits, rather at the edges of what it admits."""
    if "$ref" in node:
        return fitting(draw, schema()["$defs"][node["$ref"].rsplit("/", 1)[-1]])
    if "enum" in node:
        return draw.choice(node["enum"])
    kind = node.get("type")
    if kind == "object":
        required = set(node.get("required", []))
        then = node.get("then", {}).get("required", [])
        wanted = [n for n in node.get("properties", {}) if n in required or n in then or draw.randrange(2)]
        return {name: fitting(draw, node["properties"][name]) for name in wanted}
    if kind == "array":
        least = node.get("minItems", 0)
        return [fitting(draw, node["items"]) for _ in range(draw.choice((least, least, least + 1, least + 2)))]
    if kind in {"number", "integer"}:
        least, most = node.get("minimum"), node.get("maximum")
        numbers = [n for n in (*ODD_NUMBERS, least, most) if n is not None and (kind == "number" or n == int(n))]
        return draw.choice([n for n in numbers if (least is None or n >= least) and (most is None or n <= most)])
    if kind == "boolean":
        return draw.choice((True, False))
    if kind == "string":
        wanted = re.compile(node.get("pattern", "").replace(r"\ufeff", "\ufeff"))
        return draw.choice([text for text in (*ODD_TEXTS, *_SHAPED) if wanted.search(text)] or ["x"])
    return odd_value(draw)


# Texts in the forms that patterns ask for.
_SHAPED = (
    "q2345abd",
    "codebook-1.1",
    "commons-1#title",
    "commons-1#party_counts",
    "ches-2024#lrecon",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00Z",
    "A",
    "TXT001",
    "TXT006",
    "REF001",
    "lrecon",
    "10.1000/x",
    "0.1.0",
    "f" * 64,
    "x-y",
    "strict_json_v1",
)


def written(value: Any) -> str:
    """A value as YAML in the form of JSON, each part on a line of its own, and what YAML does not admit as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return re.sub("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]", _escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\U{ord(found.group()):08X}"


def spoiled_text(draw: Random, text: str) -> str:
    """A text with tokens put in, lines moved, or parts taken out."""
    for _ in range(draw.choice((1, 1, 2, 4, 8))):
        lines = text.split("\n")
        number = draw.randrange(len(lines))
        place = draw.randrange(len(text) + 1)
        change = draw.randrange(8)
        if change < 3:
            text = text[:place] + draw.choice(TOKENS) + text[place:]
        elif change == 3:
            text = text[:place] + text[place + draw.choice((1, 2, 5, 40, 400)) :]
        elif change == 4:
            lines[number] = draw.choice(("", " ", "  ", "\t", "- ")) + lines[number].lstrip(draw.choice((" ", "- ")))
            text = "\n".join(lines)
        elif change == 5:
            lines.insert(draw.randrange(len(lines) + 1), lines[number])
            text = "\n".join(lines)
        elif change == 6:
            head, _, _ = lines[number].partition(":")
            lines[number] = f"{head}: {draw.choice(TOKENS)}"
            text = "\n".join(lines)
        else:
            del lines[number : number + draw.choice((1, 2, 10))]
            text = "\n".join(lines)
    return text


def spoiled_bytes(draw: Random, data: bytes) -> bytes:
    """Bytes with some replaced, put in, taken out or doubled."""
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        place = draw.randrange(len(data) + 1)
        change = draw.randrange(5)
        if change == 0:
            data = data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
        elif change == 1:
            data = data[:place] + bytes([draw.randrange(256)]) + data[place:]
        elif change == 2:
            data = data[:place] + data[place + draw.choice((1, 3, 50)) :]
        elif change == 3:
            data = data[:place] + data[place : place + 60] * draw.choice((2, 3)) + data[place:]
        else:
            data = data[:place]
    return data


def spoiled_file(draw: Random, data: bytes, value: Any) -> bytes:
    """A file, given by its bytes and, where it is of YAML, its value, spoiled in one of the three ways."""
    way = draw.choice(("structure", "structure", "structure", "tokens", "bytes"))
    if way == "structure" and value is not None:
        return written(spoiled_value(draw, value)).encode("utf-8")
    if way == "tokens":
        return spoiled_text(draw, data.decode("utf-8")).encode("utf-8")
    return spoiled_bytes(draw, data)
