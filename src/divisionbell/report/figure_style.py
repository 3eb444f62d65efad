"""One look for every figure, and its two forms: SVG as text and PNG as bytes, the same bytes each time."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from divisionbell.report.figure_inline import in_tags, inline

INK, MUTED, GRID, PAPER, PANEL = "#1b1e23", "#5a616b", "#d3d7dc", "#ffffff", "#f1f3f5"
SERIES = ("#1f5a96", "#b3470c", "#2f7a4d", "#7a4a9e", "#8a6a00", "#a3305f")
LIGHT = "#8fb4d8"
VARIABLES = {
    INK: "--fig-ink",
    MUTED: "--fig-muted",
    GRID: "--fig-grid",
    PAPER: "--fig-paper",
    PANEL: "--fig-panel",
    LIGHT: "--fig-light",
    **{colour: f"--fig-{number}" for number, colour in enumerate(SERIES, start=1)},
}
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
WIDE, NARROW = 760, 344
SMALL, TEXT = 10.5, 11.5
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "divisionbell",
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "text.color": INK,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "path.simplify": False,
}


LineStyle = Literal["-", "--", ":"]
Stroke = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Drawing:
    """One figure in every form: `svg` and `png` to keep as files, `wide` and `narrow` to stand inside the page."""

    name: str
    title: str
    told: str
    caption: str
    svg: str
    png: bytes
    wide: str
    narrow: str


def colour(number: int) -> str:
    return SERIES[number % len(SERIES)]


def canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this size in CSS pixels, with one bare set of axes whose units are pixels, y downwards."""
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.set_axis_off()
    return figure, axes


def write(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float = TEXT,
    color: str = INK,
    ha: str = "left",
    va: str = "baseline",
    bold: bool = False,
    rotation: float = 0,
) -> None:
    """One line of text; its anchor holds whichever font the reader has."""
    axes.text(
        x,
        y,
        text,
        fontsize=size,
        color=color,
        ha=ha,
        va=va,
        fontweight="bold" if bold else "normal",
        rotation=rotation,
        rotation_mode="anchor",
    )


def line(
    axes: Axes, xs: tuple[float, float], ys: tuple[float, float], color: str, width: float = 1, style: LineStyle = "-"
) -> None:
    _add(axes, Line2D(xs, ys, color=color, linewidth=width, linestyle=style, solid_capstyle="butt"))


def strokes(
    axes: Axes, of: Sequence[Stroke], color: str, width: float, style: LineStyle = "-", *, round_ends: bool = False
) -> None:
    """Many straight strokes as one path: an element for each would be most of a page."""
    if not of:
        return
    path = Path([point for stroke in of for point in stroke], [Path.MOVETO, Path.LINETO] * len(of))
    ends: Literal["round", "butt"] = "round" if round_ends else "butt"
    patch = PathPatch(path, facecolor="none", edgecolor=color, linewidth=width, linestyle=style, capstyle=ends)
    patch.set_zorder(2)  # as lines are, above what is filled
    if round_ends:
        patch.set_snap(False)  # snapped to whole pixels, a stroke as short as a dot would have no length and no ink
    axes.add_artist(patch)


def mark(
    axes: Axes, x: float, y: float, color: str, *, hollow: bool = False, shape: str = "o", size: float = 7
) -> None:
    made = Line2D(
        [x],
        [y],
        marker=shape,
        markersize=size,
        linestyle="none",
        markerfacecolor=PAPER if hollow else color,
        markeredgecolor=color,
        markeredgewidth=1.5,
    )
    _add(axes, made)


def _add(axes: Axes, made: Line2D) -> None:
    """Add a line without counting anew what the axes span, which is fixed: a page has thousands of lines."""
    made.set_transform(axes.transData)
    axes.add_artist(made)


def drawing(name: str, title: str, told: str, caption: str, draw: Callable[[float], Figure]) -> Drawing:
    """Draw a figure wide and narrow and keep every form of it."""
    with matplotlib.rc_context(_SETTINGS):
        wide, narrow = draw(WIDE), draw(NARROW)
        kept = _svg(wide)
        return Drawing(
            name=name,
            title=title,
            told=told,
            caption=caption,
            svg=_titled(kept, title, told),
            png=_png(wide),
            wide=inline(kept, f"{name}-w", VARIABLES),
            narrow=inline(_svg(narrow), f"{name}-n", VARIABLES),
        )


def _svg(figure: Figure) -> str:
    for axes in figure.axes:
        for part in axes.get_children():
            part.set_clip_on(False)  # nothing lies outside, and each clip is said at every mark
    stream = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    FigureCanvasSVG(figure).print_svg(stream, metadata=nothing)  # type: ignore[no-untyped-call,unused-ignore]
    text = re.sub(r"<\?xml.*?\?>\s*|<!DOCTYPE.*?>\s*|<!--.*?-->\s*", "", stream.getvalue(), flags=re.DOTALL)
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return in_tags(text, lambda tag: re.sub(r"'DejaVu Sans'(, sans-serif)?", FONTS, tag))


def _png(figure: Figure) -> bytes:
    stream = io.BytesIO()
    figure.set_dpi(144)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may hold a character that the font has not
        FigureCanvasAgg(figure).print_png(  # type: ignore[no-untyped-call,unused-ignore]
            stream, metadata={"Software": None}, pil_kwargs={"compress_level": 4}
        )
    return stream.getvalue()


def _titled(svg: str, title: str, told: str) -> str:
    """The file's own form: it carries its title and description, and a white ground."""
    head = f"<title>{_escaped(title)}</title><desc>{_escaped(told)}</desc>"
    return '<?xml version="1.0" encoding="utf-8"?>\n' + re.sub(r"(<svg[^>]*>)", rf"\g<1>{_literal(head)}", svg, count=1)


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
