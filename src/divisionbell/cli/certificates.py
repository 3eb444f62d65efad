"""The arithmetic certificate, made here and now through the one code path that every run takes."""

from __future__ import annotations

import asyncio
from typing import Any

from divisionbell.estimate.certificate import certificate
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import administer, header, plan
from divisionbell.run.respondents.scripted import Scripted


def arithmetic_certificate(bank: FrozenBank) -> list[dict[str, Any]]:
    """The rows of `certificate` on the full form, every scripted respondent asked anew."""

    def run_scripted(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        respondent = Scripted(name)
        units = plan(bank, respondent, "full", 1)
        made: list[dict[str, Any]] = []
        asyncio.run(administer(bank, respondent, units, lambda unit: made.append(dict(unit)), 1))
        return header(bank, respondent, "full", 1, f"certificate-{name}", units), made

    return certificate(bank, "full", run_scripted)
