"""What a report is drawn from: the frozen bank, the runs with their replies and scores, and the audits.

Nothing is computed here: evidence is selected by name and order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from divisionbell.diagnostics import UsageProblem
from divisionbell.estimate.compared import refuse_same_run
from divisionbell.estimate.scale import Scale, scale_of
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.model.run_classes import ComparisonDocument, Estimate, RunHeader, ScoreDocument, Unit
from divisionbell.score.apply_key import Cells

AXES = ("economic", "social")
SCALES = ("concrete", "implicit")

# The ends of the axes in the codebook's words: shortened for figures, and whole.
ENDS = {
    ("economic", "negative"): ("public provision", "and redistribution"),
    ("economic", "positive"): ("private allocation", "and market discretion"),
    ("social", "negative"): ("personal autonomy", "and civil liberty"),
    ("social", "positive"): ("state authority", "and compulsory order"),
}
ENDS_WHOLE = {
    ("economic", "negative"): (
        "greater public provision, redistribution, labor power, common ownership, or market constraint"
    ),
    ("economic", "positive"): (
        "greater private allocation, lower redistribution, weaker collective constraints, or market discretion"
    ),
    ("social", "negative"): "greater personal autonomy, due process, pluralism, expression, or civil liberty",
    ("social", "positive"): (
        "greater state authority, compulsory order, surveillance, restriction, or enforcement discretion"
    ),
}


def end(axis: str, pole: str) -> str:
    """The short name of one end of an axis."""
    return " ".join(ENDS[axis, pole])


@dataclass(frozen=True)
class RunEvidence:
    """One run: its header, its units as the journal keeps them, and the score document made from them.

    `apart` is what tells it from another run of the same respondent on the page; empty where there is none. `cells` are
    the answers as the score read them: what is drawn by order and by dossier; None leaves that out. `lines` says on
    which line of its journal a unit stands, by key, as far as that is known.
    """

    header: RunHeader
    units: Sequence[Unit]
    score: ScoreDocument
    apart: str = ""
    cells: Cells | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        header: Mapping[str, Any],
        units: Iterable[Mapping[str, Any]],
        score: Mapping[str, Any],
        cells: Cells | None = None,
        lines: Mapping[str, int] | None = None,
    ) -> RunEvidence:
        """The same from plain values, as the run's files and the scores hold them."""
        read = tuple(Unit.model_validate(unit) for unit in units)
        return cls(RunHeader.model_validate(header), read, ScoreDocument.model_validate(score), "", cells, lines or {})

    @cached_property
    def concrete(self) -> Mapping[str, Scale]:
        """The concrete pairs of each axis with their answers; empty where these are not given."""
        return {} if self.cells is None else {axis: scale_of(self.cells, axis, "concrete") for axis in AXES}

    @property
    def name(self) -> str:
        return self.header.respondent

    @property
    def title(self) -> str:
        """The respondent, and where two runs are of one respondent, what tells them apart."""
        return f"{self.name} {self.apart}" if self.apart else self.name

    @property
    def date(self) -> str:
        """The day on which the run began, in UTC."""
        return str(self.header.started_at)[:10]

    @property
    def is_scripted(self) -> bool:
        return self.name.startswith("scripted:")

    @property
    def is_party(self) -> bool:
        return self.name.startswith("party:")

    @property
    def is_model(self) -> bool:
        return not (self.is_scripted or self.is_party)

    @cached_property
    def _by_name(self) -> dict[str, Estimate]:
        return {estimate.name: estimate for estimate in self.score.estimates}

    def get(self, name: str) -> Estimate | None:
        """The estimate of that name, or None where the document has none."""
        return self._by_name.get(name)

    def value(self, name: str) -> float | None:
        """The value of an estimate, or None where there is none."""
        found = self.get(name)
        return None if found is None else found.value

    def under(self, prefix: str) -> list[tuple[str, Estimate]]:
        """Every estimate whose name begins with `prefix`, with the rest of its name, in the document's order."""
        return [(e.name[len(prefix) :], e) for e in self.score.estimates if e.name.startswith(prefix)]

    @cached_property
    def by_item(self) -> Mapping[str, list[Unit]]:
        """The units of each item, in the order of repeats."""
        made: dict[str, list[Unit]] = {}
        for unit in sorted(self.units, key=lambda u: (u.repeat, u.unit_key)):
            made.setdefault(unit.asked_item, []).append(unit)
        return made


@dataclass(frozen=True)
class ReportInput:
    """Everything that one report is drawn from.

    `parties` holds rows {party, axis, set, value, low, high, n, missing} with set "admitted" or "all judged" (`score`
    and `positions` are read where `value` and `n` are left out); `certificate` rows {respondent, axis, scale, expected,
    found, holds}, `holds` being None for what is reported only; `axis_swap` {survived, reviews}: how many approved
    reviews would still pass with the survey's two fields exchanged; `wording` rows of the wording certificate;
    `periods` sentences about the split by government; `recovery` rows of what blind coders found; `comparisons` the
    differences between models that can be compared, and `not_compared` sentences about those that cannot.
    Raises UsageProblem where there is no run, one stands twice, or a run or its scores were made with another bank.
    """

    bank: FrozenBank
    runs: tuple[RunEvidence, ...]
    parties: list[dict[str, Any]] = field(default_factory=list)
    certificate: list[dict[str, Any]] = field(default_factory=list)
    axis_swap: Mapping[str, Any] | None = None
    wording: list[dict[str, Any]] = field(default_factory=list)
    periods: list[str] = field(default_factory=list)
    recovery: list[dict[str, Any]] = field(default_factory=list)
    comparisons: tuple[ComparisonDocument, ...] = ()
    not_compared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.runs:
            raise UsageProblem("there is no run to report", "name at least one run")
        refuse_same_run((run.header.model_dump(mode="json"), run.score.scored_journal_sha256) for run in self.runs)
        object.__setattr__(self, "runs", _told_apart(self.runs))
        for run in self.runs:
            for digest in (run.header.bank_sha256, run.score.bank_sha256):
                if digest != self.bank.sha256:
                    raise UsageProblem(
                        f"run {run.header.run_id} was made with another bank: sha256 {digest}, not {self.bank.sha256}",
                        "report runs together with the frozen version that they were asked from",
                    )
            if run.score.scored_run != run.header.run_id:
                raise UsageProblem(
                    f"the scores of run {run.score.scored_run} do not belong to run {run.header.run_id}",
                    "score the run again",
                )

    def run(self, run_id: str) -> RunEvidence:
        """The run of that id."""
        return next(run for run in self.runs if run.header.run_id == run_id)

    @property
    def models(self) -> tuple[RunEvidence, ...]:
        return tuple(run for run in self.runs if run.is_model)

    @property
    def others(self) -> tuple[RunEvidence, ...]:
        """Scripted responders and parties, which are never listed among models."""
        return tuple(run for run in self.runs if not run.is_model)

    @property
    def demonstrations(self) -> tuple[RunEvidence, ...]:
        """The models that were asked too little for a position; what is no model has none to be told in any case."""
        return tuple(run for run in self.models if run.score.demonstration)

    @cached_property
    def drafting_families(self) -> tuple[str, ...]:
        """The model families that took part in writing or reviewing items."""
        agents = self.bank.settings.agents
        return tuple(sorted({a.family for a in agents if a.agent_kind == "language_model" and a.family}))

    def drafted_by(self, run: RunEvidence) -> str | None:
        """The drafting family that a model run belongs to, as far as its name and settings tell."""
        if not run.is_model:
            return None
        told = f"{run.name} {run.header.settings!r}".lower()
        return next((family for family in self.drafting_families if family.lower() in told), None)

    @property
    def coded_by_people(self) -> bool:
        """Whether a person has coded an item blind."""
        every = (coding for dossier in self.bank.dossiers for coding in dossier.codings or [])
        return any(coding.blind and coding.coded_by in self.people for coding in every)

    @cached_property
    def people(self) -> frozenset[str]:
        """The agents that are persons."""
        agents = self.bank.settings.agents
        return frozenset(str(agent.agent_id) for agent in agents if agent.agent_kind == "person")


def _told_apart(runs: Sequence[RunEvidence]) -> tuple[RunEvidence, ...]:
    """The runs, those of one respondent with the time at which each began, or with their number where that is one."""
    named, begun = Counter(run.name for run in runs), Counter((run.name, run.header.started_at) for run in runs)
    days = Counter((run.name, run.date) for run in runs)
    made, number = [], Counter[str]()
    for run in runs:
        number[run.name] += 1
        if named[run.name] == 1:
            apart = ""
        elif days[run.name, run.date] == 1:
            apart = f"({run.date})"
        elif begun[run.name, run.header.started_at] == 1:
            apart = f"({str(run.header.started_at)[:19].replace('T', ' ')})"
        else:
            apart = f"({run.date}, run {number[run.name]})"
        made.append(replace(run, apart=apart))
    return tuple(made)
