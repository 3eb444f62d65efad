"""Enter a run in the register of the bank, beside others who may do the same at this moment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from divisionbell.author.write_back import replace_block, rewrite_checked
from divisionbell.bank.load import read_in
from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.whole_file import NotWritten, alone
from divisionbell.validate.shape import fits

# So many seconds others may take: a registration takes a few thousandths of one, a freeze of a large bank some.
PATIENCE = 10.0


def register_run(folder: Path, entry: Mapping[str, Any]) -> str:
    """Add an entry at the end of evaluations.yaml and return the name of the file as it is shown.

    The bank folder is held from before the register is read until it is written. Raises UsageProblem where it does not
    fit the schema, has the run already, or cannot be written.
    """
    try:
        with alone(folder, PATIENCE):
            document = read_in(folder, "evaluations.yaml")
            if not fits("EvaluationRegister", document):
                raise UsageProblem(
                    f"{document.shown} cannot be read, or does not fit the schema", "divisionbell validate says why"
                )
            entries = document.value["evaluations"]
            if any(had["evaluated_run"] == entry["evaluated_run"] for had in entries):
                raise UsageProblem(f"run {entry['evaluated_run']} is registered already", "nothing is to be done")
            same = [had["evaluated_run"] for had in entries if had["journal_sha256"] == entry["journal_sha256"]]
            if same:
                told = f"the journal of run {entry['evaluated_run']} is that of run {same[0]}, which is registered"
                raise UsageProblem(told, "register a run once; a run asked again has a journal of its own")
            rewrite_checked(document, replace_block(document, ("evaluations",), [*entries, dict(entry)]))
    except OSError as error:
        raise NotWritten(f"{folder} cannot be held: {error.strerror}", "make the folder readable") from None
    return document.shown
