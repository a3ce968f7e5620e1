"""A plan as a document: its terms, and what is measured with how much noise."""

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
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.ladder import Ladder
from dpratio.plan.measurement import Measurement, Stage
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.sensitivity.sums import BASES, MeasuredSum, Summand
from dpratio.plan.settle import ANSWERS, STRATEGIES, terms_of_plan
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import BOUNDS, GUESS, PARTITION, STUDY, UNIT

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
    n=integer(1).optional(),
    population=GUESS.optional(),
    firsts=many(SUMS),
)


def _plan_of(
    study: Study,
    measurements: tuple[dict[str, Any], ...],
    bought: tuple[PrivateKeys, ...] = (),
    stage: Stage | None = None,
) -> Plan:
    if not all(isinstance(part, PrivateKeys) for part in bought):
        raise InvalidInput("must be private keys that were bought.", field="bought")
    # `Plan` refuses fewer of them, and `_read_plan` more.
    measured = tuple(
        Measurement(question, **parts)
        for question, parts in zip(study.questions, measurements, strict=False)
    )
    return Plan(terms_of_plan(study), measured, stage, bought)


_SUMS_OF_RATIOS = record(
    _plan_of,
    lambda plan: {
        "study": plan.study,
        "measurements": plan.measurements,
        "bought": plan.bought,
        "stage": plan.stage,
    },
    study=STUDY,
    measurements=_MEASUREMENTS,
    bought=many(PARTITION).optional(()),
    stage=_STAGE.optional(),
)


RATIO = record(
    Ratio, numerator=TEXT, per=TEXT, weight=TEXT.optional(), minus=TEXT.optional()
)
_HISTOGRAM = record(
    Histogram,
    name=TEXT,
    ratio=RATIO,
    column=TEXT.optional(),
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
    within=PARTITION.optional(),
)
_HISTOGRAMS = record(
    HistogramPlan,
    title=TEXT.optional(),
    unit=UNIT,
    bounds=BOUNDS,
    budget=record(Budget, epsilon=EXACT),
    measurements=many(_HISTOGRAM, least=1),
)
_ANY = one_of(
    {"unit": _HISTOGRAMS, "study": _SUMS_OF_RATIOS},
    lambda plan: "unit" if isinstance(plan, HistogramPlan) else "study",
)


def _read_plan(value: Any, path: str) -> AnyPlan:  # noqa: ANN401
    plan: AnyPlan = _ANY.read(value, path)
    if isinstance(plan, Plan):
        privacy = f"{path}.study.privacy"
        choice(*STRATEGIES).read(plan.study.strategy, f"{privacy}.strategy")
        for measured in plan.measurements:
            many(choice(*ANSWERS)).read(
                list(measured.question.answers), f"{path}.study.ratio.answers"
            )
    if canonical(_ANY.write(plan)) != canonical(value):
        raise DocumentRefused(
            f"{path}: the plan must be written as dpratio writes it.", field=path
        )
    return plan


# A plan is read only as it is written, so that one plan has one sequence of bytes.
PLAN = Field(_read_plan, _ANY.write, _ANY.schema)
