"""`freeze`, `verify` and `diff` from the command line: exit codes, formats, and what a terminal is given."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from divisionbell import __main__


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def started(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
        with pytest.raises(SystemExit) as ended:
            __main__.main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, captured.out, captured.err

    return started


def change(folder: Path, old: str = "Since last", new: str = "Since lost") -> Path:
    file = next(folder.glob("dossiers/*/*/1541-*.yaml"))
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return file


def test_diff_says_nothing_where_nothing_differs(frozen_bank: Path, run: Any) -> None:
    for other in ("WORKING", "0.1.0"):
        code, out, err = run("diff", "0.1.0", other)
        assert (code, err) == (0, "")
        assert out == f"0.1.0 → {other}: the same, 32 records compared\n"
        code, out, _ = run("diff", "0.1.0", other, "--format", "json")
        told = json.loads(out)
        assert (code, told["same"], told["changes"], told["counts"]) == (0, True, [], {})


def test_diff_of_the_working_files(frozen_bank: Path, run: Any) -> None:
    file = change(frozen_bank)
    code, out, err = run("diff", "0.1.0", "WORKING", "--bank", "bank")
    assert (code, err) == (1, "")
    assert out == (
        "dossier commons-1541\n"
        "  qstltic6 (1541/concrete)\n"
        f"    reworded: stem  {file.as_posix()}:192:14\n"
        "        Since [-last-] {+lost+} autumn, street officers in Veldrassow have …\n"
        "0.1.0 → WORKING: 1 item reworded\n"
    )
    code, out, _ = run("diff", "0.1.0", "WORKING", "--stat")
    assert (code, out) == (1, "dossier commons-1541: 1 reworded\n0.1.0 → WORKING: 1 item reworded\n")


def test_diff_as_json(frozen_bank: Path, run: Any) -> None:
    file = change(frozen_bank)
    change(frozen_bank, "ayes: 57", "ayes: 58")
    code, out, _ = run("diff", "0.1.0", "WORKING", "--format", "json")
    told = json.loads(out)
    assert code == 1
    assert told["format"] == "divisionbell-diff/1"
    assert (told["same"], told["old"]["name"], told["new"]["name"]) == (False, "0.1.0", "WORKING")
    assert len(told["old"]["records_sha256"]) == 64
    assert told["counts"] == {"dossiers with other source figures": 1, "items reworded": 1}
    figures, stem = sorted(told["changes"], key=lambda one: one["path"] != ["source", "ayes"])
    assert (figures["category"], figures["old"], figures["new"]) == ("source", 57, 58)
    assert (stem["category"], stem["item"], stem["alias"], stem["path"]) == (
        "reworded",
        "qstltic6",
        "1541/concrete",
        ["stem"],
    )
    assert stem["new"] == stem["old"].replace("Since last", "Since lost")
    assert (stem["place"]["path"], stem["place"]["column"]) == (file.as_posix(), 14)


def test_diff_of_whole_records_as_json(frozen_bank: Path, run: Any) -> None:
    next(frozen_bank.glob("dossiers/*/*/1541-*.yaml")).unlink()
    _, out, _ = run("diff", "0.1.0", "WORKING", "--format", "json")
    (gone,) = json.loads(out)["changes"]
    assert (gone["category"], gone["record"], gone["path"]) == ("withdrawn", "commons-1541", [])
    assert gone["note"] == "not among the excluded either"
    assert len(gone["old_sha256"]) == 64
    assert "new_sha256" not in gone


def test_a_file_that_cannot_be_read_is_no_sameness(frozen_bank: Path, run: Any) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    file.write_text("a: [", encoding="utf-8")
    code, out, _ = run("diff", "0.1.0", "WORKING")
    assert code == 1
    assert out.splitlines()[0].startswith(f"not compared: {file.as_posix()}:1:")
    assert out.endswith("0.1.0 → WORKING: 1 not compared\n")
    told = json.loads(run("diff", "0.1.0", "WORKING", "--format", "json")[1])
    assert [one["path"] for one in told["new"]["not_compared"]] == [file.as_posix()]


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "0.1.0"),
        ("diff", "0.1.0", "9.9.9"),
        ("diff", "WORKING", "0.1.0"),
        ("diff", "../../x", "0.1.0"),
        ("diff", "0.1.0", "working"),
        ("diff", "0.1.0", "WORKING", "--bank", "nowhere"),
        ("verify", "9.9.9"),
        ("verify", "../../x"),
        ("verify", "--format", "xml"),
        ("freeze", "0.1.0"),
        ("freeze", "../../x"),
        ("freeze", "9.9.9"),
    ],
)
@pytest.mark.usefixtures("frozen_bank")
def test_wrong_usage(arguments: tuple[str, ...], run: Any) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_a_damaged_version_is_not_a_difference(frozen_bank: Path, run: Any) -> None:
    path = frozen_bank / "freeze" / "0.1.0.records.jsonl"
    path.write_bytes(path.read_bytes() + b"{}\n")
    code, out, err = run("diff", "0.1.0", "WORKING")
    assert (code, out) == (2, "")
    assert "is not what was frozen: expected sha256" in err


def test_verify_as_text_and_json(frozen_bank: Path, run: Any) -> None:
    code, out, _ = run("verify")
    assert code == 0
    assert out.splitlines()[0].startswith("0.1.0: sha256 ")
    assert out.splitlines()[-1] == "1 version · 48 items · 0 findings"
    told = json.loads(run("verify", "0.1.0", "--format", "json")[1])
    assert told["format"] == "divisionbell-verify/1"
    assert (told["clean"], told["key"], told["findings"]) == (True, None, [])
    assert told["versions"][0]["statement_sha256"] in out
    assert told["versions"][0]["not_checked"]
    assert told["not_checked"]
    path = frozen_bank / "freeze" / "0.1.0.records.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Since last autumn", b"Since lost autumn"))
    code, out, _ = run("verify")
    assert code == 1
    assert 'items.qstltic6.stem differs from what was frozen: expected "Since last autumn' in out
    code, out, _ = run("verify", "--format", "json")
    told = json.loads(out)
    assert (code, told["clean"], told["versions"][0]["clean"]) == (1, False, False)
    assert {"rule", "path", "line", "column", "message", "fix", "related"} == set(told["findings"][0])
    assert any("items.qstltic6.stem" in finding["message"] for finding in told["findings"])


def test_verify_where_nothing_is_frozen(copied_bank: Path, run: Any) -> None:
    code, out, err = run("verify")
    assert (code, out) == (2, "")
    assert "nothing is frozen" in err


def on_a_terminal(*arguments: str, **variables: str) -> bytes:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "divisionbell", *arguments],
        stdout=slave,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={"TERM": "xterm", **{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **variables},
    )
    os.close(slave)
    said = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    process.communicate()
    os.close(master)
    return said


def test_colour_on_a_terminal(frozen_bank: Path) -> None:
    change(frozen_bank)
    said = on_a_terminal("diff", "0.1.0", "WORKING", TERM="xterm")
    assert b"\x1b[31m" in said
    assert b"\x1b[32mlost\x1b[0m" in said
    assert b"[-" not in said
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        said = on_a_terminal("diff", "0.1.0", "WORKING", **variables)
        assert b"\x1b" not in said
        assert b"[-last-] {+lost+}" in said


def test_text_from_a_file_cannot_write_to_the_terminal(frozen_bank: Path, run: Any) -> None:
    change(frozen_bank, "question: ", 'question: "\\e[2J\\u202E" #')
    code, out, _ = run("diff", "0.1.0", "WORKING")
    assert code == 1
    assert "\\u001b[2J\\u202e" in out
    assert all(line.isprintable() for line in out.splitlines())


def test_the_shipped_versions(repository: Path, run: Any) -> None:
    """The pilot and the first whole version: all that came is summarised, all that changed is told."""
    code, out, _ = run("diff", "0.1.0", "1.0.0", "--bank", str(repository / "bank"))
    assert code == 1
    assert out.splitlines()[-1].startswith("0.1.0 → 1.0.0: ")
    for told in ("113 dossiers added", "262 excluded divisions added", "48 items reworded", "1 dossier moved"):
        assert told in out.splitlines()[-1]
    assert "added: 113 × dossier, 452 items" in out
    assert "  economic/fee-charging-schools (1): 1873" in out
    assert max(map(len, out.splitlines()[:-1])) < 160
    code, out, _ = run("diff", "0.1.0", "1.0.0", "--stat", "--bank", str(repository / "bank"))
    assert len(out.splitlines()) < 100


def test_diff_shows_whole_what_would_look_the_same_when_cut(frozen_bank: Path, run: Any) -> None:
    file = next(frozen_bank.glob("dossiers/*/*/1541-*.yaml"))
    text = file.read_text(encoding="utf-8")
    old = text.partition("extract_sha256: ")[2][:64]
    new = old[:63] + ("0" if old[63] != "0" else "1")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    code, out, _ = run("diff", "0.1.0", "WORKING", "--bank", "bank")
    assert code == 1
    assert old in out and new in out
