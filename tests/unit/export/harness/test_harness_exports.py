"""What the exports for other harnesses hold, without those harnesses."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from divisionbell import __version__
from divisionbell.bank.read import read
from divisionbell.diagnostics import Findings, UsageProblem
from divisionbell.export.harness import folder as folder_module
from divisionbell.export.harness.collected import from_lm_eval, from_promptfoo
from divisionbell.export.harness.elsewhere import NO_REMINDER, Collected, Elsewhere, score_first_replies
from divisionbell.export.harness.folder import write_folder
from divisionbell.export.harness.inspect import inspect_files
from divisionbell.export.harness.inspect_units import scores_of_units
from divisionbell.export.harness.lm_eval import lm_eval_files
from divisionbell.export.harness.promptfoo import promptfoo_files
from divisionbell.export.harness.question import questions
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.freeze.named_version import frozen_bank as the_frozen
from divisionbell.run.prompt import first_turns
from divisionbell.run.respondents.respondent import Reply

Files = Callable[[FrozenBank, str], dict[str, bytes]]
EXPORTS: dict[str, Files] = {
    "inspect": inspect_files,
    "lm-eval": lambda bank, form: lm_eval_files(bank, form, __version__),
    "promptfoo": promptfoo_files,
}


@pytest.fixture
def bank(frozen_bank: Path) -> FrozenBank:
    return the_frozen(str(frozen_bank), None)


def answer(item_id: str, letter: str) -> str:
    return json.dumps({"item_id": item_id, "answer": letter})


@pytest.mark.parametrize("name", EXPORTS)
def test_the_same_bank_and_form_give_the_same_bytes(bank: FrozenBank, name: str) -> None:
    assert EXPORTS[name](bank, "full") == EXPORTS[name](the_frozen("bank", None), "full")
    assert EXPORTS[name](bank, "full") != EXPORTS[name](bank, "short")
    with pytest.raises(UsageProblem, match="there is no form nope"):
        EXPORTS[name](bank, "nope")


@pytest.mark.parametrize("name", EXPORTS)
def test_each_says_what_it_cannot_keep(bank: FrozenBank, name: str) -> None:
    told = EXPORTS[name](bank, "short")["README.md"].decode()
    lost = told.split("What this harness cannot keep:")[1]
    assert "bounds" in lost
    assert ("reminder" in lost) == (name != "inspect")
    assert bank.sha256 in told and "short" in told


def test_the_frozen_files_of_the_inspect_folder_are_those_of_the_bank(bank: FrozenBank, frozen_bank: Path) -> None:
    made = inspect_files(bank, "full")
    for path in (frozen_bank / "freeze").iterdir():
        assert made[f"bank/freeze/{path.name}"] == path.read_bytes()
    compile(made["divisionbell_task.py"], "divisionbell_task.py", "exec")


def test_questions_are_each_item_in_both_orders_with_the_turns_of_our_runner(bank: FrozenBank) -> None:
    rows = [json.loads(line) for line in lm_eval_files(bank, "full", "")["questions.jsonl"].splitlines()]
    other = json.loads(promptfoo_files(bank, "full")["questions.json"])
    assert rows == list({row["question"]: other[row["question"]] for row in rows}.values())
    expected = {
        (asked.item.item_id, order): tuple(turn.content for turn in first_turns(bank, asked, order))
        for asked in bank.form("full")
        for order in ("negative_at_a", "positive_at_a")
    }
    assert {(row["item_id"], row["order"]): (row["system"], row["prompt"]) for row in rows} == expected
    assert {row["coordinate_at_a"] for row in rows if row["order"] == "negative_at_a"} == {-1.0}


def test_the_parser_of_the_lm_eval_folder_is_ours_byte_for_byte(bank: FrozenBank) -> None:
    made = lm_eval_files(bank, "short", "")
    assert made["strict_json_v1.py"] == files("divisionbell.bank").joinpath("parse.py").read_bytes()


def lm_eval_score(folder: Path, replies: dict[str, str]) -> dict[str, float]:
    """The scores as lm-evaluation-harness computes them: per-document results, then the aggregations."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"utils_of_{folder.name}", folder / "utils.py")
    assert spec is not None and spec.loader is not None
    utils = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(utils)
    held: dict[str, list[Any]] = {}
    for row in (json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()):
        for metric, value in utils.process_results(row, [replies[row["question"]]]).items():
            held.setdefault(metric, []).append(value)
    return {name: getattr(utils, name)(held.get(name, [])) for name in held if name != "valid_first_reply"}


@pytest.mark.parametrize("missing", [0, 1, 7])
def test_the_score_of_the_lm_eval_folder_is_ours(bank: FrozenBank, tmp_path: Path, missing: int) -> None:
    write_folder(tmp_path / "folder", lm_eval_files(bank, "full", ""))
    draw = random.Random(missing)
    asked = questions(bank, "full")
    replies = {each.name: answer(each.asked.item.item_id, draw.choice("AB")) for each in asked}
    for each in draw.sample(asked, missing):
        replies[each.name] = "I will not say."
    collected = [Collected(e.asked.item.item_id, e.order, 1, Reply(replies[e.name])) for e in asked]
    document = score_first_replies(bank, "full", Elsewhere("elsewhere", {}), collected)
    named = {estimate["name"]: estimate.get("value") for estimate in document["estimates"]}
    for name, value in lm_eval_score(tmp_path / "folder", replies).items():
        ours = named[name.replace("_", ".")]
        assert value != value if ours is None else value == pytest.approx(ours, abs=1e-12), name
    undefined = [name for name in ("concrete.economic", "concrete.social") if named[name] is None]
    assert bool(undefined) == (missing == 7)
    assert document["notes"][0] == NO_REMINDER


def test_first_replies_that_are_missing_or_double_are_refused(bank: FrozenBank) -> None:
    collected = [
        Collected(each.asked.item.item_id, each.order, 1, Reply(answer(each.asked.item.item_id, "A")))
        for each in questions(bank, "short")
    ]
    respondent = Elsewhere("elsewhere", {"model": "m"})
    whole = score_first_replies(bank, "short", respondent, collected)
    assert whole == score_first_replies(bank, "short", respondent, reversed(collected))
    with pytest.raises(UsageProblem, match="replies to 31 of 32 questions of form short") as part:
        score_first_replies(bank, "short", respondent, collected[1:])
    assert part.value.fix == "store the results of the whole form, and name the form that was exported"
    with pytest.raises(UsageProblem, match="replies to 32 of 96 questions of form full") as other:
        score_first_replies(bank, "full", respondent, collected)
    assert other.value.fix == "they are the 32 questions of form short: name that one"
    failed = replace(collected[0], reply=Reply(None, transport_error="HTTP 500"))
    with pytest.raises(UsageProblem, match="1 of 32 questions did not reach the model") as unreached:
        score_first_replies(bank, "short", respondent, [failed, *collected[1:]])
    assert unreached.value.fix == "ask them again there, and store all results"
    with pytest.raises(UsageProblem, match="stands twice"):
        score_first_replies(bank, "short", respondent, [*collected, collected[0]])
    with pytest.raises(UsageProblem, match="is no question of form short"):
        score_first_replies(
            bank, "short", respondent, [*collected, Collected("q7777777", "negative_at_a", 1, Reply(""))]
        )


def test_scores_of_no_units_are_counts_alone(bank: FrozenBank) -> None:
    told = scores_of_units(bank, "short", [])
    assert told["units.asked"] == 0 and told["units.missing"] == len(questions(bank, "short"))
    assert told["score.defined"] == 0 and not {name for name in told if name.startswith("concrete")}


def test_stored_results_of_other_harnesses_are_read_strictly(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    one = {
        "provider": {"id": "openai:chat:m"},
        "vars": {"question": "q2345abc.negative_at_a"},
        "response": {"output": "x", "finishReason": "length"},
    }
    two = {**one, "response": {"output": "No.", "isRefusal": True, "finishReason": "stop"}}
    three = {**one, "response": {"error": "API error: 500"}, "error": "API error: 500"}
    results.write_text(json.dumps({"results": {"results": [one, two, three]}}))
    read_back = from_promptfoo(results)
    assert [(each.item_id, each.order, each.repeat) for each in read_back] == [
        ("q2345abc", "negative_at_a", number) for number in (1, 2, 3)
    ]
    assert read_back[0].reply == Reply("x", finish_reason="length")
    assert read_back[1].reply.text is None and read_back[1].reply.refusal_field
    assert read_back[2].reply.transport_error == "API error: 500"
    results.write_text(json.dumps({"results": {"results": [one, {**one, "provider": {"id": "other"}}]}}))
    with pytest.raises(UsageProblem, match="2 providers"):
        from_promptfoo(results)
    for broken in ("", "[]", '{"results": 1}', '{"results": {"results": [1]}}', '{"results": {"results": [{}]}}'):
        results.write_text(broken)
        with pytest.raises(Findings, match="cannot be read"):
            from_promptfoo(results)
    samples = tmp_path / "samples.jsonl"
    text = "A\x85\u2028\u2029\x0b\x0c\x1c\r"
    line = json.dumps({"doc": {"question": "q2345abc.positive_at_a"}, "resps": [[text]]}, ensure_ascii=False)
    samples.write_text(line + "\n", encoding="utf-8")
    assert from_lm_eval(samples) == [Collected("q2345abc", "positive_at_a", 1, Reply(text))]
    for broken in (
        "x\n",
        "{}\n",
        '{"doc": {"question": "q"}, "resps": [["A"]]}\n',
        '{"doc": {"question": "q.n"}, "resps": [[1]]}\n',
    ):
        samples.write_text(broken)
        with pytest.raises(Findings, match=r"samples.jsonl:1: cannot be read"):
            from_lm_eval(samples)


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"a.txt": b"1", "below/b.txt": b"2"}
    out = tmp_path / "out"
    written: list[Path] = []

    def fails_at_the_second(path: Path, data: bytes) -> None:
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        path.write_bytes(data)

    with monkeypatch.context() as patched:
        patched.setattr(folder_module, "write_whole", fails_at_the_second)
        with pytest.raises(UsageProblem, match="No space left"):
            write_folder(out, made)
    assert list(tmp_path.iterdir()) == []
    out.mkdir()
    assert write_folder(out, made) is True
    assert {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()} == made
    before = (out / "a.txt").stat().st_mtime_ns
    assert write_folder(out, made) is False
    assert (out / "a.txt").stat().st_mtime_ns == before


def test_a_folder_with_other_content_is_refused(tmp_path: Path) -> None:
    made = {"a.txt": b"1"}
    out = tmp_path / "out"
    write_folder(out, made)
    (out / "more.txt").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(out)
    (tmp_path / "file").write_bytes(b"mine")
    for place in ("out", "link", "file"):
        with pytest.raises(UsageProblem, match="holds other content"):
            write_folder(tmp_path / place, made)
    (out / "more.txt").unlink()
    with pytest.raises(UsageProblem, match="holds other content"):
        write_folder(out, {"a.txt": b"2"})
    assert (out / "a.txt").read_bytes() == b"1"
    with pytest.raises(UsageProblem, match="does not exist"):
        write_folder(tmp_path / "no" / "out", made)


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed: see https://nodejs.org")
def test_the_parser_of_the_promptfoo_folder_reads_as_ours(repository: Path, tmp_path: Path, bank: FrozenBank) -> None:
    from divisionbell.bank.parse import parse_reply

    vectors = read(repository / "bank" / "bank.yaml").value["parser"]["vectors"]
    cases = [(each["vector_item"], each["vector_reply"]) for each in vectors]
    draw = random.Random(5)
    good = '{"item_id":"q2345abc","answer":"A"}'
    parts = ['"', "\\", "{", "}", " ", "\n", "\u00a0", ",", ":", "A", "B", "a", "\\u0041", "\x00", "\u2028", good, "1"]
    for _ in range(2000):
        text = list(good)
        for _ in range(draw.randint(1, 2)):
            place = draw.randrange(len(text) + 1)
            text[place : place + draw.randint(0, 1)] = [draw.choice(parts)]
        cases.append(("q2345abc", "".join(text)))
    cases += [("q2345abc", '{"item_id":"q2345abc","answer":"\\u0041"}'), ("q2345abc", f"\t{good}\r\n")]
    write_folder(tmp_path / "folder", promptfoo_files(bank, "short"))
    script = (
        "const a = require(process.argv[1]); let d = ''; process.stdin.on('data', (x) => { d += x; });"
        "process.stdin.on('end', () => console.log(JSON.stringify(JSON.parse(d).map(([i, t]) => a.answerOf(i, t)))));"
    )
    assert NODE is not None
    made = subprocess.run(
        [NODE, "-e", script, str(tmp_path / "folder" / "assert.cjs")],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    ours = [parse_reply(item_id, text).answer for item_id, text in cases]
    assert json.loads(made.stdout) == ours
    assert 5 < sum(each is not None for each in ours) < len(ours) / 2
