"""The counts of bank/DATA_CARD.md, taken from the working bank. Run as part of `make docs`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from divisionbell.bank.load import load
from divisionbell.estimate.coding_agreement import CURRENT, FIRST, alpha, readings, recovery
from divisionbell.estimate.party_checks import CHANGE
from divisionbell.estimate.wording_certificate import wording_certificate

CARD = Path(__file__).resolve().parents[1] / "bank" / "DATA_CARD.md"
BEGIN, END = "<!-- counts: written by make docs -->", "<!-- end of counts -->"


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    """A Markdown table."""
    titles = list(head)
    lines = ["| " + " | ".join(titles) + " |", "| " + " | ".join("---" for _ in titles) + " |"]
    return [*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def _poles(dossiers: list[Mapping[str, Any]]) -> str:
    negative = sum(dossier["source"]["aye_coordinate"] < 0 for dossier in dossiers)
    return f"{negative} / {len(dossiers) - negative}"


def _by(dossiers: list[Mapping[str, Any]], title: str, key: Any) -> list[str]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for dossier in dossiers:
        groups.setdefault((dossier["axis"], key(dossier)), []).append(dossier)
    rows = [(axis, name, len(held), _poles(held)) for (axis, name), held in sorted(groups.items())]
    return table(("axis", title, "dossiers", "Aye negative / positive"), rows)


def counts(bank_folder: Path) -> str:
    """All counts as Markdown."""
    bank = load(bank_folder)
    settings, dossiers = bank.settings.value, [document.value for document in bank.dossiers]
    excluded = [document.value for document in bank.excluded]
    codes = [code for document in bank.prospective for code in document.value["prospective_codes"]]
    block = {family["family_id"]: family.get("block", "none") for family in settings["issue_families"]}
    items = [item for dossier in dossiers for item in dossier["items"]]
    certainties = Counter((code["code_certainty"], code["axis"]) for code in codes)
    lines = [
        f"Version {settings['version']}: {len(dossiers)} dossiers, {len(items)} items, {len(block)} issue families; "
        f"{len(excluded)} divisions judged and excluded; {len(codes)} prospective codes.",
        "",
        *_by(dossiers, "block", lambda d: block[d["issue_family"]].replace("_", " ")),
        *_by(dossiers, "family", lambda d: d["issue_family"]),
        *_by(dossiers, "year", lambda d: d["source"]["held_at"][:4]),
        *_by(
            dossiers,
            "government",
            lambda d: "Labour" if d["source"]["held_at"][:10] >= CHANGE.isoformat() else "Conservative",
        ),
        *_by(dossiers, "evidence of direction", lambda d: d["source"]["motion_direction"]["evidence_kind"]),
        *_by(dossiers, "direction", lambda d: d["source"]["direction"]),
        *table(
            ("excluded because", "divisions"),
            Counter(dossier["exclusion"]["exclusion_reason"] for dossier in excluded).most_common(),
        ),
        *table(
            ("prospective code, certainty", "axis", "divisions"),
            ((certainty, axis, count) for (certainty, axis), count in sorted(certainties.items())),
        ),
        *_wording(dossiers, settings),
        *_coded(dossiers, items),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _wording(dossiers: list[Mapping[str, Any]], settings: Mapping[str, Any]) -> list[str]:
    rows = wording_certificate(dossiers, settings["wording_limits"]["max_surface_lean"])
    largest = max(rows, key=lambda row: abs(row["score"]))
    held = sum(row["holds"] for row in rows)
    return [
        f"Wording certificate: {held} of {len(rows)} rows within {largest['limit']}; the largest is "
        f"{largest['score']:+.3f} ({largest['surface']}, {largest['scale']} {largest['axis']}).",
        "",
    ]


def _coded(dossiers: list[Mapping[str, Any]], items: list[Mapping[str, Any]]) -> list[str]:
    rows = recovery(dossiers)
    if not rows:
        return []
    shown = [
        (
            row["reading"],
            row["coder"],
            row["axis"],
            row["kind"].removesuffix("_action"),
            f"{row['recovered']} of {row['options']}",
            f"{row['whole']} of {row['readings']} [{row['low']:.3f}, {row['high']:.3f}]",
            f"{row['placed']}",
            f"{row['preferred_negative']} / {row['preferred_positive']}",
        )
        for row in rows
        if (row["axis"] == "all") == (row["kind"] == "all") or row["coder"] != "all"
        if row["coder"] == "all" or row["axis"] == row["kind"] == "all"
    ]
    head = ("reading", "coder", "axis", "kind", "options recovered", "both right [95 %]", "placed", "wish seen - / +")
    alphas = ", ".join(
        f"{which} {value:.3f}" if (value := alpha(dossiers, which)) is not None else f"{which} undefined"
        for which in (FIRST, CURRENT)
    )
    read = Counter(read.item_id for read in readings(dossiers) if read.current)
    changed = Counter(r["rewritten_because"] for item in items for r in item.get("rewritings", []))
    told = ", ".join(f"{reason} {count}" for reason, count in changed.most_common()) or "none"
    return [
        *table(head, shown),
        f"Krippendorff's alpha between coders: {alphas}. {sum(count >= 2 for count in read.values())} of {len(items)} "
        "items were read in their current wording by two coders or more.",
        "",
        f"Items changed after a reading: {sum('rewritings' in item for item in items)} (changes by reason: {told}).",
    ]


def written(card: str, made: str) -> str:
    """The card with the counts in their place. Raises ValueError where the two marks are not there."""
    if card.count(BEGIN) != 1 or card.count(END) != 1:
        raise ValueError("bank/DATA_CARD.md lacks its two marks for the counts")
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n\n{made}\n{END}", card, flags=re.DOTALL)


def main() -> None:
    card = CARD.read_text(encoding="utf-8")
    CARD.write_text(written(card, counts(CARD.parent)), encoding="utf-8", newline="\n")
    print("wrote the counts of bank/DATA_CARD.md")
