"""Shards put together score as an unbroken run, and what does not belong together is refused by name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank.load import load
from divisionbell.freeze.freeze import freeze
from divisionbell.run.journal import line_of
from divisionbell.validate.engine import ValidBank

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def frozen_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a frozen bank and, below `s`, the three shards of a run; `w` is the same run unbroken."""
    home = tmp_path_factory.mktemp("merge")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", home / "bank")
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", home)
    bank = load(home / "bank")
    freeze(ValidBank(bank), str(bank.version))
    return home


@pytest.fixture
def home(frozen_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of its own beside that bank."""
    monkeypatch.setenv("DIVISIONBELL_BANK", str(frozen_home / "bank"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shards(home: Path, divisionbell: Callable[..., Any]) -> Path:
    for index in (1, 2, 3):
        ended = divisionbell("run", "scripted:coin", "--shard", f"{index}/3", "--out", "s")
        assert ended.code == 0, ended.err
    return home / "s"


def units(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]


def rewrite(folder: Path, lines: list[dict[str, Any]]) -> None:
    (folder / "journal.jsonl").write_bytes(b"".join(map(line_of, lines)))


def scores(divisionbell: Callable[..., Any], folder: str) -> str:
    """The score document as text, without the two lines that name the run."""
    ended = divisionbell("score", folder, "--format", "json")
    assert ended.code == 0, ended.err
    lines = ended.text.splitlines()
    named = [line for line in lines if '"scored_run"' in line or '"scored_journal_sha256"' in line]
    assert len(named) == 2
    return "\n".join(line for line in lines if line not in named)


def failed(unit: dict[str, Any]) -> dict[str, Any]:
    """The same unit as one that was not reached."""
    attempt = {**unit["attempts"][0], "reading": "transport", "transport_error": "HTTP 500"}
    del attempt["reply_text"]
    lost = {**unit, "outcome": "transport_failed", "attempts": [attempt]}
    del lost["answer"]
    return lost


def test_merged_shards_score_as_an_unbroken_run(shards: Path, divisionbell: Callable[..., Any]) -> None:
    assert divisionbell("merge", "s", "--out", "m").code == 0
    assert divisionbell("run", "scripted:coin", "--out", "w").code == 0
    assert scores(divisionbell, "m") == scores(divisionbell, "w")
    assert divisionbell("runs", "verify", "m").code == 0
    head = json.loads(Path("m/run.json").read_bytes())
    assert [part["shard_index"] for part in head["merged_from"]] == [1, 2, 3]
    assert "shard_index" not in head
    before = Path("m/journal.jsonl").read_bytes()
    assert divisionbell("run", "scripted:coin", "--resume", "--out", "m").code == 0
    assert Path("m/journal.jsonl").read_bytes() == before


def test_the_order_in_which_parts_are_named_does_not_matter(shards: Path, divisionbell: Callable[..., Any]) -> None:
    names = [f"s/shard-{index}-of-3" for index in (3, 1, 2)]
    assert divisionbell("merge", *names, names[0], "--out", "m").code == 0
    assert divisionbell("merge", "s", "--out", "n").code == 0
    assert Path("m/journal.jsonl").read_bytes() == Path("n/journal.jsonl").read_bytes()


def test_a_party_s_shards_keep_what_is_not_administered(home: Path, divisionbell: Callable[..., Any]) -> None:
    for index in (1, 2):
        assert divisionbell("run", "party:Plaid Cymru", "--shard", f"{index}/2", "--out", "s").code == 0
        assert divisionbell("runs", "verify", f"s/shard-{index}-of-2").code == 0
    assert divisionbell("merge", "s", "--out", "m").code == 0
    assert divisionbell("run", "party:Plaid Cymru", "--out", "w").code == 0
    told = [json.loads(Path(run, "run.json").read_bytes())["not_administered_count"] for run in ("m", "w")]
    assert told[0] == told[1] > 0
    assert divisionbell("runs", "verify", "m").code == 0
    assert scores(divisionbell, "m") == scores(divisionbell, "w")


def test_a_shard_is_resumed_by_itself(shards: Path, divisionbell: Callable[..., Any]) -> None:
    folder = shards / "shard-2-of-3"
    whole = units(folder)
    rewrite(folder, whole[:5])
    ended = divisionbell("run", "scripted:coin", "--shard", "2/3", "--out", "s", "--resume")
    assert ended.code == 0
    assert f"asking {len(whole) - 5}" in ended.err
    assert {u["unit_key"] for u in units(folder)} == {u["unit_key"] for u in whole}


def test_a_shard_is_not_scored_registered_or_taken_for_another(shards: Path, divisionbell: Callable[..., Any]) -> None:
    for verb in (("score",), ("runs", "register"), ("report",)):
        ended = divisionbell(*verb, "s/shard-2-of-3")
        assert ended.code == 2
        assert "shard 2 of 3" in ended.err
        assert "divisionbell merge" in ended.err
    assert "shard 2 of 3" in divisionbell("runs", "list", ".").text
    (shards / "shard-2-of-3").rename(shards.parent / "x")
    before = (shards.parent / "x" / "journal.jsonl").read_bytes()
    ended = divisionbell("run", "--resume", "--out", "x")  # a shard stays one wherever it lies
    assert ended.code == 0 and (shards.parent / "x" / "journal.jsonl").read_bytes() == before
    shutil.rmtree(shards / "shard-1-of-3")
    (shards.parent / "x").rename(shards / "shard-1-of-3")
    ended = divisionbell("run", "scripted:coin", "--shard", "1/3", "--resume", "--out", "s")
    assert ended.code == 2
    assert "another shard_index: 2 there, 1 now" in ended.err


def test_a_unit_of_another_shard_is_found(shards: Path, divisionbell: Callable[..., Any]) -> None:
    stray = units(shards / "shard-1-of-3")[0]
    rewrite(shards / "shard-2-of-3", [*units(shards / "shard-2-of-3"), stray])
    ended = divisionbell("runs", "verify", "s/shard-2-of-3")
    assert ended.code == 1
    assert "is no unit of this run" in ended.text
    ended = divisionbell("merge", "s", "--out", "m")
    assert ended.code == 1
    assert "is none of shard 2 of 3" in ended.err


def test_holes_are_named_and_nothing_is_written(shards: Path, divisionbell: Callable[..., Any]) -> None:
    short = units(shards / "shard-1-of-3")
    rewrite(shards / "shard-1-of-3", [failed(short[0]), *short[2:]])
    gone = len(units(shards / "shard-3-of-3"))
    shutil.rmtree(shards / "shard-3-of-3")
    ended = divisionbell("merge", "s", "--out", "m")
    assert ended.code == 1
    assert f"{gone + 2} of 96 units are missing: shard 1 of 3: 2 units, shard 3 of 3: {gone} units" in ended.err
    assert not Path("m").exists()
    assert divisionbell("merge", "s", "--out", "m", "--incomplete").code == 0
    assert divisionbell("runs", "verify", "m").code == 0
    assert divisionbell("score", "m").code == 2
    assert divisionbell("run", "scripted:coin", "--resume", "--failed", "--out", "m").code == 0
    assert divisionbell("run", "scripted:coin", "--out", "w").code == 0
    assert scores(divisionbell, "m") == scores(divisionbell, "w")


def test_a_failure_gives_way_to_an_answer_in_either_order(home: Path, divisionbell: Callable[..., Any]) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "w").code == 0
    whole = units(Path("w"))
    for name, lines in (("a", [failed(whole[0]), *whole[1:20]]), ("b", [whole[0], failed(whole[1]), *whole[19:]])):
        shutil.copytree("w", name)
        rewrite(Path(name), lines)
    for out, parts in (("m", ("a", "b")), ("n", ("b", "a"))):
        assert divisionbell("merge", *parts, "--out", out).code == 0
        assert scores(divisionbell, out) == scores(divisionbell, "w")
        assert [u["outcome"] for u in units(Path(out))] == ["valid_at_first"] * 32


def test_two_answers_for_one_unit_are_refused_with_both_places(home: Path, divisionbell: Callable[..., Any]) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "w").code == 0
    shutil.copytree("w", "v")
    lines = units(Path("v"))
    other = "B" if lines[3]["answer"] == "A" else "A"
    lines[3] |= {"answer": other}
    rewrite(Path("v"), lines)
    ended = divisionbell("merge", "w", "v", "--out", "m")
    assert ended.code == 1
    assert "w/journal.jsonl:4" in ended.err
    assert "v/journal.jsonl:4" in ended.err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("scripted:always-a",), "settings.script is 'coin' and 'always-a'"),
        (("scripted:coin", "--form", "full"), "form is 'short' and 'full'"),
        (("scripted:coin", "--repeats", "2"), "repeats is 1 and 2"),
    ],
)
def test_mixed_configurations_are_refused_by_what_differs(
    home: Path, divisionbell: Callable[..., Any], options: tuple[str, ...], said: str
) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "w").code == 0
    rest = options[1:] if "--form" in options else ("--form", "short", *options[1:])
    assert divisionbell("run", options[0], *rest, "--out", "v").code == 0
    ended = divisionbell("merge", "w", "v", "--out", "m", "--incomplete")
    assert ended.code == 2
    assert said in ended.err
    assert not Path("m").exists()


@pytest.mark.parametrize("name", ["bank_sha256", "template_sha256", "parser_used", "reasoning_tags", "constrained"])
def test_other_records_template_or_parser_are_refused(home: Path, divisionbell: Callable[..., Any], name: str) -> None:
    assert divisionbell("run", "scripted:coin", "--form", "short", "--out", "w").code == 0
    shutil.copytree("w", "v")
    head = json.loads(Path("v/run.json").read_bytes())
    head[name] = {"parser_used": "other", "reasoning_tags": ["<a>", "</a>"], "constrained": True}.get(name, "0" * 64)
    Path("v/run.json").write_text(json.dumps(head), encoding="utf-8")
    ended = divisionbell("merge", "w", "v", "--out", "m")
    assert ended.code == 2
    assert f"{name} is " in ended.err


def test_a_merge_writes_over_nothing(shards: Path, divisionbell: Callable[..., Any]) -> None:
    Path("m").mkdir()
    assert divisionbell("merge", "s", "--out", "m").code == 0
    before = Path("m/run.json").read_bytes()
    ended = divisionbell("merge", "s", "--out", "m")
    assert ended.code == 2
    assert Path("m/run.json").read_bytes() == before
    assert [path.name for path in Path().iterdir() if path.name.startswith(".m")] == []


def test_what_is_no_run_is_refused(home: Path, divisionbell: Callable[..., Any]) -> None:
    Path("empty").mkdir()
    for folder in ("empty", "absent"):
        ended = divisionbell("merge", folder, "--out", "m")
        assert ended.code == 2
        assert "is no run and holds no shard" in ended.err


def test_more_shards_than_units_leave_some_empty(home: Path, divisionbell: Callable[..., Any]) -> None:
    said = 0
    for index in range(1, 61):
        options = ("--form", "short", "--shard", f"{index}/60", "--out", "s")
        ended = divisionbell("run", "scripted:always-a", *options)
        assert ended.code == 0
        said += "holds no unit of this run" in ended.text
    assert 0 < said < 60
    assert len(list(Path("s").iterdir())) == 60 - said
    assert divisionbell("merge", "s", "--out", "m").code == 0
    assert len(units(Path("m"))) == 32


def test_one_journal_cannot_be_two_cuts(shards: Path, divisionbell: Callable[..., Any]) -> None:
    ended = divisionbell("run", "scripted:coin", "--shard", "1/4", "--out", "s")
    assert ended.code == 2
    assert "holds shard-1-of-3, and this is shard 1 of 4" in ended.err


def test_a_loop_of_links_is_no_place_for_a_run(shards: Path, divisionbell: Callable[..., Any]) -> None:
    Path("loop").symlink_to("loop")
    for arguments in (
        ("merge", "s", "--out", "loop"),
        ("run", "scripted:coin", "--out", "loop"),
        ("batch", "export", "openai:m", "--run", "loop", "--out", "x.jsonl"),
    ):
        ended = divisionbell(*arguments)
        assert ended.code == 2 and "fault of divisionbell" not in ended.err, (arguments, ended)


def test_a_merge_does_not_count_to_a_thousand_million(shards: Path, divisionbell: Callable[..., Any]) -> None:
    for folder in shards.iterdir():
        header = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps(header | {"repeats": 10**9}))
    for arguments in (("merge", "s", "--out", "m"), ("runs", "verify", "s/shard-1-of-3"), ("score", "s/shard-1-of-3")):
        ended = divisionbell(*arguments)
        assert ended.code == 1 and "repeats: 1000000000 is more than 1000" in ended.err
