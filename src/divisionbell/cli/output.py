"""Where a verb writes a file that the user named."""

from __future__ import annotations

import os
from pathlib import Path

from divisionbell.diagnostics import UsageProblem, shown_path


def must_be_writable(path: Path) -> None:
    """Raises UsageProblem where the folder does not exist or the name is that of a device, a folder or a link."""
    if not os.path.isdir(path.parent):  # noqa: PTH112 - False also where the path cannot be looked at
        raise UsageProblem(f"the folder {shown_path(path.parent)} does not exist", "make it first, or write elsewhere")
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):  # noqa: PTH113, PTH114
        raise UsageProblem(f"{shown_path(path)} is no file", "leave out --out to write to standard output")


def write_out(path: Path, data: bytes) -> None:
    """Write the file whole. Raises UsageProblem where it cannot be written."""
    from divisionbell.freeze.whole_file import write_whole

    must_be_writable(path)
    write_whole(path, data)
