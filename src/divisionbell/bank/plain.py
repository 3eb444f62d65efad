"""The value of a document in which nothing is out of order, taken from the YAML parser's events by the shortest way.

Whatever could be wrong ends the attempt: the builder that knows the rules and the places (`build.py`) then reads the
same text with the same parser. So this gives the value that the builder gives, or none.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any

import yaml

from divisionbell.bank.signs import is_native

MAX_DEPTH = 32
MAX_VALUES = 200_000
# The longest text of one value: a rule may look at each of its words beside all the others.
MAX_TEXT = 10_000
NULL = frozenset(("", "~", "null", "Null", "NULL"))
BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

INT = re.compile(r"[-+]?[0-9]+\Z")
OCTAL = re.compile(r"0o[0-7]+\Z")
HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")

# An anchor or a tag begins behind a blank, a line end or a sign, whichever; behind a letter or digit none does.
_DECORATED = re.compile(r"(?:&(?=\S)|!)(?<!\w.)")
_NUMERIC = frozenset("0123456789+-.")
_WORDS = frozenset((*NULL, *BOOL))
_WHOLE = re.compile(r"-?[1-9][0-9]{0,14}\Z|0\Z")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,8})\.[0-9]{1,6}\Z")


class OutOfOrder(Exception):
    """Something is wrong with the text, or could be."""


def plain_value(text: str) -> Any:
    """The value of a document. Raises OutOfOrder where anything could be wrong, yaml.YAMLError where it is not YAML."""
    # A text has at least one character a value.
    if len(text) > MAX_VALUES or not is_native(text) or (("&" in text or "!" in text) and _DECORATED.search(text)):
        raise OutOfOrder
    # Where the whole text is NFC so is each part of it, but for what is written with escapes.
    normal = "\\" not in text and unicodedata.is_normalized("NFC", text)
    loader = yaml.CSafeLoader(text)
    try:
        return _taken(loader.get_event, normal)
    finally:
        loader.dispose()


def _taken(next_event: Any, normal: bool) -> Any:
    scalar, mapping_start, sequence_start = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
    mapping_end, sequence_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
    numeric, words, is_normalized, intern = _NUMERIC, _WORDS, unicodedata.is_normalized, sys.intern
    outer: list[Any] = [None]  # what is open around `into`
    into: Any = []  # the mapping or list that is being filled; at first one that takes the document's value
    of_mapping = False
    key = None
    root = into
    while True:
        event = next_event()
        kind = event.__class__
        if kind is scalar:
            value = event.value
            if len(value) > MAX_TEXT or not (normal or is_normalized("NFC", value)):
                raise OutOfOrder
            if (not value or value[0] in numeric or value in words) and not event.style:
                value = _resolved(value)
            if not of_mapping:
                into.append(value)
            elif key is not None:
                into[key] = value
                key = None
            elif value.__class__ is str and value not in into and value != "<<":
                key = intern(value)
            else:
                raise OutOfOrder
        elif kind is mapping_end or kind is sequence_end:
            into = outer.pop()
            of_mapping = into.__class__ is dict
        elif kind is mapping_start or kind is sequence_start:
            opened: Any = {} if kind is mapping_start else []
            if not of_mapping:
                into.append(opened)
            elif key is not None:
                into[key] = opened
                key = None
            else:
                raise OutOfOrder
            outer.append(into)
            into = opened
            of_mapping = kind is mapping_start
            if len(outer) > MAX_DEPTH:
                raise OutOfOrder
        elif kind is yaml.StreamEndEvent:
            break
        elif kind is yaml.AliasEvent:
            raise OutOfOrder
    if len(root) != 1:  # no document, or several
        raise OutOfOrder
    return root[0]


def _resolved(text: str) -> Any:
    """What a plain scalar stands for, where it is a number in its one spelling, a truth value or null."""
    if text in NULL:
        return None
    if _WHOLE.match(text):
        return int(text)
    if text in ("true", "false"):
        return text == "true"
    if _DECIMAL.match(text) and text == repr(number := float(text) + 0.0):
        return number
    if text in BOOL or any(pattern.match(text) for pattern in (FLOAT, OCTAL, HEX, NOT_FINITE)):
        raise OutOfOrder
    return text
