"""A plan as a document: its terms, and what is measured with how much noise."""

from collections.abc import Mapping
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
    one_of,
    record,
)
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.histogram.histogram import Histogram, Ladder
from dpratio.plan.histogram.histogram_plan import HistogramPlan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.sensitivity.sums import BASES, MeasuredSum, Summand
from dpratio.plan.settle import ANSWERS, STRATEGIES, in_order
from dpratio.plan.strategy.first_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_fields import BOUNDS, GROUP, GUESS, UNIT, GroupsTable
from dpratio.terms.study_file import STUDY
from dpratio.terms.unit import PrivacyUnit

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
        lambda measured: {"basis": measured.basis, "sums": measured.sums},
        basis=choice(*BASES).optional(BASES[0]),
        sums=SUMS,
    )
)
_STAGE = record(
    Stage,
    epsilon=EXACT,
    n=integer().optional(),
    population=GUESS.optional(),
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
    keys = tuple(table.partition for table in found)
    if not all(isinstance(part, PrivateKeys) for part in keys):
        raise InvalidInput("must be private keys that were found.", field="found")
    ratios = [question.ratio for question in study.questions]
    totals = in_order(study.unit.totals, ratios)
    # Names in JSON stand in no order; what no plan depends on is not read back.
    study = Study(
        study.questions,
        bounds=in_order(study.bounds, ratios),
        budget=study.budget,
        unit=replace(study.unit, totals=totals),
        strategy=study.strategy,
        mechanism=study.mechanism,
        clipping=study.clipping,
        title=study.title,
    )
    for question in study.questions:
        study.unit.of_question(question.totals)
    measured = tuple(
        Measurement(question, **parts)
        for question, parts in zip(study.questions, measurements, strict=True)
    )
    return Plan(study, measured, stage, keys)  # type: ignore[arg-type]  # refused above


_SUMS_OF_RATIOS = record(
    _plan_of,
    lambda plan: {
        "study": plan.study,
        "measurements": plan.measurements,
        "found": tuple(GroupsTable(keys) for keys in plan.found),
        "stage": plan.stage,
    },
    study=STUDY,
    measurements=_MEASUREMENTS,
    found=many(GROUP).optional(()),
    stage=_STAGE.optional(),
)


def _histogram_of(within: GroupsTable | None = None, **parts: Any) -> Histogram:  # noqa: ANN401
    groups = None if within is None else within.partition
    if not isinstance(groups, Groups | None):
        raise InvalidInput("must be groups that are declared.", field="within")
    return Histogram(within=groups, **parts)


def _read_true(value: Any, path: str) -> bool:  # noqa: ANN401
    if value is not True:
        raise DocumentRefused(f"{path}: must be true, or left out.", field=path)
    return True


TRUE = Field(_read_true, bool, {"const": True})
RATIO = record(
    Ratio, numerator=TEXT, per=TEXT, weight=TEXT.optional(), minus=TEXT.optional()
)
_HISTOGRAM = record(
    _histogram_of,
    lambda histogram: {
        **{name: getattr(histogram, name) for name in Histogram.__slots__},
        "within": histogram.within and GroupsTable(histogram.within),
    },
    name=TEXT,
    ratio=RATIO,
    column=TEXT,
    cells=one_of(
        {
            "lowest": record(
                Ladder, lowest=integer(-90), highest=integer(-90), steps=integer(1)
            ),
            "bins": record(ScoreBins, column=TEXT, bins=many(NUMBER)),
        },
        lambda cells: "lowest" if isinstance(cells, Ladder) else "bins",
    ),
    scale=NUMBER,
    within=GROUP.optional(),
    counts_groups=TRUE.optional(default=False),
)


def _histogram_plan_of(
    unit: PrivacyUnit,
    bounds: Mapping[str, Bounds],
    histograms: tuple[Histogram, ...],
    **others: Any,  # noqa: ANN401
) -> HistogramPlan:
    # Names in JSON stand in no order.
    ratios = [histogram.ratio for histogram in histograms]
    return HistogramPlan(
        replace(unit, totals=in_order(unit.totals, ratios)),
        in_order(bounds, ratios),
        histograms=histograms,
        **others,
    )


_HISTOGRAMS = record(
    _histogram_plan_of,
    lambda plan: {name: getattr(plan, name) for name in HistogramPlan.__slots__},
    title=TEXT.optional(),
    unit=UNIT,
    bounds=BOUNDS,
    budget=record(Budget, epsilon=EXACT, delta=EXACT.optional(0)),
    histograms=many(_HISTOGRAM, least=1),
)
_ANY = one_of(
    {"histograms": _HISTOGRAMS, "study": _SUMS_OF_RATIOS},
    lambda plan: "histograms" if isinstance(plan, HistogramPlan) else "study",
)


def _read_plan(value: Any, path: str) -> AnyPlan:  # noqa: ANN401
    plan: AnyPlan = _ANY.read(value, path)
    if isinstance(plan, Plan):
        privacy = f"{path}.study.privacy"
        choice(*STRATEGIES).read(plan.strategy, f"{privacy}.strategy")
        for measured in plan.measurements:
            many(choice(*ANSWERS)).read(
                list(measured.answers), f"{path}.study.ratio.answers"
            )
    if canonical(_ANY.write(plan)) != canonical(value):
        raise DocumentRefused(
            f"{path}: the plan must be written as dpratio writes it.", field=path
        )
    return plan


# A plan is read only as it is written, so that one plan has one sequence of bytes.
PLAN = Field(_read_plan, _ANY.write, _ANY.schema)
