"""What was chosen in one order against the other, as one table in Apache Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

# Column, type, and what it is. A row is one of the four pairs of choices of one run on one axis.
COLUMNS: tuple[tuple[str, Any, str], ...] = (
    ("scored_run", pa.string(), "The run."),
    ("respondent", pa.string(), "As typed on the command line."),
    ("estimate_axis", pa.string(), "economic or social; concrete pairs alone."),
    ("chosen_negative_at_a", pa.string(), "The option chosen in the order with the negative option at A."),
    ("chosen_positive_at_a", pa.string(), "The option chosen in the order with the positive option at A."),
    ("follows", pa.string(), "text: the same option both times; place: the same letter both times."),
    ("count", pa.int64(), "Items with these two choices, each repeat for itself."),
    ("share", pa.float64(), "Their share, weighted as in the score; null where no item has an answer in both orders."),
)
SCHEMA = pa.schema([pa.field(name, kind, metadata={"description": what}) for name, kind, what in COLUMNS])


def order_squares(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The table of these rows; the same rows give the same bytes."""
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMA), sink, compression="zstd")
    return sink.getvalue()
