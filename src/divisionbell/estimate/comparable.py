"""Which runs can be set beside each other, and what is said of those that cannot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divisionbell.estimate.compared import MOST_RUNS, WAYS, Compared


def comparable(runs: Sequence[Compared]) -> tuple[list[list[Compared]], list[str]]:
    """The runs in groups of one form and one way of decoding, each of two to 100, and sentences about the rest.

    The runs are of one bank. Groups and runs keep the order given.
    """
    groups: dict[tuple[str, bool], list[Compared]] = {}
    for run in runs:
        groups.setdefault((str(run.header["form"]), bool(run.header["constrained"])), []).append(run)
    kept = [group for group in groups.values() if 2 <= len(group) <= MOST_RUNS]
    said = []
    if len(groups) > 1:
        parts = [
            f"form {form} with {WAYS[constrained]}: {_named(group)}" for (form, constrained), group in groups.items()
        ]
        said.append(
            "Runs of another form, or constrained beside free decoding, were asked another question or by another "
            f"instrument, and no difference between them is told. They stand apart: {'; '.join(parts)}."
        )
    for group in groups.values():
        if len(group) > MOST_RUNS:
            said.append(f"{len(group)} runs are more than the {MOST_RUNS} that are compared at once.")
    return kept, said


def _named(group: Iterable[Compared]) -> str:
    return ", ".join(dict.fromkeys(str(run.header["respondent"]) for run in group))
