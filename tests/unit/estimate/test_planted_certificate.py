"""The certificate of planted models: what it tells, how it judges, and that it fails where the score is wrong."""

from dataclasses import replace

import numpy as np
import pytest

from divisionbell.estimate import planted_certificate as certificate
from divisionbell.estimate.planted_rows import TELLING, always, at_least, coverage, mean
from divisionbell.estimate.scale import Scale
from divisionbell.statistics import family_interval


@pytest.fixture(scope="module")
def rows():
    told = []
    made = certificate.planted_certificate(60, 1, lambda done, total: told.append((done, total)))
    assert told[-1] == (60 + 5 * 10, 60 + 5 * 10) and told == sorted(told)
    return made


def test_what_must_hold_holds(rows):
    assert [row for row in rows if row.holds is False] == []
    assert {row.part for row in rows} == {"coverage", "beyond", "missing", "position", "status quo", "way"}
    assert len({(row.part, row.what) for row in rows}) == len(rows)
    counted = {row.what: row.n for row in rows if row.part in ("coverage", "beyond")}
    assert sum(counted[f"{g} families"] for g in (12, 14, 19)) == counted["all with |S| at most 0.75"]
    beyond = sum(n for what, n in counted.items() if what.startswith("|S| = 0.9"))
    assert counted["all with |S| at most 0.75"] + beyond == 2 * 60


def test_one_seed_gives_one_answer():
    first, again, other = (certificate.planted_certificate(1, seed) for seed in (2, 2, 3))
    assert first == again != other


def holds(rows, part, words):
    return [row.holds for row in rows if row.part == part and words in row.what]


def test_an_interval_too_short_is_found_out(monkeypatch):
    whole = family_interval.family_t

    def half(scores, level=0.95):
        made = whole(scores, level)
        middle = (made.low + made.high) / 2
        return replace(made, low=(made.low + middle) / 2, high=(made.high + middle) / 2)

    monkeypatch.setattr(family_interval, "family_t", half)
    assert holds(certificate.planted_certificate(120, 1), "coverage", "all") == [False]


def test_bounds_that_leave_out_half_of_what_is_missing_are_found_out(monkeypatch):
    parts = Scale.bound_parts.func
    monkeypatch.setattr(Scale, "bound_parts", property(lambda scale: (parts(scale)[0], parts(scale)[1] / 2)))
    made = certificate.planted_certificate(40, 1)
    assert holds(made, "missing", "by answer: bounds") == [False]


def test_a_share_is_judged_by_its_exact_interval():
    def judged(inside, of, **kwargs):
        return coverage("p", "w", [True] * inside + [False] * (of - inside), **kwargs)

    assert judged(950, 1000).holds is True
    assert judged(915, 1000).holds is True  # its 99 % interval still reaches 93 %
    assert judged(900, 1000).holds is False
    assert judged(990, 1000).holds is False
    assert judged(990, 1000, wide=True).holds is True
    assert judged(900, 1000, judged=False).holds is None
    # Clopper and Pearson with no failure: (alpha/2)^(1/n)
    assert judged(100, 100).low == pytest.approx(0.005 ** (1 / 100))
    assert coverage("p", "w", []).holds is None


def test_too_few_tell_no_share_and_no_mean():
    for made in (coverage("p", "w", [True] * 49), at_least("p", "w", [True] * 49, 0.9), coverage("p", "w", [False])):
        assert made.holds is None and made.few
    assert at_least("p", "w", [True] * 49, 0.9).low == pytest.approx(0.005 ** (1 / 49))
    assert not coverage("p", "w", [True], judged=False).few
    # From so many on 79 %, which Student's t comes to near the ends, is told from 93 %.
    for n, told in ((TELLING, True), (TELLING - 20, False)):
        right = round(0.79 * n)
        assert (at_least("p", "w", [True] * right + [False] * (n - right), 0).high < 0.93) is told
    assert mean("p", "w", [0.3] * 9, 0.5).few and mean("p", "w", [0.3] * 9, 0.5).holds is None
    assert mean("p", "w", [0.3] * 10, 0.5).holds is False
    assert always("p", "w", []).few and not always("p", "w", [True]).few


def test_what_must_always_hold_fails_at_one_exception():
    assert always("p", "w", [True] * 99).holds is True
    assert always("p", "w", [True] * 99 + [False]).holds is False
    assert always("p", "w", []).holds is None


def test_a_mean_is_judged_by_its_interval():
    values = np.random.default_rng(1).normal(0.3, 1, 400)
    assert mean("p", "w", values, 0.3).holds is True
    assert mean("p", "w", values, 0.6).holds is False
    assert mean("p", "w", values, 0.6, judged=False).holds is None
    assert mean("p", "w", [0.3], 0.3).holds is None
    assert mean("p", "w", [0.5] * 10, 0.5).holds is True


def test_no_model_is_no_certificate():
    with pytest.raises(ValueError, match="models"):
        certificate.planted_certificate(0, 1)
