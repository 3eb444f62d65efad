"""Bank files as a careless hand would write them: any style, any indentation, comments and blank lines anywhere.

Each comment is numbered, in order; what it stands at is kept beside it.
"""

from __future__ import annotations

import random
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Path_ = tuple[str | int, ...]
AWKWARD = [
    "no", "1e5", "2026-01-01", "08", "1_000", "12:30:45", "~", "null", "true", ".inf", "<<", "=", "", " leading",
    "trailing ", "a\nb", "\na", "a\n", "a\n\n", " a\n b", "a\n\n b", "# no comment", "a # b", "a#b", "a: b", "- a",
    "? a", "it's", '"', "%x", "@x", "`x", "&x", "*x", "!x", "|", ">", "[a]", "{a: b}", "\t", "a\tb", "\u2028", "a\x85b",
    "\ufeff", "\x00", "é", "\U0001f600", "word " * 60 + "end", "x" * 300, "# " * 60 + "end", "a  b " * 30 + "c",
    "word " * 40 + "\n" + "word " * 40 + "end", "...", "---", "y", "\r", "a\\b", "-", ":", "a:", "-1.5e-7",
    "a,b", "\xa0",
]  # fmt: skip
TEXT = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(max_size=12),
    st.text(st.sampled_from("ab 0.:#-'\"\n\t>|?,[]{}é"), max_size=24),
    st.text(st.sampled_from("ab #"), min_size=90, max_size=140),
).map(lambda text: unicodedata.normalize("NFC", text).encode("utf-8", "ignore").decode())
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False).map(
    lambda number: float(f"{number:.12g}") + 0.0
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@dataclass
class Messy:
    """The text, and for each comment in order what it stands at: "line" (on the line of a path), "before" or "-"."""

    text: str = ""
    comments: list[tuple[str, Path_]] = field(default_factory=list)


def messy(value: Any, draw: random.Random, often: float = 0.3) -> Messy:
    """A file that says `value`, with a comment at about `often` of the places where one may stand."""
    return _Hand(draw, often).whole(value)


class _Hand:
    def __init__(self, draw: random.Random, often: float) -> None:
        self.draw = draw
        self.often = often
        self.made = Messy()

    def whole(self, value: Any) -> Messy:
        start = self.draw.choice(["", "\ufeff", "\n", "%YAML 1.2\n---\n", "--- # c0\n", "  \n---\n"])
        if "c0" in start:
            self.made.comments.append(("-", ()))
        text = start + self.own_lines("-", (), 0)
        if isinstance(value, dict | list) and value and self.draw.random() < 0.8:
            text += self.block(value, (), self.draw.choice([0, 0, 0, 2]))
        else:
            text += self.in_line(value, (), 1) + self.comment("-", ()) + "\n"
        text += self.own_lines("-", (), 0) + self.draw.choice(["", "\n\n", "...\n"])
        if self.draw.random() < 0.2:
            text = text.removesuffix("\n")
        if self.draw.random() < 0.2:
            text = text.replace("\n", "\r\n")
        self.made.text = text
        return self.made

    def yes(self) -> bool:
        return self.draw.random() < self.often

    def comment(self, kind: str, path: Path_, blanks: str = " ") -> str:
        """A comment at the end of a line, or nothing; the parser allows a tab before it only behind a scalar."""
        blank = self.draw.choice(blanks) * self.draw.choice([1, 1, 3])
        if not self.yes():
            return self.draw.choice(["", "", blank])
        self.made.comments.append((kind, path))
        return f"{blank}# c{len(self.made.comments) - 1}{self.draw.choice(['', '', ' ', ' # more'])}"

    def own_lines(self, kind: str, path: Path_, column: int) -> str:
        """Blank lines and comments on lines of their own."""
        text = ""
        while self.yes():
            if self.draw.random() < 0.5:
                text += self.draw.choice(["\n", "  \n", "\n\n"])
            else:
                self.made.comments.append((kind, path))
                at = self.draw.choice([column, column, 0, column + 3])
                text += " " * at + f"# c{len(self.made.comments) - 1}\n"
        return text

    def block(self, value: Any, path: Path_, column: int, first: str | None = None) -> str:
        """A mapping or list in block style; its first line begins with `first`, which ends at the column."""
        text = ""
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            here = (*path, step)
            if first is None:
                text += self.own_lines("before", here, column)
            lead = " " * column if first is None else first
            first = None
            if isinstance(value, dict):
                text += self.entry(lead, str(step), inner, here, column)
            else:
                text += self.element(lead, inner, here, column)
        return text + (self.own_lines("-", path, column) if self.often else "")

    def entry(self, lead: str, name: str, value: Any, path: Path_, column: int) -> str:
        written = self.quoted(name)
        if len(written) > 900 or self.draw.random() < 0.05:
            text = f"{lead}? {written}\n{' ' * column}:"
        else:
            text = f"{lead}{written}{self.draw.choice(['', '', ' '])}:"
        if isinstance(value, dict | list) and value and self.draw.random() < 0.7:
            deeper = column + self.draw.choice([0, 1, 2, 4] if isinstance(value, list) else [1, 2, 4])
            return text + self.comment("line", path) + "\n" + self.block(value, path, deeper)
        return text + self.after(value, path, column)

    def element(self, lead: str, value: Any, path: Path_, column: int) -> str:
        if isinstance(value, dict | list) and value and self.draw.random() < 0.7:
            if self.draw.random() < 0.3:
                deeper = column + self.draw.choice([1, 2, 4])
                return f"{lead}-{self.comment('before', path)}\n" + self.block(value, path, deeper)
            gap = self.draw.choice([1, 1, 3])
            return self.block(value, path, column + 1 + gap, f"{lead}-{' ' * gap}")
        return f"{lead}-" + self.after(value, path, column)

    def after(self, value: Any, path: Path_, column: int) -> str:
        """What stands behind a colon or dash, to the end of the line or of the block."""
        if value is None and self.draw.random() < 0.6:
            return self.comment("line", path) + "\n"
        if isinstance(value, str) and self.draw.random() < 0.3 and (block := self.block_text(value, path, column)):
            return block
        deeper = column + self.draw.choice([1, 2, 5])
        if self.draw.random() < 0.2 and value is not None:
            text = self.comment("-", path) + "\n" + self.own_lines("-", path, deeper) + " " * deeper
            return text + self.in_line(value, path, deeper) + self.comment("line", path, " \t") + "\n"
        return " " + self.in_line(value, path, deeper) + self.comment("line", path, " \t") + "\n"

    def block_text(self, text: str, path: Path_, column: int) -> str | None:
        lines = text.rstrip("\n").split("\n")
        if not all(character.isprintable() for line in lines for character in line) or not text.strip():
            return None
        if any(line.strip() != line for line in lines):
            return None
        ends = len(text) - len(text.rstrip("\n"))
        chomp = "-" if ends == 0 else "" if ends == 1 else "+"
        folded = len(lines) == 1 and self.draw.random() < 0.7
        if folded and ends == 0:
            lines = lines[0].split(" ") if "  " not in lines[0] else lines
        step = self.draw.choice([1, 2, 4])
        hint = str(step) if self.draw.random() < 0.3 or not lines[0] else ""
        text = f" {'>' if folded else '|'}{hint}{chomp}{self.comment('line', path)}\n"
        text += "".join(" " * (column + step) + line + "\n" if line else "\n" for line in lines)
        return text + "\n" * (ends - 1)

    def in_line(self, value: Any, path: Path_, column: int) -> str:
        """A value in flow style or on one line; where it is broken, what follows stands at `column`."""
        if isinstance(value, dict | list):
            return self.brackets(value, path, column)
        if isinstance(value, str):
            return self.quoted(value, column)
        if value is None:
            return self.draw.choice(["null", "~", "Null"])
        return str(value).lower() if isinstance(value, bool) else repr(value)

    def brackets(self, value: Any, path: Path_, column: int) -> str:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        text = opening + self.broken(path, column)
        pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
        for number, (step, inner) in enumerate(pairs):
            here = (*path, step)
            if isinstance(value, dict):
                text += f"{self.quoted(str(step), flow=True)}: "
            text += (
                self.quoted(inner, column, flow=True) if isinstance(inner, str) else self.in_line(inner, here, column)
            )
            text += self.broken(path, column)
            if number + 1 < len(pairs) or self.draw.random() < 0.2:
                text += "," + self.broken(path, column)
        return text + closing

    def broken(self, path: Path_, column: int) -> str:
        """A blank, or a line break with comments."""
        if self.draw.random() < 0.7:
            return self.draw.choice([" ", "  "])
        return self.comment("-", path) + "\n" + self.own_lines("-", path, column) + " " * column

    def quoted(self, text: str, column: int | None = None, flow: bool = False) -> str:
        """Text in one of the styles that can hold it; it is broken into lines only where a column is given."""
        if not text.isprintable() or self.draw.random() < 0.2:
            return self.double_quoted(text)
        words = text.split(" ")
        between = " " if column is None or "" in words or self.draw.random() < 0.6 else "\n" + " " * column
        if not flow and text[:1].isalpha() and text.replace(" ", "").isalnum() and "" not in words:
            from divisionbell.author.scalars import key

            if key(text) == text:
                return between.join(words)
        return "'" + between.join(words).replace("'", "''") + "'"

    def double_quoted(self, text: str) -> str:
        written = ""
        for character in text:
            plain = character.isprintable() and character not in '"\\'
            written += character if plain and self.draw.random() < 0.9 else f"\\U{ord(character):08x}"
        return f'"{written}"'
