"""A comparison as text to read: what came and went in summary, what changed line by line, and a line of counts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import orjson

from divisionbell.bank.differences import ABSENT
from divisionbell.bank.matching import Order
from divisionbell.diagnostics import visible
from divisionbell.freeze.diff import Change, Comparison, counts
from divisionbell.freeze.word_diff import word_diff

WIDTH = 118
FEW = 2  # elements of one list that are told one by one
MANY = 12  # names told of a list

_TOKEN = re.compile(r"\S+\s*|\s+")
_SINGULAR = re.compile(r"(?<=\w)s\b")
_DIVISIONS = frozenset(("dossier", "excluded", "prospective"))

# Given a mark ("-" or "+") and a text, the text as it is to be shown.
Paint = Callable[[str, str], str]


def plain(mark: str, text: str) -> str:
    """Words as a word diff marks them where there is no colour."""
    return f"[-{text}-]" if mark == "-" else f"{{+{text}+}}"


def text_lines(comparison: Comparison, paint: Paint = plain, stat: bool = False) -> Iterator[str]:
    """The lines of a comparison; with `stat` one line a record instead of its changes."""
    for side in (comparison.old, comparison.new):
        for one in side.unread:
            yield visible(f"not compared: {one.location}: {one.message}")
    changes = comparison.changes
    for category in ("added", "withdrawn"):
        for kind, group in groupby((c for c in changes if c.category == category and not c.item), lambda c: c.kind):
            yield from _whole_records(category, kind, list(group))
    rest = [c for c in changes if c.item or not c.whole]
    for (kind, record), held in groupby(rest, lambda c: (c.kind, c.record)):
        yield from _record(kind, record, list(held), paint, stat)
    yield closing_line(comparison)


def closing_line(comparison: Comparison) -> str:
    """One line that counts what changed."""
    names = f"{comparison.old.name} → {comparison.new.name}"
    unread = len(comparison.old.unread) + len(comparison.new.unread)
    told = [
        f"{number} {name if number > 1 else _SINGULAR.sub('', name, count=1)}"
        for name, number in counts(comparison).items()
    ]
    if unread:
        told.append(f"{unread} not compared")
    return f"{names}: " + (" · ".join(told) if told else f"the same, {comparison.compared} records compared")


def _whole_records(category: str, kind: str, changes: list[Change]) -> Iterator[str]:
    """Whole records that came or went: each with its note where there is one, the others by group, by number."""
    yield f"{category}: {len(changes)} × {kind}{_items_in(changes)}"
    groups: dict[str, list[Change]] = {}
    for change in changes:
        if change.note or change.place:
            told = ": ".join(part for part in (f"{change.kind} {change.record}", change.note) if part)
            yield from _wrapped(f"  {told}{_at(change)}", "      ")
        else:
            groups.setdefault(_group(change), []).append(change)
    for name, held in sorted(groups.items()):
        told = " ".join(c.record.removeprefix("commons-") for c in held)
        yield from _wrapped(f"  {name} ({len(held)}): {told}" if name else f"  {told}", "      ")


def _at(change: Change) -> str:
    return f"  {change.place}" if change.place else ""


def _items_in(changes: list[Change]) -> str:
    count = 0
    for change in changes:
        value = change.new if change.category == "added" else change.old
        held = value.get("items") if isinstance(value, dict) else None
        count += len(held) if isinstance(held, list) else 0
    return f", {count} items" if count else ""


def _group(change: Change) -> str:
    value = change.new if change.category == "added" else change.old
    if not isinstance(value, dict):
        return ""
    exclusion = value.get("exclusion")
    inner = exclusion.get("exclusion_reason") if isinstance(exclusion, dict) else value.get("issue_family")
    return "/".join(str(part) for part in (value.get("axis"), inner) if part is not None)


def _record(kind: str, record: str, changes: list[Change], paint: Paint, stat: bool) -> Iterator[str]:
    if stat:
        told = " · ".join(f"{len(list(held))} {name}" for name, held in groupby(sorted(c.category for c in changes)))
        yield from _wrapped(f"{kind} {record}: {told}", "    ")
        return
    yield visible(f"{kind} {record}")
    for (item, alias), held in groupby(changes, lambda c: (c.item, c.alias)):
        if item is None:
            yield from _lines(list(held), "  ", paint)
        else:
            yield visible(f"  {item} ({alias})" if alias != item else f"  {item}")
            yield from _lines(list(held), "    ", paint)


def _lines(changes: list[Change], indent: str, paint: Paint) -> Iterator[str]:
    """Changes of one record or item; the elements of one list that came or went are told together."""
    gathered: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        gathered.setdefault(_list_of(change), []).append(change)
    for (verb, name), group in gathered.items():
        names = [c.steps[-1] if c.steps else "" for c in group]
        named = all(
            name == value for name, c in zip(names, group, strict=True) for value in (c.old, c.new) if _is(value)
        )
        if verb and (named or len(group) > FEW):
            more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
            told = f"{_label(group[0], name)}: {len(group)} {verb}: {', '.join(names[:MANY])}{more}"
            yield from _wrapped(f"{indent}{told}{_at(group[0])}", indent + "    ")
        else:
            for change in group:
                yield from _change(change, indent, paint)


def _is(value: Any) -> bool:
    return value is not ABSENT


def _list_of(change: Change) -> tuple[str, str]:
    """Whether a change is of an element that came or went, and the list it is of; else the change's own place."""
    if len(change.steps) > 1 and (change.old is ABSENT or change.new is ABSENT):
        return "added" if change.old is ABSENT else "withdrawn", ".".join(change.steps[:-1])
    return "", change.where


def _label(change: Change, where: str) -> str:
    """What a line begins with; in a record of its own kind the heading has said what is changed."""
    parts = (change.category if change.kind in _DIVISIONS else "", where)
    return ": ".join(part for part in parts if part) or change.category


def _change(change: Change, indent: str, paint: Paint) -> Iterator[str]:
    place, label = _at(change), _label(change, change.where)
    old, new = change.old, change.new
    if isinstance(old, str) and isinstance(new, str) and (" " in old.strip() or " " in new.strip()):
        yield visible(f"{indent}{label}{place}")
        parts = word_diff(old, new)
        whole = all(mark != "=" for mark, _ in parts)  # nothing in common: one after the other
        for part in [[part] for part in parts] if whole else [parts]:
            yield from _painted(part, indent + "    ", paint)
    elif change.whole:
        yield from _wrapped(f"{indent}{label}{place}", indent + "    ")
    elif isinstance(old, Order):
        yield from _wrapped(
            f"{indent}{label}: {len(old.names)} elements stand in another order{place}", indent + "    "
        )
    else:
        was, now = shown(old), shown(new)
        if was == now:  # a digest that is cut, or a number and its text
            was, now = (orjson.dumps(value).decode() for value in (old, new))
        yield from _wrapped(f"{indent}{label}: {was} → {now}{place}", indent + "    ")


def shown(value: Any) -> str:
    """A value in at most 100 characters; digests are cut to twelve."""
    if value is ABSENT:
        return "nothing"
    try:
        text = value if isinstance(value, str) and value else orjson.dumps(value).decode()
    except TypeError:
        text = repr(value)
    if len(text) == 64 and all(c in "0123456789abcdef" for c in text):
        return text[:12] + "…"
    return text if len(text) <= 100 else f"{text[:97]}… ({len(text)} characters)"


def _wrapped(text: str, indent: str) -> list[str]:
    made = textwrap.wrap(visible(text), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return made or [""]


def _painted(parts: Sequence[tuple[str, str]], indent: str, paint: Paint) -> Iterator[str]:
    """A word diff in lines, each with its own marks around what stands of a part in it."""
    line: list[tuple[str, str]] = []
    width = len(indent)
    for mark, text in parts:
        for token in _TOKEN.findall(text.replace("\n", "⏎ ")):
            word = visible(token)
            if line and width + len(word.rstrip()) > WIDTH:
                yield indent + _joined(line, paint).rstrip()
                line, width = [], len(indent)
            line.append((mark, word))
            width += len(word)
    if line:
        yield indent + _joined(line, paint).rstrip()


def _joined(words: list[tuple[str, str]], paint: Paint) -> str:
    told = ""
    for mark, held in groupby(words, lambda word: word[0]):
        text = "".join(word for _, word in held)
        core = text.rstrip() or text
        told += text if mark == "=" else paint(mark, core) + text[len(core) :]
    return told
