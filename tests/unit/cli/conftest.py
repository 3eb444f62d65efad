"""The command line in this process, and as a program of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from divisionbell import __main__


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


@pytest.fixture
def divisionbell(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ended]:
    """Run a command in this process; `given` is its standard input."""

    def run(*arguments: str, given: bytes | None = None) -> Ended:
        monkeypatch.setattr(sys, "argv", ["divisionbell", *arguments])
        if given is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        with pytest.raises(SystemExit) as ended:
            __main__.main()
        assert isinstance(ended.value.code, int)
        out, err = capsysbinary.readouterr()
        return Ended(ended.value.code, out, err.decode())

    return run


@pytest.fixture
def environment(repository: Path) -> dict[str, str]:
    """An environment in which this code is run, without what would change how it prints."""
    left_out = ("DIVISIONBELL", "GITHUB", "GIT_", "PYTHON", "LC_", "LANG", "NO_COLOR", "FORCE_COLOR")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    return kept | {"PYTHONPATH": str(repository / "src")}


@pytest.fixture
def program(environment: dict[str, str]) -> Callable[..., subprocess.Popen[Any]]:
    """Start a command as a program; `env` adds to the environment."""

    def start(*arguments: str, **options: Any) -> subprocess.Popen[Any]:
        env = {**environment, **options.pop("env", {})}
        return subprocess.Popen([sys.executable, "-m", "divisionbell", *arguments], env=env, **options)

    return start


@pytest.fixture
def dossier(copied_bank: Path) -> Path:
    """A dossier of a bank in the working folder."""
    return next(copied_bank.glob("dossiers/social/public-protest/*.yaml"))


@pytest.fixture
def broken(dossier: Path) -> Path:
    """The same dossier with one letter of a stem changed: one finding, HSH001."""
    head, found, rest = dossier.read_text(encoding="utf-8").partition("    stem: >-\n      ")
    assert found
    dossier.write_text(head + found + "Z" + rest, encoding="utf-8")
    return dossier


@pytest.fixture
def unreversed(dossier: Path) -> Path:
    """The same dossier with a mirror that has the key of its original: MIR002 with a related place, among others."""
    lines = dossier.read_text(encoding="utf-8").splitlines(keepends=True)
    keys = [number for number, line in enumerate(lines) if line.strip() == "scoring_key:"]
    lines[keys[1] : keys[1] + 7] = lines[keys[0] : keys[0] + 7]
    dossier.write_text("".join(lines), encoding="utf-8")
    return dossier
