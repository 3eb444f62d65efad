"""Every name in the schema's files leads somewhere: slots, classes, enums, values, types, prefixes, LinkML's own keys.

LinkML passes over a slot that is misspelt within a rule: the rule then never applies, or refuses everything. The
compile step looks at every place that names something and refuses, with file and line, before anything is written.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from linkml_runtime.linkml_model import meta

# Keys whose value is one name, or a list of names, and the kinds of thing that it may be the name of.
OF_CLASSES = ("class",)
OF_SLOTS = ("slot",)
OF_RANGES = ("class", "enum", "type")
SUBSET = {"in_subset": ("subset",)}
NAMING: dict[str, dict[str, tuple[str, ...]]] = {
    "class": {
        "is_a": OF_CLASSES, "mixins": OF_CLASSES, "apply_to": OF_CLASSES, "disjoint_with": OF_CLASSES,
        "union_of": OF_CLASSES, "slots": OF_SLOTS, "defining_slots": OF_SLOTS, **SUBSET,
    },
    "slot": {
        "is_a": OF_SLOTS, "mixins": OF_SLOTS, "apply_to": OF_SLOTS, "inverse": OF_SLOTS, "subproperty_of": OF_SLOTS,
        "disjoint_with": OF_SLOTS, "union_of": OF_SLOTS, "transitive_form_of": OF_SLOTS, "slot_group": OF_SLOTS,
        "reflexive_transitive_form_of": OF_SLOTS, "domain": OF_CLASSES, "domain_of": OF_CLASSES, "owner": OF_CLASSES,
        "range": OF_RANGES, **SUBSET,
    },
    "type": {"typeof": ("type",), "union_of": ("type",), **SUBSET},
    "enum": {
        "inherits": ("enum",), "is_a": ("enum",), "mixins": ("enum",), "apply_to": ("enum",), **SUBSET,
    },
    "schema": SUBSET, "subset": SUBSET, "rule": SUBSET, "unique key": SUBSET, "permissible value": SUBSET,
}  # fmt: skip
SECTIONS = {"classes": "class", "slots": "slot", "enums": "enum", "types": "type", "subsets": "subset"}
EXPRESSIONS = ("any_of", "all_of", "none_of", "exactly_one_of")
URIS = ("class_uri", "slot_uri", "uri", "enum_uri", "meaning")
MAPPINGS = re.compile(r"(exact|close|broad|narrow|related)_mappings|mappings")
# LinkML's own description of each kind of thing: what it has no field for is a misspelt key.
METAMODEL = {
    "schema": meta.SchemaDefinition,
    "class": meta.ClassDefinition,
    "slot": meta.SlotDefinition,
    "enum": meta.EnumDefinition,
    "type": meta.TypeDefinition,
    "subset": meta.SubsetDefinition,
    "rule": meta.ClassRule,
    "class expression": meta.AnonymousClassExpression,
    "slot expression": meta.AnonymousSlotExpression,
    "unique key": meta.UniqueKey,
    "permissible value": meta.PermissibleValue,
}


@dataclass
class Names:
    """Everything that a file can name: kind to names, enum to its values, and the enum that a slot ranges over."""

    of: dict[str, set[str]] = field(default_factory=lambda: {kind: set() for kind in SECTIONS.values()})
    values: dict[str, set[str]] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    slots_of: dict[str, set[str]] = field(default_factory=dict)

    def add(self, source: dict[str, Any]) -> None:
        for section, kind in SECTIONS.items():
            self.of[kind].update(source.get(section) or {})
        for name, enum in (source.get("enums") or {}).items():
            self.values[name] = set((enum or {}).get("permissible_values") or {})
        for name, slot in (source.get("slots") or {}).items():
            self.ranges[name] = str((slot or {}).get("range", source.get("default_range", "string")))
        for name, owner in (source.get("classes") or {}).items():
            own = (owner or {}).get("attributes") or {}
            self.of["slot"].update(own)
            self.slots_of[name] = {*((owner or {}).get("slots") or []), *own}


@dataclass(frozen=True)
class Where:
    """A part of a file: its node, and what it is called in a message."""

    file: Path
    node: yaml.Node
    called: str

    def items(self) -> Iterator[tuple[str, yaml.Node, Where]]:
        """Key, the key's node, and the value; nothing where the part is no mapping."""
        for key, value in self.node.value if isinstance(self.node, yaml.MappingNode) else ():
            yield str(key.value), key, Where(self.file, value, self.called)

    def get(self, name: str) -> Where | None:
        return next((value for key, _, value in self.items() if key == name), None)

    def elements(self) -> list[Where]:
        """The elements of a list; a single value stands for itself."""
        if isinstance(self.node, yaml.SequenceNode):
            return [Where(self.file, node, self.called) for node in self.node.value]
        return [self]

    @property
    def text(self) -> str:
        return str(self.node.value) if isinstance(self.node, yaml.ScalarNode) else ""

    def named(self, called: str) -> Where:
        return Where(self.file, self.node, called)

    def no(self, told: str, name: str, known: set[str], node: yaml.Node | None = None) -> str:
        mark = (node or self.node).start_mark
        near = get_close_matches(name, sorted(known), n=2)
        hint = f"; near: {', '.join(near)}" if near else ""
        return f"{self.file.name}:{mark.line + 1}:{mark.column + 1}: {self.called}: {told} {name}{hint}"


@cache
def _keys(kind: str) -> frozenset[str]:
    return frozenset(known.name for known in dataclasses.fields(METAMODEL[kind]))


def _unknown_keys(where: Where, kind: str) -> Iterator[str]:
    for key, node, _ in where.items():
        if key not in _keys(kind):
            yield where.no(f"LinkML has no key of a {kind}", key, set(_keys(kind)), node)


def _uris(where: Where, prefixes: set[str]) -> Iterator[str]:
    for key, _, value in where.items():
        for one in value.elements() if key in URIS or MAPPINGS.fullmatch(key) else ():
            prefix, colon, rest = one.text.partition(":")
            if colon and not rest.startswith("//") and prefix not in prefixes:
                yield one.no("there is no prefix", prefix, prefixes)


def _named(where: Where, kind: str, names: Names) -> Iterator[str]:
    for key, _, value in where.items():
        kinds = NAMING[kind].get(key, ())
        known = set().union(*(names.of[one] for one in kinds)) if kinds else set()
        for one in value.elements() if kinds else ():
            if one.text not in known:
                yield one.no(f"there is no {' or '.join(kinds)}", one.text, known)


def _slot_body(where: Where, slot: str, names: Names, kind: str = "slot") -> Iterator[str]:
    """What is said about one slot: in its definition, in a slot_usage, in an attribute or in a condition."""
    yield from _unknown_keys(where, kind)
    yield from _named(where, "slot", names)
    own = where.get("range")
    values = names.values.get(own.text if own else names.ranges.get(slot, ""))
    for key, _, value in where.items():
        if key in EXPRESSIONS or key in ("has_member", "all_members"):
            for part in value.elements():
                yield from _slot_body(part, slot, names, "slot expression")
        elif values is not None and key in ("equals_string", "equals_string_in"):
            for one in value.elements():
                if one.text not in values:
                    yield one.no("there is no value", one.text, values)
        elif values is not None and key == "pattern":
            yield from _pattern(value, values)


def _pattern(where: Where, values: set[str]) -> Iterator[str]:
    """A pattern over the values of an enum: each of its alternatives is a value, or the beginning or end of one."""
    text = where.text
    inner = re.fullmatch(r"(\^?)\(?((?:\w+\|)*\w+)\)?(\$?)", text)
    if inner is None:
        if not any(re.search(text, value) for value in values):
            yield where.no("no value is met by", text, values)
        return
    for one in inner.group(2).split("|"):
        if not any(re.search(f"{inner.group(1)}(?:{one}){inner.group(3)}", value) for value in values):
            yield where.no("there is no value", one, values)


def _class_expression(where: Where, owner: str, names: Names, known: set[str]) -> Iterator[str]:
    yield from _unknown_keys(where, "class expression")
    yield from _named(where, "class", names)
    for key, _, value in where.items():
        if key in EXPRESSIONS:
            for part in value.elements():
                yield from _class_expression(part, owner, names, known)
        elif key == "slot_conditions":
            yield from _of_slots(value, owner, names, known, "slot expression")


def _of_slots(where: Where, owner: str, names: Names, known: set[str], kind: str) -> Iterator[str]:
    """A mapping whose keys are slots of the class."""
    for slot, node, body in where.items():
        if slot not in known:
            yield where.no(f"{owner} has no slot", slot, known, node)
        else:
            yield from _slot_body(body.named(f"{where.called}, {slot}"), slot, names, kind)


def _inherited(name: str, sources: list[dict[str, Any]], names: Names) -> set[str]:
    """The slots of a class and of those it is made from."""
    found = set(names.slots_of.get(name, set()))
    for source in sources:
        body = (source.get("classes") or {}).get(name) or {}
        for parent in [body.get("is_a"), *(body.get("mixins") or [])]:
            found |= _inherited(parent, sources, names) if parent and parent != name else set()
    return found


def _class_body(where: Where, name: str, names: Names, known: set[str]) -> Iterator[str]:
    yield from _unknown_keys(where, "class")
    yield from _named(where, "class", names)
    for key, _, value in where.items():
        if key == "slot_usage":
            yield from _of_slots(value.named(f"{where.called}, slot_usage"), name, names, known, "slot")
        elif key == "attributes":
            for slot, _, body in value.items():
                yield from _slot_body(body.named(f"{where.called}, attribute {slot}"), slot, names)
        elif key == "unique_keys":
            for unique, _, body in value.items():
                called = body.named(f"{where.called}, unique key {unique}")
                yield from _unknown_keys(called, "unique key")
                yield from _named(called, "unique key", names)
                slots = called.get("unique_key_slots")
                for one in slots.elements() if slots else ():
                    if one.text not in known:
                        yield one.no(f"{name} has no slot", one.text, known)
        elif key in ("rules", "classification_rules"):
            for number, rule in enumerate(value.elements(), start=1):
                called = rule.named(f"{where.called}, rule {number}")
                if key == "classification_rules":
                    yield from _class_expression(called, name, names, known)
                    continue
                yield from _unknown_keys(called, "rule")
                yield from _named(called, "rule", names)
                for side in ("preconditions", "postconditions", "elseconditions"):
                    part = called.get(side)
                    if part is not None:
                        yield from _class_expression(part.named(f"{called.called}, {side}"), name, names, known)
        elif key == "slot_conditions":
            yield from _of_slots(value, name, names, known, "slot expression")
        elif key in EXPRESSIONS:
            for part in value.elements():
                yield from _class_expression(part, name, names, known)


def _enum_body(where: Where, names: Names, prefixes: set[str]) -> Iterator[str]:
    yield from _unknown_keys(where, "enum")
    yield from _named(where, "enum", names)
    values = where.get("permissible_values")
    for value, _, body in values.items() if values else ():
        called = body.named(f"{where.called}.{value}")
        yield from _unknown_keys(called, "permissible value")
        yield from _named(called, "permissible value", names)
        yield from _uris(called, prefixes)


def _file(path: Path, names: Names, sources: list[dict[str, Any]], imported: set[str]) -> Iterator[str]:
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    whole = Where(path, node, "the file")
    yield from _unknown_keys(whole, "schema")
    yield from _named(whole, "schema", names)
    declared = whole.get("prefixes")
    prefixes = {key for key, _, _ in declared.items()} if declared else set()
    for key, known, told in (
        ("imports", imported, "there is no file"),
        ("default_range", set().union(*(names.of[kind] for kind in OF_RANGES)), "there is no class, enum or type"),
        ("default_prefix", prefixes, "there is no prefix"),
    ):
        value = whole.get(key)
        for one in value.elements() if value else ():
            if one.text not in known:
                yield one.no(told, one.text, known)
    for section, kind in SECTIONS.items():
        listed = whole.get(section)
        for name, _, body in listed.items() if listed else ():
            where = body.named(f"{kind} {name}")
            yield from _uris(where, prefixes)
            if kind == "class":
                yield from _class_body(where, name, names, _inherited(name, sources, names))
            elif kind == "slot":
                yield from _slot_body(where, name, names)
            elif kind == "enum":
                yield from _enum_body(where, names, prefixes)
            else:
                yield from _unknown_keys(where, kind)
                yield from _named(where, kind, names)


def _closure(name: str, sources: dict[str, dict[str, Any]]) -> set[str]:
    found = [name]
    for one in found:
        found += [other for other in sources[one].get("imports") or [] if other in sources and other not in found]
    return set(found)


def problems(folder: Path) -> list[str]:
    """Every name in the schema files of a folder that leads nowhere, one line each."""
    sources = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yaml"))}
    built_in = yaml.safe_load(
        files("linkml_runtime.linkml_model.model.schema").joinpath("types.yaml").read_text("utf-8")
    )
    taken = {other for source in sources.values() for other in source.get("imports") or []}
    closures = [_closure(name, sources) for name in sources if name not in taken]
    found = []
    for name in sources:
        # A file can name what any schema holds that it is compiled into.
        beside = set().union(*(closure for closure in closures if name in closure), {name})
        names = Names()
        for source in (built_in, *(sources[one] for one in sorted(beside))):
            names.add(source)
        found += _file(folder / f"{name}.yaml", names, [sources[one] for one in beside], {*sources, "linkml:types"})
    return found
