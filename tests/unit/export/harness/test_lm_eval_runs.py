"""lm-evaluation-harness itself runs the exported folder against a server on this machine."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from function_server import ANSWERED, KINDS, FunctionServer, function_server

from divisionbell.export.harness.collected import from_lm_eval
from divisionbell.export.harness.elsewhere import Elsewhere, score_first_replies
from divisionbell.export.harness.folder import write_folder
from divisionbell.export.harness.lm_eval import lm_eval_files, task_name
from divisionbell.export.harness.question import questions
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.freeze.named_version import frozen_bank as the_frozen

LM_EVAL = shutil.which("lm_eval", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
pytestmark = pytest.mark.skipif(LM_EVAL is None, reason="lm_eval is not installed: pip install 'lm-eval[api]'")
NAMES = ("concrete_economic", "concrete_social")


def evaluated(bank: FrozenBank, server: FunctionServer) -> tuple[dict[str, Any], Path]:
    """The results of the short form, and the file of samples."""
    write_folder(Path("folder"), lm_eval_files(bank, "short", ""))
    assert LM_EVAL is not None
    made = subprocess.run(
        [
            *(LM_EVAL, "run", "--tasks", task_name(bank, "short"), "--include_path", "folder"),
            *("--model", "local-chat-completions", "--apply_chat_template", "--log_samples", "--output_path", "out"),
            *("--model_args", f"model=m-1,base_url={server.base_url}/chat/completions,num_concurrent=8"),
        ],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(Path("hf").resolve()), "OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (results,) = Path("out").rglob("results_*.json")
    (samples,) = Path("out").rglob("samples_*.jsonl")
    told: dict[str, Any] = json.loads(results.read_bytes())["results"][task_name(bank, "short")]
    return {name.removesuffix(",none"): value for name, value in told.items()}, samples


def named(document: dict[str, Any]) -> dict[str, float | None]:
    return {estimate["name"]: estimate.get("value") for estimate in document["estimates"]}


@pytest.mark.parametrize("kinds", [ANSWERED[:9], KINDS], ids=["answered", "some missing"])
def test_it_asks_the_frozen_turns_and_counts_no_missing_reply_as_zero(
    frozen_bank: Path, kinds: tuple[str, ...]
) -> None:
    bank = the_frozen("bank", None)
    with function_server(kinds) as server:
        told, samples = evaluated(bank, server)
    asked = questions(bank, "short")
    turns = [[{"role": "system", "content": q.system}, {"role": "user", "content": q.prompt}] for q in asked]
    sent = [[{key: turn[key] for key in ("role", "content")} for turn in each["messages"]] for each in server.requests]
    assert sorted(map(json.dumps, sent)) == sorted(map(json.dumps, turns))
    ours = named(score_first_replies(bank, "short", Elsewhere("lm-eval:m-1", {}), from_lm_eval(samples)))
    assert told["valid_first_reply"] == pytest.approx(ours["parse.initial_rate"])
    for name in NAMES:
        value = ours[name.replace("_", ".")]
        assert math.isnan(told[name]) if value is None else told[name] == pytest.approx(value, abs=1e-12)
    assert all(ours[name.replace("_", ".")] is not None for name in NAMES) == (kinds is not KINDS)
