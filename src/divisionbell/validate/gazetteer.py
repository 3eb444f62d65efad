"""Whether a name is that of a real place: looked up offline in a list of hashed names (`schema/compile_places.py`)."""

from __future__ import annotations

import hashlib
import unicodedata
from functools import cache

from divisionbell.model import model_file

KEY_BYTES = 5


def folded(name: str) -> str:
    """A name as it is compared: letters and blanks alone, without accents, in lower case."""
    if name.isascii() and name.isalpha():
        return name.lower()
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join("".join(c if c.isalpha() else " " for c in plain.casefold()).split())


def key_of(name: str) -> bytes:
    """What stands for a folded name in a list."""
    return hashlib.sha256(name.encode()).digest()[:KEY_BYTES]


@cache
def _keys(file: str) -> bytes:
    return model_file(file)


def _listed(name: str, file: str) -> bool:
    key, keys = key_of(folded(name)), _keys(file)
    low, high = 0, len(keys) // KEY_BYTES
    while low < high:
        middle = (low + high) // 2
        found = keys[middle * KEY_BYTES : (middle + 1) * KEY_BYTES]
        if found == key:
            return True
        low, high = (middle + 1, high) if found < key else (low, middle)
    return False


def is_place(name: str) -> bool:
    """True where a populated place of 500 people or more, a country or a state has this name.

    With N names listed, another name is taken for one of them with probability N / 2^40.
    """
    return _listed(name, "places.bin")


def is_ordinary_word(name: str) -> bool:
    """True where a place has this name and English has the word as well, in lower case (reading, nice, bath)."""
    return _listed(name, "place_words.bin")
