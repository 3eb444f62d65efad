"""What stands beside a respondent's name about decoding."""

from __future__ import annotations

from divisionbell.run.instrument import instrument


def test_only_what_decodes_is_said_to() -> None:
    assert instrument("openai:m", False) == " (free decoding)"
    assert instrument("embedded", True) == instrument("party:x", True) == " (constrained decoding, another instrument)"
    assert instrument("party:Labour", False) == instrument("scripted:coin", False) == ""
