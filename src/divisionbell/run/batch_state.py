"""What a run folder keeps between the batches of a run: the file batch.json, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from divisionbell.diagnostics import Findings, shown_path
from divisionbell.freeze.freeze import write_whole
from divisionbell.run.batch_formats import unit_of
from divisionbell.run.regular import open_regular

STATE = "batch.json"
DROPPABLE = ("temperature",)


@dataclass
class BatchState:
    """`sent` are the ids of requests that no result was imported for; `first` holds, by unit key, the provider's own
    line of each malformed first reply whose retry is not done; `without` are the parameters that are left out."""

    without: tuple[str, ...] = ()
    sent: set[str] = field(default_factory=set)
    first: dict[str, dict[str, Any]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write it to the run folder. Raises OSError."""
        value = {"without": list(self.without), "sent": sorted(self.sent), "first": self.first}
        write_whole(folder / STATE, (json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n").encode("ascii"))


def read_state(folder: Path) -> BatchState | None:
    """The state in a run folder, None where there is none. Raises Findings where it cannot be read."""
    path = folder / STATE
    try:
        with open_regular(path) as file:
            value = json.loads(file.read())
        without, sent, first = value["without"], value["sent"], value["first"]
        fits = _names(without, DROPPABLE) and isinstance(sent, list) and isinstance(first, dict)
        fits = fits and all(isinstance(name, str) and unit_of(name) for name in sent)
        if not fits or not all(isinstance(line, dict) for line in first.values()):
            raise ValueError("it does not hold what this program writes")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as problem:
        raise Findings(f"{shown_path(path)} cannot be read: {problem!r:.200}", fix="restore it") from None
    return BatchState(tuple(without), set(sent), first)


def _names(value: object, known: Iterable[str]) -> bool:
    return isinstance(value, list) and set(map(str, value)) <= set(known)
