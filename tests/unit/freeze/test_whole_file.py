"""Files are written whole or not at all; what stands there is not lost, and nobody else's file is taken away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze import whole_file
from divisionbell.freeze.whole_file import ChangedOnDisk, NotWritten, alone, write_new, write_whole


def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_was_saved_meanwhile_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"edited")
    with pytest.raises(ChangedOnDisk, match="a was not written: it changed while the command ran"):
        write_whole(file, b"made", instead_of=b"read")
    assert file.read_bytes() == b"edited"
    write_whole(file, b"made", instead_of=b"edited")
    assert file.read_bytes() == b"made"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(NotWritten, match="it is no file"):
        write_whole(file, b"other", instead_of=b"made")
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_went_away_is_not_brought_back(tmp_path: Path) -> None:
    with pytest.raises(ChangedOnDisk):
        write_whole(tmp_path / "a", b"made", instead_of=b"read")
    assert os.listdir(tmp_path) == []


def test_links_folders_and_read_only_files_stay(tmp_path: Path) -> None:
    aim, link, folder = tmp_path / "aim", tmp_path / "link", tmp_path / "folder"
    aim.write_bytes(b"kept")
    link.symlink_to(aim)
    folder.mkdir()
    for path, told in ((link, "it is a link"), (folder, "it is no file")):
        with pytest.raises(NotWritten, match=told):
            write_whole(path, b"new")
    aim.chmod(0o444)
    with pytest.raises(NotWritten, match="it is read-only"):
        write_whole(aim, b"new")
    assert link.is_symlink()
    assert aim.read_bytes() == b"kept"


def test_a_new_file_takes_no_name(tmp_path: Path) -> None:
    write_new(tmp_path / "a", b"first")
    with pytest.raises(NotWritten, match="a was not written: it exists"):
        write_new(tmp_path / "a", b"second")
    (tmp_path / "b").symlink_to("nowhere")
    with pytest.raises(NotWritten, match="b was not written: it exists"):
        write_new(tmp_path / "b", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("write", [write_whole, write_new])
def test_what_the_system_refuses_is_told(tmp_path: Path, write: object) -> None:
    assert callable(write)
    with pytest.raises(NotWritten, match="cannot be written: File name too long"):
        write(tmp_path / ("n" * 300), b"")
    with pytest.raises(NotWritten, match="cannot be written: No such file or directory"):
        write(tmp_path / "absent" / "a", b"")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_the_owner_and_the_mode_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"")
    os.chown(file, 12345, 54321)
    file.chmod(0o640)
    write_whole(file, b"new")
    state = file.stat()
    assert (state.st_uid, state.st_gid, state.st_mode & 0o777) == (12345, 54321, 0o640)


def test_what_the_dead_left_goes_and_nothing_else(tmp_path: Path) -> None:
    gone = tmp_path / f".a.{dead()}.part"
    kept = [f".a.{os.getppid()}.part", ".a.mine.part", f".b.{dead()}.part", ".a.0.part", "xa.7.part"]
    for name in (gone.name, f".a.{os.getpid()}.part", *kept):
        (tmp_path / name).write_bytes(b"half")
    aside = tmp_path / f".a.{dead()}.part"
    aside.mkdir()
    write_whole(tmp_path / "a", b"new")
    assert set(os.listdir(tmp_path)) == {"a", aside.name, *kept}


def test_a_lock_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = alone(tmp_path)
    held.__enter__()
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            held.__exit__(None, None, None)

    monkeypatch.setattr(whole_file.time, "sleep", sleep)
    with alone(tmp_path, patience=60):
        assert len(waited) == 3
        with pytest.raises(UsageProblem, match="is under way"), alone(tmp_path):
            pass
