"""How numbers, gaps and untrusted text are written in a report."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from markupsafe import Markup, escape

from divisionbell import diagnostics
from divisionbell.model.run_classes import Estimate

UNDEFINED = "undefined"
NOT_GIVEN = "The score document does not hold this estimate."
SHOWN_CHARACTERS = 2000
SHORTER = (1000, 500, 250)  # characters of each where many replies are long
LEAST_SHOWN = SHORTER[-1]
BRIEF_CHARACTERS = 200
# The last part of the name of a figure that has a size and no direction: it is written without a sign.
SIZES = frozenset({"sem", "rms_d_text", "smallest_detectable_difference"})
MINUS = "\N{MINUS SIGN}"


def finite(value: object) -> float | None:
    """The number, or None for anything that is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def signed(value: float, places: int = 2) -> str:
    """A coordinate with its sign: +0.42, −0.42; 0.00 without one only where it is nothing: what would round to that has
    the first digit that counts, +0.0007."""
    text = _rounded(abs(value), places)
    if float(text) == 0 and abs(value) > diagnostics.NOISE:
        text = f"{Decimal(f'{abs(value):.1g}'):f}"
    if float(text) == 0:
        return text
    return f"{MINUS if value < 0 else '+'}{text}"


def _rounded(value: float, places: int) -> str:
    """A half is rounded away from zero, as a reader with the longer number in hand does."""
    return f"{Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"


def plain(value: float, places: int = 2) -> str:
    return _rounded(value, places).replace("-", MINUS)


def percent(value: float) -> str:
    """A share as a percentage; it says 0% and 100% only where that is exact."""
    return diagnostics.percent(value, 1).replace("-", MINUS)


def confidence(value: float) -> str:
    """A level of confidence as a percentage, with every digit that it has."""
    return f"{100 * value:g}%"


def percent_in_prose(value: float) -> str:
    """A percentage without a trailing .0."""
    return percent(value).replace(".0%", "%")


def p_value(value: float) -> str:
    """A p with two digits that count, never as 0, and as 1 only where it is."""
    if value < 1e-6:
        return "under 0.000001"
    if 0.995 <= value < 1:
        return "over 0.99"
    places = max(2, 1 - math.floor(math.log10(value)))
    text = f"{value:.{places}f}"
    return text.rstrip("0") if places > 2 else text


def count(value: float) -> str:
    return f"{value:,.0f}".replace("-", MINUS)


def number(value: float, unit: str) -> str:
    """A value written as its unit asks."""
    if unit == "share":
        return percent(value)
    if unit == "p":
        return p_value(value)
    if unit == "count" or (unit not in ("coordinate", "") and value == int(value) and abs(value) >= 2):
        return count(value)
    return signed(value) if unit == "coordinate" else plain(value)


def span(low: float, high: float, unit: str = "coordinate") -> str:
    return f"{number(low, unit)} to {number(high, unit)}"


def many(n: float, word: str, plural: str = "") -> str:
    """A count with its noun: 1 family, 12 families."""
    return f"{count(n)} {word if n == 1 else plural or word + 's'}"


def counted(n: float, n_of: str) -> str:
    """A count with what it counts, in the singular where it is one: 1 family, 12 families, 1 item in both orders."""
    first, space, rest = n_of.partition(" ")
    if n == 1 and first.endswith("s"):
        first = f"{first[:-3]}y" if first.endswith("ies") else first[:-1]
    return f"{count(n)} {first}{space}{rest}"


@dataclass(frozen=True)
class Shown:
    """An estimate as it is printed: never blank, never NaN."""

    text: str
    because: str = ""
    span: str = ""
    kind: str = ""
    n: str = ""
    name: str = ""
    definition: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def defined(self) -> bool:
        return self.text != UNDEFINED


def shown(estimate: Estimate | None) -> Shown:
    """How an estimate is printed. Where it has no value, that is said with the reason."""
    if estimate is None:
        return Shown(UNDEFINED, NOT_GIVEN)
    value, low, high = finite(estimate.value), finite(estimate.low), finite(estimate.high)
    because = ""
    if value is None:
        because = estimate.undefined_because or (
            "No reason is given." if estimate.value is None else "The score document holds no finite number."
        )
    n_of = estimate.n_of or "families"
    unit = "" if estimate.name.rpartition(".")[2] in SIZES else estimate.unit
    has_span = low is not None and high is not None
    kind = estimate.interval_kind or ""
    return Shown(
        text=UNDEFINED if value is None else number(value, unit),
        because=because,
        span=span(low, high, unit) if low is not None and high is not None else "",
        kind=kind if has_span else "",
        n="" if estimate.n is None else counted(estimate.n, n_of),
        name=estimate.name,
        definition=estimate.definition,
        value=value,
        low=low if has_span else None,
        high=high if has_span else None,
    )


def shown_span(estimate: Estimate | None) -> Shown:
    """How a bound or interval without a value of its own is printed."""
    made = shown(estimate)
    if made.span:
        return Shown(**{**made.__dict__, "text": made.span, "because": ""})
    if estimate is not None and estimate.n == 0 and made.because:
        return Shown("none", made.because, name=made.name, definition=made.definition)
    return Shown(UNDEFINED, made.because or NOT_GIVEN, name=made.name, definition=made.definition)


def _escape_of(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def _hidden(character: str) -> bool:
    return not (character.isprintable() or character == "\n")


def visible(text: str) -> str:
    """Control, format and direction characters written as escapes; line feeds stay."""
    if text.isprintable():
        return text
    return "".join(_escape_of(c) if _hidden(c) else c for c in text)


def typeset(sentence: str) -> str:
    """A sentence of a score document as the page prints it: its numbers with a true minus, its per cent closed up."""
    return re.sub(r"(?<=\d) %", "%", re.sub(r"(?<![\w.)\-])-(?=\d)", MINUS, sentence))


def breakable(name: str) -> Markup:
    """A name that may be broken after a colon, a slash, a point or an underscore."""
    parts = re.split(r"(?<=[:/._])", visible(name))
    return Markup("<wbr>").join(parts)


def visible_markup(text: str) -> Markup:
    """The same as HTML, each escape marked, so that it is told from one that was in the text."""
    if not any(_hidden(character) for character in text):
        return escape(text)
    parts: list[str] = []
    for character in text:
        if _hidden(character):
            parts.append(f'<span class="esc">{_escape_of(character)}</span>')
        else:
            parts.append(str(escape(character)))
    return Markup("".join(parts))  # noqa: S704  every part is escaped above


@dataclass(frozen=True)
class Cut:
    """Raw text ready to show: its beginning, and how long the whole is and where it stands where that is longer."""

    html: Markup
    remark: str = ""


def cut(text: str, where: str, most: int = SHOWN_CHARACTERS) -> Cut:
    """At most so many characters of a text; `where` says where the whole stands."""
    if len(text) <= most:
        return Cut(visible_markup(text))
    remark = f"{count(len(text))} characters; the first {count(most)} are shown, the whole stands in {where}."
    return Cut(visible_markup(text[:most]), remark)


def brief(text: str) -> str:
    """A word of a server for a line: its beginning, and its length where that is longer."""
    if len(text) <= BRIEF_CHARACTERS:
        return text
    return f"{text[:BRIEF_CHARACTERS]}… ({count(len(text))} characters)"


def shorten(text: str, length: int) -> str:
    """Text for a figure: visible characters on one line, cut in the middle."""
    text = visible(text.replace("\n", " "))
    if len(text) <= length:
        return text
    head = (length - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (length - 1 - head) :]}"
