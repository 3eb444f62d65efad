"""The real command, run in a folder with a frozen bank."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import forked

KEY = "sk-secret-of-these-tests-0123456789"


def environment() -> dict[str, str]:
    """What is set for commands."""
    return {name: value for name, value in os.environ.items() if name != "DIVISIONBELL_BANK"} | {"OPENAI_API_KEY": KEY}


class Home:
    """A folder with the frozen pilot bank, in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(
        self, *arguments: str, program: tuple[str, ...] = ("-m", "divisionbell"), **more: Any
    ) -> subprocess.Popen[str]:
        """Start a command; what it says goes into pipes. `program` is what Python is made to run."""
        command = [sys.executable, *program, *arguments]
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.folder, env=environment(), **(streams | more))

    def do(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """Run a command that must end with this exit code, without a traceback or the key; what it said."""
        done = forked.run(*arguments, cwd=self.folder, env=environment(), timeout=110)
        out, err = done.stdout, done.stderr
        assert done.returncode == code, (arguments, done.returncode, out, err)
        assert "Traceback" not in err
        assert KEY not in out + err
        return out, err

    @cached_property
    def no_preflight(self) -> tuple[str, ...]:
        """What leaves out a call before the run: these tests count calls."""
        return ("--no-preflight",) if "--no-preflight" in self.do("run", "--help")[0] else ()

    def asking(self, url: str, out: Path, *more: str) -> tuple[str, ...]:
        """The arguments of a run against a server, by default in the short form."""
        form = () if "--form" in more else ("--form", "short")
        return ("run", "openai:asked-model", "--base-url", url, "--out", str(out), *form, *self.no_preflight, *more)

    def run(self, url: str, out: Path, *more: str, code: int = 0) -> str:
        """Run it to its end; what it said on standard error. The key stands in no file."""
        _, err = self.do(*self.asking(url, out, *more), code=code)
        for file in out.rglob("*") if out.exists() else ():
            assert not file.is_file() or KEY.encode() not in file.read_bytes()
        return err


def units(out: Path) -> list[dict[str, Any]]:
    """Every line of a journal; each must be whole."""
    return [json.loads(line) for line in (out / "journal.jsonl").read_bytes().splitlines()]
