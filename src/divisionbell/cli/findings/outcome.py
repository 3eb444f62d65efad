"""What one `validate` came to: the report, the findings that were asked for, and the exit code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from divisionbell.cli.findings.excerpt import Sources
from divisionbell.diagnostics import Diagnostic, shown_path, visible
from divisionbell.validate.engine import Report, closing_line

NOTHING_CHECKED = "0 items checked, which is never success"


@dataclass(frozen=True)
class Outcome:
    """`report` holds the findings to show; `elsewhere` counts those outside of what was asked for."""

    folder: Path
    report: Report
    elsewhere: int = 0
    survey: bool = False
    paths: tuple[str, ...] = ()
    standard_input: StandardInput | None = None
    sources: Sources = field(default_factory=Sources)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        return self.report.diagnostics

    @property
    def nothing_checked(self) -> bool:
        return self.report.counts["items"] == 0

    @property
    def exit_code(self) -> int:
        return 1 if self.found or self.nothing_checked else 0

    @property
    def shown_folder(self) -> str:
        return shown_path(self.folder)

    def closing_lines(self) -> list[str]:
        """Which bank was checked and how, and what was counted."""
        counts = self.report.counts
        survey = (
            f"party space recomputed from the survey for {counts['recomputed']} records"
            if self.survey
            else "party space checked for consistency (no survey file given)"
        )
        version = self.report.bank.version or "unknown"
        lines = [f"{self.shown_folder}/ version {version}: {counts['excluded']} excluded divisions; {survey}"]
        lines[0] += self._not_frozen(version)
        if self.standard_input is not None:
            lines.insert(0, self.standard_input.line() + self._not_shown())
        return [visible(line) for line in [*lines, closing_line(self.report, self._elsewhere())]]

    def _elsewhere(self) -> str:
        if not self.elsewhere or self.standard_input is not None:
            return ""
        bank = "" if self.shown_folder == "bank" else f" --bank {shlex.quote(self.shown_folder)}"
        return f" here, {self.elsewhere} elsewhere: divisionbell validate{bank} shows them"

    def _not_frozen(self, version: str) -> str:
        """Where other versions are frozen: that this one is not, so that nothing held the working files to a freeze."""
        versions = self.report.bank.frozen_versions()
        return f"; {version} is not frozen yet: compared with nothing" if versions and version not in versions else ""

    def _not_shown(self) -> str:
        findings = "1 finding" if self.elsewhere == 1 else f"{self.elsewhere} findings"
        return f"; {findings} in other files not shown" if self.elsewhere else ""


WORDS = {
    "Dossier": "a dossier",
    "ExcludedDossier": "an excluded dossier",
    "Bank": "the settings of the bank",
    "AnalysisPlan": "the analysis plan",
    "DataSources": "the data sources",
    "EvaluationRegister": "the register of runs",
    "ProspectiveRegister": "a register of prospective codes",
}


@dataclass(frozen=True)
class StandardInput:
    """What the file from standard input was taken for; `root` is its class, where it could be told."""

    root: str | None
    replaced: str | None

    def line(self) -> str:
        if self.root is None:
            return "standard input could not be told to be any file of the bank"
        stands = f"in the place of {self.replaced}" if self.replaced else "beside the others"
        return f"standard input was checked as {WORDS[self.root]}, {stands}"
