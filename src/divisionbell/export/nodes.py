"""Plain records as nodes, read off the compiled schema: a slot added to the schema is exported without new code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from sys import float_info
from typing import Any

from divisionbell.export.slots import KINDS, Slot, class_of, evidence_iri
from divisionbell.export.terms import (
    ExportError,
    Triple,
    address,
    escape_text,
    iri,
    is_unsafe,
    json_text,
    literal,
    segment,
    term,
)

__all__ = ["Writer"]

TYPE = term("rdf:type")
POSITION = term("schema:position")
ESCAPED_SLOT = term("db:escaped_slot")


class Writer:
    """Collects the triples of records under one base IRI.

    ``extra_types`` gives classes further types (prefixed names by class); ``name`` may give a node its IRI (from class,
    value and the IRI of the parent) and returns None where the usual name will do.
    """

    def __init__(
        self,
        model: tuple[str, str],
        base: str,
        extra_types: Mapping[str, Iterable[str]],
        name: Callable[[str, Mapping[str, Any], str], str | None] = lambda _class, _value, _parent: None,
    ) -> None:
        self.model, self.base, self.name = model, base, name
        self.extra_types = {key: [term(each) for each in types] for key, types in extra_types.items()}
        self.triples: list[Triple] = []

    def add(self, subject: str, predicate: str, *objects: str) -> None:
        """Add one triple for each object; the predicate is a prefixed name."""
        self.triples.extend((subject, term(predicate), each) for each in objects)

    def text(self, subject: str, predicate: str, text: str, slot: str = "") -> None:
        """Add a plain string, escaped (and marked so) where it holds what RDF cannot carry."""
        self._texts(subject, term(predicate), [text], slot or predicate.partition(":")[2])

    def iri(self, kind: str, identifier: str | int) -> str:
        """The IRI base + kind + "_" + id."""
        return iri(f"{self.base}{kind}_{segment(identifier)}")

    def own_iri(self, class_name: str, value: Mapping[str, Any], parent: str = "") -> str | None:
        """The IRI of a record that has a name of its own, else None.

        Raises ExportError where that name does not fit the schema's pattern.
        """
        if given := self.name(class_name, value, parent):
            return given
        if class_name not in KINDS:
            return None
        kind, key = KINDS[class_name]
        identifier, pattern = value.get(key), class_of(self.model, class_name)[1][key].pattern
        if isinstance(identifier, int) and not isinstance(identifier, bool):
            return self.iri(kind, identifier)
        if not isinstance(identifier, str) or (pattern and not pattern.search(identifier)):
            raise ExportError(f"{class_name} has {key} {identifier!r}, which is not such an id")
        return self.iri(kind, identifier)

    def node(self, class_name: str, value: object, own: str | None = None) -> str:
        """Add a record and everything inside it, and return its IRI.

        Raises ExportError where the record does not have the shape that the schema gives its class.
        """
        if not isinstance(value, Mapping):
            raise ExportError(f"{class_name} is {type(value).__name__}, not an object")
        subject = own or self.own_iri(class_name, value)
        if subject is None:
            raise ExportError(f"{class_name} has no name of its own and was given none")
        class_iri, slots = class_of(self.model, class_name)
        self.triples.append((subject, TYPE, class_iri))
        self.triples.extend((subject, TYPE, each) for each in self.extra_types.get(class_name, ()))
        for key, held in value.items():
            if key not in slots:
                raise ExportError(f"{class_name} has no slot {key!r} in the schema")
            slot = slots[key]
            if slot.many != isinstance(held, list | tuple):
                raise ExportError(f"{class_name}.{key} is {'not ' if slot.many else ''}a list")
            self._slot(subject, slot, held if slot.many else [held])
        return subject

    def loose(self, subject: str, value: object, like: str) -> None:
        """Add a value without a class: text as it is, an object by the slots of class ``like`` or by plain names."""
        if not isinstance(value, Mapping):
            return self.text(subject, "schema:text", value if isinstance(value, str) else json_text(value))
        slots = class_of(self.model, like)[1]
        for key, held in value.items():
            if key in slots and slots[key].many == isinstance(held, list | tuple):
                self._slot(subject, slots[key], held if slots[key].many else [held])
            elif re.fullmatch(r"[a-z][a-z0-9_]*", key):
                self.text(subject, f"db:{key}", held if isinstance(held, str) else json_text(held))
            else:
                raise ExportError(f"{key!r} cannot name a property")
        return None

    def _slot(self, subject: str, slot: Slot, values: Iterable[Any]) -> None:
        if slot.form == "node":
            for number, value in enumerate(values, 1):
                own = isinstance(value, Mapping) and self.own_iri(slot.detail, value, subject)
                child = own or f"{subject[:-1]}_{slot.name}{f'_{number}' if slot.many else ''}>"
                self.triples.append((subject, slot.predicate, self.node(slot.detail, value, child)))
                if slot.many and not own:
                    self.triples.append((child, POSITION, literal(str(number), "xsd:integer")))
        elif slot.form == "text":
            self._texts(subject, slot.predicate, values, slot.name)
        else:
            self.triples.extend((subject, slot.predicate, self._value(slot, each)) for each in values)

    def _texts(self, subject: str, predicate: str, values: Iterable[Any], name: str) -> None:
        texts = list(values)
        if not all(isinstance(each, str) for each in texts):
            raise ExportError(f"{name} holds something that is not text")
        if any(is_unsafe(each) for each in texts):
            texts = [escape_text(each) for each in texts]
            self.triples.append((subject, ESCAPED_SLOT, literal(name)))
        self.triples.extend((subject, predicate, literal(each)) for each in texts)

    def _value(self, slot: Slot, value: Any) -> str:
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= float_info.max
        if slot.form == "any":
            return literal(json_text(value))
        if slot.form == "boolean" and isinstance(value, bool):
            return literal("true" if value else "false", slot.detail)
        if slot.form == "integer" and number and value == int(value):
            return literal(str(int(value)), slot.detail)
        if slot.form == "number" and number:
            return literal(repr(float(value) + 0.0), slot.detail)  # adding 0.0 turns -0.0 into 0.0
        if not isinstance(value, str) or (slot.pattern and not slot.pattern.search(value)):
            raise ExportError(f"{slot.name} has the value {value!r}, which the schema does not admit")
        if slot.form == "reference":
            if slot.detail == "address":
                return address(value)
            return evidence_iri(self.base, value) if slot.detail == "evidence" else self.iri(slot.detail, value)
        if slot.form == "typed":
            return literal(value, slot.detail)
        raise ExportError(f"{slot.name} has the value {value!r}, which the schema does not admit")
