"""The pilot bank with every slot of the schema in use, so that every promise of the schema has a value to break."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divisionbell.bank.canonical import sha256_hex, surface_sha256
from divisionbell.bank.load import Bank, load
from divisionbell.bank.read import Document, Path_
from divisionbell.freeze.freeze import freeze
from divisionbell.validate.engine import ValidBank, validate

PILOT = Path(__file__).resolve().parents[1] / "pilot"
DAY = "2026-11-30"


def full_bank(folder: Path) -> Bank:
    """The pilot bank frozen in `folder`, then enriched in memory under the next version. It is valid."""
    shutil.copytree(PILOT, folder, dirs_exist_ok=True)
    valid = validate(load(folder / "bank"))
    assert isinstance(valid, ValidBank)
    paths = freeze(valid, "0.1.0", datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC))
    bank = valid.bank
    bank.settings.value["version"] = "0.1.1"
    for document in bank.dossiers:
        if document.value["source"]["division_id"] == 1541:
            _enrich(document.value)
    for document in bank.prospective:
        document.value["prospective_codes"][0]["direction_note"] = "An Aye does what the title names."
    bank.excluded[0].value["source"]["direction_note"] = "An Aye does what the title names."
    assert bank.evaluations is not None
    bank.evaluations.value = {"evaluations": [_run("one", paths), _run("two", paths)]}
    return bank


def _enrich(dossier: dict[str, Any]) -> None:
    item = dossier["items"][0]
    item["heard_first_who"] = "bus crews and shopkeepers"
    item["rewritings"] = [
        {"rewritten_on": DAY, "rewritten_because": "unclear", "rewriting_asked_by": "divisionbell"},
        {"rewritten_on": DAY, "rewritten_because": "surface_cue"},
    ]
    dossier["waivers"] = [
        {
            "rule": rule,
            "waived_item": item["item_id"],
            "waived_text": "street officers",
            "reason": "Ordinary words.",
            "granted_by": "divisionbell",
            "granted_on": DAY,
        }
        for rule in ("TXT001", "TXT006")
    ]
    read = surface_sha256(item)
    dossier["codings"] = [
        {
            "coding_id": f"{item['item_id']}-{coder}-{read[:8]}",
            "coded_item": item["item_id"],
            "coded_by": coder,
            "coded_on": DAY,
            "blind": True,
            "coded_axis": "social",
            "coded_pole_of_a": "negative",
            "coded_pole_of_b": "positive",
            "coded_text_sha256": read,
            "guessed_country": "none in particular",
            "guessed_preference": "A",
            "remark": "Read once.",
        }
        for coder in ("drafting-software", "divisionbell")
    ]


def _run(name: str, paths: tuple[Path, Path]) -> dict[str, Any]:
    records, statement = (sha256_hex(path.read_bytes()) for path in paths)
    return {
        "evaluated_run": f"run-{name}",
        "evaluated_version": "0.1.0",
        "records_sha256": records,
        "statement_sha256": statement,
        "journal_sha256": sha256_hex(name.encode()),
        "respondent_name": "scripted:coin",
        "asked_form": "full",
        "registered_at": "2026-11-30T13:00:00Z",
    }


def changed(bank: Bank, document: Document, *changes: tuple[Path_, Any]) -> Bank:
    """The bank with other values at some paths of one document; a value of Ellipsis takes the slot out."""
    value = deepcopy(document.value)
    for path, new in changes:
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        if new is ...:
            del holder[path[-1]]
        else:
            holder[path[-1]] = new
    other = replace(document, value=value)

    def kept(documents: list[Document]) -> list[Document]:
        return [other if one is document else one for one in documents]

    one = {name: other for name in ("settings", "plan", "sources", "evaluations") if getattr(bank, name) is document}
    return replace(
        bank,
        **one,
        dossiers=kept(bank.dossiers),
        excluded=kept(bank.excluded),
        prospective=kept(bank.prospective),
    )


def value_at(document: Document, path: Path_) -> Any:
    value = document.value
    for step in path:
        value = value[step]
    return value


def documents(bank: Bank) -> Iterator[tuple[str, Document]]:
    yield from bank.documents()
