"""A study whose questions have totals of their own, and its price."""

from fractions import Fraction
from typing import Any

import numpy as np

from curator.people_for_tests import REGIONS, TOTALS
from dpratio.curator import measure
from dpratio.curator.choose_engine import open_reading
from dpratio.curator.statements import readings_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.plan.settle import cells_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["OWN", "moved_in_all", "own_plan", "paid_in_all", "sums_before_noise"]

ALL, SOME = Groups("region", REGIONS), Groups("region", REGIONS[:3])
# Of every question its groups and own totals: two are about the same groups.
OWN: list[tuple[str, str, Groups | None, dict[str, Bounds]]] = [
    ("score", "label", ALL, {}),
    ("label", "score", ALL, {"label": Bounds(0.25, 40)}),
    ("score", "label", SOME, {}),
    ("score", "label", None, {"score": Bounds(-6, 9), "label": Bounds(1, 12)}),
]


def own_plan(
    strategy: str = "joint",
    mechanism: str = "laplace",
    *,
    neighbours: str = "add-or-remove-one",
    most_groups: int = 2,
    **terms: Any,  # noqa: ANN401
) -> Plan:
    """Plan one release of all of them; the unit's totals hold where none are."""
    guess = 0.75 if strategy == "focused" else None
    questions = [
        Question(
            Ratio(above, per=below, weight="weight", guess=guess),
            groups=groups,
            totals=totals,
        )
        for above, below, groups, totals in OWN
    ]
    return make_plan(
        questions,
        bounds={
            "score": Bounds(-1, 1),
            "label": Bounds(0, 1),
            "weight": Bounds(0, 2),
        },
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit(
            "id", totals=TOTALS, most_groups=most_groups, neighbours=neighbours
        ),
        strategy=strategy,
        mechanism=mechanism,
        **terms,
    )


Sums = list[list[list[int]]]


def sums_before_noise(table: object, plan: Plan, engine: str) -> Sums:
    """The integers of all questions, by the readings that a release makes of a plan."""
    known = [measure._known_groups(each) for each in plan.study.partitions]
    asks = [
        open_reading(table, reading, engine) for reading in readings_of(plan, known)
    ]
    nothing = [
        np.zeros((1 if groups is None else groups.count, len(each.sums)), np.int64)
        for each in plan.measurements
        for groups in [each.groups]
        if isinstance(groups, Groups | None)
    ]
    found = measure._exact(plan, known, asks)
    return [
        [[int(cell) for cell in row] for row in sums.plus(zeros)]
        for sums, zeros in zip(found, nothing, strict=True)
    ]


def moved_in_all(plan: Plan, first: Sums, second: Sums) -> Fraction:
    """How far two tables lie apart, all questions together, in units of noise.

    Squared for Gaussian noise, as is what was paid.
    """
    return plan.law.total(
        Fraction(abs(one - other)) / Fraction(each.scale)
        for question, more, less in zip(plan.measurements, first, second, strict=True)
        for row, beside in zip(more, less, strict=True)
        for one, other, each in zip(row, beside, question.sums, strict=True)
    )


def paid_in_all(plan: Plan) -> Fraction:
    """What the price allows one person to move all questions together.

    Worked out here from the list above, not from what the plan says of its questions.
    """
    ratios = []
    for question, (_, _, _, own) in zip(plan.measurements, OWN, strict=True):
        unit = PrivacyUnit(
            "id",
            totals={**plan.unit.totals, **own},
            most_groups=plan.unit.most_groups,
            neighbours=plan.unit.neighbours,
        )
        cells = cells_of(question.groups)
        grid = plan.layout(question).grid
        ratios.append(unit_ratio(plan.law, grid, question.scales, unit, cells))
    return plan.law.total(ratios)
