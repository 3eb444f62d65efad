"""The compiled schema and its companions: generated files, and how to find them."""

from __future__ import annotations

from pathlib import Path


def model_file(name: str) -> bytes:
    """The bytes of one of the generated files. Raises OSError where there is none of that name."""
    # The folder itself: importlib.resources costs a tenth of the start of `validate`.
    return (Path(__file__).parent / name).read_bytes()
