"""The split of the variance: planted values are recovered, and what cannot be told apart is not."""

import numpy as np
import pytest

from divisionbell.statistics.variance_split import VarianceSplit, of_difference, response_noise, variance_split

SIZES = (2, 2, 2, 3, 3, 4, 6)


def planted(rng, family, dossier, noise, repeats):
    """Normal scores with planted variances: dossier scores by family, and the single repeats of each."""
    families, cells = [], []
    for size in SIZES:
        true = rng.normal(0, family**0.5) + rng.normal(0, dossier**0.5, size)
        by_repeat = true[:, None] + rng.normal(0, noise**0.5, (size, repeats))
        families.append(by_repeat.mean(axis=1))
        cells.append(by_repeat[:, None, :])
    return families, np.concatenate(cells)


def test_planted_variances_are_recovered_on_average():
    rng = np.random.default_rng(5)
    family, dossier, noise, repeats = 0.30, 0.20, 0.12, 3
    found = []
    for _ in range(3000):
        scores, cells = planted(rng, family, dossier, noise, repeats)
        split = variance_split(scores, response_noise(cells), repeats)
        found.append((split.family, split.dossier, split.noise))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    # Cutting off at 0 lifts the first a little: fewer than one estimate in fifteen is cut.
    assert means[0] == pytest.approx(family, abs=4 * errors[0] + 0.01)
    assert means[1] == pytest.approx(dossier, abs=4 * errors[1] + 0.002)
    assert means[2] == pytest.approx(noise, abs=4 * errors[2])


def test_a_balanced_split_is_the_textbook_one():
    scores = [np.array([0.1, 0.3]), np.array([-0.4, 0.2]), np.array([0.6, 0.9])]
    means = np.array([0.2, -0.1, 0.75])
    within = (0.02 + 0.18 + 0.045) / 3
    found = variance_split(scores, 0.06, 3)
    assert found.dossier == pytest.approx(within - 0.02)
    assert found.family == pytest.approx(means.var(ddof=1) - within / 2)
    assert found.of_family_score(2, 3) == pytest.approx(means.var(ddof=1))


def test_noise_of_binary_answers_is_that_of_their_mean():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.9, (4000, 4))
    x = 2.0 * (rng.random((4000, 4, 3)) < p[..., None]) - 1
    expected = float((4 * p * (1 - p)).sum(axis=1).mean()) / 16
    assert response_noise(x) == pytest.approx(expected, rel=0.02)
    assert response_noise(np.repeat(x[..., :1], 3, axis=2)) == 0


def test_what_one_repeat_and_one_dossier_do_not_tell():
    assert response_noise(np.ones((3, 4, 1))) is None
    alone = variance_split([[0.2], [0.4], [-0.6]], None, 1)
    assert (alone.dossier, alone.noise) == (None, None)
    assert alone.family == pytest.approx(np.var([0.2, 0.4, -0.6], ddof=1))
    with pytest.raises(ValueError, match="the noise is not known"):
        alone.of_family_score(2, 3)
    assert VarianceSplit(0.1, 0.2, None).of_family_score(2, 1) == pytest.approx(0.2)


def test_no_variance_is_negative():
    found = variance_split([[1.0, -1.0], [-1.0, 1.0]], 10.0, 1)
    assert (found.family, found.dossier) == (0.0, 0.0)


def test_ever_more_repeats_leave_families_and_dossiers():
    split = VarianceSplit(0.1, 0.2, 0.4)
    assert split.of_family_score(2, float("inf")) == pytest.approx(0.2)
    assert split.of_family_score(1, 1) == pytest.approx(0.7)


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.6, 1.0])
def test_a_difference_has_the_variance_of_correlated_scores(correlation):
    rng = np.random.default_rng(2)
    covariance = correlation * np.sqrt(0.09 * 0.25)
    drawn = rng.multivariate_normal([0, 0], [[0.09, covariance], [covariance, 0.25]], 200_000)
    found = of_difference(VarianceSplit(0.09, 0.09, 0.01), VarianceSplit(0.25, 0.25, 0.02), correlation)
    assert found.family == found.dossier == pytest.approx(float((drawn[:, 0] - drawn[:, 1]).var()), rel=0.02)
    assert found.noise == pytest.approx(0.03)


@pytest.mark.parametrize(
    ("families", "noise", "repeats"),
    [
        ([[0.1, 0.2]], None, 1),
        ([[0.1], []], None, 1),
        ([[0.1], [np.nan]], None, 1),
        ([[0.1], [0.2]], -1.0, 2),
        ([[0.1], [0.2]], 0.1, 0),
    ],
)
def test_what_is_refused(families, noise, repeats):
    with pytest.raises(ValueError):
        variance_split(families, noise, repeats)


def test_other_refusals():
    with pytest.raises(ValueError, match="correlation"):
        of_difference(VarianceSplit(1, 1, 1), VarianceSplit(1, 1, 1), 1.5)
    with pytest.raises(ValueError, match="at least 1"):
        VarianceSplit(1, 1, 1).of_family_score(0, 1)
    with pytest.raises(ValueError, match="dimension"):
        response_noise(np.ones((3, 2)))
