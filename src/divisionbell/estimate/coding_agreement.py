"""What blind coders recovered: axis and pole of every option, by coder, axis and kind, with intervals.

The unit of an interval is the item, since the poles of its two options are opposite and so not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.canonical import option_order, surface_sha256
from divisionbell.statistics.agreement import krippendorff_alpha
from divisionbell.statistics.proportion import wilson

FIRST, CURRENT = "first reading", "current wording"
ALL = "all"


@dataclass(frozen=True)
class Read:
    """One blind coding of one item, held against its key. `recovered` counts the options with axis and pole right."""

    item_id: str
    coder: str
    axis: str
    kind: str
    current: bool
    recovered: int
    category: Hashable
    placed: str | None
    preferred: str | None


def readings(dossiers: Iterable[Mapping[str, Any]]) -> list[Read]:
    """Every blind coding in the order of dossiers, items as recorded."""
    found = []
    for dossier in dossiers:
        items = {item["item_id"]: item for item in dossier["items"]}
        for coding in dossier.get("codings", []):
            item = items.get(coding["coded_item"])
            if item is None or not coding["blind"]:
                continue
            poles = (coding["coded_pole_of_a"], coding.get("coded_pole_of_b"))
            right = coding["coded_axis"] == dossier["axis"]
            stored = option_order(dossier["axis"], item)
            recovered = sum(right and said == pole for said, pole in zip(poles, stored, strict=True))
            guess = coding.get("guessed_preference")
            order = dict(zip("AB", stored, strict=True))
            found.append(
                Read(
                    item["item_id"],
                    coding["coded_by"],
                    dossier["axis"],
                    str(item["kind"]),
                    coding.get("coded_text_sha256") == surface_sha256(item),
                    recovered,
                    (coding["coded_axis"], *poles),
                    coding.get("guessed_country"),
                    order.get(guess) if guess else None,
                )
            )
    return found


def _latest(reads: Iterable[Read], which: str) -> list[Read]:
    """One reading an item and coder: the first one, or the last one of the current wording."""
    kept: dict[tuple[str, str], Read] = {}
    for read in reads:
        key = (read.item_id, read.coder)
        if which == FIRST:
            kept.setdefault(key, read)
        elif read.current:
            kept[key] = read
    return list(kept.values())


def _groups(reads: list[Read]) -> Iterator[tuple[str, str, str, list[Read]]]:
    for coder in (*sorted({read.coder for read in reads}), ALL):
        for axis in ("economic", "social", ALL):
            for kind in ("concrete_action", "implicit_action", ALL):
                chosen = [
                    read
                    for read in reads
                    if coder in (read.coder, ALL) and axis in (read.axis, ALL) and kind in (read.kind, ALL)
                ]
                if chosen:
                    yield coder, axis, kind, chosen


def recovery(dossiers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows by reading ("first reading", "current wording"), coder, axis and kind, "all" standing for every one.

    Keys: `options` coded and `recovered` ones, `share`; `readings`, `whole` ones with both options right, and `low`,
    `high`, Wilson's 95 % interval of whole / readings (readings of one item by several coders count as one each, so
    the interval of "all" coders is too narrow where they err together); `placed` readings that name a country;
    `preferred_negative`, `preferred_positive`: readings that guess the author's wish.
    """
    found = readings(dossiers)
    rows = []
    for which in (FIRST, CURRENT):
        for coder, axis, kind, reads in _groups(_latest(found, which)):
            whole, count = sum(read.recovered == 2 for read in reads), len(reads)
            interval = wilson(whole, count)
            assert interval is not None
            wishes = Counter(read.preferred for read in reads)
            rows.append(
                {
                    "reading": which,
                    "coder": coder,
                    "axis": axis,
                    "kind": kind,
                    "options": 2 * count,
                    "recovered": sum(read.recovered for read in reads),
                    "share": sum(read.recovered for read in reads) / (2 * count),
                    "readings": count,
                    "whole": whole,
                    "low": interval.low,
                    "high": interval.high,
                    "placed": sum(read.placed is not None for read in reads),
                    "preferred_negative": wishes["negative"],
                    "preferred_positive": wishes["positive"],
                }
            )
    return rows


def alpha(dossiers: Iterable[Mapping[str, Any]], which: str) -> float | None:
    """Krippendorff's alpha between coders on axis and poles together, nominal, over the items of one reading."""
    by_item: dict[str, list[Hashable]] = {}
    for read in _latest(readings(dossiers), which):
        by_item.setdefault(read.item_id, []).append(read.category)
    return krippendorff_alpha(list(by_item.values()))
