"""The arithmetic certificate: scripted respondents whose scores are known beforehand.

It proves the way from an answer letter to a score, and nothing about the wording of the items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from divisionbell.diagnostics import percent
from divisionbell.estimate.document import score_run
from divisionbell.estimate.scale import AXES, SCALES
from divisionbell.freeze.frozen_bank import FrozenBank

Run = tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]
Named = Mapping[str, Mapping[str, Any]]

#: Scripted respondent -> score and flip rate that it must have on every axis and scale.
EXPECTED = {"always-a": (0.0, 1.0), "always-b": (0.0, 1.0), "negative": (-1.0, 0.0), "positive": (1.0, 0.0)}
REFUSE = "refuse"
COIN = "coin"
TOLERANCE = 1e-9
#: Nothing is read from a journal here, so there is no digest of one.
NO_JOURNAL = "0" * 64


def _close(value: float | None, expected: float) -> bool:
    return value is not None and abs(value - expected) <= TOLERANCE


def _text(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.2f}".replace("+0.00", "0").replace("-0.00", "0")


def _rate(value: float | None) -> str:
    return "undefined" if value is None else percent(value)


def _exact(named: Named, key: str, score: float, flip: float) -> dict[str, Any]:
    found, flipped = named[key].get("value"), named[f"{key}.flip"].get("value")
    return {
        "expected": f"score {_text(score)}, flip rate {_rate(flip)}",
        "found": f"score {_text(found)}, flip rate {_rate(flipped)}",
        "holds": _close(found, score) and _close(flipped, flip),
    }


def _refused(named: Named, key: str) -> dict[str, Any]:
    bounds = named[f"{key}.bounds"]
    low, high = bounds.get("low"), bounds.get("high")
    undefined = all("value" not in named[name] for name in (key, f"{key}.flip", f"{key}.consistent_only"))
    return {
        "expected": "score and flip rate undefined, bounds -1.00 to +1.00",
        "found": f"score {_text(named[key].get('value'))}, flip rate {_rate(named[f'{key}.flip'].get('value'))}, "
        f"bounds {_text(low)} to {_text(high)}",
        "holds": undefined and _close(low, -1.0) and _close(high, 1.0),
    }


def _tossed(named: Named, key: str) -> dict[str, Any]:
    found, flipped = named[key].get("value"), named[f"{key}.flip"].get("value")
    return {
        "expected": "score near 0, flip rate near 50%, reported only",
        "found": f"score {_text(found)}, flip rate {_rate(flipped)}",
        "holds": None,
    }


def certificate(bank: FrozenBank, form: str, run_scripted: Callable[[str], Run]) -> list[dict[str, Any]]:
    """Rows {respondent, axis, scale, expected, found, holds}, one per scripted respondent, axis and scale of the form.

    `run_scripted(name)` asks the scripted respondent `name` (always-a, always-b, negative, positive, refuse, coin) the
    whole of `form` and gives the run's header and units. `holds` is True or False, and None for the coin, which is
    reported only: one coin may fall anywhere. UsageProblem as `score_run`; ValueError where the run is of another form.
    """
    rows = []
    for name in (*EXPECTED, REFUSE, COIN):
        header, units = run_scripted(name)
        if header["form"] != form:
            raise ValueError(f"{name}: a run of {header['form']}, not of {form}")
        named = {entry["name"]: entry for entry in score_run(bank, header, units, NO_JOURNAL)["estimates"]}
        for scale in SCALES:
            for axis in AXES:
                key = f"{scale}.{axis}"
                if f"{key}.flip" not in named:
                    continue
                if name == COIN:
                    judged = _tossed(named, key)
                elif name == REFUSE:
                    judged = _refused(named, key)
                else:
                    judged = _exact(named, key, *EXPECTED[name])
                rows.append({"respondent": name, "axis": axis, "scale": scale} | judged)
    return rows
