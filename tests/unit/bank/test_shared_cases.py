"""The cases of bank text that other implementations share with this one, each held to all that it says.

They lie beside the checkout; where they do not, the same cases in our own words stand below and in `test_read.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank.read import Document, read_bytes
from divisionbell.diagnostics import Diagnostic
from divisionbell.validate.shape import shape_problems

ROOT = Path(__file__).parent.parent.parent.parent
SHARED = ROOT.parent / "shared" / "cases" / "bank_text.jsonl"


def read_case(text: str) -> Document:
    """The text as read; of bytes, what they stand for."""
    if text.startswith("(bytes) "):
        data = text.removeprefix("(bytes) ").encode().decode("unicode_escape").encode("latin-1")
    else:
        data = text.encode("utf-8")
    return read_bytes(data, Document(Path("x.yaml")))


def is_text(expected: str) -> Callable[[Document], None]:
    def must(document: Document) -> None:
        assert document.problems == []
        assert list(document.value.values()) == [expected]

    return must


def is_refused(line: int, column: int, *words: str, notes: int = 0) -> Callable[[Document], None]:
    def must(document: Document) -> None:
        problem = document.problems[0]
        assert (problem.location.line, problem.location.column) == (line, column)
        assert len(problem.related) == notes
        told = f"{problem.message} {problem.fix}"
        assert all(word in told for word in words), told

    return must


def shape(root: str, whole: dict[str, Any], document: Document) -> list[Diagnostic]:
    """What the schema says of a record that holds what the case holds, where the reader says nothing."""
    value = {**whole, **document.value}
    return list(shape_problems(root, Document(document.path, value, document.text)))


def is_no_digest(document: Document) -> None:
    """A null stands for nothing where a digest is required, no more than leaving it out does."""
    assert document.value == {"transformation_sha256": None}
    (found,) = [p for p in shape("Item", {}, document) if "transformation_sha256" in p.message]
    assert found.message == "transformation_sha256 is empty"
    (absent,) = [p for p in shape_problems("Item", Document(Path("x"), {})) if "transformation_sha256" in p.message]
    assert absent.message == "the record lacks transformation_sha256"


CASES: dict[str, Callable[[Document], None]] = {
    "unquoted date": is_text("2026-02-03"),
    "word no": is_text("no"),
    "clock": is_text("12:30:45"),
    "leading zero": is_refused(1, 9, "another spelling of 10"),
    "duplicate key": is_refused(2, 1, "id stands twice", notes=1),
    "not a number": is_refused(1, 11, ".nan is not a number"),
    "infinity": is_refused(1, 11, "-.inf is not a number"),
    "empty file": is_refused(1, 1, "is empty"),
    "two documents": is_refused(2, 1, "several documents"),
    "anchor and alias": is_refused(1, 4, "anchor &x is not allowed"),
    "merge key": is_refused(3, 3, "merge key"),
    "python tag": is_refused(1, 4, "tag tag:yaml.org,2002:python/object/apply:os.system is not allowed"),
    "explicit null where a value is conditionally required": is_no_digest,
    "not NFC": is_refused(1, 7, "NFC", "normalise"),
    "latin-1 bytes": is_refused(1, 10, "byte 9 is not UTF-8"),
    "tab indent": is_refused(2, 1, "not tabs"),
    "number where text is meant": is_refused(1, 10, "quote it"),
    "hash that looks like a number": is_refused(1, 9, "quote it"),
}
# The same in our own words.
OWN = {
    "unquoted date": "a: 1999-12-31",
    "word no": "a: no",
    "clock": "a: 23:59:59",
    "leading zero": "abcdef: 010",
    "duplicate key": "id: 1\nid: 1",
    "not a number": "abcdefgh:  .nan",
    "infinity": "abcdefgh:  -.inf",
    "empty file": "# nothing but a remark\n",
    "two documents": "a: b\n---\n",
    "anchor and alias": "a: &x {}\nb: [*x]",
    "merge key": "a: {}\nb:\n  <<: {}\n",
    "python tag": "a: !!python/object/apply:os.system [x]",
    "explicit null where a value is conditionally required": "transformation_sha256: ~",
    "not NFC": "abcd: 'A\u030a'",
    "latin-1 bytes": "(bytes) abcdef: x\\xe4",
    "tab indent": "a:\n\tb: c",
    "number where text is meant": "abcdefg: 2.50",
    "hash that looks like a number": "abcdef: 98765432109876543210",
}


def own_words_must_hold(name: str, document: Document) -> None:
    if name == "unquoted date":
        is_text("1999-12-31")(document)
    elif name == "clock":
        is_text("23:59:59")(document)
    elif name in {"word no", "explicit null where a value is conditionally required"}:
        CASES[name](document)
    else:
        assert document.problems
        assert document.problems[0].rule == "SCH001"


@pytest.mark.parametrize("name", OWN)
def test_in_our_own_words(name: str) -> None:
    own_words_must_hold(name, read_case(OWN[name]))


def shared() -> list[tuple[str, str]]:
    if not SHARED.exists():
        return []
    lines = SHARED.read_text(encoding="utf-8").splitlines()
    return [(case["name"], case["yaml"]) for case in map(json.loads, lines)]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this checkout")
def test_every_shared_case_is_known() -> None:
    assert [name for name, _ in shared()] == list(CASES)


@pytest.mark.parametrize(("name", "text"), [pytest.param(*case, id=case[0]) for case in shared()])
def test_a_shared_case(name: str, text: str) -> None:
    CASES[name](read_case(text))


def test_a_number_where_text_is_meant_is_refused_by_the_schema_too() -> None:
    """1.1 has its one spelling, so only the schema can say that it is no version."""
    (problem,) = [p for p in shape("Bank", {}, read_case("version: 1.1")) if p.message.startswith("version")]
    assert problem.message == "version: 1.1 is not of type string"
    assert problem.fix == "quote it"


def test_a_digest_that_looks_like_a_number_keeps_its_digits() -> None:
    document = read_case("sha256: " + "1234567890" * 6 + "12e4")
    assert document.value == {"sha256": "1234567890" * 6 + "12e4"}
    assert [problem.fix for problem in document.problems] == ["quote it, so that it is text"]
