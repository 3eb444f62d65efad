"""What is said while a run goes on."""

from __future__ import annotations

from typing import Any

import pytest

from divisionbell.cli import progress as module
from divisionbell.cli.progress import Progress


def unit(outcome: str, *attempts: dict[str, Any]) -> dict[str, Any]:
    return {"outcome": outcome, "attempts": list(attempts)}


def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], units: list[dict[str, Any]]) -> str:
    """What is said at the last of `units`, of a run of 10 in which 2 were there; they come 20 seconds apart."""
    clock = iter(20.0 * number for number in range(len(units) + 1))
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    progress = Progress("openai:m", 10, 2)
    for one in units:
        progress.unit(one)
    return capsys.readouterr().err.splitlines()[-1]


def test_rate_time_left_and_parse_rate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    units = [unit("valid_at_first", {}), unit("valid_after_retry", {}, {}), unit("malformed", {}, {})]
    line = told(monkeypatch, capsys, units)
    assert line == "openai:m: 5/10 units, 0.1/s, about 100 s left, 2/3 valid"


def test_cost_is_told_where_the_server_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    units = [unit("valid_after_retry", {"reported_cost": 0.25}, {"reported_cost": 0.5}), unit("malformed", {})]
    assert told(monkeypatch, capsys, units).endswith("1/2 valid, cost 0.75")
