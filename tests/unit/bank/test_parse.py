"""The parser: the bank's own vectors, the shared cases where they are, and properties of strict reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from divisionbell.bank.parse import PARSER_ID, REASONS, parse_reply

ROOT = Path(__file__).resolve().parents[3]
PARSER = yaml.safe_load((ROOT / "tests" / "pilot" / "bank" / "bank.yaml").read_text(encoding="utf-8"))["parser"]
CASES = ROOT.parent / "shared" / "cases" / "replies.jsonl"
ITEM = "q2345abc"


def test_the_bank_is_bound_to_this_parser() -> None:
    assert PARSER["parser_id"] == PARSER_ID


@pytest.mark.parametrize("vector", PARSER["vectors"], ids=lambda v: v["vector_reply"][:40])
def test_vectors_of_the_bank(vector: dict[str, str]) -> None:
    reading = parse_reply(vector["vector_item"], vector["vector_reply"])
    assert (reading.verdict, reading.answer, reading.reason) == (
        vector["verdict"],
        vector.get("vector_answer"),
        vector["vector_reason"],
    )


def test_shared_cases() -> None:
    if not CASES.exists():
        pytest.skip("the shared cases are not beside this checkout")
    lines = CASES.read_text(encoding="utf-8").splitlines()
    for line in lines:
        case = json.loads(line)
        tags = case.get("declared_reasoning_tags")
        reading = parse_reply(
            case["item_id"],
            case["reply"],
            case["finish_reason"],
            tuple(tags) if tags else None,
            case.get("refusal_field"),
            case.get("transport_error"),
        )
        assert (reading.verdict, reading.answer) == (case["verdict"], case["answer"]), case["name"]
    assert len(lines) > 50


@pytest.mark.parametrize(
    ("text", "finish", "tags", "reason"),
    [
        (None, "length", None, "cut_off"),
        ('{"item_id":"q2345abc","answer":"A"}', "length", None, "cut_off"),
        (None, "content_filter", None, "blocked"),
        (None, "SAFETY", None, "blocked"),
        (None, "stop", None, "empty"),
        (
            "<think>a</think><think>b</think>\n" + '{"item_id":"q2345abc","answer":"B"}',
            "stop",
            ("<think>", "</think>"),
            "ok",
        ),
        ("<think>a", "stop", ("<think>", "</think>"), "reasoning_unclosed"),
        ("x <think>a</think>" + '{"item_id":"q2345abc","answer":"B"}', "stop", ("<think>", "</think>"), "embedded"),
        ("[" * 100_000, "stop", None, "no_json"),
        ('{"a":' * 50_000, "stop", None, "bad_json"),
    ],
)
def test_what_comes_first(text: str | None, finish: str, tags: tuple[str, str] | None, reason: str) -> None:
    assert parse_reply(ITEM, text, finish, tags).reason == reason


def test_transport_outranks_everything() -> None:
    whole = '{"item_id":"q2345abc","answer":"A"}'
    assert parse_reply(ITEM, whole, "stop", None, None, "429").verdict == "not_obtained"
    assert parse_reply(ITEM, whole, "stop", None, "I will not").reason == "blocked"


@given(st.text())
def test_no_text_is_searched_for_an_answer(prose: str) -> None:
    reading = parse_reply(ITEM, prose)
    assert reading.reason in REASONS
    if reading.verdict == "valid":
        assert json.loads(prose) == {"item_id": ITEM, "answer": reading.answer}


@given(st.text(max_size=30), st.text(max_size=30))
def test_swapping_the_letters_swaps_the_outcome(before: str, after: str) -> None:
    swap = str.maketrans("AB", "BA")
    text = before.translate(str.maketrans("", "", "AB")) + '{"item_id":"q2345abc","answer":"A"}' + after.translate(swap)
    one, other = parse_reply(ITEM, text), parse_reply(ITEM, text.translate(swap))
    assert one.verdict == other.verdict
    assert one.reason == other.reason
    if one.answer is not None:
        assert {one.answer, other.answer} == {"A", "B"}
