"""Where a finding must stand to count: the one definition of "the right line".

A finding counts where it stands, in the file that was changed or at the other end of a reference, at one of these:

- `line`       its own line is the line that was changed; of a block that was doubled, moved or exchanged, a line of
               that block; of a deletion, the line that now stands at the cut;
- `parent`     of a deletion, the line of the key or the first line of the mapping or list that lost the part;
- `note`       one of its notes ("the limit is here") is at such a line: the finding is about two places, this is one;
- `digest`     it is the finding of a digest, at the digest's own line, and the digest is taken over the changed slot;
- `reference`  it stands at a value that is exactly a name which the change took away: a reference that leads nowhere.

Nothing else counts, however true: a finding three lines away does not show a reader what was changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mutant import Mutant, Touched

from divisionbell.bank.canonical import COVERED
from divisionbell.bank.document import Document, Path_
from divisionbell.diagnostics import Diagnostic, Location
from divisionbell.validate.rules.prospective import SUPPLIED as SUPPLIED_TO_CODES
from divisionbell.validate.rules.sources import SUPPLIED

Shown = Mapping[str, Document]
"""Path as diagnostics show it -> the document as mutated, or as it was where it is not."""


def right_place(finding: Diagnostic, mutant: Mutant, documents: Shown) -> str | None:
    """How a finding stands at the right place of a mutant, or None where it does not."""
    for touched in mutant.touched:
        if _at(finding.location, touched):
            return "line"
    for touched in mutant.touched:
        if touched.parent is not None and _at_parent(finding.location, touched, documents):
            return "parent"
    if any(_at(related.location, touched) for related in finding.related for touched in mutant.touched):
        return "note"
    if any(finding.location in digests(finding.rule, touched, documents) for touched in mutant.touched):
        return "digest"
    if mutant.names and value_at(finding.location, documents) in mutant.names:
        return "reference"
    return None


def _at(place: Location, touched: Touched) -> bool:
    return place.path == touched.shown and touched.first <= place.line <= touched.last


def _at_parent(place: Location, touched: Touched, documents: Shown) -> bool:
    if place.path != touched.shown:
        return False
    mark, _ = documents[place.path].mark(touched.parent or ())
    return place.line in {mark.line, mark.key_line}


def value_at(place: Location, documents: Shown) -> str | None:
    """What is written in one line of a file from a column on, without quotes."""
    document = documents.get(place.path)
    if document is None or place.line > len(document.lines):
        return None
    return document.lines[place.line - 1][place.column - 1 :].strip("'\"")


def digests(rule: str, touched: Touched, documents: Shown) -> list[Location]:
    """The places of the digests of one rule that are taken over what was touched."""
    document, found = documents.get(touched.shown), _DIGESTS.get(rule)
    if found is None or not touched.path or document is None or not isinstance(document.value, dict):
        return []
    return list(found(document, touched.path))


def _of_transformation(document: Document, path: Path_) -> Iterator[Location]:
    items = document.value.get("items", [])
    for number in range(len(items)):
        whole = path[0] in {"axis", *COVERED["Dossier"]} and path[0] != "items"
        own = path[:2] == ("items", number) and (len(path) == 2 or path[2] in COVERED["Item"])
        if whole or own:
            yield document.at("items", number, "transformation_sha256")


def _of_extract(document: Document, path: Path_) -> Iterator[Location]:
    if path[0] == "source" and len(path) > 1:
        yield from _of_copies(document, ("source",), document.value["source"]["copies"], path[1:])


def _of_code(document: Document, path: Path_) -> Iterator[Location]:
    if path[0] == "prospective_codes" and len(path) > 2:
        code = document.value["prospective_codes"][path[1]]
        yield from _of_copies(document, path[:2], code["copies"], path[2:])


def _of_copies(document: Document, base: Path_, copies: list[dict[str, object]], path: Path_) -> Iterator[Location]:
    for number, copy in enumerate(copies):
        supplies = copy["supplies"]
        assert isinstance(supplies, list)
        if path[0] in supplies or path[:3] == ("copies", number, "supplies"):
            yield document.at(*base, "copies", number, "extract_sha256")


def digests_cover(mutant: Mutant) -> Iterator[str]:
    """The rules whose digest is taken over what a mutant of values changed; each of them must find it."""
    root = mutant.slot.partition(".")[0]
    for path in (touched.path for touched in mutant.touched):
        inner = path[2:] if path[:1] in {("items",), ("prospective_codes",)} else path
        if root == "dossier" and path:
            whole = path[0] in COVERED["Dossier"] and path[0] != "items"
            if whole or (path[0] == "items" and inner and inner[0] in COVERED["Item"]):
                yield "HSH001"
        supplied = inner[1:2] if path[:1] == ("source",) else inner[:1]
        if path[:1] == ("source",) and set(supplied) & set(SUPPLIED) and path[-1] != "members":
            yield "SRC002"
        if root == "prospective" and set(supplied) & SUPPLIED_TO_CODES:
            yield "SRC005"


_DIGESTS: dict[str, Callable[[Document, Path_], Iterator[Location]]] = {
    "HSH001": _of_transformation,
    "SRC002": _of_extract,
    "SRC005": _of_code,
}
