"""The report as one HTML file that loads nothing.

Everything from runs, replies and bank is untrusted: it is escaped, and control and direction characters are written as
escapes. The page runs one script of its own, which searches the list of items; everything else works without it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from divisionbell import __version__
from divisionbell.bank.parse import REASONS
from divisionbell.report import audit_tables, citations, comparison_tables, methods, page_tables, replies
from divisionbell.report.evidence import AXES, ENDS_WHOLE, ReportInput, RunEvidence
from divisionbell.report.figure_inline import Styles
from divisionbell.report.figure_style import Drawing
from divisionbell.report.figures import draw_all, numbered
from divisionbell.report.findings import finding, units_sentence
from divisionbell.report.words import SHOWN_CHARACTERS, breakable, count, typeset, visible

CONTENT_POLICY = (
    "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def _shown(value: Any) -> Any:
    """What every expression of the template passes through before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("divisionbell.report", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = breakable
    made.filters["typeset"] = typeset
    return made


@cache
def _script() -> str:
    """The page's own script, as it stands between its tags."""
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), "report.js")[0]


def policy() -> str:
    """What the page may do: show itself, and run the one script of this digest."""
    digest = base64.b64encode(hashlib.sha256(_script().encode("utf-8")).digest()).decode("ascii")
    return CONTENT_POLICY.format(digest)


def render(given: ReportInput, figures: dict[str, Drawing] | None = None) -> str:
    """The whole page as text, the same text each time."""
    template = _environment().get_template("report.html")
    return template.render(**_context(given, figures if figures is not None else draw_all(given)))


def _context(given: ReportInput, figures: dict[str, Drawing]) -> dict[str, Any]:
    bank, models, others = given.bank, given.models, given.others
    minimum = bank.plan.minimum_families
    styles = Styles()
    drawn = {name: _figure(figure, styles) for name, figure in figures.items()}
    return {
        "policy": policy(),
        "script": Markup(_script()),  # noqa: S704  a file of this package
        "program_version": __version__,
        "bank": bank,
        "settings": bank.settings,
        "plan": bank.plan,
        "frozen_at": str(bank.statement.get("predicate", {}).get("frozen_at", "not recorded")),
        "runs": given.runs,
        "models": models,
        "others": others,
        "demonstrations": given.demonstrations,
        "coded_by_people": given.coded_by_people,
        "drafting_families": given.drafting_families,
        "findings": [(run, finding(run, minimum), units_sentence(run)) for run in models],
        "notes": _notes(given),
        "axes": [(axis, ENDS_WHOLE[axis, "negative"], ENDS_WHOLE[axis, "positive"]) for axis in AXES],
        "minimum_families": count(minimum),
        "figures": drawn,
        "figure_css": Markup(styles.css),  # noqa: S704  written by the drawer
        "tables": page_tables.of_results(given),
        "comparisons": _comparisons(given, drawn),
        "not_compared": given.not_compared,
        "family_figures": _series(drawn, "families"),
        "specification_figures": _series(drawn, "specifications"),
        "family_tables": page_tables.of_families(given),
        "number_tables": page_tables.of_numbers(given),
        "reasons": _reasons_used(given),
        "certificate_rows": given.certificate,
        "certificate_failed": any(row.get("holds") is False for row in given.certificate),
        "wording_failed": any(not row.get("holds") for row in given.wording),
        "certificate_sentence": audit_tables.certificate_sentence(given.certificate),
        "axis_swap_sentence": audit_tables.axis_swap_sentence(given),
        "wording_sentence": audit_tables.wording_sentence(given.wording),
        "periods": given.periods,
        "recovery_sentence": audit_tables.recovery_sentence(
            given.recovery, given.people, sum(len(dossier.items) for dossier in bank.dossiers)
        ),
        "dossiers": list(replies.dossiers(given)),
        "shown_characters": count(replies.shown_characters(given)),
        "shorter": replies.shown_characters(given) < SHOWN_CHARACTERS,
        "filters": _filters(given),
        "settings_json": {run.header.run_id: _json(run) for run in given.runs},
        "methods": methods.methods(given),
        "may_be_claimed": methods.may_be_claimed(given),
        "never_claimed": _never_claimed(bank.plan.never_claimed),
        "citation": citations.plain(given),
        "bibtex": citations.bibtex(given),
        "sources": citations.sources(given),
    }


def _figure(figure: Drawing, styles: Styles) -> dict[str, Any]:
    """A figure as the template needs it; its SVG was drawn here, with every text in it escaped by the drawer."""
    forms = {"wide": figure.wide, "narrow": figure.narrow}
    made = {name: Markup(styles.by_class(svg)) for name, svg in forms.items()}  # noqa: S704
    return {"title": figure.title, "told": figure.told, "caption": figure.caption, "name": figure.name, **made}


def _series(drawn: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The figures of one name, one a model."""
    return [figure for each, figure in drawn.items() if each.partition("-")[0] == name]


def _comparisons(given: ReportInput, drawn: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "document": document,
            "sentence": comparison_tables.sentence(given, document),
            "claims": list(methods.differences(given, document)),
            "figure": drawn[numbered("differences", number)],
            "tables": page_tables.of_comparison(given, document),
        }
        for number, document in enumerate(given.comparisons, start=1)
    ]


def _filters(given: ReportInput) -> dict[str, Any]:
    """What the list of items can be narrowed to."""
    asked = {item for run in given.models for item in run.by_item}
    used = [d for d in given.bank.dossiers if any(item.item_id in asked for item in d.items)]
    outcomes = {str(unit.outcome) for run in given.models for unit in run.units}
    return {
        "families": sorted({d.issue_family for d in used}),
        "outcomes": [(code, said) for code, said in replies.OUTCOME_NAMES.items() if code in outcomes],
    }


def _notes(given: ReportInput) -> dict[str, Any]:
    """What the score documents say in words: once what all of them say, then what each says for itself."""
    first, *rest = (run.score.notes for run in given.runs)
    common = [note for note in dict.fromkeys(first) if all(note in others for others in rest)]
    own = {run.header.run_id: [n for n in dict.fromkeys(run.score.notes) if n not in common] for run in given.runs}
    return {"common": common, "own": own}


def _never_claimed(of_plan: list[str]) -> list[str]:
    """The plan's sentences, each once, and that of this page where the plan says nothing like it."""
    own = "That answers in this format say what the respondent would write or do elsewhere."
    said = any("would write" in sentence and "elsewhere" in sentence for sentence in of_plan)
    return list(dict.fromkeys([*of_plan, *([] if said else [own])]))


def _reasons_used(given: ReportInput) -> list[tuple[str, str]]:
    used = {code for run in given.runs for code, _ in run.under("parse.reason.")}
    return [(code, REASONS.get(code, "a reason of another parser")) for code in sorted(used)]


def _json(run: RunEvidence) -> str:
    return json.dumps(run.header.settings, indent=2, sort_keys=True, ensure_ascii=False, default=str)
