"""What is behind every name of a score document: one table of the units that a figure can depend on, and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import fsum
from typing import Any, Generic, TypeVar

import numpy as np

from divisionbell.estimate import behind_run as run
from divisionbell.estimate import behind_scale as part
from divisionbell.estimate.behind_spec import specified
from divisionbell.estimate.entering import NO_ANSWER, Entry, Scored
from divisionbell.estimate.framing_estimates import FRAME, STATUS_QUO, signs_by_record
from divisionbell.estimate.named import Estimate
from divisionbell.estimate.scale import AXES, Floats, Scale
from divisionbell.estimate.sensitivity import close_divisions, in_block, untouched_pairs
from divisionbell.estimate.specification_curve import DIVISIONS, READINGS, REPLIES, WEIGHTS

Found = Mapping[str, str]
Maker = Callable[[Scored, Found], list[Entry]]
Of = TypeVar("Of")

#: How a figure is put together from its units, in words; the first four can be done again from weights.
SUM = "sum"
BOUNDS = "bounds"
TIPPING = "tipping point"
FUNCTION = "function"
SAYS = {
    SUM: "the sum of weight x what enters",
    BOUNDS: "the sum of weight x what enters, less and plus the sizes of the weights of the units without an answer",
    TIPPING: "minus the sum of weight x what enters, divided by the weights of the units without an answer",
    FUNCTION: "a function of all units together, which gives no unit a weight",
}

#: What of a unit can change a figure.
CHOICE = "the pole that was chosen, and whether there is an answer"
PRESENCE = "whether there is an answer, whichever it is"
READING = "how the replies were read"
ASKING = "whether the dossier was asked, whatever was answered"

#: How far a figure that is put together again may be from the figure: the sums are made in another order.
AGAIN_WITHIN = 1e-9

_FIELDS = {
    "scale": "concrete|implicit",
    "axis": "economic|social",
    "family": r"[^.]+",
    "block": r"[^.]+",
    "outcome": r"[^.]+",
    "code": r"[^.]+",
    "weights": "|".join(WEIGHTS),
    "replies": "|".join(REPLIES),
    "divisions": "|".join(DIVISIONS),
    "reading": "|".join(READINGS),
    "pair": "[0-9]+-[0-9]+",
    "number": "[0-9]+",
}


@dataclass(frozen=True)
class Row(Generic[Of]):
    """Names of one form: how they are made, by what of a unit, and the units; `names` is a template with fields."""

    names: str
    made: str
    by: str
    units: Callable[[Of, Found], list[Entry]]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = re.split(r"\{(\w+)\}", self.names)
        told = [f"(?P<{one}>{_FIELDS[one]})" if n % 2 else re.escape(one) for n, one in enumerate(pieces)]
        return re.compile("".join(told))

    def fields(self, name: str) -> dict[str, str] | None:
        """The fields of a name of this form, None where it is of another."""
        found = self._pattern.fullmatch(name)
        return None if found is None else found.groupdict()


def _on(made: Callable[[Scale], list[Entry]]) -> Maker:
    return lambda scored, found: made(scored.scale(found["scale"], found["axis"]))


def _mean_over(chosen: Callable[[Scored, Found, Scale], Any]) -> Maker:
    """The mean over families of the pairs that are chosen."""

    def made(scored: Scored, found: Found) -> list[Entry]:
        scale = scored.scale(found["scale"], found["axis"])
        return part.mean(scale.only(chosen(scored, found, scale)))

    return made


def _first(scored: Scored, found: Found) -> list[Entry]:
    place = found["scale"], found["axis"]
    return part.first_mean(scored.scale(*place), scored.first_scale(*place))


def _on_both_axes(scored: Scored, found: Found) -> list[Entry]:
    return [entry for axis in AXES for entry in part.asked(scored.scale(found["scale"], axis))]


def _kinds(scored: Scored, found: Found) -> list[Entry]:
    implicit = part.mean(scored.scale("implicit", found["axis"]))
    return part.mean(scored.scale("concrete", found["axis"])) + [
        replace(entry, weight=-(entry.weight or 0.0) + 0.0) for entry in implicit
    ]


def _concrete(scored: Scored, found: Found) -> list[Scale]:
    axes = (found["axis"],) if "axis" in found else AXES
    return [scored.scale("concrete", axis) for axis in axes]


def _contrast(signs: Callable[[Scale], Floats], versions: tuple[float, float] = (1.0, -1.0)) -> Maker:
    return lambda scored, found: part.contrast(_concrete(scored, found), signs, versions)


def _every_pair(scale: Scale) -> Floats:
    return np.ones(len(scale.pairs))


def _over_pairs(made: Callable[[Scale], list[Entry]]) -> Maker:
    return lambda scored, found: [entry for scale in _concrete(scored, found) for entry in made(scale)]


_TEXT = _contrast(_every_pair)
_STATUS_QUO = _contrast(partial(signs_by_record, record=STATUS_QUO, slot="status_quo"))
_FRAME = _contrast(partial(signs_by_record, record=FRAME, slot="frame"))

TABLE = (
    Row("{scale}.{axis}", SUM, CHOICE, _on(part.mean)),
    Row("{scale}.{axis}.observed", SUM, CHOICE, _on(part.mean)),
    Row("{scale}.{axis}.bounds", BOUNDS, CHOICE, _on(part.bounded)),
    Row("{scale}.{axis}.imbens_manski", FUNCTION, CHOICE, _on(part.bounded)),
    Row("{scale}.{axis}.tipping_point", TIPPING, CHOICE, _on(part.bounded)),
    Row("{scale}.{axis}.items_complete", SUM, PRESENCE, _on(part.complete_items)),
    Row("{scale}.{axis}.pairs_complete", SUM, PRESENCE, _on(part.complete_pairs)),
    Row("{scale}.{axis}.smallest_detectable_difference", FUNCTION, CHOICE, _on(part.mean)),
    Row("{scale}.{axis}.kish_n", FUNCTION, ASKING, _on(part.asked)),
    Row("{scale}.{axis}.joint_multiplier", FUNCTION, ASKING, _on_both_axes),
    Row("{scale}.{axis}.order_negative_at_a", SUM, CHOICE, _on(part.in_order(0))),
    Row("{scale}.{axis}.order_positive_at_a", SUM, CHOICE, _on(part.in_order(1))),
    Row("{scale}.{axis}.a_lock", SUM, CHOICE, _on(part.locked("a"))),
    Row("{scale}.{axis}.b_lock", SUM, CHOICE, _on(part.locked("b"))),
    Row("{scale}.{axis}.flip", SUM, CHOICE, _on(part.locked("flip"))),
    Row("{scale}.{axis}.ac1", FUNCTION, CHOICE, _on(part.agreeing)),
    Row("{scale}.{axis}.a_rate", SUM, CHOICE, _on(part.a_rate)),
    Row("{scale}.{axis}.consistent_only", SUM, CHOICE, _on(part.consistent)),
    Row("{scale}.{axis}.consistent_coverage", SUM, CHOICE, _on(part.locked("same"))),
    Row("{scale}.{axis}.identity", SUM, CHOICE, _on(part.identity)),
    Row("{scale}.{axis}.theta", FUNCTION, CHOICE, _on(part.agreeing)),
    Row("{scale}.{axis}.family.{family}", SUM, CHOICE, _mean_over(lambda _, f, scale: scale.family == f["family"])),
    Row("{scale}.{axis}.without.{family}", SUM, CHOICE, _mean_over(lambda _, f, scale: scale.family != f["family"])),
    Row(
        "{scale}.{axis}.block.{block}",
        SUM,
        CHOICE,
        _mean_over(lambda s, f, x: in_block(x, s.bank.settings, f["block"])),
    ),
    Row("{scale}.{axis}.not_rewritten", SUM, CHOICE, _mean_over(lambda _, f, scale: untouched_pairs(scale))),
    Row("{scale}.{axis}.dossier_equal", SUM, CHOICE, _on(part.dossier_mean)),
    Row("{scale}.{axis}.first_answers", SUM, CHOICE, _first),
    Row("{scale}.{axis}.minority_30", SUM, CHOICE, _mean_over(lambda _, f, scale: close_divisions(scale))),
    Row("{scale}.{axis}.spec.{weights}-{replies}-{divisions}-{reading}", SUM, CHOICE, specified),
    Row("{scale}.{axis}.spec_lowest", FUNCTION, CHOICE, _on(part.mean)),
    Row("{scale}.{axis}.spec_highest", FUNCTION, CHOICE, _on(part.mean)),
    Row("{scale}.{axis}.spec_same_sign", FUNCTION, CHOICE, _on(part.mean)),
    Row("difference.{axis}", SUM, CHOICE, _kinds),
    Row("framing.{axis}.original", SUM, CHOICE, _contrast(_every_pair, (1.0, 0.0))),
    Row("framing.{axis}.mirror", SUM, CHOICE, _contrast(_every_pair, (0.0, 1.0))),
    Row("framing.{axis}.d_text", SUM, CHOICE, _TEXT),
    Row("framing.{axis}.d_sq", SUM, CHOICE, _STATUS_QUO),
    Row("framing.{axis}.d_frame", SUM, CHOICE, _FRAME),
    Row("framing.{axis}.rms_d_text", FUNCTION, CHOICE, _over_pairs(part.mean)),
    Row("framing.{axis}.sign_change_share", FUNCTION, CHOICE, _over_pairs(part.mean)),
    Row("framing.{axis}.variance", FUNCTION, CHOICE, _over_pairs(part.full_pairs)),
    Row("framing.{axis}.equivalence", SUM, CHOICE, _STATUS_QUO),
    Row("framing.all.d_sq", SUM, CHOICE, _STATUS_QUO),
    Row("framing.all.equivalence", SUM, CHOICE, _STATUS_QUO),
    Row("parse.asked", SUM, ASKING, run.units_asked),
    Row("parse.initial_rate", SUM, READING, run.initial_rate),
    Row("parse.final_rate", SUM, READING, run.final_rate),
    Row("parse.outcome.{outcome}", SUM, READING, run.with_outcome),
    Row("parse.reason.{code}", SUM, READING, run.with_reading),
    Row("missing.{axis}.by_order", SUM, PRESENCE, run.lost((1, -1))),
    Row("missing.{axis}.negative_at_a", SUM, PRESENCE, run.lost((1, 0))),
    Row("missing.{axis}.positive_at_a", SUM, PRESENCE, run.lost((0, 1))),
    Row("missing.{axis}.by_order_p", FUNCTION, PRESENCE, run.lost(None)),
    Row("missing.{axis}.by_kind_p", FUNCTION, PRESENCE, run.lost(None)),
    Row("missing.{axis}.by_family_p", FUNCTION, PRESENCE, run.lost(None)),
    Row("missing.by_axis_p", FUNCTION, PRESENCE, run.lost(None)),
    Row("agreement.repeat.raw", FUNCTION, CHOICE, run.repeats),
    Row("agreement.repeat.ac1", FUNCTION, CHOICE, run.repeats),
    Row("agreement.repeat.icc", FUNCTION, CHOICE, run.whole_items),
    Row("agreement.repeat.sem", FUNCTION, CHOICE, run.whole_items),
    Row("agreement.repeat.{axis}.raw", FUNCTION, CHOICE, run.repeats),
    Row("agreement.repeat.{axis}.ac1", FUNCTION, CHOICE, run.repeats),
    Row("agreement.repeat.{axis}.icc", FUNCTION, CHOICE, run.whole_items),
    Row("agreement.repeat.{axis}.sem", FUNCTION, CHOICE, run.whole_items),
)


@dataclass(frozen=True)
class Behind:
    """A figure with every unit that it can depend on."""

    figure: Estimate
    made: str
    by: str
    entries: tuple[Entry, ...]
    end_of_scale: float = 1.0

    @property
    def weighted(self) -> bool:
        """Whether units have weights, from which the figure can be put together again."""
        return any(entry.weight is not None for entry in self.entries)

    @cached_property
    def again(self) -> dict[str, float]:
        """The figure put together from its weights: `value`, or `low` and `high`; empty where units have none."""
        if not self.weighted:
            return {}
        known = fsum((e.weight or 0.0) * (e.enters_as or 0.0) for e in self.entries)
        if self.made == SUM:
            return {"value": known}
        missing = fsum(abs(e.weight or 0.0) for e in self.entries if e.role == NO_ANSWER)
        if self.made == BOUNDS:
            return {"low": max(known - missing, -self.end_of_scale), "high": min(known + missing, self.end_of_scale)}
        return {"value": -known / missing}


def row_of(name: str, table: Sequence[Row[Of]]) -> tuple[Row[Of], dict[str, str]]:
    """The one row of a table that a name is of, with the fields of the name. LookupError where there is not one."""
    rows = [(row, fields) for row in table if (fields := row.fields(name)) is not None]
    if len(rows) != 1:
        raise LookupError(f"{name}: {len(rows)} rows of the table")
    return rows[0]


def behind(scored: Scored, figure: Estimate) -> Behind:
    """What a figure of the run's score document rests on.

    LookupError for a name that no row of the table has, ValueError where its weights do not give the figure again.
    """
    return look_behind(TABLE, scored, figure)


def look_behind(table: Sequence[Row[Of]], of: Of, figure: Estimate, end_of_scale: float = 1.0) -> Behind:
    """The same by any table, for figures made of `of`; values lie within `end_of_scale` of 0."""
    row, fields = row_of(figure["name"], table)
    entries: Iterable[Entry] = row.units(of, fields)
    end = "low" if row.made == BOUNDS else "value"
    if row.made == FUNCTION or end not in figure:
        entries = (replace(entry, weight=None, enters_as=None) for entry in entries)
    found = Behind(figure, row.made, row.by, tuple(entries), end_of_scale)
    for place, number in found.again.items():
        if abs(number - figure[place]) > AGAIN_WITHIN:
            raise ValueError(f"{figure['name']}: {place} {figure[place]}, from its weights {number}")
    return found
