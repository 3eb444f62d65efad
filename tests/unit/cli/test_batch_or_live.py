"""An incomplete run names the way on that fits it, live or by batches, with its folder; the other way loses nothing."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_batch import Line, batch, begin, expired, frozen_home, good, home, prompted, read, result, units, write
from test_run_over_http import answer_of, completion, server

__all__ = ["batch", "frozen_home", "home"]
Cli = Callable[..., Any]


@pytest.fixture
def asked() -> list[Line]:
    return []


@pytest.fixture
def url(asked: list[Line]) -> Any:
    """A server that answers well and keeps what it was asked."""

    def behave(request: Line) -> tuple[int, Any]:
        asked.append(request)
        return 200, completion(answer_of(prompted({"body": request}), "B"))

    with server(behave) as address:
        yield address


def kept(run: str = "r") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(run).iterdir()}


def fix_of(ended: Any) -> str:
    return str(ended.err.split("  fix: ")[1].strip())


def half_malformed(batch: Cli, url: str) -> list[Line]:
    """A batch run whose results are in: eight malformed first replies wait for the retry, one request expired."""
    requests = begin(batch, "--base-url", url)
    lines = [result(r, "Well.") for r in requests[:8]] + [expired(requests[8])] + list(map(good, requests[9:]))
    write("a.jsonl", lines)
    assert batch("import", "a.jsonl", "--out", "r").code == 1
    return requests


@pytest.mark.parametrize("more", [(), ("--failed",)])
def test_a_live_run_never_asks_what_waits_for_its_retry(
    batch: Cli, divisionbell: Cli, url: str, asked: list[Line], more: tuple[str, ...]
) -> None:
    half_malformed(batch, url)
    before = kept()
    ended = divisionbell("run", "openai:m", "--form", "short", "--base-url", url, "--out", "r", "--resume", *more)
    by_folder = divisionbell("run", "--base-url", url, "--out", "r", "--resume", *more)
    assert (by_folder.code, by_folder.err) == (ended.code, ended.err)
    assert ended.code == 2
    assert "r is asked by batches: 23 of 32 units are there; 8 wait for their retry, 1 was not reached" in ended.err
    assert fix_of(ended) == "divisionbell batch export --resume r --failed --out FILE.jsonl"
    assert asked == []
    assert kept() == before
    assert divisionbell(*shlex.split(fix_of(ended))[1:]).code == 0
    write("b.jsonl", [good(request) for request in read("FILE.jsonl")])
    assert batch("import", "b.jsonl", "--out", "r").code == 0
    outcomes = [unit["outcome"] for unit in units().values()]
    assert (outcomes.count("valid_after_retry"), outcomes.count("valid_at_first")) == (8, 24)


def test_a_live_run_never_asks_what_is_out(batch: Cli, divisionbell: Cli, url: str, asked: list[Line]) -> None:
    begin(batch, "--base-url", url)
    ended = divisionbell("run", "openai:m", "--form", "short", "--base-url", url, "--out", "r", "--resume")
    assert ended.code == 2
    assert "0 of 32 units are there; 32 requests are out" in ended.err
    assert fix_of(ended) == (
        "for what is out: divisionbell batch import RESULTS.jsonl --out r, or where no result will come: "
        "divisionbell batch export --resume r --missing --out FILE.jsonl"
    )
    assert asked == []
    dry = divisionbell("run", "--base-url", url, "--out", "r", "--resume", "--dry-run")
    assert (dry.code, fix_of(dry), dry.text) == (2, fix_of(ended), "")


def test_what_no_batch_holds_may_be_asked_live(batch: Cli, divisionbell: Cli, url: str, asked: list[Line]) -> None:
    """Every result is in and two requests failed: nothing would be lost."""
    requests = begin(batch, "--base-url", url)
    write("a.jsonl", [*map(expired, requests[:2]), *map(good, requests[2:])])
    assert batch("import", "a.jsonl", "--out", "r").code == 1
    ended = divisionbell("run", "openai:m", "--form", "short", "--base-url", url, "--out", "r", "--resume", "--failed")
    assert ended.code == 0, ended.err
    assert len(asked) == 2
    assert divisionbell("runs", "verify", "r").code == 0


def every_message(divisionbell: Cli) -> dict[str, str]:
    """What each verb says of the incomplete run r."""
    return {
        "score": divisionbell("score", "r").err,
        "report": divisionbell("report", "r").err,
        "compare": divisionbell("compare", "r", "r").err,
        "runs show": divisionbell("runs", "show", "r").text,
        "runs show json": json.loads(divisionbell("runs", "show", "r", "--format", "json").text)["go_on"],
        "runs register": divisionbell("runs", "register", "r").err,
        "run": divisionbell("run", "openai:m", "--form", "short", "--out", "r").err,
        "batch export": divisionbell("batch", "export", "openai:m", "--run", "r", "--out", "new.jsonl").err,
    }


def test_every_verb_names_the_batch_command_of_a_batch_run(batch: Cli, divisionbell: Cli, url: str) -> None:
    half_malformed(batch, url)
    for verb, told in every_message(divisionbell).items():
        assert "divisionbell batch export --resume r --failed --out FILE.jsonl" in told, verb
        assert "divisionbell run" not in told, verb
        assert "ITS_FOLDER" not in told, verb


OPTIONS = ("--temperature", "0.5", "--max-tokens", "99", "--reasoning-tags", "<a b>", "</a b>", "--reasoning", "low")


@pytest.mark.parametrize("options", [(), (*OPTIONS, "--decoding", "json-schema", "--logprobs", "--repeats", "2")])
def test_every_verb_names_the_live_command_of_a_live_run_and_it_does(
    home: Path, divisionbell: Cli, url: str, asked: list[Line], options: tuple[str, ...]
) -> None:
    begun = ("run", "openai:m", "--form", "short", "--base-url", url, "--out", "r", "--no-preflight", *options)
    assert divisionbell(*begun).code == 0
    lines = Path("r/journal.jsonl").read_bytes().splitlines(keepends=True)
    Path("r/journal.jsonl").write_bytes(b"".join(lines[:-3]))
    asked.clear()
    told = every_message(divisionbell)
    command = told["runs show json"]
    for verb, text in told.items():
        assert command in text, verb
        assert "batch export --resume" not in text, verb
    assert f"{len(lines) - 3} of {len(lines)} units are there; 3 are missing" in told["score"]
    ended = divisionbell(*shlex.split(command)[1:])
    assert ended.code == 0, ended.err
    assert len(asked) == 3
    assert divisionbell("runs", "show", "r", "--format", "json").text.count('"go_on": null') == 1


def test_a_unit_that_was_not_reached_is_named_with_failed(home: Path, divisionbell: Cli) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "r").code == 0
    stored = [json.loads(line) for line in Path("r/journal.jsonl").read_bytes().splitlines()]
    lost = stored[0]
    attempt = {**lost["attempts"][0], "reading": "transport", "transport_error": "HTTP 500"}
    attempt.pop("reply_text")
    stored[0] = {**lost, "outcome": "transport_failed", "attempts": [attempt]}
    stored[0].pop("answer")
    write("r/journal.jsonl", stored)
    ended = divisionbell("score", "r")
    assert ended.code == 2
    assert "r is incomplete: 31 of 32 units are there; 1 was not reached" in ended.err
    assert fix_of(ended) == "divisionbell run --resume --failed --out r"
    assert divisionbell(*shlex.split(fix_of(ended))[1:]).code == 0
    assert divisionbell("score", "r").code == 0


def test_a_merge_names_the_way_on_of_its_shards(home: Path, divisionbell: Cli) -> None:
    assert divisionbell("run", "scripted:coin", "--shard", "1/2", "--out", "two words").code == 0
    journal = Path("two words/shard-1-of-2/journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[1:]))
    command = json.loads(divisionbell("runs", "show", str(journal.parent), "--format", "json").text)["go_on"]
    assert command == "divisionbell run --resume --out 'two words/shard-1-of-2'"
    told = divisionbell("merge", "two words", "--out", "m")
    assert (told.code, command in told.err) == (1, True)
    assert divisionbell(*shlex.split(command)[1:]).code == 0
    told = divisionbell("merge", "two words", "--out", "m")
    assert (told.code, "ask the shards that are not there" in told.err) == (1, True)


def test_a_merge_drops_nothing_that_waits(batch: Cli, divisionbell: Cli) -> None:
    for index in (1, 2):
        out = f"{index}.jsonl"
        begun = batch("export", "openai:m", "--form", "short", "--run", "s", "--shard", f"{index}/2", "--out", out)
        assert begun.code == 0
        requests = read(out)
        write("a.jsonl", [result(requests[0], "Well."), *map(good, requests[1:])])
        assert batch("import", "a.jsonl", "--out", f"s/shard-{index}-of-2").code == 1
    for more in ((), ("--incomplete",)):
        ended = divisionbell("merge", "s", "--out", "m", *more)
        assert ended.code == 1
        assert "s/shard-1-of-2 is asked by batches: " in ended.err
        assert "1 waits for its retry" in ended.err
        assert fix_of(ended) == "divisionbell batch export --resume s/shard-1-of-2 --out FILE.jsonl"
        assert not Path("m").exists()
    for index in (1, 2):
        assert batch("export", "--resume", f"s/shard-{index}-of-2", "--out", f"r{index}.jsonl").code == 0
        write("b.jsonl", list(map(good, read(f"r{index}.jsonl"))))
        assert batch("import", "b.jsonl", "--out", f"s/shard-{index}-of-2").code == 0
    assert divisionbell("merge", "s", "--out", "m").code == 0


def test_each_unit_is_counted_once(batch: Cli) -> None:
    """A request that expired first and came back malformed later waits for its retry, and was reached."""
    requests = begin(batch)
    write("a.jsonl", [*map(expired, requests[:12]), *map(good, requests[20:])])
    ended = batch("import", "a.jsonl", "--out", "r")
    assert "12 of 32 units are there; 8 requests are out, 12 were not reached" in ended.err
    write("b.jsonl", [result(request, "Well.") for request in requests[:10]])
    ended = batch("import", "b.jsonl", "--out", "r")
    assert "12 of 32 units are there; 10 wait for their retry, 8 requests are out, 2 were not reached" in ended.err
    assert fix_of(ended).startswith("divisionbell batch export --resume r --failed --out FILE.jsonl; for what is out: ")
    assert batch("export", "--resume", "r", "--out", "2.jsonl").code == 0
    ended = batch("export", "--resume", "r", "--out", "3.jsonl")
    assert ended.code == 2
    assert "nothing is due; 12 of 32 units are there; 18 requests are out, 2 were not reached" in ended.err
    for told in re.findall(r"(\d+) (?:wait|requests|were)", ended.err):
        assert int(told) in (18, 2)


def test_a_complete_run_is_to_be_scored(batch: Cli) -> None:
    requests = begin(batch)
    write("a.jsonl", list(map(good, requests)))
    assert batch("import", "a.jsonl", "--out", "r").code == 0
    for more in ((), ("--failed",), ("--missing",)):
        ended = batch("export", "--resume", "r", *more, "--out", "2.jsonl")
        assert (ended.code, "r is complete: nothing is to be sent" in ended.err) == (2, True)
        assert fix_of(ended) == "divisionbell score r"
        assert not Path("2.jsonl").exists()


def test_the_file_of_requests_is_not_taken_for_results(batch: Cli) -> None:
    requests = begin(batch)
    before = kept()
    ended = batch("import", "1.jsonl", "--out", "r")
    assert (ended.code, ended.text) == (1, "")
    assert "1.jsonl holds requests, not results" in ended.err
    assert kept() == before
    write("a.jsonl", [good(requests[0]), requests[1]])
    ended = batch("import", "a.jsonl", "--out", "r")
    assert (ended.code, ended.text) == (1, "a.jsonl:2: is a request, not a result\n")
    assert kept() == before
    assert batch("export", "anthropic:m", "--form", "short", "--out", "m.jsonl", "--run", "m").code == 0
    for name, told in (("m.jsonl", "holds requests"), ("1.jsonl", "holds requests")):
        ended = batch("import", name, "--out", "m")
        assert (ended.code, told in ended.err) == (1, True)
    write("a.jsonl", [{**good(r), "custom_id": s["custom_id"]} for r, s in zip(requests, read("m.jsonl"), strict=True)])
    ended = batch("import", "a.jsonl", "--out", "m")
    assert (ended.code, "a.jsonl:1: is no result of anthropic: it has no result" in ended.text) == (1, True)
    assert kept("m")["journal.jsonl"] == b""


def test_batch_speaks_of_its_own_options(batch: Cli, divisionbell: Cli) -> None:
    said = ("export", "openai:m", "--form", "short", "--shard", "1/2", "--out", "s.jsonl")
    ended = batch(*said)
    assert (ended.code, fix_of(ended)) == (2, "add --run DIR")
    assert "--shard needs --run DIR" in ended.err
    begin(batch)
    ended = batch(*said, "--run", "r")
    assert (ended.code, fix_of(ended)) == (2, "name another --run for its shards")
    assert batch(*said, "--run", "s").code == 0
    ended = batch("export", "openai:m", "--form", "short", "--shard", "1/3", "--out", "t.jsonl", "--run", "s")
    assert (ended.code, "or name another --run" in fix_of(ended)) == (2, True)
    helped = batch("export", "--help").text
    assert "--out/shard" not in helped
    assert "shard-K-of-N in the folder that --run names" in " ".join(helped.split())
    live = divisionbell("run", "scripted:coin", "--shard", "1/2")
    assert (live.code, fix_of(live)) == (2, "add --out DIR")
    assert not Path("runs").exists()
    assert divisionbell("run", "scripted:coin", "--shard", "1/2", "--dry-run").code == 0
