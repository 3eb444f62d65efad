"""The canonical form: each thing has one way to stand, comments stay at the thing they belong to, files are safe."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from divisionbell.author import format_bank
from divisionbell.author.format_bank import (
    FormatFault,
    bank_yaml,
    first_difference,
    format_document,
    format_files,
    formatted,
    rewrite,
    unified_diff,
)
from divisionbell.author.layout import canonical, emit, laid_out
from divisionbell.author.remarks import remarks
from divisionbell.bank.canonical import extract_sha256, transformation_sha256
from divisionbell.bank.load import Bank, load
from divisionbell.bank.manifest import record_file, records
from divisionbell.bank.read import Document, Mark, read, read_bytes
from divisionbell.diagnostics import Findings


def document_of(text: str, path: Path = Path("x.yaml")) -> Document:
    document = read_bytes(text.encode("utf-8"), Document(path))
    assert document.problems == [], text
    return document


def comments(document: Document) -> list[str]:
    return [remark.text for remark in remarks(document) if remark.text]


LONG = "word " * 24 + "end"
FOLDED = ">-\n  " + "word " * 23 + "word\n  end"

LAYOUTS = {
    "indentation": ("a:\n      b:\n            c: 1\n", "a:\n  b:\n    c: 1\n"),
    "a list at its key's column": ("a:\n- x\n- y\nb: 1\n", "a:\n  - x\n  - y\nb: 1\n"),
    "lists of lists": ("a:\n-   - x\n    -\n      - y\n-\n  - - z\n", "a:\n  - - x\n    - - y\n  - - - z\n"),
    "a mapping below its dash": ("-\n   a: 1\n   b: 2\n", "- a: 1\n  b: 2\n"),
    "quotes that are not needed": ("a: 'x'\nb: \"it's\"\n\"c\": ''\n", "a: x\nb: it's\nc: ''\n"),
    "quotes that are needed": (
        'a: "no"\nb: "1e5"\nc: "2026-01-01"\nd: "# x"\ne: "- x"\nf: "x: y"\ng: "x #y"\nh: "~"\ni: "%x"\nj: "@x"\n',
        "a: 'no'\nb: '1e5'\nc: '2026-01-01'\nd: '# x'\ne: '- x'\nf: 'x: y'\ng: 'x #y'\nh: '~'\ni: '%x'\nj: '@x'\n",
    ),
    "no quotes for a mark within": ("a: 'x#y'\nb: 'x:y'\nc: '-x'\nd: '?x'\n", "a: x#y\nb: x:y\nc: -x\nd: ?x\n"),
    "words and numbers": (
        "a:   true\nb: Null\nc: ~\nd: -1.5\ne: 1.0\nf: 1e-07\n",
        "a: true\nb:\nc:\nd: -1.5\ne: 1.0\nf: 1e-07\n",
    ),
    "flow collections": (
        "a: {p: [x, {q: y}], r: {}}\nb: [[1, 2], []]\n",
        "a:\n  p:\n    - x\n    - q: y\n  r: {}\nb:\n  - - 1\n    - 2\n  - []\n",
    ),
    "a pair within brackets": ("[a: 1, b]\n", "- a: 1\n- b\n"),
    "a whole file in brackets": ("{a: [x]}", "a:\n  - x\n"),
    "long text": (
        f"a: {LONG}\nb:\n  - '{LONG}'\n",
        f"a: {FOLDED}\nb:\n  - {FOLDED.replace('  ', '    ')}\n",
    ),
    "text folded where it need not be": ("a: >-\n  some\n  words\n", "a: some words\n"),
    "text over several lines": ("a: some\n   words\n\n   more\nb: 'x\n  y'\n", "a: |-\n  some words\n  more\nb: x y\n"),
    "long text with two blanks": (f"a: '{LONG}  {LONG}'\n", f"a: {FOLDED}  {'word ' * 22}word\n  word end\n"),
    "text that ends in a line feed": (
        "a: |\n  x\nb: |\n  x\n  y\nc: |+\n  x\n\n",
        'a: "x\\n"\nb: |\n  x\n  y\nc: "x\\n\\n"\n',
    ),
    "long text that ends in a line feed": (f"a: >\n  {LONG}\n", f"a: {FOLDED.replace('>-', '>')}\n"),
    "indentation indicators": ("a: |4-\n      x\n    y\nb: |2\n   x\n  y\n", "a: |2-\n    x\n  y\nb: |2\n   x\n  y\n"),
    "trailing blanks in text": ('a: "x \\ny"\nb: "x "\n', 'a: "x \\ny"\nb: \'x \'\n'),
    "escapes": ('a: "\\x41\\u00e9\\U0001F600\\t\\0\\x85\\u2028\\uFEFF"\n', 'a: "Aé\U0001f600\\t\\0\\N\\L\\ufeff"\n'),
    "line ends of other systems": ("a: 1\r\nb:\r\n  - x\r\n", "a: 1\nb:\n  - x\n"),
    "a byte order mark": ("\ufeffa: 1\n", "a: 1\n"),
    "a document mark": ("---\na: 1\n...\n", "a: 1\n"),
    "a directive": ("%YAML 1.2\n# c\n---\na: 1\n", "# c\na: 1\n"),
    "no line feed at the end": ("a: 1", "a: 1\n"),
    "blank lines": ("\n\na: 1\n\n\n\nb:\n\n  c: 1\n  \n  d: 2\n\n\n", "a: 1\n\nb:\n  c: 1\n\n  d: 2\n"),
    "trailing blanks": ("a: 1   \nb:  \n  c: 2 \n# x \n", "a: 1\nb:\n  c: 2\n# x\n"),
    "empty values": ("a:\nb: null\nc:\n  -\n  - ~\n", "a:\nb:\nc:\n  -\n  -\n"),
    "odd keys": (
        "\"\": 1\n'a: b': 2\n? c\n: 3\n\"d\\te\": 4\n'1': 5\n? |\n  f\n: 6\n\"g\": 7\n",
        "'': 1\n'a: b': 2\nc: 3\n\"d\\te\": 4\n'1': 5\n\"f\\n\": 6\ng: 7\n",
    ),
    "keys that stand alone": ("? a\n? b\n", "a:\nb:\n"),
    "a key too long for one line": (f"? {'k' * 1100}\n: - x\n", f"? {'k' * 1100}\n:\n  - x\n"),
    "a scalar alone": ("--- text\n", "text\n"),
    "null alone": ("---\n", "null\n"),
    "text alone": ("--- |\n  a\n  b\n# c\n", "|\n  a\n  b\n# c\n"),
    "nothing alone": ("[]   # c\n", "[] # c\n"),
}  # fmt: skip

COMMENTS = {
    "the editor's line": (
        "# yaml-language-server: $schema=x\n\n\na:   1\n",
        "# yaml-language-server: $schema=x\n\na: 1\n",
    ),
    "before keys and elements": (
        "# 1\na:\n      # 2\n      - x\n   # 3\n\n      # 4\n      - y\n# 5\nb: 1\n",
        "# 1\na:\n  # 2\n  - x\n  # 3\n\n  # 4\n  - y\n# 5\nb: 1\n",
    ),
    "at line ends": ("a: 1   # 1\nb:\t# 2\n  - x\t # 3\nc: [] # 4\n", "a: 1 # 1\nb: # 2\n  - x # 3\nc: [] # 4\n"),
    "behind text in quotes": ("a: 'x # no'   # 1\nb: \"y\"#2\n", "a: 'x # no' # 1\nb: y #2\n"),
    "of text in blocks": (
        f"a: >- # 1\n  {LONG}\n  # no comment\nb: |-   # 2\n  x\n   # none\n # 3\nc: '{LONG}' # 4\n",
        f"a: >- # 1\n  {'word ' * 23}word\n  end # no comment\nb: |- # 2\n  x\n   # none\n# 3\n"
        f"c: {FOLDED.replace('-', '- # 4', 1)}\n",
    ),
    "at the end of lists and mappings": (
        "a:\n  - b: 1\n    # of b\n  # of a\n# of c\nc: 1\n  # odd\n# end\n",
        "a:\n  - b: 1\n    # of b\n  # of a\n# of c\nc: 1\n# odd\n# end\n",
    ),
    "at the end of a list at its key's column": ("a:\n- x\n# of b\nb:\n- y\n", "a:\n  - x\n# of b\nb:\n  - y\n"),
    "at the end of the file": ("a:\n  - x\n\n\n  # of a\n\n# end\n\n\n", "a:\n  - x\n\n  # of a\n\n# end\n"),
    "for what is not yet written": (
        "a:   # write\n  # - x\n  # - y\nb: [] # none\n   # - z\nc:\n-\n  # w\n- v\n",
        "a: # write\n  # - x\n  # - y\nb: [] # none\n  # - z\nc:\n  -\n    # w\n  - v\n",
    ),
    "between key and value": (
        "a: # 1\n  x\nb:\n  # 2\n\n  x\nc: # 3\n  x # 4\nd: # 5\n  # 6\n  - x\n",
        "a: x # 1\n# 2\nb: x\n# 3\nc: x # 4\nd: # 5\n  # 6\n  - x\n",
    ),
    "behind a dash": (
        "- # 1\n  a: 1\n\n# 2\n-   # 3\n  x\n- # 4\n  - # 5\n    y\n-\n # 6\n a: # 7\n",
        "# 1\n- a: 1\n\n# 2\n- x # 3\n# 4\n- - y # 5\n# 6\n- a: # 7\n",
    ),
    "behind question marks": (
        "? a # 1\n: 1\n? b # 2\n: 2 # 3\n? c\n# 4\n: # 5\n  - x\n? d\n# 6\n? e\n",
        "a: 1 # 1\n# 2\nb: 2 # 3\nc:\n  # 4\n  # 5\n  - x\nd:\n# 6\ne:\n",
    ),
    "within brackets": (
        "a: [x, # 1\n  # 2\n  y # 3\n  , # 4\n  {p: 1, # 5\n   q: 2} # 6\n  # 7\n ] # 8\nb: 1\n",
        "a:\n  - x # 1\n  # 2\n  - y # 3\n  # 4\n  - p: 1 # 5\n    q: 2\n    # 6\n  # 7\n  # 8\nb: 1\n",
    ),
    "behind brackets": (
        "a: [x] # 1\nb: # 2\n  [x] # 3\nc: [ # 4\n  x]\nd:\n  - [x] # 5\n  - {e: [y]} # 6\n  - [ # 7\n    ]\n",
        "a: # 1\n  - x\nb: # 2\n  - x\n  # 3\nc: # 4\n  - x\n"
        "d:\n  # 5\n  - - x\n  # 6\n  - e:\n      - y\n  - [] # 7\n",
    ),
    "at document marks": ("# 1\n--- # 2\na: 1\n... # 3\n# 4\n", "# 1\n# 2\na: 1\n# 3\n# 4\n"),
    "without a blank": ("#1\na: 1 #2\n", "#1\na: 1 #2\n"),
    "that look like lists": ("a:\n# - no\n- x\n  # - no\n- y\n", "a:\n  # - no\n  - x\n  # - no\n  - y\n"),
    "in other systems' lines": ("# 1\r\na: 1 # 2\r\n\r\n# 3", "# 1\na: 1 # 2\n\n# 3\n"),
    "behind a byte order mark": ("\ufeff# 1\na: 1\n", "# 1\na: 1\n"),
    "in other alphabets": ("# é\u200b\U0001f600 \xa0\na: 1\n", "# é\u200b\U0001f600 \xa0\na: 1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), [pytest.param(*v, id=k) for k, v in {**LAYOUTS, **COMMENTS}.items()])
def test_the_canonical_form(before: str, after: str) -> None:
    document = document_of(before)
    text = canonical(document)
    assert text == after
    again = document_of(text)
    assert repr(again.value) == repr(document.value)
    assert comments(again) == comments(document)
    assert canonical(again) == laid_out(again) == text
    assert text == formatted(document)


def test_most_of_those_comments_were_seen() -> None:
    assert sum(len(comments(document_of(before))) for before, _ in COMMENTS.values()) > 70


def test_a_sign_within_text_is_no_comment() -> None:
    text = "a: x#y\nb: 'x # y'\nc: \"# x\n  # y\"\nd: |\n  # x\n\n  y # z\n'# e': - # f\n"
    assert comments(document_of(text.replace(": - # f", ": 1 # f"))) == ["# f"]
    assert comments(document_of("a: >-\n  # x\nb: |+\n  y\n\n  # z\n # w\n")) == ["# w"]


def test_what_emit_writes_is_canonical(repository: Path) -> None:
    files, problems = bank_yaml(repository / "tests" / "pilot" / "bank")
    assert problems == []
    assert len(files) > 15
    for file in files:
        document = document_of(emit(read(file).value))
        assert canonical(document) == laid_out(document) == document.text


def test_emit_writes_json_only() -> None:
    for value in (object(), {"a": (1,)}, [b"x"]):
        with pytest.raises(TypeError):
            emit(value)


def test_other_readers_agree(repository: Path) -> None:
    """What is written is read the same by YAML 1.1, except for what 1.1 cannot say: so text is quoted for both."""
    for file in bank_yaml(repository / "tests" / "pilot" / "bank")[0]:
        assert yaml.safe_load(canonical(read(file))) == read(file).value
    words = ["no", "on", "Yes", "12:30:45", "0b1", "1_000", "=", "<<", "2026-01-01", "0o7", "010", ".5"]
    assert yaml.safe_load(emit(words)) == document_of(emit(words)).value == words


def ends(mark: Mark) -> set[int]:
    """The lines on which a scalar ends, and so a remark may follow."""
    if mark.children is None:
        return {mark.end_line}
    held = mark.children.values() if isinstance(mark.children, dict) else mark.children
    return {line for child in held for line in ends(child)}


def disordered(document: Document, draw: random.Random) -> str:
    """The text of a bank file by another hand: quotes, wide blanks, remarks, blank lines, other line ends."""
    last = ends(document.root)
    lines = []
    for number, line in enumerate(document.lines, start=1):
        lines.append(line.replace(": economic", ":    'economic'   # why") if line.endswith(": economic") else line)
        if number in last and draw.random() < 0.1:
            lines += ["", "# a remark", ""]
    return "\r\n".join(lines)


def lines_of(bank: Bank) -> bytes:
    return record_file(records(bank))


def test_no_digest_changes(frozen_bank: Path) -> None:
    draw = random.Random(3)
    before = load(frozen_bank)
    wanted = lines_of(before)
    was = {document.path: document.value for _, document in before.documents()}
    remarks_had = 0
    for file in bank_yaml(frozen_bank)[0]:
        file.write_bytes(disordered(read(file), draw).encode())
        document = read(file)
        assert document.problems == []
        assert document.value == was[file]
        remarks_had += len(comments(document))
        rewrite(format_document(document))
        assert read(file).value == was[file]
        assert laid_out(read(file)) == file.read_text(encoding="utf-8")
        value = read(file).value
        for item in value.get("items", []):
            assert item["transformation_sha256"] == transformation_sha256(value, item)
        for copy in value["source"]["copies"] if "source" in value else []:
            assert copy["extract_sha256"] == extract_sha256(value["source"], copy["supplies"])
    assert remarks_had > 200
    assert lines_of(load(frozen_bank)) == wanted


def test_the_files_of_a_bank(copied_bank: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text("a:   1\n", encoding="utf-8")
    (copied_bank / "freeze").mkdir()
    (copied_bank / "freeze" / "x.yaml").write_text("a:   1\n", encoding="utf-8")
    (copied_bank / "stray.yml").write_text("a: 1\n", encoding="utf-8")
    (copied_bank / "out.yaml").symlink_to(outside)
    (copied_bank / "in.yaml").symlink_to("bank.yaml")
    (copied_bank / "dossiers" / "away").symlink_to(tmp_path.parent)
    files, problems = bank_yaml(copied_bank)
    names = {file.relative_to(copied_bank).as_posix() for file in files if file.is_relative_to(copied_bank)}
    assert {"bank.yaml", "stray.yml", "analysis_plan.yaml"} <= names
    assert not names & {"out.yaml", "in.yaml", "freeze/x.yaml"}
    assert (tmp_path / "data_sources.yaml").resolve() in files
    assert sorted(p.location.path for p in problems) == ["bank/dossiers/away", "bank/out.yaml"]
    assert {p.message for p in problems} == {"leads out of the bank folder"}
    Path("data_sources.yaml").unlink()
    assert len(bank_yaml(copied_bank)[0]) == len(files) - 1


def written(path: Path, text: str = "a:   1\n") -> Document:
    path.write_text(text, encoding="utf-8")
    return read(path)


def test_two_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a:   1\n", "a: 1\n", "a: [\n", "# c\n\n\na: 1\n", "a: [ # c\n]\n"] * 3
    files = [written(tmp_path / f"{number}.yaml", text).path for number, text in enumerate(texts)]
    alone = format_files(files)
    monkeypatch.setattr(format_bank, "MANY", 2)
    assert format_files(files) == alone
    assert [file.path for file in alone] == files
    assert [(file.changed, bool(file.problems)) for file in alone[:5]] == [
        (True, False),
        (False, False),
        (False, True),
        (True, False),
        (True, False),
    ]


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    document = written(tmp_path / "x.yaml")
    document.path.chmod(0o640)
    rewrite(format_document(document))
    assert document.path.read_text(encoding="utf-8") == "a: 1\n"
    assert stat.S_IMODE(document.path.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["x.yaml"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    document = written(tmp_path / "x.yaml")
    document.path.write_text("a:   2\n", encoding="utf-8")
    with pytest.raises(Findings, match="it changed while it was being formatted"):
        rewrite(format_document(document))
    assert document.path.read_text(encoding="utf-8") == "a:   2\n"
    document.path.unlink()
    with pytest.raises(Findings, match="it changed while it was being formatted"):
        rewrite(format_document(document))
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    document = written(tmp_path / "x.yaml")
    document.path.chmod(0o444)
    with pytest.raises(Findings, match="it is read-only"):
        rewrite(format_document(document))
    assert document.path.read_text(encoding="utf-8") == "a:   1\n"


def test_no_link_is_written_through(tmp_path: Path) -> None:
    real = written(tmp_path / "real.yaml")
    link = tmp_path / "link.yaml"
    link.symlink_to(real.path)
    with pytest.raises(Findings, match="it is a link"):
        rewrite(format_document(read(link)))
    waiting = tmp_path / f".real.yaml.{os.getpid()}.part"
    other = tmp_path / "other"
    other.write_text("mine", encoding="utf-8")
    waiting.symlink_to(other)
    rewrite(format_document(read(real.path)))
    assert other.read_text(encoding="utf-8") == "mine"
    assert real.path.read_text(encoding="utf-8") == "a: 1\n"


@pytest.mark.parametrize(
    "wrong", ["a: 2 # c\n", "a: 1.0 # c\n", "a: true # c\n", "a: 1\n", "a: 1 # d\n", "a: [\n", "a: 1 # c\n# e\n"]
)
def test_a_wrong_layout_is_a_fault_of_ours(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format_bank, "canonical", lambda document: wrong)
    with pytest.raises(FormatFault, match="would not say the same"):
        formatted(document_of("a:   1 # c\n"))


def test_a_form_that_is_too_large_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    document = document_of("a: [" + "[x]," * 100 + "]\n")
    monkeypatch.setattr(format_bank, "MAX_BYTES", 500)
    with pytest.raises(Findings, match="would be larger than 500 bytes"):
        formatted(document)


def test_deep_and_long_files() -> None:
    deep = "[" * 32 + "x" + "]" * 32
    assert canonical(document_of(deep)) == "- " * 32 + "x\n"
    many = document_of("".join(f"# {n}\n-\n\n    # {n}\n    a: [x, # {n}\n  y]\n" for n in range(3000)))
    assert len(comments(document_of(canonical(many)))) == 9000


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("a: 1\nb:  2\n", "a: 1\nb: 2\n", (2, '"b:  2"', '"b: 2"')),
        ("a: 1\r\n", "a: 1\n", (1, "a line that ends in CR LF", "one that ends in LF")),
        ("a:  1\r\n", "a: 1\n", (1, '"a:  1\\u000d"', '"a: 1"')),
        ("a: 1", "a: 1\n", (1, '"a: 1"', '"a: 1\\u000a"')),
        ("a: 1\n\n", "a: 1\n", (2, '""', "nothing")),
        ("a: 1\n", "a: 1\nb\n", (2, "nothing", '"b"')),
        ("\ufeffa: \u202e1\n", "a: \u202e1\n", (1, '"\\ufeffa: \\u202e1"', '"a: \\u202e1"')),
        ("x" * 99, "y", (1, f'"{"x" * 70}…"', '"y"')),
        ("x" * 99 + "y\n", "x" * 99 + "z\n", (1, f'"…{"x" * 20}y"', f'"…{"x" * 20}z"')),
    ],
)
def test_the_first_difference(old: str, new: str, told: tuple[int, str, str]) -> None:
    assert first_difference(old, new) == told


def test_a_diff_is_safe_to_show() -> None:
    document = document_of("a: 1 # \u202e\r\nb:  2\n")
    told = unified_diff(format_document(document))
    assert "\r" not in told
    assert "\u202e" not in told
    assert "-b:  2\n" in told
    assert "+b: 2\n" in told
    assert unified_diff(format_document(document_of("a: 1"))).endswith("-a: 1\n\\ No newline at end of file\n+a: 1\n")


def test_marks_say_where_values_end() -> None:
    document = document_of("a : 'x'  # c\nb: [1,\n  2]\n? \"k\n  l\"\n: y\n  z\n")

    def ends(*path: Any) -> tuple[int, int, int, int]:
        mark, found = document.mark(path)
        assert found
        return mark.key_end_line, mark.key_end_column, mark.end_line, mark.end_column

    assert ends("a") == (1, 2, 1, 8)
    assert ends("b") == (2, 2, 3, 5)
    assert ends("b", 1) == (3, 3, 3, 4)
    assert ends("k l") == (5, 5, 7, 4)
