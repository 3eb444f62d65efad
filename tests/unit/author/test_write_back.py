"""What is written is read back equal by the strict reader, and an edit in place moves nothing else."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from divisionbell.author.write_back import append_item, emit, replace_block, replace_scalar, schema_line, write_checked
from divisionbell.bank.read import Document, read_bytes
from divisionbell.diagnostics import Findings

AWKWARD = [
    "no", "1e5", "0o17", "2026-01-01", "08", "010", "1.", ".5", "+1", "-0", "0x1f", "1_000", "12:30:45", "~",
    "null", "Null", "true", "True", ".inf", ".NaN", "<<", "=", "", " leading", "trailing ", "a\nb", "\na", "a\n",
    " a\n b", "a\n\nb", "# not a comment", "a # b", "a: b", "- a", "? a", "'", '"', "''", "it's", "%x", "@x", "`x",
    "&x", "*x", "!x", "|", ">", "[a]", "{a: b}", "\t", "a\tb", "\u2028", "\x85", "\ufeff", "\x00", "\x7f", "é",
    "\U0001f600", "word " * 60 + "end", "x" * 300, "word " * 30 + " two blanks  here " + "word " * 10,
    "12345678901234567890e4", "a" * 99 + " # b", "...", "---", "y", "off", "\r", "a\r\nb", "a\\b", "-", ":", "a:",
    ": a", "1e999", "123456789012345678901",
]  # fmt: skip
TEXT = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(max_size=30),
    st.text(st.sampled_from("ab 0.:#-'\"\n\t>|e+é"), max_size=160),
).map(lambda text: unicodedata.normalize("NFC", text).encode("utf-8", "ignore").decode())
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e6, 1e6).map(lambda number: round(number, 4) + 0.0)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def reread(text: str) -> Any:
    document = read_bytes(text.encode("utf-8"), Document(Path("x.yaml")))
    assert document.problems == [], text
    return document.value


def document_of(text: str) -> Document:
    document = read_bytes(text.encode("utf-8"), Document(Path("x.yaml")))
    assert document.problems == []
    return document


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts(text: str) -> None:
    value = {"a": text, "b": [text, {"c": text}], text or "empty": 1}
    assert reread(emit(value)) == value


@given(st.dictionaries(TEXT, JSON, max_size=4))
@example({"": {"a": [[], {}, [[1]]]}})
def test_what_is_written_is_read_back_equal(value: dict[str, Any]) -> None:
    assert reread(emit(value)) == value
    assert repr(reread(emit(value))) == repr(value)


@given(st.dictionaries(TEXT.filter(lambda key: key != "outer"), JSON, min_size=1, max_size=3))
def test_an_indented_block_is_read_back_equal(value: dict[str, Any]) -> None:
    assert reread("outer:\n" + emit(value, 4)) == {"outer": value}


FILE = """# first line

a: 1   # one
long: >-
  folded text
  goes on

# about the block
block:
  - x   # why x
  # within
  - y
# after the block

items:
- k: 1
  digest:   # run hash
- k: 2
  digest: 'old'   # quoted
  flow: {p: 1, q: [2]}
# the end
last: z
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("path", "line", "written"),
    [
        (("a",), 3, "a: new   # one"),
        (("items", 0, "digest"), 17, "  digest: new   # run hash"),
        (("items", 1, "digest"), 19, "  digest: new   # quoted"),
        (("last",), 22, "last: new"),
    ],
)
def test_one_value_in_place(start: str, end: str, path: tuple[Any, ...], line: int, written: str) -> None:
    text = start + FILE.replace("\n", end)
    changed = replace_scalar(document_of(text), path, "new").split(end)
    before = text.split(end)
    assert changed[line - 1].removeprefix("\ufeff") == written
    del changed[line - 1], before[line - 1]
    assert changed == before


def test_a_value_is_quoted_where_it_must_be() -> None:
    changed = replace_scalar(document_of(FILE), ("a",), "1e5")
    assert document_of(changed).value["a"] == "1e5"


def test_a_long_value_is_folded_below_its_key() -> None:
    long = "word " * 40 + "end"
    for path in (("a",), ("items", 1, "digest"), ("block", 1)):
        changed = document_of(replace_scalar(document_of(FILE), path, long))
        value: Any = changed.value
        for step in path:
            value = value[step]
        assert value == long
        assert len(changed.lines) == len(FILE.splitlines()) + 2
    changed = document_of(replace_scalar(document_of(FILE), ("items", 0, "digest"), long))
    assert "  digest: >-   # run hash\n    word" in changed.text


@pytest.mark.parametrize("path", [("long",), ("block",), ("items", 1, "flow", "p"), ("nothing",)])
def test_values_that_have_no_line_of_their_own(path: tuple[Any, ...]) -> None:
    with pytest.raises(Findings):
        replace_scalar(document_of(FILE), path, "new")


def test_a_block_in_place() -> None:
    changed = replace_block(document_of(FILE), ("block",), ["new", "2"])
    assert changed == FILE.replace("  - x   # why x\n  # within\n  - y\n", "  - new\n  - '2'\n")
    changed = replace_block(document_of(FILE), ("items", 1, "flow"), {"p": [1]})
    assert document_of(changed).value["items"][1] == {"k": 2, "digest": "old", "flow": {"p": [1]}}
    changed = replace_block(document_of(FILE), ("items", 1, "k"), {"deep": [1]})
    assert document_of(changed).value["items"][1] == {"k": {"deep": [1]}, "digest": "old", "flow": {"p": 1, "q": [2]}}
    changed = replace_block(document_of(FILE), ("items",), [{"k": 3}])
    assert document_of(changed).value == {**document_of(FILE).value, "items": [{"k": 3}]}
    assert "# the end\nlast: z\n" in changed
    changed = replace_block(document_of(FILE), ("long",), "short")
    assert changed == FILE.replace("long: >-\n  folded text\n  goes on\n", "long: short\n")


def test_a_block_within_a_line_is_refused() -> None:
    for path in (("items", 1, "flow", "p"), ("nothing",)):
        with pytest.raises(Findings):
            replace_block(document_of(FILE), path, 1)


def test_an_element_more() -> None:
    changed = append_item(document_of(FILE), ("items",), {"k": 3, "l": ["m"]})
    assert changed == FILE.replace("# the end", "- k: 3\n  l:\n    - m\n# the end")
    changed = append_item(document_of(FILE), ("block",), "z")
    assert changed == FILE.replace("  - y\n", "  - y\n  - z\n")
    nested = "a:\n  b:\n    - c: >-\n        x\n\n    # remark\n  d: 1"
    changed = append_item(document_of(nested), ("a", "b"), {"c": "y"})
    assert changed == "a:\n  b:\n    - c: >-\n        x\n    - c: y\n\n    # remark\n  d: 1\n"
    for path in (("items", 1, "flow", "q"), ("a",), ("nothing",)):
        with pytest.raises(Findings):
            append_item(document_of(FILE), path, 1)


def test_nothing_is_written_that_cannot_be_read_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "x.yaml"
    for text, expected in (("a: b\na: c\n", None), ("a: 1\n", {"a": 2})):
        with pytest.raises(Findings):
            write_checked(file, text, expected)
    assert not file.exists()
    write_checked(file, "a: 1\n", {"a": 1})
    assert [path.name for path in file.parent.iterdir()] == ["x.yaml"]


def test_the_editors_line(tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    file = bank / "dossiers" / "social" / "x.yaml"
    editor = tmp_path / "schemas"
    editor.mkdir()
    bank.mkdir()

    def line(first: str) -> str:
        (bank / "bank.yaml").write_text(first + "\nbank_id: x\n", encoding="utf-8")
        return schema_line(bank, file, "dossier")

    start = "# yaml-language-server: $schema="
    assert line(f"{start}../schemas/bank.schema.json") == f"{start}../../../schemas/dossier.schema.json\n"
    assert line(f"{start}https://x.org/s/bank.schema.json") == f"{start}https://x.org/s/dossier.schema.json\n"
    for first in (f"{start}../gone/bank.schema.json", "# a remark", ""):
        told = line(first).removeprefix(start).strip()
        assert (file.parent / told).resolve().is_file() or (Path(file.parent, told)).name == "dossier.schema.json"
        assert told.endswith("model/editor/dossier.schema.json")
