"""Lines are counted as editors count them, and what the parser would count otherwise is refused at its place.

An editor ends a line at LF, CR LF and CR. NEL, LS, PS, VT, FF and the separators 1C to 1E end none in it, though
`str.splitlines` splits at all of them and the parser, which knows YAML 1.1, at NEL, LS and PS.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from divisionbell.bank.read import Document, read_bytes
from divisionbell.bank.signs import first_foreign, is_native, place_behind, split_lines

ENDS = {"LF": "\n", "CR LF": "\r\n", "CR": "\r"}
NO_ENDS = {
    "NEL": "\x85",
    "LS": "\u2028",
    "PS": "\u2029",
    "VT": "\x0b",
    "FF": "\x0c",
    "FS": "\x1c",
    "GS": "\x1d",
    "RS": "\x1e",
    "NUL": "\0",
    "ESC": "\x1b",
    "DEL": "\x7f",
    "a mark of the byte order": "\ufeff",
    "no character": "\uffff",
}


def read_text(text: str) -> Document:
    return read_bytes(text.encode("utf-8"), Document(Path("x.yaml")))


def told(document: Document) -> list[tuple[int, int, str]]:
    return [(p.location.line, p.location.column, p.message) for p in document.problems]


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_finding_behind_ends_of_lines(end: str) -> None:
    text = end.join(["# one", "a: two", "", "b: 'three", "  four'", "c: >-", "  five", "  six", "d: [1,", " .nan]", ""])
    document = read_text(text)
    assert told(document) == [(10, 2, ".nan is not a number that can be scored")]
    assert document.lines[9] == " .nan]"
    assert document.value["b"] == "three four"
    assert document.value["c"] == "five six"
    assert (document.at("c").line, document.at_character(("c",), "five six", 6).line) == (6, 8)


@pytest.mark.parametrize("sign", NO_ENDS.values(), ids=NO_ENDS)
@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("a: b\r\n# ", "c: .nan\n"),
        ("a: b\rc: d ", " e\nf: .nan"),
        ('a: b\nc: "d', 'e"\nf: .nan'),
        ("a: b\nc: |\n  d\n  ", "  e\nf: .nan"),
        ("\ufeffa: b\n", "c: d"),
        ("", "a: b"),
        ("é: b\né: '", "'"),
    ],
)
def test_what_ends_no_line_is_refused_where_it_stands(sign: str, head: str, tail: str) -> None:
    """So no finding can be told at a line that nobody sees, and no comment can hold content."""
    if sign == "\ufeff" and not head:
        assert read_text(sign + tail).value == {"a": "b"}
        return
    document = read_text(head + sign + tail)
    before = re.split(r"\r\n|\r|\n", head.removeprefix("\ufeff"))
    ((line, column, message),) = told(document)
    assert (line, column) == (len(before), len(before[-1]) + 1)
    assert f"U+{ord(sign):04X}" in message
    assert document.value is None
    assert document.lines[line - 1][column - 1] == sign


@pytest.mark.parametrize("escape", ["\\N", "\\L", "\\P", "\\v", "\\f", "\\0", "\\e", "\\uFEFF", "\\x85", "\\x7f"])
def test_as_an_escape_it_moves_no_line(escape: str) -> None:
    document = read_text(f'a: "b{escape}c"\nd: .nan')
    assert len(document.value["a"]) == 3
    assert told(document) == [(2, 4, ".nan is not a number that can be scored")]


def test_a_comment_holds_no_content() -> None:
    for sign in ("\x85", "\u2028", "\u2029"):
        assert list(yaml.safe_load(f"# nothing{sign}a: b")) == ["a"]  # what the parser would make of it
        assert read_text(f"# nothing{sign}a: b").value is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"])
def test_other_encodings_are_refused_in_one_line(encoding: str) -> None:
    document = read_bytes("a: é\nb: c\n".encode(encoding), Document(Path("x.yaml")))
    assert len(document.problems) == (encoding != "utf-7")  # that is ASCII, and reads as what it is
    assert all("\n" not in problem.message for problem in document.problems)


def test_the_place_of_a_byte_that_is_not_utf8() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        (problem,) = read_bytes(b"a: b" + end + b"c: \xc3\xa9" + end + b"d: \xff", Document(Path("x.yaml"))).problems
        assert (problem.location.line, problem.location.column) == (3, 4)


DIRECTIVES = {
    "%YAML 1.1\n---\na: no": (1, "%YAML"),
    "# c\n%TAG ! tag:x,2000:\n---\na: b": (2, "%TAG"),
    "\ufeff%YAML 1.1\n---\na: b": (1, "%YAML"),
    "a: b\n...\n%TAG ! x:\n---\nc: d": (3, "%TAG"),
    "%\n": (1, "%"),
    "a: b\r%x": (2, "%x"),
    "%YAML 1.20\n---\na: b": (1, "%YAML"),
}


@pytest.mark.parametrize("text", DIRECTIVES)
def test_directives_are_refused(text: str) -> None:
    """Another version of YAML reads `no` as false; and the parser compares every tag named with all the others."""
    line, name = DIRECTIVES[text]
    assert told(read_text(text)) == [(line, 1, f"directive {name} is not allowed")]


@pytest.mark.parametrize(
    "text", ["%YAML 1.2\n---\na: b", "%YAML 1.2 # c\r\n---\r\na: b", "a: b # 5 %\n", "a: b\n %c\n"]
)
def test_that_of_the_version_that_is_read_is_none(text: str) -> None:
    document = read_text(text)
    assert document.problems == []
    assert document.value["a"].startswith("b")


@settings(deadline=None)
@given(st.text(st.sampled_from("ab\n\r\x85\u2028\x0b\x0c\x1c"), max_size=12))
def test_lines_and_places_fit_each_other(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == re.sub(r"[\r\n]", "", text)
    for index in range(len(text)):
        line, column = place_behind(text[:index])
        if text[index] not in "\r\n":
            assert lines[line - 1][column - 1] == text[index]


@settings(deadline=None)
@given(st.text(max_size=20))
def test_what_is_native_is_what_the_parser_takes(text: str) -> None:
    """The parser finds itself whatever is not native and not read apart; of the rest the two agree."""
    text = text.removeprefix("\ufeff")
    foreign = first_foreign(text)
    try:
        list(yaml.parse(f'"{text}', yaml.CSafeLoader))
        refused = False
    except yaml.reader.ReaderError:
        refused = True
    except yaml.YAMLError:
        refused = False
    if refused:
        assert foreign is not None
    if foreign is None:
        assert not refused
        assert text == "" or is_native(text) or "%YAML 1.2" in text
