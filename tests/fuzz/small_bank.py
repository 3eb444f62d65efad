"""A bank of a few files, frozen and with a registered run, so that a whole check takes milliseconds; and what holds of
whatever `check` finds in it."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from divisionbell.author.write_back import emit
from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.load import load
from divisionbell.bank.read import read
from divisionbell.bank.signs import split_lines
from divisionbell.diagnostics import Diagnostic, Location
from divisionbell.freeze.freeze import freeze
from divisionbell.validate.engine import Report, ValidBank, check, closing_line, validate
from divisionbell.validate.rules import BY_ID

REPOSITORY = Path(__file__).parent.parent.parent
KEPT = ("1842-", "1877-", "1541-", "1094-", "1874-")
SURVEY = REPOSITORY / "tests" / "rules" / "SRC004" / "survey.csv"


class SmallBank:
    """`bank` in a folder. Files are spoiled one or two at a time and put right again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bank"
        shutil.copytree(REPOSITORY / "tests" / "pilot" / "bank", self.folder, ignore=shutil.ignore_patterns("freeze"))
        shutil.copy(REPOSITORY / "tests" / "pilot" / "data_sources.yaml", folder)
        for file in [*self.folder.glob("dossiers/*/*/*.yaml"), *self.folder.glob("excluded/*/*.yaml")]:
            if not file.name.startswith(KEPT):
                file.unlink()
        self._settle()
        self._freeze()
        found = [*sorted(self.folder.rglob("*.yaml")), folder / "data_sources.yaml"]
        self.values: dict[Path, Any] = {file: read(file).value for file in found}
        found += [self.folder / "CODEBOOK.md", *sorted((self.folder / "freeze").iterdir())]
        self.files = {file: file.read_bytes() for file in found}

    def _settle(self) -> None:
        """Settings that name nothing which is not there."""
        self._write("evaluations", {"evaluations": []})
        bank = load(self.folder)
        settings = bank.settings.value
        items = {item["item_id"] for document in bank.dossiers for item in document.value["items"]}
        families = {document.value["issue_family"] for document in bank.dossiers}
        dossiers = {document.value["dossier_id"] for document in bank.dossiers}
        settings["registry"] = [entry for entry in settings["registry"] if entry["invented_for"] in items]
        settings["issue_families"] = [f for f in settings["issue_families"] if f["family_id"] in families]
        settings["family_limits"] = {"min_dossiers_a_family": 1, "max_family_share": 1.0, "min_families_an_axis": 1}
        for form in settings["forms"]:
            if "form_dossiers" in form:
                form["form_dossiers"] = [name for name in form["form_dossiers"] if name in dossiers]
        self._write("bank", settings)

    def _write(self, name: str, value: Any) -> None:
        (self.folder / f"{name}.yaml").write_text(emit(value), encoding="utf-8")

    def _freeze(self) -> None:
        valid = validate(load(self.folder))
        assert isinstance(valid, ValidBank), [d.text() for d in valid.diagnostics]
        version = valid.bank.version
        assert version is not None
        freeze(valid, version, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
        records, told = (self.folder / "freeze" / f"{version}.{end}" for end in ("records.jsonl", "json"))
        run = {
            "evaluated_run": "a-run",
            "evaluated_version": version,
            "records_sha256": sha256_hex(records.read_bytes()),
            "statement_sha256": sha256_hex(told.read_bytes()),
            "journal_sha256": "0" * 64,
            "respondent_name": "scripted:always-a",
            "asked_form": "full",
            "registered_at": "2026-01-02T03:04:05Z",
        }
        self._write("evaluations", {"evaluations": [run]})
        assert check(load(self.folder)).clean

    def put_right(self) -> None:
        for file, data in self.files.items():
            if not file.exists() or file.read_bytes() != data:
                file.write_bytes(data)


def must_be_sound(report: Report) -> None:
    """Findings are sorted, of known rules, at places that exist, and each says how it is mended."""
    assert list(report.diagnostics) == sorted(report.diagnostics, key=Diagnostic.sort_key)
    texts: dict[str, list[str] | None] = {}
    for diagnostic in report.diagnostics:
        assert diagnostic.rule in BY_ID, diagnostic
        assert diagnostic.message, diagnostic
        assert diagnostic.fix, diagnostic
        assert len(diagnostic.text()) < 50_000
        assert diagnostic.text().isprintable() or "\n" in diagnostic.text()
        for place in (diagnostic.location, *(related.location for related in diagnostic.related)):
            must_exist(place, texts)
    assert closing_line(report)


def must_exist(place: Location, texts: dict[str, list[str] | None]) -> None:
    """The line stands in the file and the column in the line or behind its end; of what is no text, the beginning."""
    if place.path not in texts:
        texts[place.path] = _lines(Path(place.path))
    lines = texts[place.path]
    if not lines:
        assert (place.line, place.column) == (1, 1), place
        return
    assert 1 <= place.line <= len(lines), place
    assert 1 <= place.column <= len(lines[place.line - 1]) + 1, (place, lines[place.line - 1])


def _lines(path: Path) -> list[str] | None:
    if not os.path.isfile(path):
        return None
    data = path.read_bytes()
    try:
        return split_lines(data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError:
        return split_lines(data.decode("latin-1"))
