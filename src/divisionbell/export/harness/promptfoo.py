"""The items as a folder that promptfoo evaluates."""

from __future__ import annotations

import json
import textwrap
from importlib.resources import files
from typing import Any

from divisionbell.export.harness.question import questions
from divisionbell.freeze.frozen_bank import FrozenBank

# What begins it, in the exported folder.
BEGIN = """\
export DIVISIONBELL_MODEL=MODEL OPENAI_BASE_URL=http://127.0.0.1:8000/v1 OPENAI_API_KEY=none
npx promptfoo eval --no-cache --output results.json
"""
README = """# Division Bell {version}, form {form}, for promptfoo

{count} questions: {items} items, each in both orders. Bank records sha256 {sha256}.

    npm install promptfoo
{begin}
promptfoo's pass rate and score are the share of questions whose first reply is valid. They are no position on any axis,
and nothing here is: promptfoo adds up what its assertions return, and a mean over families that leaves missing answers
out is no sum. The position is computed by `divisionbell` from results.json; docs/how-to/other-harnesses.md of Division
Bell says how. The exit code is 100 as soon as one reply is not valid.

The named metrics count outcomes: valid_at_first, malformed, blocked, cut_off. A call that fails is an error of
promptfoo.

What this harness cannot keep:

- the one reminder after a malformed reply: these are first replies alone, and more are missing than in a run;
- the reason why a reply is malformed, the text of a filtered reply, and the reply beside a refusal field;
- scores, bounds, intervals: see above;
- repeats as separate draws where its cache is on: leave `--no-cache` there, with `--repeat N`;
- reasoning tags: no reasoning is cut from a reply.

`assert.cjs` reads replies as strict_json_v1 does; the tests of Division Bell hold it to the vectors of the bank.
"""
CONFIG = """# Division Bell {version}, form {form}; README.md says what this harness cannot keep.
description: {description}
prompts:
  - file://prompt.cjs
providers:
  - id: openai:chat:{{{{env.DIVISIONBELL_MODEL}}}}
    config:
      temperature: 0
      max_tokens: 64
      showThinking: false
defaultTest:
  assert:
    - type: javascript
      value: file://assert.cjs
tests: file://tests.json
evaluateOptions:
  cache: false
sharing: false
"""
SHIPPED = ("assert.cjs", "prompt.cjs")


def promptfoo_files(bank: FrozenBank, form: str) -> dict[str, bytes]:
    """The files of the folder; the same bank and form give the same bytes. Raises UsageProblem for an unknown form."""
    asked = questions(bank, form)
    told = {"version": bank.version, "form": form, "sha256": bank.sha256}
    description = json.dumps(f"Division Bell {bank.version}, form {form}: valid first replies")
    made = {
        "README.md": README.format(
            count=len(asked), items=len(asked) // 2, begin=textwrap.indent(BEGIN, "    "), **told
        ),
        "promptfooconfig.yaml": CONFIG.format(description=description, **told),
        "questions.json": _json({each.name: each.row() for each in asked}),
        "tests.json": _json([{"description": each.name, "vars": {"question": each.name}} for each in asked]),
    }
    here = files("divisionbell.export.harness").joinpath("promptfoo_files")
    return {name: text.encode("utf-8") for name, text in made.items()} | {
        name: here.joinpath(name).read_bytes() for name in SHIPPED
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, indent=1, sort_keys=True) + "\n"
