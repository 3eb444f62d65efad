"""The key audit by members, where a user supplies their votes: no key is reversed against the others of its axis."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from divisionbell.bank.files import read_given
from divisionbell.diagnostics import Findings, shown_path
from divisionbell.estimate.scale import AXES
from divisionbell.freeze.frozen_bank import FrozenBank

COLUMNS = ("division_id", "member", "party", "vote")
MIN_DIVISIONS = 5
MIN_MEMBERS = 20
MAX_BYTES = 200_000_000


@dataclass(frozen=True)
class Vote:
    """One member's vote in one division: 1 for Aye, -1 for No."""

    division_id: int
    member: str
    party: str
    sign: int


def read_votes(path: Path) -> list[Vote]:
    """Member votes from a CSV with the columns division_id, member, party and vote (aye or no).

    A member counted in both lobbies of a division abstained in effect and is left out of it. Raises Findings with file
    and line where a row cannot be read.
    """
    found: dict[tuple[int, str], list[Vote]] = defaultdict(list)
    data, shown = read_given(path, MAX_BYTES, "name the file with --members FILE"), shown_path(path)
    try:
        table = csv.DictReader(io.StringIO(data.decode("utf-8-sig")), strict=True)
        missing = set(COLUMNS) - set(table.fieldnames or ())
        if missing:
            raise Findings(
                f"{shown}:1: lacks the columns {', '.join(sorted(missing))}",
                fix="name them " + ", ".join(COLUMNS),
            )
        for row in table:
            told = {name: (row[name] or "").strip() for name in COLUMNS}
            sign = {"aye": 1, "no": -1}.get(told["vote"].lower())
            readable = all(value.isprintable() for value in told.values())
            if sign is None or not told["division_id"].isdecimal() or not told["member"] or not readable:
                raise Findings(
                    f"{shown}:{table.line_num}: is no member's vote",
                    fix="write a division's id, a member, aye or no",
                )
            vote = Vote(int(told["division_id"]), told["member"], told["party"], sign)
            found[vote.division_id, vote.member].append(vote)
    except (UnicodeDecodeError, csv.Error, ValueError) as problem:
        raise Findings(f"{shown}: cannot be read: {problem}", fix="save it as CSV in UTF-8") from None
    return [cast[0] for cast in found.values() if len({vote.sign for vote in cast}) == 1]


def member_audit(bank: FrozenBank, cast: Iterable[Vote]) -> list[dict[str, Any]]:
    """One row per axis over the admitted divisions that the votes hold.

    Keys: `axis`; `divisions` voted on, `members` with at least 5 of them; `parties`, rows {party, members, mean, low,
    high}: members' mean coordinates, their mean and the 5th and 95th percentile; `dossiers`, rows {dossier, members,
    item_rest}: the correlation between a member's coordinate on the division and the mean of the same member's others
    (corrected item-total correlation; Nunnally and Bernstein 1994, ch. 8), left out below 20 members or without
    variance; `against`, the dossiers where it is negative, whose key or reading should be looked at. Free votes may
    well stand against a party axis; nothing here shows what an item measures.
    """
    keys = {d.source.division_id: (d.axis, d.source.aye_coordinate, str(d.dossier_id)) for d in bank.dossiers}
    rows = []
    listed = [vote for vote in cast if vote.division_id in keys]
    for axis in AXES:
        held: dict[str, dict[str, float]] = defaultdict(dict)
        party: dict[str, str] = {}
        for vote in listed:
            of_axis, coordinate, dossier = keys[vote.division_id]
            if of_axis == axis:
                held[vote.member][dossier] = float(vote.sign * coordinate)
                party[vote.member] = vote.party
        kept = {member: found for member, found in held.items() if len(found) >= MIN_DIVISIONS}
        dossiers = sorted({dossier for found in held.values() for dossier in found})
        items = [_item_rest(dossier, kept) for dossier in dossiers]
        rows.append(
            {
                "axis": axis,
                "divisions": len(dossiers),
                "members": len(kept),
                "parties": _by_party(kept, party),
                "dossiers": items,
                "against": [item["dossier"] for item in items if item.get("item_rest", 0) < 0],
            }
        )
    return rows


def _by_party(kept: dict[str, dict[str, float]], party: dict[str, str]) -> list[dict[str, Any]]:
    scores: dict[str, list[float]] = defaultdict(list)
    for member, found in kept.items():
        scores[party[member]].append(float(np.mean(list(found.values()))))
    return [
        {
            "party": name,
            "members": len(own),
            "mean": float(np.mean(own)),
            "low": float(np.quantile(own, 0.05)),
            "high": float(np.quantile(own, 0.95)),
        }
        for name, own in sorted(scores.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]


def _item_rest(dossier: str, kept: dict[str, dict[str, float]]) -> dict[str, Any]:
    voted = [found for found in kept.values() if dossier in found]
    own = np.array([found[dossier] for found in voted])
    rest = np.array([np.mean([value for name, value in found.items() if name != dossier]) for found in voted])
    made: dict[str, Any] = {"dossier": dossier, "members": len(voted)}
    if len(voted) >= MIN_MEMBERS and np.ptp(own) > 0 and np.ptp(rest) > 0:
        made["item_rest"] = float(np.corrcoef(own, rest)[0, 1])
    return made
