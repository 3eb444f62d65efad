"""The strict reader: what it takes, what it refuses and where, and that nothing in a file makes it fail."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from divisionbell.bank.build import Refused, _Builder
from divisionbell.bank.load import load
from divisionbell.bank.read import MAX_BYTES, Document, read, read_bytes

REFUSED = object()
CASES: list[tuple[str, str, Any]] = [
    ("unquoted date", "reviewed_on: 2026-02-03", {"reviewed_on": "2026-02-03"}),
    ("date with time", "held_at: 2026-02-03 10:00:00", {"held_at": "2026-02-03 10:00:00"}),
    ("word no", "answer_word: no", {"answer_word": "no"}),
    ("word yes as key", "on: y", {"on": "y"}),
    ("clock", "label: 12:30:45", {"label": "12:30:45"}),
    ("underscores", "label: 1_000", {"label": "1_000"}),
    ("binary", "label: 0b11", {"label": "0b11"}),
    ("leading zero", "number: 010", REFUSED),
    ("sign", "number: +1", REFUSED),
    ("octal", "number: 0o17", REFUSED),
    ("hexadecimal", "number: 0x1F", REFUSED),
    ("exponent", "number: 1e5", REFUSED),
    ("minus zero", "number: -0", REFUSED),
    ("zeros after the point", "number: 0.50", REFUSED),
    ("word True", "flag: True", REFUSED),
    ("duplicate key", "id: a\nid: b", REFUSED),
    ("duplicate key in another quoting", "id: a\n'id': b", REFUSED),
    ("not a number", "economic: .nan", REFUSED),
    ("infinity", "economic: -.inf", REFUSED),
    ("number without end", "economic: 1e999", REFUSED),
    ("more digits than a double keeps", "n: 0.12345678901234567", REFUSED),
    ("whole number beyond a double", "n: 9007199254740993", REFUSED),
    ("empty file", "", REFUSED),
    ("comment alone", "# nothing\n", REFUSED),
    ("two documents", "id: a\n---\nid: b", REFUSED),
    ("one document with its mark", "---\nid: a\n", {"id": "a"}),
    ("anchor and alias", "a: &x [1]\nb: *x", REFUSED),
    ("merge key", "a: {k: 1}\nb:\n  <<: {k: 2}", REFUSED),
    ("python tag", "a: !!python/object/apply:os.system ['true']", REFUSED),
    ("tag for text", "a: !!str 1", REFUSED),
    ("tag without name", "a: ! 1", REFUSED),
    ("explicit null", "transformation_sha256: null", {"transformation_sha256": None}),
    ("empty value", "transformation_sha256:", {"transformation_sha256": None}),
    ("not NFC", "stem: Cafe\u0301", REFUSED),
    ("not NFC in a key", "cafe\u0301: x", REFUSED),
    ("NFC", "stem: Café", {"stem": "Café"}),
    ("tab indent", "items:\n\t- id: a", REFUSED),
    ("number where text is meant", "version: 1.10", REFUSED),
    ("hash that looks like a number", "sha256: " + "1234567890" * 6 + "12e4", REFUSED),
    ("quoted hash", f"sha256: '{'1234567890' * 6}12e4'", {"sha256": "1234567890" * 6 + "12e4"}),
    ("list as key", "? [a, b]\n: c", REFUSED),
    ("mapping as key", "{a: b}: c", REFUSED),
    ("number as key", "1: a", REFUSED),
    ("null as key", "~: a", REFUSED),
    ("NUL", "a: b\0c", REFUSED),
    ("escaped NUL", 'a: "b\\0c"', {"a": "b\0c"}),
    ("lone surrogate", 'a: "\\ud800"', REFUSED),
    ("CRLF", "a: b\r\nc: >-\r\n  d\r\n  e\r\n", {"a": "b", "c": "d e"}),
    ("byte order mark", "\ufeffa: b", {"a": "b"}),
    ("integers and floats", "a: [0, -7, 1.5, -0.25, 1.0]", {"a": [0, -7, 1.5, -0.25, 1.0]}),
    ("booleans", "a: [true, false]", {"a": [True, False]}),
    ("unclosed", "a: [b", REFUSED),
    ("directive of a tag", "%TAG ! tag:x,2000:\n---\na: !b c", REFUSED),
]


def read_text(text: str) -> Document:
    return read_bytes(text.encode("utf-8"), Document(Path("x.yaml")))


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[name for name, _, _ in CASES])
def test_cases(name: str, text: str, expected: Any) -> None:
    document = read_text(text)
    if expected is REFUSED:
        assert document.problems
        for problem in document.problems:
            assert problem.rule == "SCH001"
            assert problem.fix
            assert 1 <= problem.location.line <= text.count("\n") + 1
    else:
        assert document.problems == []
        assert document.value == expected
        assert repr(document.value) == repr(expected)


def test_what_a_refused_value_is_read_as() -> None:
    assert read_text("number: 010").value == {"number": 10}
    digits = "1234567890" * 6 + "12e4"
    document = read_text(f"sha256: {digits}")
    assert document.value == {"sha256": digits}
    assert "quote" in document.problems[0].fix


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("id: a\nid: b", 2, 1),
        ("a: &x [1]\nb: *x", 1, 4),
        ("b:\n  c: *x", 2, 6),
        ("id: a\n---\nid: b", 2, 1),
        ("items:\n\t- id: a", 2, 1),
        ("a: b\nc:  .nan", 2, 5),
        ("a: b\nc: d\0", 2, 5),
        ("a: é\nc: é\0", 2, 5),
    ],
)
def test_places(text: str, line: int, column: int) -> None:
    place = read_text(text).problems[0].location
    assert (place.line, place.column) == (line, column)


def test_both_places_of_a_duplicate_key() -> None:
    problem = read_text("a:\n  id: a\n  b: c\n  id: b").problems[0]
    assert (problem.location.line, problem.related[0].location.line) == (4, 2)


def test_bytes_that_are_not_utf8() -> None:
    document = read_bytes(b"a: b\nstem: caf\xe9\n", Document(Path("x.yaml")))
    assert document.value is None
    assert "byte 14 " in document.problems[0].message
    assert (document.problems[0].location.line, document.problems[0].location.column) == (2, 10)


def _agrees(told: str, yaml_text: str) -> bool:
    if yaml_text.startswith("(bytes) "):
        data = yaml_text.removeprefix("(bytes) ").encode().decode("unicode_escape").encode("latin-1")
        document = read_bytes(data, Document(Path("x.yaml")))
        return bool(document.problems) and "byte" in document.problems[0].message
    document = read_text(yaml_text)
    values = list(document.value.values()) if isinstance(document.value, dict) else []
    if told.startswith("text"):
        return all(isinstance(value, str) for value in values) and bool(values)
    if told.startswith("ten"):
        return values == [10]
    if "schema" in told or told.endswith("like an absent one"):
        return bool(document.problems) or not isinstance(values[0], str)
    return told.startswith("refused") and bool(document.problems)


def test_the_shared_cases(repository: Path) -> None:
    file = repository.parent / "shared" / "cases" / "bank_text.jsonl"
    if not file.exists():
        pytest.skip("the shared cases are not beside this checkout")
    for line in file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert _agrees(case["expect"], case["yaml"]), case["name"]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "\n".join(" " * (2 * n) + "a:" for n in range(1000)),
        "a: [" + "x, " * 400_000 + "]",
        "- a\n" * 300_000,
        "a: " + "x" * (MAX_BYTES - 3),
        'a: "' + "\\n" * 1_000_000 + '"',
        "#" * (MAX_BYTES - 1),
        " " * (MAX_BYTES - 1),
        "\n" * (MAX_BYTES - 1),
        "x" * (MAX_BYTES + 1),
        "&a " * 100_000,
        "!" * 1_000_000,
    ],
    ids=lambda text: f"{text[:6]!r}-{len(text)}",
)
def test_huge_and_deep_files_end(text: str) -> None:
    document = read_text(text)
    assert document.problems or document.value == {"a": text[3:]} or text.startswith('a: "')


def test_too_large_a_file_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    file.write_bytes(b"a: b\n" * 1_000_000)
    assert "larger than" in read(file).problems[0].message


def test_what_is_no_file(tmp_path: Path) -> None:
    import os

    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "broken.yaml").symlink_to("nowhere")
    (tmp_path / "round.yaml").symlink_to("round.yaml")
    for name in ("folder", "pipe", "broken", "round", "absent"):
        document = read(tmp_path / f"{name}.yaml")
        assert document.value is None
        assert len(document.problems) == 1, name


def test_links_out_of_the_bank_are_not_followed(copied_bank: Path) -> None:
    (copied_bank / "dossiers" / "x.yaml").symlink_to(Path("../../data_sources.yaml"))
    (copied_bank / "dossiers" / "y").symlink_to(Path("../.."))
    bank = load(copied_bank)
    assert sorted(problem.location.path for problem in bank.problems) == ["bank/dossiers/x.yaml", "bank/dossiers/y"]
    assert not any("x.yaml" in document.shown for document in bank.dossiers)


def test_lines_of_values_end_where_they_end() -> None:
    document = read_text("a:\n  b: >-\n    x\n    y\n\n  # c\n  c:\nl:\n- 1\n- [2,\n 3]\n# e\nz: |\n  q")
    ends = {
        path: document.mark(path)[0].end_line for path in (("a",), ("a", "b"), ("a", "c"), ("l",), ("l", 1), ("z",))
    }
    assert ends == {("a",): 7, ("a", "b"): 4, ("a", "c"): 7, ("l",): 11, ("l", 1): 11, ("z",): 14}


STYLES = {
    "plain": "k: one two\n  three four",
    "folded": "k: >-  # why\n  one two\n  three four",
    "literal": "k: |-\n  one two\n  three four",
    "single": "k: 'one two\n  three four'",
    "double": 'k: "one two\n  three four"',
}


@pytest.mark.parametrize("style", STYLES)
def test_place_of_a_character(style: str) -> None:
    document = read_text(STYLES[style])
    text = document.value["k"]
    assert text.split() == ["one", "two", "three", "four"]
    for index, character in enumerate(text):
        place = document.at_character(("k",), text, index)
        if character.isspace():
            before = document.at_character(("k",), text, index - 1)
            assert (place.line, place.column) == (before.line, before.column + 1)
        else:
            assert document.lines[place.line - 1][place.column - 1] == character
    assert document.at_character(("k",), text, len(text)).line == len(document.lines)


def test_place_of_a_character_beside_quotes() -> None:
    document = read_text("k: 'it''s ''so'''")
    text = document.value["k"]
    assert text == "it's 'so'"
    columns = [document.at_character(("k",), text, index).column for index in range(len(text))]
    assert [document.lines[0][column - 1] for column in columns if column != columns[4]] == list("it's'so'")
    escaped = read_text('k: "a\\u0041b"')
    assert escaped.at_character(("k",), "aAb", 2) == escaped.at("k")


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    document = read_bytes(data, Document(Path("x.yaml")))
    assert document.problems or document.value is not None or data


YAMLISH = st.text(st.sampled_from("abc:-?[]{}&*!|>'\"%@`#,\n\r\t 0123.eE+~<=\\xé\u0301\u2028\ufeff\0"), max_size=80)


@given(st.one_of(st.text(max_size=200), YAMLISH))
def test_any_text(text: str) -> None:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return
    document = read_bytes(data, Document(Path("x.yaml")))
    for problem in document.problems:
        assert problem.location.line >= 1
        assert problem.location.column >= 1
    if isinstance(document.value, float):
        assert math.isfinite(document.value)


PIECES = [
    "!x ",
    "!",
    "&x ",
    "*x",
    "\ufeff",
    "- ",
    "\n",
    "\n  ",
    ": ",
    ":",
    '"a":',
    "? ",
    "?",
    "{",
    "}",
    "[",
    "]",
    ",",
    "a",
    "#",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
@example('{"a":!x b}')
@example("{'a':&x b}")
@example("{?!x a}")
@example("\ufeff!x a")
@example("-\n\ufeff&x a")
def test_the_short_way_takes_nothing_that_the_builder_refuses(text: str) -> None:
    """A value that is read without places is the value that is read with them."""
    document = read_bytes(text.encode(), Document(Path("x.yaml")))
    careful = Document(Path("x.yaml"), text=text)
    with contextlib.suppress(yaml.YAMLError, Refused):
        _Builder(careful).build()
        assert bool(careful.problems) == bool(document.problems)
        assert careful.problems or repr(careful.value) == repr(document.value)
        return
    assert document.problems
