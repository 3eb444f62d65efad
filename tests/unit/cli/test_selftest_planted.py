"""`selftest --planted`: what it tells, its exit code, and that it is made only where it is asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.estimate import planted_certificate
from divisionbell.estimate.planted_rows import always, coverage, mean
from divisionbell.report import planted_page

Verb = Callable[..., Any]


def test_planted_models_without_any_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, divisionbell: Verb) -> None:
    monkeypatch.chdir(tmp_path)
    ended = divisionbell("selftest", "--planted", "--models", "40", "--seed", "3", "--format", "json")
    assert ended.code == 0, ended.text
    told = json.loads(ended.text)
    assert (told["models"], told["seed"], told["holds"]) == (40, 3, True)
    assert told["too_few_to_tell"] == sum(row["few"] for row in told["planted"]) > 0
    assert told["grid"]["families"] == [12, 14, 19]
    assert set(told["grid"]["spreads"]) == {"narrow", "wide"}
    assert not ended.err
    assert list(tmp_path.iterdir()) == []


def test_the_table_and_the_exit_code(monkeypatch: pytest.MonkeyPatch, divisionbell: Verb) -> None:
    rows = [coverage("coverage", "all", [True] * 95 + [False] * 5), mean("position", "score", [0.1, 0.3] * 5, 0.2)]
    monkeypatch.setattr(planted_certificate, "planted_certificate", lambda models, seed, progress, see: rows)
    monkeypatch.setattr(planted_page, "page_rows", lambda seed: [])
    ended = divisionbell("selftest", "--planted")
    assert ended.code == 0
    assert ended.text.startswith("planted models: 2,000, seed 1; families 12 14 19, repeats 1 3")
    assert (
        re.search(r"^  holds  all +95\.0% \[", ended.text, re.MULTILINE) and "of 100; required 93% to 97%" in ended.text
    )
    assert "of 10; required +0.200" in ended.text
    assert "what was planted is found" in ended.text.splitlines()[-1]
    rows.append(always("missing", "bounds", [True, False]))
    ended = divisionbell("selftest", "--planted", "--models", "20")
    assert ended.code == 1
    assert re.search(r"^  FAILS  bounds +50\.0% of 2; required 100%$", ended.text, re.MULTILINE)
    assert "  ! 20 models are few" in ended.text
    assert ended.text.endswith("a planted model shows what must not be\n")


def test_one_model_certifies_nothing(monkeypatch: pytest.MonkeyPatch, divisionbell: Verb) -> None:
    rows = [coverage("coverage", "all", [True, True]), mean("position", "score", [0.1] * 9, 0.1)]
    monkeypatch.setattr(planted_certificate, "planted_certificate", lambda models, seed, progress, see: rows)
    monkeypatch.setattr(planted_page, "page_rows", lambda seed: [])
    ended = divisionbell("selftest", "--planted", "--models", "1")
    assert ended.code == 1
    # Clopper and Pearson with no failure among two: 0.005^(1/2)
    assert re.search(
        r"^  few    all +100% \[7\.1%, 100%\] of 2; too few to tell, at least 50$", ended.text, re.MULTILINE
    )
    assert re.search(r"^  few    score .*; too few to tell, at least 10$", ended.text, re.MULTILINE)
    assert "is found" not in ended.text and ended.text.splitlines()[-1].startswith("too few models to tell")
    told = json.loads(divisionbell("selftest", "--planted", "--models", "1", "--format", "json").text)
    assert "holds" in told and told["holds"] is None
    assert told["planted"][0]["holds"] is None and told["planted"][0]["few"]
    rows[0] = coverage("coverage", "all", [True] * 95 + [False] * 5)
    ended = divisionbell("selftest", "--planted", "--models", "60")
    assert ended.code == 0
    assert re.search(r"what was planted is found, as far as so many models tell: of \d+ rows there are", ended.text)


def test_the_certificates_are_made_without_planted_models(
    frozen_bank: Path, monkeypatch: pytest.MonkeyPatch, divisionbell: Verb
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("planted models were made")

    monkeypatch.setattr(planted_certificate, "planted_certificate", never)
    assert divisionbell("selftest").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--models", "10"), "are about planted models"),
        (("--seed", "1"), "are about planted models"),
        (("--planted", "--wording"), "--planted needs no bank"),
        (("--planted", "--bank", "bank"), "--planted needs no bank"),
        (("--planted", "--models", "0"), "--models"),
        (("--planted", "--seed", "-1"), "--seed"),
    ],
)
def test_what_is_refused(divisionbell: Verb, arguments: tuple[str, ...], says: str) -> None:
    ended = divisionbell("selftest", *arguments)
    assert ended.code == 2
    assert says in ended.err
