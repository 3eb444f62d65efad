"""What nothing binds is said: entries of the register, and a version that is not frozen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]
RUN = ("run", "scripted:coin", "--form", "short", "--out", "runs/a")


def test_a_run_that_is_not_registered_is_told(frozen_bank: Path, divisionbell: Command) -> None:
    assert divisionbell(*RUN).code == 0
    assert divisionbell("runs", "verify", "runs/a").text == "runs/a: 32 units hold, complete, not registered\n"
    assert divisionbell("runs", "register", "runs/a").code == 0
    assert divisionbell("runs", "verify", "runs/a").text == "runs/a: 32 units hold, complete, registered\n"
    register = frozen_bank / "evaluations.yaml"
    register.write_text(re.sub(r"respondent_name: .*", "respondent_name: another", register.read_text()))
    ended = divisionbell("runs", "verify", "runs/a")
    assert ended.code == 1
    assert "it was registered with respondent_name another" in ended.text


def test_verify_says_that_entries_of_the_register_are_bound_by_nothing(
    frozen_bank: Path, divisionbell: Command
) -> None:
    ended = divisionbell("verify")
    assert ended.code == 0
    told = [line for line in ended.text.splitlines() if "entry of the register" in line]
    assert told == [
        "not checked: whether an entry of the register was taken out, or what it says of its run was changed: only the "
        "run's own folder tells that (divisionbell runs verify RUN)"
    ]


def test_a_version_that_is_not_frozen_yet_is_told(frozen_bank: Path, divisionbell: Command) -> None:
    assert "is not frozen yet" not in divisionbell("validate").text
    settings = frozen_bank / "bank.yaml"
    settings.write_text(re.sub(r"(?m)^version: .*", "version: '0.2.0'", settings.read_text()))
    ended = divisionbell("validate")
    assert ended.code == 0, ended.text
    assert ended.text.splitlines()[0].endswith("; 0.2.0 is not frozen yet: compared with nothing")


def test_nothing_is_said_of_freezes_where_there_is_none(copied_bank: Path, divisionbell: Command) -> None:
    assert "frozen" not in divisionbell("validate").text
