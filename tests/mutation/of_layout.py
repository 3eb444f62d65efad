"""Changes that change nothing: what YAML does not carry. Each must leave every value and every finding as it was."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise

from mutant import TextMutant, Touched, replaced
from slots import Site

from divisionbell.bank.document import Document, Mark

# Kind -> why it changes nothing. The list is short on purpose: whatever stands here is not found by any rule.
ALLOWED = {
    "layout: a comment in a line of its own": "comments are no part of a record",
    "layout: a comment behind a value": "comments are no part of a record",
    "layout: comments removed": "comments are no part of a record",
    "layout: a blank line": "blank lines outside of texts are no part of a record",
    "layout: blanks behind a value": "blanks at the end of a line outside of texts are no part of a record",
    "layout: quoted otherwise": "the quotes are no part of a text",
    "layout: a folded text in one line": "the folding is no part of a text",
    "layout: a folded text in two lines": "the folding is no part of a text",
    "layout: keys in another order": "a record's slots have no order",
    "layout: lines ended CR LF": "line ends outside of texts are no part of a record",
    "layout: a document start": "the marker --- is no part of a record",
    "layout: a byte order mark": "the mark is no part of a record",
    "layout: a list in one line": "a list is the same in brackets",
}


def of_site_layout(site: Site) -> Iterator[TextMutant]:
    """The changes of layout at one site."""
    document, mark = site.document, site.mark
    first = mark.key_line - 1
    line = document.lines[first]
    yield _at(site, "a comment in a line of its own", first, first, ["# a remark"])
    yield _at(site, "a blank line", first, first, [""])
    if site.is_scalar and mark.line == mark.end_line:
        yield _at(site, "a comment behind a value", first, first + 1, [line + "   # a remark"])
        yield _at(site, "blanks behind a value", first, first + 1, [line + "  "])
    if site.is_scalar and isinstance(site.value, str):
        yield from _of_text(site)
    if isinstance(mark.children, list) and site.value and all(isinstance(part, str) for part in site.value):
        head = line[: mark.key_column - 1] + f"{site.path[-1]}: "
        yield _at(site, "a list in one line", first, mark.end_line, [head + json.dumps(site.value, ensure_ascii=False)])


def _at(site: Site, kind: str, start: int, end: int, lines: list[str]) -> TextMutant:
    touched = Touched(site.document.shown, site.path, start + 1, start + max(len(lines), 1))
    return TextMutant(f"layout: {kind}", site.slot, (touched,), (replaced(site.document, start, end, lines),))


def _of_text(site: Site) -> Iterator[TextMutant]:
    mark, value = site.mark, site.value
    start, end = mark.line - 1, mark.end_line
    head = site.document.lines[start][: mark.column - 1]
    written = site.document.lines[start][mark.column - 1 :]
    quoted = json.dumps(value, ensure_ascii=False)
    if mark.line == mark.end_line:
        single = "'" + value.replace("'", "''") + "'"
        if not written.startswith('"'):
            yield _at(site, "quoted otherwise", start, end, [head + quoted])
        if written[:1] not in {"'", '"'}:
            yield _at(site, "quoted otherwise", start, end, [head + single])
    elif written == ">-":
        yield _at(site, "a folded text in one line", start, end, [head + quoted])
        halves = _halves(value)
        if halves is not None:
            lines = site.document.lines[start + 1]
            margin = lines[: len(lines) - len(lines.lstrip())]
            yield _at(site, "a folded text in two lines", start, end, [head + ">-", *(margin + h for h in halves)])


def _halves(text: str) -> tuple[str, str] | None:
    """A text in two, at the blank nearest to its middle that stands between two words of one line."""
    places = [n for n in range(1, len(text) - 1) if text[n] == " " and not (text[n - 1] + text[n + 1]).isspace()]
    places = [n for n in places if not text[n - 1].isspace() and not text[n + 1].isspace()]
    if not places or "\n" in text:
        return None
    cut = min(places, key=lambda n: abs(n - len(text) // 2))
    return text[:cut], text[cut + 1 :]


def of_document_layout(document: Document, found: list[Site]) -> Iterator[TextMutant]:
    """The changes of layout of a whole file."""
    name = found[0].slot.split(".")[0]
    yield _whole(document, name, "comments removed", [li for li in document.lines if not li.startswith("#")])
    yield _whole(document, name, "a document start", ["---", *document.lines])
    yield _whole(document, name, "a byte order mark", ["\ufeff" + document.lines[0], *document.lines[1:]])
    whole = _whole(document, name, "lines ended CR LF", list(document.lines))
    yield TextMutant(whole.kind, whole.slot, whole.touched, whole.splices, ending="\r\n")
    yield from _keys_exchanged(document, found)


def _whole(document: Document, name: str, kind: str, lines: list[str]) -> TextMutant:
    touched = Touched(document.shown, (), 1, len(lines))
    return TextMutant(f"layout: {kind}", name, (touched,), (replaced(document, 0, len(document.lines), lines),))


def _keys_exchanged(document: Document, found: list[Site]) -> Iterator[TextMutant]:
    """Two neighbouring keys of a mapping, with their values; the first key of a list's element holds its dash."""
    within: dict[object, list[Mark]] = {}
    for site in found:
        if not site.is_element:
            within.setdefault((site.path[:-1], site.slot.rpartition(".")[0]), []).append(site.mark)
    for (path, slot), marks in within.items():  # type: ignore[misc]
        for one, other in pairwise(marks):
            if document.lines[one.key_line - 1][: one.key_column - 1].strip():
                continue
            start, cut, end = one.key_line - 1, other.key_line - 1, other.end_line
            lines = [*document.lines[cut:end], *document.lines[start:cut]]
            touched = Touched(document.shown, path, start + 1, end)
            splice = replaced(document, start, end, lines)
            yield TextMutant("layout: keys in another order", slot, (touched,), (splice,))


def sampled(documents: list[tuple[str, Document, list[Site]]], number: int) -> Iterator[TextMutant]:
    """Changes of layout of every kind in so many sites of every slot, the same ones each time; of few files all."""
    by_slot: dict[str, list[Site]] = {}
    for _, _, found in documents:
        for site in found:
            by_slot.setdefault(site.slot, []).append(site)
    for slot, sites in by_slot.items():
        for site in random.Random(slot).sample(sites, min(number, len(sites))):
            yield from of_site_layout(site)
    by_root: dict[str, list[tuple[Document, list[Site]]]] = {}
    for root, document, found in documents:
        if found:
            by_root.setdefault(root, []).append((document, found))
    for root, listed in by_root.items():
        for document, found in random.Random(root).sample(listed, min(number, len(listed))):
            yield from of_document_layout(document, found)
