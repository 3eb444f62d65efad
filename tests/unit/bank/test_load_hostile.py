"""A bank folder with whatever else can lie in a folder: each is a finding or nothing, and nothing outside is read."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from divisionbell.bank import load as load_module
from divisionbell.bank.load import MANY, Bank, find_bank, load, read_in
from divisionbell.diagnostics import UsageProblem
from divisionbell.validate.engine import check

FOLDER = Path("dossiers/social/end-of-life")


def told(bank: Bank) -> dict[str, str]:
    """The problems of the folder and of every document in it."""
    problems = [*bank.problems, *(p for _, document in bank.documents() for p in document.problems)]
    return {problem.location.path: problem.message for problem in problems}


def secret(tmp_path: Path) -> Path:
    """A file outside of the bank whose content must never be shown."""
    file = tmp_path / "outside" / "secret"
    file.parent.mkdir()
    file.write_text("root:x:0: hunter2\nhunter2: hunter2\nhunter2: 1\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["bank.yaml", "analysis_plan.yaml", "evaluations.yaml", "CODEBOOK.md"])
def test_files_of_the_folder_that_lead_out(name: str, copied_bank: Path, tmp_path: Path) -> None:
    outside = secret(tmp_path)
    (copied_bank / name).unlink()
    for target in (outside, Path("/dev/zero"), Path("/dev/stdin"), Path("../data_sources.yaml"), Path("../outside")):
        (copied_bank / name).symlink_to(target)
        bank = load(copied_bank)
        assert told(bank)[f"bank/{name}"] == "leads out of the bank folder"
        assert not any("hunter2" in diagnostic.text() for diagnostic in check(bank).diagnostics)
        (copied_bank / name).unlink()


def test_data_sources_that_lead_anywhere(copied_bank: Path, tmp_path: Path) -> None:
    """It may lie beside the bank folder; what else lies there may not be read in its name."""
    file = Path("data_sources.yaml")
    file.rename("other.yaml")
    for target in (
        secret(tmp_path),
        Path("/etc/passwd"),
        Path("other.yaml"),
        Path("data_sources.yaml"),
        Path("/dev/zero"),
    ):
        file.symlink_to(target)
        bank = load(copied_bank)
        assert told(bank)["data_sources.yaml"] == "leads out of the bank folder"
        assert not any("hunter2" in diagnostic.text() for diagnostic in check(bank).diagnostics)
        file.unlink()
    os.mkfifo(file)
    assert told(load(copied_bank))["data_sources.yaml"] == "is not a file"
    file.unlink()
    Path("other.yaml").rename(copied_bank / "freeze.txt")
    file.symlink_to("bank/freeze.txt")
    assert "data_sources.yaml" not in told(load(copied_bank))


def test_links_within_the_bank_are_followed(copied_bank: Path) -> None:
    (copied_bank / "kept").mkdir()
    for name in ("bank.yaml", "CODEBOOK.md"):
        (copied_bank / name).rename(copied_bank / "kept" / f"{name}.txt")
        (copied_bank / name).symlink_to(Path("kept") / f"{name}.txt")
    assert check(load(copied_bank)).clean


def test_a_single_file_is_read_under_the_same_rule(copied_bank: Path, tmp_path: Path) -> None:
    assert read_in(copied_bank, "bank.yaml").problems == []
    (copied_bank / "bank.yaml").unlink()
    (copied_bank / "bank.yaml").symlink_to(secret(tmp_path))
    assert [p.message for p in read_in(copied_bank, "bank.yaml").problems] == ["leads out of the bank folder"]
    assert read_in(copied_bank, "bank.yaml").text == ""


STRAY = "is no part of a bank: no rule and no freeze would look at it"


def test_loops_and_links_of_folders(copied_bank: Path, tmp_path: Path) -> None:
    folder = copied_bank / FOLDER
    (folder / "loop").symlink_to("loop")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "up").symlink_to("..")
    (folder / "out").symlink_to(tmp_path)
    (folder / "nowhere").symlink_to("absent")
    (folder / "nowhere.yaml").symlink_to("absent")
    (folder / "abroad.yaml").symlink_to("../../../../data_sources.yaml")
    (folder / "root").symlink_to("/")
    found = {path.removeprefix(f"bank/{FOLDER}/"): message for path, message in told(load(copied_bank)).items()}
    assert found == {
        **dict.fromkeys(("loop", "nowhere", "one", "two"), STRAY),
        "loop.yaml": "leads out of the bank folder",
        "up": "is not a file",
        "out": "leads out of the bank folder",
        "nowhere.yaml": "cannot be read: No such file or directory",
        "abroad.yaml": "leads out of the bank folder",
        "root": "leads out of the bank folder",
    }


def test_what_is_no_file(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copied_bank / FOLDER
    os.mkfifo(folder / "pipe.yaml")
    (folder / "folder.yaml").mkdir()
    (folder / "device.yaml").symlink_to("/dev/zero")
    with monkeypatch.context() as there, socket.socket(socket.AF_UNIX) as waiting:
        there.chdir(folder)  # the name of a socket is short
        waiting.bind("socket.yaml")
    found = {path.removeprefix(f"bank/{FOLDER}/"): message for path, message in told(load(copied_bank)).items()}
    assert found == {
        "pipe.yaml": "is not a file",
        "socket.yaml": "is not a file",
        "device.yaml": "leads out of the bank folder",
    }


NAMES = {
    "blanks": " a b .yaml",
    "line end": "a\nb.yaml",
    "escape": "\x1b]0;title\x07.yaml",
    "right to left": "\u202eelif\u202c.yaml",
    "no character": "\ufffe.yaml",
    "not UTF-8": os.fsdecode(b"\xff\xfe\xc3.yaml"),
    "longest": "n" * 250 + ".yaml",
    "dash": "-rf.yaml",
    "capitals": "X.YAML",
    "other end": "x.yml",
    "name alone": ".yaml",
    "star": "*?[a].yaml",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_that_nobody_expects(name: str, copied_bank: Path) -> None:
    """They are read as any other, and shown so that a terminal does nothing."""
    (copied_bank / FOLDER / name).write_text("a: [\n", encoding="utf-8")
    report = check(load(copied_bank))
    (found,) = report.diagnostics
    assert found.location.path == (copied_bank / FOLDER / name).as_posix()
    assert found.message.startswith("is not YAML")
    line = found.text().split("\n")[0]
    assert line.isprintable()
    line.encode("utf-8")


def test_names_that_some_systems_take_for_one(copied_bank: Path) -> None:
    register = (copied_bank / "prospective" / "later.yaml").read_bytes()
    for name in ("LATER.yaml", "caf\u00e9.yaml", "cafe\u0301.yaml", "CAFE\u0301.yaml", "other.yaml"):
        (copied_bank / "prospective" / name).write_bytes(register)
    found = [p for p in load(copied_bank).problems if "another file" in p.message]
    named = {Path(p.location.path).name: Path(p.related[0].location.path).name for p in found}
    assert named == {
        "later.yaml": "LATER.yaml",
        "caf\u00e9.yaml": "CAFE\u0301.yaml",
        "cafe\u0301.yaml": "CAFE\u0301.yaml",
    }


def test_deep_folders(copied_bank: Path) -> None:
    """Deeper than a path can name: told, and not gone past."""
    here = os.open(copied_bank / FOLDER, os.O_RDONLY)
    try:
        for _ in range(60):
            os.mkdir("d" * 100, dir_fd=here)
            below = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)
    (problem,) = load(copied_bank).problems
    assert problem.message == "cannot be read: File name too long"
    assert 30 < problem.location.path.count("/") < 60
    assert len(problem.text()) < 10_000


def test_ten_thousand_files(copied_bank: Path) -> None:
    folder = copied_bank / "dossiers" / "many"
    folder.mkdir()
    for number in range(10_000):
        (folder / f"{number}.yaml").write_bytes(b"")
    bank = load(copied_bank)
    assert len(bank.dossiers) > 10_000 > MANY
    assert list(told(bank).values()).count("is empty") == 10_000


def test_where_a_bank_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    Path("folder").mkdir()
    (Path("folder") / "bank.yaml").mkdir()
    os.mkfifo("bank.yaml")
    for given in ("loop", "n" * 300, "a\0b", "a\nb", "folder", "bank.yaml", ".", "/dev/null", "~nobody", ""):
        with pytest.raises(UsageProblem, match=r"(?s)no bank found: .*bank\.yaml (does not exist|is no file)"):
            find_bank(given)


def test_files_that_go_while_the_folder_is_read(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the names and their reading a file goes; a folder or a link takes the place of others."""
    names = load_module.yaml_files

    def gone_by_now(folder: Path, *told: list[Any]) -> list[tuple[tuple[str, ...], bool]]:
        found = names(folder, *told)
        first, second, third = sorted(copied_bank.glob("dossiers/social/*/*.yaml"))[:3]
        for file in (first, second, third):
            file.unlink()
        second.mkdir()
        third.symlink_to("/dev/zero")
        return found

    monkeypatch.setattr(load_module, "yaml_files", gone_by_now)
    assert sorted(told(load(copied_bank)).values()) == [
        "cannot be read: No such file or directory",
        "is not a file",
        "is not a file",
    ]
