"""How numbers, gaps and untrusted text are written."""

from __future__ import annotations

import pytest

from divisionbell.model.run_classes import Estimate
from divisionbell.report.words import (
    NOT_GIVEN,
    SHOWN_CHARACTERS,
    breakable,
    brief,
    counted,
    cut,
    number,
    percent,
    shorten,
    shown,
    shown_span,
    signed,
    typeset,
    visible,
    visible_markup,
)


def _estimate(**more: object) -> Estimate:
    return Estimate.model_validate(
        {"name": "x", "unit": "coordinate", "standing": "primary", "definition": "d", **more}
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.42, "+0.42"),
        (-0.42, "−0.42"),
        (1.0, "+1.00"),
        (0.0, "0.00"),
        (0.005, "+0.01"),
        (0.00376, "+0.004"),
        (-0.0007, "−0.0007"),
        (0.00099, "+0.001"),
        (-1e-12, "0.00"),
    ],
)
def test_signed(value: float, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0%"), (1, "100%"), (0.9999, "over 99.9%"), (0.0001, "under 0.1%"), (0.925, "92.5%")]
)
def test_percent_says_all_and_none_only_where_exact(value: float, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(("value", "text"), [(-0.125, "−0.13"), (0.125, "+0.13"), (0.005, "+0.01"), (-0.1249, "−0.12")])
def test_a_half_is_rounded_away_from_zero(value: float, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("n", "n_of", "text"),
    [
        (1, "families", "1 family"),
        (2, "families", "2 families"),
        (1, "units missing", "1 unit missing"),
        (1, "of 3 families", "1 of 3 families"),
        (1, "", "1 "),
    ],
)
def test_one_is_singular(n: int, n_of: str, text: str) -> None:
    assert counted(n, n_of) == text


def test_number_by_unit() -> None:
    assert number(1234, "count") == "1,234"
    assert number(0.5, "share") == "50.0%"
    assert number(-0.5, "coordinate") == "−0.50"
    assert number(-0.5, "agreement") == "−0.50"


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_undefined_is_said_with_a_reason(value: float | None) -> None:
    made = shown(_estimate(value=value))
    assert made.text == "undefined"
    assert made.because
    assert made.value is None


def test_a_given_reason_is_printed() -> None:
    assert shown(_estimate(undefined_because="one family only")).because == "one family only"
    assert shown(None).because == NOT_GIVEN
    assert shown_span(_estimate(low=-1, high=0.5)).text == "−1.00 to +0.50"
    assert shown_span(_estimate(undefined_because="why")).text == "undefined"
    assert shown_span(_estimate(undefined_because="nothing is missing", n=0)).text == "none"


def test_a_span_that_is_not_finite_is_not_printed() -> None:
    assert shown(_estimate(value=0.1, low=float("nan"), high=1.0)).span == ""


def test_control_and_direction_characters_are_escapes() -> None:
    assert visible("a\u202eb\x00c\ud800\n") == "a\\u202eb\\u0000c\\ud800\n"
    assert visible("\U000e0001") == "\\U000e0001"
    assert visible_markup("<b>\u202e&") == '&lt;b&gt;<span class="esc">\\u202e</span>&amp;'
    assert visible("plain ünïcode 漢字") == "plain ünïcode 漢字"


def test_long_replies_are_cut_with_their_length_said() -> None:
    assert cut("x" * SHOWN_CHARACTERS, "there").remark == ""
    long = cut("x" * 1_000_000, "journal.jsonl, line 3")
    assert len(long.html) == SHOWN_CHARACTERS
    assert long.remark == (
        "1,000,000 characters; the first 2,000 are shown, the whole stands in journal.jsonl, line 3."
    )
    assert len(cut("x" * 1_000_000, "there", 250).html) == 250
    assert brief("x" * 200) == "x" * 200
    assert brief("x" * 201) == "x" * 200 + "… (201 characters)"


def test_names() -> None:
    assert str(breakable("openai:<x>")) == "openai:<wbr>&lt;x&gt;"
    assert shorten("a" * 50, 11) == "aaaaaa…aaaa"
    assert shorten("a\nb\u202e", 20) == "a b\\u202e"


def test_what_has_a_size_and_no_direction_has_no_sign() -> None:
    named = {"unit": "coordinate", "standing": "diagnostic", "definition": "d", "value": 0.24}
    for name in ("agreement.repeat.sem", "framing.social.rms_d_text", "concrete.social.smallest_detectable_difference"):
        assert shown(Estimate.model_validate({"name": name, **named})).text == "0.24"
    assert shown(Estimate.model_validate({"name": "concrete.social", **named})).text == "+0.24"


def test_a_note_is_printed_with_a_true_minus() -> None:
    assert typeset("from -0.74 to -0.42, Imbens-Manski, run-2, 2026-01-03, 95 % (3-5)") == (
        "from −0.74 to −0.42, Imbens-Manski, run-2, 2026-01-03, 95% (3-5)"
    )
