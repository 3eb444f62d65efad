"""What the wording of original and mirror does to the answers on the concrete scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divisionbell.estimate.completions import Ends, ends, why_not
from divisionbell.estimate.named import EXPLORATORY, Estimate, estimate, in_words
from divisionbell.estimate.scale import Floats, Scale
from divisionbell.freeze.frozen_bank import Asked
from divisionbell.statistics import framing
from divisionbell.statistics.intervals import contrast_interval

STATUS_QUO = {"negative": -1.0, "none": 0.0, "positive": 1.0}
FRAME = {"loss": -1.0, "neutral": 0.0, "gain": 1.0}
NO_PAIR = "no pair is complete"

_TEXTS = {
    "d_text": "s(original) - s(mirror), family by family. Opposite pulls average away in it: read d_sq beside it.",
    "d_sq": "s(status quo negative) - s(status quo positive) within pairs whose two versions have opposite status "
    "quos, family by family; negative is a pull to the status quo.",
    "d_frame": "s(loss frame) - s(gain frame) within pairs that have one of each, family by family.",
}


def _records(scale: Scale, chosen: NDArray[np.bool_], read: Callable[[Asked], float]) -> tuple[Floats, Floats]:
    """One record of original and of mirror, shapes (chosen pairs,)."""
    pairs = [pair for pair, keep in zip(scale.pairs, chosen, strict=True) if keep]
    return np.array([read(o) for o, _ in pairs]), np.array([read(m) for _, m in pairs])


def signs_by_record(scale: Scale, record: Mapping[str, float], slot: str) -> Floats:
    """Sign of original less mirror in a contrast by record, shape (P,); 0 where records are not opposite."""
    original, mirror = _records(
        scale, np.ones(len(scale.pairs), dtype=np.bool_), lambda asked: record[str(getattr(asked.item, slot))]
    )
    return np.where(original * mirror == -1, -original, 0.0)


def contrasts(scale: Scale) -> dict[str, framing.Contrast]:
    """d_text, d_sq and d_frame per family over complete pairs; empty where no pair is complete."""
    held = scale.pair_complete
    if not held.any():
        return {}
    original, mirror = scale.item_scores[held].T
    family = scale.family[held]
    status_quo = _records(scale, held, lambda asked: STATUS_QUO[str(asked.item.status_quo)])
    frame = _records(scale, held, lambda asked: FRAME[str(asked.item.frame)])
    return {
        "d_text": framing.d_text(original, mirror, family),
        "d_sq": framing.d_sq(original, mirror, *status_quo, family),
        "d_frame": framing.d_frame(original, mirror, *frame, family),
    }


def contrast_signs(scale: Scale, what: str) -> Floats:
    """Sign of original less mirror in a contrast, shape (P,); 0 where a pair is no part of it."""
    if what == "d_text":
        return np.ones(len(scale.pairs))
    record, slot = (STATUS_QUO, "status_quo") if what == "d_sq" else (FRAME, "frame")
    return signs_by_record(scale, record, slot)


def _family_weights(scale: Scale, usable: NDArray[np.bool_]) -> Floats:
    """Weights of the usable pairs, shape (P,), which sum to the number of their families: alike within a family."""
    weight = np.zeros(len(scale.pairs))
    names, index = np.unique(scale.family[usable], return_inverse=True)
    weight[usable] = 1 / np.bincount(index.ravel(), minlength=names.size)[index.ravel()]
    return weight


def _reach(scales: Sequence[Scale], signs: Callable[[Scale], Floats], versions: tuple[float, float]) -> Ends:
    """What completions bring the mean over families of the mean over pairs to; pairs of the sign 0 are left out."""
    low = high = families = 0.0
    for scale in scales:
        sign = signs(scale)
        weight = _family_weights(scale, sign != 0)
        least, most = ends(scale, sign * weight, versions)
        low, high, families = low + least, high + most, families + float(weight.sum())
    return low / families, high / families


def why_no_contrast(scales: Sequence[Scale], what: str, found: framing.Contrast | None) -> str | None:
    """Why the mean of a contrast over families is none: no completion of the missing answers gives it. None where one
    does, and where there is no contrast."""
    if found is None or not found.values.size:
        return None
    return why_not(float(found.values.mean()), _reach(scales, lambda scale: contrast_signs(scale, what), (1.0, -1.0)))


def _contrast(
    name: str, axis: str | None, definition: str, found: framing.Contrast | None, level: float, because: str | None
) -> Estimate:
    values = np.empty(0) if found is None else found.values
    interval, kind = None, None
    if because is None and not values.size:
        because = NO_PAIR if found is None else "no complete pair has opposite records"
    elif because is None and values.size == 1:
        kind = "no interval: one family only: the spread between families is unknown"
    elif because is None:
        interval = contrast_interval(values, level)
    return estimate(
        name,
        definition,
        axis=axis,
        standing=EXPLORATORY,
        value=None if because else float(values.mean()),
        because=because,
        interval=interval,
        kind=kind,
        n=values.size,
        n_of="families",
    )


def framing_estimates(scale: Scale, level: float) -> list[Estimate]:
    """Every framing estimate of one axis; `scale` is its concrete scale with at least one pair."""
    found, prefix = contrasts(scale), f"framing.{scale.axis}"
    made = [
        _contrast(
            f"{prefix}.{what}",
            scale.axis,
            f"Mean over concrete pairs of {text}",
            found.get(what),
            level,
            why_no_contrast([scale], what, found.get(what)),
        )
        for what, text in _TEXTS.items()
    ]
    return [
        *_versions(scale, prefix),
        *made,
        *_over_pairs(scale, prefix),
        equivalence_estimate(prefix, scale.axis, found.get("d_sq"), [scale]),
    ]


def _versions(scale: Scale, prefix: str) -> list[Estimate]:
    """The score of the originals alone and of the mirrors alone, whose difference is d_text."""
    held = scale.pair_complete
    family = scale.family[held]
    made = []
    parts = (("original", (1.0, 0.0)), ("mirror", (0.0, 1.0)))
    for (version, counts), scores in zip(parts, scale.item_scores[held].T, strict=True):
        means = [float(scores[family == name].mean()) for name in np.unique(family)]
        because = None if means else NO_PAIR
        if means:
            because = why_not(float(np.mean(means)), _reach([scale], lambda one: contrast_signs(one, "d_text"), counts))
        made.append(
            estimate(
                f"{prefix}.{version}",
                f"Score of the {version} wordings alone over complete concrete pairs: mean over families of the mean "
                "of their pairs. original - mirror is d_text.",
                axis=scale.axis,
                standing=EXPLORATORY,
                value=float(np.mean(means)) if because is None else None,
                because=because,
                n=len(means),
                n_of="families",
            )
        )
    return made


def _over_pairs(scale: Scale, prefix: str) -> list[Estimate]:
    held = scale.pair_complete
    count = int(held.sum())
    common: dict[str, Any] = {"axis": scale.axis, "standing": EXPLORATORY}
    original, mirror = scale.item_scores[held].T
    signs = framing.sign_changes(original, mirror) if count else None
    share = None if signs is None else signs.share
    full = scale.answered.all(axis=(1, 2, 3))
    variance = framing.framing_variance(scale.x[full, 0], scale.x[full, 1]) if full.any() else None
    why_no_variance = "it cannot be told from the noise of repeats at one repeat"
    if scale.repeats > 1:
        why_no_variance = "no pair has an answer in every unit"
    return [
        estimate(
            f"{prefix}.rms_d_text",
            "Root mean square of s(original) - s(mirror) over complete concrete pairs. It is large without any "
            "framing: 0.89 at one repeat.",
            value=framing.rms(original - mirror) if count else None,
            because=None if count else NO_PAIR,
            n=count,
            n_of="pairs",
            **common,
        ),
        estimate(
            f"{prefix}.sign_change_share",
            "Share of concrete pairs whose original and mirror lean to opposite poles, among those where neither is 0.",
            unit="share",
            value=share,
            because=None if share is not None else NO_PAIR if not count else "in no pair do both versions lean",
            n=0 if signs is None else signs.signed,
            n_of="pairs",
            **common,
        ),
        estimate(
            f"{prefix}.variance",
            "Variance of s(original) - s(mirror) over concrete pairs without the noise of repeats: the mean square "
            "less the variances of both item scores, at least 0.",
            unit="squared coordinate",
            value=variance,
            because=why_no_variance if variance is None else None,
            n=int(full.sum()),
            n_of="pairs",
            **common,
        ),
    ]


def verdict(found: framing.Contrast | None, scales: Sequence[Scale]) -> framing.Equivalence:
    """The verdict on d_sq of these scales, family by family; 'none' with its reason where nothing can be tested."""
    because, repeats = why_no_contrast(scales, "d_sq", found), scales[0].repeats
    if because is not None and repeats >= framing.REPEATS_FOR_EQUIVALENCE:
        return framing.Equivalence("none", None, None, None, because)
    return framing.equivalence(np.empty(0) if found is None else found.values, repeats)


def equivalence_estimate(
    prefix: str, axis: str | None, found: framing.Contrast | None, scales: Sequence[Scale]
) -> Estimate:
    """The equivalence test on d_sq: its 90 % interval, with the verdict in the words beside it."""
    judged = verdict(found, scales)
    return estimate(
        f"{prefix}.equivalence",
        f"Two one-sided tests at 5 % of a mean d_sq within -{framing.DELTA:g} and {framing.DELTA:g}: equivalent, "
        "different or not shown; none where nothing can be tested.",
        axis=axis,
        standing=EXPLORATORY,
        value=judged.mean,
        because=f"verdict none: {judged.reason}" if judged.mean is None else None,
        interval=judged.interval_90,
        kind=None if judged.interval_90 is None else f"verdict {judged.verdict}; {in_words(judged.interval_90)}",
        n=0 if found is None else found.values.size,
        n_of="families",
    )


def framing_of_both_axes(scales: list[Scale], level: float) -> list[Estimate]:
    """d_sq and its equivalence over the concrete pairs of both axes together, which is what the margin was set for."""
    found = [made["d_sq"] for made in map(contrasts, scales) if "d_sq" in made]
    joined = None
    if found:
        joined = framing.Contrast(
            np.concatenate([one.families for one in found]),
            np.concatenate([one.values for one in found]),
            np.concatenate([one.pairs for one in found]),
        )
    return [
        _contrast(
            "framing.all.d_sq",
            None,
            f"Mean over concrete pairs of both axes of {_TEXTS['d_sq']}",
            joined,
            level,
            why_no_contrast(scales, "d_sq", joined),
        ),
        equivalence_estimate("framing.all", None, joined, scales),
    ]
