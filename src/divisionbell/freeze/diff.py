"""What changed between two versions of the bank, record by record, each change with its kind.

Nothing that differs is left out: every difference of two records' values is one change, and so is every record that
only one side has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from divisionbell.bank.canonical import jcs, sha256_hex
from divisionbell.bank.differences import ABSENT, first_difference
from divisionbell.bank.frozen_file import SINGLE_KINDS
from divisionbell.bank.manifest import Record
from divisionbell.diagnostics import Location
from divisionbell.freeze.diff_sides import Side
from divisionbell.freeze.diff_values import ValueChange, value_changes

# What a change is, by the first steps to it in a dossier.
_IN_DOSSIER = {
    "axis": "moved",
    "issue_family": "moved",
    "contrast": "reworded",
    "reviews": "re-reviewed",
    "codings": "re-coded",
    "exclusion": "exclusion",
}
_RE_KEYED = frozenset(("aye_coordinate", "direction", "direction_note"))


@dataclass(frozen=True)
class Change:
    """One difference. `steps` are empty where a whole record or item came or went; a missing side is ABSENT."""

    category: str
    kind: str
    record: str
    steps: tuple[str, ...]
    old: Any
    new: Any
    item: str | None = None
    alias: str | None = None
    place: Location | None = None
    note: str = ""

    @property
    def where(self) -> str:
        """The steps in one word."""
        return ".".join(self.steps)

    @property
    def whole(self) -> bool:
        """Whether a whole record or item stands on one side alone."""
        return self.category in {"added", "withdrawn"}


@dataclass(frozen=True)
class Comparison:
    """Two sides and all that differs."""

    old: Side
    new: Side
    changes: tuple[Change, ...]
    compared: int

    @property
    def same(self) -> bool:
        """True only where nothing differs and nothing was left uncompared."""
        return not self.changes and not self.old.unread and not self.new.unread


def compare(old: Side, new: Side) -> Comparison:
    """Compare two sides record by record."""
    before, after = _by_key(old), _by_key(new)
    changes: list[Change] = []
    for key in sorted(set(before) | set(after)):
        one, other = before.get(key), after.get(key)
        if one is None and other is not None:
            changes.append(_whole("added", other, before))
        elif other is None and one is not None:
            if not new.hides(one.kind, one.id):
                changes.append(_whole("withdrawn", one, after))
        elif one is not None and other is not None:
            changes += _record_changes(one, other, new)
    return Comparison(old, new, tuple(_items_followed(_told_once(changes))), len(set(before) | set(after)))


def _by_key(side: Side) -> dict[tuple[str, str], Record]:
    """Each record under its kind and id; kinds that a bank has once are matched whatever their id."""
    return {(record.kind, "" if record.kind in SINGLE_KINDS else record.id): record for record in side.records}


def _whole(category: str, record: Record, others: dict[tuple[str, str], Record]) -> Change:
    """A record that only one side has; the note says what the other side holds of the same division."""
    place = record.document.at(*record.base) if record.document is not None else None
    old, new = (ABSENT, record.value) if category == "added" else (record.value, ABSENT)
    counterpart = {"dossier": "excluded", "excluded": "dossier"}.get(record.kind, "")
    other = others.get((counterpart, record.id))
    note = ""
    if other is not None:
        verb = "now" if category == "withdrawn" else "before"
        note = f"{verb} admitted" if counterpart == "dossier" else f"{verb} excluded: {_reason(other.value)}"
    elif record.kind == "dossier" and category == "withdrawn":
        note = "not among the excluded either"
    return Change(category, record.kind, record.id, (), old, new, place=place, note=note)


def _reason(value: Any) -> str:
    exclusion = value.get("exclusion") if isinstance(value, dict) else None
    if not isinstance(exclusion, dict):
        return "no reason is given"
    return f"{exclusion.get('exclusion_reason')}. {exclusion.get('explanation')}"


def _record_changes(old: Record, new: Record, side: Side) -> Iterator[Change]:
    if old.id != new.id:
        place = new.document.at(*new.base) if new.document is not None else None
        yield Change(_category(new.kind, ("id",)), new.kind, new.id, ("id",), old.id, new.id, place=place)
    for change in value_changes(old.value, new.value):
        told = _change(old, new, change)
        if new.kind == "codebook" and side.codebook and isinstance(change.new, str) and isinstance(change.old, str):
            line = change.new.count("\n", 0, first_difference(change.old, change.new)) + 1
            told = replace(told, place=Location(side.codebook, line))
        yield told


def _change(old: Record, new: Record, change: ValueChange) -> Change:
    steps = change.steps
    category = _category(new.kind, steps)
    item = alias = None
    if new.kind == "dossier" and steps[:1] == ("items",) and len(steps) > 1:
        number, side = (change.new_path, new) if len(change.new_path) > 1 else (change.old_path, old)
        held = side.value["items"][number[1]]
        item, alias = steps[1], _alias(side.value, held)
        steps = steps[2:]
        if not steps:
            category = "added" if change.old is ABSENT else "withdrawn" if change.new is ABSENT else "other"
    place = _place(new, change)
    return Change(category, new.kind, new.id, steps, change.old, change.new, item, alias, place)


def _alias(dossier: Any, item: Any) -> str:
    """The readable name of an item, also where the dossier does not fit its schema."""
    number = str(dossier.get("dossier_id", "?")).removeprefix("commons-")
    if not isinstance(item, dict):
        return number
    kind = str(item.get("kind", "item")).removesuffix("_action")
    return f"{number}/{kind}{'-mirror' if 'mirror_of' in item else ''}"


def _category(kind: str, steps: tuple[str, ...]) -> str:
    first = steps[0] if steps else ""
    if kind in {"dossier", "excluded"}:
        if first == "items":
            return _item_category(steps[2:])
        if first == "source":
            return "re-keyed" if len(steps) > 1 and steps[1] in _RE_KEYED else "source"
        return _IN_DOSSIER.get(first, "other")
    if kind == "prospective":
        return "re-keyed" if first in _RE_KEYED else "moved" if first == "axis" else "prospective"
    return "settings" if kind == "bank" else kind


def _item_category(steps: tuple[str, ...]) -> str:
    first = steps[0] if steps else ""
    if first in {"stem", "options"}:
        return "reworded"
    return {"scoring_key": "re-keyed", "transformation_sha256": "digest"}.get(first, "other")


def _place(new: Record, change: ValueChange) -> Location | None:
    document = new.document
    if document is None:
        return None
    path = (*new.base, *change.new_path)
    if isinstance(change.old, str) and isinstance(change.new, str):
        return document.at_character(path, change.new, first_difference(change.old, change.new))
    if change.new is ABSENT:
        return document.at_key(*path[:-1]) if len(change.new_path) == len(change.old_path) else document.at_key(*path)
    return document.at_key(*path) if isinstance(change.new, dict | list) else document.at(*path)


def _told_once(changes: list[Change]) -> list[Change]:
    """The settings repeat template and reminder: where both changed alike, it is told of the template alone."""
    told = {(c.where, repr(c.old), repr(c.new)) for c in changes if c.kind in {"template", "reminder"}}
    return [c for c in changes if c.kind != "bank" or (c.where, repr(c.old), repr(c.new)) not in told]


def _items_followed(changes: list[Change]) -> Iterator[Change]:
    """The changes, with a note on each item that stands in another dossier now."""
    homes: dict[str, dict[str, str]] = {"added": {}, "withdrawn": {}}
    for change in changes:
        if change.whole and change.kind == "dossier":
            dossier = change.new if change.category == "added" else change.old
            held = dossier.get("items") if isinstance(dossier, dict) and change.item is None else None
            for item in held if isinstance(held, list) else []:
                if isinstance(item, dict) and isinstance(item.get("item_id"), str):
                    homes[change.category][item["item_id"]] = change.record
            if change.item is not None:
                homes[change.category][change.item] = change.record
    both = set(homes["added"]) & set(homes["withdrawn"])
    yield from changes
    for item in sorted(both):
        before, after = homes["withdrawn"][item], homes["added"][item]
        if before != after:
            yield Change("moved", "dossier", after, ("dossier",), before, after, item, item)


# What is counted for a category of change within records of dossiers and items, in words for one and for many.
_WORDS = {
    "added": "added",
    "withdrawn": "withdrawn",
    "moved": "moved",
    "reworded": "reworded",
    "re-keyed": "re-keyed",
    "re-reviewed": "re-reviewed",
    "source": "with other source figures",
    "exclusion": "with another reason",
    "digest": "with another digest",
    "other": "changed otherwise",
    "prospective": "changed otherwise",
}
_PLURALS = {"excluded": "excluded divisions", "prospective": "prospective codes", "data_source": "data sources"}


def counts(comparison: Comparison) -> dict[str, int]:
    """How many things changed, by what changed in them, in words. A dossier or item counts once in each."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    for change in comparison.changes:
        name, single = _counted(change)
        where = "" if single else f"{change.where} {change.old is ABSENT}"
        found.setdefault(name, set()).add((change.record, change.item or "", where))
    return {name: len(keys) for name, keys in sorted(found.items())}


def _counted(change: Change) -> tuple[str, bool]:
    """What a change is counted among, and whether its record or item counts once or each change of it."""
    if change.item is not None:
        return f"items {_WORDS[change.category]}", True
    if change.category == "re-coded":
        return "codings added or changed", False
    if change.whole or change.kind in {"dossier", "excluded", "prospective"}:
        return f"{_PLURALS.get(change.kind, f'{change.kind}s')} {_WORDS[change.category]}", True
    return f"changes of {'data sources' if change.kind == 'data_source' else change.category}", False


def digest_of(value: Any) -> str | None:
    """The digest of a whole record's or item's value, by which it can be found in the frozen file."""
    try:
        return sha256_hex(jcs(value))
    except ValueError:
        return None
