"""The estimates of runs as one Parquet table."""

from __future__ import annotations

import io
from typing import Any

import pytest

pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: pip install pyarrow")

from divisionbell.export.estimates import COLUMNS, parquet  # noqa: E402


def document(run: str, **estimate: Any) -> dict[str, Any]:
    return {
        "scored_run": run,
        "respondent": "openai:\ud800",
        "constrained": False,
        "form": "full",
        "repeats": 2,
        "bank_version": "1.0.0",
        "bank_sha256": "ab" * 32,
        "plan_used": "1.0.0",
        "demonstration": False,
        "estimates": [{"name": "concrete.economic", "unit": "coordinate", "standing": "primary", **estimate}],
    }


def read(*documents: dict[str, Any]) -> list[dict[str, Any]]:
    return list(pq.read_table(io.BytesIO(parquet(documents))).to_pylist())


def test_a_row_is_an_estimate_with_its_run() -> None:
    first, second = read(document("a", value=-0.3, low=-0.6, high=0.0, n=12), document("b", undefined_because="none"))
    assert list(first) == [name for name, _, _ in COLUMNS]
    assert (first["scored_run"], first["value"], first["low"], first["high"], first["n"]) == ("a", -0.3, -0.6, 0.0, 12)
    assert second["value"] is None and second["undefined_because"] == "none"


def test_a_lone_surrogate_is_an_escape() -> None:
    assert read(document("a"))[0]["respondent"] == "openai:\\ud800"


def test_the_same_documents_give_the_same_bytes_and_no_run_an_empty_table() -> None:
    assert parquet([document("a", value=1.0)]) == parquet([document("a", value=1.0)])
    assert read() == []


def test_every_column_says_what_it_is() -> None:
    schema = pq.read_schema(io.BytesIO(parquet([])))
    assert all(field.metadata[b"description"] for field in schema)
