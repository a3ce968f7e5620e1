"""From histograms that are wanted to their plan, at equal shares of the budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.plan.calibration.calibrate import calibrate
from dpratio.plan.histogram.histograms import COUNT, moves_of
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["Wanted", "plan_counts"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One histogram: its name, a ratio whose columns are read, and its cells.

    ``within`` are the groups in which totals are made; None for the whole table. Where
    it ``counts_groups``, a person is in one cell, however many of these groups.
    """

    name: str
    ratio: Ratio
    cells: Groups
    within: Partition = None
    counts_groups: bool = False


def plan_counts(
    study: Study,
    budget: Budget,
    wanted: Sequence[Wanted],
    *,
    bounds: Mapping[str, Bounds],
    totals: Mapping[str, Bounds],
) -> Plan:
    """Plan histograms that protect the unit of a study and cost the budget together.

    Raises:
        InvalidInput: When they break a rule of `moves_of`.
    """
    share = Fraction(1, len(wanted))
    partitions: list[Partition] = []
    questions = []
    for each in wanted:
        unit = replace(study.unit, most_groups=1) if each.counts_groups else study.unit
        scale = calibrate(
            "laplace",
            sensitivity=unit.cells_moved,
            epsilon=share * budget.epsilon,
            delta=Fraction(0),
        )
        # Each has a partition of its own, which is read for it alone.
        at, within = len(partitions), each.within
        partitions.append(each.cells)
        if within is not None and within not in partitions:
            partitions.append(within)
        questions.append(
            PlannedQuestion(
                ratio=each.ratio,
                partition=at,
                weight=share,
                sums=(MeasuredSum(COUNT, 1.0, 1, scale),),
                name=each.name,
                within=None if within is None else partitions.index(within),
            )
        )
    plan = Plan(
        bounds=bounds,
        unit=replace(study.unit, totals=totals),
        partitions=tuple(partitions),
        budget=budget,
        strategy=HISTOGRAM,
        mechanism="laplace",
        questions=tuple(questions),
    )
    moves_of(plan)
    return plan
