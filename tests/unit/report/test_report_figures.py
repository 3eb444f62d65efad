"""The figures: parties only in the margins, ends named in words, the same bytes each time."""

from __future__ import annotations

import io
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import matplotlib.image
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from report_sample import LEANING, POSITION, bank, leaning, run, sample

from divisionbell.report import figure_families
from divisionbell.report.evidence import ReportInput
from divisionbell.report.figure_families import _side_by_side, draw_families
from divisionbell.report.figure_places import marked, short_party
from divisionbell.report.figure_style import SERIES, VARIABLES, WIDE, Drawing, canvas, colour, drawing, strokes
from divisionbell.report.figures import draw_all
from divisionbell.report.result_tables import families

GIVEN = sample()
FIGURES = draw_all(GIVEN)


@pytest.mark.parametrize("name", ["map", "outcomes", "order-square", "order", "families"])
def test_each_form_is_well_formed_and_loads_nothing(name: str) -> None:
    figure = FIGURES[name]
    for text in (figure.svg, figure.wide, figure.narrow):
        root = ET.fromstring(text)
        for element in root.iter():
            for key, value in element.attrib.items():
                assert not key.endswith("href") or value.startswith("#")
    assert not any(colour in figure.wide for colour in VARIABLES)
    assert "var(--fig-ink)" in figure.wide
    assert "<style" not in figure.wide
    assert "date" not in figure.svg.lower().replace("update", "")
    assert figure.png.startswith(b"\x89PNG")
    assert struct.unpack(">I", figure.png[16:20])[0] == 2 * WIDE


def test_the_same_bytes_twice() -> None:
    assert draw_all(sample()) == FIGURES


def test_ids_do_not_meet_in_one_page() -> None:
    ids = [
        e.attrib["id"]
        for f in FIGURES.values()
        for t in (f.wide, f.narrow)
        for e in ET.fromstring(t).iter()
        if "id" in e.attrib
    ]
    assert len(ids) == len(set(ids))


def test_the_map_names_the_ends_and_every_run_that_has_a_place() -> None:
    text = "".join(ET.fromstring(FIGURES["map"].svg).itertext())
    for words in ("public provision", "market discretion", "personal autonomy", "state authority"):
        assert words in text
    for each in GIVEN.runs:
        assert (each.name in text) is not each.is_party
    assert "bounds only" in text
    assert "left" not in text.lower()
    assert "openai:reticent-mini: economic undefined, bounds −0.14 to +0.58" in FIGURES["map"].told


def test_scripted_marks_are_told_from_models_and_parties_are_no_marks() -> None:
    entries = marked(GIVEN)
    assert [entry.run.is_party for entry in entries] == [False] * len(entries)
    refused = next(entry for entry in entries if entry.run.name == "openai:reticent-mini")
    assert refused.point is None
    assert refused.box is not None
    assert [round(at, 2) for side in refused.box for at in side] == [-0.14, 0.58, -0.48, 0.24]
    assert entries[0].box is None


def test_one_that_answers_by_position_has_no_cross_and_says_so() -> None:
    entry = next(entry for entry in marked(GIVEN) if entry.run.name == "embedded")
    assert entry.point is not None and entry.is_null and entry.shape == "X" and not entry.run.is_scripted
    drawn = "".join(ET.fromstring(FIGURES["map"].svg).itertext())
    assert "embedded, by position" in drawn and "openai:lakeside-large-2026-01, by position" not in drawn
    assert "embedded, answers by position and has no place: economic" in FIGURES["map"].told
    assert "A hollow × is a model that answers by the place" in FIGURES["map"].caption
    alone = draw_all(ReportInput(GIVEN.bank, (GIVEN.runs[0],)))["map"]
    assert not any(words in alone.caption for words in ("A hollow ×", "dashed box", "scripted", "Parties"))
    assert "Parties" not in "".join(ET.fromstring(alone.svg).itertext())
    model, null = (FIGURES["map"].svg.count(f"stroke: {colour(n)}; stroke-width: 2") for n in (0, 2))
    assert (model, null) == (6, 0)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Scottish National Party", "SNP"),
        ("Green Party", "Green"),
        ("Liberal Democrat", "Lib Dem"),
        ("Social Democratic & Labour Party", "SDLP"),
        ("Conservative", "Conservative"),
        ("…", "…"),
    ],
)
def test_short_names_of_parties(name: str, short: str) -> None:
    assert short_party(name) == short


def test_without_parties_and_with_a_hostile_name() -> None:
    used = bank()
    evil = run(used, 'openai:</text><script>#1b1e23 url(#x) id="y" $\\frac$', POSITION)
    figures = draw_all(ReportInput(used, (evil,)))
    for figure in figures.values():
        for text in (figure.svg, figure.wide, figure.narrow):
            assert all(not e.tag.endswith("script") for e in ET.fromstring(text).iter())
    assert "#1b1e23" in "".join(ET.fromstring(figures["outcomes"].wide).itertext())


def test_a_family_has_its_dossiers_one_by_one_and_no_interval() -> None:
    model = run(GIVEN.bank, "openai:m", LEANING, leaning)
    scores = model.concrete["economic"].dossier_scores
    figure = draw_families(model, "families")
    assert "A single family has no interval: it holds 1 dossiers" not in figure.caption
    assert "A single family has no interval: it holds 1 dossier, which was chosen" in figure.caption
    assert "dotted line" not in figure.caption
    for family, (score,) in scores.items():
        assert (
            f"{family.replace('-', ' ')} " in figure.told
            and f"(dossiers {score:+.2f})".replace("-", "−") in figure.told
        )
    assert [row[0][2].text for row in families(model, "economic").groups] == [
        f"{scores[row[0][0].text.replace(' ', '-')][0]:+.2f}".replace("-", "−")
        for row in families(model, "economic").groups
    ]
    bare = draw_families(replace(model, cells=None), "families")
    assert "dossier" not in bare.caption + bare.told + "".join(ET.fromstring(bare.svg).itertext())


def test_equal_dossiers_are_all_seen() -> None:
    assert list(_side_by_side((-1.0, -1.0, -1.0, 0.5))) == [(-1.0, -4.5), (-1.0, 0.0), (-1.0, 4.5), (0.5, 0.0)]


def test_no_dot_is_lost_in_the_picture_of_a_figure() -> None:
    places = [(10 + number * 10.03, 10 + number / 7) for number in range(9)]

    def draw(width: float) -> Figure:
        figure, axes = canvas(WIDE, 30)
        strokes(axes, [((x - 0.05, y), (x + 0.05, y)) for x, y in places], SERIES[0], 4, round_ends=True)
        return figure

    made: Drawing = drawing("dots", "Dots", "Dots.", "Dots.", draw)
    pixels = matplotlib.image.imread(io.BytesIO(made.png))
    assert [round(float(pixels[round(2 * y), round(2 * x), 0]), 1) for x, y in places] == [0.1] * 9


def test_undefined_stands_below_its_dotted_line(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[float] = []
    dotted: list[float] = []
    write, line = figure_families.write, figure_families.line

    def written_at(axes: Axes, x: float, y: float, text: str, **more: Any) -> None:
        if text == "undefined":
            written.append(y)
        write(axes, x, y, text, **more)

    def drawn_at(axes: Axes, xs: tuple[float, float], ys: tuple[float, float], *more: Any) -> None:
        dotted.append(ys[0])
        line(axes, xs, ys, *more)

    monkeypatch.setattr(figure_families, "write", written_at)
    monkeypatch.setattr(figure_families, "line", drawn_at)
    of = next(one for one in GIVEN.models if one.title.startswith("openai:reticent"))
    open_ = [
        one.model_copy(update={"low": -1.0, "high": 0.5, "interval_kind": "bounds"})
        if ".family." in one.name and one.value is None
        else one
        for one in of.score.estimates
    ]
    draw_families(replace(of, score=of.score.model_copy(update={"estimates": open_})), "x")
    assert written and dotted
    ascent = 8.0  # of small text, in pixels
    for y in written:
        assert not any(y - ascent < at < y + 1 for at in dotted)
