"""What a freeze covers: the records of a bank, their lines and digests, and the statement about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import orjson

from divisionbell.bank.canonical import jcs, sha256_hex
from divisionbell.bank.differences import differences
from divisionbell.bank.load import Bank
from divisionbell.bank.read import Document, Path_
from divisionbell.model import model_file


class Record:
    """One frozen record, and the working document and path that it came from, where it came from one.

    A record that was read back from a frozen file holds its line alone and makes the value anew each time it is asked
    for: the values of a whole version take five times the memory of its file.
    """

    __slots__ = ("_line", "_value", "base", "document", "id", "kind")

    def __init__(self, kind: str, id: str, value: Any, document: Document | None = None, base: Path_ = ()) -> None:
        self.kind, self.id, self.document, self.base = kind, id, document, base
        self._value = value
        self._line: bytes | None = None

    @classmethod
    def stored(cls, line: bytes) -> Record:
        """The record of one line. Raises ValueError, KeyError, TypeError or RecursionError where it is none."""
        value = orjson.loads(line)
        orjson.dumps(value)  # raises where it is nested deeper than anything that reads it on bears
        record = cls(value["kind"], value["id"], value["value"])
        if set(value) != {"id", "kind", "value"} or record.line() != line:
            raise NotCanonical("is not in canonical form")
        record.keep(line)
        record._value = _IN_LINE
        return record

    @property
    def value(self) -> Any:
        if self._value is _IN_LINE and self._line is not None:
            return orjson.loads(self._line)["value"]
        return self._value

    def line(self) -> bytes:
        """The RFC 8785 form of the record, without line end; made once."""
        if self._line is None:
            self._line = jcs({"id": self.id, "kind": self.kind, "value": self._value})
        return self._line

    def keep(self, line: bytes) -> None:
        """Take a line that was made already."""
        self._line = line


class NotCanonical(ValueError):
    """A line holds more than a record, or is not written in the one form that RFC 8785 gives it."""


_IN_LINE = object()


def schema_sha256() -> str:
    """SHA-256 of the compiled schema of the bank's classes."""
    return sha256_hex(model_file("bank.schema.json"))


def records(bank: Bank, left_out: Collection[Document] = ()) -> list[Record]:
    """Every record that a freeze of this bank covers, sorted by kind and id.

    The documents must have passed validation, since the values are taken as they stand; records of those `left_out`
    are not made.
    """
    passed_over = {id(document) for document in left_out}
    prospective = {id(document) for document in bank.prospective}
    made = [Record("schema", "bank.schema.json", {"sha256": schema_sha256()})]
    if bank.codebook is not None:
        made.append(Record("codebook", "CODEBOOK.md", bank.codebook))
    for _, document in bank.documents():
        if id(document) in passed_over:
            continue
        if document is bank.settings:
            made += _settings_records(document)
        elif document is bank.plan:
            made.append(Record("plan", "analysis_plan", document.value, document))
        elif document is bank.sources:
            made += [
                Record("data_source", source["source_id"], source, document, ("data_sources", number))
                for number, source in enumerate(document.value["data_sources"])
            ]
        elif id(document) in prospective:
            made += [
                Record("prospective", f"commons-{code['division_id']}", code, document, ("prospective_codes", number))
                for number, code in enumerate(document.value["prospective_codes"])
            ]
        elif document is not bank.evaluations:
            made.append(dossier_record(document))
    return sorted(made, key=lambda record: (record.kind, record.id))


def dossier_record(document: Document) -> Record:
    """The record of a dossier, included or excluded."""
    kind = "excluded" if "exclusion" in document.value else "dossier"
    return Record(kind, document.value["dossier_id"], document.value, document)


def _settings_records(document: Document) -> Iterator[Record]:
    settings = document.value
    template = {"prompt_template": settings["prompt_template"], "system_message": settings["system_message"]}
    yield Record("bank", settings["bank_id"], _without(settings, "agents", "parser"), document)
    yield Record("template", settings["template_version"], template, document)
    yield Record("reminder", "reminder", {"reminder": settings["reminder"]}, document)
    yield Record("parser", settings["parser"]["parser_id"], settings["parser"], document, ("parser",))
    for number, agent in enumerate(settings["agents"]):
        yield Record("agent", agent["agent_id"], agent, document, ("agents", number))


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: kept for key, kept in value.items() if key not in names}


def record_file(made: list[Record]) -> bytes:
    """The bytes of the record file: one line a record, each ended by a line feed."""
    return b"".join(record.line() + b"\n" for record in made)


STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://w3id.org/divisionbell/freeze/v1"


def statement(made: list[Record], sha256: str, version: str, frozen_at: str, frozen_by: str) -> dict[str, Any]:
    """The in-toto statement about the record file of these records, which has this SHA-256. All but time and program
    follows from the records."""
    of = {record.kind: record.value for record in made}
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": f"{version}.records.jsonl", "digest": {"sha256": sha256}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "frozen_version": version,
            "frozen_at": frozen_at,
            "frozen_by": frozen_by,
            "record_count": len(made),
            "item_count": sum(len(record.value["items"]) for record in made if record.kind == "dossier"),
            "schema_sha256": of["schema"]["sha256"],
            "codebook_sha256": sha256_hex(of["codebook"].encode("utf-8")),
            "parser_name": of["parser"]["parser_id"],
            "record_digests": [
                {"id": record.id, "kind": record.kind, "sha256": sha256_hex(record.line())} for record in made
            ],
        },
    }


def statement_file(told: dict[str, Any]) -> bytes:
    """The bytes of the statement file."""
    return orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n"


def statement_problem(
    data: bytes, told: bytes, version: str, made: list[Record] | None = None, sha256: str | None = None
) -> str | None:
    """What is wrong with a statement file beside a record file, or None where it is the one that a freeze writes.

    `made` are the records of the file and `sha256` is its digest, where they are known already.

    The time and the program's name are what nothing else repeats: of those only the form can be checked.
    """
    try:
        made = made or parse_record_file(data)
        predicate = orjson.loads(told)["predicate"]
        at, by = predicate["frozen_at"], predicate["frozen_by"]
        if not _is_time(at) or not _PROGRAM.fullmatch(by):
            return f"{'frozen_by' if _is_time(at) else 'frozen_at'} is not what a freeze writes"
        expected = statement(made, sha256 or sha256_hex(data), version, at, by)
        if told == statement_file(expected):
            return None
        for change in differences(expected, orjson.loads(told)):
            return f"{'.'.join(change.steps)} is not what the records give"
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return f"is no freeze statement: {problem!r}"
    return "is not written as a freeze writes it"


_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_PROGRAM = re.compile(r"divisionbell \d+(\.[0-9A-Za-z]+)*", re.ASCII)


def _is_time(text: str) -> bool:
    """A time of the calendar, as a freeze writes it."""
    try:
        datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return False
    return _TIME.fullmatch(text) is not None


def parse_record_file(data: bytes) -> list[Record]:
    """Read a record file back. Raises ValueError with the number of the line that is not a record in canonical form."""
    made = []
    lines = data.split(b"\n")
    if lines.pop():
        raise ValueError(f"line {len(lines) + 1} does not end with a line feed")
    for number, line in enumerate(lines, start=1):
        try:
            made.append(Record.stored(line))
        except NotCanonical as problem:
            raise ValueError(f"line {number} {problem}") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"line {number} is not a frozen record: {error}") from None
    return made
