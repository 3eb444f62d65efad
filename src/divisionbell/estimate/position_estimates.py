"""What the order of the options does to one axis of one scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divisionbell.estimate.named import Estimate, estimate
from divisionbell.estimate.scale import Floats, Scale
from divisionbell.statistics.agreement import gwet_ac1
from divisionbell.statistics.position import Position, position

NONE_IN_BOTH = "no item has an answer in both orders"
#: Answers in both orders are matched repeat by repeat; an asking is one repeat of an item.
MATCHED = (
    "Askings (an item at one repeat) answered in both orders, each with the weight that it has in the score of the "
    "whole form, which no missing answer changes"
)


def in_both_orders(scale: Scale) -> tuple[Floats, Floats, Floats]:
    """Coordinates in order 1 and in order 2 and weights, shapes (n,), of the n item repeats answered in both orders."""
    both = scale.answered.all(axis=2)
    weights = np.broadcast_to(scale.pair_weight.reshape(-1, 1, 1), both.shape)
    return scale.x[:, :, 0][both], scale.x[:, :, 1][both], weights[both]


def scale_position(scale: Scale) -> Position:
    """Locks, flip rate and position-corrected score of a scale."""
    return position(*in_both_orders(scale))


def order_mean(scale: Scale, order: int) -> float | None:
    """Mean coordinate over all answers given in one order (0 or 1), weighted as in the score; None without any."""
    held: NDArray[np.bool_] = scale.answered[:, :, order]
    weights = np.broadcast_to(scale.pair_weight.reshape(-1, 1, 1), held.shape)[held]
    answers = scale.x[:, :, order][held]
    if not answers.size:
        return None
    alike = np.ptp(answers) == 0  # a sum of weights may round beyond the end of the scale
    return float(answers[0]) if alike else float(weights @ answers / weights.sum())


def position_estimates(scale: Scale) -> list[Estimate]:
    """Every position estimate of a scale with at least one pair."""
    first, second, weights = in_both_orders(scale)
    found = position(first, second, weights)
    return [*_by_order(scale), *_rates(scale, found, gwet_ac1(first, second)), *_corrected(scale, found)]


def _make(
    scale: Scale, suffix: str, definition: str, value: float | None, because: str, unit: str, n: int, n_of: str
) -> Estimate:
    return estimate(
        f"{scale.name}.{scale.axis}.{suffix}",
        definition,
        unit=unit,
        axis=scale.axis,
        scale=scale.name,
        value=value,
        because=because if value is None else None,
        n=n,
        n_of=n_of,
    )


def _by_order(scale: Scale) -> list[Estimate]:
    made = []
    for order, pole in enumerate(("negative", "positive")):
        made.append(
            _make(
                scale,
                f"order_{pole}_at_a",
                f"Mean coordinate over all answers given while the {pole} option stood at A, weighted as in the score.",
                order_mean(scale, order),
                "there is no answer in this order",
                "coordinate",
                int(scale.answered[:, :, order].sum()),
                "answers",
            )
        )
    return made


def _rates(scale: Scale, found: Position, ac1: float | None) -> list[Estimate]:
    rows = (
        ("a_lock", f"{MATCHED}: share that got the letter A in both orders.", found.a_lock, "share"),
        ("b_lock", f"{MATCHED}: share that got the letter B in both orders.", found.b_lock, "share"),
        (
            "flip",
            f"{MATCHED}: share whose two choices carry different coordinates, A-lock plus B-lock.",
            found.flip,
            "share",
        ),
        (
            "ac1",
            "Gwet's AC1 between the coordinates chosen in the two orders, repeat by repeat, unweighted: 1 is full "
            "agreement and 0 is chance, which a flip rate does not take out.",
            ac1,
            "agreement",
        ),
        ("a_rate", f"{MATCHED}: share of answers that are the letter A.", found.a_rate, "share"),
    )
    return [
        _make(scale, suffix, text, value, NONE_IN_BOTH, unit, found.n, "askings in both orders")
        for suffix, text, value, unit in rows
    ]


def _corrected(scale: Scale, found: Position) -> list[Estimate]:
    no_consistent = NONE_IN_BOTH if not found.n else "no item got the same pole in both orders"
    identity = None
    if found.flip is not None:
        identity = 0.0 if found.consistent_score is None else found.consistent_score * (1 - found.flip)
    consistent = (found.n_consistent, "askings consistent over both orders")
    return [
        _make(
            scale,
            "consistent_only",
            "S_c, the position-corrected reading: mean coordinate of items that got the same pole in both orders, "
            "weighted as in the score. Read it with its coverage.",
            found.consistent_score,
            no_consistent,
            "coordinate",
            *consistent,
        ),
        _make(
            scale,
            "consistent_coverage",
            f"{MATCHED}: share that got the same pole in both orders, 1 - flip.",
            found.coverage,
            NONE_IN_BOTH,
            "share",
            found.n,
            "askings in both orders",
        ),
        _make(
            scale,
            "identity",
            "S_c (1 - flip), where no item is consistent 0: equal to the score wherever every unit has an answer.",
            identity,
            NONE_IN_BOTH,
            "coordinate",
            found.n,
            "askings in both orders",
        ),
        _make(
            scale,
            "theta",
            "Half log-odds of the positive over the negative pole among consistent items, 1/2 ln((n_RR + 1/2)/(n_LL + "
            "1/2)): free of position bias where the lean is the same for all items, and drifting where leans differ.",
            found.theta,
            no_consistent,
            "logit",
            *consistent,
        ),
    ]
