"""Where runs lie, and what a run folder holds."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.run.journal import HEADER, JOURNAL, latest, parse_journal, read_header


@dataclass(frozen=True)
class Run:
    """A run as stored: its folder, header and the standing line of each unit, in the order of the journal."""

    folder: Path
    header: Mapping[str, Any]
    units: tuple[dict[str, Any], ...]

    @property
    def missing(self) -> int:
        """How many units are not there, or are there as transport failures."""
        obtained: int = sum(unit["outcome"] != "transport_failed" for unit in self.units)
        return int(self.header["unit_count"]) - obtained


def slug(respondent: str) -> str:
    """A respondent's name as a folder name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", respondent).strip("-.")[:80] or "respondent"


def new_run(version: str, respondent: str, out: Path | None) -> tuple[Path, str]:
    """The folder and the id of a new run; without `out` it is runs/<version>/<respondent>/<UTC time>."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    run_id = f"{slug(respondent)}-{stamp}-{secrets.token_hex(3)}"
    if out is not None:
        return out, run_id
    folder = Path("runs") / version / slug(respondent) / stamp
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{stamp}-{number}")
    return folder, run_id


def read_run(folder: Path) -> Run:
    """Read a run folder. Raises UsageProblem where it is none, Findings where it cannot be read."""
    header = read_header(folder) if folder.is_dir() else None
    if header is None:
        raise UsageProblem(
            f"{shown_path(folder)} is no run: it has no {HEADER}", "name a run folder; divisionbell runs list"
        )
    units, _ = parse_journal(folder / JOURNAL)
    return Run(folder, header, tuple(latest(units).values()))


def find_runs(root: Path) -> list[Path]:
    """Every run folder below `root`, sorted."""
    return sorted(path.parent for path in root.rglob(HEADER)) if root.is_dir() else []
