"""TXT011: no sentence begins with the name of a real place, where a capital does not show that it is a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.gazetteer import is_ordinary_word, is_place
from divisionbell.validate.rule import Context, Example, Rule

# The first word of a text or sentence, quotation marks and brackets passed over.
_FIRST = re.compile(r"[\s\"'(\u2018\u201c]*([^\W\d_]+)")
# A quotation within a sentence may begin with a capital too.
_LATER = re.compile(rf"(?:[.?!:]|(?<!\w)['\u2018]){_FIRST.pattern}")
_WORD = re.compile(r"\w+")
# Shorter words are names of places somewhere, and more often a slip of the pen or an abbreviation.
MIN_LETTERS, MIN_CAPITALS = 3, 4


@lru_cache(maxsize=65536)
def _names_a_place(word: str) -> bool:
    shaped = word.istitle() if len(word) < MIN_CAPITALS else word.istitle() or word.isupper()
    return shaped and len(word) >= MIN_LETTERS and is_place(word) and not is_ordinary_word(word)


def _openings(text: str) -> Iterator[re.Match[str]]:
    first = _FIRST.match(text)
    if first:
        yield first
    yield from _LATER.finditer(text)


def _opens(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    for item in context.items:
        invented = {word for name in item.invented for word in name.split()}
        for path, text in item.parts:
            for hit in _openings(text):
                word = hit.group(1)
                if not _names_a_place(word) or item.waives(rule.id, word):
                    continue
                if word in invented:
                    continue  # invented names are held to the gazetteer by another rule
                if any(word.lower() in _WORD.findall(other) for _, other in item.parts):
                    continue  # the item writes it small as well, so it is a word and no name
                place = item.document.at_character(("items", item.number, *path), text, hit.start(1))
                yield rule.found(
                    place, f"{item.shown} begins a sentence or quotation with {word}, the name of a real place"
                )


OPENS = Rule(
    "TXT011",
    "no sentence begins with the name of a real place",
    "Codebook: prompts remove jurisdiction and country names; where a sentence begins, a capital shows no name.",
    "say it without the name, or have a waiver reviewed where it is an ordinary word",
    _opens,
    example=Example(
        "place where a stem begins",
        bad="""
stem: >-
  Lisbon has a rule: street officers …
""",
        good="""
stem: >-
  Since last autumn, street officers …
""",
    ),
    waiver="the word that begins the sentence",
)
