"""How the bank, the report and the sources are cited: in plain words and as BibTeX."""

from __future__ import annotations

import re
from typing import Any

from divisionbell import __version__
from divisionbell.report.evidence import ReportInput
from divisionbell.report.words import visible

AUTHOR = "The Division Bell authors"
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}


def plain(given: ReportInput) -> str:
    """The report in one line of a list of references."""
    bank = given.bank
    return (
        f"{AUTHOR} ({_year(given)}). {visible(bank.settings.bank_title)}, version {bank.version}, record file SHA-256 "
        f"{bank.sha256}. Report made with divisionbell {__version__} on {_runs(given)}."
    )


def bibtex(given: ReportInput) -> str:
    """The same for BibTeX, every character of it safe there."""
    bank = given.bank
    fields = {
        "author": f"{{{AUTHOR}}}",
        "title": f"{{{_tex(visible(bank.settings.bank_title))}}}",
        "year": _year(given),
        "version": _tex(str(bank.version)),
        "note": _tex(
            f"Record file SHA-256 {bank.sha256}. Report made with divisionbell {__version__} on {_runs(given)}"
        ),
    }
    key = re.sub(r"[^A-Za-z0-9]", "", f"divisionbell{bank.version}")
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join((f"@misc{{{key},", *lines, "}"))


def sources(given: ReportInput) -> list[str]:
    """Each source of the bank, so that a reader can find it: who, what, which part of it, where, on what terms."""
    records = [record.value for record in given.bank.records if record.kind == "data_source"]
    return [_source(value) for value in records if isinstance(value, dict)]


def _source(value: dict[str, Any]) -> str:
    said = {name: " ".join(str(value.get(name) or "").split()) for name in value}
    citation, title, publisher = said.get("citation", ""), said.get("title", ""), said.get("publisher", "")
    address = f"https://doi.org/{said['doi']}" if said.get("doi") else said.get("address", "")
    if said.get("doi"):  # a paper has its own form
        parts = [re.sub(r",?\s*doi:\S+$", "", citation) or title, address]
    else:
        parts = [publisher, title, "" if citation.startswith("Contains ") else citation, address]
    if citation.startswith("Contains "):
        parts.append(citation)
    elif said.get("licence"):
        parts.append(f"Licence: {said['licence']}")
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def _year(given: ReportInput) -> str:
    """The year of the freeze, or n.d. where it is not recorded."""
    frozen = str(given.bank.statement.get("predicate", {}).get("frozen_at", ""))
    return frozen[:4] if re.match(r"\d{4}-", frozen) else "n.d."


def _runs(given: ReportInput) -> str:
    ids = [visible(run.header.run_id) for run in given.runs]
    return f"run{'s' if len(ids) > 1 else ''} {', '.join(ids)}"


def _tex(text: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in text)
