"""What a number of families finds: the power of the t test over families, and the floor of the sign-flip test."""

from __future__ import annotations

import math

from scipy import integrate, optimize, special, stats

from ._checks import enough_families, finite, level_in_range

#: More families than this are no plan.
MOST_FAMILIES = 10_000


def power_of_t(difference: float, sd: float, families: int, level: float = 0.95) -> float:
    """Probability that a two-sided t test over G families finds a mean difference from 0.

    1 - F(t_c; G - 1, nc) + F(-t_c; G - 1, nc) with F the noncentral t distribution, nc = |difference| sqrt(G) / sd and
    t_c the quantile of Student's t; `sd` is that of one family's score (or difference), in coordinates. It takes family
    scores as normal, so it says nothing of scores near -1 or 1. At a difference of 0 it is 1 - level. ValueError where
    sd is not positive, G < 2, or the difference not finite.
    Source: Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 31.
    """
    level_in_range(level)
    enough_families(families)
    finite([difference, sd], "difference and sd")
    if sd <= 0:
        raise ValueError(f"sd: positive expected, {sd} given")
    df, nc = families - 1, abs(difference) * math.sqrt(families) / sd
    limit = float(stats.t.ppf((1 + level) / 2, df))
    found = float(1 - special.nctdtr(df, nc, limit) + special.nctdtr(df, nc, -limit))
    return found if math.isfinite(found) else _by_integral(df, nc, limit)


def _by_integral(df: int, nc: float, limit: float) -> float:
    """The same as the mean over a chi-square u of P(|z + nc| > limit sqrt(u/df)): the library has holes at large nc."""

    def beyond(u: float) -> float:
        edge = limit * math.sqrt(u / df)
        density = math.exp(stats.chi2.logpdf(u, df))
        return float(special.ndtr(nc - edge) + special.ndtr(-nc - edge)) * density

    low, high = (float(end) for end in stats.chi2.ppf([1e-14, 1 - 1e-14], df))
    return min(float(integrate.quad(beyond, low, high, limit=200, points=[df])[0]), 1.0)


def detectable_difference(sd: float, families: int, level: float = 0.95, power: float = 0.80) -> float:
    """The smallest difference that `power_of_t` finds with this power, in coordinates; it can exceed what is possible.

    `smallest_detectable_difference` of a score is the usual approximation to it. ValueError as `power_of_t`, or where
    the power is not between 1 - level and 1.
    """
    _power_in_range(power, level)
    power_of_t(0.0, sd, families, level)
    se, top = sd / math.sqrt(families), 1.0
    while power_of_t(top * se, sd, families, level) < power:
        top *= 2
    return se * float(optimize.brentq(lambda t: power_of_t(t * se, sd, families, level) - power, 0.0, top))


def families_needed(difference: float, sd: float, level: float = 0.95, power: float = 0.80) -> int | None:
    """The fewest families with which the difference is found with this power; None beyond 10,000.

    Never fewer than the sign-flip test needs to find anything, `families_for_sign_flip`. ValueError as
    `detectable_difference`, or where the difference is 0.
    """
    _power_in_range(power, level)
    if difference == 0:
        raise ValueError("difference: 0 cannot be found")
    low = families_for_sign_flip(1 - level)
    if power_of_t(difference, sd, low, level) >= power:
        return low
    if power_of_t(difference, sd, MOST_FAMILIES, level) < power:
        return None
    high = MOST_FAMILIES
    while high - low > 1:
        middle = (low + high) // 2
        if power_of_t(difference, sd, middle, level) >= power:
            high = middle
        else:
            low = middle
    return high


def sd_factors(families: int, level: float = 0.95) -> tuple[float, float]:
    """How many times the standard deviation found over G families the true one may be, for normal scores.

    sqrt((G - 1)/chi2_{1 - alpha/2}) and sqrt((G - 1)/chi2_{alpha/2}). ValueError where G < 2.
    Source: the chi-square interval of a normal variance, Snedecor and Cochran (1989), Statistical Methods, chapter 5.
    """
    level_in_range(level)
    enough_families(families)
    df, tail = families - 1, (1 - level) / 2
    low, high = (math.sqrt(df / float(stats.chi2.ppf(q, df))) for q in (1 - tail, tail))
    return low, high


def smallest_p(families: int) -> float:
    """2/2^G, the smallest p of a sign-flip test over G families that differ from 0, every flip counted. ValueError
    where G < 1.

    Source: Fisher (1935), The Design of Experiments, section 21.
    """
    if families < 1:
        raise ValueError(f"families: at least 1 expected, {families} given")
    return 2.0 ** (1 - families)


def families_for_sign_flip(alpha: float) -> int:
    """The fewest families with which a sign-flip test can reach p <= alpha, at least 2. ValueError outside (0, 1)."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: between 0 and 1 expected, {alpha} given")
    families = 2
    while smallest_p(families) > alpha * (1 + 1e-9):
        families += 1
    return families


def _power_in_range(power: float, level: float) -> None:
    level_in_range(level)
    if not 1 - level < power < 1:
        raise ValueError(f"power: between {1 - level:g} and 1 expected, {power} given")
