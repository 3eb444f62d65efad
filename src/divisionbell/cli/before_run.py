"""What `run` says before anything is asked: the plan of a dry run, and the preflight."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from divisionbell.diagnostics import visible

if TYPE_CHECKING:
    from divisionbell.freeze.frozen_bank import FrozenBank
    from divisionbell.run.administer import Planned
    from divisionbell.run.preflight import Preflight
    from divisionbell.run.respondents.respondent import Respondent


def show_plan(bank: FrozenBank, chosen: Respondent, form: str, repeats: int, units: list[Planned]) -> int:
    """Print every prompt once and then what the run takes; nothing is asked.

    The plan also comes first, on standard error, where it is not lost below thousands of lines.
    """
    from divisionbell.run.administer import turns_due

    plan = [visible(line) for line in _plan(bank, chosen, form, repeats, units)]
    once = [unit for unit in units if unit.repeat == 1]
    click.echo("\n".join([*plan, f"{len(once)} prompts follow on standard output, and this plan again"]), err=True)
    click.echo(f"--- system, the same for all\n{bank.settings.system_message}")
    for number, unit in enumerate(once, start=1):
        click.echo(
            f"--- {number}/{len(once)} {unit.asked.item.item_id} ({unit.asked.alias}), {unit.order.replace('_', ' ')}"
            + (", the reminder after the malformed reply that is there" if unit.first else "")
        )
        click.echo(turns_due(bank, unit)[-1].content)
    click.echo("\n".join(["--- plan", *plan]))
    return 0


def _plan(bank: FrozenBank, chosen: Respondent, form: str, repeats: int, units: list[Planned]) -> list[str]:
    from divisionbell.run.instrument import instrument
    from divisionbell.run.workload import CHARACTERS_A_TOKEN, workload

    work = workload(bank, chosen, units)
    declined = len(units) - work.calls_at_least
    how = instrument(chosen.name, chosen.constrained)
    least, most = (round(n / CHARACTERS_A_TOKEN) for n in (work.characters_at_least, work.characters_at_most))
    answer = round(work.answer_characters / CHARACTERS_A_TOKEN)
    return [
        f"bank {bank.version} ({bank.sha256}), form {form}, {repeats} repeat{'s' if repeats > 1 else ''}",
        f"{chosen.name}{how}: {work.calls_at_least} units to ask, {declined} not administered",
        *form_lines(bank, form),
        f"calls: {work.calls_at_least} at least, {work.calls_at_most} at most (one reminder each)",
        f"tokens in: about {least:,}, with a reminder each about {most:,}; out: about {answer * work.calls_at_least:,} "
        f"without reasoning (an estimate: characters / {CHARACTERS_A_TOKEN})",
    ]


def form_lines(bank: FrozenBank, form: str) -> list[str]:
    """What a form is good for, so that it is known before anything is paid for."""
    from divisionbell.estimate.enough import dossiers_asked, lacking

    items = bank.form(form)
    missing = lacking(dossiers_asked(items), bank.plan.minimum_families)
    if not missing:
        return [f"form {form}: {len(items)} items, enough for a position"]
    return [f"form {form}: {len(items)} items, a trial: no position can be read from it, since {'; '.join(missing)}"]


def checked_before(
    bank: FrozenBank, chosen: Respondent, form: str, units: list[Planned], concurrency: int, skip: bool
) -> dict[str, Any]:
    """The header's `preflight`, after one call and a short block about it; nothing where there is none to make.

    Raises RespondentRefused where the run would be in vain.
    """
    from divisionbell.run.preflight import preflight
    from divisionbell.run.workload import workload

    if skip or not chosen.remote:
        return {}
    click.echo(visible(f"preflight of {chosen.name}: one call before anything is asked"), err=True)

    async def call() -> Preflight:
        try:
            return await preflight(bank, chosen)
        finally:
            await chosen.close()

    made = asyncio.run(call())
    record = made.record(workload(bank, chosen, units), max(1, min(concurrency, chosen.max_concurrency)))
    for line in [*_lines(chosen, made, record["estimates"]), *(f"  {line}" for line in form_lines(bank, form))]:
        click.echo(visible(line), err=True)
    return {"preflight": record}


def _lines(chosen: Respondent, made: Preflight, estimates: dict[str, Any]) -> list[str]:
    reply, usage = made.reply, made.reply.usage
    lines = [
        f"  served as    {_short(reply.served_model or 'the server names no model')}"
        + (f" ({_short(reply.fingerprint)})" if reply.fingerprint else ""),
        f"  temperature  {_temperature(chosen, made.temperature)}",
        f"  format       {made.format_told}{_forced(chosen, made)}",
        f"  calls        {estimates['calls_at_least']:,} at least, {estimates['calls_at_most']:,} at most",
        f"  tokens       about {_both(estimates, 'input_tokens')} in, {_both(estimates, 'output_tokens')} out"
        f" (from {estimates['tokens_from']}"
        + (f": {usage.input_tokens} in, {_known(usage.output_tokens)} out)" if usage.input_tokens else ")"),
    ]
    dropped = [name for name in reply.dropped_parameters if name != "temperature"]
    if dropped:
        lines.append(f"  refused      {', '.join(dropped)}: left out")
    if reply.latency_seconds is not None:
        lines.append(
            f"  time         about {_both(estimates, 'seconds')} s with {estimates['concurrency']} in flight"
            f" ({reply.latency_seconds:.2f} s a call)"
        )
    if "cost_at_least" in estimates:
        lines.append(
            f"  cost         about {estimates['cost_at_least']:.3g} to {estimates['cost_at_most']:.3g}, as the server"
            f" counts it ({usage.reported_cost:.3g} for this call)"
        )
    if chosen.settings.get("logprobs") and not reply.answer_token_logprobs:
        lines.append("  ! no log probabilities came with the reply")
    if made.reading.reason == "cut_off":
        lines.append("  ! the reply was cut off: give more --max-tokens, or --reasoning-tokens to a reasoning model")
    return lines


def _temperature(chosen: Respondent, found: str) -> str:
    if found == "accepted":
        return f"{chosen.settings['temperature']:g}, accepted"
    return "refused: the provider's default holds" if found == "refused" else "not sent: the provider's default holds"


def _forced(chosen: Respondent, made: Preflight) -> str:
    """A reply in the right shape to another request shows that the shape was forced."""
    return ", as the server was made to" if chosen.constrained and made.reading.verdict == "valid" else ""


def _both(estimates: dict[str, Any], name: str) -> str:
    return f"{estimates[f'{name}_at_least']:,} to {estimates[f'{name}_at_most']:,}"


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:99] + "…"


def _known(count: int | None) -> str:
    return "an unknown number" if count is None else str(count)
