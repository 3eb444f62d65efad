"""Make a run folder of ours out of a log of Inspect, so that `score`, `report` and `runs verify` read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, read_eval_log

from divisionbell.diagnostics import Findings, UsageProblem, shown_path
from divisionbell.export.harness.elsewhere import Elsewhere
from divisionbell.export.harness.folder import write_folder
from divisionbell.export.harness.inspect_task import UNIT
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.run.administer import header, plan
from divisionbell.run.find_runs import slug
from divisionbell.run.fits import misfit
from divisionbell.run.journal import HEADER, JOURNAL, line_of
from divisionbell.run.respondents.base_url import checked_base_url
from divisionbell.run.respondents.respondent import RespondentRefused

ASK_AGAIN = "ask the rest: inspect eval-retry LOG"


def write_run(log_file: Path, bank: FrozenBank, out: Path) -> Path:
    """Write the run in a log (.eval or .json) to the folder `out`, whole or not at all, the same for the same log.

    Units that Inspect did not obtain are left out, so that an incomplete log makes an incomplete run. Raises
    UsageProblem where the log is of another task or bank or `out` holds something else, Findings where it cannot be
    read.
    """
    try:
        log = read_eval_log(str(log_file))
    except (OSError, ValueError) as problem:
        raise Findings(f"{shown_path(log_file)} cannot be read: {problem}"[:400], fix="restore the log") from None
    told = log.eval.metadata or {}
    if "bank_sha256" not in told or "template_sha256" not in told or "form" not in told:
        raise UsageProblem(f"{shown_path(log_file)} is of the task {log.eval.task}, not of divisionbell/bank")
    if told["bank_sha256"] != bank.sha256 or told["template_sha256"] != bank.template_sha256:
        raise UsageProblem(
            f"{shown_path(log_file)} was asked from version {told.get('bank_version')} with sha256 "
            f"{told['bank_sha256']}; version {bank.version} here has {bank.sha256}",
            "name the bank that it was asked from",
        )
    made = _files(log, bank, str(told["form"]), log_file)
    write_folder(out, made)
    return out


def _files(log: EvalLog, bank: FrozenBank, form: str, log_file: Path) -> dict[str, bytes]:
    respondent = Elsewhere(f"inspect:{log.eval.model}", _settings(log))
    repeats = log.eval.config.epochs or 1
    planned = plan(bank, respondent, form, repeats)
    had = {(unit["asked_item"], unit["asked_order"], unit["repeat"]): unit for unit in _units(log)}
    head = header(bank, respondent, form, repeats, f"{slug(respondent.name)}-{slug(log.eval.run_id)}", planned)
    head["started_at"] = _utc(log.stats.started_at or log.eval.created)
    packages = sorted(log.eval.packages.items())
    head["software"] = [{"software_name": name, "software_version": version} for name, version in packages]
    lines = []
    for one in planned:
        unit = had.get((one.asked.item.item_id, one.order, one.repeat))
        if unit is None:
            continue
        unit = {**unit, "unit_key": one.key}
        wrong = misfit("Unit", unit)
        if wrong is not None:
            raise Findings(f"{shown_path(log_file)}: a unit does not fit: {wrong}", fix="restore the log")
        lines.append(line_of(unit))
    if not lines:
        raise UsageProblem(f"{shown_path(log_file)} holds no unit", ASK_AGAIN)
    text = json.dumps(head, indent=1, ensure_ascii=True) + "\n"
    return {HEADER: text.encode("ascii"), JOURNAL: b"".join(lines)}


def _units(log: EvalLog) -> Iterator[Mapping[str, Any]]:
    """The unit of each sample that came to an end."""
    for sample in log.samples or []:
        score = (sample.scores or {}).get("outcome")
        if sample.error is None and score is not None and score.metadata and UNIT in score.metadata:
            yield score.metadata[UNIT]


def _settings(log: EvalLog) -> dict[str, object]:
    """What makes an answer what it is: the model, its address and what was sent with every call; no headers and no
    arguments of the client, which may hold a key."""
    config = {**log.plan.config.model_dump(exclude_none=True, mode="json")}
    config |= log.eval.model_generate_config.model_dump(exclude_none=True, mode="json")
    config.pop("extra_headers", None)
    made: dict[str, object] = {
        "model": _name_sent(log.eval.model),
        "harness": "inspect_ai",
        "harness_model": log.eval.model,
        "generate_config": config,
    }
    with suppress(RespondentRefused):  # an address that holds a user, a password or a query is left out
        if log.eval.model_base_url:
            made["base_url"] = checked_base_url(log.eval.model_base_url)
    return made


def _name_sent(model: str) -> str:
    """The model as its server knows it: Inspect puts the provider before it, and openai-api the name of a service."""
    parts = model.split("/")
    return "/".join(parts[2 if parts[0] == "openai-api" else 1 :]) or model


def _utc(told: str) -> str:
    """A time of the log as ours are written."""
    return datetime.fromisoformat(told).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
