"""Runs that are set beside each other, and the one guard over which of them can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.score.answers import Answers

PARTY = "party:"
MOST_RUNS = 100
#: What a difference is only told between runs that have it in common; repeats may differ.
SAME_FOR_ALL = ("bank_version", "bank_sha256", "form", "constrained")
WAYS = {True: "constrained decoding", False: "free decoding"}


@dataclass(frozen=True)
class Compared:
    """One run that is compared: its header, its answers and the digest of the journal they were read from."""

    header: Mapping[str, Any]
    answers: Answers
    journal_sha256: str


def refuse_incomparable(runs: Sequence[Compared]) -> None:
    """UsageProblem where runs are not of one bank, form and way of decoding, one is a party, or one stands twice."""
    first = runs[0].header
    for run in runs:
        header = run.header
        for name in SAME_FOR_ALL:
            if header[name] != first[name]:
                raise UsageProblem(
                    f"run {header['run_id']} has {_told(name, header)}, run {first['run_id']} has {_told(name, first)}",
                    "compare runs of one bank, one form and one way of decoding",
                )
    for run in runs:
        refuse_party(run.header)
    refuse_same_run((run.header, run.journal_sha256) for run in runs)


def _told(name: str, header: Mapping[str, Any]) -> str:
    return WAYS[bool(header[name])] if name == "constrained" else f"{name} {header[name]}"


def refuse_party(header: Mapping[str, Any]) -> None:
    """UsageProblem where a run is a party's votes."""
    if str(header["respondent"]).startswith(PARTY):
        raise UsageProblem(
            f"{header['respondent']} is a party: no distance between a party and a respondent means anything",
            "they answered different stimuli; `divisionbell parties` audits the keys with parties' votes",
        )


def refuse_same_run(runs: Iterable[tuple[Mapping[str, Any], str]]) -> None:
    """UsageProblem where two of several runs hold the same replies; `runs` are headers with their journals' digests.

    A run is known again by its id, and by its journal, which a copy under another id has too. A merged run is also each
    of those that it was merged from.
    """
    named: set[str] = set()
    seen: dict[str, str] = {}
    for header, journal in runs:
        run_id = str(header["run_id"])
        if run_id in named:
            raise UsageProblem(f"run {run_id} is named twice", "name each run once")
        parts = header.get("merged_from") or ()
        marks = {run_id, journal}
        marks |= {str(part[slot]) for part in parts for slot in ("merged_run", "merged_journal_sha256")}
        other = next((seen[mark] for mark in sorted(marks) if mark in seen), None)
        if other is not None:
            raise UsageProblem(
                f"runs {other} and {run_id} hold the same replies: one is a copy of the other, or merged from it",
                "name each run once",
            )
        named.add(run_id)
        seen |= dict.fromkeys(marks, run_id)
