"""promptfoo itself evaluates the exported folder against a server on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from function_server import FunctionServer, function_server, reply_to

from divisionbell.bank.parse import parse_reply
from divisionbell.export.harness.collected import from_promptfoo
from divisionbell.export.harness.elsewhere import Elsewhere, score_first_replies
from divisionbell.export.harness.folder import write_folder
from divisionbell.export.harness.promptfoo import promptfoo_files
from divisionbell.export.harness.question import questions
from divisionbell.freeze.named_version import frozen_bank as the_frozen

PROMPTFOO = shutil.which("promptfoo")
pytestmark = pytest.mark.skipif(
    PROMPTFOO is None, reason="promptfoo is not on the path: npm install promptfoo, then node_modules/.bin"
)
FIRST_REPLIES = (
    *("answer", "answer", "answer-loosely", "cut-off", "filtered", "refused", "prose-twice", "no-text-twice"),
    *("thinking-twice", "hostile-twice"),
)
SECRET = "key-that-no-text-may-fetch"
# What promptfoo would fill in, fetch or read, did it take a text for a template, a file name or JSON.
HOSTILE = (
    "{{7*7}} {{env.OPENAI_API_KEY}} {% raw %} {%- if 1 %} {# gone #} }} %} {{question}} {{'{'}} file:///etc/hostname\n"
    '\\" {"item_id":"{item_id}"} ${x} $& $1 \\u0041 \u2028 é \n'
)


def evaluated(folder: Path, server: FunctionServer, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the results."""
    assert PROMPTFOO is not None
    environment = {
        **os.environ,
        "DIVISIONBELL_MODEL": "m-1",
        "OPENAI_BASE_URL": server.base_url,
        "OPENAI_API_KEY": SECRET,
        "PROMPTFOO_CONFIG_DIR": str(Path("promptfoo-home").resolve()),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
    }
    made = subprocess.run(
        [PROMPTFOO, "eval", "--no-cache", "--no-table", "--output", str(Path("results.json").resolve()), *more],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert made.returncode in (0, 100), made.stdout + made.stderr
    results: dict[str, Any] = json.loads(Path("results.json").read_bytes())
    return made.returncode, results["results"]


def test_it_asks_the_frozen_turns_and_keeps_outcomes_apart(frozen_bank: Path) -> None:
    bank = the_frozen("bank", None)
    folder = Path("folder")
    write_folder(folder, promptfoo_files(bank, "full"))
    with function_server(FIRST_REPLIES) as server:
        code, results = evaluated(folder, server)
    asked = {each.name: each for each in questions(bank, "full")}
    turns = [[{"role": "system", "content": q.system}, {"role": "user", "content": q.prompt}] for q in asked.values()]
    assert sorted(json.dumps(each["messages"]) for each in server.requests) == sorted(map(json.dumps, turns))
    assert {(each["model"], each["temperature"], each["max_tokens"]) for each in server.requests} == {("m-1", 0, 64)}
    # The outcome that its assertion told of each reply is the one that our parser gives to what the server said.
    told = {
        each["vars"]["question"]: each["gradingResult"]["componentResults"][0]["reason"] for each in results["results"]
    }
    expected = {}
    for name, each, conversation in zip(asked, asked.values(), turns, strict=True):
        text, finish, refusal = reply_to(conversation, FIRST_REPLIES)
        reading = parse_reply(each.asked.item.item_id, text, finish, None, refusal)
        reasons = {"valid": "valid_at_first", "malformed": "malformed"}
        expected[name] = reasons.get(reading.verdict, reading.reason)
    assert told == expected
    collected = from_promptfoo(Path("results.json"))
    outcomes = Counter(told.values())
    assert set(outcomes) == {"valid_at_first", "malformed", "cut_off", "blocked"} and code == 100
    assert results["stats"]["successes"] == outcomes["valid_at_first"]
    named = results["prompts"][0]["metrics"]["namedScores"]
    assert {name: round(value) for name, value in named.items()} == outcomes
    document = score_first_replies(bank, "full", Elsewhere("promptfoo:m-1", {}), collected)
    rates = {estimate["name"]: estimate.get("value") for estimate in document["estimates"]}
    valid_or_malformed = outcomes["valid_at_first"] + outcomes["malformed"]
    assert rates["parse.initial_rate"] == pytest.approx(outcomes["valid_at_first"] / valid_or_malformed)


def test_no_text_of_a_bank_is_filled_in_fetched_or_read(frozen_bank: Path) -> None:
    bank = the_frozen("bank", None)
    made = promptfoo_files(bank, "short")
    texts = json.loads(made["questions.json"])
    name, row = next(iter(texts.items()))
    # The last line stays, since the server reads the item's id there.
    row["system"], row["prompt"] = HOSTILE, HOSTILE + row["prompt"]
    only = [{"vars": {"question": name}}]
    made |= {"questions.json": json.dumps(texts).encode(), "tests.json": json.dumps(only).encode()}
    write_folder(Path("folder"), made)
    with function_server(("answer",)) as server:
        evaluated(Path("folder"), server)
    (sent,) = server.requests
    assert [turn["content"] for turn in sent["messages"]] == [HOSTILE, row["prompt"]]
    assert SECRET not in json.dumps(sent)
