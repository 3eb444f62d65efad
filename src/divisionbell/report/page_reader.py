"""A page of a report read back as a reader sees it: the findings, and what stands in the cells of its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from divisionbell.report.words import MINUS

_VOID = {"meta", "link", "br", "wbr", "hr", "img", "input"}
_NUMBER = re.compile(rf"[+{MINUS}]?[\d,]+(?:\.\d+)?%?")
_SPAN = re.compile(rf"({_NUMBER.pattern}) to ({_NUMBER.pattern})")
_SMALL = {
    "under 0.1%": (0.0, 0.001),
    "over 99.9%": (0.999, 1.0),
    "under 0.000001": (0.0, 1e-6),
    "over 0.99": (0.995, 1.0),
}


@dataclass
class PageCell:
    """One cell: the estimate that it names, its text, and the lines below it."""

    name: str = ""
    text: str = ""
    lines: list[str] = field(default_factory=list)
    heading: bool = False

    @property
    def span(self) -> tuple[str, str] | None:
        """The ends of the interval below it, as they are written."""
        found = [match for line in (self.text, *self.lines) if (match := _SPAN.fullmatch(line))]
        return (found[0][1], found[0][2]) if found else None


@dataclass
class PageTable:
    """One table: the section that it stands in, its head, and its rows, with the row heading of each body."""

    section: str
    head: list[str] = field(default_factory=list)
    rows: list[tuple[str, list[PageCell]]] = field(default_factory=list)


class PageReader(HTMLParser):
    """Reads the page that it is given; `findings` holds the paragraphs of each model."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self.findings: list[list[str]] = []
        self._open: list[tuple[str, str]] = []
        self._section, self._body = "", ""
        self._cell: PageCell | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _VOID:
            return
        self._open.append((tag, given.get("class", "")))
        if tag == "section":
            self._section = given.get("id", "")
        elif tag == "table":
            self.tables.append(PageTable(self._section))
        elif tag == "tbody":
            self._body = ""
        elif tag == "tr" and self.tables and self._within("tbody"):
            self.tables[-1].rows.append((self._body, []))
        elif tag in ("td", "th"):
            self._cell = PageCell(given.get("data-estimate", ""), heading=tag == "th")
        elif tag == "span" and self._cell is not None and "line" in given.get("class", "").split():
            self._cell.lines.append("")
        elif tag == "div" and given.get("class") == "finding":
            self.findings.append([])
        elif tag == "p" and self._within("div", "finding"):
            self.findings[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag in ("td", "th") and self._cell is not None and self.tables:
            table, cell = self.tables[-1], self._cell
            if self._within("thead"):
                table.head.append(cell.text)
            elif table.rows:
                if cell.heading and not self._body:
                    self._body = cell.text
                    table.rows[-1] = (cell.text, table.rows[-1][1])
                table.rows[-1][1].append(cell)
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            if any(tag == "span" and "line" in kind.split() for tag, kind in self._open):
                self._cell.lines[-1] += data
            elif not self._within("sup") and not self._within("span", "tag"):
                self._cell.text += data
        elif self.findings and self._within("div", "finding") and self._within("p"):
            self.findings[-1][-1] += data

    def _within(self, tag: str, kind: str | None = None) -> bool:
        return any(one == tag and (kind is None or kind == named) for one, named in self._open)


def agrees(written: str, number: float) -> bool:
    """Whether what is written is the number but for the digits that were left out."""
    if written in _SMALL:
        low, high = _SMALL[written]
        return low <= number <= high
    if not _NUMBER.fullmatch(written):
        return False
    plain = written.replace(MINUS, "-").replace(",", "").rstrip("%")
    scale = 0.01 if written.endswith("%") else 1.0
    step = 10.0 ** -len(plain.partition(".")[2]) * scale
    return abs(float(plain) * scale - number) <= step / 2 + 1e-9


def spans(text: str) -> list[tuple[str, str]]:
    """Every pair of ends in a text, "a to b"."""
    return [(one[1], one[2]) for one in _SPAN.finditer(text)]
