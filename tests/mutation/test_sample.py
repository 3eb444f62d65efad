"""Every mutant of a sample is found at the right place, and what the freeze alone covers is known by slot."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tally import Tally

ONLY_THE_FREEZE = Path(__file__).parent / "only_the_freeze.yaml"
# What may pass even where the bank is frozen, and why.
MAY_PASS = {
    "bank.version": "another version that is none yet: so a frozen bank moves on, and is then as if not frozen",
    "evaluations.evaluations[]": "what a run is lies in the run's own folder: runs verify reads it",
}


def may_pass(slot: str) -> bool:
    return slot in MAY_PASS or slot.startswith("evaluations.evaluations[].")


def test_none_survives_the_freeze(tally: Tally) -> None:
    assert tally.total.total() > 7000
    assert {key: tally.shown[key] for key in tally.survivors if not may_pass(key[1])} == {}


def test_what_locks_a_version_is_found(tally: Tally) -> None:
    """In the register of runs only what is the run's own may pass: not the version, nor the digests that lock it."""
    locks = {"evaluated_version", "records_sha256", "statement_sha256"}
    assert [slot for _, slot in tally.survivors if slot.rpartition(".")[2] in locks] == []


def test_what_a_digest_covers_that_digest_finds(tally: Tally) -> None:
    assert tally.undigested == []


def test_what_survives_without_the_freeze_is_known(tally: Tally) -> None:
    listed = yaml.safe_load(ONLY_THE_FREEZE.read_text(encoding="utf-8"))
    known = [slot for slots in listed.values() for slot in slots]
    assert len(known) == len(set(known))
    assert sorted({slot for slot, _ in tally.only_freeze} - set(known)) == []


@pytest.mark.parametrize("rule", ["HSH001", "SRC002", "SCH002", "REF002", "REV004"])
def test_the_rules_of_the_content_find_their_share(tally: Tally, rule: str) -> None:
    assert tally.content_rules[rule] > 100
