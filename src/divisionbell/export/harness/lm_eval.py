"""The items as a task folder of lm-evaluation-harness."""

from __future__ import annotations

import json
import textwrap
from importlib.resources import files

from divisionbell.export.harness.inspect_units import HEADLINES
from divisionbell.export.harness.question import questions
from divisionbell.freeze.frozen_bank import FrozenBank

# What begins it, in the exported folder.
BEGIN = """\
lm_eval run --tasks {task} --include_path . --model local-chat-completions --apply_chat_template \\
  --model_args model=MODEL,base_url=http://127.0.0.1:8000/v1/chat/completions,num_concurrent=16 \\
  --output_path out --log_samples
"""
README = """# Division Bell {version}, form {form}, for lm-evaluation-harness

{count} questions: {items} items, each in both orders. Bank records sha256 {sha256}.

    pip install 'lm-eval[api]'
{begin}
`--apply_chat_template` is needed: without it the system message is not a turn of its own.

`valid_first_reply` is the share of questions whose reply is valid. `concrete_economic` and the like are the scores from
-1 to 1 over valid replies; a reply that is not valid is left out of them and never counted as 0, and where a family has
no complete pair the score is nan. A score of which nothing was answered is not shown.

What this harness cannot keep:

- the one reminder after a malformed reply: these are first replies alone, and more are missing than in a run;
- why there is no answer: the finish reason and the refusal field are dropped, so that nothing tells a reply that was
  blocked or cut off from a malformed one, and one that was cut off after a whole object counts as an answer;
- bounds, intervals and everything else that `divisionbell score` gives. They can be computed from `--log_samples`: see
  docs/how-to/other-harnesses.md of Division Bell;
- repeats as separate draws: run the task again;
- what was sent: the harness adds `seed` and `stop` to each call.

`utils.py` and `strict_json_v1.py` are copies from Division Bell {program}; the second is its parser, byte for byte.
"""

TASK = """# Division Bell {version}, form {form}; README.md says what this harness cannot keep.
task: {task}
custom_dataset: !function utils.questions
test_split: test
output_type: generate_until
description: "{{{{system}}}}"
doc_to_text: !function utils.prompt
doc_to_target: !function utils.no_target
process_results: !function utils.process_results
num_fewshot: 0
generation_kwargs:
  until: []
  do_sample: false
  temperature: 0.0
  max_gen_toks: 64
metric_list:
  - metric: valid_first_reply
    aggregation: mean
    higher_is_better: true
{metrics}metadata:
  version: {version}
"""
METRIC = """  - metric: {name}
    aggregation: !function utils.{name}
    higher_is_better: null
"""


def task_name(bank: FrozenBank, form: str) -> str:
    """The name of the task: divisionbell, form and version."""
    return f"divisionbell_{form.replace('-', '_')}_{bank.version.replace('.', '_')}"


def lm_eval_files(bank: FrozenBank, form: str, program: str) -> dict[str, bytes]:
    """The files of the folder; the same bank, form and program version give the same bytes.

    Raises UsageProblem for an unknown form.
    """
    rows = [question.row() for question in questions(bank, form)]
    told = {"version": bank.version, "form": form, "sha256": bank.sha256, "task": task_name(bank, form)}
    asked = {f"{row['kind']}.{row['axis']}" for row in rows}
    metrics = "".join(METRIC.format(name=name.replace(".", "_")) for name in HEADLINES if name in asked)
    lines = [json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n" for row in rows]
    here, parser = files("divisionbell.export.harness"), files("divisionbell.bank")
    made = {
        "README.md": README.format(
            count=len(rows),
            items=len(rows) // 2,
            program=program,
            begin=textwrap.indent(BEGIN.format(**told), "    "),
            **told,
        ),
        f"{told['task']}.yaml": TASK.format(metrics=metrics, **told),
    }
    return {name: text.encode("utf-8") for name, text in made.items()} | {
        "questions.jsonl": "".join(lines).encode("ascii"),
        "utils.py": here.joinpath("lm_eval_utils.py").read_bytes(),
        "strict_json_v1.py": parser.joinpath("parse.py").read_bytes(),
    }
