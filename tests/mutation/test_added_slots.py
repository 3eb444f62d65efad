"""A slot that is added to the schema: a digest or the freeze covers it, rule HSH002 asks about it, or it is said here
why nothing does."""

from __future__ import annotations

import orjson
import pytest
from added_slot import AddedSlots, Cover
from proof import Proof

from divisionbell.bank.manifest import parse_record_file, statement_problem
from divisionbell.validate.shape import schema

# Classes of the two frozen files, which are held against what a freeze writes: the tests at the end.
FROZEN_FILES = {"FreezeRecord", "FreezeStatement", "StatementSubject", "DigestSet", "FreezePredicate", "RecordDigest"}
NOT_COVERED = {
    "EvaluationRegister": "it is written on after the freeze; the run's own folder holds what it says",
    "Evaluation": "it is written on after the freeze; the run's own folder holds what it says",
}
CLASSES = sorted(name for name, of in schema()["$defs"].items() if of.get("properties") and name not in FROZEN_FILES)


@pytest.fixture(scope="module")
def added(proof: Proof, tmp_path_factory: pytest.TempPathFactory) -> AddedSlots:
    return AddedSlots(proof.bank, tmp_path_factory.mktemp("added"))


def test_there_is_a_record_of_every_class(added: AddedSlots) -> None:
    assert [name for name in CLASSES if name not in added.place] == []


@pytest.mark.parametrize("name", CLASSES)
def test_an_added_slot_is_covered_or_asked_about(added: AddedSlots, name: str) -> None:
    cover = added.cover(name)
    if name in NOT_COVERED:
        assert cover == Cover(asked=False, digested=False, frozen=False)
    else:
        assert cover.asked or cover.frozen


def test_what_the_item_is_made_of_is_in_its_digest(added: AddedSlots) -> None:
    digested = {name for name in CLASSES if added.cover(name).digested}
    assert digested == {
        "Contrast",
        "Coordinate",
        "DivisionSourceRecord",
        "MotionDirection",
        "Options",
        "PartyCount",
        "PublicCopy",
        "ScoringKey",
    }


def test_an_added_slot_of_the_statement_is_found(proof: Proof) -> None:
    folder = proof.bank.freeze_folder
    data, told = (folder / "0.1.0.records.jsonl").read_bytes(), (folder / "0.1.0.json").read_bytes()
    assert statement_problem(data, told, "0.1.0") is None
    statement = orjson.loads(told)
    predicate = statement["predicate"]
    holders = (statement, statement["subject"][0], statement["subject"][0]["digest"], predicate)
    for holder in (*holders, predicate["record_digests"][3]):
        holder["added_slot"] = "x"
        fault = statement_problem(data, orjson.dumps(statement, option=orjson.OPT_INDENT_2) + b"\n", "0.1.0")
        assert fault is not None
        assert "added_slot" in fault
        del holder["added_slot"]


def test_an_added_slot_of_a_frozen_record_is_found(proof: Proof) -> None:
    line = (proof.bank.freeze_folder / "0.1.0.records.jsonl").read_bytes().split(b"\n")[0]
    record = {**orjson.loads(line), "added_slot": "x"}
    with pytest.raises(ValueError, match="line 1 is not in canonical form"):
        parse_record_file(orjson.dumps(record, option=orjson.OPT_SORT_KEYS) + b"\n")
