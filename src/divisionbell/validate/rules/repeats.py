"""REF004: what is listed stands there once, and the two sides of a pair are not the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, Rule

EACH = "write what each of the two says by itself"
_SIGNS = re.compile(r"\W+")
_SAME_COPY = ("publisher", "path", "revision")
_SAME_WAIVER = ("rule", "waived_item", "waived_text")
# A coding with a digest is named after item, coder and text, so that it cannot stand twice; this is for those without.
_SAME_CODING = ("coded_item", "coded_by", "blind")


def _whole(entry: Any) -> Any:
    return entry


def _by(*slots: str) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    return lambda entry: tuple(entry[slot] for slot in slots)


def _doubles(
    rule: Rule, document: Document, path: Path_, entries: Sequence[Any], key: Callable[[Any], Any], named: str
) -> Iterator[Diagnostic]:
    if len(entries) < 2:
        return
    first: dict[Any, int] = {}
    for number, entry in enumerate(entries):
        earlier = first.setdefault(key(entry), number)
        if earlier != number:
            here, there = (document.at(*path, n) for n in (number, earlier))
            yield rule.found(here, f"{named} stands twice", Related(there, "it stands here first"))


def _of_dossiers(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for document in [*context.dossiers, *context.excluded]:
        value = document.value
        copies = value["source"]["copies"]
        yield from _doubles(rule, document, ("source", "copies"), copies, _by(*_SAME_COPY), "the copy")
        yield from _doubles(rule, document, ("waivers",), value.get("waivers", ()), _by(*_SAME_WAIVER), "the waiver")
        yield from _codings(rule, document, value.get("codings", ()))
    yield from _pairs(rule, context)


def _of_others(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            path = ("prospective_codes", number, "copies")
            yield from _doubles(rule, document, path, code["copies"], _by(*_SAME_COPY), "the copy")
    if context.settings is not None:
        parser, document = context.settings["parser"], context.bank.settings
        for slot, key, named in (
            ("normative_text", _whole, "the sentence"),
            ("vectors", _by("vector_item", "vector_reply"), "the reply"),
        ):
            yield from _doubles(rule, document, ("parser", slot), parser[slot], key, named)
    if context.plan is not None:
        for slot in ("tests", "sensitivity", "never_claimed"):
            yield from _doubles(rule, context.bank.plan, (slot,), context.plan[slot], _whole, "the sentence")
        planned = context.plan["estimates_planned"]
        name = _by("estimate_name")
        yield from _doubles(rule, context.bank.plan, ("estimates_planned",), planned, name, "the estimate")
    if context.sources is not None:
        for number, source in enumerate(context.sources["data_sources"]):
            path = ("data_sources", number, "byte_digests")
            seen = _by("sha256", "seen_in")
            yield from _doubles(rule, context.bank.sources, path, source.get("byte_digests", ()), seen, "the digest")
    if context.evaluations is not None and context.bank.evaluations is not None:
        runs, journal = context.evaluations["evaluations"], _by("journal_sha256")
        yield from _doubles(rule, context.bank.evaluations, ("evaluations",), runs, journal, "the journal")


def _codings(rule: Rule, document: Document, codings: Sequence[dict[str, Any]]) -> Iterator[Diagnostic]:
    first: dict[tuple[Any, ...], int] = {}
    for number, coding in enumerate(codings):
        if "coded_text_sha256" in coding:
            continue
        earlier = first.setdefault(tuple(coding[slot] for slot in _SAME_CODING), number)
        if earlier != number:
            here, there = (document.at("codings", n, "coding_id") for n in (number, earlier))
            yield rule.found(
                here,
                f"{coding['coded_by']} coded {coding['coded_item']} twice, and nothing tells the texts apart",
                Related(there, "the other coding is here"),
                fix="add coded_text_sha256 to both, or remove one",
            )


def _divisions(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    """A number is unique only together with the day."""
    first: dict[tuple[str, int], tuple[int, Document, Path_]] = {}
    places: list[tuple[dict[str, Any], Document, Path_]] = [
        (document.value["source"], document, ("source",)) for document in [*context.dossiers, *context.excluded]
    ]
    for document in context.prospective:
        for number, code in enumerate(document.value["prospective_codes"]):
            places.append((code, document, ("prospective_codes", number)))
    for record, document, path in places:
        day = record["held_at"][:10]
        division = record["division_id"]
        named, other, there = first.setdefault((day, record["number"]), (division, document, path))
        if named != division:  # that a division stands twice is another rule's finding
            yield rule.found(
                document.at(*path, "number"),
                f"division number {record['number']} of {day} stands twice",
                Related(other.at(*there, "number"), "it stands here first"),
                fix="compare both with the official record",
            )


def _same(one: str, other: str) -> bool:
    return one == other or _SIGNS.sub("", one).casefold() == _SIGNS.sub("", other).casefold()


def _pairs(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    for document in context.dossiers:
        contrast = document.value["contrast"]
        if _same(contrast["negative_pole"], contrast["positive_pole"]):
            place = document.at("contrast", "positive_pole")
            yield rule.found(place, "the two poles of the contrast are the same", fix=EACH)
    for item in context.items:
        texts = item.value["options"]
        if _same(texts["text_a"], texts["text_b"]):
            told = f"{item.shown} has the same text at A and at B"
            yield rule.found(item.at("options", "text_b"), told, fix=EACH)


def _family_poles(rule: Rule, context: Context) -> Iterator[Diagnostic]:
    for number, family in enumerate((context.settings or {}).get("issue_families", ())):
        if _same(family["family_negative"], family["family_positive"]):
            place = context.bank.settings.at("issue_families", number, "family_positive")
            yield rule.found(place, f"the two poles of {family['family_id']} are the same", fix=EACH)


def _across(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    yield from _of_others(rule, context)
    yield from _divisions(rule, context)
    yield from _family_poles(rule, context)


ONCE = Rule(
    "REF004",
    "what is listed stands there once",
    "An entry that stands twice is counted twice, and an item whose two options are the same asks nothing.",
    "remove one of the two",
    _of_dossiers,
    _across,
    example=Example(
        "same option twice",
        bad="""
text_a: >-
  Officers should meet a blockade with the everyday rules of the road alone, although some working days will then
  be lost.
text_b: "Officers should meet a blockade with the everyday rules of the road alone, although some working days …
""",
        good="""
text_a: >-
  Officers should meet a blockade with the everyday rules of the road alone, although some working days will then
  be lost.
text_b: >-
  Officers should meet a blockade with a general order to clear the road, although some causes will then go unheard.
""",
    ),
)
