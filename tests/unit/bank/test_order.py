"""The stored order: one bit of an HMAC over the item's id."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from divisionbell.bank.order import pole_at_a

SEED = "00" * 31 + "01"


@pytest.mark.parametrize(
    ("seed", "name", "pole"),
    [
        (SEED, "q2345abc", "negative"),
        (SEED, "q2345abd", "negative"),
        ("ff" * 32, "q2345abc", "negative"),
        ("ff" * 32, "q2345abd", "positive"),
        (SEED, "qé", "positive"),
    ],
)
def test_vectors(seed: str, name: str, pole: str) -> None:
    bit = hmac.new(bytes.fromhex(seed), name.encode(), hashlib.sha256).digest()[31] % 2
    assert pole_at_a(seed, name, mirror=False) == ("negative", "positive")[bit]
    assert pole_at_a(seed, name, mirror=False) == pole


def test_a_mirror_takes_the_opposite() -> None:
    for number in range(50):
        poles = {pole_at_a(SEED, f"q{number}", mirror=mirror) for mirror in (False, True)}
        assert poles == {"negative", "positive"}


def test_balanced_over_many_ids() -> None:
    count = sum(pole_at_a(SEED, f"q{number:07d}", mirror=False) == "positive" for number in range(20_000))
    assert abs(count - 10_000) < 4 * 71  # four standard deviations; the seed is fixed


@pytest.mark.parametrize("seed", ["", "00", "0" * 63, "zz" * 32, "00" * 33])
def test_a_seed_of_another_length_or_alphabet(seed: str) -> None:
    with pytest.raises(ValueError):
        pole_at_a(seed, "q2345abc", mirror=False)
