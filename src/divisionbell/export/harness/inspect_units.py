"""Our estimates of units that Inspect asked; nothing here needs Inspect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.document import score_run
from divisionbell.estimate.scale import AXES, SCALES
from divisionbell.export.harness.elsewhere import Elsewhere
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import header, plan
from divisionbell.run.outcomes import OUTCOMES

NO_JOURNAL = "0" * 64
HEADLINES = tuple(f"{scale}.{axis}" for scale in SCALES for axis in AXES)


def scores_of_units(bank: FrozenBank, form: str, units: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Counts by outcome as `outcome.…`, `units.asked` and `units.missing`, and the headline scores by their names.

    A score that is undefined, or that not all units are there for, is left out: it is never 0. `score.defined` counts
    those that are there.
    """
    repeats = max((int(unit["repeat"]) for unit in units), default=1)
    respondent = Elsewhere("inspect", {})
    planned = plan(bank, respondent, form, repeats)
    counts = Counter(unit["outcome"] for unit in units)
    told: dict[str, float] = {"units.asked": len(units), "units.missing": len(planned) - len(units)}
    told |= {f"outcome.{name}": counts[name] for name in OUTCOMES if name != "not_administered"}
    scores: dict[str, float] = {}
    try:
        head = header(bank, respondent, form, repeats, "inspect", planned)
        document = score_run(bank, head, units, NO_JOURNAL)
        named = {estimate["name"]: estimate for estimate in document["estimates"]}
        scores = {name: named[name]["value"] for name in HEADLINES if "value" in named.get(name, {})}
    except UsageProblem:
        pass  # part of a run has no score
    return {**scores, "score.defined": len(scores), **told}
