"""The tables and sentences of certificates, codings and blocks."""

from __future__ import annotations

from typing import Any

from divisionbell.report import audit_tables


def row(score: float, holds: bool) -> dict[str, Any]:
    told = {"surface": "stem-words", "axis": "economic", "scale": "concrete", "limit": 0.15}
    return told | {"score": score, "holds": holds}


def test_wording_rows_are_told_with_their_verdict() -> None:
    table = audit_tables.wording([row(0.04, True), row(-0.2, False)])
    cells = [[cell.text for cell in line] for group in table.groups for line in group]
    assert cells[0] == ["stem words", "economic", "concrete", "+0.04", "0.15", "holds"]
    assert cells[1][3:] == ["−0.20", "0.15", "does not hold"]


def test_wording_sentence() -> None:
    assert audit_tables.wording_sentence([]) == "No wording certificate was made for this report."
    assert "largest score is 0.04" in audit_tables.wording_sentence([row(0.04, True), row(-0.01, True)])
    assert audit_tables.wording_sentence([row(0.04, True), row(-0.2, False)]).startswith("1 of 2 rows do not hold")


def test_recovery_sentence_tells_both_readings_over_all() -> None:
    common = {"options": 8, "recovered": 7, "readings": 4, "whole": 3, "low": 0.3, "high": 0.95}
    rows = [
        {"reading": "first reading", "coder": "all", "axis": "all", "kind": "all"} | common,
        {"reading": "first reading", "coder": "x", "axis": "all", "kind": "all"} | common,
    ]
    rows = [row | {"placed": 1} for row in rows]
    told = audit_tables.recovery_sentence(rows, set(), 8)
    assert told.count("First reading") == 1 and "7 of 8 options" in told and "[30.0%, 95.0%]" in told
    assert "by 1 software coder; the bank has 8 items" in told
    assert "by 1 person;" in audit_tables.recovery_sentence(rows, {"x"}, 8)
    assert audit_tables.recovery_sentence([], set(), 8) == ""
