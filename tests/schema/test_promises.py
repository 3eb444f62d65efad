"""Every promise of the schema, read from the LinkML, is broken once in the full bank and found by the right rule.

What a shape can show is found by SCH002, and the reference validator, the fast one and the Pydantic classes are held to
one another on each of those mutations. The rest is looked up in proofs.py: a promise without an entry fails.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import promises
import proofs
import pydantic
import pytest
import yaml
from full_bank import changed, full_bank, value_at
from promises import (
    AS_IT_CAME,
    DATES,
    FROZEN_ROOTS,
    ROOTS,
    SCHEMA,
    UNDERSTOOD,
    Place,
    Slot,
    holders,
    pattern_of,
    places,
    reached,
    slots_of,
    view,
)
from test_examples import documents, engines, pointer, why_laxer

from divisionbell.bank.load import Bank
from divisionbell.bank.manifest import statement_file
from divisionbell.validate.engine import check
from divisionbell.validate.rule import Context
from divisionbell.validate.rules import BY_ID
from divisionbell.validate.shape import shape_problems

Found = dict[tuple[str, str], list[Place]]
NOTHING = {
    "ItemReference": "q2222222",
    "DossierReference": "commons-99999",
    "AgentReference": "nobody-known",
    "FamilyReference": "no-such-family",
    "SemanticsEntity": "commons-99999#title",
    "PartySpaceEntity": "ches-2024#no_such_field",
    "FieldName": "no_such_field",
    "Version": "9.9.9",
}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    return full_bank(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def found(bank: Bank) -> Found:
    return places(bank)


def every_slot() -> Iterator[tuple[str, Slot]]:
    """Every slot that a file of some kind can hold."""
    for root in ROOTS:
        for owner in reached((root,)):
            for slot in slots_of(owner):
                if (root, slot.key) not in proofs.UNUSED:
                    yield root, slot


def wanted(table: dict[str, str], root: str, slot: Slot, usual: str | None = None) -> str | None:
    return table.get(f"{root}/{slot.key}", table.get(slot.key, usual))


def rules_of(bank: Bank) -> set[str]:
    return {diagnostic.rule for diagnostic in check(bank).diagnostics}


def unproved(entries: Iterator[tuple[str, str | None, set[str]]]) -> list[str]:
    """What has no entry, or is not found by the rule of its entry."""
    told = []
    for promise, rule, rules in entries:
        if rule is None:
            told.append(f"{promise}: no rule is named for it in proofs.py")
        elif not rule.startswith("free:") and rule not in rules:
            told.append(f"{promise}: {rule} does not find it ({', '.join(sorted(rules)) or 'nothing does'})")
    return told


def test_every_key_of_the_schema_is_understood() -> None:
    """A new kind of promise, such as unique_keys or equals_expression, fails here until it is derived and proved."""
    strange = []
    for path in sorted(SCHEMA.glob("*.yaml")):
        source = yaml.safe_load(path.read_text(encoding="utf-8"))
        bodies: list[tuple[str, str, dict[str, Any]]] = [("schema", path.name, source)]
        for kind in ("classes", "slots", "types", "enums"):
            bodies += [(kind, name, body or {}) for name, body in source.get(kind, {}).items()]
        for name, enum in source.get("enums", {}).items():
            bodies += [("permissible_values", f"{name}.{v}", b or {}) for v, b in enum["permissible_values"].items()]
        for name, owner in source.get("classes", {}).items():
            for rule in owner.get("rules", []):
                bodies.append(("rules", name, rule))
                for side in ("preconditions", "postconditions"):
                    bodies.append(("expressions", name, rule[side]))
                    bodies += [("conditions", name, body) for body in rule[side]["slot_conditions"].values()]
        strange += [
            f"{path.name}: {name}: {key}" for kind, name, body in bodies for key in body.keys() - UNDERSTOOD[kind]
        ]
    assert strange == []


def test_every_class_is_reached() -> None:
    assert set(reached(ROOTS + FROZEN_ROOTS)) | {"Any"} == set(view().all_classes())


def test_the_full_bank_is_valid_and_uses_every_slot(bank: Bank, found: Found) -> None:
    assert [diagnostic.text() for diagnostic in check(bank).diagnostics] == []
    assert [f"{root}: {slot.key}" for root, slot in every_slot() if (root, slot.key) not in found] == []


def test_what_is_never_used_is_refused(bank: Bank) -> None:
    for (root, key), rule in proofs.UNUSED.items():
        owner, name = key.split(".")
        place = next(place for place, kind in holders(bank) if (place.root, kind) == (root, owner))
        assert rule in rules_of(changed(bank, place.document, ((*place.path, name), ["q2222222"])))


# What a shape can show.


def broken_text(slot: Slot, value: str) -> Iterator[tuple[str, Any]]:
    yield "number", 7
    if slot.range == "string":
        return
    yield "empty", ""
    yield "blank", "   "
    if slot.range not in AS_IT_CAME:
        yield "blank in front", f" {value}"
        yield "blank behind", f"{value} "
        yield "line feed behind", f"{value}\n"
    pattern = pattern_of(slot)
    assert pattern is not None, f"{slot.key} has no pattern"
    for name, tried in (("sign", "?"), ("capitals", value.upper())):
        if not re.search(pattern, tried):
            yield name, tried


def broken_value(slot: Slot, value: Any) -> Iterator[tuple[str, Any]]:
    """Values of the wrong shape, each with a word for what is wrong."""
    yield "null", None
    if slot.kind == "class":
        yield "no record", "x"
    elif slot.kind == "enum":
        yield "no value of the list", "no such value"
    elif slot.kind == "boolean":
        yield "no truth value", "yes"
        yield "number", 1
    elif slot.kind == "text":
        yield from broken_text(slot, value)
    else:
        yield "text", str(value)
        if slot.kind == "integer":
            yield "fraction", value + 0.5
        low, high = slot.definition.minimum_value, slot.definition.maximum_value
        step = 1 if slot.kind == "integer" else 0.001
        if low is not None:
            yield "too low", low - step
        if high is not None:
            yield "too high", high + step


def broken_slot(slot: Slot, value: Any) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    """What is wrong, the step from the slot to the element that is changed, and the new value."""
    definition = slot.definition
    if definition.required:
        yield "lacking", (), ...
    if not slot.many:
        yield from ((name, (), new) for name, new in broken_value(slot, value))
        return
    yield "no list", (), "x"
    yield "null", (), None
    yield from ((f"element: {name}", (0,), new) for name, new in broken_value(slot, value[0]))
    if definition.minimum_cardinality:
        yield "too few", (), value[: definition.minimum_cardinality - 1]
    if definition.maximum_cardinality:
        yield "too many", (), value * (definition.maximum_cardinality + 1)
    if definition.list_elements_unique:
        yield "twice", (), [*value, value[0]]


def known_laxness(owner: str, error: Any) -> bool:
    """Whether the classes are known to let a fault pass; null breaks two keywords of a list, and 1 is true."""
    if error.instance is None and error.validator == "enum":
        return True
    one_for_true = error.validator == "type" and error.schema["type"] == "boolean" and error.instance in (0, 1)
    return one_for_true or why_laxer(owner, error) is not None


def disagreement(owner: str, value: Any) -> str | None:
    """Where the reference, the fast validator and the Pydantic class differ over a broken record, in words."""
    reference, fast, model = engines(owner)
    slow = list(reference.iter_errors(value))
    told = sorted((pointer(error.absolute_path), str(error.validator)) for error in slow)
    quick = sorted((pointer(error.instance_path), str(error.schema_path[-1])) for error in fast.iter_errors(value))
    if told != quick:
        return f"the reference says {told}, the fast validator {quick}"
    # The classes leave some kinds of fault out: where every fault is of such a kind, they let it pass.
    lax = all(known_laxness(owner, error) for error in slow)
    try:
        model.model_validate(value)
    except pydantic.ValidationError:
        return "the class refuses what it is known to let pass" if lax else None
    return None if lax else "the class lets pass what the schema refuses"


def test_a_wrong_shape_is_found_at_its_place_and_all_readers_agree(bank: Bank, found: Found) -> None:
    wrong, count = [], 0
    for root, slot in every_slot():
        place = found[root, slot.key][0]
        for name, step, new in broken_slot(slot, value_at(place.document, place.path)):
            path, count = (*place.path, *step), count + 1
            other = changed(bank, place.document, (path, new))
            document = next(d for r, d in other.documents() if d.path == place.document.path)
            problems = list(shape_problems(root, document))
            at = {document.at(*path), document.at(*place.path)} if new is not ... else {document.at(*path[:-1])}
            if name == "twice":  # at the element itself
                at = {document.at(*path, len(new) - 1)}
            if not [d for d in problems if d.rule == "SCH002" and slot.name in d.message and d.location in at]:
                wrong.append(f"{root}: {slot.key} {name}: {[d.text() for d in problems]}")
            if {d.rule for d in problems} != {"SCH002"}:
                wrong.append(f"{root}: {slot.key} {name}: {problems}")
            differs = disagreement(slot.owner, value_at(document, place.path[:-1]))
            if differs:
                wrong.append(f"{root}: {slot.key} {name}: {differs}")
    assert wrong == [], "\n".join(wrong)
    assert count > 2000


def test_a_wrong_shape_reaches_the_report(bank: Bank, found: Found) -> None:
    """One mutation in every kind of file, through all rules: the others stay silent about what does not fit."""
    for root in ROOTS:
        slot = slots_of(root)[0]
        place = found[root, slot.key][0]
        assert "SCH002" in rules_of(changed(bank, place.document, (place.path, None))), root


def test_every_class_is_closed(bank: Bank) -> None:
    seen = set()
    for place, owner in holders(bank):
        if (place.root, owner) in seen:
            continue
        seen.add((place.root, owner))
        other = changed(bank, place.document, ((*place.path, "no_such_slot"), 1))
        document = next(d for r, d in other.documents() if d.path == place.document.path)
        told = [d.message for d in shape_problems(place.root, document)]
        assert len(told) == 1 and told[0].endswith("has no slot no_such_slot"), (place.root, owner, told)
        assert disagreement(owner, value_at(document, place.path)) is None
    assert {owner for _, owner in seen} == set(reached(ROOTS))


def conditionals() -> Iterator[tuple[str, str, dict[str, Any], list[str]]]:
    """Class, description, a choice of values that meets the condition, and the slots that it then demands."""
    for owner in reached(ROOTS):
        for rule in view().get_class(owner).rules:
            choice: dict[str, Any] = {}
            for name, condition in rule.preconditions.slot_conditions.items():
                slot = next(s for s in slots_of(owner) if s.definition.name == name)
                values = list(view().get_enum(slot.range).permissible_values)
                fits = condition.equals_string or condition.pattern
                choice[slot.name] = next(v for v in values if re.search(f"^(?:{fits})", v))
            demanded = [name for name, then in rule.postconditions.slot_conditions.items() if then.required]
            assert demanded and len(demanded) == len(rule.postconditions.slot_conditions)
            yield owner, rule.description, choice, demanded


def test_every_conditional_holds_and_a_null_does_not_meet_it(bank: Bank, found: Found) -> None:
    seen = 0
    for owner, told, choice, demanded in conditionals():
        for root in ROOTS:
            for name in demanded:
                if (root, f"{owner}.{name}") not in found:
                    continue
                place = found[root, f"{owner}.{name}"][0]
                base = place.path[:-1]
                for new in (..., None, ""):
                    seen += 1
                    changes = [((*base, key), value) for key, value in choice.items()]
                    other = changed(bank, place.document, *changes, ((*base, name), new))
                    document = next(d for r, d in other.documents() if d.path == place.document.path)
                    messages = [d.message for d in shape_problems(root, document)]
                    assert [m for m in messages if name in m], (told, root, new, messages)
    assert seen >= 3 * len(list(conditionals()))
    in_files = [
        r for p in SCHEMA.glob("*.yaml") for r in re.findall(r"^      - description:", p.read_text(), re.MULTILINE)
    ]
    of_runs = sum(
        len(body.get("rules", [])) for body in yaml.safe_load((SCHEMA / "run.yaml").read_text())["classes"].values()
    )
    assert len(list(conditionals())) == len(in_files) - of_runs


# What a shape cannot show.


def test_nothing_listed_stands_twice(bank: Bank, found: Found) -> None:
    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if not slot.many or slot.definition.list_elements_unique:
                continue
            place = next(p for p in found[root, slot.key] if value_at(p.document, p.path))
            value = value_at(place.document, place.path)
            rules = rules_of(changed(bank, place.document, (place.path, [*value, value[0]])))
            yield f"{root}: {slot.key} twice", wanted(proofs.ONCE, root, slot), rules
            if slot.key in proofs.DISGUISES:
                slots, rule = proofs.DISGUISES[slot.key]
                disguised = [*value, {**value[0], **slots}]
                yield (
                    f"{root}: {slot.key} twice in another guise",
                    rule,
                    rules_of(changed(bank, place.document, (place.path, disguised))),
                )

    assert unproved(tried()) == []


def test_every_id_is_one_records_own(bank: Bank, found: Found) -> None:
    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if not slot.is_id:
                continue
            rule = wanted(proofs.UNIQUE, root, slot, "REF001")
            if rule is None or rule.startswith("free:"):
                yield f"{root}: {slot.key}", rule, set()
                continue
            first, second = found[root, slot.key][:2]
            changes = [(second.path, value_at(first.document, first.path))]
            if slot.name == "number":  # unique only together with the day
                day = (*second.path[:-1], "held_at")
                changes.append((day, value_at(first.document, (*first.path[:-1], "held_at"))))
            yield f"{root}: {slot.key}", rule, rules_of(changed(bank, second.document, *changes))

    assert unproved(tried()) == []


def test_every_name_leads_somewhere(bank: Bank, found: Found) -> None:
    """Each text is either free or names something; where its type says that it refers, it always names something."""

    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if slot.kind != "text" or slot.range in DATES | {"Sha256", "Address"}:
                continue
            if slot.key in proofs.FREE_TEXT:
                assert not slot.refers, f"{slot.key} refers and is declared free"
                continue
            place = found[root, slot.key][0]
            nothing = NOTHING.get(slot.range, "ZZZ999" if slot.name == "rule" else "no_such_thing")
            if slot.range == "Slug":
                nothing = "no-such-thing"
            path = (*place.path, 0) if slot.many else place.path
            rule = wanted(proofs.NAMES, root, slot, "REF002" if slot.refers else None)
            yield f"{root}: {slot.key}", rule, rules_of(changed(bank, place.document, (path, nothing)))

    assert unproved(tried()) == []


def test_every_reference_leads_to_a_thing_of_its_class(bank: Bank, found: Found) -> None:
    """A name that exists, of another class with the same spelling or of another dossier."""
    assert bank.settings.value["agents"] and bank.settings.value["issue_families"]
    of_another = {
        "AgentReference": bank.settings.value["issue_families"][0]["family_id"],
        "FamilyReference": bank.settings.value["agents"][0]["agent_id"],
        "DossierReference": bank.excluded[0].value["dossier_id"],
    }
    foreign = next(d.value["items"][0]["item_id"] for d in bank.dossiers if d.value["source"]["division_id"] == 243)

    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if not slot.range.endswith("Reference"):
                continue
            if slot.range == "ItemReference" and root != "Dossier":
                continue  # the registry may name any item; what it may not is looked at by name
            place = next(
                p
                for p in found[root, slot.key]
                if root != "Dossier" or p.document.value["source"]["division_id"] != 243
            )
            path = (*place.path, 0) if slot.many else place.path
            other = of_another.get(slot.range, foreign)
            yield f"{root}: {slot.key} = {other}", "REF002", rules_of(changed(bank, place.document, (path, other)))

    assert unproved(tried()) == []


def test_every_digest_is_that_of_something(bank: Bank, found: Found) -> None:
    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if slot.range == "Sha256":
                place = found[root, slot.key][0]
                rules = rules_of(changed(bank, place.document, (place.path, "0" * 64)))
                yield f"{root}: {slot.key}", wanted(proofs.DIGESTS, root, slot), rules

    assert unproved(tried()) == []


def test_every_date_exists_and_is_in_order(bank: Bank, found: Found) -> None:
    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if slot.range not in DATES:
                continue
            place = found[root, slot.key][0]
            time = {"IsoDate": "", "LocalTime": "T10:00:00", "UtcTime": "T10:00:00Z"}[slot.range]
            for day in ("2026-02-30", "2027-02-29", "2026-04-31"):
                rules = rules_of(changed(bank, place.document, (place.path, day + time)))
                yield f"{root}: {slot.key} = {day}", "SCH003", rules
            late = "2999-12-31" if slot.name == "held_at" else "1900-01-01"
            rule = wanted(proofs.DATES, root, slot, "PRV002")
            yield (
                f"{root}: {slot.key} = {late}",
                rule,
                rules_of(changed(bank, place.document, (place.path, late + time))),
            )

    assert unproved(tried()) == []


def test_every_address_has_a_host_and_is_the_right_one(bank: Bank, found: Found) -> None:
    def tried() -> Iterator[tuple[str, str | None, set[str]]]:
        for root, slot in every_slot():
            if slot.range != "Address":
                continue
            place = found[root, slot.key][0]
            for address in ("https:///page", "https://.", "http://[page", "https://example.org/{page}"):
                rules = rules_of(changed(bank, place.document, (place.path, address)))
                yield f"{root}: {slot.key} = {address}", "SCH003", rules
            rules = rules_of(changed(bank, place.document, (place.path, "https://example.org/another/")))
            yield f"{root}: {slot.key} = another", wanted(proofs.ADDRESSES, root, slot), rules

    assert unproved(tried()) == []


def test_no_proof_is_of_a_slot_that_is_gone() -> None:
    known = {slot.key for _, slot in every_slot()} | {f"{root}/{slot.key}" for root, slot in every_slot()}
    tables = (
        proofs.ONCE,
        proofs.DISGUISES,
        proofs.UNIQUE,
        proofs.NAMES,
        proofs.DIGESTS,
        proofs.DATES,
        proofs.ADDRESSES,
    )
    assert [key for table in (*tables, proofs.FREE_TEXT) for key in table if key not in known] == []


def test_documents_and_classes_agree_on_the_full_bank(bank: Bank) -> None:
    """What the JSON Schema admits, the Pydantic classes read, and hand back unchanged."""
    for root, document in bank.documents():
        reference, fast, model = engines(root)
        assert list(reference.iter_errors(document.value)) == []
        assert fast.is_valid(document.value)
        made = model.model_validate(document.value)
        assert made.model_dump(by_alias=True, exclude_unset=True) == document.value
        assert documents(root)[1].__name__.endswith("model.classes")


# The two frozen files, which are JSON: FRZ002 holds them as a whole.


def frozen_slots(owner: str, value: dict[str, Any], path: tuple[str | int, ...] = ()) -> Iterator[tuple[Slot, Any]]:
    """Every slot of a frozen file with the path of its first value."""
    for slot in slots_of(owner):
        here = (*path, slot.name)
        yield slot, here
        if slot.kind == "class" and slot.range != "Any":
            inner, step = (value[slot.name][0], (*here, 0)) if slot.many else (value[slot.name], here)
            yield from frozen_slots(slot.range, inner, step)


def with_value(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    made = deepcopy(value)
    holder = made
    for step in path[:-1]:
        holder = holder[step]
    if new is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = new
    return made


@pytest.fixture
def frozen(tmp_path: Path) -> Bank:
    """A frozen bank on disk, without registered runs, under the next version: FRZ002 alone looks at the files."""
    bank = full_bank(tmp_path)
    assert bank.evaluations is not None
    bank.evaluations.value = {"evaluations": []}
    return bank


def intact(bank: Bank) -> bool:
    """Whether FRZ002 has nothing to say, asked alone: the other rules look at no frozen file of an earlier version."""
    return not list(BY_ID["FRZ002"].run(Context(bank, list(bank.documents()))))


def test_every_slot_of_a_frozen_statement_is_held(frozen: Bank) -> None:
    path = frozen.freeze_folder / "0.1.0.json"
    told = orjson.loads(path.read_bytes())
    assert intact(frozen)
    missed, seen = [], set()
    for slot, here in frozen_slots("FreezeStatement", told):
        seen.add(slot.owner)
        value = told
        for step in here:
            value = value[step]
        tried = [..., None, "x", 7, "   "]
        tried += [[*value, value[0]], value[1:], "x"] if slot.many else []
        tried += ["2026-02-30T12:00:00Z"] if slot.range == "UtcTime" else []
        tried += ["F" * 64, "0" * 64] if slot.range == "Sha256" else []
        for new in tried:
            path.write_bytes(statement_file(with_value(told, here, new)))
            if intact(frozen):
                missed.append(f"{slot.key} = {new!r}")
    assert missed == []
    assert seen == set(reached(("FreezeStatement",)))


def test_every_slot_of_a_frozen_record_is_held(frozen: Bank) -> None:
    path = frozen.freeze_folder / "0.1.0.records.jsonl"
    first, rest = path.read_bytes().split(b"\n", 1)
    for slot in slots_of("FreezeRecord"):
        for new in (..., None, 7):
            line = orjson.dumps(with_value(orjson.loads(first), (slot.name,), new), option=orjson.OPT_SORT_KEYS)
            path.write_bytes(line + b"\n" + rest)
            assert not intact(frozen), (slot.key, new)


# The derivation itself.


def test_a_new_slot_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bank: Bank) -> None:
    """A slot planted in a copy of the schema is among the promises, and nothing proves it."""
    shutil.copytree(SCHEMA, tmp_path / "schema")
    file = tmp_path / "schema" / "provenance.yaml"
    text = file.read_text(encoding="utf-8")
    text = text.replace("slots:\n", "slots:\n  checked_by:\n    range: AgentReference\n    multivalued: true\n", 1)
    file.write_text(text.replace("granted_by, granted_on]", "granted_by, granted_on, checked_by]"), encoding="utf-8")
    monkeypatch.setattr(promises, "SCHEMA", tmp_path / "schema")
    for cached in (view, slots_of):
        cached.cache_clear()
    try:
        planted = [(root, slot) for root, slot in every_slot() if slot.name == "checked_by"]
        assert [root for root, _ in planted] == ["Dossier"]
        ((root, slot),) = planted
        assert slot.many and slot.refers
        assert (root, slot.key) not in places(bank)
        assert wanted(proofs.ONCE, root, slot) is None
    finally:
        for cached in (view, slots_of):
            cached.cache_clear()


def test_an_entry_that_proves_nothing_is_told() -> None:
    told = unproved(
        iter([("a", None, set()), ("b", "REF001", {"REF002"}), ("c", "free: so", set()), ("d", "X", {"X"})])
    )
    assert [line[0] for line in told] == ["a", "b"]
