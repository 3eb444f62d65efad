"""Where there is a short way and a careful one, both give the same: reading a text, holding a document to its class."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mutations import TOKENS, fitting, spoiled_text, spoiled_value
from small_bank import REPOSITORY

from divisionbell.bank.build import Refused, _Builder
from divisionbell.bank.plain import OutOfOrder, plain_value
from divisionbell.bank.read import Document, read, read_bytes
from divisionbell.validate.shape import fits, schema, shape_problems, validator

PILOT = REPOSITORY / "tests" / "pilot" / "bank"
# Numbers, words and keys in every spelling; heavier than the signs around them.
WORDS = (
    *("a", "b", "a", "é", "no", "on", "null", "~", "Null", "true", "TRUE", "False", "<<", "'<<'", "'a'", '"b"', "''"),
    *("0", "-0", "+0", "00", "1", "-1", "+1", "01", "10", "1_0", "0b1", "0o7", "0O7", "0x1f", "0XF", "1.", ".1", "-.1"),
    *(
        "1.0",
        "-1.0",
        "-0.0",
        "0.0",
        "0.50",
        "0.5",
        "1e3",
        "1E3",
        "1.5e-7",
        "1e999",
        "0.1234567",
        "123456789.5",
        "1.1.1",
    ),
    *("999999999999999", "1000000000000000", "9007199254740991", "9007199254740992", "0.12345678901234567"),
    *(".inf", "-.Inf", ".nan", ".NaN", "2026-02-03", "12:30:45", "1:2", "e\u0301", '"e\\u0301"', '"\\u212b"'),
    *(
        "a: ",
        "a: ",
        "b: ",
        "- ",
        "- ",
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        "\n- ",
        "\na: ",
        "\nb: ",
        "{a: ",
        "[",
        "]",
        "}",
        ", ",
    ),
)
SOUP = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(TOKENS)), max_size=14)
TEXTS = [
    "\n".join(file.read_text(encoding="utf-8").split("\n")[start : start + 40])
    for file in (next(PILOT.glob("dossiers/*/*/1541-*")), PILOT / "bank.yaml", PILOT / "prospective" / "later.yaml")
    for start in (0, 40, 120)
]


def carefully(text: str) -> Document:
    """What the builder that knows all rules and places makes of a text."""
    document = Document(Path("x.yaml"), text=text)
    try:
        _Builder(document).build()
    except yaml.YAMLError as error:
        document.problems.append(error)  # type: ignore[arg-type]
    except Refused:
        assert document.problems
    return document


def must_agree(text: str) -> None:
    careful = carefully(text)
    try:
        value = plain_value(text)
    except (OutOfOrder, yaml.YAMLError):
        return
    assert careful.problems == []
    assert repr(value) == repr(careful.value)  # 1 and 1.0 and true are told apart


@settings(max_examples=1500, deadline=None)
@given(SOUP.map("".join))
@example('a: {"b":&x d}')
@example("a: [?!x d]")
@example('["a":!x b]')
@example("-0.0")
@example("%YAML 1.1\n---\na: no")
@example("a: x\u2028b: c")
@example("# \x85a: b")
@example("\ufeff&a b")
@example("a: b\n\ufeffc: d")
@example("a: b\n...\n%TAG ! x:\n--- c")
@example("a: 1\n'a': 2")
@example("a: " + "x" * 10_001)
@example("[" * 32 + "]" * 32)
@example("[" * 33 + "]" * 33)
def test_a_soup_of_tokens_is_read_alike(text: str) -> None:
    must_agree(text)


@settings(max_examples=250, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(TEXTS))
def test_spoiled_files_are_read_alike(draw: Random, text: str) -> None:
    must_agree(spoiled_text(draw, text))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_alike(text: str) -> None:
    must_agree(text)
    must_agree(f"a: {text}")
    must_agree(f'"{text}"')


DOCUMENTS = {
    "Bank": PILOT / "bank.yaml",
    "AnalysisPlan": PILOT / "analysis_plan.yaml",
    "Dossier": next(PILOT.glob("dossiers/*/*/1541-*")),
    "ExcludedDossier": next(PILOT.glob("excluded/*/1874-*")),
    "ProspectiveRegister": PILOT / "prospective" / "later.yaml",
    "DataSources": PILOT.parent / "data_sources.yaml",
}
VALUES = {root: read(file).value for root, file in DOCUMENTS.items()}
ENDS = (
    "",
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\0",
    "\x1c",
    "\x1f",
    "\ufeff",
    "\xa0",
    " ",
    "\t",
    "\n\n",
    "\x0b",
)


def must_fit_alike(root: str, value: Any) -> None:
    """The quick validator, the full one, and what is told agree; but for whole numbers with a point, which are told."""
    document = Document(Path("x.yaml"), value)
    quick, full = fits(root, document), bool(validator(root).is_valid(value))
    told = [problem.message for problem in shape_problems(root, document)]
    assert quick == (not told), told
    assert quick == full or all("is another spelling of" in message for message in told), told


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(sorted(DOCUMENTS)))
def test_spoiled_documents_fit_alike(draw: Random, root: str) -> None:
    must_fit_alike(root, spoiled_value(draw, VALUES[root]))


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(sorted(DOCUMENTS)))
def test_made_documents_fit_alike(draw: Random, root: str) -> None:
    must_fit_alike(root, fitting(draw, {"$ref": f"#/$defs/{root}"}))


@pytest.mark.parametrize("end", ENDS, ids=[repr(end) for end in ENDS])
def test_texts_with_odd_ends_fit_alike(end: str) -> None:
    """Every pattern of the schema, against texts in its form with something put before, behind or between."""
    patterns = {
        (name, slot): told.get("pattern") or told.get("items", {}).get("pattern")
        for name, node in schema()["$defs"].items()
        for slot, told in node.get("properties", {}).items()
    }
    draw = Random(end)
    tried = 0
    for pattern in sorted({pattern for pattern in patterns.values() if pattern}):
        quick = jsonschema_rs.validator_for({"type": "string", "pattern": pattern.replace(r"(?!\n)$", "$")})
        full = jsonschema_rs.validator_for({"type": "string", "pattern": pattern})
        text = fitting(draw, {"type": "string", "pattern": pattern})
        for odd in (text, text + end, end + text, f"{text}{end}{text}", end, text[:1] + end + text[1:]):
            assert quick.is_valid(odd) == full.is_valid(odd), (pattern, odd)
            tried += 1
    assert tried > 100


def test_the_two_ways_are_really_two() -> None:
    """The short way is taken by every file of the pilot bank, else nothing above would compare anything."""
    for file in sorted(PILOT.rglob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        assert repr(plain_value(text)) == repr(carefully(text).value)
        assert read_bytes(text.encode(), Document(file)).problems == []
