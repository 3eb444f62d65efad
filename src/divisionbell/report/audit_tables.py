"""The tables of the audits: the two certificates, the parties, and what blind coders recovered."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from divisionbell.report.evidence import ReportInput
from divisionbell.report.tables import Cell, Table, text
from divisionbell.report.words import UNDEFINED, count, finite, many, percent, signed, span

SETS = ("admitted", "all judged")


def certificate(rows: list[dict[str, Any]]) -> Table:
    head = ("Scripted responder", "Axis", "Scale", "Expected", "Found", "Holds")
    table = Table("Null responders: what arithmetic demands and what was found", head)
    for row in rows:
        holds = row.get("holds")
        verdict = "reported only" if holds is None else "holds" if holds else "does not hold"
        cells = [text(str(row.get("respondent", "")), heading=True)]
        cells += [text(str(row.get(key, ""))) for key in ("axis", "scale")]
        cells += [Cell(_plain(row.get("expected"))), Cell(_plain(row.get("found"))), Cell(verdict, muted=holds is None)]
        table.groups.append([cells])
    return table


def certificate_sentence(rows: list[dict[str, Any]]) -> str:
    failed = sum(row.get("holds") is False for row in rows)
    if not rows:
        return "No certificate was made for this report."
    if failed:
        do = "does" if failed == 1 else "do"
        return f"{count(failed)} of {count(len(rows))} rows {do} not hold: no number on this page can be relied on."
    return "Every row that can be judged holds."


def wording(rows: list[dict[str, Any]]) -> Table:
    head = ("Sees only", "Axis", "Scale", "Score", "Limit", "Holds")
    table = Table("Surface responders: scores of those who cannot read for meaning", head, frozenset({3, 4}))
    for row in rows:
        cells = [text(str(row.get("surface", "")).replace("-", " "), heading=True)]
        cells += [text(str(row.get(key, ""))) for key in ("axis", "scale")]
        cells += [Cell(_plain(row.get("score")), numeric=True), Cell(f"{row['limit']:.2f}", numeric=True)]
        table.groups.append([[*cells, Cell("holds" if row.get("holds") else "does not hold")]])
    return table


def wording_sentence(rows: list[dict[str, Any]]) -> str:
    """What the wording certificate came to."""
    if not rows:
        return "No wording certificate was made for this report."
    failed = sum(not row.get("holds") for row in rows)
    if failed:
        return f"{count(failed)} of {count(len(rows))} rows do not hold: a pole of these items can be guessed in part."
    largest = max(abs(row["score"]) for row in rows)
    return f"Every row holds; the largest score is {largest:.2f} in size."


def recovery_sentence(rows: list[dict[str, Any]], people: Collection[str], items: int) -> str:
    """What blind coders recovered, in words, and who they were; empty where nobody coded blind.

    `people` are the coders that are persons, `items` the number of items in the bank.
    """
    coders = sorted({row["coder"] for row in rows} - {"all"})
    if not coders:
        return ""
    kinds = " and ".join(
        many(number, *kind)
        for number, kind in (
            (sum(coder in people for coder in coders), ("person", "people")),
            (sum(coder not in people for coder in coders), ("software coder", "software coders")),
        )
        if number
    )
    told = [f"Items were read blind, without keys or titles, by {kinds}; the bank has {count(items)} items."]
    told += [
        f"{row['reading'].capitalize()}: axis and pole of {count(row['recovered'])} of {count(row['options'])} options "
        f"recovered, both options in {count(row['whole'])} of {count(row['readings'])} readings "
        f"[{percent(row['low'])}, {percent(row['high'])}]; {count(row['placed'])} readings named a country."
        for row in rows
        if row["coder"] == row["axis"] == row["kind"] == "all"
    ]
    return " ".join(told)


def _plain(found: object) -> str:
    number = finite(found)
    if number is not None:
        return signed(number)
    if found is None:
        return UNDEFINED
    if isinstance(found, list | tuple):
        return " to ".join(_plain(part) for part in found)
    return str(found)


def parties(given: ReportInput) -> Table:
    head = (
        "Party",
        "Axis",
        "Admitted divisions",
        "Positions",
        "Missing",
        "All judged divisions",
        "Positions",
        "Missing",
    )
    caption = "Key audit: scores of parties from their recorded votes"
    table = Table(caption, head, frozenset(range(2, 8)))
    found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in given.parties:
        place = (str(row.get("party", "")), str(row.get("axis", "")))
        found.setdefault(place, {})[str(row.get("set", ""))] = row
    for (party, axis), by_set in sorted(found.items()):
        cells = [text(party, heading=True), text(axis.capitalize())]
        for name in SETS:
            cells += _party_cells(by_set.get(name))
        table.groups.append([cells])
    table.notes.append(
        "Below a score: the bounds that missing positions leave open, where any are. Each division counts by the "
        "shares of the party's votes; as a run a party answers it wholly to the side of its majority, so its two "
        "scores differ a little."
    )
    return table


def _party_cells(row: dict[str, Any] | None) -> list[Cell]:
    if row is None:
        return [Cell("not given", numeric=True, muted=True)] * 3
    score = finite(row.get("value", row.get("score")))
    low, high = finite(row.get("low")), finite(row.get("high"))
    lines = [] if score is not None else [str(row.get("undefined_because") or "it has no position on any division")]
    if low is not None and high is not None:
        lines.append(f"bounds {span(low, high)}")
    n, gone = finite(row.get("n", row.get("positions"))), finite(row.get("missing"))
    first = Cell(UNDEFINED if score is None else signed(score), tuple(lines), numeric=True, muted=score is None)
    return [first, *(Cell("not given" if x is None else count(x), numeric=True, muted=x is None) for x in (n, gone))]


def axis_swap_sentence(given: ReportInput) -> str:
    """How well the survey tells the two axes apart, where it was counted."""
    swap = given.axis_swap
    if swap is None:
        return "How many reviews would survive an exchange of the survey's two fields was not counted for this report."
    survived, of = finite(swap.get("survived")), finite(swap.get("reviews"))
    if survived is None or of is None:
        return "How many reviews would survive an exchange of the survey's two fields is undefined."
    return (
        f"With the survey's economic and social fields exchanged, {count(survived)} of {count(of)} party-space reviews "
        "would still pass: they confirm a direction, not the axis."
    )
