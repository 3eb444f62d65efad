"""Read what lm-evaluation-harness and promptfoo stored: one first reply a question. The files are untrusted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.export.harness.elsewhere import Collected
from divisionbell.run.respondents.respondent import Reply

REFUSED = "the harness says that the model refused"


def from_lm_eval(samples: Path) -> list[Collected]:
    """The replies in a file samples_….jsonl that `--log_samples` wrote. A reply without text is an empty one there.

    Raises Findings where it cannot be read.
    """
    replies: list[Collected] = []
    # Lines end with a line feed alone: a reply may hold every other line break as it is.
    for number, line in enumerate(_text(samples).split("\n"), start=1):
        if not line:
            continue
        try:
            sample = json.loads(line)
            question, texts = str(sample["doc"]["question"]), sample["resps"][0]
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise TypeError("resps holds no texts")
            item_id, order = question.split(".")
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as problem:
            raise _no(f"{shown_path(samples)}:{number}", problem) from None
        replies += [Collected(item_id, order, repeat, Reply(text)) for repeat, text in enumerate(texts, start=1)]
    return replies


def from_promptfoo(results: Path) -> list[Collected]:
    """The replies in a file of results that `promptfoo eval --output results.json` wrote.

    Raises Findings where it cannot be read, UsageProblem where it holds the replies of several providers.
    """
    repeats: Counter[str] = Counter()
    replies: list[Collected] = []
    providers: set[str] = set()
    for each in _results(results):
        try:
            providers.add(str(each["provider"]["id"]))
            question = str(each["vars"]["question"])
            item_id, order = question.split(".")
            reply = _reply(each)
        except (ValueError, KeyError, TypeError) as problem:
            raise _no(shown_path(results), problem) from None
        repeats[question] += 1
        replies.append(Collected(item_id, order, repeats[question], reply))
    if len(providers) > 1:
        raise UsageProblem(
            f"{shown_path(results)} holds the replies of {len(providers)} providers", "evaluate one provider a file"
        )
    return replies


def _results(path: Path) -> Iterator[dict[str, Any]]:
    try:
        found = json.loads(_text(path))["results"]["results"]
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise _no(shown_path(path), problem) from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _no(shown_path(path), TypeError("results is no list of results"))
    yield from found


def _reply(result: dict[str, Any]) -> Reply:
    """A reply as promptfoo keeps it; the text of a blocked one is its own and is left out."""
    response = result.get("response") or {}
    output, finish = response.get("output"), response.get("finishReason")
    error = response.get("error") or (result.get("error") if not response else None)
    if error:
        return Reply(None, transport_error=str(error)[:200])
    refused = response.get("isRefusal") is True
    text = output if isinstance(output, str) and not refused else None
    return Reply(
        text, finish_reason=str(finish) if finish is not None else None, refusal_field=REFUSED if refused else None
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise _no(shown_path(path), problem) from None


def _no(place: str, problem: Exception) -> Findings:
    return Findings(f"{place}: cannot be read: {problem!r:.200}", fix="store the results again")
