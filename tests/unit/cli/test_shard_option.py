"""--shard: what it reads, that it says so, and that it reads nothing unasked."""

from __future__ import annotations

import pytest

from divisionbell.cli.shard_option import chosen_shard
from divisionbell.diagnostics import UsageProblem
from divisionbell.run.shard import Shard


def array(task: int, low: int, high: int, step: int, count: int) -> dict[str, str]:
    values = {"ID": task, "MIN": low, "MAX": high, "STEP": step, "COUNT": count}
    return {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        ("2/8", {}, Shard(2, 8)),
        ("2/8", array(5, 1, 9, 1, 9), Shard(2, 8)),
        ("auto", array(1, 1, 8, 1, 8), Shard(1, 8)),
        ("auto", array(0, 0, 7, 1, 8), Shard(1, 8)),
        ("auto", array(12, 0, 12, 4, 4), Shard(4, 4)),
        ("auto", array(10, 10, 14, 2, 3), Shard(1, 3)),
        ("auto/8", array(3, 3, 3, 1, 1), Shard(3, 8)),
        ("auto/8", {"JOB_COMPLETION_INDEX": "0"}, Shard(1, 8)),
        ("auto/8", {"JOB_COMPLETION_INDEX": "7"}, Shard(8, 8)),
    ],
)
def test_the_shard_that_is_meant(text: str, environment: dict[str, str], shard: Shard) -> None:
    assert chosen_shard(text, environment) == shard


def test_what_was_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    chosen_shard("auto", array(0, 0, 7, 1, 8))
    told = capsys.readouterr().err
    assert "shard 1 of 8" in told
    assert "SLURM_ARRAY_TASK_ID=0" in told
    assert "SLURM_ARRAY_TASK_COUNT=8" in told
    chosen_shard("auto/4", {"JOB_COMPLETION_INDEX": "2"})
    assert "shard 3 of 4, from JOB_COMPLETION_INDEX=2" in capsys.readouterr().err


def test_without_the_option_nothing_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert chosen_shard(None, array(3, 1, 8, 1, 8)) is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "environment", "said"),
    [
        ("auto", {}, "finds neither"),
        ("auto/3", {}, "finds neither"),
        ("auto", {"JOB_COMPLETION_INDEX": "1"}, "does not say how many"),
        ("auto", array(7, 1, 7, 1, 3), "no row of equal steps"),
        ("auto", {"SLURM_ARRAY_TASK_ID": "1"}, "SLURM_ARRAY_TASK_MIN is '', no number"),
        ("auto/3", {"SLURM_ARRAY_TASK_ID": "one"}, "no number"),
        ("auto/8", {"SLURM_ARRAY_TASK_ID": "0"}, "no shard 0 of 8"),
        ("auto/8", {"JOB_COMPLETION_INDEX": "8"}, "no shard 9 of 8"),
        ("auto/8", {"JOB_COMPLETION_INDEX": "1", "SLURM_ARRAY_TASK_ID": "1"}, "both"),
        ("3", {}, "names no shard"),
        ("0/3", {}, "no shard 0"),
        ("4/3", {}, "no shard 4"),
        ("1/0", {}, "0 shards"),
        ("1/3/5", {}, "names no shard"),
        ("-1/3", {}, "names no shard"),
    ],
)
def test_what_names_no_shard_is_refused(text: str, environment: dict[str, str], said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        chosen_shard(text, environment)
