"""What `validate` found, in every format. Each machine format is a module with `rendered(outcome, quiet)`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from divisionbell.cli.findings.outcome import Outcome

# Name of the format -> its module. "text" is for people and for terminals, so that it is written otherwise (text.py).
MACHINE_FORMATS = {"json": "as_json", "github": "github", "sarif": "sarif", "junit": "junit"}
FORMATS = ("text", *MACHINE_FORMATS)


def document(style: str, outcome: Outcome, quiet: bool = False) -> bytes:
    """The outcome in one of the formats that programs read: always UTF-8, whatever the locale says."""
    module = importlib.import_module(f"divisionbell.cli.findings.{MACHINE_FORMATS[style]}")
    made: bytes = module.rendered(outcome, quiet)
    return made
