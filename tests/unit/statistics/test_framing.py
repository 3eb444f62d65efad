import math

import numpy as np
import pytest
from scipy import stats

from divisionbell.statistics.framing import (
    d_frame,
    d_sq,
    d_text,
    equivalence,
    framing_variance,
    rms,
    sign_changes,
)


def test_d_text_by_hand():
    d = d_text([1, 0.5, -1], [0, 0.5, 1], ["tax", "tax", "police"])
    assert d.families.tolist() == ["police", "tax"]
    assert d.values == pytest.approx([-2, 0.5])
    assert d.pairs.tolist() == [1, 2]


def test_d_sq_takes_the_status_quo_from_the_record():
    # Both versions are pulled half a point to the status quo; it is negative in the first original, positive in the
    # second, and not recorded in the third pair.
    s_original, s_mirror = [-0.5, 0.5, 0.9], [0.5, -0.5, -0.9]
    d = d_sq(s_original, s_mirror, [-1, 1, 0], [1, -1, 0], ["a", "a", "b"])
    assert d.families.tolist() == ["a"]
    assert d.values == pytest.approx([-1.0])
    assert d.pairs.tolist() == [2]
    # Without the record the two pulls cancel.
    assert d_text(s_original[:2], s_mirror[:2], ["a", "a"]).values == pytest.approx([0.0])


def test_a_pull_to_the_status_quo_is_negative_whatever_the_lean():
    rng = np.random.default_rng(1)
    pole = rng.choice([-1, 1], 400)
    lean = rng.uniform(-0.5, 0.5, 400)
    d = d_sq(lean + 0.3 * pole, lean - 0.3 * pole, pole, -pole, np.arange(400) % 12)
    assert d.values == pytest.approx(np.full(12, -0.6))


def test_d_frame_uses_only_pairs_with_opposite_frames():
    d = d_frame([0.5, 1, 1], [-0.5, -1, 0.2], [-1, -1, 1], [1, -1, 0], [1, 1, 2])
    assert d.families.tolist() == [1]
    assert d.values == pytest.approx([1.0])  # loss 0.5, gain -0.5


def test_no_usable_pair_leaves_no_family():
    assert d_sq([1.0], [0.0], [0], [0], ["a"]).values.size == 0


def test_rms_and_sign_changes_by_hand():
    assert rms([3, -4]) == pytest.approx(math.sqrt(12.5))
    changes = sign_changes([1, 0.5, -0.5, 0, 0.1], [-1, 0.5, 0.5, 1, 0])
    assert (changes.share, changes.changed, changes.signed, changes.pairs) == (pytest.approx(2 / 3), 2, 3, 5)
    assert sign_changes([0.0], [1.0]).share is None


def repeats(p, k, rng):
    """Answers of shape (pairs, 2, k) with probability p of the positive pole for each pair."""
    return np.where(rng.random((p.size, 2, k)) < p[:, None, None], 1.0, -1.0)


def test_rms_is_large_without_framing_and_the_corrected_variance_is_not():
    rng = np.random.default_rng(2)
    p = rng.beta(1.5, 1.5, 20_000)
    one = [repeats(p, 1, rng).mean(axis=(1, 2)) for _ in range(2)]
    assert rms(one[0] - one[1]) > 0.7
    assert framing_variance(repeats(p, 3, rng), repeats(p, 3, rng)) < 0.01


@pytest.mark.parametrize("k", [2, 3, 5])
def test_framing_variance_recovers_what_was_planted(k):
    rng = np.random.default_rng(3)
    shift = rng.choice([-0.15, 0.15], 30_000)  # in probability: D is 4 * 0.15 = 0.6 in size
    p = rng.uniform(0.2, 0.8, 30_000)
    found = framing_variance(repeats(p + shift, k, rng), repeats(p - shift, k, rng))
    assert found == pytest.approx(0.36, abs=0.02)


def test_framing_variance_by_hand():
    # s_original = 1 without noise; s_mirror: order 1 gave +1 and -1 (variance 2), order 2 gave -1 twice.
    x_original = [[[1, 1], [1, 1]]]
    x_mirror = [[[1, -1], [-1, -1]]]
    # D = 1 - (0 - 1)/2 = 1.5, v_mirror = (2/2 + 0)/4.
    assert framing_variance(x_original, x_mirror) == pytest.approx(1.5**2 - 0.25)
    assert framing_variance([[[1], [1]]], [[[-1], [-1]]]) is None
    assert framing_variance([[[1, -1], [1, -1]]], [[[1, -1], [1, -1]]]) == 0.0


def test_equivalence_is_two_one_sided_tests():
    """Against the two one-sided t tests of scipy, over drawn samples on both sides of the verdict."""
    rng = np.random.default_rng(4)
    seen = {"equivalent": 0, "different": 0, "not shown": 0}
    for _ in range(400):
        sample = np.clip(rng.normal(rng.uniform(-0.4, 0.4), rng.uniform(0.05, 0.6), 12), -2, 2)
        above = stats.ttest_1samp(sample, -0.25, alternative="greater").pvalue
        below = stats.ttest_1samp(sample, 0.25, alternative="less").pvalue
        differs = stats.ttest_1samp(sample, 0).pvalue < 0.05
        expected = "equivalent" if max(above, below) < 0.05 else "different" if differs else "not shown"
        assert equivalence(sample, 3).verdict == expected
        seen[expected] += 1
    assert min(seen.values()) > 20


def test_equivalence_needs_repeats_and_families():
    short = equivalence([0.0, 0.1, -0.1], 2)
    assert (short.verdict, short.interval_90, short.mean) == ("none", None, None)
    assert short.reason is not None and "3 repeats" in short.reason
    assert equivalence([0.1], 5).verdict == "none"
    assert equivalence([], 5).verdict == "none"


def test_equivalence_of_opposite_answers_and_of_no_contrast_at_all():
    opposite = equivalence(np.full(12, -2.0), 3)
    assert opposite.verdict == "different"
    assert opposite.interval_95 is not None and opposite.interval_95.high < 0
    # Twelve families at 0 exactly: other families may still differ by more than the margin.
    assert equivalence(np.zeros(12), 3).verdict == "not shown"
    assert equivalence(np.zeros(40), 3).verdict == "equivalent"


@pytest.mark.parametrize(
    "call",
    [
        lambda: d_text([], [], []),
        lambda: d_text([1, 1], [1], ["a", "a"]),
        lambda: d_text([1], [1], ["a", "b"]),
        lambda: d_text([math.nan], [1], ["a"]),
        lambda: d_text([1.5], [1], ["a"]),
        lambda: d_sq([1], [1], [0.5], [1], ["a"]),
        lambda: d_sq([1, 1], [1, 1], [1], [-1, 1], ["a", "b"]),
        lambda: rms([]),
        lambda: sign_changes([1], [math.inf]),
        lambda: framing_variance([[[1, 1]]], [[[1, 1]]]),
        lambda: framing_variance([[1, 1]], [[1, 1]]),
        lambda: framing_variance([[[3, 1], [1, 1]]], [[[1, 1], [1, 1]]]),
        lambda: equivalence([0.1, math.nan], 3),
        lambda: equivalence([0.1, 2.5], 3),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match=r"\w{4,}"):
        call()
