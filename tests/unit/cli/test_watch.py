"""`validate --watch`: a real process, real saves, a real interrupt."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from divisionbell.cli import watch as watch_module
from divisionbell.cli.watch import snapshot, watch

PATIENCE = 30


class Watching:
    """A process that watches, and what it said in each round."""

    def __init__(self, process: subprocess.Popen[Any]) -> None:
        self.process = process
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def round(self) -> list[str]:
        """The lines of the next round, its first and last line with it."""
        told: list[str] = []
        while not (told and told[-1].startswith("--- ") and "waiting for the next save" in told[-1]):
            told.append(self.lines.get(timeout=PATIENCE))
        return [line for line in told if line]

    def is_silent(self) -> bool:
        time.sleep(1)
        return self.lines.empty()


@pytest.fixture
def watching(copied_bank: Path, program: Callable[..., Any]) -> Iterator[Callable[..., Watching]]:
    started: list[subprocess.Popen[Any]] = []

    def start(*arguments: str) -> Watching:
        process = program(
            "validate", "--watch", *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        started.append(process)
        return Watching(process)

    yield start
    for process in started:
        process.kill()
        process.wait()


def save_by_renaming(file: Path, text: str) -> None:
    new = Path(f"{file.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


def test_every_kind_of_save(watching: Callable[..., Watching], dossier: Path) -> None:
    good = dossier.read_text(encoding="utf-8")
    watched = watching()
    first, *told, last = watched.round()
    assert first.endswith(" checking bank/ ---")
    assert told[-1].endswith(" · 0 findings")
    assert last.endswith(" s; waiting for the next save, end with Ctrl-C ---")
    assert watched.is_silent()

    dossier.write_text(good[:5000], encoding="utf-8")  # a save that is half done
    first, *told, _ = watched.round()
    assert first.endswith(f" {dossier.as_posix()} changed ---")
    assert "error[SCH002]" in "\n".join(told)

    save_by_renaming(dossier, good.replace("    stem: >-\n      ", "    stem: >-\n      Z", 1))
    assert "error[HSH001]" in "\n".join(watched.round())

    save_by_renaming(dossier, good)
    assert watched.round()[-2].endswith(" · 0 findings")

    dossier.unlink()
    assert "names no dossier" in "\n".join(watched.round())

    dossier.write_text("a: [\n", encoding="utf-8")
    assert "error[SCH001] is not YAML" in "\n".join(watched.round())

    dossier.write_text(good, encoding="utf-8")
    assert watched.round()[-2].endswith(" · 0 findings")

    new = dossier.with_name("new.yaml")
    new.write_text("dossier_id: commons-1\n", encoding="utf-8")
    first, *told, _ = watched.round()
    assert first.endswith(f" {new.as_posix()} changed ---")
    assert "error[SCH002]" in "\n".join(told)
    new.unlink()
    watched.round()

    with Path("data_sources.yaml").open("a", encoding="utf-8") as sources:
        sources.write("nonsense: 1\n")
    first, *told, _ = watched.round()
    assert first.endswith(" data_sources.yaml changed ---")
    assert "data_sources.yaml:" in told[0]


def test_a_bank_that_vanishes_is_waited_for(watching: Callable[..., Watching], copied_bank: Path) -> None:
    watched = watching("--quiet")
    assert len(watched.round()) == 2
    copied_bank.rename("elsewhere")
    first, told, _ = watched.round()
    assert "changed ---" in first
    assert told == "error: no bank found: bank/bank.yaml does not exist"
    assert watched.is_silent()
    Path("elsewhere").rename(copied_bank)
    assert len(watched.round()) == 2
    shutil.rmtree(copied_bank)
    while not any(line.startswith("error: no bank found") for line in watched.round()):
        pass
    assert watched.process.poll() is None


def test_an_interrupt_ends_it(watching: Callable[..., Watching]) -> None:
    watched = watching()
    watched.round()
    watched.process.send_signal(signal.SIGINT)
    assert watched.process.wait(PATIENCE) == 130
    rest = []
    while not watched.lines.empty():
        rest.append(watched.lines.get())
    assert [line for line in rest if line] == ["interrupted"]


def test_a_reader_that_goes_away_ends_it(
    watching: Callable[..., Watching], dossier: Path, program: Callable[..., Any]
) -> None:
    process = program("validate", "--watch", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    while b"waiting for the next save" not in process.stdout.readline():
        pass
    process.stdout.close()
    dossier.touch()
    assert process.wait(PATIENCE) == 1
    assert process.stderr.read() == b""


def test_paths_are_kept_to_also_when_they_vanish(watching: Callable[..., Watching], broken: Path) -> None:
    other = "bank/dossiers/economic"
    watched = watching(other)
    assert " · 0 findings here, " in watched.round()[-2]
    shutil.rmtree(other)
    assert " · 0 findings here, " in watched.round()[-2]
    watched = watching(broken.as_posix())
    assert "error[HSH001]" in "\n".join(watched.round())


@pytest.mark.usefixtures("copied_bank")
def test_it_writes_text_only(divisionbell: Callable[..., Any]) -> None:
    for style in ("json", "github", "sarif", "junit"):
        ended = divisionbell("validate", "--watch", "--format", style)
        assert (ended.code, ended.out) == (2, b"")
        assert f"--watch writes text, not {style}" in ended.err
    assert divisionbell("validate", "--watch", "bank/nowhere").code == 2
    assert divisionbell("validate", "--watch", "--bank", "nowhere").code == 2


def test_many_saves_at_once_are_one_round(copied_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "QUIET", 0.5)  # a busy machine may hold one of the saves up
    rounds: list[list[str]] = []
    files = sorted(copied_bank.rglob("*.yaml"))

    def round_(changed: list[str]) -> None:
        rounds.append(changed)
        if len(rounds) == 1:
            saving.start()
        elif len(rounds) == 2:
            raise KeyboardInterrupt

    def save() -> None:
        for file in files:
            file.write_bytes(file.read_bytes() + b"\n")
            time.sleep(0.01)

    saving = threading.Thread(target=save)
    with pytest.raises(KeyboardInterrupt):
        watch(copied_bank, (), round_)
    saving.join()
    assert rounds == [[], [str(file) for file in files]]


def test_a_save_during_a_round_begins_the_next(copied_bank: Path) -> None:
    rounds: list[list[str]] = []
    plan = copied_bank / "analysis_plan.yaml"

    def round_(changed: list[str]) -> None:
        rounds.append(changed)
        if len(rounds) == 1:
            plan.write_bytes(plan.read_bytes() + b"\n")
        else:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(copied_bank, (), round_)
    assert rounds == [[], [str(plan)]]


def test_what_is_seen_of_a_file(copied_bank: Path) -> None:
    plan = copied_bank / "analysis_plan.yaml"
    before = snapshot(copied_bank, ())
    assert str(plan) in before
    assert str(copied_bank / "CODEBOOK.md") in before
    assert snapshot(copied_bank, ()) == before
    (copied_bank / ".analysis_plan.yaml.swp").write_text("x", encoding="utf-8")
    (copied_bank / "analysis_plan.yaml~").write_text("x", encoding="utf-8")
    assert snapshot(copied_bank, ()) == before
    told = plan.stat()
    plan.write_bytes(plan.read_bytes().replace(b"plan_version", b"plan_versiom"))
    os.utime(plan, ns=(told.st_atime_ns, told.st_mtime_ns))  # the same size and the same time
    assert snapshot(copied_bank, ()) != before
    (copied_bank / "dossiers" / "dangling.yaml").symlink_to("nowhere")
    assert str(copied_bank / "dossiers" / "dangling.yaml") in snapshot(copied_bank, ())
