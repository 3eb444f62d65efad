"""Mutants of the shipped bank: with the freeze in place all are found; which are not without it is known by slot."""

from __future__ import annotations

from collections import Counter

import pytest
from known import known, lies
from tally import Tally, lie

# Lists of records that are each frozen by themselves, sorted by their names: their order is no part of the bank.
RECORDS = {"bank.agents[]", "sources.data_sources[]", "prospective.prospective_codes[]"}


def test_with_the_freeze_in_place_all_are_found(tally: Tally) -> None:
    assert tally.total.total() > 7000
    never = lies("never")
    assert {key: tally.shown[key] for key in tally.survivors if (key[1], lie(key[0])) not in never} == {}


def test_what_locks_a_version_is_found(tally: Tally) -> None:
    locks = {"evaluated_version", "records_sha256", "statement_sha256", "asked_form"}
    assert [slot for _, slot in tally.survivors if slot.rpartition(".")[2] in locks] == []


def test_without_it_only_known_slots_are_not_found(tally: Tally) -> None:
    assert tally.slots.total() > 6500
    assert sorted(set(tally.only_freeze) - lies("only_the_freeze")) == []


def test_what_a_digest_covers_that_digest_finds(tally: Tally) -> None:
    assert tally.undigested == []
    assert tally.content_rules["HSH001"] > 400
    assert tally.content_rules["SRC002"] > 200


def test_nothing_else_is_the_same_bank(tally: Tally) -> None:
    assert {key for key in tally.same if key != ("element: moved behind the next", key[1])} == set()
    assert {slot for _, slot in tally.same} <= RECORDS


def test_every_reason_is_given_once_and_in_full() -> None:
    for part in ("only_the_freeze", "never"):
        slots = Counter(slot for group in known(part) for slot in group.slots)
        assert [slot for slot, count in slots.items() if count > 1] == []
        for group in known(part):
            assert group.why.endswith("."), group.why
            assert all(group.slots.values())


@pytest.mark.parametrize(
    "kind",
    [
        "text: one character changed",
        "text: a look-alike",
        "number: one more",
        "bool: flipped",
        "enumeration: another member",
        "digest: one digit",
        "date: another day",
        "name: another that exists",
        "type: quoted",
        "key: deleted with its value",
        "key: one letter changed",
        "element: deleted",
        "element: doubled",
        "element: moved behind the next",
        "two values exchanged",
        "exchanged between two files",
        "file: deleted",
        "file: emptied",
        "line moved behind the next",
    ],
)
def test_every_kind_is_tried(tally: Tally, kind: str) -> None:
    assert tally.total[kind] > 0
