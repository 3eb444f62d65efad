"""Which notes warn: all but those that hold of any run, or tell what was read from it."""

import itertools

import pytest
from planted import always, bank, coin, lost, run

from divisionbell.cli.score import _lines
from divisionbell.estimate import notes
from divisionbell.estimate.document import score_run
from divisionbell.estimate.note_kinds import GENERAL, warnings_and_rest

WIDE = bank((2,) * 12, (2,) * 12)
SMALL = bank()
GENERAL_MAKERS = ("_leans", "_always", "_framing", "_two_axes")


def scored(of, respondent, **kwargs):
    return score_run(of, *run(of, respondent, "full", kwargs.pop("repeats", 1), **kwargs), "a" * 64)


@pytest.fixture
def general(monkeypatch):
    """The notes that the four makers of general ones made."""
    made = []

    def watched(maker):
        def kept(*arguments):
            found = maker(*arguments)
            made.extend(found)
            return found

        return kept

    for name in GENERAL_MAKERS:
        monkeypatch.setattr(notes, name, watched(getattr(notes, name)))
    return made


@pytest.mark.parametrize("of", [WIDE, SMALL], ids=["wide", "small"])
@pytest.mark.parametrize("respondent", [always("A"), coin(1), lost(coin(2), 0.4, 3), always("blocked")])
def test_what_the_general_makers_say_is_general_and_all_else_warns(general, of, respondent):
    document = scored(of, respondent, repeats=3, constrained=True, settings={"model": "m"})
    warnings, rest = warnings_and_rest(document["notes"])
    assert rest == general and len(rest) >= 4
    assert warnings + rest == document["notes"], "the document has the warnings first as well"
    assert any(note.startswith("Constrained decoding") for note in warnings)


def test_every_opening_is_in_use(general):
    scored(WIDE, coin(1), repeats=3)
    for opening in GENERAL:
        assert any(note.startswith(opening) for note in general), opening


def test_numbers_stand_between_the_warnings_and_the_rest(tmp_path):
    document = scored(WIDE, lost(coin(2), 0.4, 3), repeats=1)
    kinds = [line.lstrip()[0] if line.startswith(("  ! ", "  · ")) else "-" for line in _lines(tmp_path, document)]
    assert [kind for kind, _ in itertools.groupby(kinds)] == ["-", "!", "-", "·", "-"]
    text = "\n".join(_lines(tmp_path, document))
    assert text.index("units have no answer") < text.index("concrete.economic") < text.index("What is claimed")
