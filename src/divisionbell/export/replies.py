"""The replies of runs as one table, a row a unit, in Apache Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.find_runs import Run
from divisionbell.score.apply_key import kind_of, version_of

ROWS_AT_ONCE = 50_000
MOST = 2**31 - 1  # every number fits its column
_WORD = pa.dictionary(pa.int32(), pa.string())  # few values, each many times

# Column, type, and what it is; the second reply is the one after the reminder.
COLUMNS: tuple[tuple[str, Any, str], ...] = (
    ("run_id", _WORD, "The run."),
    ("respondent", _WORD, "As typed on the command line."),
    ("constrained", pa.bool_(), "Whether decoding was forced into the answer's shape: another instrument."),
    ("bank_version", _WORD, "The frozen version that was asked."),
    ("form", _WORD, "The form that was asked."),
    ("unit_key", pa.string(), "SHA-256 over all that makes the unit itself."),
    ("dossier_id", _WORD, "The dossier."),
    ("issue_family", _WORD, "Its issue family, the unit of resampling."),
    ("axis", _WORD, "economic or social."),
    ("scale", _WORD, "concrete or implicit; the two are never pooled."),
    ("item_id", _WORD, "The item."),
    ("item_version", _WORD, "original or mirror."),
    ("asked_order", _WORD, "The pole that stood at A."),
    ("stored_order", pa.bool_(), "Whether that is the stored order of the item."),
    ("repeat", pa.int32(), "From 1."),
    ("outcome", _WORD, "What the unit came to."),
    ("answer", _WORD, "A or B; null where there is no answer."),
    ("coordinate", pa.int8(), "-1 or +1 on the axis; null where there is no answer, never 0."),
    *(
        (f"{name}_{number}", kind, f"{what} Of reply {number}.")
        for number in (1, 2)
        for name, kind, what in (
            ("reading", _WORD, "The parser's reason code."),
            ("reply_text", pa.string(), "The reply; a lone surrogate is written as an escape."),
            ("finish_reason", _WORD, "As the server gave it."),
            ("served_model", _WORD, "The model that the server says it used."),
            ("fingerprint", _WORD, "The serving fingerprint."),
            ("input_tokens", pa.int64(), "As counted by the server; null is unknown."),
            ("output_tokens", pa.int64(), "As counted by the server; null is unknown."),
            ("reported_cost", pa.float64(), "What the call cost as the server says; null is unknown."),
            ("latency_seconds", pa.float64(), "From sending to the whole reply, in seconds."),
            ("transport_retries", pa.int32(), "Retries of the transport, which no score sees."),
        )
    ),
    ("finished_at", pa.string(), "In UTC."),
)
SCHEMA = pa.schema([pa.field(name, kind, metadata={"description": what}) for name, kind, what in COLUMNS])
_OF_ATTEMPT = [name.removesuffix("_1") for name, _, _ in COLUMNS if name.endswith("_1")]


def parquet(runs: Iterable[tuple[FrozenBank, Run]]) -> bytes:
    """The table of one or more complete or incomplete runs; the same runs give the same bytes."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, SCHEMA, compression="zstd") as writer:
        for bank, run in runs:
            rows = _rows(bank, run)
            while block := list(islice(rows, ROWS_AT_ONCE)):
                writer.write_table(pa.Table.from_pylist(block, schema=SCHEMA))
    return sink.getvalue()


def _rows(bank: FrozenBank, run: Run) -> Iterator[dict[str, Any]]:
    header = run.header
    asked = {one.item.item_id: one for one in bank.form(header["form"])}
    of_run = {name: header[name] for name in ("run_id", "respondent", "constrained", "bank_version", "form")}
    for unit in run.units:
        one = asked[unit["asked_item"]]
        row = {
            **of_run,
            "unit_key": unit["unit_key"],
            "dossier_id": one.dossier.dossier_id,
            "issue_family": one.dossier.issue_family,
            "axis": str(one.dossier.axis),
            "scale": kind_of(one),
            "item_id": one.item.item_id,
            "item_version": version_of(one),
            **{name: unit[name] for name in ("asked_order", "stored_order", "repeat", "outcome", "finished_at")},
        }
        if "answer" in unit:
            row |= {"answer": unit["answer"], "coordinate": _coordinate(one, unit)}
        for attempt in unit["attempts"]:
            row |= {f"{name}_{attempt['attempt_number']}": _sound(attempt.get(name)) for name in _OF_ATTEMPT}
        yield row


def _coordinate(asked: Any, unit: Mapping[str, Any]) -> int:
    """The coordinate of the option that stood at the letter answered, in the order asked."""
    negative_at_a = unit["asked_order"] == "negative_at_a"
    return -1 if (unit["answer"] == "A") == negative_at_a else 1


def _sound(value: Any) -> Any:
    if isinstance(value, int | float) and value > MOST:  # no count and no time: unknown
        return None
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value
