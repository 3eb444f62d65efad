"""Where the signatures of a frozen version lie; the names are none that a frozen file has."""

from __future__ import annotations

import os
from pathlib import Path

from divisionbell.bank.frozen_file import FrozenFileProblem, frozen_paths
from divisionbell.diagnostics import UsageProblem


def signature_paths(folder: Path, version: str) -> tuple[Path, Path]:
    """The DSSE envelope and the SSH signature of a version's statement."""
    return folder / f"{version}.intoto.jsonl", folder / f"{version}.json.sig"


def is_frozen(folder: Path, version: str) -> bool:
    """Whether both files of a version are there. Raises UsageProblem where it is no version."""
    try:
        return all(os.path.lexists(path) for path in frozen_paths(folder, version))
    except FrozenFileProblem as problem:
        raise UsageProblem(problem.message, "name one of three numbers, for example 1.0.0") from None
