"""On which line of its journal a unit stands."""

from __future__ import annotations

from pathlib import Path

from divisionbell.run.journal import JOURNAL, each_unit


def standing_lines(folder: Path) -> dict[str, int]:
    """Unit key -> line, from 1, of what stands of the unit: a transport failure gives way to what was obtained later.

    Raises Findings as `each_unit`.
    """
    return {unit["unit_key"]: line for line, (unit, _) in enumerate(each_unit(folder / JOURNAL), start=1)}
