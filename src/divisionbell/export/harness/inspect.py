"""The task of Inspect as a folder that needs no bank beside it."""

from __future__ import annotations

import json
import textwrap

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.manifest import record_file, statement_file, statement_problem
from divisionbell.export.harness.question import questions
from divisionbell.freeze.frozen_bank import FrozenBank

# What begins it, in the exported folder.
BEGIN = """\
export LOCAL_BASE_URL=http://127.0.0.1:8000/v1 LOCAL_API_KEY=none
inspect eval divisionbell_task.py --model openai-api/local/MODEL
"""
README = """# Division Bell {version}, form {form}, for Inspect

{count} questions: {items} items, each in both orders. Bank records sha256 {sha256}.

    pip install -e '/path/to/checkout[inspect]'
{begin}
The path is that of a clone of Division Bell, which is on no package index. The two variables are the address and the
key of the server; one that needs no key is given any word.

The same as `inspect eval divisionbell/bank -T form={form} -T version={version}`, with the frozen files of the bank in
this folder. Prompts, parser, the one reminder and the scores are those of Division Bell.

What this harness cannot keep:

- a call that fails is an error of the sample and no outcome; `inspect eval-retry LOG` asks it again;
- what Inspect reads its own way: where the body of a reply is no chat completion (Anthropic, Google), finish reasons
  are Inspect's few, and a refusal with status 400 that Inspect turns into a reply counts as blocked;
- a reply is on disk when Inspect flushes its log, not before the next one is asked;
- bounds and intervals are not among its metrics: make the log a run of Division Bell, as docs/how-to/other-harnesses.md
  says, and every estimate is there.

`position` has no mean, and a sample without an answer is unscored. `outcome` counts what became of every unit; the
scores of the bank stand beside it where they are defined, and are left out where they are not.
"""
TASK = '''"""Division Bell {version}, form {form}, from the frozen files beside this file."""

from pathlib import Path

from divisionbell.export.harness.inspect_task import bank
from inspect_ai import Task, task


@task
def {name}() -> Task:
    """Each item of the form in both orders."""
    return bank(form={form_text}, version={version_text}, bank=str(Path(__file__).resolve().parent / "bank"))
'''
SETTINGS = """# Names the version whose frozen files lie in freeze/; the working bank is not here.
version: '{version}'
"""


def inspect_files(bank: FrozenBank, form: str) -> dict[str, bytes]:
    """The files of the folder; the same bank and form give the same bytes. Raises UsageProblem for an unknown form."""
    asked = questions(bank, form)
    data, told = record_file(list(bank.records)), statement_file(dict(bank.statement))
    if sha256_hex(data) != bank.sha256 or statement_problem(data, told, bank.version) is not None:
        raise ValueError("the frozen files would not be written as they were read")
    words = {"version": bank.version, "form": form, "sha256": bank.sha256}
    texts = {
        "README.md": README.format(
            count=len(asked), items=len(asked) // 2, begin=textwrap.indent(BEGIN, "    "), **words
        ),
        "divisionbell_task.py": TASK.format(
            name=f"divisionbell_{form.replace('-', '_')}",
            form_text=json.dumps(form),
            version_text=json.dumps(bank.version),
            **words,
        ),
        "bank/bank.yaml": SETTINGS.format(**words),
    }
    return {name: text.encode("utf-8") for name, text in texts.items()} | {
        f"bank/freeze/{bank.version}.records.jsonl": data,
        f"bank/freeze/{bank.version}.json": told,
    }
