"""The wording certificate: responders that see the surface of an item alone must end near 0 on every axis and scale.

Each sees one thing (length, words shared with the stem, the status quo, a number, words of benefit, reading grade, a
public body) and chooses by it. One that ends far from 0 shows that a pole could be guessed without reading the policy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from divisionbell.estimate.scale import AXES, SCALES
from divisionbell.model.classes import Bank
from divisionbell.validate.surface import SURFACES, chosen_pole

DEFAULT_LIMIT = 0.15
KIND = {"concrete": "concrete_action", "implicit": "implicit_action"}


def surface_limit(settings: Bank) -> float:
    """The limit that the bank sets, 0.15 where it sets none."""
    limit = settings.wording_limits.max_surface_lean
    return DEFAULT_LIMIT if limit is None else float(limit)


def pair_leans(dossier: Mapping[str, Any], scale: str, surface: str) -> float | None:
    """Mean coordinate that a surface responder chooses over a dossier's items of one scale; None without an item."""
    items = [item for item in dossier["items"] if item["kind"] == KIND[scale]]
    return fmean(chosen_pole(item, dossier["axis"], surface) for item in items) if items else None


def wording_certificate(dossiers: Iterable[Mapping[str, Any]], limit: float) -> list[dict[str, Any]]:
    """One row per surface, axis and scale that has items.

    Keys: `surface`, `axis`, `scale`; `score` in [-1, 1], the mean over families of the mean over their dossiers of
    `pair_leans`, as a model's score is made; `families`; `limit` and `holds`, whether |score| <= limit; `carried_by`,
    the dossiers whose pair leans the way of the score, as [dossier id, lean].
    """
    listed = list(dossiers)
    rows = []
    for surface in SURFACES:
        for axis in AXES:
            for scale in SCALES:
                by_family: dict[str, list[float]] = defaultdict(list)
                leans: list[tuple[str, float]] = []
                for dossier in listed:
                    lean = pair_leans(dossier, scale, surface) if dossier["axis"] == axis else None
                    if lean is not None:
                        by_family[dossier["issue_family"]].append(lean)
                        leans.append((dossier["dossier_id"], lean))
                if not by_family:
                    continue
                score = fmean(fmean(found) for found in by_family.values()) + 0.0
                rows.append(
                    {
                        "surface": surface,
                        "axis": axis,
                        "scale": scale,
                        "score": score,
                        "families": len(by_family),
                        "limit": limit,
                        "holds": abs(score) <= limit,
                        "carried_by": [[name, lean] for name, lean in leans if lean * score > 0],
                    }
                )
    return rows
