"""What is kept of frozen files while a bank is checked stays bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from divisionbell.bank.load import load
from divisionbell.validate import common
from divisionbell.validate.common import Common


def test_of_many_record_files_few_are_kept(frozen_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "MOST_KEPT", 250)
    facts = Common(load(frozen_bank))
    for number in range(9):
        path = frozen_bank / "freeze" / f"0.0.{number}.records.jsonl"
        path.write_bytes(bytes([97 + number]) * 100)
        assert facts.frozen_file(path) == bytes([97 + number]) * 100
        assert sum(map(len, facts._frozen.values())) <= 350
