"""How the units of one scale enter its figures: the weight of each, and what it is there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from divisionbell.estimate.entering import COUNTED, NO_ANSWER, Entry, Roles, of_scale
from divisionbell.estimate.scale import Bools, Floats, Scale
from divisionbell.statistics.bounds import cell_weights

Labels = NDArray[np.str_]

INCOMPLETE = "left out: its pair is not complete"
ONE_ORDER = "left out: no answer in the other order"
LATE = "left out: answered only after the reminder"
SAME = "same pole in both orders"
A_TWICE, B_TWICE = "letter A in both orders", "letter B in both orders"
LACKING = "left out: its pair lacks an answer"


def roles(answered: Bools, counts: Bools, otherwise: str) -> Roles:
    """COUNTED where a unit counts, `otherwise` where its answer does not, NO_ANSWER where there is none."""
    told = np.where(np.broadcast_to(counts, answered.shape), COUNTED, otherwise)
    return np.where(answered, told, NO_ANSWER).astype(np.object_)


def _in_item(scale: Scale) -> Floats:
    """Weight of every answer in the score of its item: half of its order, shared by the repeats answered."""
    held = scale.answered.sum(axis=3, keepdims=True)
    return np.asarray(scale.answered / (2 * np.maximum(held, 1)), dtype=np.float64)


def _complete(scale: Scale) -> Bools:
    return np.asarray(scale.pair_complete.reshape(-1, 1, 1, 1), dtype=np.bool_)


def _of_pairs(scale: Scale, weight: Floats) -> Floats:
    """Weights of units, from weights of complete pairs, shape (P,)."""
    return np.asarray(_in_item(scale) * weight.reshape(-1, 1, 1, 1) / 2, dtype=np.float64)


def complete_weights(scale: Scale, *levels: Labels) -> Floats:
    """Weight of every complete pair, shape (P,), each level shared alike, the coarsest first; 0 of any other pair.

    `levels` are labels of shape (P,); without any they are family and dossier.
    """
    held, weight = scale.pair_complete, np.zeros(len(scale.pairs))
    if held.any():
        labels = levels or (scale.family, scale.dossier)
        weight[held] = cell_weights(*(label[held] for label in labels), np.flatnonzero(held))
    return weight


def averaged(scale: Scale, pair_weight: Floats, aside: Bools | None = None, why: str = LATE) -> list[Entry]:
    """A mean of pair scores with weights of shape (P,); `aside`, of the shape of `scale.x`, are answers that do not
    count, and `why`: as a rule because they came after the reminder."""
    told = roles(scale.answered, _complete(scale), INCOMPLETE)
    if aside is not None:
        told[aside] = why
    return of_scale(scale, _of_pairs(scale, pair_weight), scale.x, told)


def mean(scale: Scale) -> list[Entry]:
    """The mean over families, level by level."""
    return averaged(scale, complete_weights(scale))


def dossier_mean(scale: Scale) -> list[Entry]:
    """The mean over dossiers, whatever their family."""
    return averaged(scale, complete_weights(scale, scale.dossier))


def first_mean(scale: Scale, first: Scale) -> list[Entry]:
    """The mean over families of `first`, which is `scale` with the answers given at first alone."""
    return averaged(first, complete_weights(first), scale.answered & ~first.answered)


def bounded(scale: Scale) -> list[Entry]:
    """Every unit asked with its weight in A + B delta; a missing one enters as 0, its weight is its part of B."""
    weight = scale.pair_weight.reshape(-1, 1, 1, 1) / max(scale.answered[:1].size, 1)
    told = roles(scale.answered, np.ones_like(scale.answered), COUNTED)
    return of_scale(scale, weight, scale.x * scale.answered, told)


def complete_items(scale: Scale) -> list[Entry]:
    """The share of items with an answer in both orders."""
    return _complete_share(scale, scale.item_complete.reshape(-1, 2, 1, 1))


def complete_pairs(scale: Scale) -> list[Entry]:
    """The share of pairs with both items complete."""
    return _complete_share(scale, _complete(scale))


def _complete_share(scale: Scale, complete: Bools) -> list[Entry]:
    told = np.where(np.broadcast_to(complete, scale.x.shape), "of a complete one", "of one that is not complete")
    weight = np.full(scale.x.shape, 1 / max(scale.x.size, 1))
    return of_scale(scale, weight, complete.astype(np.float64), told.astype(np.object_))


def asked(scale: Scale) -> list[Entry]:
    """Every unit, where all that counts is that its dossier was asked."""
    zero = np.zeros(scale.x.shape)
    return of_scale(scale, zero, zero, np.full(scale.x.shape, "asked", dtype=np.object_))


def in_order(order: int) -> Callable[[Scale], list[Entry]]:
    """The mean over all answers in one order (0 or 1)."""

    def made(scale: Scale) -> list[Entry]:
        listed = np.zeros(scale.x.shape, dtype=np.bool_)
        listed[:, :, order] = True
        weight = np.where(listed & scale.answered, scale.pair_weight.reshape(-1, 1, 1, 1), 0.0)
        weight /= weight.sum() or 1.0
        return of_scale(scale, weight, scale.x, roles(scale.answered, listed, ""), listed)

    return made


def _twice(scale: Scale) -> tuple[Bools, Bools, Bools, Bools]:
    """Item repeats answered in both orders, and among them with one pole, with A twice and with B twice; each of shape
    (P, 2 versions, 1, K)."""
    both: Bools = np.asarray(scale.answered.all(axis=2, keepdims=True), dtype=np.bool_)
    first, second = scale.x[:, :, :1], scale.x[:, :, 1:]
    return both, both & (first == second), both & (first < second), both & (first > second)


def _twice_roles(scale: Scale) -> Roles:
    both, same, a, b = (np.broadcast_to(part, scale.x.shape) for part in _twice(scale))
    told = np.where(scale.answered, ONE_ORDER, NO_ANSWER).astype(np.object_)
    for where, role in ((same, SAME), (a, A_TWICE), (b, B_TWICE)):
        told[both & where] = role
    return told


def _in_both(scale: Scale, over: Bools, enters_as: Floats, pair_weight: Floats | None = None) -> list[Entry]:
    """A mean over the item repeats `over`, weighted as in the score or by weights of shape (P,); both of its units have
    half of the weight."""
    of_pair = (scale.pair_weight if pair_weight is None else pair_weight).reshape(-1, 1, 1, 1)
    weight = np.where(np.broadcast_to(over, scale.x.shape), of_pair, 0.0)
    return of_scale(scale, weight / (weight.sum() or 1.0), enters_as, _twice_roles(scale))


def locked(which: str) -> Callable[[Scale], list[Entry]]:
    """The share of item repeats with "a" or "b" twice, with either ("flip"), or with one pole ("same")."""

    def made(scale: Scale) -> list[Entry]:
        both, same, a, b = _twice(scale)
        return _in_both(scale, both, {"a": a, "b": b, "flip": a | b, "same": same}[which].astype(np.float64))

    return made


def a_rate(scale: Scale) -> list[Entry]:
    """The share of answers with the letter A: the negative pole in the first order, the positive one in the second."""
    letter_a = np.concatenate([scale.x[:, :, :1] < 0, scale.x[:, :, 1:] > 0], axis=2)
    return _in_both(scale, _twice(scale)[0], letter_a.astype(np.float64))


def consistent(scale: Scale, pair_weight: Floats | None = None) -> list[Entry]:
    """The mean over item repeats with one pole in both orders, weighted as in the score or as given, shape (P,)."""
    return _in_both(scale, _twice(scale)[1], scale.x, pair_weight)


def identity(scale: Scale) -> list[Entry]:
    """The same with weights over all item repeats in both orders."""
    both, same, _, _ = _twice(scale)
    return _in_both(scale, both, scale.x * same)


def contrast(
    scales: list[Scale], signs: Callable[[Scale], Floats], versions: tuple[float, float] = (1.0, -1.0)
) -> list[Entry]:
    """A mean over families of the mean over pairs of sign x (original - mirror); pairs of the sign 0 are not listed.

    `signs` gives the sign of every pair of a scale, shape (P,); `versions` what original and mirror count.
    """
    usable = [(signs(scale) != 0) & scale.pair_complete for scale in scales]
    families = sum(len(set(scale.family[use].tolist())) for scale, use in zip(scales, usable, strict=True))
    made = []
    for scale, use in zip(scales, usable, strict=True):
        sign, weight = signs(scale), np.zeros(len(scale.pairs))
        if use.any():
            names, index = np.unique(scale.family[use], return_inverse=True)
            weight[use] = 1 / (np.bincount(index.ravel(), minlength=names.size)[index.ravel()] * families)
        by_version = np.array(versions).reshape(1, 2, 1, 1) * (sign * weight).reshape(-1, 1, 1, 1)
        told = roles(scale.answered, _complete(scale), INCOMPLETE)
        made += of_scale(scale, _in_item(scale) * by_version, scale.x, told, (sign != 0).reshape(-1, 1, 1, 1))
    return made


def full_pairs(scale: Scale) -> list[Entry]:
    """Units of pairs that have an answer in every unit."""
    full = scale.answered.all(axis=(1, 2, 3)).reshape(-1, 1, 1, 1)
    return of_scale(scale, np.zeros(scale.x.shape), scale.x, roles(scale.answered, full, LACKING))


def agreeing(scale: Scale) -> list[Entry]:
    """Item repeats by what they got in both orders, without weights."""
    return of_scale(scale, np.zeros(scale.x.shape), scale.x, _twice_roles(scale))
