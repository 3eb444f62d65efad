"""`fmt` from the command line: what it writes, what it only tells, and that the other verbs write what it accepts."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from divisionbell import __main__
from divisionbell.author import format_bank
from divisionbell.bank.load import load
from divisionbell.bank.read import Document, read
from divisionbell.cli.fmt import command
from divisionbell.sources.ches import FIELDS

UNTIDY = "# yaml-language-server: $schema=x\n\n\nevaluations:   []   # none yet\n"
TIDY = "# yaml-language-server: $schema=x\n\nevaluations: [] # none yet\n"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def snapshot(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def untidy(copied_bank: Path) -> Path:
    file = copied_bank / "evaluations.yaml"
    file.write_text(UNTIDY, encoding="utf-8")
    return file


@pytest.mark.parametrize("bank", ["bank", "tests/pilot/bank"])
def test_the_shipped_files_are_in_their_form(
    repository: Path, bank: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    assert run(monkeypatch, "fmt", "--check", "--bank", bank) == 0, capsys.readouterr().out
    out = capsys.readouterr().out
    files = len(list((repository / bank).rglob("*.yaml"))) + 1
    assert out == f"{bank}/: {files} files, 0 would change\n"


def test_one_file_is_rewritten_and_no_other(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(Path())
    assert run(monkeypatch, "fmt") == 0
    out = capsys.readouterr().out
    assert out == "bank/evaluations.yaml:3:1: rewritten from here on\nbank/: 20 files, 1 rewritten\n"
    after = snapshot(Path())
    assert after.pop(untidy)[1].decode() == TIDY
    before.pop(untidy)
    assert after == before
    assert run(monkeypatch, "fmt") == 0
    assert capsys.readouterr().out == "bank/: 20 files, 0 rewritten\n"


def test_check_writes_nothing(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(Path())
    assert run(monkeypatch, "fmt", "--check") == 1
    assert capsys.readouterr().out.splitlines() == [
        'bank/evaluations.yaml:3:1: "" would be "evaluations: [] # none yet"',
        "  fix: divisionbell fmt",
        "bank/: 20 files, 1 would change",
    ]
    assert run(monkeypatch, "fmt", "--diff") == 1
    told = capsys.readouterr().out
    assert told.startswith("--- bank/evaluations.yaml\n+++ bank/evaluations.yaml\n@@ -1,4 +1,3 @@\n")
    assert "-evaluations:   []   # none yet\n+evaluations: [] # none yet\n" in told
    assert snapshot(Path()) == before
    assert untidy.read_text(encoding="utf-8") == UNTIDY


def test_json(untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    (untidy.parent / "excluded" / "bad.yaml").write_text("a: 1\na: 2\n", encoding="utf-8")
    assert run(monkeypatch, "fmt", "--check", "--diff", "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["format"], told["bank"], told["clean"], told["files"]) == ("divisionbell-fmt/1", "bank", False, 21)
    (changed,) = told["changed"]
    assert (changed["path"], changed["line"], changed["before"]) == ("bank/evaluations.yaml", 3, '""')
    assert changed["written"] is False
    assert "+evaluations: [] # none yet\n" in changed["diff"]
    (finding,) = told["findings"]
    assert (finding["rule"], finding["path"], finding["line"]) == ("SCH001", "bank/excluded/bad.yaml", 2)
    assert finding["related"][0]["line"] == 1
    assert told["not_written"] == []
    untidy.chmod(0o444)
    assert run(monkeypatch, "fmt", "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    assert "it is read-only" in told["not_written"][0]["message"]
    untidy.chmod(0o644)
    assert run(monkeypatch, "fmt", "--format", "json", "bank/evaluations.yaml") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["clean"], told["files"], told["changed"][0]["written"]) == (True, 1, True)


def test_an_unreadable_file_is_a_finding_and_the_others_are_formatted(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = untidy.parent / "excluded" / "bad.yaml"
    bad.write_text("a: 1\na:   2\n", encoding="utf-8")
    strange = untidy.parent / "excluded" / "strange.yaml"
    strange.write_bytes("e\u0301: x\n".encode())
    assert run(monkeypatch, "fmt") == 1
    out = capsys.readouterr().out
    assert "bank/excluded/bad.yaml:2:1: error[SCH001] key a stands twice\n" in out
    assert "bank/excluded/strange.yaml:1:1: error[SCH001] text is not in Unicode form NFC\n" in out
    assert out.endswith("bank/: 22 files, 1 rewritten, 2 cannot be read\n")
    assert untidy.read_text(encoding="utf-8") == TIDY
    assert bad.read_text(encoding="utf-8") == "a: 1\na:   2\n"


def test_what_cannot_be_written_is_told_and_the_others_are_written(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fixed = untidy.parent / "bank.yaml"
    fixed.write_text("\n" + fixed.read_text(encoding="utf-8"), encoding="utf-8")
    fixed.chmod(0o444)
    assert run(monkeypatch, "fmt") == 1
    said = capsys.readouterr()
    assert said.err == ("error: bank/bank.yaml was not written: it is read-only\n  fix: make the file writable\n")
    assert said.out.endswith("bank/: 20 files, 1 rewritten\n")
    assert untidy.read_text(encoding="utf-8") == TIDY
    assert fixed.read_text(encoding="utf-8").startswith("\n")


def test_nothing_outside_the_bank_is_written(
    untidy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "x.yaml").write_text("a:   1\n", encoding="utf-8")
    (outside / "data_sources.yaml").write_bytes(b"\n" + Path("data_sources.yaml").read_bytes())
    (untidy.parent / "excluded" / "link.yaml").symlink_to(outside / "x.yaml")
    (untidy.parent / "excluded" / "folder").symlink_to(outside)
    Path("data_sources.yaml").unlink()
    Path("data_sources.yaml").symlink_to(outside / "data_sources.yaml")
    (tmp_path / "beside.yaml").write_text("a:   1\n", encoding="utf-8")
    before = snapshot(outside) | snapshot(untidy.parent / "freeze")
    assert run(monkeypatch, "fmt") == 1
    said = capsys.readouterr()
    assert "bank/excluded/link.yaml:1:1: error[SCH001] leads out of the bank folder" in said.out
    assert "bank/excluded/folder:1:1: error[SCH001] leads out of the bank folder" in said.out
    assert "data_sources.yaml was not written: it is a link" in said.err
    assert snapshot(outside) == before
    assert Path("data_sources.yaml").is_symlink()
    assert (tmp_path / "beside.yaml").read_text(encoding="utf-8") == "a:   1\n"


def test_paths(untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "fmt", "--check", "bank/dossiers", "data_sources.yaml") == 0
    assert capsys.readouterr().out == "bank/: 13 files, 0 would change\n"
    assert run(monkeypatch, "fmt", "--check", "bank/evaluations.yaml") == 1
    Path("other.yaml").write_text("a:   1\n", encoding="utf-8")
    (untidy.parent / "freeze").mkdir(exist_ok=True)
    for path in ("other.yaml", "bank/freeze", "bank/CODEBOOK.md", "bank/nowhere.yaml"):
        assert run(monkeypatch, "fmt", path) == 2
    assert run(monkeypatch, "fmt", "--bank", "nowhere") == 2
    assert Path("other.yaml").read_text(encoding="utf-8") == "a:   1\n"


def from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return run(monkeypatch, "fmt", *arguments, "-")


def test_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)  # no bank is needed
    assert from_standard_input(monkeypatch, "\ufeffa:  é # \u200b\r\n".encode()) == 0
    assert capfdbinary.readouterr().out == "a: é # \u200b\n".encode()
    assert from_standard_input(monkeypatch, b"a: 1\n") == 0
    assert capfdbinary.readouterr().out == b"a: 1\n"
    for data in (b"a: [\n", b"", b"\xff", b"a: &x 1\n", b"x" * 4_000_001):
        assert from_standard_input(monkeypatch, data) == 1
        said = capfdbinary.readouterr()
        assert said.out == b""
        assert said.err.startswith(b"<stdin>:")
        assert b"error[SCH001]" in said.err
    assert from_standard_input(monkeypatch, b"a:  1\n", "--check") == 1
    assert capfdbinary.readouterr().out.startswith(b'<stdin>:1:1: "a:  1" would be "a: 1"\n')
    assert from_standard_input(monkeypatch, b"a: 1\n", "--check") == 0
    assert from_standard_input(monkeypatch, b"a:  1\n", "--diff", "--format", "json") == 1
    capfdbinary.readouterr()
    assert from_standard_input(monkeypatch, b"a: 1\n", "--format", "json") == 2
    assert from_standard_input(monkeypatch, b"a: 1\n", "x.yaml") == 2


def test_a_fault_of_ours_is_told_as_one_and_stops_no_other(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = format_bank.canonical

    def wrong(document: Document) -> str:
        return "version: 2\n" if document.path.name == "bank.yaml" else real(document)

    monkeypatch.setattr(format_bank, "canonical", wrong)
    monkeypatch.setenv("TMPDIR", str(untidy.parent.parent))
    before = (untidy.parent / "bank.yaml").read_bytes()
    assert run(monkeypatch, "fmt") == 3
    said = capsys.readouterr()
    assert "error: bank/bank.yaml was not formatted: its canonical text would not say the same" in said.err
    assert "this is a fault of divisionbell" in said.err
    assert (untidy.parent / "bank.yaml").read_bytes() == before
    assert untidy.read_text(encoding="utf-8") == TIDY


def test_nothing_unescaped_is_shown(
    untidy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    untidy.write_text("evaluations:   [] # \u202e\u200b", encoding="utf-8")
    for option in ("--check", "--diff"):
        assert run(monkeypatch, "fmt", option) == 1
        out = capsys.readouterr().out
        assert "\\u202e\\u200b" in out
        assert not {"\u202e", "\u200b", "\u0085"} & set(out)


@pytest.mark.parametrize("exclude", [False, True])
def test_new_mirror_and_hash_write_canonical_files(
    copied_bank: Path, exclude: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = {"CONS": 7.5, "LAB": 4.0, "LIBDEM": 4.5, "SNP": 3.5, "Plaid": 3.0, "GPEW": 2.0, "REF UK": 8.5}
    rows = ["country,party," + ",".join(FIELDS)]
    rows += [f"uk,{label}," + ",".join([str(value)] * len(FIELDS)) for label, value in labels.items()]
    Path("survey.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    parties = {"Labour": {"aye": 180, "no": 0}, "Conservative": {"aye": 0, "no": 100}}
    row = {"division_id": 99002, "date": "2024-11-25T21:50:00", "number": 47, "title": "Orchards: a # b"}
    row |= {"aye_count": 180, "no_count": 100, "parties": parties, "tellers": None, "source_repo": "a/b"}  # type: ignore[dict-item]
    row |= {
        "source_path": "c.json",
        "source_commit": "d" * 40,
        "party_source": {"repo": "e", "path": "g", "commit": "h"},
    }  # type: ignore[dict-item]
    Path("copy.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    kind = ["--axis", "social", "--exclude", "ambiguous"] if exclude else ["--family", "public-protest"]
    told = ["new", "99002", "--from", "copy.jsonl", "--ches", "survey.csv", "--aye", "negative", "--slug", "orchards"]
    assert run(monkeypatch, *told, "--agent", "drafting-software", *kind, "--reversed") == 0
    assert run(monkeypatch, "review", "party-space", "99002", "--ches", "survey.csv") == 0
    assert run(monkeypatch, "fmt", "--check") == 0, capsys.readouterr().out
    dossier = next(d for d in load(copied_bank).dossiers if d.value["dossier_id"] != "commons-99002")
    mark, _ = dossier.mark(("items", 1))
    gone, original = (dossier.value["items"][number]["item_id"] for number in (1, 0))
    kept = [*dossier.lines[: mark.line - 1], *dossier.lines[mark.end_line :]]
    text = "\n".join(line for line in kept if f"- {gone}" not in line) + "\n"
    stale = dossier.value["items"][0]["transformation_sha256"]
    dossier.path.write_text(text.replace(stale, "a" * 64), encoding="utf-8")
    if not exclude:
        next(copied_bank.rglob("99002-*")).unlink()
    assert run(monkeypatch, "hash", dossier.path.as_posix()) == 0
    assert read(dossier.path).value["items"][0]["transformation_sha256"] != "a" * 64
    assert run(monkeypatch, "mirror", original) == 0
    assert run(monkeypatch, "fmt", "--check") == 0, capsys.readouterr().out


def test_help_says_what_the_table_says() -> None:
    from divisionbell.cli import VERBS

    assert VERBS["fmt"] == ("fmt", command.get_short_help_str())


def test_many_files_are_quick_and_untouched(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole shipped bank, every file read and laid out; the limit leaves room for a slow and busy machine."""
    monkeypatch.chdir(repository)
    began = os.times()
    assert run(monkeypatch, "fmt", "--check") == 0
    ended = os.times()
    assert ended.user - began.user < 6
