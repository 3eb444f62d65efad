"""Time what a comparison of many respondents costs: python benchmarks/compare.py [MODELS]

Max-T over all pairs and both axes with 1,000 and 10,000 flips, and the studentised bootstrap of every model's two axes,
on planted family scores of the shipped bank's 19 and 17 families. Nothing here is asserted.
"""

from __future__ import annotations

import itertools
import resource
import sys
import time

import numpy as np

from divisionbell.statistics.bootstrap import family_bootstrap_t
from divisionbell.statistics.comparison import Differences, max_t

FAMILIES = (19, 17)


def main(models: int) -> None:
    rng = np.random.default_rng(1)
    axes = []
    for families in FAMILIES:
        scores = np.clip(rng.normal(0, 0.3, (models, 1)) + rng.normal(0, 0.3, (models, families)), -1, 1)
        values = np.array([scores[i] - scores[j] for i, j in itertools.combinations(range(models), 2)])
        axes.append(Differences(values, np.ones(values.shape, dtype=bool)))
    pairs = models * (models - 1) // 2
    for draws in (1_000, 10_000):
        start = time.perf_counter()
        max_t(axes, seed=1, draws=draws)
        print(
            f"{time.perf_counter() - start:7.2f} s  max-T, {models} models, {pairs:,} pairs x 2 axes, {draws:,} flips"
        )
    start = time.perf_counter()
    for seed in range(models):
        for families in FAMILIES:
            family_bootstrap_t(np.clip(rng.normal(0.85, 0.1, families), -1, 1), seed=seed)
    print(f"{time.perf_counter() - start:7.2f} s  studentised bootstrap, {models} models x 2 axes, 10,000 draws each")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:7.0f} MB at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
