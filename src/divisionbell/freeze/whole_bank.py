"""Whether the records of a frozen version are one whole bank: names, shape, digests, and what stands in two places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from divisionbell.bank.canonical import transformation_sha256
from divisionbell.bank.frozen_file import FrozenFileProblem
from divisionbell.bank.manifest import Record, schema_sha256
from divisionbell.validate.shape import validator

# The name that a record's value gives it.
NAMES: dict[str, Callable[[Any], str]] = {
    "agent": lambda value: str(value["agent_id"]),
    "bank": lambda value: str(value["bank_id"]),
    "codebook": lambda _: "CODEBOOK.md",
    "data_source": lambda value: str(value["source_id"]),
    "dossier": lambda value: str(value["dossier_id"]),
    "excluded": lambda value: str(value["dossier_id"]),
    "parser": lambda value: str(value["parser_id"]),
    "plan": lambda _: "analysis_plan",
    "prospective": lambda value: f"commons-{value['division_id']}",
    "reminder": lambda _: "reminder",
    "schema": lambda _: "bank.schema.json",
}
CLASSES = {
    "agent": "Agent",
    "data_source": "DataSource",
    "dossier": "Dossier",
    "excluded": "ExcludedDossier",
    "parser": "ParserSpecification",
    "plan": "AnalysisPlan",
    "prospective": "ProspectiveCode",
}


def shape_known(records: Sequence[Record]) -> bool:
    """Whether the version was frozen under the schema that this program has, so that it can hold shapes to it."""
    return any(record.kind == "schema" and record.value == {"sha256": schema_sha256()} for record in records)


def must_be_whole(records: Sequence[Record], version: str) -> None:
    """Raises FrozenFileProblem, at the line of the first record that does not fit the others or its own class."""
    of = {record.kind: record.value for record in records}
    known = shape_known(records)
    for line, record in enumerate(records, start=1):
        try:
            problem = _problem(record, of, version) or (_shape_problem(record, of, records) if known else None)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"does not fit its class: {error!r:.200}"
        if problem is not None:
            raise FrozenFileProblem(f"{record.kind} {record.id} {problem}", line)


def _problem(record: Record, of: dict[str, Any], version: str) -> str | None:
    value = record.value
    name = of["bank"]["template_version"] if record.kind == "template" else NAMES[record.kind](value)
    if record.id != name:
        return f"calls itself {name}"
    if record.kind == "bank" and value["version"] != version:
        return f"is of version {value['version']}, not {version}"
    if record.kind in {"template", "reminder"}:
        for slot, text in value.items():
            if of["bank"].get(slot) != text:
                return f"has another {slot} than the bank settings"
    if record.kind == "dossier":
        for item in value["items"]:
            found = transformation_sha256(value, item)
            if found != item["transformation_sha256"]:
                return f"holds item {item['item_id']}, which is not what was hashed: it has the digest {found}"
    return None


def _shape_problem(record: Record, of: dict[str, Any], records: Sequence[Record]) -> str | None:
    if record.kind == "bank":
        agents = [other.value for other in records if other.kind == "agent"]
        whole = {**record.value, "agents": agents, "parser": of["parser"]}
        fits = "agents" not in record.value and "parser" not in record.value and validator("Bank").is_valid(whole)
    elif record.kind in CLASSES:
        fits = validator(CLASSES[record.kind]).is_valid(record.value)
    elif record.kind == "template":
        fits = set(record.value) == {"prompt_template", "system_message"}
    elif record.kind == "reminder":
        fits = set(record.value) == {"reminder"}
    else:
        fits = isinstance(record.value, str) or record.kind == "schema"
    return None if fits else "does not fit the schema that it was frozen under"
