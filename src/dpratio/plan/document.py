"""A plan as a document: its study, what is measured for every question, its stage."""

from dataclasses import replace
from typing import Any

from dpratio.codec import (
    DIGITS,
    EXACT,
    NUMBER,
    TEXT,
    Field,
    canonical,
    choice,
    integer,
    many,
    record,
)
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.calibration.calibrate import MECHANISMS
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import Partition, PlannedQuestion, in_order
from dpratio.plan.sensitivity.contrast import BASES
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.strategy.layout import ANSWERS, EXTERNAL, HISTOGRAM, STRATEGIES
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.study import Study
from dpratio.terms.study_fields import GROUP, GUESS, GroupsTable
from dpratio.terms.study_file import STUDY

__all__ = ["PLAN", "SUMS"]

_FACTORS = ("s", "y", "w", "z", "h", "c")


def _sum_of(name: str, factors: tuple[str, ...], **sizes: Any) -> MeasuredSum:  # noqa: ANN401
    return MeasuredSum(Summand(name, factors), **sizes)


SUMS = many(
    record(
        _sum_of,
        lambda measured: {
            "name": measured.summand.name,
            "factors": measured.summand.factors,
            "step": measured.step,
            "sensitivity": measured.sensitivity,
            "scale": measured.scale,
        },
        name=TEXT,
        factors=many(choice(*_FACTORS)),
        step=NUMBER,
        sensitivity=DIGITS,
        scale=NUMBER,
    )
)
_MEASUREMENTS = many(
    record(
        dict,
        lambda measured: measured,
        basis=choice(*BASES).optional(BASES[0]),
        within=GROUP.optional(),
        sums=SUMS,
    )
)
_STAGE = record(
    Stage,
    epsilon=EXACT,
    people=integer().optional(),
    guess=GUESS.optional(),
    firsts=many(SUMS),
)


def _plan_of(
    study: Study,
    measurements: tuple[dict[str, Any], ...],
    found: tuple[GroupsTable, ...] = (),
    stage: Stage | None = None,
) -> Plan:
    if len(measurements) != len(study.questions):
        raise InvalidInput(
            f"every question has one measurement, got {len(measurements)}.",
            field="measurements",
        )
    partitions: list[Partition] = []
    questions = []
    for asked, measured in zip(study.questions, measurements, strict=True):
        table = measured.get("within")
        within = None if table is None else table.partition
        # A histogram has cells of its own, which are counted for it alone.
        if study.strategy == HISTOGRAM or asked.groups not in partitions:
            place = len(partitions)
            partitions.append(asked.groups)
        else:
            place = partitions.index(asked.groups)
        if within is not None and within not in partitions:
            partitions.append(within)
        questions.append(
            PlannedQuestion(
                ratio=asked.ratio,
                partition=place,
                weight=asked.share,
                sums=measured["sums"],
                answers=asked.answers,
                name=asked.name,
                basis=measured.get("basis", BASES[0]),
                within=None if within is None else partitions.index(within),
                totals=asked.totals,
            )
        )
    keys = tuple(table.partition for table in found)
    if not all(isinstance(part, PrivateKeys) for part in keys):
        raise InvalidInput("must be private keys that were found.", field="found")
    plan = Plan(
        # Names in JSON stand in no order.
        bounds=in_order(study.bounds, questions),
        unit=replace(study.unit, totals=in_order(study.unit.totals, questions)),
        partitions=tuple(partitions),
        budget=study.budget,
        strategy=study.strategy,
        mechanism=study.mechanism,
        questions=tuple(questions),
        found=keys,  # type: ignore[arg-type]  # refused above
        stage=stage,
        clipping=study.clipping,
        title=study.title,
    )
    for question in questions:
        plan.unit_of(question)
    return plan


def _parts_of(plan: PlanTerms) -> dict[str, Any]:
    partitions = plan.partitions
    asked = [
        Question(
            question.ratio,
            groups=partitions[question.partition],
            answers=question.answers,
            share=question.weight,
            name=question.name,
            totals=question.totals,
        )
        for question in plan.questions
    ]
    study = Study(
        asked,
        bounds=plan.bounds,
        budget=plan.budget,
        unit=plan.unit,
        strategy=plan.strategy,
        mechanism=plan.mechanism,
        clipping=plan.clipping,
        title=plan.title,
    )
    measured = [
        {
            "basis": question.basis,
            "within": None
            if question.within is None
            else GroupsTable(partitions[question.within]),
            "sums": question.sums,
        }
        for question in plan.questions
    ]
    found = tuple(GroupsTable(keys) for keys in plan.found)
    parts = {"study": study, "measurements": measured}
    return {**parts, "found": found, "stage": plan.stage}


_FIELDS = record(
    _plan_of,
    _parts_of,
    study=STUDY,
    measurements=_MEASUREMENTS,
    found=many(GROUP).optional(()),
    stage=_STAGE.optional(),
)


def _read_plan(value: Any, path: str) -> Plan:  # noqa: ANN401
    plan: Plan = _FIELDS.read(value, path)
    privacy = f"{path}.study.privacy"
    choice(*STRATEGIES, EXTERNAL, HISTOGRAM).read(plan.strategy, f"{privacy}.strategy")
    choice(*MECHANISMS).read(plan.mechanism, f"{privacy}.mechanism")
    for question in plan.questions:
        many(choice(*ANSWERS)).read(
            list(question.answers), f"{path}.study.ratio.answers"
        )
    if canonical(_FIELDS.write(plan)) != canonical(value):
        raise DocumentRefused(
            f"{path}: the plan must be written as dpratio writes it.", field=path
        )
    return plan


# A plan is read only as it is written, so that one plan has one sequence of bytes.
PLAN = Field(_read_plan, _FIELDS.write, _FIELDS.schema)
