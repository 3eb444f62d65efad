"""What is behind every name of a comparison document: the units of the runs that a difference is between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from divisionbell.estimate import behind_scale as part
from divisionbell.estimate.behind import BOUNDS, CHOICE, FUNCTION, SUM, Behind, Row, look_behind
from divisionbell.estimate.comparison import both_answered
from divisionbell.estimate.entering import COUNTED, Entry, Scored
from divisionbell.estimate.named import Estimate
from divisionbell.estimate.scale import AXES, Scale

Found = Mapping[str, str]
Runs = Sequence[Scored]

ALONE = "left out: the other run has no answer in this order"
#: An interval of a difference holds together with those of all pairs and both axes, so their units can move its ends.
WITH_ENDS = f"{CHOICE}; the ends of the interval also by all runs on both axes, which the name with .max_t_p lists"
LARGEST = 2.0  # the size of a difference of two scores


def _signed(entries: Sequence[Entry], run: int, sign: int) -> list[Entry]:
    return [replace(entry, run=run, weight=sign * (entry.weight or 0.0) + 0.0) for entry in entries]


def _pair(runs: Runs, found: Found) -> tuple[tuple[int, int], tuple[Scale, Scale]]:
    first, second = (int(number) for number in found["pair"].split("-"))
    one, other = (runs[number - 1].scale("concrete", found["axis"]) for number in (first, second))
    return (first, second), (one, other)


def _over_both(scale: Scale, other: Scale) -> list[Entry]:
    """One run of a pair over the cells that both answered, with the weights of its own score over them."""
    held = scale.with_answers(scale.answered & both_answered(scale, other))
    return part.averaged(held, part.complete_weights(held), scale.answered & ~held.answered, ALONE)


def difference(runs: Runs, found: Found) -> list[Entry]:
    """Units of both runs; those of the second have weights below 0."""
    (first, second), (one, other) = _pair(runs, found)
    return [*_signed(_over_both(one, other), first, 1), *_signed(_over_both(other, one), second, -1)]


def bounds(runs: Runs, found: Found) -> list[Entry]:
    """Every unit asked of both runs: what the other left out does not matter here."""
    (first, second), (one, other) = _pair(runs, found)
    return [*_signed(part.bounded(one), first, 1), *_signed(part.bounded(other), second, -1)]


def all_runs(runs: Runs, found: Found) -> list[Entry]:
    """Every concrete unit of every run: what is told of one pair is corrected for all of them.

    A unit is counted where it enters the difference from any other run, and else has the role that it has beside the
    first of them.
    """
    made = []
    for number, run in enumerate(runs, start=1):
        for axis in AXES:
            scale = run.scale("concrete", axis)
            others = [one.scale("concrete", axis) for one in runs if one is not run]
            beside = [_over_both(scale, other) for other in others]
            for entries in zip(*beside, strict=True):
                told = next((entry for entry in entries if entry.role == COUNTED), entries[0])
                made.append(replace(told, run=number))
    return made


def every_unit(runs: Runs, found: Found) -> list[Entry]:
    """Every concrete unit of every run, whatever the others left out: what bounds of all pairs are made of."""
    return [
        replace(entry, run=number)
        for number, run in enumerate(runs, start=1)
        for axis in AXES
        for entry in part.bounded(run.scale("concrete", axis))
    ]


TABLE: tuple[Row[Runs], ...] = (
    Row("difference.{axis}.{pair}", SUM, WITH_ENDS, difference),
    Row("difference.{axis}.{pair}.bounds", BOUNDS, CHOICE, bounds),
    Row("difference.{axis}.{pair}.max_t_p", FUNCTION, CHOICE, all_runs),
    Row("difference.{axis}.{pair}.sign_flip_p", FUNCTION, CHOICE, difference),
    Row("difference.{axis}.{pair}.smallest_p", FUNCTION, CHOICE, difference),
    Row("difference.{axis}.{pair}.imbens_manski", FUNCTION, CHOICE, every_unit),
    Row("difference.{axis}.{pair}.told_apart", FUNCTION, CHOICE, all_runs),
    Row("rank.{axis}.{number}", FUNCTION, CHOICE, all_runs),
)


def behind_comparison(runs: Runs, figure: Estimate) -> Behind:
    """What a figure of the comparison of `runs`, in their order, rests on.

    LookupError for a name that no row of the table has, ValueError where its weights do not give the figure again.
    """
    return look_behind(TABLE, runs, figure, LARGEST)
