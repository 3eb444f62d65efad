"""How many replies were the object asked for, at first and after the reminder, and what the others were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from divisionbell.bank.parse import REASONS
from divisionbell.estimate.named import Estimate, estimate
from divisionbell.run.outcomes import NOT_ADMINISTERED, OUTCOMES, VALID

#: Readings of a reply that was not obtained: no parser could have read it.
NOT_OBTAINED = ("transport", "blocked", "cut_off")

_OUTCOMES = {
    "valid_at_first": "the first reply was exactly the object asked for",
    "valid_after_retry": "the reply after the one reminder was",
    "malformed": "neither reply was",
    "blocked": "the provider refused or filtered the call",
    "cut_off": "the reply ended at a length limit",
    "transport_failed": "the respondent was not reached",
    "not_administered": "the respondent has no position on the division and was not asked",
}


def malformed_at_first(outcome: str, reading: str | None) -> bool:
    """Whether a first reply was obtained and was not the object asked for."""
    if outcome in ("valid_after_retry", "malformed"):
        return True
    return outcome != "valid_at_first" and reading is not None and reading not in NOT_OBTAINED


def parsing_rates(first_readings: Mapping[tuple[str, str | None], int]) -> list[Estimate]:
    """Parse rates valid / (valid + malformed), outcomes and reasons of a run, from its units counted by outcome and by
    the reading of the first reply."""
    outcomes, readings = Counter[str](), Counter[str]()
    for (outcome, reading), count in first_readings.items():
        outcomes[outcome] += count
        if reading is not None:
            readings[reading] += count
    asked = outcomes.total() - outcomes[NOT_ADMINISTERED]
    at_first = outcomes["valid_at_first"]
    unread_at_first = sum(count for told, count in first_readings.items() if malformed_at_first(*told))
    valid = sum(outcomes[outcome] for outcome in VALID)
    read = valid + outcomes["malformed"]
    made = [
        estimate("parse.asked", "Units that the respondent was asked.", unit="count", value=asked),
        _rate(
            "parse.initial_rate",
            "Valid first replies as a share of first replies that were valid or malformed; blocked, cut off and not "
            "reached are counted apart.",
            at_first,
            at_first + unread_at_first,
        ),
        _rate(
            "parse.final_rate",
            "Units valid at first or after the one reminder, as a share of those valid or malformed in the end; "
            "blocked, cut off and not reached are counted apart.",
            valid,
            read,
        ),
    ]
    made += [
        estimate(
            f"parse.outcome.{outcome}", f"Units where {_OUTCOMES[outcome]}.", unit="count", value=outcomes[outcome]
        )
        for outcome in OUTCOMES
    ]
    made += [
        estimate(
            f"parse.reason.{code}",
            f"First replies read as {code}: {REASONS.get(code, 'a reason of another parser')}.",
            unit="count",
            value=count,
        )
        for code, count in sorted(readings.items())
    ]
    return made


def _rate(name: str, definition: str, valid: int, read: int) -> Estimate:
    return estimate(
        name,
        definition,
        unit="share",
        value=valid / read if read else None,
        because=None if read else "no reply was obtained that could be read",
        n=read,
        n_of="replies",
    )
