"""What a run lacks, each unit once, and the way on where no batch is between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from divisionbell.run.find_runs import Run
from divisionbell.run.way_on import held_by_batch, left, way_on

HEADER: dict[str, Any] = {"respondent": "openai:m", "settings": {}, "form": "short", "repeats": 1, "unit_count": 3}
UNIT = {"outcome": "valid_at_first", "attempts": []}
FAILED = {"outcome": "transport_failed", "attempts": []}


def way(units: tuple[dict[str, Any], ...] = (), folder: str = "r", **more: Any) -> str:
    return way_on(Run(Path(folder), HEADER | more, units))


def test_what_is_missing_and_what_was_not_reached_are_told_apart() -> None:
    assert str(left(Run(Path("r"), HEADER, (UNIT, FAILED)))) == (
        "1 of 3 units are there; 1 was not reached, 1 is missing"
    )
    assert str(left(Run(Path("r"), HEADER, ()))) == "0 of 3 units are there; 3 are missing"
    assert str(left(Run(Path("r"), HEADER, (UNIT, UNIT, UNIT)))) == "3 of 3 units are there"
    assert way((UNIT,)) == "divisionbell run --resume --out r"
    assert way((UNIT, FAILED)) == "divisionbell run --resume --failed --out r"
    assert held_by_batch(Path("r")) == frozenset()


def test_a_run_of_a_log_is_gone_on_with_where_it_was_asked() -> None:
    assert way(respondent="inspect:openai/m") == "inspect eval-retry LOG, and make a run of the log that it writes"
