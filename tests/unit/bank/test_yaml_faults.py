"""What is said of a text that is not YAML: the place of what is likely wrong, and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.bank.document import Document
from divisionbell.bank.read import read_bytes


@pytest.mark.parametrize(
    ("text", "place", "message", "fix"),
    [
        ('a: "x\nb: 1\nc: 2\n', (1, 4), "the quote that opens here is not closed", "close it at the end of the text"),
        ("a: 'x\nb: 1\nc: 'y'\n", (1, 4), "the quote that opens here is closed only in line 3", "close it"),
        ("- 'x\n- b: 'y'\n", (1, 3), "the quote that opens here is closed only in line 2", "close it"),
        ("a: one: two\n", (1, 7), "mapping values are not allowed", "where a text holds a colon before a blank"),
        ("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n", (2, 1), "to be merged", "keep one of them"),
        ("a: >-\n  t\n=======\n  u\n>>>>>>> x\n", (5, 1), "to be merged", "keep one of them"),
        ("a: 1\nb 2\nc: 3\n", (3, 1), "could not find expected ':'", "write the colon behind the key"),
        ("a: [1, 2\nb: 3\n", (2, 2), "did not find expected ',' or ']'", "close the bracket"),
        ("a: @x\n", (1, 4), "cannot start any token", "a text cannot begin with @ here"),
        ("a:\n\t- x\n", (2, 1), "cannot start any token", "indent with blanks, not tabs"),
        ("a:\n  b: 1\n c: 2\n", (3, 2), "did not find expected key", "line it up with its neighbours"),
        (
            "a:\n  b: >-\n     t\n    u\n  c: 1\n",
            (3, 6),
            "the first line of this text is indented further",
            "line it up",
        ),
        ("a:\n  b: >-\n    t\n   c: 2\n", (4, 4), "did not find expected key", "line it up with its neighbours"),
        ("a: [\n", (1, 5), "did not find expected node content", "write the value there"),
        ("", (1, 1), "is empty", ""),
    ],
)
def test_what_is_likely_wrong(text: str, place: tuple[int, int], message: str, fix: str) -> None:
    (problem,) = read_bytes(text.encode(), Document(Path("f.yaml"))).problems
    assert (problem.location.line, problem.location.column) == place
    assert message in problem.message
    assert problem.fix.startswith(fix)


def test_marks_within_a_text_are_no_conflict() -> None:
    document = read_bytes(b"a: >-\n  <<<<<<< HEAD\n  x\n", Document(Path("f.yaml")))
    assert (document.problems, document.value) == ([], {"a": "<<<<<<< HEAD x"})
