"""What the task of lm-evaluation-harness calls. This file is copied as it is into an exported folder, where
questions.jsonl and strict_json_v1.py lie beside it; it needs nothing else of Division Bell."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

HERE = Path(__file__).resolve().parent
Doc = dict[str, Any]


@lru_cache(maxsize=1)
def _rows() -> list[Doc]:
    return [json.loads(line) for line in (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@lru_cache(maxsize=1)
def _parse_reply() -> Callable[..., Any]:
    name = "divisionbell_strict_json_v1"
    spec = importlib.util.spec_from_file_location(name, HERE / "strict_json_v1.py")
    if spec is None or spec.loader is None:
        raise ImportError("strict_json_v1.py is not beside this file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found: Callable[..., Any] = module.parse_reply
    return found


def questions(**_: Any) -> dict[str, Any]:
    """The data set, found beside this file wherever the harness is started."""
    from datasets import Dataset

    return {"test": Dataset.from_list(_rows())}


def prompt(doc: Doc) -> str:
    """The prompt exactly as it is frozen; no template is filled in by the harness."""
    return str(doc["prompt"])


def no_target(doc: Doc) -> str:
    """There is no right answer."""
    return ""


def process_results(doc: Doc, results: list[str]) -> dict[str, Any]:
    """`valid_first_reply` is 1 or 0. A valid reply counts for the score of its scale and axis; others are left out."""
    reading = _parse_reply()(doc["item_id"], results[0])
    made: dict[str, Any] = {"valid_first_reply": 1.0 if reading.verdict == "valid" else 0.0}
    if reading.answer is not None:
        at_a = float(doc["coordinate_at_a"])
        made[f"{doc['kind']}_{doc['axis']}"] = [doc["question"], at_a if reading.answer == "A" else -at_a]
    return made


def _score(kind: str, axis: str, answers: Iterable[list[Any]]) -> float:
    """The score of a scale on an axis from the answers there are; not a number where it is undefined.

    The two orders of an item are averaged, then original and mirror, pairs of a dossier, dossiers of a family, and
    families. An item needs an answer in both orders, a pair both items, every family a pair.
    """
    had = {str(question): float(coordinate) for question, coordinate in answers}
    orders: dict[tuple[str, str, str, str], list[float | None]] = defaultdict(list)
    for row in _rows():
        if row["kind"] == kind and row["axis"] == axis:
            place = (row["family"], row["dossier"], row["pair"], row["item_id"])
            orders[place].append(had.get(row["question"]))
    families: dict[str, dict[str, dict[str, list[float | None]]]] = defaultdict(lambda: defaultdict(dict))
    for (family, dossier, pair, _), values in orders.items():
        answered = [value for value in values if value is not None]
        item = fmean(answered) if len(answered) == len(values) else None
        families[family][dossier].setdefault(pair, []).append(item)
    scores = []
    for dossiers in families.values():
        by_dossier = []
        for pairs in dossiers.values():
            whole = [[x for x in items if x is not None] for items in pairs.values() if None not in items]
            if whole:
                by_dossier.append(fmean(fmean(items) for items in whole))
        if not by_dossier:
            return float("nan")
        scores.append(fmean(by_dossier))
    return fmean(scores) if scores else float("nan")


def concrete_economic(answers: Iterable[list[Any]]) -> float:
    """Concrete items, economic axis."""
    return _score("concrete", "economic", answers)


def concrete_social(answers: Iterable[list[Any]]) -> float:
    """Concrete items, social axis."""
    return _score("concrete", "social", answers)


def implicit_economic(answers: Iterable[list[Any]]) -> float:
    """Implicit items, economic axis."""
    return _score("implicit", "economic", answers)


def implicit_social(answers: Iterable[list[Any]]) -> float:
    """Implicit items, social axis."""
    return _score("implicit", "social", answers)
