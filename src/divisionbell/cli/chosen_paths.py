"""The files and folders that `validate` was asked about, and which findings lie in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from divisionbell.bank.load import Bank
from divisionbell.diagnostics import Diagnostic, UsageProblem, real_path, shown_path


def must_lie_in_bank(paths: Iterable[Path], folder: Path) -> None:
    """Raises UsageProblem for a path that does not exist, or that neither lies in the bank nor holds it."""
    bank = real_path(folder)
    sources = bank.parent / "data_sources.yaml"
    for path in paths:
        if not os.path.lexists(path):
            raise UsageProblem(f"{shown_path(path)} does not exist", "name a file or folder of the bank")
        if not any(p.is_relative_to(bank) or p == sources or bank.is_relative_to(p) for p in _places(path)):
            raise UsageProblem(
                f"{shown_path(path)} does not lie in the bank {shown_path(folder)}",
                "name a file or folder of that bank or its data_sources.yaml, or another bank with --bank DIR",
            )


def must_be_checked(paths: Sequence[Path], bank: Bank) -> None:
    """Raises UsageProblem for a path in the bank that holds no file which any rule looks at: no finding in it would
    mean nothing."""
    if not paths:
        return
    looked_at = [document.path for _, document in bank.documents()]
    looked_at += [bank.codebook_path, *(Path(problem.location.path) for problem in bank.problems)]
    if bank.freeze_folder.is_dir():
        looked_at += bank.freeze_folder.iterdir()
    known = [_place(path) for path in looked_at]
    for path in paths:
        wanted = _places(path)
        if not any(place.is_relative_to(one) for place in known for one in wanted):
            raise UsageProblem(
                f"no rule looks at anything in {shown_path(path)}", "name a bank file, or a folder that holds one"
            )


def lying_in(paths: Iterable[Path], found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings whose own place lies in one of the paths; a related place does not count."""
    wanted = [place for path in paths for place in _places(path)]
    return tuple(d for d in found if any(_place(Path(d.location.path)).is_relative_to(one) for one in wanted))


def _place(path: Path) -> Path:
    """Where a file lies, itself not followed: a link that leads out of the bank is a finding in the bank."""
    return real_path(path.parent) / path.name


def _places(path: Path) -> set[Path]:
    """A path that was given, as a link and as what it leads to."""
    return {real_path(path), _place(path)}  # the two differ where it is a link
