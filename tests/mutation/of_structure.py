"""Mutants of keys and lists: deleted, renamed, doubled, moved, exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mutant import Mutant, Splice, TextMutant, Touched, block, line_edit, replaced
from of_values import LETTERS, draw_for
from slots import Site, identifiers

from divisionbell.bank.document import Document, Mark, Path_


def of_key(site: Site) -> Iterator[Mutant]:
    """The mutants of a key that is not an element of a list."""
    yield _key_deleted(site)
    yield _key_renamed(site)


def _whole(mark: Mark) -> tuple[int, int]:
    """First line, from 0, and the line after the last of a key with its value, or of an element."""
    return mark.key_line - 1, mark.end_line


def names_in(site: Site) -> frozenset[str]:
    """The names that a value gives to things: they go with it."""
    return frozenset(names_below(site.value, str(site.path[-1])))


def names_below(value: object, key: str) -> Iterator[str]:
    """The names given within a value that stands under a key."""
    if isinstance(value, dict):
        for inner, part in value.items():
            yield from names_below(part, inner)
    elif isinstance(value, list):
        for part in value:
            yield from names_below(part, "")
    elif isinstance(value, str) and key in identifiers():
        yield value


def _key_deleted(site: Site) -> Mutant:
    document, mark = site.document, site.mark
    start, end = _whole(mark)
    head = document.lines[start][: mark.key_column - 1]
    following = document.lines[end] if end < len(document.lines) else ""
    if not head.strip():
        splice = replaced(document, start, end, ())
    elif following.startswith(" " * len(head)) and following[len(head) : len(head) + 1].strip():
        splice = replaced(document, start, end + 1, (head + following[len(head) :],))  # the dash stays
    else:
        splice = replaced(document, start, end, (head + "{}",))
    touched = Touched(document.shown, site.path, start + 1, start + 1, parent=site.path[:-1])
    return TextMutant("key: deleted with its value", site.slot, (touched,), (splice,), names=names_in(site))


def _key_renamed(site: Site) -> Mutant:
    document, mark, kind = site.document, site.mark, "key: one letter changed"
    key, line = str(site.path[-1]), document.lines[mark.key_line - 1]
    draw = draw_for(site, kind)
    place = draw.randrange(len(key))
    new = key[:place] + draw.choice([c for c in LETTERS[:26] if c != key[place]]) + key[place + 1 :]
    column = mark.key_column - 1
    splice = line_edit(document, mark.key_line - 1, line[:column] + new + line[column + len(key) :])
    touched = Touched(document.shown, site.path, mark.key_line, mark.key_line)
    return TextMutant(kind, site.slot, (touched,), (splice,), names=names_in(site))


def of_element(site: Site, following: Mark | None) -> Iterator[Mutant]:
    """The mutants of an element of a list; `following` is the mark of the next one."""
    document = site.document
    start, end = _whole(site.mark)
    lines = block(document, start, end)
    alone = len(site.path) > 0 and following is None and site.path[-1] == 0
    if alone:
        # The last element of a list leaves its key without a value.
        touched = Touched(document.shown, site.path, max(start, 1), max(start, 1), parent=site.path[:-1])
    else:
        touched = Touched(document.shown, site.path, start + 1, start + 1, parent=site.path[:-1])
    gone = replaced(document, start, end, ())
    yield TextMutant("element: deleted", site.slot, (touched,), (gone,), names=names_in(site))
    alike = end  # of elements that are the same, which one stands once too often cannot be told
    while block(document, alike, alike + len(lines)) == lines:
        alike += len(lines)
    doubled = Touched(document.shown, site.path, start + 1, alike + len(lines))
    yield TextMutant("element: doubled", site.slot, (doubled,), (replaced(document, end, end, lines),))
    if following is not None:
        other = block(document, *_whole(following))
        if other != lines:
            moved = replaced(document, start, following.end_line, other + lines)
            both = Touched(document.shown, site.path, start + 1, following.end_line)
            yield TextMutant("element: moved behind the next", site.slot, (both,), (moved,))


def exchanged(kind: str, slot: str, one: Site, other: Site) -> Mutant:
    """Two values exchanged, each under the other's key; of one file or of two."""
    first, second = _of_value(one, other), _of_value(other, one)
    shift = 0
    if one.document is other.document and one.mark.line < other.mark.line:
        shift = len(first.lines) - (first.end - first.start)
    return TextMutant(
        kind,
        slot,
        (
            Touched(one.document.shown, one.path, first.start + 1, first.start + len(first.lines)),
            Touched(
                other.document.shown, other.path, second.start + 1 + shift, second.start + len(second.lines) + shift
            ),
        ),
        (first, second),
        names=names_in(one) | names_in(other),
    )


def _of_value(site: Site, taken: Site) -> Splice:
    """The lines of `site` with the value of `taken` in the place of its own. Both stand at the same depth."""
    start, end = _whole(site.mark)
    there, there_end = _whole(taken.mark)
    lines = list(block(taken.document, there, there_end))
    if not site.is_element:
        mine, theirs = str(site.path[-1]), str(taken.path[-1])
        head = site.document.lines[start][: site.mark.key_column - 1]
        lines[0] = head + mine + lines[0][taken.mark.key_column - 1 + len(theirs) :]
    return replaced(site.document, start, end, lines)


def of_neighbours(within: list[Site]) -> Iterator[Mutant]:
    """The values of two neighbouring keys of one mapping exchanged, where they have the same range."""
    for one, other in pairwise(within):
        if one.range == other.range and not one.is_element and one.value != other.value:
            yield exchanged("two values exchanged", one.slot, one, other)


def find(found: list[Site], *path: str | int) -> Site:
    """The site at a path."""
    return next(site for site in found if site.path == tuple(path))


def of_dossier(document: Document, found: list[Site]) -> Iterator[Mutant]:
    """What only whole dossiers have: the parts of original and mirror exchanged."""
    by_path: dict[Path_, Site] = {site.path: site for site in found}
    items = document.value["items"]
    number = {item["item_id"]: n for n, item in enumerate(items)}
    for n, item in enumerate(items):
        if "mirror_of" not in item:
            continue
        original = number[item["mirror_of"]]
        for part in ("scoring_key", "stem", "options", "status_quo", "frame", "transformation_sha256", "item_id"):
            one, other = by_path["items", original, part], by_path["items", n, part]
            if one.value != other.value:
                yield exchanged("part of original and mirror exchanged", f"dossier.items[].{part}", one, other)


def of_two_dossiers(one: list[Site], other: list[Site]) -> Iterator[Mutant]:
    """Whole parts exchanged between two dossiers' files."""
    for path, slot in (
        (("items", 0), "dossier.items[]"),
        (("items", 1), "dossier.items[]"),
        (("source",), "dossier.source"),
        (("source", "party_counts"), "dossier.source.party_counts"),
        (("source", "copies"), "dossier.source.copies"),
        (("contrast",), "dossier.contrast"),
        (("reviews",), "dossier.reviews"),
        (
            ("reviews", "party_space_crosscheck_v1", "party_space"),
            "dossier.reviews.party_space_crosscheck_v1.party_space",
        ),
    ):
        yield exchanged("exchanged between two files", slot, find(one, *path), find(other, *path))
