"""TXT: what a model reads names nothing real, copies no title, and gives no cue by length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import orjson

from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.model import model_file
from divisionbell.validate.rule import Context, Example, ItemAt, Rule
from divisionbell.validate.terms import Terms
from divisionbell.validate.words import LONGEST_RUN, runs, word_runs, words

# Words of parliamentary form, which say nothing about what a title is about.
FORMAL = frozenset(
    """bill second third reading opposition day motion order humble address
    the of to and a on in""".split()  # noqa: SIM905
)
_ACT = re.compile(r"\b(?:Act|Bill)s?\b|\b(?:19|20)\d\d\b|[£$€]")
_SHORTEST_IN_ID, _ID = 5, 8
_FIGURE = re.compile(r"[0-9£$€]")
_ACT_WORDS = frozenset(("act", "acts", "bill", "bills"))
# The capital comes first, so that the search skips to it; the look behind follows.
_CAPITALISED = re.compile(r"[^\W\d_a-z](?<![\w'].)[^\W\d_]*")
_CAPITALISED_ASCII = re.compile(r"[A-Z](?<![\w'].)[A-Za-z]*")


@cache
def _names() -> tuple[Terms, Terms]:
    """Names as written, and official words in any case."""
    data = orjson.loads(model_file("names.json"))
    return Terms(data["as_written"]), Terms(data["in_any_case"], re.IGNORECASE)


@cache
def _parties(labels: frozenset[str]) -> Terms:
    return Terms(labels)


def _patterns(item: ItemAt, listed: Iterable[Terms]) -> Iterator[re.Pattern[str]]:
    """The patterns that could match one of an item's texts."""
    for terms in listed:
        pattern = terms.pattern(item.bag)
        if pattern is not None:
            yield pattern
    if not _ACT_WORDS.isdisjoint(item.bag) or any(_FIGURE.search(text) for _, text in item.parts):
        yield _ACT


@cache
def _in_ids() -> frozenset[str]:
    """The names that an item's id could hold, in small letters. Shorter ones come about by chance."""
    data = orjson.loads(model_file("names.json"))
    names = (name.lower() for name in (*data["as_written"], *data["in_any_case"]))
    return frozenset(name for name in names if name.isalpha() and _SHORTEST_IN_ID <= len(name) < _ID)


def _telling(name: str) -> str | None:
    """A name that an id holds: the id stands in the prompt, and must say nothing."""
    for size in range(_SHORTEST_IN_ID, _ID):
        for start in range(len(name) - size + 1):
            if name[start : start + size] in _in_ids():
                return name[start : start + size]
    return None


def _names_in_text(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    labels = context.whole.party_labels - {"Independent", "Speaker", "Deputy Speaker", "Alliance", "Workers"}
    listed = (*_names(), *([_parties(labels)] if labels else []))
    for item in context.items:
        telling = _telling(item.id)
        if telling is not None and not item.waives(rule.id, telling):
            yield rule.found(
                item.at("item_id"), f'the id {item.id} holds "{telling}"', fix="draw another: divisionbell new"
            )
        patterns = list(_patterns(item, listed))
        for path, text in item.parts if patterns else ():
            hits = {hit.start(): hit for pattern in patterns for hit in pattern.finditer(text)}
            for start in sorted(hits.items()):
                found = start[1].group()
                if not item.waives(rule.id, found):
                    place = item.document.at_character(("items", item.number, *path), text, start[0])
                    yield rule.found(place, f'{item.shown} names "{found}"')


def _title(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    length = context.run_length("title_run_length")
    if length is None:
        return
    for items in context.items_by_dossier:
        title = items[0].dossier["source"]["official_title"]
        telling = [word for word in words(title) if word not in FORMAL and not word.isdigit()]
        size = min(length, len(telling))
        if size == 0:
            continue
        wanted = {*word_runs(telling, size), *runs(title, length)}
        for item in items:
            yield from _of_title(rule, context, item, wanted, {length, size})


def _of_title(
    rule: Rule, context: Context, item: ItemAt, wanted: set[tuple[str, ...]], sizes: set[int]
) -> Iterator[Diagnostic]:
    """The runs of the official title that stand in an item's texts."""
    if not any(item.bag.issuperset(run) for run in wanted):
        return
    for path, text in item.parts:
        for run in sorted(wanted & set().union(*(runs(text, size) for size in sizes))):
            if not item.waives(rule.id, " ".join(run)):
                yield rule.found(
                    item.at(*path),
                    f'{item.shown} holds "{" ".join(run)}" from the official title',
                    Related(item.document.at("source", "official_title"), "the title is here"),
                    *context.limits("title_run_length"),
                )


def _length(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    limits = context.settings["wording_limits"]
    for item in context.items:
        count = len(item.words[0])
        if not limits["min_stem_words"] <= count <= limits["max_stem_words"]:
            yield rule.found(
                item.at("stem"),
                f"{item.shown} has a stem of {count} words",
                *context.limits("min_stem_words" if count < limits["min_stem_words"] else "max_stem_words"),
                fix=f"write {limits['min_stem_words']} to {limits['max_stem_words']} words",
            )
        a, b = (item.value["options"][slot] for slot in ("text_a", "text_b"))
        ratio = max(len(a), len(b)) / min(len(a), len(b))
        if ratio > limits["max_option_ratio"]:
            yield rule.found(
                item.at_key("options"),
                f"{item.shown} has options of {len(a)} and {len(b)} characters, a ratio of {ratio:.2f}",
                *context.limits("max_option_ratio"),
                fix=f"bring the ratio to {limits['max_option_ratio']} or less",
            )


# Wider limits would admit a mirror that is its original with the options exchanged, or an option that stands out.
WIDEST = {"max_shared_runs": 0.25, "max_option_ratio": 2.0}


def _run_lengths(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    """Settings so wide that nothing would be held to them."""
    limits = (context.settings or {}).get("wording_limits", {})
    for name in ("run_length", "title_run_length", "bank_run_length"):
        if limits.get(name, 0) > LONGEST_RUN:
            yield rule.found(
                context.bank.settings.at("wording_limits", name),
                f"{name} is {limits[name]}, and runs of more than {LONGEST_RUN} words are not compared",
                fix=f"write 2 to {LONGEST_RUN}",
            )
    for name, most in WIDEST.items():
        if limits.get(name, 0) > most:
            told = f"{name} is {limits[name]}, and a limit above {most} holds nothing"
            yield rule.found(context.bank.settings.at("wording_limits", name), told, fix=f"write {most} or less")


def _capitalised(text: str) -> Iterator[re.Match[str]]:
    """Words with a capital that no sentence begins with: names."""
    for found in (_CAPITALISED_ASCII if text.isascii() else _CAPITALISED).finditer(text):
        before = text[: found.start()].rstrip(" \"'(")
        begins = not before or (before[-1] in ".?!:" and len(before) < found.start())
        if not begins and found.group() != "I" and found.group()[0].isupper():
            yield found


def _invented(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.settings is None:
        return
    for item in context.items:
        listed = {word for name in item.invented for word in name.split()}
        for path, text in item.parts:
            for hit in _capitalised(text):
                if hit.group() not in listed:
                    place = item.document.at_character(("items", item.number, *path), text, hit.start())
                    yield rule.found(
                        place,
                        f"{item.shown} holds the name {hit.group()}, which is not among its invented names",
                        fix="list it among institutions and in the registry if it is invented; else use a common word",
                    )
        everything = " ".join(text for _, text in item.parts)
        for number, name in enumerate(item.value.get("institutions", [])):
            if name not in everything:
                yield rule.found(item.at("institutions", number), f"{item.shown} does not name {name}", fix="remove it")
        yield from _registered(rule, context, item)


def _registered(rule: Rule, context: Context, item: ItemAt) -> Iterator[Diagnostic]:
    """Where an item names what is registered for another, or does not list what it names."""
    for first in context.whole.registered.keys() & item.bag:
        for entry in context.whole.registered[first]:
            name, owner = entry.name, entry.owner
            listed = name in item.invented
            if (listed and item.id == owner) or not entry.pieces <= item.bag:
                continue
            whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            if not any(whole.search(text) for _, text in item.parts):
                continue
            here = Related(
                context.bank.settings.at("registry", entry.number, "invented_for"), f"it is registered for {owner}"
            )
            if not listed:
                told = f"{item.shown} names {name} and does not list it"
                yield rule.found(item.at_key("institutions"), told, here, fix="list it")
            if item.id != owner and len(name.split()) == 1:
                yield rule.found(item.at("stem"), f"{item.shown} names {name}, another item's invented place", here)


NAMES = Rule(
    "TXT001",
    "prompts name nothing real",
    "Codebook: prompts remove jurisdiction, party, legislator, bill and country names.",
    "use an invented name or a common word, or have a waiver reviewed where an ordinary word collides",
    _names_in_text,
    example=Example(
        "country",
        bad="""
stem: >-
  Since last autumn, street officers in France have …
""",
        good="""
stem: >-
  Since last autumn, street officers in Veldrassow have …
""",
        also=("TXT004",),
    ),
    waiver="the word or name as it stands in the text",
)
TITLE = Rule(
    "TXT002",
    "prompts hold no run of the official title",
    "A model that has read the record must not recognise the division by its title.",
    "say it in other words",
    _title,
    example=Example(
        "run of the title",
        bad="""
… The repeal of the public order act lapses at midsummer …
""",
        good="""
… The orders lapse at midsummer …
""",
    ),
    waiver="the run of words, in small letters with one blank between them",
)
LENGTH = Rule(
    "TXT003",
    "stems and options keep their lengths",
    "Length must be no cue, and a stem long enough to hold both sides.",
    "shorten or lengthen the text",
    _length,
    _run_lengths,
    example=Example(
        "stem too short",
        bad="""
stem: "Officers in Veldrassow may clear a road. The Town Chamber decides soon. How should they?"
""",
        good="""
stem: >-
  Since last autumn, street officers in Veldrassow have been able to order a gathering off any road, bridge or doorway
  that it blocks, and to charge those who remain. Bus crews and shopkeepers, who recall blockades that cost them a day's
  …
  blockades be dealt with after that?
""",
    ),
)
INVENTED = Rule(
    "TXT004",
    "invented names are registered and used once",
    "Every proper name is an invented one, listed beside its item, so that none can lead from one item to another.",
    "invent another name",
    _invented,
    example=Example(
        "unlisted name",
        bad="""
… The crews of Morrowdal and shopkeepers, who recall blockades …
…
institutions:
  - Veldrassow
  - Town Chamber
""",
        good="""
… Bus crews and shopkeepers, who recall blockades …
…
institutions:
  - Veldrassow
  - Town Chamber
""",
    ),
)
