"""What a planned study finds: the variances to plan with, and the tables of families and repeats."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.compared import PARTY, Compared, refuse_incomparable
from divisionbell.estimate.scale import Scale, scale_of
from divisionbell.estimate.two_axes import smallest_reachable
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.statistics.power import (
    detectable_difference,
    families_for_sign_flip,
    families_needed,
    power_of_t,
    sd_factors,
)
from divisionbell.statistics.variance_split import VarianceSplit, response_noise, variance_split

REPEATS = (1, 3, 5, 10)
ONE, TWO = "one respondent against 0", "two respondents, paired over families"
SCALE = "concrete"
#: A score lies in [-1, 1] and a difference of two in [-2, 2].
LARGEST = {ONE: 1.0, TWO: 2.0}


@dataclass(frozen=True)
class Variances:
    """The split to plan with: of the scores of one respondent, or of the differences of two.

    `families` and `dossiers` (harmonic mean per family) are those it was taken from, None where it was given.
    `correlation` is that of the two respondents' family scores, `minimum` the plan's smallest number of families.
    `form` and `constrained` are those of the run, and `whole` what the bank has on the axis, as `families`, `dossiers`.
    """

    comparison: str
    axis: str | None
    split: VarianceSplit
    families: int | None = None
    dossiers: float | None = None
    repeats: int | None = None
    correlation: float | None = None
    minimum: int | None = None
    form: str | None = None
    constrained: bool = False
    whole: tuple[int, float] | None = None


@dataclass(frozen=True)
class Wish:
    """What is asked for; None stands for "tell me" (`difference`, `families`) or for a few numbers (`repeats`)."""

    difference: float | None
    families: int | None
    repeats: int | None
    dossiers: float
    level: float
    power: float


def _noise(scale: Scale) -> float | None:
    """Noise of one repeat of a dossier's score, over the pairs with an answer in every unit."""
    full = scale.answered.all(axis=(1, 2, 3))
    if not full.any():
        return None
    found = response_noise(scale.x[full].reshape(int(full.sum()), 4, scale.repeats))
    pairs = len(scale.pairs) / len(set(scale.dossier.tolist()))
    return None if found is None else found / pairs


def of_run(run: Compared, axis: str) -> Variances:
    """The split of one run's concrete scale on one axis. UsageProblem where there is too little to split, or the run is
    a party's votes."""
    if str(run.header["respondent"]).startswith(PARTY):
        raise UsageProblem(
            f"{run.header['respondent']} is a party: divisions were chosen by how parties voted, so the spread of its "
            "scores is no spread to plan by",
            "plan with a run of a respondent that reads the items, or with --family-sd",
        )
    scale = scale_of(run.answers.cells, axis, SCALE)
    split = _split(scale.dossier_scores, _noise(scale), scale.repeats, axis)
    return Variances(ONE, axis, split, *_asked(scale.dossier_scores), scale.repeats, **_instrument(run))


def _instrument(run: Compared) -> dict[str, Any]:
    return {"form": str(run.header["form"]), "constrained": bool(run.header["constrained"])}


def whole_bank(bank: FrozenBank, axis: str) -> tuple[int, float]:
    """How many families the bank has on an axis, and the harmonic mean of their dossiers."""
    sizes = Counter(dossier.issue_family for dossier in bank.dossiers if str(dossier.axis) == axis)
    return len(sizes), len(sizes) / sum(1 / size for size in sizes.values())


def impossible(split: VarianceSplit, comparison: str, difference: float = 0.0) -> float | None:
    """The largest standard deviation that one answer can have beside a mean difference, where the split has a larger.

    What lies within L of 0 and has the mean d has at most the variance L^2 - d^2. None where the split is possible.
    """
    most = LARGEST[comparison] ** 2 - difference**2
    total = split.family + (split.dossier or 0.0) + (split.noise or 0.0)
    return math.sqrt(max(most, 0.0)) if total > most + 1e-9 else None


def of_two_runs(first: Compared, second: Compared, axis: str) -> Variances:
    """The split of the differences of two runs, dossier by dossier, over what both answered.

    UsageProblem where the runs cannot be compared (`refuse_incomparable`), differ in repeats, or there is too little to
    split.
    """
    refuse_incomparable([first, second])
    if first.header["repeats"] != second.header["repeats"]:
        raise UsageProblem(
            f"the runs differ in repeats: {first.header['repeats']} and {second.header['repeats']}",
            "plan with two runs of as many repeats",
        )
    scales = [scale_of(run.answers.cells, axis, SCALE) for run in (first, second)]
    known = [{pair[0].item.item_id for pair in scale.pairs} for scale in scales]
    shared = known[0] & known[1]
    scales = [s.only(np.array([pair[0].item.item_id in shared for pair in s.pairs], dtype=np.bool_)) for s in scales]
    held = [np.asarray(scale.answered.any(axis=3, keepdims=True), dtype=np.bool_) for scale in scales]
    both = held[0] & held[1]
    scales = [scale.with_answers(scale.answered & both) for scale in scales]
    one, other = (scale.dossier_scores for scale in scales)
    noises = [_noise(scale) for scale in scales]
    noise = None if None in noises else float(sum(one for one in noises if one is not None))
    differences = {family: one[family] - other[family] for family in one}
    split = _split(differences, noise, scales[0].repeats, axis)
    means = [np.array([values.mean() for values in side.values()]) for side in (one, other)]
    spread = all(np.ptp(mean) > 0 for mean in means)
    correlation = float(np.corrcoef(means[0], means[1])[0, 1]) if spread else None
    return Variances(TWO, axis, split, *_asked(differences), scales[0].repeats, correlation, **_instrument(first))


def _asked(scores: dict[str, Any]) -> tuple[int, float]:
    return len(scores), 1 / float(np.mean([1 / values.size for values in scores.values()]))


def _split(scores: dict[str, Any], noise: float | None, repeats: int, axis: str) -> VarianceSplit:
    if len(scores) < 2:
        raise UsageProblem(
            f"{axis}: {len(scores)} families have a complete pair in the run, and a spread needs two",
            "plan with another run, or with --family-sd",
        )
    return variance_split(list(scores.values()), noise, repeats)


def study(variances: Variances, wish: Wish) -> dict[str, Any]:
    """Everything that `power` tells of one comparison on one axis, without null.

    Keys: `comparison`, `axis`, `form` and `constrained` (of the run), `families_of_run`, `families_of_bank` and
    `dossiers_of_bank` where the run has fewer of either, `sd_possible` where no answer can vary as much beside the
    difference, `scale`, `variances`, `correlation`, `level`, `power`, `difference`, `families`, `repeats`, `dossiers`,
    `minimum_families`, `sd_factors` (how far spreads from a run may be off), `sign_flip`, and `table`: one row per
    number of repeats with `sd` of a family score, and where asked or defined `smallest_difference`, `families_needed`
    and `power_reached`. `repeats` "any" is the limit of ever more of them.
    """
    split = variances.split
    families = wish.families or variances.families
    alpha = 1 - wish.level
    made: dict[str, Any] = {
        "comparison": variances.comparison,
        "axis": variances.axis,
        "form": variances.form,
        "constrained": True if variances.constrained else None,
        **_of_bank(variances),
        "sd_possible": impossible(split, variances.comparison, wish.difference) if wish.difference else None,
        "scale": SCALE,
        "variances": {
            name: value
            for name, value in (("family", split.family), ("dossier", split.dossier), ("noise", split.noise))
            if value is not None
        },
        "correlation": variances.correlation,
        "level": wish.level,
        "power": wish.power,
        "difference": wish.difference,
        "families": families,
        "repeats": wish.repeats,
        "dossiers": wish.dossiers,
        "minimum_families": variances.minimum,
        "sd_factors": None if variances.families is None else list(sd_factors(variances.families)),
        "sign_flip": {
            "families_needed": families_for_sign_flip(alpha),
            "families_needed_over_two_axes": families_for_sign_flip(alpha / 2),
            **({} if families is None else {"smallest_p": smallest_reachable(families)}),
        },
        "table": [_row(variances, wish, families, repeats) for repeats in _repeats(variances, wish)],
    }
    return {name: value for name, value in made.items() if value is not None}


def _of_bank(variances: Variances) -> dict[str, Any]:
    """What the bank has, where the run that is planned by has less of it."""
    if variances.whole is None or variances.families is None or variances.dossiers is None:
        return {}
    families, dossiers = variances.whole
    if variances.families >= families and variances.dossiers >= dossiers - 1e-9:
        return {}
    return {"families_of_run": variances.families, "families_of_bank": families, "dossiers_of_bank": dossiers}


def _repeats(variances: Variances, wish: Wish) -> list[float]:
    """The numbers of repeats that can be planned: without a known noise only the number that was made."""
    if variances.split.noise is None:
        return [float(variances.repeats or 1)]
    if variances.split.noise == 0:
        return [float(wish.repeats or 1)]
    return [*sorted({float(r) for r in (*REPEATS, *([wish.repeats] if wish.repeats else ()))}), math.inf]


def _row(variances: Variances, wish: Wish, families: int | None, repeats: float) -> dict[str, Any]:
    split = variances.split
    known = repeats if split.noise is not None else 1
    sd = math.sqrt(split.of_family_score(wish.dossiers, known))
    row: dict[str, Any] = {"repeats": "any" if math.isinf(repeats) else int(repeats), "sd": sd}
    if sd == 0:
        return row | {"undefined_because": "nothing varies between families: there is no spread to plan by"}
    if families is not None:
        row["smallest_difference"] = detectable_difference(sd, families, wish.level, wish.power)
        if wish.difference is not None:
            row["power_reached"] = power_of_t(wish.difference, sd, families, wish.level)
    if wish.difference is not None:
        needed = families_needed(wish.difference, sd, wish.level, wish.power)
        row |= {} if needed is None else {"families_needed": needed}
    return row
