"""Which units of a run a shard holds: a fact of the unit alone, so that every machine cuts the run the same way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divisionbell.diagnostics import UsageProblem, shown_path
from divisionbell.run.fits import MOST_SHARDS

_FOLDER = re.compile(r"shard-([0-9]+)-of-([0-9]+)")


@dataclass(frozen=True)
class Shard:
    """Shard `index` of `count`, counted from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"shard {self.index} of {self.count}"

    @property
    def folder_name(self) -> str:
        """The name of its run folder, for example shard-2-of-8."""
        return f"shard-{self.index}-of-{self.count}"

    @property
    def header(self) -> dict[str, int]:
        """What a run header says of it."""
        return {"shard_index": self.index, "shard_count": self.count}

    def holds(self, unit_key: str) -> bool:
        """True where the unit is one of this shard."""
        return shard_of(unit_key, self.count) == self.index


def shard_of(unit_key: str, count: int) -> int:
    """The shard, from 1, that holds a unit where a run is cut into `count`."""
    return int(unit_key, 16) % count + 1


def new_shard(index: int, count: int) -> Shard:
    """A shard. Raises UsageProblem unless 1 <= index <= count."""
    if not 1 <= count <= MOST_SHARDS:
        raise UsageProblem(f"a run cannot be cut into {count} shards", f"name a number from 1 to {MOST_SHARDS}")
    if not 1 <= index <= count:
        raise UsageProblem(f"there is no shard {index} of {count}", f"shards count from 1 to {count}")
    return Shard(index, count)


def shard_in(header: Mapping[str, Any]) -> Shard | None:
    """The shard that a run header is of; None where the run is whole."""
    if header.get("shard_index") is None or header.get("shard_count") is None:
        return None
    return Shard(int(header["shard_index"]), int(header["shard_count"]))


def refuse_other_counts(parent: Path, shard: Shard, option: str = "--out") -> None:
    """Raises UsageProblem where `parent`, which `option` names, holds shards of a run cut into another number."""
    for folder in sorted(parent.glob("shard-*-of-*")) if parent.is_dir() else ():
        found = _FOLDER.fullmatch(folder.name)
        if found and int(found.group(2)) != shard.count:
            raise UsageProblem(
                f"{shown_path(parent)} holds {folder.name}, and this is {shard}",
                f"cut all shards of a run into the same number, or name another {option}",
            )
