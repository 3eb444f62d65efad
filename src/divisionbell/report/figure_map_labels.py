"""The numbers on the map: each beside its mark, and none where it could be read as another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

Point = tuple[float, float]
Box = tuple[float, float, float, float]
NEAR = 11.0  # marks closer than this in both directions touch, and share one text
DIGIT, HEIGHT = 6.4, 11.0  # of the bold text


@dataclass(frozen=True)
class Label:
    """A text with its left end and baseline, and the marks that it names."""

    text: str
    x: float
    y: float
    marks: tuple[Point, ...]

    @property
    def box(self) -> Box:
        """Left, right, top and bottom."""
        return self.x, self.x + DIGIT * len(self.text), self.y - HEIGHT + 2, self.y + 1


def clusters(places: Sequence[Point]) -> list[list[int]]:
    """Which marks touch, directly or through others; each cluster in the order given."""
    found: list[list[int]] = []
    for index, (x, y) in enumerate(places):
        touched = [
            one for one in found if any(abs(places[i][0] - x) < NEAR and abs(places[i][1] - y) < NEAR for i in one)
        ]
        found = [one for one in found if one not in touched] + [sorted([*(i for one in touched for i in one), index])]
    return sorted(found)


def labels(marks: Sequence[tuple[int, Point]], room: Box) -> list[Label]:
    """A text for each cluster of numbered marks, where it covers no mark and no other text, as near as may be."""
    places = [place for _, place in marks]
    made: list[Label] = []
    for cluster in clusters(places):
        text = ", ".join(str(marks[i][0]) for i in cluster)
        own = tuple(places[i] for i in cluster)
        made.append(min(_candidates(text, own), key=lambda one: _cost(one, places, made, room)))
    return made


def _candidates(text: str, own: tuple[Point, ...]) -> Iterable[Label]:
    """Beside the cluster's outline: above right first, then the other corners, then farther off."""
    low_x, high_x = min(x for x, _ in own), max(x for x, _ in own)
    low_y, high_y = min(y for _, y in own), max(y for _, y in own)
    width = DIGIT * len(text)
    for away, (above, to_right) in product(
        (7.0, 13.0, 19.0), ((True, True), (True, False), (False, True), (False, False))
    ):
        x = high_x + away if to_right else low_x - away - width
        yield Label(text, x, low_y - away if above else high_y + away + HEIGHT - 3, own)


def _cost(one: Label, places: Sequence[Point], made: Iterable[Label], room: Box) -> float:
    """How badly a place is chosen; candidates come nearest first, and the first of equals is taken."""
    left, right, top, bottom = one.box
    covered = sum(left - 6 < x < right + 6 and top - 6 < y < bottom + 6 for x, y in places)
    written = sum(left < o[1] and o[0] < right and top < o[3] and o[2] < bottom for o in (other.box for other in made))
    outside = left < room[0] or right > room[1] or top < room[2] or bottom > room[3]
    middle = ((left + right) / 2, (top + bottom) / 2)
    nearest = min(places, key=lambda place: abs(place[0] - middle[0]) + abs(place[1] - middle[1]))
    return 10.0 * covered + 10.0 * written + 10.0 * outside + 5.0 * (nearest not in one.marks)
