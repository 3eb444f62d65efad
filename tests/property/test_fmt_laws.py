"""The laws of the canonical form, for any file that the strict reader reads."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from messy_yaml import VALUES, messy

from divisionbell.author.layout import canonical, emit, laid_out
from divisionbell.author.remarks import remarks
from divisionbell.bank.read import Document, read_bytes

SLOW = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.large_base_example],
)
PIECES = [
    "a", "b", "1", "- ", "-", ": ", ":", "? ", "#", " # c", "\n# d\n", "  # e\n", "\n", "\n", " ", "  ", "\n  ",
    "\n    ", "[", "]", "{", "}", ", ", "'", '"', "|\n", "|-\n  ", ">-\n  ", "|+\n  ", "|2-\n", "k: ", "k:\n", "- a\n",
    "- b: 1\n", "\t", "~", "null", "\\n", "\r\n", "\x85", "\u2028", "é", "\U0001f600", "...\n", "---\n",
    "%YAML 1.2\n", "<<", "\ufeff", "word " * 30, "x" * 130,
]  # fmt: skip


def document_of(text: str) -> Document:
    return read_bytes(text.encode("utf-8"), Document(Path("x.yaml")))


def comments(document: Document) -> list[str]:
    return [remark.text for remark in remarks(document) if remark.text]


def hold_to_the_laws(document: Document) -> Document:
    """Value and types kept, comments kept in order, nothing left to change; the document of the canonical text."""
    text = canonical(document)
    again = document_of(text)
    assert again.problems == []
    assert repr(again.value) == repr(document.value)
    assert comments(again) == comments(document)
    assert canonical(again) == laid_out(again) == text
    assert text.endswith("\n")
    assert not text.startswith(("\n", "\ufeff"))
    assert text == "\n" or not text.endswith("\n\n")
    assert "\r" not in text
    blank_twice = [n for n, pair in enumerate(zip(again.lines, again.lines[1:], strict=False)) if pair == ("", "")]
    assert not {number + 1 for number in blank_twice} & {r.line for r in remarks(again) if not r.text}
    return again


@SLOW
@given(VALUES, st.randoms(use_true_random=False))
def test_by_a_careless_hand(value: Any, draw: random.Random) -> None:
    made = messy(value, draw)
    document = document_of(made.text)
    assume(document.problems == [] and repr(document.value) == repr(value))
    assert [comment.split()[1] for comment in comments(document)] == [f"c{n}" for n in range(len(made.comments))]
    again = hold_to_the_laws(document)
    for remark, (kind, path) in zip([r for r in remarks(again) if r.text], made.comments, strict=True):
        mark, found = again.mark(path)
        assert found
        held = bool(mark.children)
        if kind == "line" and not held:
            assert not remark.own
            assert remark.line in {mark.key_line, mark.line}
        elif kind == "line" and "[" not in made.text and "{" not in made.text:
            assert not remark.own
            assert remark.line == mark.key_line
        elif kind == "before":
            following = remark.line
            while not again.lines[following].strip() or again.lines[following].lstrip().startswith("# c"):
                following += 1
            assert remark.own
            assert following + 1 in {mark.key_line, mark.line}


@given(VALUES)
def test_what_is_emitted_has_its_form(value: Any) -> None:
    document = document_of(emit(value))
    assert document.problems == []
    assert repr(document.value) == repr(value)
    assert canonical(document) == laid_out(document) == document.text


@SLOW
@given(VALUES, st.randoms(use_true_random=False))
def test_layout_alone_makes_no_difference(value: Any, draw: random.Random) -> None:
    """Two files that say the same without comments and blank lines have one form."""
    document = document_of(messy(value, draw, often=0).text)
    assume(document.problems == [] and repr(document.value) == repr(value))
    assume("c0" not in document.text)
    assert [line for line in laid_out(document).split("\n") if line] == [
        line for line in emit(value).split("\n") if line
    ]


@settings(SLOW, max_examples=600)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join))
@example("a: [x # c\n\t, # d\n]")
@example("? |+\n  a\n\n# b\n: - # c\n\n  - x")
@example("- - # a\n    - # b\n  # c\n  - x\n # d")
@example("\ufeff\ufeff# a\n- x\n- y")
@example("--- >\n word\n\n\n...\n# c")
def test_any_text_that_can_be_read(text: str) -> None:
    document = document_of(text)
    assume(document.problems == [])
    hold_to_the_laws(document)
    within = {(r.line, at) for r in remarks(document) for at in range(r.column, r.column + len(r.text))}
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        for column, character in enumerate(line, start=1):
            if character != "#" or (number, column - 1) in within:
                continue
            other = document_of(
                "".join([*lines[: number - 1], line[: column - 1], "x", line[column:], *lines[number:]])
            )
            said_nothing = other.problems == [] and repr(other.value) == repr(document.value)
            assert not said_nothing or (number, column) in within
    for remark in remarks(document):
        line = lines[remark.line - 1]
        rest = line[remark.column - 1 :].removeprefix(remark.text)
        changed = line[: remark.column - 1] + ("#" + "x: '" * 3 if remark.text else "") + rest
        other = document_of(mark + "".join([*lines[: remark.line - 1], changed, *lines[remark.line :]]))
        assert repr(other.value) == repr(document.value)
