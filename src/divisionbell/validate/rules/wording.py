"""TXT005 to TXT008: invented names are invented, no word takes sides, options are even, and no two texts repeat."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations

from divisionbell.diagnostics import Diagnostic, Related, percent
from divisionbell.validate.gazetteer import folded, is_place
from divisionbell.validate.rule import Context, Example, ItemAt, Rule
from divisionbell.validate.surface import reading_grade
from divisionbell.validate.terms import Terms
from divisionbell.validate.word_lists import COMMON_NAME_WORDS, LOADED
from divisionbell.validate.words import word_runs


def _own_words(name: str) -> list[str]:
    """The words of an invented name that are no common noun."""
    return [word for word in name.split() if folded(word) not in COMMON_NAME_WORDS]


def _unreal(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    recorded = context.whole.recorded_names
    for item in context.items:
        for number, name in enumerate(item.value.get("institutions", [])):
            for candidate in dict.fromkeys([name, *_own_words(name)]):
                if item.waives(rule.id, candidate):
                    continue
                if is_place(candidate):
                    told = f"{item.shown}: {candidate} is the name of a real place"
                    yield rule.found(item.at("institutions", number), told)
                elif candidate in _own_words(name) and folded(candidate) in recorded:
                    where = recorded[folded(candidate)]
                    told = f"{item.shown}: {candidate} stands in the official record of {where}"
                    yield rule.found(item.at("institutions", number), told)


@cache
def _loaded() -> Terms:
    return Terms(LOADED, re.IGNORECASE)


def _takes_sides(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for item in context.items:
        pattern = _loaded().pattern(item.bag)
        if pattern is None:
            continue
        for path, text in item.parts:
            for hit in pattern.finditer(text):
                if not item.waives(rule.id, hit.group()):
                    place = item.document.at_character(("items", item.number, *path), text, hit.start())
                    told = f'{item.shown} says "{hit.group()}": {LOADED[hit.group().lower()]}'
                    yield rule.found(place, told)


def _even(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    limits = (context.settings or {}).get("wording_limits", {})
    for item in context.items:
        texts = item.value["options"]
        if "max_grade_gap" in limits and all(texts[slot].split() for slot in texts):
            a, b = (reading_grade(texts[slot]) for slot in ("text_a", "text_b"))
            if abs(a - b) > limits["max_grade_gap"]:
                yield rule.found(
                    item.at_key("options"),
                    f"{item.shown} has options of reading grade {a:.1f} and {b:.1f}, {abs(a - b):.1f} apart",
                    *context.limits("max_grade_gap"),
                    fix=f"bring the grades within {limits['max_grade_gap']}: shorter words in one, longer in the other",
                )
        if "max_option_words" in limits:
            for slot, text in texts.items():
                if len(text.split()) > limits["max_option_words"]:
                    yield rule.found(
                        item.at("options", slot),
                        f"{item.shown} has an option of {len(text.split())} words",
                        *context.limits("max_option_words"),
                        fix=f"write at most {limits['max_option_words']}",
                    )


def _apart(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    length = context.run_length("bank_run_length")
    if length is None:
        return
    again = _of_two_dossiers(rule.gathered(context))
    if not again:
        return
    first: dict[tuple[str, ...], ItemAt] = {}
    for item in context.items:
        shared: dict[str, tuple[ItemAt, str]] = {}
        for run in sorted(run for run in item.runs(length) if hash(run) in again):
            other = first.setdefault(run, item)
            if other.dossier["dossier_id"] != item.dossier["dossier_id"]:
                shared.setdefault(other.id, (other, " ".join(run)))
        for other, words in shared.values():
            if not item.waives(rule.id, words):
                yield rule.found(
                    item.at("stem"),
                    f'{item.shown} repeats "{words}" from {other.shown}',
                    Related(other.at("stem"), "the other text is here"),
                    *context.limits("bank_run_length"),
                )


def _hashes(context: Context) -> list[set[int]]:
    """The hashes of every dossier's runs; of most runs nothing need be kept but the hash."""
    length = context.run_length("bank_run_length") or 1
    return [
        set(chain.from_iterable(map(hash, word_runs(text, length)) for item in items for text in item.words))
        for items in context.items_by_dossier
    ]


def _of_two_dossiers(hashes: list[set[int]]) -> set[int]:
    """The hashes that two sets have. In most banks there are none, and then all together are as many as there are."""
    if len(set().union(*hashes)) == sum(map(len, hashes)):
        return set()
    seen: set[int] = set()
    again: set[int] = set()
    for own in hashes:
        again |= seen & own
        seen |= own
    return again


def _within(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    """Items of one dossier that are no pair of original and mirror; of those another rule speaks."""
    length = context.run_length("run_length")
    if context.settings is None or length is None:
        return
    most = context.settings["wording_limits"]["max_shared_runs"]
    pairs = {frozenset((mirror.id, original.id)) for mirror, original in context.mirrors}
    for items in map(list, context.items_by_dossier):
        if len(items) > MOST_COMPARED:
            told = f"the dossier holds {len(items)} items, and only {MOST_COMPARED} are compared with each other"
            yield rule.found(items[MOST_COMPARED].at("item_id"), told, fix="write at most so many")
            del items[MOST_COMPARED:]
        hashes = {item.id: item.run_hashes(length) for item in items}
        for one, other in combinations(items, 2):
            # Runs that share a hash are seldom two: what is shared by hash is no less than what is shared.
            few = min(len(hashes[one.id]), len(hashes[other.id]))
            if len(hashes[one.id] & hashes[other.id]) <= most * few or frozenset((one.id, other.id)) in pairs:
                continue
            had = one.runs(length), other.runs(length)
            fewer, shared = min(map(len, had)), had[0] & had[1]
            if not fewer or len(shared) / fewer <= most:
                continue
            yield rule.found(
                other.at("stem"),
                f"{other.shown} shares {percent(len(shared) / fewer)} of its runs of {length} words with {one.shown}: "
                + "; ".join(" ".join(run) for run in sorted(shared)[:3]),
                Related(one.at("stem"), "the other text is here"),
                *context.limits("run_length", "max_shared_runs"),
            )


# So many items of one dossier are compared with each other; a dossier has four.
MOST_COMPARED = 50
# The usual signs beside those of ASCII: quotation marks, dashes and the ellipsis.
SIGNS = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026"
# What ASCII has and no text: a respondent may see one blank, several, or what stands before it gone.
_UNSEEN = {"\t": "a tab", "\r": "a carriage return"}


def _plain(character: str) -> bool:
    if character.isascii():
        return character not in _UNSEEN
    return character in SIGNS or unicodedata.name(character, "").startswith("LATIN ")


def _named(character: str) -> str:
    return _UNSEEN.get(character) or unicodedata.name(character, f"U+{ord(character):04X}").lower()


def _look_alikes(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for item in context.items:
        for path, text in item.parts:
            if text.isascii() and not any(sign in text for sign in _UNSEEN):
                continue
            odd = next((index for index, character in enumerate(text) if not _plain(character)), None)
            if odd is not None:
                place = item.document.at_character(("items", item.number, *path), text, odd)
                told = f"{item.shown} holds a character that is no Latin letter or usual sign: {_named(text[odd])}"
                yield rule.found(place, told)


def _look_alikes_asked(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    """What every item is asked with is held to the same."""
    for slot in ("system_message", "prompt_template", "reminder"):
        text = (context.settings or {}).get(slot, "")
        odd = next((index for index, character in enumerate(text) if not _plain(character)), None)
        if odd is not None:
            place = context.bank.settings.at_character((slot,), text, odd)
            yield rule.found(
                place, f"{slot} holds a character that is no Latin letter or usual sign: {_named(text[odd])}"
            )


UNREAL = Rule(
    "TXT005",
    "invented names are of no real place and in no record",
    "A name that exists, or that the official record holds, would lead a reader to a country.",
    "invent another name, or have a waiver reviewed where a common noun collides",
    _unreal,
    example=Example(
        "real place",
        bad="""
institutions:
  - Bergen
  - Town Chamber
""",
        good="""
institutions:
  - Veldrassow
  - Town Chamber
""",
    ),
    waiver="the invented name, or the word of it that collides",
)
LOADED_WORDS = Rule(
    "TXT006",
    "no word takes sides",
    "A respondent must answer the policy, not the tone: each listed word praises, blames or asks for pity.",
    "say it plainly, or have a waiver reviewed",
    _takes_sides,
    example=Example(
        "blame",
        bad="""
… Reckless people who organise gatherings say …
""",
        good="""
… People who organise gatherings say …
""",
    ),
    waiver="the word as it stands in the text",
)
EVEN = Rule(
    "TXT007",
    "the two options read alike",
    "An option that is plainer or longer to read is a cue that has nothing to do with its policy.",
    "even out the two",
    _even,
    example=Example(
        "one option too long",
        bad="""
text_a: "Officers should meet a blockade with the everyday rules of the road alone, as they meet a broken cart, …
text_b: "Officers should meet a blockade with a general order to clear the road, such as they give for a leak, …
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
APART = Rule(
    "TXT008",
    "no two items repeat each other",
    "A repeated sentence makes two questions one and shows which items belong together.",
    "say it in other words",
    _within,
    _apart,
    _hashes,
    example=Example(
        "sentence of another dossier",
        bad="""
… Owners have written that they offer a place because they know it. How should
blockades be dealt with after that?
""",
        good="""
… The orders lapse at midsummer unless the Town Chamber renews them. How should
blockades be dealt with after that?
""",
    ),
    waiver="the run of words that the bank repeats, in small letters with one blank between them",
)
PLAIN = Rule(
    "TXT009",
    "texts hold Latin letters and usual signs",
    "A look-alike or an unseen character would slip a name or a loaded word past every other rule.",
    "write the plain character; usual are blank, line end, the signs of ASCII, and " + " ".join(SIGNS),
    _look_alikes,
    _look_alikes_asked,
    example=Example(
        "letter of another script",
        bad="""
Officers should meet a blockade with the everyday rules of the road alone, although som\u0435 working days will then
""",
        good="""
Officers should meet a blockade with the everyday rules of the road alone, although some working days will then
""",
    ),
)
