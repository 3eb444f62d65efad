"""The habit of the letter and the habit of the place, from planted respondents."""

import numpy as np
import pytest

from divisionbell.statistics.label_position import label_and_place

ITEMS = 6000


def asked(rng, letter_a, first, p_positive):
    """A respondent that takes the letter A in a share of answers, the first option in another, else by content."""

    def choices(a_first):
        """+1 for the first option; the positive pole stands first in the second order."""
        made = np.empty((ITEMS, 2))
        for order in (0, 1):
            how = rng.random(ITEMS)
            positive = rng.random(ITEMS) < p_positive
            by_content = np.where(positive == bool(order), 1, -1)
            by_letter = 1 if a_first else -1
            made[:, order] = np.where(how < letter_a, by_letter, np.where(how < letter_a + first, 1, by_content))
        return made

    return choices(True), choices(False)


@pytest.mark.parametrize(("letter_a", "first"), [(1, 0), (0, 1), (0.3, 0), (0, 0.3), (0.2, 0.4), (0, 0)])
def test_letter_and_place_are_told_apart(letter_a, first):
    rng = np.random.default_rng(4)
    found = label_and_place(*asked(rng, letter_a, first, 0.8))
    error = 4 / np.sqrt(4 * ITEMS) if letter_a + first < 1 else 1e-12
    assert found.label.mean() == pytest.approx(letter_a, abs=error)
    assert found.place.mean() == pytest.approx(first, abs=error)


def test_with_the_usual_labels_alone_they_are_one():
    by_letter, by_place = (label_and_place(*asked(np.random.default_rng(1), *habit, 0.5)) for habit in ((1, 0), (0, 1)))
    assert (by_letter.label + by_letter.place == by_place.label + by_place.place).all()


def test_what_is_refused():
    for usual, exchanged in (([[1, 1]], [[1]]), ([[1, 0]], [[1, 1]]), ([], []), ([[1, 1]], [[1, 1], [1, 1]])):
        with pytest.raises(ValueError):
            label_and_place(usual, exchanged)
