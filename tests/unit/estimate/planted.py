"""Planted respondents: complete runs of a synthetic bank whose answers are known."""

import hashlib
import random

from divisionbell.estimate.synthetic_bank import (  # noqa: F401
    PLAN,
    bank,
    dossier,
    excluded,
    frozen,
    party,
    two_sides,
)

ORDERS = ("negative_at_a", "positive_at_a")
WHEN = "2026-01-02T03:04:05Z"


def attempt(number, reading, **more):
    return {
        "attempt_number": number,
        "turns": [],
        "turns_sha256": "0" * 64,
        "reading": reading,
        "transport_retries": 0,
        **more,
    }


def unit(asked, order, repeat, said):
    """One Unit. `said` is a letter, a pole, either followed by "!" for after the reminder, or an outcome."""
    late, said = said.endswith("!"), said.removesuffix("!")
    if said in ("negative", "positive"):
        said = "A" if order == f"{said}_at_a" else "B"
    key = hashlib.sha256(f"{asked.item.item_id} {order} {repeat}".encode()).hexdigest()
    made = {
        "unit_key": key,
        "asked_item": asked.item.item_id,
        "asked_dossier": asked.dossier.dossier_id,
        "asked_order": order,
        "stored_order": order == f"{asked.pole_at_a}_at_a",
        "repeat": repeat,
        "outcome": said,
        "attempts": [],
        "finished_at": WHEN,
    }
    if said in ("A", "B"):
        readings = ["no_json", "ok"] if late else ["ok"]
        outcome = "valid_after_retry" if late else "valid_at_first"
        attempts = [attempt(number, reading) for number, reading in enumerate(readings, 1)]
        return made | {"outcome": outcome, "answer": said, "attempts": attempts}
    if said == "not_administered":
        return made
    readings = {"malformed": ["no_json", "no_json"], "transport_failed": ["transport"]}.get(said, [said])
    return made | {"attempts": [attempt(number, reading) for number, reading in enumerate(readings, 1)]}


def run(of, respondent, form="full", repeats=1, **header):
    """(header, units) of a complete run; `respondent(asked, order, repeat)` says what `unit` takes."""
    units = [
        unit(asked, order, repeat, respondent(asked, order, repeat))
        for asked in of.form(form)
        for order in ORDERS
        for repeat in range(1, repeats + 1)
    ]
    head = {
        "run_id": "planted-run",
        "run_schema_version": "0.1.0",
        "respondent": "scripted:planted",
        "constrained": False,
        "settings": {},
        "bank_version": of.version,
        "bank_sha256": of.sha256,
        "form": form,
        "repeats": repeats,
        "template_sha256": "0" * 64,
        "parser_used": "strict_json_v1",
        "unit_count": len(units),
        "not_administered_count": sum(one["outcome"] == "not_administered" for one in units),
        "started_at": WHEN,
        "software": [],
    }
    return head | header, units


def always(said):
    return lambda asked, order, repeat: said


def coin(seed, poles=("negative", "positive"), weights=None):
    """Draws anew for every unit; a function of the unit alone."""

    def respond(asked, order, repeat):
        rng = random.Random(f"{seed} {asked.item.item_id} {order} {repeat}")
        return rng.choices(poles, weights)[0]

    return respond


def lost(respondent, share, seed, outcome="malformed", where=lambda asked, order: True):
    """The same respondent with a random share of answers lost where `where` holds."""

    def respond(asked, order, repeat):
        rng = random.Random(f"{seed} lost {asked.item.item_id} {order} {repeat}")
        gone = rng.random() < share and where(asked, order)
        return outcome if gone else respondent(asked, order, repeat)

    return respond
