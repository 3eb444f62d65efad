"""Find the frozen version that is meant."""

from __future__ import annotations

from divisionbell.bank.frozen_file import is_version
from divisionbell.bank.load import find_bank, read_in
from divisionbell.diagnostics import UsageProblem
from divisionbell.freeze.frozen_bank import FrozenBank, frozen_here, read_frozen


def frozen_bank(bank_folder: str | None, version: str | None) -> FrozenBank:
    """The frozen version named, else the one that bank.yaml names.

    Raises UsageProblem where it is not frozen.
    """
    folder = find_bank(bank_folder)
    if version is None:
        settings = read_in(folder, "bank.yaml").value
        version = settings.get("version") if isinstance(settings, dict) else None
    if version is None or not is_version(version):
        raise UsageProblem(f"{version!r:.80} is no version", frozen_here(folder / "freeze"))
    return read_frozen(folder / "freeze", version)
