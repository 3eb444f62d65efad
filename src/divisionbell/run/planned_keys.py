"""The units that a stored run should hold, worked out from its header and its frozen bank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.prompt import ORDERS
from divisionbell.run.unit_key import SHARED, UnitKeys

# What two parts of one run must have in common.
CONFIGURATION = (*SHARED, "form", "repeats")


def planned_keys(bank: FrozenBank, header: Mapping[str, Any]) -> dict[str, tuple[str, str, int]]:
    """Unit key -> item, order and repeat, in the order of the plan, for the whole run that a header is of; for a shard
    too it is the whole run. Raises UsageProblem where the bank has no such form."""
    keys = UnitKeys(header)
    return {
        keys.key(asked.item.item_id, order, repeat): (asked.item.item_id, order, repeat)
        for repeat in range(1, int(header["repeats"]) + 1)
        for asked in bank.form(header["form"])
        for order in ORDERS
    }
