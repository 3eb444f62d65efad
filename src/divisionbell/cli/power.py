"""divisionbell power"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from divisionbell.cli.json_text import json_text
from divisionbell.cli.options import bank_option
from divisionbell.diagnostics import UsageProblem, percent, signed, visible

if TYPE_CHECKING:
    from divisionbell.estimate.planning import Variances, Wish


#: Scores are averages of few whole numbers: nothing smaller shows in one.
SMALLEST = 0.001
#: Nearer to certainty than this nothing is planned, and no power is told: none is ever the whole.
CERTAIN = 0.9999


class Number(click.FloatRange):
    """A range of numbers, which "nan" is none of; with `or_zero` 0 as well, though the range begins above it."""

    def __init__(self, low: float, high: float, *, or_zero: bool = False) -> None:
        super().__init__(low, high)
        self._low, self._high, self._or_zero = low, high, or_zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        if not (self._low <= number <= self._high or (self._or_zero and number == 0)):
            zero = "0, or " if self._or_zero else ""
            self.fail(f"{value} is not {zero}from {self._low:g} to {self._high:g}.", param, ctx)
        return number


SD = Number(SMALLEST, 1, or_zero=True)


@click.command("power", short_help="Say how many families and repeats find a given difference.")
@click.argument("more_runs", nargs=-1, metavar="[RUN]", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--from",
    "runs",
    multiple=True,
    metavar="RUN",
    type=click.Path(file_okay=False, path_type=Path),
    help="Take the variances from a complete run; from two, those of their difference.",
)
@click.option(
    "--difference",
    type=Number(SMALLEST, 2),
    metavar="D",
    help="The difference to find, in coordinates; without it, the smallest that is found.",
)
@click.option(
    "--families", type=click.IntRange(2, 10_000), metavar="G", help="Families of the axis; otherwise those of the run."
)
@click.option("--repeats", type=click.IntRange(1, 1_000), metavar="K", help="Repeats; otherwise a few numbers of them.")
@click.option(
    "--dossiers",
    type=Number(1, 1_000),
    metavar="M",
    help="Dossiers of a family; otherwise those of the run, or 3.",
)
@click.option("--family-sd", type=SD, metavar="SD", help="Standard deviation between families.")
@click.option(
    "--item-sd", type=SD, metavar="SD", help="The same between dossiers of a family, each one pair of items. [0]"
)
@click.option(
    "--noise-sd", type=SD, metavar="SD", help="The same of a dossier's score from one repeat to the next. [0]"
)
@click.option(
    "--correlation",
    type=Number(-1, 1),
    metavar="R",
    help="Between two respondents' scores, where not two runs tell it. [0]",
)
@click.option("--axis", type=click.Choice(["economic", "social"]), help="One axis of the run alone.")
@click.option(
    "--level",
    type=Number(0.501, CERTAIN),
    default=0.95,
    show_default=True,
    help="1 less the size of the test.",
)
@click.option(
    "--power",
    type=Number(SMALLEST, CERTAIN),
    default=0.80,
    show_default=True,
    help="How often the difference is to be found.",
)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
@bank_option
def command(
    more_runs: tuple[Path, ...],
    runs: tuple[Path, ...],
    family_sd: float | None,
    item_sd: float | None,
    noise_sd: float | None,
    correlation: float | None,
    axis: str | None,
    style: str,
    bank_folder: str | None,
    **asked: Any,
) -> None:
    """Say how many families and repeats find a given difference, and what a given number finds.

    For one respondent against 0 and for two compared family by family, on the concrete scale, by a t test over
    families. Give the standard deviations, or --from RUN to take them from a run, or --from RUN RUN for the difference
    of two.

    It is for planning a study. Of a result that is there already its interval says all, and a power computed from it
    says nothing more.
    """
    from divisionbell.estimate.planning import study

    folders = [*runs, *more_runs]
    given = {"--family-sd": family_sd, "--item-sd": item_sd, "--noise-sd": noise_sd}
    _refuse(runs, folders, given, correlation, axis)
    if asked["power"] <= 1 - asked["level"]:
        raise UsageProblem("a power that chance alone reaches", f"ask for more than {1 - asked['level']:.2g}")
    if folders:
        planned = _from_runs(folders, correlation, [axis] if axis else ["economic", "social"], bank_folder)
    else:
        planned = _given(family_sd or 0.0, item_sd or 0.0, noise_sd or 0.0, correlation or 0.0)
    planned, left_out = _within_reach(planned, asked["difference"])
    studies = [study(variances, _wish(variances, asked)) for variances in planned]
    if style == "json":
        told = {"from": [str(folder) for folder in folders], "studies": studies}
        click.echo(json_text(told | ({"left_out": left_out} if left_out else {})))
        return
    blocks = [[f"{one['comparison']}: {one['because']}" for one in left_out], *map(_lines, studies)]
    click.echo("\n\n".join("\n".join(map(visible, block)) for block in blocks if block))


def _refuse(
    runs: tuple[Path, ...],
    folders: list[Path],
    given: dict[str, float | None],
    correlation: float | None,
    axis: str | None,
) -> None:
    """UsageProblem where the options do not go together."""
    named = [name for name, value in given.items() if value is not None]
    if folders and not runs:
        raise UsageProblem(f"{folders[0]} is no option", f"divisionbell power --from {folders[0]}")
    if len(folders) > 2:
        raise UsageProblem(f"{len(folders)} runs are too many to plan by", "name one run, or two")
    if folders and named:
        raise UsageProblem(f"--from and {named[0]} both say what the variances are", "give one of them")
    if len(folders) == 2 and correlation is not None:
        raise UsageProblem("two runs tell their correlation themselves", "leave --correlation out")
    if not folders and axis is not None:
        raise UsageProblem("--axis is about a run", "leave it out, or name a run with --from RUN")
    if not folders and not any(given.values()):
        raise UsageProblem("without a spread nothing can be planned", "give --family-sd, or a run with --from RUN")


def _within_reach(planned: list[Variances], difference: float | None) -> tuple[list[Variances], list[dict[str, str]]]:
    """What can be planned, and what a difference is too large for. UsageProblem where it is so for all."""
    from divisionbell.estimate.planning import LARGEST, ONE

    if difference is None:
        return planned, []
    kept = [one for one in planned if difference < LARGEST[one.comparison]]
    if not kept:
        largest = max(LARGEST[one.comparison] for one in planned)
        raise UsageProblem(
            f"a difference of {difference:g} is as large as there can be: every family would show it, and none vary",
            f"ask for less than {largest:g}",
        )
    because = f"a score cannot differ from 0 by {difference:g} and vary; it lies between -1 and 1"
    return kept, [{"comparison": ONE, "because": because}] if len(kept) < len(planned) else []


def _wish(variances: Variances, asked: dict[str, Any]) -> Wish:
    from divisionbell.estimate.planning import Wish

    repeats, made = asked["repeats"], variances.repeats
    if variances.split.noise is None and repeats not in (None, made):
        raise UsageProblem(
            f"the run has {made} repeat(s), which do not tell the noise of {repeats}",
            "plan with a run of 2 repeats or more, or with --noise-sd",
        )
    dossiers = asked["dossiers"] or variances.dossiers or 3.0
    return Wish(asked["difference"], asked["families"], repeats, dossiers, asked["level"], asked["power"])


def _given(family: float, item: float, noise: float, correlation: float) -> list[Variances]:
    from divisionbell.estimate.planning import ONE, TWO, Variances, impossible
    from divisionbell.statistics.variance_split import VarianceSplit, of_difference

    split = VarianceSplit(family**2, item**2, noise**2)
    if impossible(split, ONE) is not None:
        together = math.sqrt(split.family + (split.dossier or 0.0) + (split.noise or 0.0))
        raise UsageProblem(
            f"spreads of {together:.3g} together cannot be: what lies between -1 and 1 varies by 1 at most",
            "the squares of --family-sd, --item-sd and --noise-sd add up to 1 or less",
        )
    both = of_difference(split, split, correlation)
    return [Variances(ONE, None, split), Variances(TWO, None, both, correlation=correlation)]


def _from_runs(
    folders: list[Path], correlation: float | None, axes: list[str], bank_folder: str | None
) -> list[Variances]:
    """One run: its own variances, and those of two alike; two runs: those of their difference."""
    from dataclasses import replace

    from divisionbell.cli.scoring import answers_of_runs
    from divisionbell.estimate.planning import TWO, of_run, of_two_runs, whole_bank
    from divisionbell.statistics.variance_split import of_difference

    bank, compared = answers_of_runs(folders, bank_folder)
    minimum = bank.plan.minimum_families
    if len(compared) == 2:
        both_runs = [of_two_runs(compared[0], compared[1], axis) for axis in axes]
        return [replace(one, minimum=minimum, whole=whole_bank(bank, str(one.axis))) for one in both_runs]
    made = []
    for axis in axes:
        one = replace(of_run(compared[0], axis), minimum=minimum, whole=whole_bank(bank, axis))
        both = of_difference(one.split, one.split, correlation or 0.0)
        made += [one, replace(one, comparison=TWO, split=both, correlation=correlation or 0.0)]
    return made


def _lines(made: dict[str, Any]) -> list[str]:
    axis = f"{made['axis']} axis, " if "axis" in made else ""
    form = (
        f" (form {made['form']}{', constrained decoding' if 'constrained' in made else ''})" if "form" in made else ""
    )
    lines = [f"{axis}{made['comparison']}{form}: {_spread(made)}", *(f"  {line}" for line in _sentences(made))]
    rows = [row for row in made["table"] if "undefined_because" not in row]
    columns = [("smallest_difference", "finds"), ("families_needed", "families"), ("power_reached", "power")]
    shown = [(name, title) for name, title in columns if any(name in row for row in rows)]
    if rows and shown:
        lines.append("  repeats  sd of a family" + "".join(f"  {title:>8}" for _, title in shown))
        for row in rows:
            cells = "".join(f"  {_cell(name, row):>8}" for name, _ in shown)
            lines.append(f"  {row['repeats']!s:>7}  {row['sd']:>14.3f}{cells}")
    return lines


def _cell(name: str, row: dict[str, Any]) -> str:
    if name not in row:
        return "too many"
    if name == "power_reached":
        return percent(min(row[name], CERTAIN))
    return f"{row[name]:.3f}" if name == "smallest_difference" else str(row[name])


def _size(difference: float) -> str:
    """A difference with two digits, or with as many as it takes not to be nothing."""
    return f"{difference:.2f}" if difference >= 0.005 else f"{difference:.1g}"


def _spread(made: dict[str, Any]) -> str:
    parts = [f"{name} {math.sqrt(value):.3f}" for name, value in made["variances"].items()]
    dossiers = "1 dossier" if made["dossiers"] == 1 else f"{made['dossiers']:.3g} dossiers"
    told = f"standard deviations {', '.join(parts)}; {dossiers} a family"
    told += f"; test at {1 - made['level']:.2g}"
    return told + (f"; correlation {signed(made['correlation'], '+.2f')}" if "correlation" in made else "")


def _sentences(made: dict[str, Any]) -> list[str]:
    first, last = made["table"][0], made["table"][-1]
    first = next((row for row in made["table"] if row["repeats"] == made.get("repeats")), first)
    if "undefined_because" in first:
        return [first["undefined_because"]]
    wanted, times = (
        f"with a power of {100 * made['power']:g}%",
        f"{first['repeats']} repeat{'s' * (first['repeats'] != 1)}",
    )
    largest = 1 if made["comparison"].startswith("one") else 2
    lines = []
    if "families" in made:
        found = first["smallest_difference"]
        beyond = f", which is more than there can be ({largest})" if found > largest else ""
        lines.append(f"{made['families']} families and {times} find a difference of {_size(found)} {wanted}{beyond}.")
        if last["repeats"] == "any" and "undefined_because" in last:
            lines.append("With ever more repeats ever smaller differences: families and dossiers do not differ at all.")
        elif last["repeats"] == "any":
            limit = last["smallest_difference"]
            lines.append(f"However many repeats, {_size(limit)}: the rest is spread between families and dossiers.")
    if "difference" in made:
        needed = first.get("families_needed")
        told = "more than 10,000 families" if needed is None else f"{needed} families"
        lines.append(f"A difference of {made['difference']:g} needs {told} with {times} to be found {wanted}.")
        if last["repeats"] == "any" and "families_needed" in last:
            lines.append(f"However many repeats, it needs {last['families_needed']} families.")
    if "noise" not in made["variances"]:
        told = "one repeat does" if first["repeats"] == 1 else f"these {first['repeats']} repeats do"
        lines.append(f"Other numbers of repeats cannot be planned: {told} not tell noise from dossiers.")
    elif made["variances"]["noise"] == 0:
        lines.append("There is no noise between repeats, so more of them find no more.")
    if "sd_possible" in made:
        lines.append(
            f"Beside a difference of {made['difference']:g} no answer can vary by more than {made['sd_possible']:.2f}: "
            "these spreads are of scores nearer to 0."
        )
    if "families_of_bank" in made:
        families, dossiers = made["families_of_bank"], made["dossiers_of_bank"]
        lines.append(
            f"The run scores {made['families_of_run']} of the bank's {families} families of the axis, not all of it: "
            f"--families {families} --dossiers {dossiers:.3g} plan the whole."
        )
    if "form" in made and "dossier" not in made["variances"]:
        lines.append(
            "With one dossier a family its spread is counted as the families': more of them seem to find no more."
        )
    if "constrained" in made:
        lines.append("Constrained decoding is another instrument: nothing of this holds for free decoding.")
    minimum = made.get("minimum_families", 0)
    if any(row.get("families_needed", minimum) < minimum for row in made["table"]):
        lines.append(f"The bank's plan claims nothing from fewer than {minimum} families.")
    if "sd_factors" in made:
        low, high = made["sd_factors"]
        lines.append(
            f"Spreads from a run are estimates: the true one of a family may be {low:.2f} to {high:.2f} times it."
        )
    floor = made["sign_flip"]
    lines.append(
        f"A sign-flip test needs at least {floor['families_needed']} families that differ, "
        f"{floor['families_needed_over_two_axes']} over two axes by Holm"
        + (f"; {made['families']} reach no p below {floor['smallest_p']:.2g}." if "smallest_p" in floor else ".")
    )
    return lines
