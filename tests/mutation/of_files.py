"""Mutants of whole files: deleted, doubled, moved, emptied; and of the codebook's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mutant import FileMutant, Touched
from of_values import LETTERS, LOOK_ALIKES
from part_of_bank import FrozenParts, PartOfBank, part_of
from slots import ROOT_NAMES, identifiers

from divisionbell.bank.document import Document
from divisionbell.bank.load import Bank, Root
from divisionbell.bank.read import read_bytes

WHOLE = 1_000_000
"""The last line of a file, where all of it is what was changed."""
