"""Mutants of the two files of a frozen version."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from mutant import FileMutant, Touched
from of_files import WHOLE
from of_lines import Change, line_mutants
from part_of_bank import PartOfBank

from divisionbell.diagnostics import shown_path


class FrozenFiles:
    """Makes and unmakes the mutants of one version's files; each stands in the folder of `bank` until the next is made.

    `bank` is the whole bank with a freeze folder of its own, which the files of the version are copied to.
    """

    def __init__(self, bank: PartOfBank, real_folder: Path, version: str) -> None:
        self.bank, self.version = bank, version
        self.names = (f"{version}.records.jsonl", f"{version}.json")
        self.whole = {name: (real_folder / name).read_bytes() for name in self.names}
        self.real_folder = real_folder
        bank.frozen_in.mkdir(parents=True, exist_ok=True)

    def _mutant(
        self, kind: str, slot: str, files: Callable[[], dict[str, bytes | None]], touched: list[tuple[str, int, int]]
    ) -> FileMutant:
        places = tuple(
            Touched(shown_path(folder / name), (), first, last)
            for folder in (self.bank.frozen_in, self.real_folder)
            for name, first, last in touched
        )

        def on_disk() -> dict[Path, bytes | None]:
            return {self.real_folder / name: data for name, data in files().items()}

        return FileMutant(kind, slot, places, self.bank, None, ("FRZ002",), on_disk)

    def of_lines(self, drawn: random.Random | None = None, most: int = 0) -> Iterator[FileMutant]:
        """Every mutant of the lines of both files; with `drawn`, of so many lines of each."""
        for name, slot in zip(self.names, ("frozen records", "frozen statement"), strict=True):
            for change in line_mutants(name, self.whole[name].decode("utf-8"), drawn, most):

                def files(name: str = name, change: Change = change) -> dict[str, bytes | None]:
                    return {name: change.text().encode("utf-8")}

                line = change.lines[change.start] if change.start < len(change.lines) else ""
                told = next((f"{slot}: {part}" for part in ("frozen_at", "frozen_by") if f'"{part}"' in line), slot)
                yield self._mutant(change.kind, told, files, [(name, change.first, change.last)])

    def of_files(self) -> Iterator[FileMutant]:
        """The files deleted, emptied, exchanged, doubled under another version's name, and moved."""
        records, statement = self.names
        for name, slot in zip(self.names, ("frozen records", "frozen statement"), strict=True):
            yield self._mutant("file: deleted", slot, lambda name=name: {name: None}, [(name, 1, WHOLE)])
            yield self._mutant("file: emptied", slot, lambda name=name: {name: b""}, [(name, 1, WHOLE)])
            other = name.replace(self.version, "9.9.9")
            alone = [(n.replace(self.version, "9.9.9"), 1, WHOLE) for n in self.names]
            files = {other: self.whole[name]}
            yield self._mutant("file: doubled under another version", slot, lambda files=files: dict(files), alone)
        pair = {name.replace(self.version, "9.9.9"): data for name, data in self.whole.items()}
        both = [(name, 1, WHOLE) for name in pair]
        yield self._mutant("files: doubled under another version", "frozen statement", lambda: dict(pair), both)
        crossed: dict[str, bytes | None] = {records: self.whole[statement], statement: self.whole[records]}
        yield self._mutant(
            "files: exchanged", "frozen statement", lambda: crossed, [(records, 1, WHOLE), (statement, 1, WHOLE)]
        )

    def put(self, mutant: FileMutant) -> None:
        """Write the files of a mutant to the freeze folder of its bank."""
        for file in self.bank.frozen_in.iterdir():
            file.unlink()
        data: dict[str, bytes | None] = {**self.whole, **{path.name: data for path, data in mutant.files().items()}}
        for name, content in data.items():
            if content is not None:
                (self.bank.frozen_in / name).write_bytes(content)
