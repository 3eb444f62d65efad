"""The numbers on the map: each stands at its own mark and on no other."""

from __future__ import annotations

import itertools
import random

from divisionbell.report.figure_map_labels import clusters, labels

ROOM = (47.0, 252.0, 100.0, 305.0)  # the map of a narrow page


def test_marks_that_touch_are_one_cluster_through_others_as_well() -> None:
    assert clusters([(0, 0), (100, 0), (9, 0), (18, 0)]) == [[0, 2, 3], [1]]
    assert clusters([(0, 0), (12, 0), (6, 0)]) == [[0, 1, 2]]
    assert clusters([(0, 0), (0, 12)]) == [[0], [1]]


def test_every_mark_is_named_once() -> None:
    found = labels([(1, (100, 200)), (2, (103, 204)), (5, (180, 150))], ROOM)
    assert [(one.text, one.marks) for one in found] == [("1, 2", ((100, 200), (103, 204))), ("5", ((180, 150),))]


def test_a_number_covers_no_mark_and_no_number_and_is_nearest_to_its_own() -> None:
    drawn = random.Random(8)
    for _ in range(200):
        marks = [
            (n, (drawn.uniform(60, 240), drawn.uniform(115, 290))) for n in range(1, 6)
        ]  # five models, as many as are drawn in colours of their own
        found = labels(marks, ROOM)
        assert sorted(int(n) for one in found for n in one.text.split(", ")) == [1, 2, 3, 4, 5]
        for one in found:
            left, right, top, bottom = one.box
            assert ROOM[0] <= left and right <= ROOM[1] and ROOM[2] <= top and bottom <= ROOM[3]
            assert not any(left <= x <= right and top <= y <= bottom for _, (x, y) in marks)
            middle = ((left + right) / 2, (top + bottom) / 2)
            near = min((abs(x - middle[0]) + abs(y - middle[1]), (x, y)) for _, (x, y) in marks)[1]
            assert near in one.marks
        for a, b in itertools.combinations([one.box for one in found], 2):
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]


def test_a_mark_in_the_corner_keeps_its_number_inside() -> None:
    (one,) = labels([(12, (250, 102))], ROOM)
    assert one.box[1] <= ROOM[1] and one.box[2] >= ROOM[2]
