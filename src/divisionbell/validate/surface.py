"""What can be seen of an item without reading it for meaning: length, repeated words, grade, numbers and the like.

A responder that sees one of these alone chooses the option with the higher value, and at a tie its first option in
either order, which is no lean. Such responders make the wording certificate (`estimate/wording_certificate.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from divisionbell.validate.word_lists import BENEFIT_WORDS, FUNCTION_WORDS, NUMBER_WORDS, PUBLIC_BODY_WORDS
from divisionbell.validate.words import words

# Every ASCII character that is no letter or digit.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")


def reading_grade(text: str) -> float:
    """Automated Readability Index in school grades: 4.71 characters/word + 0.5 words/sentence - 21.43.

    Characters are letters and digits; words stand between blanks; a text without a full stop is one sentence.
    Source: Smith and Senter (1967), Automated Readability Index, AMRL-TR-66-220. Raises ValueError for a text
    without words.
    """
    count = len(text.split())
    if count == 0:
        raise ValueError("a text without words has no reading grade")
    if text.isascii():
        characters = len(text.encode().translate(None, _SIGNS))
    else:
        characters = sum(character.isalnum() for character in text)
    sentences = max(1, len(_SENTENCE_END.findall(text)))
    return 4.71 * characters / count + 0.5 * count / sentences - 21.43


def content_words(text: str) -> set[str]:
    """The distinct words of a text without function words."""
    return set(words(text)) - FUNCTION_WORDS


def _in(listed: frozenset[str]) -> Callable[[str, str], float]:
    return lambda _stem, option: float(any(word in listed or word.isdigit() for word in words(option)))


def _count(listed: frozenset[str]) -> Callable[[str, str], float]:
    return lambda _stem, option: float(sum(word in listed for word in words(option)))


# name -> value of an option, from the stem and the option's own text.
CUES: dict[str, Callable[[str, str], float]] = {
    "longer": lambda _stem, option: float(len(option)),
    "shorter": lambda _stem, option: float(-len(option)),
    "stem-words": lambda stem, option: float(len(content_words(stem) & content_words(option))),
    "number": _in(NUMBER_WORDS),
    "benefit-words": _count(BENEFIT_WORDS),
    "lower-grade": lambda _stem, option: -round(reading_grade(option), 2),
    "public-body": lambda _stem, option: float(bool(set(words(option)) & PUBLIC_BODY_WORDS)),
}
STATUS_QUO = "status-quo"
SURFACES = (*CUES, STATUS_QUO)


def chosen_pole(item: Mapping[str, Any], axis: str, surface: str) -> int:
    """The coordinate of the option that a responder seeing one surface chooses: -1, 1, or 0 at a tie.

    `surface` is a name of SURFACES; the status quo is read from the item's record. Raises KeyError for another name.
    """
    if surface == STATUS_QUO:
        return {"negative": -1, "positive": 1, "none": 0}[item["status_quo"]]
    value = CUES[surface]
    a, b = (value(item["stem"], item["options"][slot]) for slot in ("text_a", "text_b"))
    at_a = 1 if item["scoring_key"]["key_a"][axis] > 0 else -1
    return 0 if a == b else at_a if a > b else -at_a
