"""Coverage of the interval rule for any spread: planted families straight into the rule, without replies.

    python benchmarks/coverage.py --rho 0.5 0.3 0.2

`divisionbell selftest --planted` takes models of two spreads through parser and score; this is for other spreads.
"""

from __future__ import annotations

import argparse

import numpy as np

from divisionbell.estimate.planted_model import Spread, draw_items
from divisionbell.statistics.family_interval import family_interval

SEED = 1
DOSSIERS, ITEMS = 3, 2


def covered(rng: np.random.Generator, families: int, score: float, spread: Spread, repeats: int, letter: float) -> bool:
    """Whether the interval of one planted model holds its true score; a share `letter` of its answers is the A."""
    p = draw_items(rng, score / (1 - letter), spread, (families, DOSSIERS, ITEMS))
    by_order = np.stack([(1 - letter) * p, (1 - letter) * p + letter], axis=-1)
    positive = rng.random((*by_order.shape, repeats)) < by_order[..., None]
    dossiers = 2 * positive.mean(axis=(2, 3, 4)) - 1
    interval = family_interval(list(dossiers), seed=SEED).interval
    assert interval is not None
    return interval.low <= score <= interval.high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rho", type=float, nargs=3, default=(0.5, 0.3, 0.2), metavar=("FAMILY", "DOSSIER", "ITEM"))
    parser.add_argument("--models", type=int, default=2000, help="models in each cell")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--letter", type=float, default=0.0, help="share of answers that are the letter A, up to 0.25")
    asked = parser.parse_args()
    print("families  " + "  ".join(f"|S|={score:<5}" for score in (0, 0.3, 0.6, 0.75)))
    for families in (12, 14, 19):
        cells = []
        for score in (0.0, 0.3, 0.6, 0.75):
            rng = np.random.default_rng([SEED, families, round(100 * score)])
            spread = Spread(*asked.rho)
            held = [covered(rng, families, score, spread, asked.repeats, asked.letter) for _ in range(asked.models)]
            cells.append(f"{np.mean(held):<8.1%}")
        print(f"{families:>8}  " + "  ".join(cells), flush=True)


if __name__ == "__main__":
    main()
