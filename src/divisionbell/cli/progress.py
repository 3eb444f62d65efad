"""Progress of long work: one line that is rewritten on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from divisionbell.cli.stdout import hint
from divisionbell.run.outcomes import VALID


class Progress:
    """Counts finished units and says how far the run is, at what rate, and what the replies came to so far."""

    def __init__(self, label: str, total: int, done: int) -> None:
        self._label, self._total, self._done = label, total, done
        self._start, self._at_start, self._told = time.monotonic(), done, 0.0
        self._outcomes: Counter[str] = Counter()
        self._cost: float | None = None  # known only where the server says it
        self._live = sys.stderr.isatty()
        self._every = 0.2 if self._live else 10.0

    def unit(self, unit: Mapping[str, Any], paid_before: int = 0) -> None:
        """Count one finished unit; so many of its attempts were made before this run was gone on with."""
        self._done += 1
        self._outcomes[unit["outcome"]] += 1
        for attempt in unit["attempts"][paid_before:]:
            if "reported_cost" in attempt:
                self._cost = (self._cost or 0.0) + attempt["reported_cost"]
        now = time.monotonic()
        if now - self._told >= self._every and now - self._start > 1:
            self._told = now
            self._tell(now)

    def _tell(self, now: float) -> None:
        made = self._done - self._at_start
        rate = made / (now - self._start)
        left = (self._total - self._done) / rate if rate else 0
        valid = sum(self._outcomes[name] for name in VALID)
        line = (
            f"{self._label}: {self._done}/{self._total} units, {rate:.1f}/s, about {left:.0f} s left, "
            f"{valid}/{made} valid" + (f", cost {self._cost:.3g}" if self._cost is not None else "")
        )
        hint(f"\r\x1b[K{line}" if self._live else line, end="" if self._live else "\n")

    def close(self) -> None:
        """End the live line."""
        if self._live and self._told:
            hint("\r\x1b[K", end="")
