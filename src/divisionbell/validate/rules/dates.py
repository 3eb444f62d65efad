"""PRV002: nothing is dated before what it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divisionbell.bank.canonical import surface_sha256
from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, ItemAt, Rule

PARTY_SPACE = "party_space_crosscheck_v1"


def _after_the_division(document: Document) -> Iterator[tuple[Path_, str]]:
    """Every day in a dossier that can only lie on or after the day of the division."""
    value = document.value
    for number, copy in enumerate(value["source"]["copies"]):
        yield ("source", "copies", number, "obtained_on"), copy["obtained_on"]
    for procedure, review in value["reviews"].items():
        yield ("reviews", procedure, "reviewed_on"), review["reviewed_on"]
    for number, coding in enumerate(value.get("codings", ())):
        yield ("codings", number, "coded_on"), coding["coded_on"]
    for number, waiver in enumerate(value.get("waivers", ())):
        yield ("waivers", number, "granted_on"), waiver["granted_on"]
    for number, item in enumerate(value.get("items", ())):
        yield ("items", number, "transformation", "made_on"), item["transformation"]["made_on"]
        for place, change in enumerate(item.get("rewritings", ())):
            yield ("items", number, "rewritings", place, "rewritten_on"), change["rewritten_on"]


def _before(
    rule: Rule, document: Document, path: Path_, day: str, since: Path_, earlier: str, named: str
) -> Diagnostic:
    return rule.found(
        document.at(*path),
        f"{path[-1]} is {day}, before {named} ({earlier})",
        Related(document.at(*since), "that date is here"),
    )


def _dossier(rule: Rule, document: Document) -> Iterator[Diagnostic]:
    source = document.value["source"]
    held = source["held_at"][:10]
    for path, day in _after_the_division(document):
        if day < held:
            yield _before(rule, document, path, day, ("source", "held_at"), held, "the division was held")
    computed = document.value["reviews"][PARTY_SPACE]["reviewed_on"]
    for number, copy in enumerate(source["copies"]):
        if "party_counts" in copy["supplies"] and held <= computed < copy["obtained_on"]:
            since = ("source", "copies", number, "obtained_on")
            path = ("reviews", PARTY_SPACE, "reviewed_on")
            yield _before(rule, document, path, computed, since, copy["obtained_on"], "its party counts were obtained")


def _item(rule: Rule, item: ItemAt) -> Iterator[Diagnostic]:
    made, changes = item.value["transformation"]["made_on"], item.value.get("rewritings", [])
    base, document = ("items", item.number), item.document
    for number in range(1, len(changes)):
        day, earlier = changes[number]["rewritten_on"], changes[number - 1]["rewritten_on"]
        if day < earlier:
            above = (*base, "rewritings", number - 1, "rewritten_on")
            path = (*base, "rewritings", number, "rewritten_on")
            yield _before(rule, document, path, day, above, earlier, "the rewriting listed above it")
    if changes and made < changes[-1]["rewritten_on"]:
        last = (*base, "rewritings", len(changes) - 1, "rewritten_on")
        place = (*base, "transformation", "made_on")
        yield _before(rule, document, place, made, last, changes[-1]["rewritten_on"], "the last rewriting")


def _codings(rule: Rule, items: list[ItemAt]) -> Iterator[Diagnostic]:
    """A text that was never rewritten cannot have been read before it was made."""
    document, by_id = items[0].document, {item.id: item for item in reversed(items)}
    for number, coding in enumerate(document.value.get("codings", ())):
        item = by_id.get(coding["coded_item"])
        if item is None or "rewritings" in item.value:
            continue
        made = item.value["transformation"]["made_on"]
        if coding["coded_on"] < made and coding.get("coded_text_sha256") == surface_sha256(item.value):
            since = ("items", item.number, "transformation", "made_on")
            path = ("codings", number, "coded_on")
            yield _before(rule, document, path, coding["coded_on"], since, made, "the text was made")


def _prospective(rule: Rule, document: Document) -> Iterator[Diagnostic]:
    for number, code in enumerate(document.value["prospective_codes"]):
        base, held = ("prospective_codes", number), code["held_at"][:10]
        days: list[tuple[Path_, str]] = [((*base, "code_made_on"), code["code_made_on"])]
        days += [((*base, "copies", n, "obtained_on"), copy["obtained_on"]) for n, copy in enumerate(code["copies"])]
        for path, day in days:
            if day < held:
                yield _before(rule, document, path, day, (*base, "held_at"), held, "the division was held")


def _of_dossiers(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        yield from _dossier(rule, document)
    for items in context.items_by_dossier:
        yield from _codings(rule, items)
        for item in items:
            yield from _item(rule, item)


def _of_others(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in context.prospective:
        yield from _prospective(rule, document)


IN_ORDER = Rule(
    "PRV002",
    "nothing is dated before what it was made from",
    "A review dated before its division, or a change before the one that it follows, is no record of what happened.",
    "correct the date that is wrong",
    _of_dossiers,
    _of_others,
    example=Example(
        "reviewed before the division was held",
        bad="""
held_at: '2023-05-16T19:02:00'
…
motion_semantics_v1:
  …
  reviewed_on: "2023-05-15"
""",
        good="""
held_at: '2023-05-16T19:02:00'
…
motion_semantics_v1:
  …
  reviewed_on: '2026-11-30'
""",
    ),
)
