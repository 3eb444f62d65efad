"""The task divisionbell/bank of Inspect: our questions, our parser, the one reminder, our scores; its models.

Only Inspect's registry imports this module, since Inspect is heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from inspect_ai import Epochs, Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from divisionbell.bank.parse import PARSER_ID
from divisionbell.diagnostics import DivisionBellError
from divisionbell.export.harness.inspect_model import InspectModel
from divisionbell.export.harness.inspect_units import scores_of_units
from divisionbell.export.harness.question import Question, question_name, questions
from divisionbell.freeze.frozen_bank import FrozenBank
from divisionbell.freeze.named_version import frozen_bank
from divisionbell.run.administer import Planned, ask_unit

Made = TypeVar("Made")
# The sampling of our own respondents; what is given on Inspect's command line goes before it.
TEMPERATURE, MAX_TOKENS = 0.0, 64
UNIT, ASKED = "divisionbell_unit", "divisionbell_asked"


@lru_cache(maxsize=4)
def _frozen(bank: str | None, version: str | None) -> FrozenBank:
    return _or_told(lambda: frozen_bank(bank, version))


def _or_told(made: Callable[[], Made]) -> Made:
    """What is made; our errors are raised as the error that Inspect tells without a traceback."""
    try:
        return made()
    except DivisionBellError as problem:
        raise PrerequisiteError(f"{problem.message} ({problem.fix})" if problem.fix else problem.message) from None


@task
def bank(form: str = "full", version: str | None = None, bank: str | None = None) -> Task:
    """Each item of a form in both orders, from a frozen version of the bank.

    `bank` is the bank folder (otherwise DIVISIONBELL_BANK, else ./bank), `version` the frozen version (otherwise the
    one that bank.yaml names). `--epochs` asks each order that often.
    """
    version = str(version) if version is not None else None
    frozen = _frozen(bank, version)
    asked = _questions(bank, version, form)
    return Task(
        dataset=MemoryDataset([_sample(question) for question in asked.values()], name=f"bank-{frozen.version}-{form}"),
        solver=ask_with_one_reminder(form, version, bank),
        scorer=[position(), outcome(form, version, bank)],
        config=GenerateConfig(temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        epochs=Epochs(1, "mode"),
        version=frozen.version,
        metadata={
            "bank_version": frozen.version,
            "bank_sha256": frozen.sha256,
            "template_sha256": frozen.template_sha256,
            "parser": PARSER_ID,
            "form": form,
        },
    )


@lru_cache(maxsize=4)
def _questions(bank: str | None, version: str | None, form: str) -> Mapping[str, Question]:
    return {question.name: question for question in _or_told(lambda: questions(_frozen(bank, version), form))}


def _sample(question: Question) -> Sample:
    row = question.row()
    return Sample(
        id=question.name,
        input=[ChatMessageSystem(content=question.system), ChatMessageUser(content=question.prompt)],
        metadata={key: value for key, value in row.items() if key not in ("question", "system", "prompt")},
    )


@solver
def ask_with_one_reminder(form: str, version: str | None, bank: str | None) -> Solver:
    """Ask a question as our own runner does: after a malformed reply the reminder, once, as a further turn.

    A call that fails is an error of the sample, never an outcome: Inspect retries it, or it is asked again with
    `inspect eval-retry`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = _questions(bank, version, form)[str(state.sample_id)]
        respondent = InspectModel(get_model())
        # The key is that of a run once the log is made one; here it tells the units of this log apart.
        key = question_name(question.name, str(state.epoch))
        unit = await ask_unit(
            _frozen(bank, version), respondent, Planned(key, question.asked, question.order, state.epoch)
        )
        state.messages = respondent.conversation
        state.output = respondent.output
        state.store.set(UNIT, unit)
        return state

    return solve  # type: ignore[no-any-return,unused-ignore]


def _unit_of(state: TaskState) -> dict[str, Any]:
    unit: dict[str, Any] = state.store.get(UNIT)
    return unit


@metric(scores="unreduced")
def answered() -> Callable[[list[SampleScore]], int]:
    """How many samples have an answer. There is no mean here: where answers are missing it would not be the score."""

    def count(scores: list[SampleScore]) -> int:
        return len(scores)

    return count


@scorer(metrics=[answered()])
def position() -> Scorer:
    """The coordinate of the answer, -1 or 1; a sample without an answer is unscored, with the outcome as the reason."""

    async def score(state: TaskState, target: Target) -> Score:
        unit = _unit_of(state)
        reading = unit["attempts"][-1]["reading"]
        if "answer" not in unit:
            return Score.unscored(reason=unit["outcome"], explanation=f"{unit['outcome']}: {reading}")
        at_a = float(state.metadata["coordinate_at_a"])
        return Score(value=at_a if unit["answer"] == "A" else -at_a, answer=unit["answer"], explanation=unit["outcome"])

    return score  # type: ignore[no-any-return,unused-ignore]


@metric(scores="unreduced")
def bank_scores() -> Callable[[list[SampleScore]], dict[str, float]]:
    """Every outcome with its count, and the headline scores where all was obtained and they are defined."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        told = [score.score.metadata for score in scores if score.score.metadata]
        if not told:
            return {}
        asked = told[0][ASKED]
        return scores_of_units(_frozen(asked["bank"], asked["version"]), asked["form"], [each[UNIT] for each in told])

    return compute


@scorer(metrics=[bank_scores()])
def outcome(form: str, version: str | None = None, bank: str | None = None) -> Scorer:
    """What the unit came to, in a word, with the unit as our journal would hold it."""
    asked = {"form": form, "version": version, "bank": bank}

    async def score(state: TaskState, target: Target) -> Score:
        unit = _unit_of(state)
        return Score(value=unit["outcome"], answer=unit.get("answer"), metadata={UNIT: unit, ASKED: asked})

    return score  # type: ignore[no-any-return,unused-ignore]
