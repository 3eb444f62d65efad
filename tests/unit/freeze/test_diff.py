"""A comparison leaves nothing out, says of each change what it is, and knows where it stands in the working files."""

from __future__ import annotations

import copy
import dataclasses
import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.bank.differences import ABSENT
from divisionbell.bank.load import load
from divisionbell.bank.manifest import Record
from divisionbell.diagnostics import Location
from divisionbell.freeze.diff import Change, compare, counts
from divisionbell.freeze.diff_sides import Side, frozen_side, working_side
from divisionbell.freeze.diff_text import text_lines
from divisionbell.freeze.frozen_bank import read_frozen

SHIPPED = Path(__file__).resolve().parents[3] / "bank" / "freeze"


@functools.cache
def shipped() -> Side:
    return frozen_side(read_frozen(SHIPPED, "0.1.0"))


def with_value(record: Record, value: Any) -> Record:
    return Record(record.kind, record.id, value, record.document, record.base)


def changed(record: Record, value: Any) -> Side:
    """The pilot with one record's value exchanged."""
    side = shipped()
    made = tuple(with_value(record, value) if one is record else one for one in side.records)
    return dataclasses.replace(side, name="other", records=made)


def record_of(kind: str, name: str | None = None) -> Record:
    return next(one for one in shipped().records if one.kind == kind and name in (None, one.id))


def edited(record: Record, edit: Callable[[Any], None]) -> list[Change]:
    """The changes that one edit of a record's value comes to, which are the same seen from the other side."""
    value = copy.deepcopy(record.value)
    edit(value)
    there = compare(shipped(), changed(record, value))
    back = compare(changed(record, value), shipped())
    assert len(there.changes) == len(back.changes)
    assert list(text_lines(there))
    return list(there.changes)


def test_nothing_differs() -> None:
    same = compare(shipped(), shipped())
    assert same.same
    assert same.changes == ()
    assert list(text_lines(same)) == ["0.1.0 → 0.1.0: the same, 30 records compared"]


DOSSIER = ("dossier", "commons-1541")


def put(*path: Any) -> Callable[[Any], None]:
    """Write the last of the arguments at the path before it."""

    def edit(value: Any) -> None:
        for step in path[:-2]:
            value = value[step]
        value[path[-2]] = path[-1]

    return edit


def drop(*path: Any) -> Callable[[Any], None]:
    def edit(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        del value[path[-1]]

    return edit


@pytest.mark.parametrize(
    ("kind", "edit", "category", "where"),
    [
        ("dossier", put("items", 0, "stem", "Other words."), "reworded", "stem"),
        ("dossier", put("items", 0, "options", "text_b", "Other words."), "reworded", "options.text_b"),
        ("dossier", put("contrast", "question", "Other words?"), "reworded", "contrast.question"),
        ("dossier", put("issue_family", "covert-agents"), "moved", "issue_family"),
        ("dossier", put("axis", "economic"), "moved", "axis"),
        ("dossier", put("items", 1, "scoring_key", "key_a", "social", 0.5), "re-keyed", "scoring_key.key_a.social"),
        ("dossier", put("source", "aye_coordinate", 0), "re-keyed", "source.aye_coordinate"),
        ("dossier", put("source", "direction", "other"), "re-keyed", "source.direction"),
        ("dossier", put("source", "ayes", 58), "source", "source.ayes"),
        ("dossier", put("items", 0, "transformation_sha256", "0" * 64), "digest", "transformation_sha256"),
        ("dossier", put("items", 0, "cost_of_negative", "Nothing."), "other", "cost_of_negative"),
        ("dossier", put("weak_points", 0, "None at all."), "other", "weak_points.0"),
        ("dossier", put("codings", [{"coding_id": "c", "x": 1}]), "re-coded", "codings.c"),
        ("dossier", put("new_slot", []), "other", "new_slot"),
        ("excluded", put("exclusion", "explanation", "Other words."), "exclusion", "exclusion.explanation"),
        ("bank", put("response_seed", "0" * 64), "settings", "response_seed"),
        ("plan", put("equivalence_margin", 0.5), "plan", "equivalence_margin"),
        ("template", put("system_message", "Other."), "template", "system_message"),
        ("reminder", put("reminder", "Other."), "reminder", "reminder"),
        ("parser", put("normative_text", 0, "Other."), "parser", "normative_text.0"),
        ("agent", put("label", "Other"), "agent", "label"),
        ("data_source", put("licence", "none"), "data_source", "licence"),
        ("schema", put("sha256", "0" * 64), "schema", "sha256"),
    ],
)
def test_what_a_change_is(kind: str, edit: Callable[[Any], None], category: str, where: str) -> None:
    record = record_of(*DOSSIER) if kind == "dossier" else record_of(kind)
    (change,) = edited(record, edit)
    assert (change.category, change.kind, change.record, change.where) == (category, kind, record.id, where)
    item = "items" in str(edit.__closure__[0].cell_contents)  # type: ignore[index]
    assert (change.item is not None) == item
    if item:
        assert change.alias in {"1541/concrete", "1541/concrete-mirror"}


def test_the_codebook() -> None:
    record = record_of("codebook")
    comparison = compare(
        shipped(), changed(record, record.value.replace("negative for greater", "negative for lesser"))
    )
    (change,) = comparison.changes
    assert (change.category, change.steps) == ("codebook", ())
    assert any("[-greater-] {+lesser+}" in line for line in text_lines(comparison))


def test_items_are_matched_by_id_and_not_by_place() -> None:
    record = record_of(*DOSSIER)
    order = edited(record, lambda value: value["items"].reverse())
    assert [(c.category, c.where, c.item) for c in order] == [("other", "items", None)]
    (gone,) = edited(record, lambda value: value["items"].pop(0))
    assert (gone.category, gone.item, gone.alias) == ("withdrawn", record.value["items"][0]["item_id"], "1541/concrete")
    assert gone.new is ABSENT


def test_reviews_are_told_by_procedure_and_field() -> None:
    for which in ("motion_semantics_v1", "party_space_crosscheck_v1"):
        (change,) = edited(record_of(*DOSSIER), put("reviews", which, "status", "rejected"))
        assert (change.category, change.where) == ("re-reviewed", f"reviews.{which}.status")


def test_a_template_is_told_once() -> None:
    """The settings repeat the template: both changed alike is one change, the settings alone are still told."""
    side = shipped()
    texts = {"prompt_template": "Another {stem}"}
    made = tuple(
        with_value(one, {**one.value, **texts}) if one.kind in {"bank", "template"} else one for one in side.records
    )
    assert [c.kind for c in compare(side, dataclasses.replace(side, records=made)).changes] == ["template"]
    bank = record_of("bank")
    assert [c.kind for c in compare(side, changed(bank, {**bank.value, **texts})).changes] == ["bank"]


def test_a_withdrawn_dossier_is_looked_for_among_the_excluded() -> None:
    side = shipped()
    record = record_of(*DOSSIER)
    rest = tuple(one for one in side.records if one is not record)
    (gone,) = compare(side, dataclasses.replace(side, records=rest)).changes
    assert (gone.category, gone.note) == ("withdrawn", "not among the excluded either")
    value = {k: v for k, v in record.value.items() if k not in {"items", "contrast", "issue_family"}}
    value["exclusion"] = {"exclusion_reason": "ambiguous", "explanation": "It points two ways."}
    excluded = Record("excluded", record.id, value)
    comparison = compare(side, dataclasses.replace(side, records=(*rest, excluded)))
    notes = {(c.category, c.kind): c.note for c in comparison.changes}
    assert notes == {
        ("withdrawn", "dossier"): "now excluded: ambiguous. It points two ways.",
        ("added", "excluded"): "before admitted",
    }
    assert "now excluded: ambiguous" in "\n".join(text_lines(comparison))


def test_an_item_that_went_to_another_dossier() -> None:
    side = shipped()
    one, other = record_of(*DOSSIER), record_of("dossier", "commons-243")
    item = one.value["items"][0]
    values = {
        one.id: {**one.value, "items": one.value["items"][1:]},
        other.id: {**other.value, "items": [*other.value["items"], item]},
    }
    made = tuple(with_value(r, values[r.id]) if r.kind == "dossier" and r.id in values else r for r in side.records)
    changes = compare(side, dataclasses.replace(side, records=made)).changes
    moved = [c for c in changes if c.category == "moved"]
    assert [(c.item, c.old, c.new) for c in moved] == [(item["item_id"], one.id, other.id)]


# The law: any one change in any value of any record is told, and none is told where there is none.
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=6)
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.text(max_size=4), SCALARS, max_size=2)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, inner in held for place in places(inner, (*path, step)))]


@functools.cache
def all_places(number: int) -> list[tuple[Any, ...]]:
    return places(shipped().records[number].value)


def canonical(value: Any) -> bytes:
    return Record("agent", "x", value).line()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_one_change_is_told(data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(shipped().records) - 1))
    record = shipped().records[number]
    path = data.draw(st.sampled_from(all_places(number)))
    holder: Any = {"value": copy.deepcopy(record.value)}
    target: Any = holder
    for step in ("value", *path)[:-1]:
        target = target[step]
    step = ("value", *path)[-1]
    old = target[step]
    how = data.draw(st.sampled_from(["replace", "edit", "delete", "double", "swap", "insert"]))
    if how == "edit" and isinstance(old, str) and old:
        index = data.draw(st.integers(0, len(old) - 1))
        target[step] = old[:index] + data.draw(st.sampled_from(["", "x", " ", "\n", "a "])) + old[index + 1 :]
    elif how == "delete" and path:
        del target[step]
    elif how == "double" and isinstance(old, list) and old:
        old.append(copy.deepcopy(data.draw(st.sampled_from(old))))
    elif how == "swap" and isinstance(old, list) and len(old) > 1:
        old[0], old[-1] = old[-1], old[0]
    elif how == "insert" and isinstance(old, dict):
        old[data.draw(st.text(max_size=5))] = data.draw(VALUES)
    else:
        target[step] = data.draw(VALUES)
    comparison = compare(shipped(), changed(record, holder["value"]))
    differs = canonical(holder["value"]) != canonical(record.value)
    assert bool(comparison.changes) == differs
    assert comparison.same == (not differs)
    told = list(text_lines(comparison))
    assert bool(counts(comparison)) == differs
    assert (len(told) > 1) == differs
    assert all(line.isprintable() for line in told)
    assert list(text_lines(comparison, stat=True))[-1] == told[-1]
    # And the other way round.
    assert bool(compare(changed(record, holder["value"]), shipped()).changes) == differs


@given(VALUES, VALUES)
def test_records_that_come_and_go(one: Any, other: Any) -> None:
    side = shipped()
    more = (*side.records, Record("agent", "one", one), Record("excluded", "other", other))
    bigger = dataclasses.replace(side, records=more)
    assert {(c.category, c.record) for c in compare(side, bigger).changes} == {("added", "one"), ("added", "other")}
    gone = {(c.category, c.record) for c in compare(bigger, side).changes}
    assert gone == {("withdrawn", "one"), ("withdrawn", "other")}
    assert all(line.isprintable() for line in text_lines(compare(side, bigger)))


# The working files.


def working(folder: Path) -> tuple[Side, Side]:
    return frozen_side(read_frozen(folder / "freeze", "0.1.0")), working_side(load(folder))


def test_the_working_files_of_a_frozen_version_are_it(frozen_bank: Path) -> None:
    assert compare(*working(frozen_bank)).same


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_each_change_of_the_working_files_has_its_place(frozen_bank: Path) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    replace(file, "Since last", "Since lost")
    replace(file, "ayes: 57", "ayes: 58")
    replace(frozen_bank / "CODEBOOK.md", "negative for greater", "negative for lesser")
    changes = compare(*working(frozen_bank)).changes
    lines = file.read_text(encoding="utf-8").splitlines()
    stem = next(n for n, line in enumerate(lines, start=1) if "Since lost" in line)
    ayes = next(n for n, line in enumerate(lines, start=1) if "ayes: 58" in line)
    told = {change.category: change.place for change in changes}
    assert told["reworded"] == Location(file.as_posix(), stem, lines[stem - 1].index("lost") + 2)
    assert told["source"] == Location(file.as_posix(), ayes, lines[ayes - 1].index("58") + 1)
    assert told["codebook"] is not None
    assert told["codebook"].path == "bank/CODEBOOK.md"
    assert "negative for lesser" in (frozen_bank / "CODEBOOK.md").read_text().splitlines()[told["codebook"].line - 1]


def test_files_that_cannot_be_read_are_said_and_not_taken_for_withdrawn(frozen_bank: Path) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.write_text("a: [", encoding="utf-8")
    comparison = compare(*working(frozen_bank))
    assert comparison.changes == ()
    assert not comparison.same
    assert [one.location.path for one in comparison.new.unread] == [file.as_posix()]
    last = list(text_lines(comparison))[-1]
    assert last.endswith("1 not compared")
    (frozen_bank / "CODEBOOK.md").unlink()
    (frozen_bank / "analysis_plan.yaml").write_text("- 1\n")
    (frozen_bank / "bank.yaml").write_text("7\n")
    Path("data_sources.yaml").write_text("data_sources: [1]\n")
    comparison = compare(*working(frozen_bank))
    assert comparison.changes == ()
    assert {one.location.path for one in comparison.new.unread} >= {
        file.as_posix(),
        "bank/CODEBOOK.md",
        "bank/analysis_plan.yaml",
        "bank/bank.yaml",
        "data_sources.yaml",
    }


def test_an_invalid_bank_is_compared(frozen_bank: Path) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    replace(file, "axis: social", "axis: moral")
    copied = file.with_name("9999-again.yaml")
    shutil.copy(file, copied)
    comparison = compare(*working(frozen_bank))
    assert ("moved", "axis", "social", "moral") in [(c.category, c.where, c.old, c.new) for c in comparison.changes]
    assert [d.message for d in comparison.new.unread] == ["dossier commons-1541 stands twice; the first is compared"]
