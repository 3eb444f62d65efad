"""Places as other programs name them: relative to the root of the repository, or as a URI."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes

from divisionbell.diagnostics import real_path


def repository_path(path: str) -> str:
    """The path below GITHUB_WORKSPACE, where that is set and holds it; else as it is: below the working folder."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if workspace and path != "<stdin>":
        root = real_path(Path(workspace))
        parent, name = os.path.split(os.path.abspath(path))  # noqa: PTH100
        whole = real_path(Path(parent)) / name
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return path


def uri(path: str) -> str:
    """A path as the path of a URI; bytes of a name that are not UTF-8 are kept as bytes."""
    return quote_from_bytes(os.fsencode(path), safe="/")
