"""What Inspect finds under the name divisionbell: its entry point names this module."""

from __future__ import annotations

from divisionbell.export.harness.inspect_task import (
    answered,
    ask_with_one_reminder,
    bank,
    bank_scores,
    outcome,
    position,
)

__all__ = ["answered", "ask_with_one_reminder", "bank", "bank_scores", "outcome", "position"]
