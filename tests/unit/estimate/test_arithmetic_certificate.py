import pytest
from planted import always, bank, coin, run

from divisionbell.estimate.certificate import certificate

SCRIPTED = {
    "always-a": always("A"),
    "always-b": always("B"),
    "negative": always("negative"),
    "positive": always("positive"),
    "refuse": always("blocked"),
    "coin": coin(1),
}
OF = bank()


def test_holds_on_every_axis_and_scale():
    rows = certificate(OF, "full", lambda name: run(OF, SCRIPTED[name]))
    assert len(rows) == 6 * 4
    for row in rows:
        assert set(row) == {"respondent", "axis", "scale", "expected", "found", "holds"}
        assert row["holds"] is (None if row["respondent"] == "coin" else True)
        assert row["respondent"] in ("coin", "refuse") or row["found"] == row["expected"]
    found = {row["respondent"]: row["found"] for row in rows}
    assert found["always-a"] == "score 0, flip rate 100%"
    assert found["negative"] == "score -1.00, flip rate 0%"
    assert found["refuse"] == "score undefined, flip rate undefined, bounds -1.00 to +1.00"


def test_the_short_form_has_one_scale():
    rows = certificate(OF, "short", lambda name: run(OF, SCRIPTED[name], form="short"))
    assert {row["scale"] for row in rows} == {"concrete"}


def test_a_fault_on_the_way_shows():
    """A respondent that answers by the letter although it should answer by the pole."""
    swapped = SCRIPTED | {"negative": always("A"), "refuse": always("positive")}
    rows = certificate(OF, "full", lambda name: run(OF, swapped[name]))
    failed = {row["respondent"] for row in rows if row["holds"] is False}
    assert failed == {"negative", "refuse"}


def test_another_form_is_refused():
    with pytest.raises(ValueError, match="not of short"):
        certificate(OF, "short", lambda name: run(OF, SCRIPTED[name]))
