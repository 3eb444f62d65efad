"""The two sides of a comparison: a frozen version, or the working bank, which need not be valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import Record, schema_sha256
from divisionbell.diagnostics import Diagnostic, Location, shown_path
from divisionbell.freeze.frozen_bank import FrozenBank

TEMPLATE = ("prompt_template", "system_message")


@dataclass(frozen=True)
class Side:
    """The records of one side. `unread` are the files that could not be read, `hidden` the records they may hold."""

    name: str
    records: tuple[Record, ...]
    sha256: str | None = None
    unread: tuple[Diagnostic, ...] = ()
    hidden: frozenset[tuple[str, str | None]] = frozenset()
    codebook: str | None = None  # where the codebook lies, which is no document with places

    def hides(self, kind: str, name: str) -> bool:
        """Whether a record that is missing may stand in a file that could not be read."""
        return (kind, name) in self.hidden or (kind, None) in self.hidden


def frozen_side(bank: FrozenBank) -> Side:
    """A frozen version."""
    return Side(bank.version, bank.records, bank.sha256)


def working_side(bank: Bank) -> Side:
    """The working bank: every record that can be told from its files, with its place, whether it is valid or not."""
    made = [Record("schema", "bank.schema.json", {"sha256": schema_sha256()})]
    unread: list[Diagnostic] = list(bank.problems)
    hidden: set[tuple[str, str | None]] = set()
    if bank.codebook is not None:
        made.append(Record("codebook", "CODEBOOK.md", bank.codebook))
    else:
        hidden.add(("codebook", None))
    seen: dict[tuple[str, str], Record] = {}
    for root, document in bank.documents():
        if root == "EvaluationRegister":
            continue
        if document.value is None:
            unread += document.problems
            hidden.update(_may_hold(root, document))
            continue
        for record in [*_records(root, document, unread, hidden)]:
            first = seen.setdefault((record.kind, record.id), record)
            if first is not record:
                assert record.document is not None
                place = record.document.at(*record.base)
                unread.append(_no(place, f"{record.kind} {record.id} stands twice; the first is compared"))
    made += seen.values()
    return Side(
        "WORKING",
        tuple(sorted(made, key=lambda r: (r.kind, r.id))),
        None,
        tuple(unread),
        frozenset(hidden),
        shown_path(bank.codebook_path),
    )


def _no(place: Location, message: str) -> Diagnostic:
    return Diagnostic(place, "SCH001", message, "divisionbell validate says what is wrong")


def _may_hold(root: str, document: Document) -> Iterator[tuple[str, str | None]]:
    if root in {"Dossier", "ExcludedDossier"}:
        number = re.match(r"([1-9][0-9]{0,5})-", document.path.name)
        name = f"commons-{number.group(1)}" if number else None
        yield "dossier", name
        yield "excluded", name
    elif root == "Bank":
        yield from ((kind, None) for kind in ("bank", "template", "reminder", "parser", "agent"))
    else:
        yield {"AnalysisPlan": "plan", "DataSources": "data_source", "ProspectiveRegister": "prospective"}[root], None


def _records(
    root: str, document: Document, unread: list[Diagnostic], hidden: set[tuple[str, str | None]]
) -> Iterator[Record]:
    value = document.value
    if not isinstance(value, dict):
        unread.append(_no(document.at(), "is no mapping, so nothing in it could be compared"))
        hidden.update(_may_hold(root, document))
    elif root == "Bank":
        yield Record("bank", _name(value, "bank_id"), _without(value, "agents", "parser"), document)
        template = {slot: value[slot] for slot in TEMPLATE if slot in value}
        yield Record("template", _name(value, "template_version"), template, document)
        yield Record("reminder", "reminder", {slot: value[slot] for slot in ("reminder",) if slot in value}, document)
        if "parser" in value:
            parser = value["parser"]
            yield Record("parser", _name(parser, "parser_id"), parser, document, ("parser",))
        yield from _listed(document, "agents", "agent", "agent_id", unread, hidden)
    elif root == "AnalysisPlan":
        yield Record("plan", "analysis_plan", value, document)
    elif root == "DataSources":
        yield from _listed(document, "data_sources", "data_source", "source_id", unread, hidden)
    elif root == "ProspectiveRegister":
        yield from _listed(document, "prospective_codes", "prospective", "division_id", unread, hidden)
    else:
        name = value.get("dossier_id")
        if isinstance(name, str):
            yield Record("excluded" if "exclusion" in value else "dossier", name, value, document)
        else:
            unread.append(_no(document.at(), "names no dossier_id, so it could not be compared"))
            hidden.update(_may_hold(root, document))


def _listed(
    document: Document,
    slot: str,
    kind: str,
    named_by: str,
    unread: list[Diagnostic],
    hidden: set[tuple[str, str | None]],
) -> Iterator[Record]:
    elements = document.value.get(slot)
    for number, element in enumerate(elements if isinstance(elements, list) else []):
        name = element.get(named_by) if isinstance(element, dict) else None
        if isinstance(name, str | int):
            shown = f"commons-{name}" if kind == "prospective" else str(name)
            yield Record(kind, shown, element, document, (slot, number))
        else:
            unread.append(_no(document.at(slot, number), f"names no {named_by}, so it could not be compared"))
            hidden.add((kind, None))


def _name(value: Any, slot: str) -> str:
    name = value.get(slot) if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: kept for key, kept in value.items() if key not in names}
