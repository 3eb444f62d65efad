"""Respondents that see the surface alone, asked the shipped bank: what the score says is what the certificate says."""

from pathlib import Path

import pytest
from planted import run

from divisionbell.bank.load import load
from divisionbell.estimate.document import score_run
from divisionbell.estimate.wording_certificate import wording_certificate
from divisionbell.freeze.frozen_bank import read_frozen
from divisionbell.validate.surface import chosen_pole

LIMIT = 0.15


@pytest.fixture(scope="module")
def shipped():
    bank = load(Path(__file__).parents[3] / "bank")
    return read_frozen(bank.freeze_folder, bank.version)


@pytest.mark.parametrize("surface", ["longer", "status-quo", "stem-words"])
def test_the_surface_alone_gives_no_position(shipped, surface):
    values = [record.value for record in shipped.records if record.kind == "dossier"]
    leans = {item["item_id"]: chosen_pole(item, one["axis"], surface) for one in values for item in one["items"]}

    def respond(asked, order, repeat):
        """Where the surface leaves it open, the first order gets one pole and the second the other."""
        lean = leans[asked.item.item_id] or (1 if order == "negative_at_a" else -1)
        return "positive" if lean > 0 else "negative"

    made = score_run(shipped, *run(shipped, respond), "a" * 64)
    found = {one["name"]: one for one in made["estimates"]}
    rows = [row for row in wording_certificate(values, LIMIT) if row["surface"] == surface]
    assert len(rows) == 4
    for row in rows:
        score = found[f"{row['scale']}.{row['axis']}"]["value"]
        assert score == pytest.approx(row["score"], abs=1e-12)
        assert abs(score) <= LIMIT
        carried = dict(row["carried_by"])
        assert bool(carried) == (abs(score) > 1e-12)
        assert all(lean * score > 0 for lean in carried.values())
