"""Whether what was asked is enough for a position to be told, and if not, what is lacking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from divisionbell.freeze.frozen_bank import Asked

DOSSIERS_A_FAMILY = 2
NAMED = 3  # families that are named as lacking


def dossiers_asked(items: Iterable[Asked]) -> dict[str, dict[str, int]]:
    """Axis -> family -> number of dossiers with concrete pairs; both axes, each with at least one family."""
    found: dict[str, Counter[str]] = {"economic": Counter(), "social": Counter()}
    seen: set[str] = set()
    for asked in items:
        dossier = asked.dossier
        if asked.item.kind == "concrete_action" and dossier.dossier_id not in seen:
            seen.add(dossier.dossier_id)
            found[str(dossier.axis)][str(dossier.issue_family)] += 1
    return {axis: dict(families) for axis, families in found.items()}


def lacking(asked: Mapping[str, Mapping[str, int]], minimum_families: int) -> list[str]:
    """What each axis lacks for a position to be told, in a clause each; empty where it is enough.

    `asked` is axis -> family -> dossiers. An axis needs `minimum_families` families, and each family two dossiers.
    """
    made = []
    for axis, families in asked.items():
        if len(families) < minimum_families:
            made.append(f"{axis} has {len(families)} of the {minimum_families} issue families that are needed")
        thin = sorted(family for family, dossiers in families.items() if dossiers < DOSSIERS_A_FAMILY)
        if thin and len(thin) == len(families):
            made.append(f"every {axis} family has one dossier where {DOSSIERS_A_FAMILY} are needed")
        elif thin:
            named = ", ".join(thin[:NAMED]) + (" …" if len(thin) > NAMED else "")
            some = "1 family has" if len(thin) == 1 else f"{len(thin)} families have"
            made.append(f"of {len(families)} {axis} families {some} one dossier where two are needed ({named})")
    return made
