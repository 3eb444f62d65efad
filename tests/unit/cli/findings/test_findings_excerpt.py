"""The line under a finding: which one, and where in it the caret stands."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.cli.findings import excerpt
from divisionbell.cli.findings.excerpt import Line, Sources, cut
from divisionbell.diagnostics import Location, visible


def columns(text: str) -> int:
    """The columns of a terminal that safe text takes, counted another way than in the program."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in {"Mn", "Me"} for c in text)


@pytest.mark.parametrize(
    ("text", "index", "shown", "column"),
    [
        ("key: value", 5, "key: value", 5),
        ("key: value", 10, "key: value", 10),
        ("\tkey:\tvalue", 6, "    key:    value", 12),
        ("名前: 値", 4, "名前: 値", 6),
        ("e\u0301te\u0301: x", 7, "e\u0301te\u0301: x", 5),
        ("a\x1b[31mb", 6, "a\\u001b[31mb", 11),
        ("zero\u200bwidth", 5, "zero\\u200bwidth", 10),
    ],
)
def test_the_caret_stands_under_its_character(text: str, index: int, shown: str, column: int) -> None:
    assert cut(Line(text, index), 100) == (shown, column)


def test_long_lines_are_cut_around_the_caret() -> None:
    text = "".join(str(number % 10) for number in range(10_000))
    for index in (0, 30, 5_000, 9_990, 10_000):
        shown, column = cut(Line(text, index), 60)
        assert len(shown) <= 60 + 2 * len(excerpt.CUT)
        assert shown[column : column + 1].removeprefix(".") == text[index : index + 1]
        assert shown.startswith("...") == (index > 40)
        assert shown.endswith("...") == (index < 9_900)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(0, 300), st.integers(20, 120))
def test_whatever_the_line_holds_the_caret_stands_right(text: str, index: int, width: int) -> None:
    index = min(index, len(text))
    shown, column = cut(Line(text, index), width)
    assert shown == visible(shown)
    assert columns(shown) <= width + 2 * len(excerpt.CUT)
    # What is shown up to the caret is the end of what stands before the place.
    # A combining character takes no column: any of the cuts at the caret's column may be it.
    taken = [n for n in range(len(shown) + 1) if columns(shown[:n]) == column]
    before = "".join("    " if c == "\t" else visible(c) for c in text[:index])
    assert any(before.endswith(shown[:n].removeprefix(excerpt.CUT)) for n in taken)
    if columns(before) + columns("".join("    " if c == "\t" else visible(c) for c in text[index:])) <= width:
        assert excerpt.CUT not in shown or excerpt.CUT in text


def test_a_line_is_the_one_that_the_reader_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("\ufeffone: 1\r\ntwo: \u2028three: 3\rfour: 4\n".encode())
    sources = Sources()
    assert sources.line(Location(str(file), 2, 1)) == Line("two: \u2028three: 3", 0)
    assert sources.line(Location(str(file), 3, 1)) == Line("four: 4", 0)
    assert sources.line(Location(str(file), 1, 4)) == Line("one: 1", 3)
    records = tmp_path / "a.jsonl"
    records.write_bytes('{"a":"\u2028"}\n{"b":1}\n'.encode())
    assert sources.line(Location(str(records), 2, 3)) == Line('{"b":1}', 2)


def test_columns_of_a_file_that_is_no_utf8_count_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes("first: 1\n# é ".encode() + b"\xff x\n")
    assert Sources().line(Location(str(file), 2, 6)) == Line("# é \udcff x", 4)
    assert cut(Line("# é \udcff x", 4), 100) == ("# é \\udcff x", 4)


def test_what_has_no_line_has_no_excerpt(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("one: 1\n\nthree: 3\n", encoding="utf-8")
    sources = Sources()
    for line, column in ((1, 1), (2, 1), (9, 1)):
        assert sources.line(Location(str(file), line, column)) is None
    for path in (tmp_path / "absent.yaml", tmp_path):
        assert sources.line(Location(str(path), 2, 2)) is None
    assert sources.line(Location("nul\0.yaml", 2, 2)) is None


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe.yaml")
    for name in ("link.yaml", "pipe.yaml"):
        assert Sources().line(Location(str(tmp_path / name), 2, 2)) is None


def test_few_files_are_held(tmp_path: Path) -> None:
    sources = Sources()
    for number in range(3 * excerpt.KEPT_FILES):
        file = tmp_path / f"{number}.yaml"
        file.write_text(f"one: 1\ntwo: {number}\n", encoding="utf-8")
        assert sources.line(Location(str(file), 2, 6)) == Line(f"two: {number}", 5)
    assert len(sources._kept) == excerpt.KEPT_FILES


def test_text_that_was_given_is_shown_instead_of_a_file() -> None:
    assert Sources({"<stdin>": b"a: 1\nb: 2\n"}).line(Location("<stdin>", 2, 4)) == Line("b: 2", 3)
