"""Long texts, each in a shape that some parser or reader takes long over. Those that are known to take time with the
square of their length have about the greatest size that is read, the others a quarter of it.

The quadratic ones are known of libyaml: flow collections within each other (each bracket may begin a key, and all are
looked at for each token), and directives of tags (each is compared with all before it).
"""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 1_000_000
GREATEST = 3_900_000


def full(unit: str, around: int = 0, size: int = SIZE) -> str:
    """The unit again and again, up to the size in bytes."""
    return unit * ((size - around) // len(unit.encode("utf-8")))


def numbered(line: str, count: int) -> str:
    return "".join(line.replace("N", str(number)) for number in range(count))


@dataclass(frozen=True)
class Hostile:
    """A text, and words of what must be told of it."""

    text: str
    told: str


DEEP = "nest"
HOSTILE: dict[str, Hostile] = {
    # depth
    "100,000 brackets": Hostile("[" * 100_000, DEEP),
    "brackets": Hostile(full("[", size=GREATEST), "exceeded maximum nesting depth"),
    "100,000 braces": Hostile("{a: " * 100_000, DEEP),
    "braces": Hostile(full("{a: ", size=GREATEST), DEEP),
    "both": Hostile(full("[{", size=GREATEST), "exceeded maximum nesting depth"),
    "100,000 dashes": Hostile("- " * 100_000, DEEP),
    "dashes": Hostile(full("- "), DEEP),
    "indented keys": Hostile("\n".join(" " * n + "a:" for n in range(2700)), DEEP),
    "closing brackets": Hostile(full("]"), "is not YAML"),
    # number
    "keys": Hostile(numbered("kN: 1\n", 105_000), "200,000 values"),
    "empty elements": Hostile(full("-\n"), "200,000 values"),
    "empty lists": Hostile("[" + full("[],", 2) + "]", "200,000 values"),
    "pairs": Hostile("[" + full("a: b,", 2) + "]", "200,000 values"),
    "one key again": Hostile(full("a: 1\n"), "stands twice"),
    "numbers in another spelling": Hostile("a:\n" + full(" - 1.50\n", 3), "another spelling of 1.5"),
    "documents": Hostile(full("--- a\n"), "several documents"),
    "ends of documents": Hostile(full("...\n"), "is not YAML"),
    # one thing alone
    "question marks": Hostile(full("? "), "a key must be a word"),
    "lines of question marks": Hostile(full("?\n"), "is not text"),
    "colons": Hostile(full(": "), "is not YAML"),
    "commas": Hostile("[" + full(",", 1), "is not YAML"),
    "anchors": Hostile(full("&a "), "anchor &a"),
    "one anchor": Hostile("&" + full("a", 1), "anchor &aaa"),
    "aliases": Hostile(full("*a "), "alias *a"),
    "tags": Hostile(full("!a "), "tag !a"),
    "one tag": Hostile("!" + full("a", 1), "tag !aaa"),
    "one tag in escapes": Hostile("!" + full("%41", 1), "tag !AAA"),
    "per cent": Hostile(full("%"), "directive %%%"),
    "directives": Hostile(full("%foo bar\n"), "directive %foo"),
    "directives of tags": Hostile(numbered("%TAG !N! tag:x,2000:N\n", 120_000) + "---\na: b\n", "directive %TAG"),
    "directives of tags behind a document": Hostile(
        "a: b\n...\n" + numbered("%TAG !N! tag:x,2000:N\n", 120_000) + "---\na: b\n", "directive %TAG"
    ),
    "NUL": Hostile("\0" * SIZE, "U+0000"),
    "CR": Hostile("\r" * SIZE, "is empty"),
    "LF": Hostile("\n" * SIZE, "is empty"),
    "blanks": Hostile(" " * SIZE, "is empty"),
    "tabs": Hostile("\t" * SIZE, "is not YAML"),
    "escape": Hostile("\x1b" * SIZE, "U+001B"),
    "NEL": Hostile(full("\x85"), "U+0085"),
    "byte order marks": Hostile(full("\ufeff"), "U+FEFF"),
    "one comment": Hostile("#" + "x" * (GREATEST - 1), "is empty"),
    "comments": Hostile(full("#\n"), "is empty"),
    "quotes": Hostile('"' * SIZE, "is not YAML"),
    # one long text
    "key": Hostile("k" * (GREATEST - 4) + ": 1", "3,899,996 characters"),
    "key with its mark": Hostile("? " + "k" * (GREATEST - 6) + "\n: 1", "3,899,994 characters"),
    "plain": Hostile("a: " + full("x ", 4) + "x", "characters, more than"),
    "plain over lines": Hostile("a: " + full("x\n ", 4), "characters, more than"),
    "plain with blank lines": Hostile("a: x" + full("\n \n", 4), "holds a single text"),
    "plain with signs": Hostile("a: " + full("x# ", 4), "characters, more than"),
    "plain with colons": Hostile("a: " + full("x:", 5), "characters, more than"),
    "escapes": Hostile('a: "' + "\\x41" * 970_000 + '"', "970,000 characters"),
    "escapes of lines": Hostile('a: "' + full("\\\n", 5) + '"', "holds a single text"),
    "double quotes over lines": Hostile('a: "' + full("x\n ", 5) + '"', "characters, more than"),
    "single quotes": Hostile("a: '" + full("''", 6) + "'", "characters, more than"),
    "literal": Hostile("a: |\n" + full(" x\n", 6), "characters, more than"),
    "literal of blank lines": Hostile("a: |\n" + full("\n", 6), "holds a single text"),
    "literal of other indents": Hostile("a: |\n" + "\n".join(" " * n for n in range(2700)) + "\n x", "is not YAML"),
    "folded": Hostile("a: >\n" + full(" x\n\n", 6), "characters, more than"),
    "accents put on": Hostile("a: e" + full("\u0301", 6), "characters, more than"),
    "accents put on, short": Hostile("- " + full("e\u0301\u0327" * 1000 + "\n- ", 6), "not in Unicode form NFC"),
    "digits": Hostile("a: " + "1" * (SIZE - 4), "characters, more than"),
    "digits, short": Hostile("a: " + "1" * 9_999, "cannot be kept exactly"),
    "digits behind a point": Hostile("a: 1." + "1" * 9_990, "cannot be kept exactly"),
    "zeros": Hostile("a: " + "0" * 9_999, "000"),
}
# Sizes that no text reaches: sparse files.
SPARSE = {"one line of 1 GB": 1 << 30, "a hole of 1 TB": 1 << 40}
