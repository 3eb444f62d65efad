"""Read the figures of a division: a saved file of the official service, or a public copy as JSON lines.

The official file has one object with DivisionId, Date, Number, Title, counts and lists of members. A copy has one
object a line with division_id, date, number, title, counts and votes by party.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.files import read_given
from divisionbell.diagnostics import Findings, UsageProblem, shown_path

# First day of each parliament that the official service covers.
PARLIAMENTS = (date(2015, 5, 7), date(2017, 6, 8), date(2019, 12, 12), date(2024, 7, 4))
WINDOW = timedelta(days=183)
# The largest copy that is known has 40 million bytes.
MAX_BYTES = 200_000_000
PAGE = "https://votes.parliament.uk/votes/commons/division/{}"
SEEN = (
    "The largest number of the party's members recorded in one division (voters and tellers) within 183 days of this "
    "one, in the same parliament and in the copies named. It is a lower bound wherever some members never voted "
    "together, so shares of participation are upper bounds; members counted in both lobbies can raise it by one or two."
)
LISTED = "Voters, tellers and members without a recorded vote, as the official file lists them under the party."


@dataclass(frozen=True)
class Figures:
    """The figures of one division in the words of the schema, and where they stand."""

    source: dict[str, Any]
    copies: list[dict[str, Any]]


def read_figures(path: Path, division_id: int) -> Figures:
    """The figures of one division from a saved official file or a copy.

    Raises UsageProblem where the file cannot be read or does not hold the division, Findings where it holds it badly.
    """
    data = read_given(path, MAX_BYTES, "name the file with --from FILE")
    try:
        whole = orjson.loads(data)
    except orjson.JSONDecodeError:
        whole = None
    try:
        if isinstance(whole, dict) and "DivisionId" in whole:
            if whole["DivisionId"] != division_id:
                raise UsageProblem(
                    f"{shown_path(path)} holds division {whole['DivisionId']}, not {division_id}", "name the right file"
                )
            return _official(whole)
        rows = [whole] if isinstance(whole, dict) else list(_lines(path, data))
        for row in rows:
            if row.get("division_id") == division_id:
                return _copy(row, rows)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise Findings(
            f"{shown_path(path)} does not hold division {division_id} in a form that can be read: {problem!r}"
        ) from None
    raise UsageProblem(f"{shown_path(path)} does not hold division {division_id}", "name a file that does")


def _lines(path: Path, data: bytes) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as problem:
                raise Findings(f"{shown_path(path)}:{number}: is not JSON: {problem}") from None
            if isinstance(row, dict):
                yield row


def _party(member: Mapping[str, Any]) -> str:
    party = member["Party"]
    return "Labour" if party == "Labour (Co-op)" else str(party)


def _official(row: Mapping[str, Any]) -> Figures:
    sides = {
        name: Counter(_party(m) for m in row.get(slot) or [])
        for name, slot in (
            ("aye_voters", "Ayes"),
            ("no_voters", "Noes"),
            ("aye_tellers", "AyeTellers"),
            ("no_tellers", "NoTellers"),
            ("absent", "NoVoteRecorded"),
        )
    }
    parties = {party for name in ("aye_voters", "no_voters", "aye_tellers", "no_tellers") for party in sides[name]}
    counts = [
        {
            "party": party,
            **{name: sides[name][party] for name in ("aye_voters", "no_voters", "aye_tellers", "no_tellers")},
            "members": sum(side[party] for side in sides.values()),
        }
        for party in parties
    ]
    return Figures(
        _source(row["DivisionId"], row["Number"], row["Date"], row["Title"], row["AyeCount"], row["NoCount"], counts)
        | {"title_status": "as_published", "members_basis": LISTED},
        [
            {
                "publisher": "UK Parliament, Commons Votes service",
                "path": f"data/division/{row['DivisionId']}.json",
                "revision": f"updated {row['PublicationUpdated']}",
                "supplies": ["division_id", "number", "held_at", "official_title", "ayes", "noes", "party_counts"],
            }
        ],
    )


def _source(
    division_id: int, number: int, held_at: str, title: str, ayes: int, noes: int, counts: list[dict[str, Any]]
) -> dict[str, Any]:
    counts.sort(key=lambda row: (-(row["aye_voters"] + row["no_voters"]), row["party"]))
    return {
        "division_id": int(division_id),
        "number": int(number),
        "held_at": str(held_at)[:19],
        "official_title": html.unescape(title).strip(),
        "ayes": int(ayes),
        "noes": int(noes),
        "party_counts": counts,
        "official_address": PAGE.format(division_id),
    }


def parliament_of(day: date) -> int:
    """The index of the parliament that sat on a day."""
    return sum(day >= first for first in PARLIAMENTS)


def _voters(row: Mapping[str, Any]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for slot in ("parties", "tellers"):
        for party, sides in (row.get(slot) or {}).items():
            seen[party] += int(sides["aye"]) + int(sides["no"])
    return seen


def _members(row: Mapping[str, Any], rows: list[dict[str, Any]]) -> Counter[str]:
    """Most members of each party seen in one division around this one."""
    day = date.fromisoformat(row["date"][:10])
    most: Counter[str] = Counter()
    for other in rows:
        if not other.get("parties"):
            continue
        then = date.fromisoformat(other["date"][:10])
        if abs(then - day) <= WINDOW and parliament_of(then) == parliament_of(day):
            for party, seen in _voters(other).items():
                most[party] = max(most[party], seen)
    return most


def _copy(row: Mapping[str, Any], rows: list[dict[str, Any]]) -> Figures:
    if not row.get("parties"):
        raise Findings(f"division {row['division_id']} has totals only: no party counts, so no party-space review")
    most = _members(row, rows)
    tellers = row.get("tellers") or {}
    counts = [
        {
            "party": party,
            "aye_voters": int(row["parties"].get(party, {}).get("aye", 0)),
            "no_voters": int(row["parties"].get(party, {}).get("no", 0)),
            "aye_tellers": int(tellers.get(party, {}).get("aye", 0)),
            "no_tellers": int(tellers.get(party, {}).get("no", 0)),
            "members": most[party],
        }
        for party in dict.fromkeys([*row["parties"], *tellers])
    ]
    votes = row["party_source"]
    return Figures(
        _source(row["division_id"], row["number"], row["date"], row["title"], row["aye_count"], row["no_count"], counts)
        | {"title_status": "as_in_the_copy", "members_basis": SEEN},
        [
            {
                "publisher": row["source_repo"],
                "path": row["source_path"],
                "revision": row["source_commit"],
                "supplies": ["division_id", "number", "held_at", "official_title", "ayes", "noes"],
            },
            {
                "publisher": votes["repo"],
                "path": votes["path"],
                "revision": votes["commit"],
                "supplies": ["party_counts"],
            },
        ],
    )
