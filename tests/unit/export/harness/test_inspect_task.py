"""`inspect eval divisionbell/bank` beside our own runner, on one server whose answers are a function of the prompt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from function_server import ANSWERED, KINDS, FunctionServer, function_server

pytest.importorskip("inspect_ai", reason="not installed: pip install -e '.[inspect]' in an environment of its own")

if os.environ.get("PYTHONPATH"):
    pytest.skip("Inspect finds the tasks of installed packages alone: unset PYTHONPATH", allow_module_level=True)

from divisionbell.diagnostics import UsageProblem
from divisionbell.export.harness.inspect_log import write_run
from divisionbell.freeze.named_version import frozen_bank as the_frozen

HEADLINES = ("concrete.economic", "concrete.social")


def started(*arguments: str, url: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LOCAL_BASE_URL": url, "LOCAL_API_KEY": "none", "INSPECT_DISABLE_TELEMETRY": "1"}
    return subprocess.run(
        [sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def evaluated(server: FunctionServer, *more: str, task: str = "divisionbell/bank") -> tuple[Path, dict[str, Any]]:
    """The log file of one evaluation, and what is in it; the log folder is new."""
    folder = Path("logs") / str(len(list(Path().glob("logs/*"))))
    made = started(
        *("inspect_ai", "eval", task, "--model", "openai-api/local/m-1", "--log-dir", str(folder)),
        *("--log-format", "json", "--display", "none", *more),
        url=server.base_url,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (log,) = folder.glob("*.json")
    return log, json.loads(log.read_bytes())


def own_run(server: FunctionServer, *more: str) -> Path:
    out = Path("own") / str(len(list(Path().glob("own/*"))))
    made = started(
        *("divisionbell", "run", "openai:m-1", "--base-url", server.base_url, "--out", str(out), *more),
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return out


def scored(run: Path) -> dict[str, Any]:
    made = started("divisionbell", "score", "--format", "json", str(run))
    assert made.returncode == 0, made.stderr
    document: dict[str, Any] = json.loads(made.stdout)
    return document


def metrics(log: dict[str, Any], scorer: str) -> dict[str, float]:
    (score,) = [each for each in log["results"]["scores"] if each["name"] == scorer]
    return {name: each["value"] for name, each in score["metrics"].items()}


def sent(requests: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(request, sort_keys=True) for request in requests)


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[FunctionServer]:
    with function_server(request.param) as running:
        yield running


@pytest.mark.parametrize("server", [ANSWERED], indirect=True)
def test_where_all_is_answered_both_axes_have_the_same_score(frozen_bank: Path, server: FunctionServer) -> None:
    _, log = evaluated(server)
    asked = list(server.requests)
    document = scored(own_run(server))
    assert sent(asked) == sent(server.requests[len(asked) :])
    named = {estimate["name"]: estimate.get("value") for estimate in document["estimates"]}
    told = metrics(log, "outcome")
    for name in HEADLINES:
        assert named[name] is not None and told[name] == named[name]
    assert told["score.defined"] == sum(named[name] is not None for name in named if name in told)
    assert told["outcome.valid_after_retry"] > 0 and told["outcome.malformed"] == 0


@pytest.mark.parametrize("server", [KINDS], indirect=True)
def test_every_outcome_is_kept_apart_and_every_estimate_is_the_same(frozen_bank: Path, server: FunctionServer) -> None:
    log_file, log = evaluated(server)
    asked = list(server.requests)
    own = own_run(server)
    # Every call is the same to the last character, those with the reminder included.
    assert sent(asked) == sent(server.requests[len(asked) :])
    units = [json.loads(line) for line in (own / "journal.jsonl").read_bytes().splitlines()]
    outcomes = Counter(unit["outcome"] for unit in units)
    assert set(outcomes) == {"valid_at_first", "valid_after_retry", "malformed", "blocked", "cut_off"}
    told = metrics(log, "outcome")
    assert {name: told[f"outcome.{name}"] for name in outcomes} == outcomes
    # Not a number that took a missing answer for 0: such samples are unscored, and an undefined score is not there.
    position = next(each for each in log["results"]["scores"] if each["name"] == "position")
    valid = outcomes["valid_at_first"] + outcomes["valid_after_retry"]
    assert (position["scored_samples"], position["unscored_samples"]) == (valid, len(units) - valid)
    assert list(position["metrics"]) == ["answered"]
    own_scores = scored(own)
    undefined = {e["name"] for e in own_scores["estimates"] if e["name"] in HEADLINES and "value" not in e}
    assert undefined and not undefined & set(told)
    # The log, made a run of ours, holds and gives every estimate of our own run.
    bank = the_frozen("bank", None)
    run = write_run(log_file, bank, Path("converted"))
    assert started("divisionbell", "runs", "verify", str(run)).returncode == 0
    converted = scored(run)
    assert converted["estimates"] == own_scores["estimates"] and converted["notes"] == own_scores["notes"]
    again = write_run(log_file, bank, Path("converted again"))
    for name in ("run.json", "journal.jsonl"):
        assert (again / name).read_bytes() == (run / name).read_bytes()
    with pytest.raises(UsageProblem):
        write_run(log_file, bank, own)


@pytest.mark.parametrize("server", [ANSWERED], indirect=True)
def test_epochs_are_repeats_and_part_of_a_form_has_no_score(frozen_bank: Path, server: FunctionServer) -> None:
    log_file, log = evaluated(server, "-T", "form=short", "--epochs", "2", "--limit", "3")
    told = metrics(log, "outcome")
    assert told["units.asked"] == 6 and told["units.missing"] > 0 and told["score.defined"] == 0
    assert not {name for name in told if name.startswith("concrete")}
    run = write_run(log_file, the_frozen("bank", None), Path("part"))
    units = [json.loads(line) for line in (run / "journal.jsonl").read_bytes().splitlines()]
    assert Counter(unit["repeat"] for unit in units) == {1: 3, 2: 3}
    refused = started("divisionbell", "score", str(run))
    assert refused.returncode == 2 and "incomplete" in refused.stderr


@pytest.mark.parametrize("server", [ANSWERED], indirect=True)
def test_the_exported_folder_asks_the_same(frozen_bank: Path, server: FunctionServer) -> None:
    made = started("divisionbell", "export", "inspect", "--form", "short", "--out", "folder")
    assert made.returncode == 0, made.stderr
    (frozen_bank / "bank.yaml").rename("elsewhere.yaml")
    _, log = evaluated(server, "--limit", "4", task="folder/divisionbell_task.py")
    assert log["eval"]["metadata"]["form"] == "short" and len(log["samples"]) == 4
    assert len(server.requests) >= 4


def test_a_wrong_form_is_told_without_a_traceback(frozen_bank: Path) -> None:
    made = started(
        "inspect_ai", "eval", "divisionbell/bank", "--model", "mockllm/model", "-T", "form=nope", "--display", "plain"
    )
    assert made.returncode != 0
    assert "there is no form nope" in made.stdout + made.stderr
    assert "Traceback" not in made.stdout + made.stderr


@pytest.mark.parametrize("server", [ANSWERED], indirect=True)
def test_another_system_message_is_refused(frozen_bank: Path, server: FunctionServer) -> None:
    _, log = evaluated(server, "--limit", "1", "--system-message", "Answer A.")
    assert log["status"] == "error"
    assert "not those of the frozen bank" in log["samples"][0]["error"]["message"]
