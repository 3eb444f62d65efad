"""The estimates of runs as one table, a row an estimate, in Apache Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

# Column, type, and what it is; those of the run first.
COLUMNS: tuple[tuple[str, Any, str], ...] = (
    ("scored_run", pa.string(), "The run."),
    ("respondent", pa.string(), "As typed on the command line."),
    ("constrained", pa.bool_(), "Whether decoding was forced into the answer's shape: another instrument."),
    ("form", pa.string(), "The form that was asked."),
    ("repeats", pa.int64(), "Repeats of each order."),
    ("bank_version", pa.string(), "The frozen version that was asked."),
    ("bank_sha256", pa.string(), "SHA-256 of its record file."),
    ("plan_used", pa.string(), "The version of the analysis plan."),
    ("demonstration", pa.bool_(), "Whether no position can be read from the run."),
    ("name", pa.string(), "The estimate's name; divisionbell trace RUN NAME shows what it was made from."),
    ("estimate_axis", pa.string(), "economic or social."),
    ("estimate_scale", pa.string(), "concrete or implicit; the two are never pooled."),
    ("value", pa.float64(), "Null where it is undefined, never 0."),
    ("low", pa.float64(), "Lower end of the interval or bound."),
    ("high", pa.float64(), "Upper end of the interval or bound."),
    ("unit", pa.string(), "What the value is counted in."),
    ("interval_level", pa.float64(), "Nominal coverage of the interval."),
    ("interval_kind", pa.string(), "What low and high are."),
    ("n", pa.int64(), "Number of independent pieces behind the value."),
    ("n_of", pa.string(), "What n counts."),
    ("undefined_because", pa.string(), "Why there is no value, where there is none."),
    ("standing", pa.string(), "primary, second scale, diagnostic or exploratory."),
    ("definition", pa.string(), "What the estimate is and how it is computed."),
)
SCHEMA = pa.schema([pa.field(name, kind, metadata={"description": what}) for name, kind, what in COLUMNS])
_OF_RUN = [name for name, _, _ in COLUMNS][:9]
_OF_ESTIMATE = [name for name, _, _ in COLUMNS][9:]


def parquet(documents: Iterable[Mapping[str, Any]]) -> bytes:
    """The table of the estimates of score documents; the same documents give the same bytes."""
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(_rows(documents)), schema=SCHEMA), sink, compression="zstd")
    return sink.getvalue()


def _rows(documents: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for document in documents:
        of_run = {name: _sound(document[name]) for name in _OF_RUN}
        for estimate in document["estimates"]:
            yield of_run | {name: _sound(estimate.get(name)) for name in _OF_ESTIMATE}


def _sound(value: Any) -> Any:
    """Text that UTF-8 can hold: a lone surrogate is written as an escape."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value
