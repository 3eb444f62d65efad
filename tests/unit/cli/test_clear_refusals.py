"""What the system or a file holds against a command is told in a line, with exit code 2 or 1 and never as our fault."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from divisionbell import __main__
from divisionbell.bank.canonical import sha256_hex
from divisionbell.diagnostics import shown_path
from divisionbell.sources.ches import FIELDS

Command = Callable[..., Any]
NEW = (
    "new",
    "99001",
    "--aye",
    "negative",
    "--slug",
    "a-b",
    "--agent",
    "x",
    "--axis",
    "social",
    "--exclude",
    "ambiguous",
)


@pytest.fixture(autouse=True)
def no_waiting() -> Any:
    """Whoever waits for a pipe is ended."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.fixture
def pipe(copied_bank: Path) -> str:
    os.mkfifo("pipe")
    return "pipe"


def agent() -> str:
    found = re.search(r"agent_id: (\S+)", Path("bank/bank.yaml").read_text())
    assert found
    return found[1]


def test_no_pipe_is_waited_for(frozen_bank: Path, divisionbell: Command) -> None:
    os.mkfifo("pipe")
    Path("file.json").write_text("{}")
    names = list(NEW)
    names[names.index("x")] = agent()
    for arguments in (
        ("validate", "--ches", "pipe"),
        ("freeze", "0.2.0", "--ches", "pipe"),
        ("parties", "--ches", "pipe"),
        ("parties", "--members", "pipe"),
        ("review", "party-space", "1541", "--ches", "pipe"),
        ("review", "code", "pipe", "--agent", agent()),
        (*names, "--computed-by", agent(), "--from", "pipe", "--ches", "file.json"),
        ("verify", "--key", "pipe"),
        ("freeze", "0.1.0", "--sign", "pipe"),
    ):
        ended = divisionbell(*arguments)
        assert ended.code == 2, (arguments, ended.text, ended.err)
        assert re.search(r"error: pipe (is not a file|is no file)|already|names version", ended.err), (arguments, ended)


def test_a_survey_with_a_field_that_is_too_long(copied_bank: Path, divisionbell: Command) -> None:
    Path("survey.csv").write_text("country,party," + ",".join(FIELDS) + "\nuk," + "x" * 140_000 + "\n")
    ended = divisionbell("validate", "--ches", "survey.csv")
    assert ended.code == 1
    assert "error[SRC004] survey.csv is not the 2024 survey: field larger than" in ended.text


def test_loops_of_links_and_long_names(copied_bank: Path, divisionbell: Command) -> None:
    Path("bank/dossiers/loop").symlink_to("loop")
    Path("loop").symlink_to("loop")
    long = "n" * 300
    for arguments, code in (
        (("validate",), 1),
        (("validate", "bank/dossiers/loop"), 1),
        (("validate", "loop"), 2),
        (("fmt", "--check", "loop"), 2),
        (("hash", "--check"), 0),
        (("validate", long), 2),
        (("fmt", "--check", long), 2),
        (("fmt", "--check", "bank/bank.yaml"), 0),
        (("hash", long), 2),
        (("validate", "--bank", long), 2),
        (("score", long), 2),
        (("runs", "show", long), 2),
        (("runs", "list", long), 2),
        (("review", "sheet", "--out", long), 2),
        (("validate", "--ches", long), 2),
    ):
        ended = divisionbell(*arguments)
        assert ended.code == code, (arguments, ended)
        assert "fault of divisionbell" not in ended.err


def test_fmt_and_parse_with_standard_input_closed(copied_bank: Path, environment: dict[str, str]) -> None:
    for arguments in (["fmt", "-"], ["validate", "-"], ["fmt", "--check", "-"], ["parse"], ["parse", "-"]):
        done = subprocess.run(
            ["sh", "-c", '"$@" <&-', "-", sys.executable, "-m", "divisionbell", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, (arguments, done)
        assert "standard input is closed" in done.stderr


def test_a_working_folder_that_was_deleted(
    copied_bank: Path, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = str(copied_bank.resolve())
    gone = tmp_path / "gone"
    for arguments, code in (
        (["validate", "--bank", bank], 0),
        (["fmt", "--check", "--bank", bank], 0),
        (["hash", "--check", "--bank", bank], 0),
        (["verify", "--bank", bank], 2),
        (["validate"], 2),
        (["fmt", "--check", "x", "--bank", bank], 2),
        (["validate", "x", "--bank", bank], 2),
    ):
        gone.mkdir()
        done = subprocess.run(
            ["sh", "-c", 'cd "$0" && rmdir "$0" && "$@"', str(gone), sys.executable, "-m", "divisionbell", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (arguments, done)
        assert "fault of divisionbell" not in done.stderr


def raising(monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> None:
    def raise_it(_: object) -> None:
        raise problem

    monkeypatch.setattr("divisionbell.cli.validate.find_bank", raise_it)


def test_a_fault_without_room_for_its_log(divisionbell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_log(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    raising(monkeypatch, KeyError("the\nbug"))
    monkeypatch.setattr("tempfile.NamedTemporaryFile", no_log)
    ended = divisionbell("validate")
    assert ended.code == 3
    assert ended.err == (
        "error: this is a fault of divisionbell, not of your files; no log of it can be written (No space left on "
        "device): KeyError: 'the\\nbug'\n"
    )


def test_too_little_memory_is_no_fault(divisionbell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, MemoryError())
    ended = divisionbell("validate")
    assert ended.code == 2
    assert ended.err.startswith("error: there is not enough memory\n  fix: ")


def test_what_the_system_says_of_a_path_is_no_fault(divisionbell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, PermissionError(errno.EACCES, "Permission denied", "a\nb"))
    ended = divisionbell("validate")
    assert (ended.code, ended.err) == (2, "error: a\\u000ab: Permission denied\n")
    raising(monkeypatch, OSError(errno.EINVAL, "Invalid argument"))
    assert divisionbell("validate").code == 3


@pytest.fixture
def statement(frozen_bank: Path) -> Path:
    return frozen_bank / "freeze" / "0.1.0.json"


def test_digests_that_are_no_text(statement: Path, divisionbell: Command) -> None:
    stated = orjson.loads(statement.read_bytes())
    for number, wrong in enumerate((["a"], {}, None, 5)):
        stated["predicate"]["record_digests"][number]["sha256"] = wrong
    statement.write_bytes(orjson.dumps(stated, option=orjson.OPT_INDENT_2) + b"\n")
    for verb in ("verify", "validate"):
        ended = divisionbell(verb)
        assert ended.code == 1, ended.err
        assert "FRZ002" in ended.text


@pytest.mark.parametrize("line", [b"no JSON", b"[]", b"{}", b'{"id":[],"kind":{},"value":1}', b"[" * 900 + b"]" * 900])
def test_a_line_elsewhere_that_has_the_digest_and_is_no_record(
    statement: Path, divisionbell: Command, line: bytes
) -> None:
    (statement.parent / "0.0.1.records.jsonl").write_bytes(line + b"\n")
    stated = orjson.loads(statement.read_bytes())
    stated["predicate"]["record_digests"][-1]["sha256"] = sha256_hex(line)
    statement.write_bytes(orjson.dumps(stated, option=orjson.OPT_INDENT_2) + b"\n")
    ended = divisionbell("verify", "0.1.0")
    assert ended.code == 1, ended.err
    assert "FRZ002" in ended.text


def test_a_working_folder_that_is_gone_needs_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(os, "getcwd", gone)
    assert shown_path(Path("a/b")) == "a/b"


def test_sigterm_is_left_to_whoever_was_made_deaf_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        __main__._end_in_order()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
