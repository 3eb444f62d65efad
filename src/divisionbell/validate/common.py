"""What a check of one dossier needs to know of all the others: collected from every file, also of those with faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from divisionbell.bank.frozen_file import MAX_RECORD_BYTES, read_frozen_file
from divisionbell.bank.load import Bank
from divisionbell.bank.read import Path_
from divisionbell.sources.ches import Survey, read_survey
from divisionbell.validate.gazetteer import folded
from divisionbell.validate.words import first_word, pieces, words

# Words that begin with no small letter. The first letter stands first, so that the search skips to it.
_CAPITALISED = re.compile(r"[^\W\d_a-z](?<![^\W\d_].)[^\W\d_]*")
_CAPITALISED_ASCII = re.compile(r"[A-Z](?<![A-Za-z].)[A-Za-z]*")

# Of record files that were read so many bytes are kept; beyond that they are read anew.
MOST_KEPT = 50_000_000


@dataclass(eq=False)
class Common:
    """Facts about a whole bank, each collected when it is asked for."""

    bank: Bank
    ches: Path | None = None

    def collect(self) -> None:
        """Collect everything now, so that a second process need not do so again."""
        _ = (self.party_labels, self.recorded_names, self.registered, self.frozen_names)

    @cached_property
    def party_labels(self) -> frozenset[str]:
        """The name of every party in the counts of any division."""
        found: set[str] = set()
        for document in (*self.bank.dossiers, *self.bank.excluded):
            found.update(texts_at(document.value, ("source", "party_counts", "*", "party")))
        return frozenset(found)

    @cached_property
    def recorded_names(self) -> dict[str, str]:
        """Folded capitalised word of an official title or text -> the dossier that records it."""
        found: dict[str, str] = {}
        seen: set[str] = set()
        for document in (*self.bank.dossiers, *self.bank.excluded):
            name = "".join(texts_at(document.value, ("dossier_id",))) or document.shown
            for path in (("source", "official_title"), ("source", "motion_direction", "quoted_text")):
                for text in texts_at(document.value, path):
                    for word in (_CAPITALISED_ASCII if text.isascii() else _CAPITALISED).findall(text):
                        if word not in seen and word[0].isupper():
                            seen.add(word)
                            found.setdefault(folded(word), name)
        return found

    @cached_property
    def registered(self) -> dict[str, list[Registered]]:
        """The registered names by their first word."""
        found: dict[str, list[Registered]] = {}
        settings = self.bank.settings.value
        entries = settings.get("registry") if isinstance(settings, dict) else None
        for number, entry in enumerate(entries if isinstance(entries, list) else []):  # it may not fit the schema
            name, owner = ("".join(texts_at(entry, (slot,))) for slot in ("invented_name", "invented_for"))
            found.setdefault(first_word(name), []).append(Registered(number, name, owner, pieces(words(name))))
        return found

    @cached_property
    def frozen_names(self) -> frozenset[str]:
        """The names in the folder of frozen versions, looked at once: a freeze at work in it meanwhile is not seen."""
        try:
            return frozenset(path.name for path in self.bank.freeze_folder.iterdir())
        except OSError:
            return frozenset()

    def frozen_versions(self) -> list[str]:
        """The versions of which there is a record file, a statement or both, by name."""
        ends = (".records.jsonl", ".json")
        return sorted({name.removesuffix(end) for name in self.frozen_names for end in ends if name.endswith(end)})

    @cached_property
    def _frozen(self) -> dict[Path, bytes]:
        return {}

    def frozen_file(self, path: Path) -> bytes:
        """The bytes of a record file, read once. Raises FrozenFileProblem where it cannot be read."""
        if path not in self._frozen:
            if sum(map(len, self._frozen.values())) > MOST_KEPT:
                self._frozen.clear()
            self._frozen[path] = read_frozen_file(path, MAX_RECORD_BYTES)
        return self._frozen[path]

    @cached_property
    def sound_versions(self) -> dict[str, SoundVersion]:
        """What is to be known of each older version that was found in order beside the dossiers."""
        return {}

    @cached_property
    def survey(self) -> Survey:
        """The survey file. Raises Findings where there is none or it is another."""
        assert self.ches is not None
        return read_survey(self.ches)


@dataclass(frozen=True)
class SoundVersion:
    """A frozen version whose two files agree: the SHA-256 of both, and the prospective codes that it holds."""

    records_sha256: str
    statement_sha256: str
    codes: dict[str, Any]


def codes_in(data: bytes) -> dict[str, Any]:
    """The prospective codes in a record file by their ids; no other record is read. Raises ValueError, KeyError or
    TypeError where the file is damaged."""
    lines = map(orjson.loads, _lines_with(b'"kind":"prospective"', data))
    return {record["id"]: record["value"] for record in lines if isinstance(record["value"], dict)}


def _lines_with(part: bytes, data: bytes) -> Iterator[bytes]:
    """The lines that hold something; the others are not cut out."""
    start = data.find(part)
    while start >= 0:
        end = data.find(b"\n", start)
        yield data[data.rfind(b"\n", 0, start) + 1 : end if end >= 0 else None]
        start = data.find(part, end) if end >= 0 else end


@dataclass(frozen=True)
class Registered:
    """An entry of the registry of invented names, with its number and the words of the name."""

    number: int
    name: str
    owner: str
    pieces: frozenset[str]


def texts_at(value: Any, path: Path_) -> list[str]:
    """Every text at a path, `*` standing for each element of a list; nothing where the path leads nowhere."""
    values = [value]
    for step in path:
        if step == "*":
            values = [element for held in values if isinstance(held, list) for element in held]
        else:
            values = [held[step] for held in values if isinstance(held, dict) and step in held]
    return [held for held in values if isinstance(held, str)]
