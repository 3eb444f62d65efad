"""Where a verb writes a file that the user named."""

from __future__ import annotations

from pathlib import Path

from divisionbell.diagnostics import UsageProblem, shown_path


def must_be_writable(path: Path) -> None:
    """Raises UsageProblem where the folder does not exist or the name is that of a device, a folder or a link."""
    if not path.parent.is_dir():
        raise UsageProblem(f"the folder {shown_path(path.parent)} does not exist", "make it first, or write elsewhere")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageProblem(f"{shown_path(path)} is no file", "leave out --out to write to standard output")


def write_out(path: Path, data: bytes) -> None:
    """Write the file whole. Raises UsageProblem where it cannot be written."""
    from divisionbell.freeze.whole_file import write_whole

    must_be_writable(path)
    try:
        write_whole(path, data)
    except OSError as error:
        raise UsageProblem(f"{shown_path(path)} cannot be written: {error.strerror}", "write elsewhere") from None
