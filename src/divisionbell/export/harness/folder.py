"""Write an exported folder whole or not at all; the same export again changes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.freeze.freeze import write_whole


def write_folder(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Write `files`, by their path inside it, to a folder that is not there yet; False where all of it is there.

    Raises UsageProblem where the folder holds anything else, or cannot be written.
    """
    if os.path.lexists(folder) and not _holds(folder, {}):
        if _holds(folder, files):
            return False
        raise UsageProblem(
            f"{shown_path(folder)} is there and holds other content", "name a folder that does not exist with --out"
        )
    if not folder.parent.is_dir():
        raise UsageProblem(
            f"the folder {shown_path(folder.parent)} does not exist", "make it first, or write elsewhere"
        )
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        for name, data in files.items():
            path = aside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
        # A folder that has come into being meanwhile is never replaced, unless it is empty.
        aside.rename(folder)
    except OSError as error:
        raise UsageProblem(f"{shown_path(folder)} cannot be written: {error.strerror}", "write elsewhere") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return True


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether a folder holds exactly these files, byte for byte."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    try:
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
        return found.keys() == files.keys() and all(
            path.is_file() and not path.is_symlink() and path.read_bytes() == files[name]
            for name, path in found.items()
        )
    except OSError:
        return False
