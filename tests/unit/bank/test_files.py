"""Reading what somebody else put there: only a regular file, never more than the limit, and nobody is waited for."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from divisionbell.bank import files
from divisionbell.bank.document import MAX_BYTES, Document
from divisionbell.bank.files import NotRead, read_file, read_up_to
from divisionbell.bank.load import load
from divisionbell.bank.read import read


def why_not(path: Path, limit: int = 100) -> str:
    with pytest.raises(NotRead) as problem:
        read_file(path, limit)
    assert problem.value.fix
    return problem.value.message


def test_a_file_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for size in (0, 1, 100):
        file.write_bytes(b"x" * size)
        assert read_file(file, 100) == b"x" * size
    file.write_bytes(b"x" * 101)
    assert why_not(file) == "is larger than 100 bytes"


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(str(tmp_path / "socket"))
        for name in ("pipe", "folder", "socket"):
            assert why_not(tmp_path / name) == "is not a file"
    for device in ("/dev/zero", "/dev/null", "/dev/full", "/dev/tty", "/proc/self/mem"):
        if Path(device).exists():
            assert why_not(Path(device)).startswith(("is not a file", "cannot be read"))
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "link").symlink_to("pipe")
    assert "symbolic links" in why_not(tmp_path / "round")
    assert why_not(tmp_path / "link") == "is not a file"
    assert why_not(tmp_path / "absent") == "cannot be read: No such file or directory"
    assert why_not(tmp_path / ("n" * 300)).startswith("cannot be read: File name too long")
    assert why_not(tmp_path / "a\0b").startswith("cannot be read: ")
    assert why_not(tmp_path / "pipe" / "x").startswith("cannot be read: Not a directory")


def test_a_file_that_says_it_is_empty(tmp_path: Path) -> None:
    """Files of the system tell no size; a sparse one tells a great one and costs nothing."""
    assert read_file(Path("/proc/self/stat"), 4096)
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as stream:
        stream.truncate(1 << 40)
    assert why_not(sparse, MAX_BYTES) == "is larger than 4,000,000 bytes"


@pytest.mark.parametrize("size", [0, 7, 8, 9, 100])
def test_a_file_that_is_written_while_it_is_read_is_not_taken(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer, shorter or as long as before: half of the one and half of the other is no file that was ever there."""
    file = tmp_path / "file"
    file.write_bytes(b"a: old!\n")
    before = file.stat().st_mtime_ns - 10_000_000_000
    os.utime(file, ns=(before, before))

    def written_meanwhile(descriptor: int, length: int, limit: int) -> bytes:
        found = read_up_to(descriptor, length, limit)
        file.write_bytes(b"x" * size)
        return found

    monkeypatch.setattr(files, "read_up_to", written_meanwhile)
    assert why_not(file, MAX_BYTES) == "changed while it was read"
    monkeypatch.undo()
    assert read_file(file, MAX_BYTES) == b"x" * size


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """It grows, shrinks, and is replaced by another file, a pipe and nothing: read or not, it ends, and in bounds."""
    file = tmp_path / "file.yaml"
    stop = threading.Event()
    data = b"a: b\n" * 2000

    def change() -> None:
        while not stop.is_set():
            file.write_bytes(data)
            with file.open("ab") as stream:
                stream.write(b"c: d\n" * 2000)
            os.truncate(file, 7)
            file.unlink()
            os.mkfifo(file)
            file.unlink()
            other = tmp_path / "other"
            other.write_bytes(b"e: f")
            other.replace(file)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        seen = set()
        for _ in range(400):
            document = read(file)
            assert len(document.text) <= 20_000
            seen.update(problem.message.partition(":")[0] for problem in document.problems)
            assert document.problems or document.value is not None
    finally:
        stop.set()
        changing.join()
    known = {"cannot be read", "is not a file", "changed while it was read", "is empty", "key a stands twice"}
    assert seen <= {*known, "is not YAML"}  # the file of seven bytes ends in the middle of a line


def test_a_document_of_another_process_whose_file_is_another_by_now(tmp_path: Path) -> None:
    """Its places are looked up in the file again; a pipe or a great file there is not waited for."""
    import pickle

    file = tmp_path / "file.yaml"
    file.write_text("a: b\nc: d\n", encoding="utf-8")
    told = pickle.dumps(read(file))
    assert pickle.loads(told).at("c").line == 2
    file.unlink()
    assert pickle.loads(told).at("c").line == 1
    os.mkfifo(file)
    assert pickle.loads(told).at("c").line == 1
    file.unlink()
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    document: Document = pickle.loads(told)
    assert document.at_character(("c",), "d", 0).line == 1
    assert document.lines == []


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of the user nobody, who this process is for a while; root may read everything."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(0)


def test_a_file_and_a_folder_that_may_not_be_read(as_nobody: Path) -> None:
    bank = as_nobody / "bank"
    for folder in ("dossiers/social/seen", "dossiers/social/unseen", "excluded"):
        (bank / folder).mkdir(parents=True)
    for name in ("bank.yaml", "dossiers/social/seen/1.yaml", "dossiers/social/seen/2.yaml", "excluded/3.yaml"):
        (bank / name).write_text("a: b\n", encoding="utf-8")
    (bank / "dossiers/social/seen/2.yaml").chmod(0)
    (bank / "dossiers/social/unseen").chmod(0)
    (bank / "excluded").chmod(stat.S_IXUSR)
    told = load(bank)
    of_folders = {p.location.path.removeprefix(f"{bank}/"): p.message for p in told.problems}
    assert of_folders["dossiers/social/unseen"] == "cannot be read: Permission denied"
    assert of_folders["excluded"] == "cannot be read: Permission denied"
    problems = {d.path.name: [p.message for p in d.problems] for d in told.dossiers}
    assert problems == {"1.yaml": [], "2.yaml": ["cannot be read: Permission denied"]}
    (bank / "dossiers/social/unseen").chmod(0o700)
    (bank / "excluded").chmod(0o700)
