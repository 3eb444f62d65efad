"""The party-space cross-check: where the two lobbies of a division stand in survey space (rule 5 of the instrument).

It is evidence of direction only. In this parliament the economic and the social field move together, so it can never
show which axis a division is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from divisionbell.bank.differences import ABSENT, Difference, differences
from divisionbell.bank.document import Path_
from divisionbell.bank.matching import Order

PRIMARY = {"economic": "lrecon", "social": "galtan"}
OTHER = {"economic": "galtan", "social": "lrecon"}
RELATED = {
    "economic": ("redistribution", "spendvtax", "deregulation"),
    "social": ("civlib_laworder", "immigrate_policy", "religious_principles", "womens_rights"),
}
MIN_DIFFERENCE = 0.5
MIN_COVERAGE = 0.75
MIN_COVERED_VOTERS = 20
DECIMALS = 4

# The parties of the House that the survey covers, by every spelling seen in the copies, to the survey's own label.
SURVEY_LABEL = {
    "Conservative": "CONS",
    "Labour": "LAB",
    "Labour (Co-op)": "LAB",
    "Liberal Democrat": "LIBDEM",
    "Scottish National Party": "SNP",
    "Plaid Cymru": "Plaid",
    "Green Party": "GPEW",
    "Reform UK": "REF UK",
}

Values = Mapping[str, Mapping[str, float | None]]
"""Survey label -> field -> value, None where the survey has none."""


@dataclass(frozen=True)
class Lobby:
    """One lobby in survey space. `position` is None where nobody in it is covered, `coverage` where it is empty."""

    position: float | None
    coverage: float | None
    covered_voters: int


def fields(axis: str) -> tuple[str, ...]:
    """The survey fields that a cross-check on this axis is computed from, the deciding one first."""
    return (PRIMARY[axis], OTHER[axis], *RELATED[axis])


def lobby(party_counts: list[Mapping[str, Any]], side: str, field: str, values: Values) -> Lobby:
    """Mean of a survey field over the voters of one lobby ("aye_voters" or "no_voters"), weighted by votes."""
    total = covered = 0
    weighted = 0.0
    for row in party_counts:
        voters = int(row[side])
        total += voters
        label = SURVEY_LABEL.get(row["party"])
        value = values.get(label, {}).get(field) if label is not None else None
        if value is not None:
            covered += voters
            weighted += voters * value
    return Lobby(weighted / covered if covered else None, covered / total if total else None, covered)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS) + 0.0


def _difference(counts: list[Mapping[str, Any]], field: str, values: Values) -> float | None:
    aye, no = (lobby(counts, side, field, values).position for side in ("aye_voters", "no_voters"))
    return None if aye is None or no is None else _rounded(aye - no)


def participation(counts: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Voters, members and share of the four parties with most members, largest first; tellers took part."""
    largest = sorted((r for r in counts if "members" in r), key=lambda r: (-r["members"], r["party"]))[:4]
    made = []
    for row in largest:
        voters = row["aye_voters"] + row["no_voters"] + row["aye_tellers"] + row["no_tellers"]
        share = min(1.0, voters / row["members"])
        made.append(
            {"party": row["party"], "voters": voters, "members": row["members"], "participation_share": _rounded(share)}
        )
    return made


def compute(
    source: Mapping[str, Any], axis: str, values: Values, survey_sha256: str, value_sha256: str
) -> dict[str, Any]:
    """Every figure of the review's `party_space`, rounded to four decimals; what is undefined is left out."""
    counts = source["party_counts"]
    field, other = PRIMARY[axis], OTHER[axis]
    aye, no = (lobby(counts, side, field, values) for side in ("aye_voters", "no_voters"))
    difference, beside = _difference(counts, field, values), _difference(counts, other, values)
    related = [{"field": name, "difference": _difference(counts, name, values)} for name in RELATED[axis]]
    made: dict[str, Any] = {
        "primary_field": field,
        "aye_position": _rounded(aye.position),
        "no_position": _rounded(no.position),
        "difference": difference,
        "aye_coverage": _rounded(aye.coverage),
        "no_coverage": _rounded(no.coverage),
        "aye_covered_voters": aye.covered_voters,
        "no_covered_voters": no.covered_voters,
        "other_axis_field": other,
        "other_axis_difference": beside,
        "axes_told_apart": difference is not None and beside is not None and difference * beside < 0,
        "related_fields": [{k: v for k, v in row.items() if v is not None} for row in related],
        "participation": participation(counts),
        "survey_sha256": survey_sha256,
        "survey_value_sha256": value_sha256,
    }
    return {key: value for key, value in made.items() if value is not None}


def weaknesses(space: Mapping[str, Any]) -> list[str]:
    """Which thresholds the computed figures miss, whatever sign they give."""
    difference = space.get("difference")
    if difference is None:
        return ["a lobby has no voter whose party has a value"]
    weak = []
    if abs(difference) < MIN_DIFFERENCE:
        weak.append(f"the difference of {difference:+.2f} is below {MIN_DIFFERENCE}")
    for side in ("aye", "no"):
        if space.get(f"{side}_coverage", 0.0) < MIN_COVERAGE:
            weak.append(f"coverage of the {side.title()} lobby is below {MIN_COVERAGE}")
        if space[f"{side}_covered_voters"] < MIN_COVERED_VOTERS:
            weak.append(f"the {side.title()} lobby has fewer than {MIN_COVERED_VOTERS} covered voters")
    return weak


def verdict(space: Mapping[str, Any], semantic_coordinate: int) -> tuple[str, int | None, str]:
    """(status, coordinate of an Aye that the figures give, why) from the computed figures and the reading's sign."""
    difference = space.get("difference")
    if difference is None:
        return "not_computable", None, "a lobby has no voter whose party has a value"
    found = 1 if difference > 0 else -1 if difference < 0 else None
    weak = weaknesses(space)
    if found != semantic_coordinate:
        weak.append("the sign is not the one that the motion gives")
    if weak:
        return "rejected", found, "; ".join(weak)
    return "approved", found, "sign as the motion gives, difference, coverage and covered voters above the thresholds"


def _space(*path: str | int) -> Path_:
    return ("reviews", "party_space_crosscheck_v1", "party_space", *path)


@dataclass(frozen=True)
class Inconsistency:
    """One stored figure that cannot stand beside the others; `path` leads to it from the review, `beside` to those
    from the dossier."""

    path: Path_
    message: str
    beside: tuple[Path_, ...] = ()


def inconsistencies(source: Mapping[str, Any], review: Mapping[str, Any], axis: str) -> Iterator[Inconsistency]:
    """What can be checked without the survey: fields, coverage, covered voters, difference, participation, status."""
    space = review["party_space"]
    for slot, expected in (("primary_field", PRIMARY[axis]), ("other_axis_field", OTHER[axis])):
        if space[slot] != expected:
            yield Inconsistency(("party_space", slot), f"{slot} is {space[slot]}, for the {axis} axis it is {expected}")
    # Every surveyed party has a value on both deciding fields, so who is covered follows from the counts.
    known: Values = {label: {space["primary_field"]: 0.0} for label in SURVEY_LABEL.values()}
    placed = True
    for side in ("aye", "no"):
        at = lobby(source["party_counts"], f"{side}_voters", space["primary_field"], known)
        expected_share = _rounded(at.coverage)
        if space.get(f"{side}_coverage") != expected_share:
            yield Inconsistency(
                ("party_space", f"{side}_coverage"),
                f"{side}_coverage is {space.get(f'{side}_coverage')}, the party counts give {expected_share}",
            )
        if space[f"{side}_covered_voters"] != at.covered_voters:
            slot = f"{side}_covered_voters"
            message = f"{slot} is {space[slot]}, the party counts give {at.covered_voters}"
            yield Inconsistency(("party_space", slot), message)
        elif (f"{side}_position" in space) != (at.covered_voters > 0):
            told = "is missing, and the lobby has" if at.covered_voters else "is given, and the lobby has no"
            slot, placed = f"{side}_position", False
            yield Inconsistency(
                ("party_space", slot), f"{slot} {told} covered voters", (_space(f"{side}_covered_voters"),)
            )
    aye, no, difference = space.get("aye_position"), space.get("no_position"), space.get("difference")
    if (placed and (aye is None or no is None) != (difference is None)) or (
        difference is not None
        and aye is not None
        and no is not None
        and abs(aye - no - difference) > 1.5 * 10**-DECIMALS
    ):
        yield Inconsistency(
            ("party_space", "difference"),
            f"difference is {difference}, the positions are {aye} and {no}",
            (_space("aye_position"), _space("no_position")),
        )
    beside = space.get("other_axis_difference")
    apart = difference is not None and beside is not None and difference * beside < 0
    if space["axes_told_apart"] is not apart:
        yield Inconsistency(
            ("party_space", "axes_told_apart"),
            f"axes_told_apart is not what {difference} and {beside} give",
            (_space("difference"), _space("other_axis_difference")),
        )
    given = participation(source["party_counts"])
    for change in differences(given, space["participation"], ("participation",), ("participation",)):
        place = change.path[:-1] if change.working is ABSENT else change.path
        yield Inconsistency(("party_space", *place), _of_participation(change), _row(source["party_counts"], change))
    named = [row["field"] for row in space.get("related_fields", [])]
    for change in differences(list(RELATED[axis]), named):
        place = () if change.working is ABSENT else (*change.path, "field")
        told = f"related_fields are not {', '.join(RELATED[axis])}"
        yield Inconsistency(("party_space", "related_fields", *place), told)
    status, found, why = verdict(space, source["aye_coordinate"])
    if review["status"] != status:
        told = f"status is {review['status']}, the figures give {status}: {why}"
        yield Inconsistency(("status",), told, (_space("difference"), ("source", "aye_coordinate")))
    if review.get("found_aye_coordinate") != found:
        yield Inconsistency(
            ("found_aye_coordinate",),
            f"found_aye_coordinate is {review.get('found_aye_coordinate')}, the figures give {found}",
        )


def _of_participation(change: Difference) -> str:
    """What is wrong about the participation of one party, or about the order of the parties."""
    where = ".".join(change.steps)
    if isinstance(change.working, Order):
        return f"{where} is not in the order of the party counts: {', '.join(change.frozen.names)}"
    if change.working is ABSENT:
        return f"{where} is missing, the party counts give it"
    if change.element:
        return f"{where} is not what the party counts give: there is no such party, or its members are not known"
    return f"{where} is {change.working}, the party counts give {change.frozen}"


def _row(counts: list[Mapping[str, Any]], change: Difference) -> tuple[Path_, ...]:
    """The place of the party's number of members, where a difference is about one party's participation."""
    party = change.steps[1] if len(change.steps) > 1 else None
    rows = [n for n, row in enumerate(counts) if row["party"] == party and "members" in row]
    return tuple(("source", "party_counts", n, "members") for n in rows)
