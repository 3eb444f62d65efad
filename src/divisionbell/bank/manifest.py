"""What a freeze covers: the records of a bank, their lines and digests, and where two versions of a record differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import orjson

from divisionbell.bank.canonical import jcs, sha256_hex
from divisionbell.bank.load import Bank
from divisionbell.bank.read import Document, Path_


@dataclass(frozen=True)
class Record:
    """One frozen record, and the working document and path that it came from, where it came from one."""

    kind: str
    id: str
    value: Any
    document: Document | None = None
    base: Path_ = ()

    def line(self) -> bytes:
        """The RFC 8785 form of the record, without line end."""
        return jcs({"id": self.id, "kind": self.kind, "value": self.value})


def schema_sha256() -> str:
    """SHA-256 of the compiled schema of the bank's classes."""
    return sha256_hex(files("divisionbell.model").joinpath("bank.schema.json").read_bytes())


def records(bank: Bank) -> list[Record]:
    """Every record that a freeze of this bank covers, sorted by kind and id.

    The bank must have passed validation: the values are taken as they stand.
    """
    settings = bank.settings.value
    made = [
        Record("bank", settings["bank_id"], _without(settings, "agents", "parser"), bank.settings),
        Record(
            "template",
            settings["template_version"],
            {"prompt_template": settings["prompt_template"], "system_message": settings["system_message"]},
            bank.settings,
        ),
        Record("reminder", "reminder", {"reminder": settings["reminder"]}, bank.settings),
        Record("parser", settings["parser"]["parser_id"], settings["parser"], bank.settings, ("parser",)),
        Record("plan", "analysis_plan", bank.plan.value, bank.plan),
        Record("codebook", "CODEBOOK.md", bank.codebook),
        Record("schema", "bank.schema.json", {"sha256": schema_sha256()}),
    ]
    made += [
        Record("agent", agent["agent_id"], agent, bank.settings, ("agents", number))
        for number, agent in enumerate(settings["agents"])
    ]
    made += [
        Record("data_source", source["source_id"], source, bank.sources, ("data_sources", number))
        for number, source in enumerate(bank.sources.value["data_sources"])
    ]
    made += [Record("dossier", doc.value["dossier_id"], doc.value, doc) for doc in bank.dossiers]
    made += [Record("excluded", doc.value["dossier_id"], doc.value, doc) for doc in bank.excluded]
    return sorted(made, key=lambda record: (record.kind, record.id))


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: kept for key, kept in value.items() if key not in names}


def record_file(made: list[Record]) -> bytes:
    """The bytes of the record file: one line a record, each ended by a line feed."""
    return b"".join(record.line() + b"\n" for record in made)


def parse_record_file(data: bytes) -> list[Record]:
    """Read a record file back. Raises ValueError with the line number where a line is not a record in canonical form."""
    made = []
    for number, line in enumerate(data.split(b"\n")[:-1] if data.endswith(b"\n") else data.split(b"\n"), start=1):
        try:
            value = orjson.loads(line)
            record = Record(value["kind"], value["id"], value["value"])
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} is not a frozen record: {error}") from None
        if set(value) != {"id", "kind", "value"} or record.line() != line:
            raise ValueError(f"line {number} is not in canonical form")
        made.append(record)
    return made


@dataclass(frozen=True)
class Difference:
    """One place where a working value is not the frozen one. A missing side is ABSENT."""

    path: Path_
    frozen: Any
    working: Any


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


def differences(frozen: Any, working: Any, path: Path_ = ()) -> Iterator[Difference]:
    """The smallest places where two JSON values differ. 1 and 1.0 are the same number, true and 1 are not."""
    if isinstance(frozen, dict) and isinstance(working, dict):
        for key in [*working, *(k for k in frozen if k not in working)]:
            yield from differences(frozen.get(key, ABSENT), working.get(key, ABSENT), (*path, key))
    elif isinstance(frozen, list) and isinstance(working, list):
        for number in range(max(len(frozen), len(working))):
            old = frozen[number] if number < len(frozen) else ABSENT
            new = working[number] if number < len(working) else ABSENT
            yield from differences(old, new, (*path, number))
    elif frozen is ABSENT or working is ABSENT or type(frozen) is not type(working) or frozen != working:
        same = isinstance(frozen, int | float) and isinstance(working, int | float) and frozen == working
        if not same or isinstance(frozen, bool) or isinstance(working, bool):
            yield Difference(path, frozen, working)


def first_difference(frozen: str, working: str) -> int:
    """The index of the first character at which two texts differ."""
    for index, (old, new) in enumerate(zip(frozen, working, strict=False)):
        if old != new:
            return index
    return min(len(frozen), len(working))
