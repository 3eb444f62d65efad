"""The short way of reading a journal gives the answers of the careful way, or none where anything is wrong."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divisionbell.bank.canonical import digest
from divisionbell.bank.load import load
from divisionbell.diagnostics import DivisionBellError
from divisionbell.freeze.freeze import freeze
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import administer, configuration, header, plan
from divisionbell.run.find_runs import read_run
from divisionbell.run.journal import JOURNAL, Journal, journal_sha256, read_header
from divisionbell.run.respondents.respondent import Ask, Reply, Respondent
from divisionbell.run.unit_key import UnitKeys
from divisionbell.run.verify_run import verify_run
from divisionbell.score import read_journal
from divisionbell.score.answers import Answers, answers_of
from divisionbell.score.read_journal import read_answers
from divisionbell.validate.engine import ValidBank, validate


class Mixed(Respondent):
    """Every outcome that a unit can come to, by its key; `declined` dossiers are not administered."""

    def __init__(self, reached: bool = True) -> None:
        self._reached = reached

    @property
    def name(self) -> str:
        return "scripted:mixed"

    @property
    def settings(self) -> Mapping[str, object]:
        return {"model": "mixed", "temperature": 0.5}

    @property
    def max_concurrency(self) -> int:
        return 4

    async def answer(self, ask: Ask) -> Reply:
        draw = random.Random(f"{ask.unit_key}")
        kind = draw.choice(["valid", "valid", "retry", "never", "blocked", "cut", "reached late"])
        letter = draw.choice("AB")
        valid = f'{{"item_id":"{ask.item_id}","answer":"{letter}"}}'
        served = draw.choice(["one", "two"])
        if kind == "valid" or (kind == "retry" and ask.attempt == 2) or (kind == "reached late" and self._reached):
            dropped = ("temperature", "logprobs") if served == "two" else ()
            return Reply(
                text=valid, finish_reason="stop", served_model=served, fingerprint="f", dropped_parameters=dropped
            )
        if kind == "reached late":
            return Reply(text=None, transport_error="no answer")
        if kind == "blocked":
            return Reply(text=None, finish_reason="content_filter", served_model=served)
        if kind == "cut":
            return Reply(text=valid[:5], finish_reason="length", served_model=served)
        return Reply(text="I'd say é\ud800" + "x" * draw.randrange(300), finish_reason="stop", served_model=served)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> FrozenBank:
    import shutil

    from divisionbell.freeze.frozen_bank import read_frozen

    pilot, folder = Path(__file__).parents[2] / "pilot", tmp_path_factory.mktemp("pilot")
    shutil.copytree(pilot / "bank", folder / "bank", ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(pilot / "data_sources.yaml", folder)
    (folder / "bank" / "evaluations.yaml").write_text("evaluations: []\n")
    valid = validate(load(folder / "bank"))
    assert isinstance(valid, ValidBank)
    version = str(valid.bank.version)
    freeze(valid, version)
    return read_frozen(folder / "bank" / "freeze", version)


@pytest.fixture
def folder(bank: FrozenBank, tmp_path: Path) -> Path:
    """A complete run of two repeats, in which some units were reached late."""
    for respondent in (Mixed(reached=False), Mixed()):
        units = plan(bank, respondent, "full", 2)
        with Journal(tmp_path, header(bank, respondent, "full", 2, "mixed-1", units)) as journal:
            there = {u["unit_key"] for u in read_run(tmp_path).units if u["outcome"] != "transport_failed"}
            wanted = [u for u in units if u.key not in there]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("divisionbell.run.administer.FAILURES_IN_A_ROW", 1000)
                asyncio.run(administer(bank, respondent, wanted, journal.append, 4))
    return tmp_path


def short(bank: FrozenBank, folder: Path) -> tuple[Answers, str] | None:
    told = read_header(folder)
    assert told is not None
    return read_answers(bank, told, folder / JOURNAL)


def careful(bank: FrozenBank, folder: Path) -> Answers | None:
    try:
        run = read_run(folder)
        return None if verify_run(bank, run) else answers_of(bank, run.header, run.units)
    except DivisionBellError:
        return None


def must_be_the_same(one: Answers, other: Answers) -> None:
    assert [a.item.item_id for a in one.cells.items] == [a.item.item_id for a in other.cells.items]
    for name in ("x", "letter", "outcome"):
        assert np.array_equal(getattr(one.cells, name), getattr(other.cells, name)), name
    assert one.cells.not_administered == other.cells.not_administered
    assert dict(one.first_readings) == dict(other.first_readings)
    assert one.serving == other.serving


@pytest.mark.parametrize("part", [500, 20_000, 10_000_000])
def test_it_gives_the_answers_of_the_careful_way(
    bank: FrozenBank, folder: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    monkeypatch.setattr(read_journal, "PART", part)
    read, expected = short(bank, folder), careful(bank, folder)
    assert read is not None
    assert expected is not None
    must_be_the_same(read[0], expected)
    assert read[1] == journal_sha256(folder)
    outcomes = {outcome for outcome, _ in read[0].first_readings}
    assert outcomes == {"valid_at_first", "valid_after_retry", "malformed", "blocked", "cut_off"}
    assert read[0].serving == {
        "served_model": ("one", "two"),
        "fingerprint": ("f",),
        "dropped_parameters": ("logprobs", "temperature"),
    }


def changed(lines: list[bytes], draw: random.Random) -> bytes:
    """A journal with one thing changed in it."""
    number = draw.randrange(len(lines))
    unit = json.loads(lines[number])
    kind = draw.randrange(9)
    if kind == 0:
        return b"".join(lines)[: -draw.randrange(1, 400)]  # torn
    if kind == 1:
        return b"".join([*lines, lines[number]])
    if kind == 2:
        return b"".join(lines[:number] + lines[number + 1 :])
    if kind == 3:
        data = bytearray(b"".join(lines))
        data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data)
    if kind == 4:
        unit["answer"] = {"A": "B", "B": "A", None: "A"}[unit.get("answer")]
    elif kind == 5:
        unit["repeat"] = draw.choice([0, 1.0, 3, 1, 2])
    elif kind == 6:
        unit["outcome"] = draw.choice(["transport_failed", "not_administered", "malformed", "valid_at_first", "odd"])
    elif kind == 7:
        unit["attempts"][0]["reply_text"] = draw.choice(["\ud800", "", '{"item_id":"x","answer":"A"}'])
    else:
        slot = draw.choice(sorted(unit))
        del unit[slot]
    lines = [*lines]
    lines[number] = json.dumps(unit).encode() + b"\n"
    return b"".join(lines)


def test_what_is_wrong_is_never_scored_the_short_way(
    bank: FrozenBank, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_journal, "PART", 30_000)
    path = folder / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    draw = random.Random(7)
    given = 0
    for _ in range(150):
        path.write_bytes(changed(lines, draw))
        read, expected = short(bank, folder), careful(bank, folder)
        if read is not None:
            given += 1
            assert expected is not None
            must_be_the_same(read[0], expected)
    assert 0 < given < 50


def test_another_header_is_not_scored_the_short_way(bank: FrozenBank, folder: Path) -> None:
    told = dict(read_run(folder).header)
    for slot, value in (
        ("bank_sha256", "0" * 64),
        ("repeats", 3),
        ("respondent", "scripted:coin"),
        ("unit_count", 5),
        ("shard_index", 1),
    ):
        assert read_answers(bank, told | {slot: value}, folder / JOURNAL) is None


def test_the_unit_key_put_together_is_the_digest_of_its_parts(bank: FrozenBank) -> None:
    respondent = Mixed()
    units = plan(bank, respondent, "full", 1)
    made: dict[str, Any] = header(bank, respondent, "full", 1, "r", units)
    keys = UnitKeys(made)
    shared = {k: v for k, v in configuration(bank, respondent, "full", 1).items() if k not in ("form", "repeats")}
    for unit in units[:20]:
        item = unit.asked.item.item_id
        expected = digest({"run": shared, "item": item, "order": unit.order, "repeat": unit.repeat})
        assert keys.key(item, unit.order, unit.repeat) == expected == unit.key
