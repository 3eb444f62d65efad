"""Hold documents to the compiled schema (rule SCH002)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import orjson

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.model import model_file
from divisionbell.validate.bounds import MOST_OF_PART, bounded
from divisionbell.validate.shape_parts import otherwise_spelt, parts, rightly_spelt
from divisionbell.validate.shape_words import holder, misspelt, of_pattern, of_range, of_type, perhaps


@cache
def schema() -> dict[str, Any]:
    """The compiled JSON Schema of the bank's classes."""
    loaded: dict[str, Any] = orjson.loads(model_file("bank.schema.json"))
    return loaded


@cache
def validator(root: str) -> Any:
    """A compiled validator for one class of the schema."""
    return _validator(("$defs", root))


@cache
def _validator(node: tuple[str, ...]) -> Any:
    return jsonschema_rs.validator_for({"$ref": "#/" + "/".join(node), "$defs": schema()["$defs"]})


@cache
def _quick_validator(root: str) -> Any:
    """The same validator with patterns that need no looking ahead: here $ is the end of the text and nothing else, so
    the part that says so to other readers of the schema is left out."""
    known = orjson.loads(orjson.dumps(schema()["$defs"]).replace(rb"(?!\\n)$", b"$"))
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{root}", "$defs": known})


def get_ready() -> None:
    """Compile now what every bank is held to, so that it is not done later, or by each of two processes."""
    for root in ("Bank", "AnalysisPlan", "Dossier", "ExcludedDossier", "ProspectiveRegister", "DataSources"):
        _quick_validator(root)
    _spelling()


@cache
def _spelling() -> dict[str, type]:
    """How the whole numbers of a slot are written: as int without a point, as float with one. A name is one slot in
    every class. Coordinates are whole wherever they are no fraction; other decimals are measured, and so written out.
    """
    spelling: dict[str, type] = {}
    for name, node in schema()["$defs"].items():
        for slot, told in node.get("properties", {}).items():
            if told.get("type") in {"integer", "number"}:
                spelling[slot] = int if told["type"] == "integer" or name == "Coordinate" else float
    return spelling


def fits(root: str, document: Document) -> bool:
    """Whether a document could be read and fits its class."""
    if document.problems or not _quick_validator(root).is_valid(document.value):
        return False
    return rightly_spelt(_spelling(), document.value)


def class_slots(name: str) -> list[str]:
    """The slots of one class of the schema."""
    return list(schema()["$defs"][name]["properties"])


def shape_problems(root: str, document: Document) -> Iterator[Diagnostic]:
    """Every place where a document does not fit its class, one diagnostic a fault, up to a bound."""
    return bounded(_shape_problems(root, document), MOST_OF_PART)


def _shape_problems(root: str, document: Document) -> Iterator[Diagnostic]:
    found = False
    for node, part, base in parts(schema(), root, document.value):
        for error in _validator(node).iter_errors(part):
            found = True
            yield from _listed_once(root, error, base, document)
    if not found:  # what shows only in a list as a whole
        for error in validator(root).iter_errors(document.value):
            yield from _listed_once(root, error, (), document)
    for path in otherwise_spelt(_spelling(), document.value):
        where, value = ".".join(map(str, path)), _at(document.value, path)
        spelt = repr(_spelling()[str(path[-1])](value))
        written = f"{where}: {value!r} is another spelling of {spelt}"
        yield Diagnostic(document.at(*path), "SCH002", written, f"write {spelt}")


def _at(value: Any, path: Path_) -> Any:
    for step in path:
        value = value[step]
    return value


def _listed_once(root: str, error: Any, base: Path_, document: Document) -> Iterator[Diagnostic]:
    # What is no text where the values are listed breaks two keywords; the list is the one to tell.
    listed = "enum" in _node(list(error.schema_path)[:-1])
    if not (listed and type(error.kind).__name__.endswith("Type")):
        yield from _told(root, error, (*base, *error.instance_path), document)


def _told(root: str, error: Any, path: Path_, document: Document) -> Iterator[Diagnostic]:
    kind = type(error.kind).__name__
    where = ".".join(str(step) for step in path) or "the record"
    place = document.at(*path)

    def no(at: Any, message: str, fix: str, *related: Related) -> Diagnostic:
        return Diagnostic(at, "SCH002", message, fix, related)

    if kind.endswith("AdditionalProperties"):
        meant = misspelt(error.instance, holder(schema(), root, path))
        for name in error.kind.unexpected:
            slot = meant.get(name)
            yield no(
                document.at_key(*path, name),
                f"{where} has no slot {name}" + (f"; did you mean {slot}?" if slot else ""),
                f"write {slot}, or remove it"
                if slot
                else "correct the spelling or remove it; the slots are: " + ", ".join(_known(error)),
            )
    elif kind.endswith("Required"):
        if error.kind.property in misspelt(error.instance, holder(schema(), root, path)).values():
            return  # it is told at the misspelt key
        asking = _asking(error)
        if not all(isinstance(error.instance[slot], str) for slot in asking):
            return  # a condition on what is empty: that is told itself, and decides whether this is asked for
        asked = [Related(document.at(*path, slot), f"{slot} asks for it") for slot in asking]
        yield no(place, f"{where} lacks {error.kind.property}", f"add {error.kind.property}", *asked)
    elif kind.endswith("UniqueItems"):
        for number, value in enumerate(error.instance):
            first = error.instance.index(value)
            if first != number:
                again = Related(document.at(*path, first), "it stands here first")
                yield no(document.at(*path, number), f"{where}: {_short(value)} stands twice", "remove one", again)
    elif kind.endswith("Enum") and error.instance is None:
        yield no(place, f"{where} is empty", f"write one of: {', '.join(map(str, error.kind.options))}")
    elif error.instance is None or (kind.endswith("Pattern") and error.instance == ""):
        needed = path and path[-1] in holder(schema(), root, path[:-1]).get("required", ())
        write = (
            "write what else is missing, then: divisionbell hash"
            if path[-1:] == ("transformation_sha256",)
            else "write it"
        )
        yield no(place, f"{where} is empty", write if needed else f"{write}, or take the line out")
    elif kind.endswith("Pattern"):
        value = _short(error.instance)
        fix = of_pattern(schema(), error.kind.pattern)
        yield no(place, f"{where}: {value} is not written as it must be", fix, *_broken(document, path, error.instance))
    elif kind.endswith("Enum"):
        options = ", ".join(str(option) for option in error.kind.options)
        meant_value = perhaps(error.instance, map(str, error.kind.options))
        told = f"{where}: {_short(error.instance)} is not one of the values{meant_value}"
        yield no(place, told, f"use one of: {options}")
    elif kind.endswith("Type"):
        types = " or ".join(error.kind.types)
        found = f'the text "{_short(error.instance)}"' if isinstance(error.instance, str) else _short(error.instance)
        yield no(place, f"{where}: {found} is not of type {types}", of_type(types, error.instance))
    else:
        fix = of_range(_node(list(error.schema_path)[:-1])) or "correct the value; the schema says what it admits"
        yield no(place, f"{where}: {_short_text(error.message)}", fix)


def _broken(document: Document, path: Path_, text: str) -> Iterator[Related]:
    """Where the second line of a text begins: of one that is folded, that is a line that is indented further."""
    first, _, rest = text.partition("\n")
    if rest.strip():
        begins = len(first) + 1 + len(rest) - len(rest.lstrip())
        yield Related(document.at_character(path, text, begins), "a new line of the text begins here")


def _node(path: list[Any]) -> Any:
    """The part of the schema that a path leads to."""
    node: Any = schema()
    for step in path:
        node = node[step]
    return node


def _asking(error: Any) -> list[str]:
    """The slots whose value makes another slot required, where one does."""
    path = list(error.schema_path)
    return list(_node(path[:-2])["if"]["required"]) if path[-2] == "then" else []


def _known(error: Any) -> list[str]:
    return sorted(_node(list(error.schema_path)[:-1])["properties"])


def _short(value: Any) -> str:
    return _short_text(value if isinstance(value, str) else repr(value))


def _short_text(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
