"""The pilot bank, frozen, for the tests that ask servers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from driving import Home

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("servers")
    shutil.copytree(ROOT / "tests" / "pilot" / "bank", folder / "bank", ignore=shutil.ignore_patterns("freeze"))
    shutil.copy(ROOT / "tests" / "pilot" / "data_sources.yaml", folder)
    made = Home(folder)
    made.do("freeze", "0.1.0")
    return made
