"""Find the frozen version that a verb is about."""

from __future__ import annotations

from divisionbell.freeze.named_version import frozen_bank

__all__ = ["frozen_bank"]
