"""Findings as JSON, in the form that validate-1.schema.json describes."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from divisionbell import __version__
from divisionbell.cli.findings.excerpt import CUT, Line
from divisionbell.cli.findings.outcome import Outcome
from divisionbell.cli.json_text import json_text
from divisionbell.diagnostics import Location
from divisionbell.validate.rules import BY_ID

FORMAT = "divisionbell-validate/1"
EXCERPT = 300


def rendered(outcome: Outcome, quiet: bool = False) -> bytes:
    """One document, ended by a line feed. Well-formed UTF-8 also where a file name is not: see `well_formed`."""
    told = {
        "format": FORMAT,
        "program": {"name": "divisionbell", "version": __version__},
        "bank": outcome.shown_folder,
        "version": outcome.report.bank.version,
        "clean": outcome.exit_code == 0,
        "exit_code": outcome.exit_code,
        "counts": outcome.report.counts,
        "survey_recomputed": outcome.survey,
        "paths": list(outcome.paths),
        "standard_input": _standard_input(outcome),
        "summary": {
            "findings": len(outcome.found),
            "findings_elsewhere": outcome.elsewhere,
            "files": len({diagnostic.location.path for diagnostic in outcome.found}),
            "rules": dict(sorted(Counter(diagnostic.rule for diagnostic in outcome.found).items())),
        },
        "findings": [
            {
                "rule": diagnostic.rule,
                "name": BY_ID[diagnostic.rule].name,
                **_place(diagnostic.location),
                "message": diagnostic.message,
                "fix": diagnostic.fix,
                "excerpt": _excerpt(outcome.sources.line(diagnostic.location)),
                "related": [
                    {
                        **_place(related.location),
                        "message": related.message,
                        "excerpt": _excerpt(outcome.sources.line(related.location)),
                    }
                    for related in diagnostic.related
                ],
            }
            for diagnostic in outcome.found
        ],
    }
    return well_formed(json_text(told)) + b"\n"


def well_formed(text: str) -> bytes:
    """JSON text as UTF-8; a byte of a file name that is none becomes the six characters of its escape, as in text."""
    return re.sub("[\ud800-\udfff]", lambda found: f"\\\\u{ord(found[0]):04x}", text).encode()


def _standard_input(outcome: Outcome) -> dict[str, Any] | None:
    given = outcome.standard_input
    return None if given is None else {"class": given.root, "replaces": given.replaced}


def _place(place: Location) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _excerpt(line: Line | None) -> dict[str, Any] | None:
    """The line and the column in it, counted from 1; of a long line only what lies around the place."""
    if line is None:
        return None
    start = max(0, min(line.index - EXCERPT // 2, len(line.text) - EXCERPT))
    end = start + EXCERPT
    left, right = CUT if start else "", CUT if end < len(line.text) else ""
    return {"text": f"{left}{line.text[start:end]}{right}", "column": len(left) + line.index - start + 1}
