"""SRC: source records and data_sources say what they rest on, and their figures hold together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from divisionbell.bank.canonical import extract_sha256
from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Findings, Location, Related
from divisionbell.sources.ches import FIELDS
from divisionbell.sources.party_space import compute, verdict
from divisionbell.validate.rule import Context, Example, Rule
from divisionbell.validate.shape_words import perhaps

CHES = "ches-2024"
PARTY_SPACE = "party_space_crosscheck_v1"
# The public copies differ from the official totals by at most this many voters (names missing from a list).
MAX_COUNT_GAP = 19
# Who is counted in both lobbies is counted twice: so many at most in one party.
IN_BOTH_LOBBIES = 2
# So many different extracts of one record are digested: every choice of the slots that a copy can supply.
MOST_DIGESTS = 128
# So many faults with one shared cause are told at the cause, in one finding.
FEWEST_SHARED = 3
SUPPLIED = ("division_id", "number", "held_at", "official_title", "ayes", "noes", "party_counts")


def _official(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        source = document.value["source"]
        number = source["division_id"]
        if document.value["dossier_id"] != f"commons-{number}":
            yield rule.found(
                document.at("dossier_id"),
                f"{document.value['dossier_id']} holds division {number}",
                Related(document.at("source", "division_id"), "the source record's division is here"),
            )
        address = f"https://votes.parliament.uk/votes/commons/division/{number}"
        if source["official_address"] != address:
            yield rule.found(
                document.at("source", "official_address"),
                "is not the official page of this division",
                fix=f"write {address}",
            )
        for side, slot in (("aye_voters", "ayes"), ("no_voters", "noes")):
            counted = sum(row[side] for row in source["party_counts"])
            if abs(counted - source[slot]) > MAX_COUNT_GAP:
                yield rule.found(
                    document.at("source", slot),
                    f"{slot} is {source[slot]}, the parties add up to {counted}",
                    Related(document.at_key("source", "party_counts"), "the party counts are here"),
                    fix="compare both with the official record",
                )
        for number, row in enumerate(source["party_counts"]):
            voters = sum(row[slot] for slot in ("aye_voters", "no_voters", "aye_tellers", "no_tellers"))
            if voters > row.get("members", voters) + IN_BOTH_LOBBIES:
                yield rule.found(
                    document.at("source", "party_counts", number, "members"),
                    f"{row['party']} has {voters} voters and tellers, and {row['members']} members",
                    Related(document.at("source", "party_counts", number), "the counts are here"),
                    fix="compare both with the official record",
                )


def _copies(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        source = document.value["source"]
        supplied: set[str] = set()
        digests: dict[frozenset[str], str] = {}
        for number, copy in enumerate(source["copies"]):
            for place, slot in enumerate(copy["supplies"]):
                if slot not in SUPPLIED:
                    yield rule.found(
                        document.at("source", "copies", number, "supplies", place),
                        f"{slot} is nothing that a copy supplies",
                        fix="name one of: " + ", ".join(SUPPLIED),
                    )
            supplied.update(copy["supplies"])
            named = frozenset(copy["supplies"])
            if named not in digests:
                if len(digests) == MOST_DIGESTS:  # some name slots that no copy supplies, which is found above
                    continue
                digests[named] = extract_sha256(source, copy["supplies"])
            expected = digests[named]
            if copy["extract_sha256"] != expected:
                yield rule.found(
                    document.at("source", "copies", number, "extract_sha256"),
                    f"the figures are not those of the extract: these have the digest {expected}",
                    Related(document.at_key("source"), "the source record is here"),
                    fix="restore the figures; only after comparing them with the copy: divisionbell hash --extracts",
                )
        missing = [slot for slot in SUPPLIED if slot not in supplied]
        if missing:
            yield rule.found(document.at_key("source", "copies"), f"no copy is named for {', '.join(missing)}")


def _publishers(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        yield from _not_named(rule, context, document, document.value["source"]["copies"], ("source", "copies"))


def _not_named(
    rule: Rule, context: Context, holder: Document, copies: list[dict[str, Any]], path: Path_
) -> Iterator[Diagnostic]:
    """The copies of one list whose publisher is none of the data sources."""
    if context.sources is None:
        return
    publishers = {source["publisher"] for source in context.sources["data_sources"]}
    for number, copy in enumerate(copies):
        if copy["publisher"] not in publishers:
            yield rule.found(
                holder.at(*path, number, "publisher"),
                f"{copy['publisher']} is not among the data sources{perhaps(copy['publisher'], sorted(publishers))}",
                Related(Location(context.bank.sources.shown), "they are named here"),
                fix="correct the name, or add the source to data_sources.yaml",
            )


def _survey(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.sources is None:
        return
    document = context.bank.sources
    for holder in context.prospective:
        for place, code in enumerate(holder.value["prospective_codes"]):
            yield from _not_named(rule, context, holder, code["copies"], ("prospective_codes", place, "copies"))
    found = [(n, s) for n, s in enumerate(context.sources["data_sources"]) if s["source_id"] == CHES]
    if not found:
        yield rule.found(document.at_key("data_sources"), f"{CHES} is not among the data sources", fix="add it")
        return
    number, source = found[0]
    absent = [name for name in FIELDS if name not in source.get("fields", [])]
    if absent:
        yield rule.found(
            document.at_key("data_sources", number, "fields"),
            f"{CHES} does not name {', '.join(absent)}",
            fix="add the fields",
        )
    for element, name in enumerate(source.get("fields", [])):
        if name not in FIELDS:
            told = f"no review is computed from {name}"
            yield rule.found(document.at("data_sources", number, "fields", element), told, fix="remove the field")
    digests = source.get("byte_digests", [])
    used = [(n, entry["sha256"]) for n, entry in enumerate(digests) if entry["used"]]
    if len(used) != 1:
        marks = [document.at("data_sources", number, "byte_digests", n, "used") for n in range(len(digests))]
        yield rule.found(
            document.at_key("data_sources", number),
            f"{CHES} has {len(used)} byte digests marked used, not one",
            *(Related(mark, "it is said here") for mark in marks),
        )
    if "value_sha256" not in source:
        yield rule.found(document.at_key("data_sources", number), f"{CHES} has no value_sha256", fix="add it")
        return
    named: list[tuple[str, str, Path_]] = [("survey_value_sha256", source["value_sha256"], ("value_sha256",))]
    if len(used) == 1:
        named.append(("survey_sha256", used[0][1], ("byte_digests", used[0][0], "sha256")))
    for slot, expected, path in named:
        yield from _other_survey(rule, context, slot, expected, ("data_sources", number, *path))


def _other_survey(rule: Rule, context: Context, slot: str, expected: str, path: Path_) -> Iterator[Diagnostic]:
    """The reviews that name another survey than data_sources.yaml does at a path. Where most of them name the same
    other one, the fault is not theirs."""
    reviews = [
        (d, d.value["reviews"][PARTY_SPACE]["party_space"][slot]) for d in [*context.dossiers, *context.excluded]
    ]
    others = [(dossier, name) for dossier, name in reviews if name != expected]
    if not others:
        return
    at = context.bank.sources.at(*path)
    most, count = Counter(name for _, name in others).most_common(1)[0]
    if shared := count >= FEWEST_SHARED and 2 * count > len(reviews):
        first = next(dossier for dossier, name in others if name == most)
        yield rule.found(
            at,
            f"{count} of {len(reviews)} reviews name another survey: {most}",
            Related(first.at("reviews", PARTY_SPACE, "party_space", slot), "the first of them is here"),
            fix="restore the digest, or where the survey is another one: recompute the reviews",
        )
    for dossier, name in others:
        if not shared or name != most:
            yield rule.found(
                dossier.at("reviews", PARTY_SPACE, "party_space", slot),
                "is not the survey that data_sources.yaml names",
                Related(at, f"it names {expected}"),
                fix="recompute the review from the survey named",
            )


def _recomputed(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.ches is None:
        return
    try:
        survey = context.whole.survey
    except Findings as problem:
        yield rule.found(Location(str(context.ches)), problem.message, fix="give the survey file itself")
        return
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        review = value["reviews"][PARTY_SPACE]
        space = review["party_space"]
        if survey.value_sha256 != space["survey_value_sha256"]:
            yield rule.found(
                document.at("reviews", PARTY_SPACE, "party_space", "survey_value_sha256"),
                f"the survey at hand has other values: {survey.value_sha256}",
                fix="find the release that data_sources.yaml names",
            )
            continue
        expected = compute(value["source"], value["axis"], survey.values, space["survey_sha256"], survey.value_sha256)
        for slot in dict.fromkeys([*expected, *space]):
            if expected.get(slot) != space.get(slot):
                yield rule.found(
                    document.at("reviews", PARTY_SPACE, "party_space", slot),
                    f"{slot} is {space.get(slot)}, the survey gives {expected.get(slot)}",
                )
        context.counts["recomputed"] += 1
        status = verdict(expected, value["source"]["aye_coordinate"])[0]
        if review["status"] != status:
            yield rule.found(document.at("reviews", PARTY_SPACE, "status"), f"the survey gives {status}")


OFFICIAL = Rule(
    "SRC001",
    "the source record is one division's",
    "Codebook: the source snapshot preserves the identifier, date, title and totals of the division.",
    "correct the figure from the official record",
    _official,
    example=Example(
        "address of another division",
        bad="""
official_address: "https://votes.parliament.uk/votes/commons/division/1542"
""",
        good="""
official_address: https://votes.parliament.uk/votes/commons/division/1541
""",
    ),
)
COPIES = Rule(
    "SRC002",
    "figures are those of the copies named",
    "A reader can compare every figure with the copy that it was taken from.",
    "restore the figures, or name the copy that supplies them",
    _copies,
    example=Example(
        "figure changed",
        bad="""
ayes: 57
noes: 279
""",
        good="""
ayes: 57
noes: 278
""",
        also=("HSH001",),
    ),
)
SURVEY = Rule(
    "SRC003",
    "the survey and every copy are named in data_sources.yaml",
    "Every cross-check rests on the same survey values, and every figure on a copy whose terms are known.",
    "mark the one that the reviews were computed from",
    _publishers,
    _survey,
    example=Example(
        "publisher that no data source names",
        bad="""
copies:
  - publisher: "somebody/else"
    path: data/raw/months/2023-05.json
""",
        good="""
copies:
  - publisher: mysociety/voting-data
    path: data/raw/months/2023-05.json
""",
    ),
)
RECOMPUTED = Rule(
    "SRC004",
    "the survey gives the figures stored",
    "With the survey file at hand every figure of the cross-check is computed again.",
    "restore the count or figure that changed; if it is meant: divisionbell review party-space DOSSIER --ches FILE",
    _recomputed,
    example=Example(
        "figure left out",
        bad="""
other_axis_field: lrecon
axes_told_apart: false
""",
        good="""
other_axis_field: lrecon
other_axis_difference: -3.8727
axes_told_apart: false
""",
    ),
)
