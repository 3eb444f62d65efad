"""A bank of a few files, frozen and with a registered run, so that a whole check takes milliseconds; and what holds of
whatever `check` finds in it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from divisionbell.bank.canonical import sha256_hex
from divisionbell.bank.load import load
from divisionbell.bank.manifest import record_file, records, statement, statement_file
from divisionbell.bank.read import Document, read
from divisionbell.bank.signs import split_lines
from divisionbell.diagnostics import Diagnostic, Location
from divisionbell.validate.engine import Report, closing_line
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
        (self.folder / "evaluations.yaml").write_text("evaluations: []\n", encoding="utf-8")
        for file in [*self.folder.glob("dossiers/*/*/*.yaml"), *self.folder.glob("excluded/*/*.yaml")]:
            if not file.name.startswith(KEPT):
                file.unlink()
        self._freeze()
        found = [*sorted(self.folder.rglob("*.yaml")), folder / "data_sources.yaml"]
        self.files = {file: file.read_bytes() for file in found}
        self.values: dict[Path, Any] = {file: read(file).value for file in found}

    def _freeze(self) -> None:
        bank = load(self.folder)
        made = records(bank)
        version = bank.version
        assert version is not None
        told = statement_file(statement(made, version, "2026-01-02T03:04:05Z", "divisionbell 1.0"))
        (self.folder / "freeze").mkdir()
        (self.folder / "freeze" / f"{version}.records.jsonl").write_bytes(record_file(made))
        (self.folder / "freeze" / f"{version}.json").write_bytes(told)
        run = {
            "evaluated_run": "a-run",
            "evaluated_version": version,
            "records_sha256": sha256_hex(record_file(made)),
            "statement_sha256": sha256_hex(told),
            "journal_sha256": "0" * 64,
            "respondent_name": "scripted:always-a",
            "asked_form": "full",
            "registered_at": "2026-01-02T03:04:05Z",
        }
        lines = "".join(f"\n    {key}: '{value}'" for key, value in run.items())
        (self.folder / "evaluations.yaml").write_text(f"evaluations:\n  -{lines.lstrip()[:0]}{lines[4:]}\n", encoding="utf-8")

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
    if not path.is_file():
        return None
    data = path.read_bytes()
    try:
        return split_lines(data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError:
        return split_lines(data.decode("latin-1"))


def document_of(data: bytes) -> Document:
    from divisionbell.bank.read import read_bytes

    return read_bytes(data, Document(Path("x.yaml")))
