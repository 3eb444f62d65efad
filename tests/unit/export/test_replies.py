"""The table of replies: a row a unit, every answer with its coordinate, what is missing null; read by pyarrow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from divisionbell.cli import root
from divisionbell.cli.frozen import frozen_bank
from divisionbell.diagnostics import UsageProblem
from divisionbell.run.find_runs import read_run
from divisionbell.score.answers import answers_of


def divisionbell(*arguments: str) -> Result:
    return CliRunner().invoke(root, arguments, standalone_mode=False)


@pytest.fixture
def runs(frozen_bank: Path) -> list[str]:
    for name in ("coin", "malformed"):
        done = divisionbell("run", f"scripted:{name}", "--repeats", "2", "--out", name)
        assert done.exception is None, done.exception
    return ["coin", "malformed"]


def test_every_answer_has_its_coordinate(runs: list[str]) -> None:
    assert divisionbell("export", "replies", *runs, "--out", "replies.parquet").exception is None
    rows = pq.read_table("replies.parquet").to_pylist()
    bank = frozen_bank(None, None)
    for name in runs:
        run = read_run(Path(name))
        mine = [row for row in rows if row["run_id"] == run.header["run_id"]]
        assert len(mine) == len(run.units) == run.header["unit_count"]
        cells = answers_of(bank, run.header, run.units).cells
        place = {asked.item.item_id: number for number, asked in enumerate(cells.items)}
        found = np.full_like(cells.x, np.nan)
        for row in mine:
            order = ["negative_at_a", "positive_at_a"].index(row["asked_order"])
            if row["coordinate"] is not None:
                found[place[row["item_id"]], order, row["repeat"] - 1] = row["coordinate"]
            assert (row["coordinate"] is None) == (row["answer"] is None) == (row["outcome"] == "malformed")
        assert np.array_equal(np.isnan(found), ~cells.answered)
        assert np.array_equal(np.nan_to_num(found), cells.x)
    malformed = [row for row in rows if row["outcome"] == "malformed"]
    assert malformed
    assert all(row["reply_text_1"] is not None and row["reply_text_2"] is not None for row in malformed)
    assert {row["scale"] for row in rows} == {"concrete", "implicit"}


def test_every_column_says_what_it_is(runs: list[str]) -> None:
    divisionbell("export", "replies", *runs, "--out", "replies.parquet")
    for field in pq.read_schema("replies.parquet"):
        assert field.metadata[b"description"], field.name


def test_the_same_runs_give_the_same_bytes(runs: list[str]) -> None:
    for name in ("one", "two"):
        divisionbell("export", "replies", *runs, "--out", f"{name}.parquet")
    assert Path("one.parquet").read_bytes() == Path("two.parquet").read_bytes()


def test_a_changed_run_is_not_exported(runs: list[str]) -> None:
    journal = Path("coin/journal.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b'"answer":"A"', b'"answer":"B"', 1))
    failed = divisionbell("export", "replies", "coin", "--out", "replies.parquet").exception
    assert "was not exported" in str(failed)
    assert not Path("replies.parquet").exists()


def test_a_number_that_is_no_count_is_unknown(runs: list[str]) -> None:
    journal = Path("coin/journal.jsonl")
    first, rest = journal.read_bytes().split(b"\n", 1)
    for huge in (10**400, 2**63, 2**31):
        unit = json.loads(first)
        unit["attempts"][0] |= {"input_tokens": huge, "output_tokens": 7, "transport_retries": huge}
        journal.write_bytes(json.dumps(unit).encode() + b"\n" + rest)
        Path("replies.parquet").unlink(missing_ok=True)
        assert divisionbell("export", "replies", "coin", "--out", "replies.parquet").exception is None
        rows = pq.read_table("replies.parquet").to_pylist()
        (row,) = [row for row in rows if row["unit_key"] == unit["unit_key"]]
        assert (row["input_tokens_1"], row["output_tokens_1"], row["transport_retries_1"]) == (None, 7, None)


def test_a_run_named_twice_is_refused(runs: list[str]) -> None:
    failed = divisionbell("export", "replies", "coin", "coin", "--out", "replies.parquet").exception
    assert "is named twice" in str(failed)


@pytest.mark.parametrize(
    ("name", "better"), [("replies.csv", "replies.parquet"), ("one", "one.parquet"), (".csv", ".csv.parquet")]
)
def test_a_name_that_says_another_format_is_refused(runs: list[str], name: str, better: str) -> None:
    failed = divisionbell("export", "replies", "coin", "--out", name).exception
    assert isinstance(failed, UsageProblem)
    assert f"{name} would hold Parquet, which its name does not say" in failed.message
    assert failed.fix == f"--out {better}"
    assert not Path(name).exists()


def test_what_an_exported_run_lacks_is_said_on_standard_error(runs: list[str]) -> None:
    whole = divisionbell("export", "replies", *runs, "--out", "whole.parquet")
    assert whole.stderr == ""
    journal = Path("coin/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-5]))
    told = divisionbell("export", "replies", *runs, "--out", "part.parquet")
    assert told.stderr == (
        "  ! coin is incomplete: 187 of 192 units are there; 5 are missing; "
        "go on with: divisionbell run --resume --out coin\n"
    )
    assert told.stdout == "wrote part.parquet: 379 units of 2 runs\n"
    assert pq.read_table("part.parquet").num_rows == 379
    assert divisionbell("run", "scripted:coin", "--shard", "1/2", "--out", "s").exception is None
    shard = divisionbell("export", "replies", "s/shard-1-of-2", "--out", "shard.parquet")
    assert shard.stderr == "  ! s/shard-1-of-2 is shard 1 of 2, a part of a run\n"
    assert shard.stdout.endswith(" units of 1 run\n")
