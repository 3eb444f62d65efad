"""Where the signatures of a frozen version lie; the names are none that a frozen file has."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.frozen_file import FrozenFileProblem, frozen_paths, read_frozen_file
from divisionbell.diagnostics import UsageProblem

MOST_BYTES = 60_000_000  # an envelope holds the statement again


def signature_paths(folder: Path, version: str) -> tuple[Path, Path]:
    """The DSSE envelope and the SSH signature of a version's statement."""
    return folder / f"{version}.intoto.jsonl", folder / f"{version}.json.sig"


def is_frozen(folder: Path, version: str) -> bool:
    """Whether both files of a version are there. Raises UsageProblem where it is no version."""
    try:
        return all(os.path.lexists(path) for path in frozen_paths(folder, version))
    except FrozenFileProblem as problem:
        raise UsageProblem(problem.message, "name one of three numbers, for example 1.0.0") from None


def enveloped_statement(folder: Path, version: str) -> dict[str, Any] | None:
    """The statement of this version that its envelope holds, whoever signed it; None where it holds none.

    What an envelope holds needs no key to be read: it tells a changed statement from a changed signature.
    """
    try:
        told = orjson.loads(read_frozen_file(signature_paths(folder, version)[0], MOST_BYTES))
        found = orjson.loads(base64.b64decode(told["payload"].replace("-", "+").replace("_", "/"), validate=True))
        return found if found["predicate"]["frozen_version"] == version else None
    except (FrozenFileProblem, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
