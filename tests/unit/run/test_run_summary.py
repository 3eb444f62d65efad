"""What a run came to: nothing that was not counted is 0, and rates are of what was read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from divisionbell.run.find_runs import Run
from divisionbell.run.run_summary import run_summary, summary_lines

HEADER = {
    "run_id": "r-1",
    "respondent": "openai:m",
    "constrained": False,
    "settings": {"temperature": 0},
    "bank_version": "1.0.0",
    "bank_sha256": "ab" * 32,
    "form": "short",
    "repeats": 1,
    "unit_count": 5,
    "started_at": "2026-01-01T00:00:00Z",
}


def attempt(number: int = 1, reading: str = "ok", **more: Any) -> dict[str, Any]:
    return {"attempt_number": number, "reading": reading, "transport_retries": 0} | more


def unit(outcome: str, *attempts: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": outcome, "attempts": list(attempts), "finished_at": "2026-01-01T00:01:00Z"}


UNITS = (
    unit("valid_at_first", attempt(input_tokens=10, cached_tokens=4, served_model="m", latency_seconds=0.5)),
    unit("valid_after_retry", attempt(reading="no_json", input_tokens=10), attempt(2, input_tokens=20)),
    unit("malformed", attempt(reading="no_json"), attempt(2, "no_json", served_model="n", latency_seconds=1.5)),
    unit("transport_failed", attempt(reading="transport", transport_retries=3)),
)


def test_counts_and_rates() -> None:
    told = run_summary(Run(Path("r"), HEADER, UNITS))
    assert told["state"] == "incomplete"
    assert told["units"] == {"planned": 5, "there": 4, "missing": 2}
    assert (told["parse_rate_at_first"], told["parse_rate"]) == (1 / 3, 2 / 3)
    assert told["first_readings"] == {"no_json": 2, "ok": 1, "transport": 1}
    assert (told["calls"], told["transport_retries"]) == (6, 3)
    assert told["tokens"]["input_tokens"] == {"sum": 40, "counted": 3}
    assert told["tokens"]["output_tokens"] == {"sum": 0, "counted": 0}
    assert told["latency_seconds"] == {"median": 0.5, "p95": 0.5, "longest": 1.5}


def test_cost_is_what_the_server_says_and_unknown_where_it_says_nothing() -> None:
    told = run_summary(Run(Path("r"), HEADER, UNITS))
    assert told["reported_cost"] == {"sum": 0, "counted": 0} and "cost" not in "\n".join(summary_lines(told))
    paid = unit("valid_after_retry", attempt(reported_cost=0.25), attempt(2, reported_cost=0.5))
    told = run_summary(Run(Path("r"), HEADER, (*UNITS, paid)))
    assert told["reported_cost"] == {"sum": 0.75, "counted": 2}
    assert "  cost, as the server counts it: 0.75 (counted in 2 of 8 calls)" in summary_lines(told)


def test_a_person_is_told_what_is_unknown_and_what_is_doubtful() -> None:
    text = "\n".join(summary_lines(run_summary(Run(Path("r"), HEADER, UNITS))))
    assert "40 input (counted in 3 of 6 calls); 4 cached of the input (counted in 1 of 6 calls)" in text
    assert "output" not in text
    assert "served as m (1), n (1)\n  ! more than one" in text
    assert "parse rate 33.3% at first, 66.7% after the retry" in text


def test_a_run_without_a_reply_has_no_rate() -> None:
    told = run_summary(Run(Path("r"), HEADER, ()))
    assert told["parse_rate"] is None
    assert told["latency_seconds"] is None
    assert "parse rate" not in "\n".join(summary_lines(told))
