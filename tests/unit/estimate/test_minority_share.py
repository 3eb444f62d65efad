import itertools

import numpy as np
import pytest
from planted import coin, dossier, frozen, run

from divisionbell.estimate.document import score_run
from divisionbell.estimate.sensitivity import minority_share


def test_only_divisions_with_a_minority_of_30_per_cent():
    ids = itertools.count()
    votes = [(70, 30), (100, 40), (71, 29), (0, 0), (10, 90)]
    of = frozen(
        [dossier("economic", f"e{number}", number + 1, ids=ids, votes=cast) for number, cast in enumerate(votes)]
    )
    shares = [minority_share(asked) for asked in of.form("short")[::2]]
    assert shares == pytest.approx([0.3, 40 / 140, 0.29, 0.0, 0.1])
    made = {one["name"]: one for one in score_run(of, *run(of, coin(3)), "a" * 64)["estimates"]}
    close = made["concrete.economic.minority_30"]
    assert close["n"] == 1
    assert close["value"] == made["concrete.economic.family.e0"]["value"]
    assert "1 of 5 families" in close["definition"]
    assert "no interval" in close["interval_kind"]


def test_no_such_division():
    of = frozen([dossier("economic", "e0", 1, ids=itertools.count(), votes=(90, 10))])
    made = {one["name"]: one for one in score_run(of, *run(of, coin(3)), "a" * 64)["estimates"]}
    assert "no division" in made["concrete.economic.minority_30"]["undefined_because"]
    assert np.isfinite(made["concrete.economic"]["value"])
