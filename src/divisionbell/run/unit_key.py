"""The key of a unit: a digest over everything that makes it itself, its repeat included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divisionbell.bank.canonical import jcs, sha256_hex

# What all units of a run share; the form and the number of repeats are left out, so that a unit is the same in either.
SHARED = (
    "respondent",
    "constrained",
    "settings",
    "bank_version",
    "bank_sha256",
    "template_sha256",
    "parser_used",
    "reasoning_tags",
)


class UnitKeys:
    """The keys of the units of one run, from its configuration or its header."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self._heads: dict[tuple[str, str], bytes] = {}
        self._tail = b',"run":' + jcs({name: told[name] for name in SHARED if name in told}) + b"}"

    def key(self, item: str, order: str, repeat: int) -> str:
        """SHA-256 of the RFC 8785 form of {item, order, repeat, run}, put together from its parts."""
        head = self._heads.get((item, order))
        if head is None:
            head = self._heads[item, order] = b'{"item":"%b","order":"%b","repeat":' % (item.encode(), order.encode())
        return sha256_hex(b"%b%d%b" % (head, repeat, self._tail))
