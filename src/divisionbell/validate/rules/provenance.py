"""PRV: no review rests on a model's answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from divisionbell.bank.read import Document, Path_
from divisionbell.diagnostics import Diagnostic, Related
from divisionbell.validate.rule import Context, Example, Rule


def _grounds(context: Context) -> Iterator[tuple[str, Document, Path_]]:
    """Every digest and every name of a place that a review's evidence leads back to."""
    for document in [*context.dossiers, *context.excluded]:
        source = document.value["source"]
        yield source["motion_direction"]["stands_in"], document, ("source", "motion_direction", "stands_in")
        for number, copy in enumerate(source["copies"]):
            for slot in ("publisher", "path", "revision", "extract_sha256"):
                yield copy[slot], document, ("source", "copies", number, slot)
        space = document.value["reviews"]["party_space_crosscheck_v1"]["party_space"]
        path = ("reviews", "party_space_crosscheck_v1", "party_space", "survey_sha256")
        yield space["survey_sha256"], document, path
    if context.sources is not None:
        for number, entry in enumerate(context.sources["data_sources"]):
            for place, seen in enumerate(entry.get("byte_digests", [])):
                for slot in ("sha256", "seen_in"):
                    yield seen[slot], context.bank.sources, ("data_sources", number, "byte_digests", place, slot)


def _no_output(rule: Rule, context: Context) -> Iterable[Diagnostic]:
    if context.evaluations is None or context.bank.evaluations is None:
        return
    outputs: dict[str, tuple[int, str]] = {}
    for number, entry in enumerate(context.evaluations["evaluations"]):
        outputs[entry["journal_sha256"]] = (number, "journal_sha256")
        outputs[entry["evaluated_run"]] = (number, "evaluated_run")
    if not outputs:
        return
    grounds = list(_grounds(context))
    # No output stands in two of the texts together: none holds a line end.
    everything = "\n".join({text for text, _, _ in grounds})
    found = {output: place for output, place in outputs.items() if output in everything}
    for text, document, path in grounds if found else ():
        for output, (number, slot) in found.items():
            if output in text:
                place = document.at(*path)
                run = context.bank.evaluations.at("evaluations", number, slot)
                yield rule.found(
                    place, f"the evidence of a review leads to run {output}", Related(run, "the run is here")
                )


NO_OUTPUT = Rule(
    "PRV001",
    "no review leads back to a model's answers",
    "Codebook: the review cannot inspect any model output.",
    "review the division from official texts and the survey alone",
    across=_no_output,
    example=Example(
        "text of a motion from a run",
        bad="""
motion_direction:
  …
  stands_in: "Answer given in runs/embedded-2026-11-30"
""",
        good="""
motion_direction:
  …
  stands_in: >-
    Motion as moved on 16 May 2023, …
""",
    ),
)
