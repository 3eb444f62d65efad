"""One small bank for all tests that spoil its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_bank import SmallBank


@pytest.fixture(scope="module")
def small_bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallBank]:
    """The bank, with its folder as working folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("fuzz"))
        patch.delenv("DIVISIONBELL_BANK", raising=False)
        yield SmallBank(Path())
