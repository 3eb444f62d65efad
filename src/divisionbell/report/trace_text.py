"""A trace as lines of text: first what the figure is and how it is made, then one block a dossier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from divisionbell.diagnostics import signed
from divisionbell.report.words import many
from divisionbell.run.instrument import instrument

SHOWN = 100  # characters of a reply
_AT_A = {"negative_at_a": "negative option at A", "positive_at_a": "positive option at A"}

SIX = "+.6g"
_UNSIGNED = {"count", "share", "dossiers", "multiplier", "p", "rank"}

Told = Mapping[str, Any]


def lines(told: Told) -> Iterator[str]:
    """Every line; what stands in them comes from files and is not yet made safe for a terminal."""
    yield from _head(told)
    sparse = told["figure"]["unit"] == "count" and "only_item" not in told
    left_out = 0
    for dossier in told["dossiers"]:
        items = [item for item in dossier["items"] if not (sparse and item.get("weight") == 0)]
        left_out += len(dossier["items"]) - len(items)
        if items:
            yield from ("", *_dossier(dossier, items))
    if left_out:
        yield from (
            "",
            f"{left_out} items of which no unit is counted are not shown; --format json or --item ID has them",
        )


def _head(told: Told) -> Iterator[str]:
    figure, made, counts = told["figure"], told["made"], told["counts"]
    of = told["comparison"] if "comparison" in told else told["run"]
    yield from _of_comparison(told) if "comparison" in told else _of_run(told["run"], figure)
    if of["demonstration"]:
        lacking = "difference can be read from these runs" if "runs" in told else "position can be read from this run"
        yield f"  demonstration: no {lacking}"
    yield f"  figure      {_whole(figure)}"
    yield f"  definition  {figure['definition']}"
    weighted = bool(made["again"])
    how = made["says"] if weighted or made["rule"] == "function" else "undefined here, so no unit has a weight"
    yield f"  made as     {how}"
    if weighted:
        again = ", ".join(f"{end} {signed(number, SIX)}" for end, number in made["again"].items())
        yield f"  made again  {again}, from the weights below: the figure itself"
    yield f"  changes by  {made['depends_on']}"
    aside = f", {counts['units_of_weight_0']} of weight 0" if counts.get("units_of_weight_0") else ""
    gone = f", {counts['units_without_an_answer']} without an answer" if counts["units_without_an_answer"] else ""
    yield (
        f"  rests on    {many(counts['units'], 'unit')}{gone}{aside}; {many(counts['items'], 'item')}, "
        f"{many(counts['dossiers'], 'dossier')}, {many(counts['families'], 'family', 'families')}"
    )
    for run in [told["run"]] if "run" in told else told["runs"]:
        number = f"  run {run['number']}" if "number" in run else ""
        yield f"  replies     {run['journal']}  sha256 {run['journal_sha256']}{number}"
    yield f"  bank        {of['records']}  sha256 {of['bank_sha256']}"
    if told.get("score_file"):
        yield f"  score.json  {told['score_file']}"
    yield from ("", *(f"  ! {note}" for note in told["notes"]))
    if told["families"]:
        yield ""
        yield from _families(told["families"])


def _of_run(run: Told, figure: Told) -> Iterator[str]:
    yield f"{figure['name']} of {run['folder']}: {run['respondent']}{instrument(run['respondent'], run['constrained'])}"
    yield f"  bank {run['bank_version']}, form {run['form']}, {many(run['repeats'], 'repeat')}, plan {run['plan_used']}"


def _of_comparison(told: Told) -> Iterator[str]:
    of = told["comparison"]
    yield f"{told['figure']['name']} of {len(told['runs'])} runs compared{instrument('', of['constrained'])}"
    for run in told["runs"]:
        begun = f"{many(run['repeats'], 'repeat')}, started {run['started_at']}"
        yield f"  {run['number']}  {run['respondent']}, {begun} ({run['folder']})"
    yield f"  bank {of['bank_version']}, form {of['form']}, plan {of['plan_used']}"


def _whole(figure: Told) -> str:
    kind = f"; {figure['interval_kind']}" if "interval_kind" in figure else ""
    return f"{shown(figure)}{kind}; {figure['unit']}, {figure['standing']}"


def shown(figure: Told) -> str:
    """A figure on one line: value, ends and n, or why there is no value."""
    parts = []
    if "value" in figure:
        parts.append(f"{figure['value']:.6g}" if figure["unit"] in _UNSIGNED else signed(figure["value"], SIX))
    if "low" in figure:
        form = SIX.lstrip("+") if figure["unit"] in _UNSIGNED else SIX
        parts.append(f"[{signed(figure['low'], form)}, {signed(figure['high'], form)}]")
    if "undefined_because" in figure:
        parts.append(f"undefined: {figure['undefined_because']}")
    counted = f"; n {figure['n']} {figure['n_of']}" if "n" in figure and "n_of" in figure else ""
    return f"{' '.join(parts)}{counted}"


def _weight(told: Told) -> str:
    weight = f"weight {told['weight']:.6g}, " if "weight" in told else ""
    return f"{weight}part {signed(told['part'], SIX)}" if "part" in told else ""


def _families(families: list[Told]) -> Iterator[str]:
    wide = max(len(one["family"]) for one in families)
    for one in families:
        counts = f"{many(one['dossiers'], 'dossier')}, {many(one['units'], 'unit')}"
        yield f"  {one['axis']:<8}  {one['family']:<{wide}}  {counts}  {_weight(one)}".rstrip()


def _dossier(dossier: Told, items: list[Told]) -> Iterator[str]:
    division = dossier["division"]
    named = f"{dossier['dossier_id']}  {dossier['axis']}, {dossier['family']}  {dossier['place']}"
    yield f"{named}  {_weight(dossier)}".rstrip()
    if "note" in dossier:
        yield f"  ! {dossier['note']}"
    yield f"  division {division['division_id']}: {division['title']}"
    yield f"    {division['held_at']}, ayes {division['ayes']}, noes {division['noes']}  {division['official_address']}"
    for review in dossier["reviews"]:
        yield (
            f"  {review['procedure']}: {review['status']}, {review['reviewed_by']} ({review['reviewer']}), "
            f"{review['reviewed_on']}  {review['place']}"
        )
        yield f"    evidence: {', '.join(review['evidence'])}"
    for item in items:
        yield f"  {item['item_id']}  {item['alias']}  {item['place']}  {_weight(item)}".rstrip()
        yield f"    transformation {item['transformation_sha256']}"
        for unit in item["units"]:
            yield from _unit(unit)


def _unit(unit: Told) -> Iterator[str]:
    said = f"{unit['answer']}, coordinate {unit['coordinate']:+d}" if "answer" in unit else "no answer"
    entry = f"; {unit['weight']:.6g} x {signed(unit['enters_as'], '+g')}" if "weight" in unit else ""
    whose = f"run {unit['run']}, " if "run" in unit else ""
    yield f"    {whose}{_AT_A[unit['order']]}, repeat {unit['repeat']}: {said} ({unit['outcome']})  {unit['line']}"
    yield f"      {unit['role']}{entry}"
    for reply in unit["replies"]:
        text = reply.get("reply_text")
        more = [
            f"; {slot} {reply[slot][:SHOWN]}"
            for slot in ("finish_reason", "refusal_field", "transport_error")
            if slot in reply
        ]
        yield f"      reply {reply['attempt']}, read as {reply['reading']}{_quoted(reply, text)}{''.join(more)}"


def _quoted(reply: Told, text: str | None) -> str:
    if text is None:
        return ": no text"
    hidden = len(text) - SHOWN + int(reply.get("reply_text_more_characters", 0))
    return f": {text[:SHOWN]}" + (f"... ({hidden:,} more characters)" if hidden > 0 else "")
