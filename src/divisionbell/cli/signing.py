"""The key that a verb signs with, and its passphrase."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.freeze.keys import Signer, load_signer

PASSPHRASE = "DIVISIONBELL_KEY_PASSPHRASE"  # noqa: S105 (the name of a variable)


def signing_key(path: Path) -> Signer:
    """The private key in a file. Its passphrase is never an argument: others on the machine see those."""

    def passphrase() -> bytes:
        if PASSPHRASE in os.environ:
            return os.fsencode(os.environ[PASSPHRASE])
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageProblem(f"{shown_path(path)} is encrypted", f"set {PASSPHRASE}, or sign at a terminal")
        asked: str = click.prompt(f"Passphrase of {shown_path(path)}", hide_input=True, err=True)
        return asked.encode()

    return load_signer(path, passphrase)
