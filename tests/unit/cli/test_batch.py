"""Batches: export, import in any order, the retry as a second batch; the run is what `run` would have written."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_run_over_http import answer_of, completion, server

from divisionbell.bank.load import load
from divisionbell.freeze.freeze import freeze
from divisionbell.run.journal import line_of
from divisionbell.validate.engine import ValidBank

ROOT = Path(__file__).resolve().parents[3]
Line = dict[str, Any]


@pytest.fixture(scope="module")
def frozen_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("batch")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", home / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", home)
    bank = load(home / "bank")
    freeze(ValidBank(bank), str(bank.version))
    return home


@pytest.fixture
def home(frozen_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIVISIONBELL_BANK", str(frozen_home / "bank"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def batch(home: Path, divisionbell: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: divisionbell("batch", *arguments)


def read(name: str) -> list[Line]:
    return [json.loads(line) for line in Path(name).read_bytes().splitlines()]


def write(name: str, lines: list[Line]) -> None:
    Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def prompted(request: Line) -> str:
    prompt = next(m["content"] for m in request["body"]["messages"] if m["role"] == "user")
    return str(prompt.rsplit('{"item_id":"', 1)[1].split('"', 1)[0])


def result(request: Line, text: str | None, finish: str = "stop") -> Line:
    response = {"status_code": 200, "request_id": "r", "body": completion(text, finish)}
    return {"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": None}


def expired(request: Line) -> Line:
    error = {"code": "batch_expired", "message": "This request was not executed in time."}
    return {"id": "batch_req_2", "custom_id": request["custom_id"], "response": None, "error": error}


def good(request: Line, letter: str = "A") -> Line:
    return result(request, answer_of(prompted(request), letter))


def units(run: str = "r") -> dict[str, Line]:
    return {unit["unit_key"]: unit for unit in read(f"{run}/journal.jsonl")}


def untimed(stored: dict[str, Line]) -> dict[str, Line]:
    """The units without what the clock says of them."""
    for unit in stored.values():
        for part in (unit, *unit["attempts"]):
            for name in ("latency_seconds", "asked_at", "finished_at"):
                part.pop(name, None)
    return stored


def begin(batch: Callable[..., Any], *more: str) -> list[Line]:
    ended = batch("export", "openai:m", "--form", "short", "--out", "1.jsonl", "--run", "r", *more)
    assert ended.code == 0, ended.err
    return read("1.jsonl")


def test_a_batch_makes_the_units_that_a_live_run_makes(batch: Callable[..., Any], divisionbell: Any) -> None:
    """The same replies, one half malformed at first, by batches and over HTTP: the journals hold the same units."""

    seen: list[Line] = []

    def behave(request: Line) -> tuple[int, Any]:
        seen.append(request)
        malformed = len(request["messages"]) == 2 and prompted({"body": request}) in bad
        text = answer_of(prompted({"body": request}), "B")
        return 200, completion(f"Well: {text}" if malformed else text)

    with server(behave) as url:
        requests = begin(batch, "--base-url", url)
        bad = {prompted(request) for request in requests[::4]}
        ended = divisionbell("run", "openai:m", "--form", "short", "--base-url", url, "--out", "live")
        assert ended.code == 0, ended.err
    answers = [result(r, behave(r["body"])[1]["choices"][0]["message"]["content"]) for r in requests]
    random.Random(3).shuffle(answers)
    write("a.jsonl", answers)
    ended = batch("import", "a.jsonl", "--out", "r")
    assert ended.code == 1
    assert "16 of 32 units are there; 16 wait for their retry" in ended.err
    assert batch("export", "--resume", "r", "--out", "2.jsonl").code == 0
    second = read("2.jsonl")
    assert {len(r["body"]["messages"]) for r in second} == {4}
    write("b.jsonl", [good(r, "B") for r in reversed(second)])
    assert batch("import", "b.jsonl", "--out", "r").code == 0
    assert divisionbell("runs", "verify", "r").code == 0
    assert untimed(units("r")) == untimed(units("live"))
    assert {unit["outcome"] for unit in units().values()} == {"valid_at_first", "valid_after_retry"}
    heads = [json.loads(Path(run, "run.json").read_bytes()) for run in ("r", "live")]
    for name in ("settings", "respondent", "unit_count", "template_sha256", "bank_sha256", "form", "repeats"):
        assert heads[0][name] == heads[1][name]
    live = next(request for request in seen if len(request["messages"]) == 2)
    told = requests[0]["body"]
    assert told["temperature"] == live["temperature"]
    assert told["max_completion_tokens"] == live.get("max_tokens", live.get("max_completion_tokens"))


def test_errors_and_expired_requests_are_sent_again_when_asked_for(
    batch: Callable[..., Any], divisionbell: Any
) -> None:
    requests = begin(batch)
    refused = {**good(requests[1]), "response": {"status_code": 429, "body": {"error": {"message": "busy"}}}}
    write("a.jsonl", [expired(requests[0]), refused, *map(good, requests[2:])])
    ended = batch("import", "a.jsonl", "--out", "r")
    assert ended.code == 1
    assert "30 of 32 units are there; 2 were not reached" in ended.err
    assert batch("import", "a.jsonl", "--out", "r").code == 1
    assert len(read("r/journal.jsonl")) == 32  # imported twice, written once
    ended = batch("export", "--resume", "r", "--out", "2.jsonl")
    assert ended.code == 2
    assert "nothing is due" in ended.err
    assert batch("export", "--resume", "r", "--failed", "--out", "2.jsonl").code == 0
    assert [r["custom_id"] for r in read("2.jsonl")] == [r["custom_id"] for r in requests[:2]]
    assert batch("export", "--resume", "r", "--failed", "--out", "3.jsonl").code == 2  # they are out already
    write("b.jsonl", [good(r) for r in read("2.jsonl")])
    assert batch("import", "b.jsonl", "--out", "r").code == 0
    assert divisionbell("runs", "verify", "r").code == 0
    assert batch("import", "a.jsonl", "--out", "r").code == 0  # the old errors do not come back
    assert {unit["outcome"] for unit in units().values()} == {"valid_at_first"}


def test_a_retry_that_expires_is_asked_again_without_asking_the_first_anew(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    write("a.jsonl", [result(requests[0], "A"), *map(good, requests[1:])])
    batch("import", "a.jsonl", "--out", "r")
    batch("export", "--resume", "r", "--out", "2.jsonl")
    (retry,) = read("2.jsonl")
    write("b.jsonl", [expired(retry)])
    assert batch("import", "b.jsonl", "--out", "r").code == 1
    assert batch("export", "--resume", "r", "--failed", "--out", "3.jsonl").code == 0
    assert read("3.jsonl") == [retry]
    write("c.jsonl", [good(retry)])
    assert batch("import", "c.jsonl", "--out", "r").code == 0
    (unit,) = [unit for unit in units().values() if len(unit["attempts"]) == 2]
    assert unit["outcome"] == "valid_after_retry"


def test_results_may_come_in_parts_and_what_never_comes_is_sent_again(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    write("a.jsonl", list(map(good, requests[20:])))
    ended = batch("import", "a.jsonl", "--out", "r")
    assert "20 requests are out" in ended.err
    assert batch("export", "--resume", "r", "--failed", "--out", "2.jsonl").code == 2
    assert batch("export", "--resume", "r", "--missing", "--out", "2.jsonl").code == 0
    assert [r["custom_id"] for r in read("2.jsonl")] == [r["custom_id"] for r in requests[:20]]
    write("b.jsonl", list(map(good, requests[:20])))
    assert batch("import", "b.jsonl", "--out", "r").code == 0


def test_cut_off_and_blocked_are_not_retried(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    write(
        "a.jsonl",
        [result(requests[0], None, "length"), result(requests[1], "no", "content_filter"), *map(good, requests[2:])],
    )
    assert batch("import", "a.jsonl", "--out", "r").code == 0
    assert sorted({unit["outcome"] for unit in units().values()}) == ["blocked", "cut_off", "valid_at_first"]


def test_lines_that_cannot_stand_are_named_and_nothing_is_imported(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    stranger = {**good(requests[0]), "custom_id": "f" * 64 + "-1"}
    retry = {**good(requests[3]), "custom_id": requests[3]["custom_id"][:-1] + "2"}
    lines = [good(requests[0]), good(requests[0]), stranger, good(requests[1]), good(requests[1], "B"), retry]
    write("a.jsonl", [*lines, {"custom_id": "mine"}, {"custom_id": 3}, {"custom_id": requests[4]["custom_id"]}])
    with Path("a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"custom_id": "torn')
    ended = batch("import", "a.jsonl", "--out", "r")
    assert ended.code == 1
    told = ended.text
    assert "a.jsonl:3: custom_id" in told
    assert "a.jsonl:5: another reply for the same request than in line 4" in told
    assert "a.jsonl:6: a retry of unit" in told
    assert "a.jsonl:7: custom_id" in told
    assert "a.jsonl:8: is no result" in told
    assert "a.jsonl:9: is no result of openai: it has no response and no error" in told
    assert "a.jsonl:10: is no result" in told
    assert "a.jsonl:1:" not in told
    assert "a.jsonl:2:" not in told
    assert "nothing was imported" in ended.err
    assert Path("r/journal.jsonl").read_bytes() == b""


def test_another_answer_later_is_refused(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    write("a.jsonl", list(map(good, requests)))
    assert batch("import", "a.jsonl", "--out", "r").code == 0
    write("a.jsonl", [good(requests[0], "B"), *map(good, requests[1:])])
    before = Path("r/journal.jsonl").read_bytes()
    ended = batch("import", "a.jsonl", "--out", "r")
    assert ended.code == 1
    assert "a.jsonl:1: another reply for unit" in ended.text
    assert Path("r/journal.jsonl").read_bytes() == before


def test_an_answer_stands_before_an_error_in_one_file_whatever_their_order(batch: Callable[..., Any]) -> None:
    requests = begin(batch)
    lines = [expired(requests[0]), *map(good, requests), expired(requests[1])]
    write("a.jsonl", lines)
    assert batch("import", "a.jsonl", "--out", "r").code == 0
    assert len(units()) == 32


@pytest.mark.parametrize("kept", [0, 1, 7, 31])
def test_an_import_broken_off_is_done_again(batch: Callable[..., Any], kept: int) -> None:
    """What is on disk after a kill between two lines of the journal: some units, and the state of before."""
    requests = begin(batch)
    write("a.jsonl", [result(requests[0], "A"), *map(good, requests[1:])])
    state = Path("r/batch.json").read_bytes()
    batch("import", "a.jsonl", "--out", "r")
    done = read("r/journal.jsonl")
    after = Path("r/batch.json").read_bytes()
    Path("r/journal.jsonl").write_bytes(b"".join(map(line_of, done[:kept])))
    Path("r/batch.json").write_bytes(state)
    batch("import", "a.jsonl", "--out", "r")
    assert [unit["unit_key"] for unit in read("r/journal.jsonl")] == [unit["unit_key"] for unit in done]
    assert Path("r/batch.json").read_bytes() == after


def test_a_shard_is_a_batch_of_its_own(batch: Callable[..., Any], divisionbell: Any) -> None:
    for index in (1, 2):
        out = f"{index}.jsonl"
        ended = batch("export", "openai:m", "--form", "short", "--run", "s", "--shard", f"{index}/2", "--out", out)
        assert ended.code == 0, ended.err
        write("a.jsonl", list(map(good, read(out))))
        assert batch("import", "a.jsonl", "--out", f"s/shard-{index}-of-2").code == 0
    assert divisionbell("merge", "s", "--out", "m").code == 0
    assert len(units("m")) == 32


def test_a_batch_that_a_provider_does_not_take_is_refused_before_anything_is_begun(
    batch: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from divisionbell.run import batch_formats

    small = replace(batch_formats.FORMATS["openai"], most_requests=20)
    monkeypatch.setitem(batch_formats.FORMATS, "openai", small)
    ended = batch("export", "openai:m", "--form", "short", "--out", "1.jsonl", "--run", "r")
    assert ended.code == 2
    assert "--shard 1/3" in ended.err
    assert not Path("1.jsonl").exists()
    assert not Path("r").exists()


def test_files_and_runs_are_not_written_over(batch: Callable[..., Any]) -> None:
    begin(batch)
    assert batch("export", "openai:m", "--form", "short", "--out", "1.jsonl", "--run", "q").code == 2
    assert not Path("q").exists()
    ended = batch("export", "openai:m", "--form", "short", "--out", "2.jsonl", "--run", "r")
    assert ended.code == 2
    assert "holds a run" in ended.err
    assert batch("export", "--resume", "r", "--form", "full", "--out", "2.jsonl").code == 2
    assert batch("export", "openai:m", "--resume", "r", "--out", "2.jsonl").code == 2
    assert batch("import", "absent.jsonl", "--out", "r").code == 2
    assert batch("import", "1.jsonl", "--out", "absent").code == 2


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"without":["x"],"sent":[],"first":{}}', '{"without":[],"sent":["x"],"first":{}}', "\xff"]
)
def test_a_spoilt_state_is_said(batch: Callable[..., Any], text: str) -> None:
    requests = begin(batch)
    write("a.jsonl", list(map(good, requests)))
    Path("r/batch.json").write_text(text, encoding="latin-1")
    ended = batch("import", "a.jsonl", "--out", "r")
    assert ended.code == 1
    assert "batch.json cannot be read" in ended.err


def test_left_out_parameters_stand_in_each_attempt(batch: Callable[..., Any]) -> None:
    requests = begin(batch, "--without", "temperature")
    assert all("temperature" not in request["body"] for request in requests)
    write("a.jsonl", list(map(good, requests)))
    assert batch("import", "a.jsonl", "--out", "r").code == 0
    assert all(unit["attempts"][0]["dropped_parameters"] == ["temperature"] for unit in units().values())
    assert json.loads(Path("r/run.json").read_bytes())["settings"]["temperature"] == 0.0


def test_hostile_replies_are_kept_whole(batch: Callable[..., Any], divisionbell: Any) -> None:
    requests = begin(batch)
    hostile = "</script>\u0085\u2028\x00\ud800 {"
    write("a.jsonl", [result(request, hostile) for request in requests])
    batch("import", "a.jsonl", "--out", "r")
    assert batch("export", "--resume", "r", "--out", "2.jsonl").code == 0
    sent = {request["body"]["messages"][2]["content"] for request in read("2.jsonl")}
    write("b.jsonl", [result(request, hostile) for request in read("2.jsonl")])
    assert batch("import", "b.jsonl", "--out", "r").code == 0
    assert {unit["outcome"] for unit in units().values()} == {"malformed"}
    assert divisionbell("runs", "verify", "r").code == 0
    assert {unit["attempts"][0]["reply_text"] for unit in units().values()} == {hostile}
    assert {unit["attempts"][1]["turns"][2]["content"] for unit in units().values()} == sent


def test_a_batch_is_asked_as_a_run_with_the_same_options_would_ask(batch: Callable[..., Any]) -> None:
    said = ("--form", "short", "--temperature", "default", "--max-tokens", "100", "--reasoning", "low")
    assert batch("export", "anthropic:m", *said, "--run", "a", "--out", "a.jsonl").code == 0
    for params in (line["params"] for line in read("a.jsonl")):
        assert params["max_tokens"] == 100
        assert params["output_config"] == {"effort": "low"}
        assert "temperature" not in params
    refused = batch("export", "openai:m", "--decoding", "json-schema", "--run", "o", "--out", "o.jsonl")
    assert (refused.code, "cannot carry the setting decoding" in refused.err) == (2, True)
    later = batch("export", "--resume", "a", "--temperature", "1", "--out", "again.jsonl")
    assert (later.code, "--temperature does not go with --resume" in later.err) == (2, True)
    assert sorted(path.name for path in Path().iterdir()) == ["a", "a.jsonl"]


@pytest.mark.parametrize("over", [{"max_tokens": "x"}, {"max_tokens": None}, {"reasoning_tokens": [1]}, {"model": ...}])
def test_a_run_whose_settings_are_of_no_batch_is_refused(batch: Callable[..., Any], over: dict[str, Any]) -> None:
    begin(batch)
    header = json.loads(Path("r/run.json").read_text())
    settings = {name: value for name, value in (header["settings"] | over).items() if value is not ...}
    Path("r/run.json").write_text(json.dumps(header | {"settings": settings}))
    Path("r/batch.json").unlink()
    ended = batch("export", "--resume", "r", "--out", "2.jsonl")
    assert ended.code == 2 and "the run's settings are not those of a batch" in ended.err
    assert not Path("2.jsonl").exists()
