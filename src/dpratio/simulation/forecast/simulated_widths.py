"""Intervals of releases that are drawn from one unit's moments, under a plan."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.simulation.forecast.unit_moments import UnitMoments
from dpratio.simulation.population import Population
from dpratio.simulation.stages import simulate_parts
from dpratio.terms.budget import Budget
from dpratio.terms.guess import Guess
from dpratio.terms.question import Question

__all__ = [
    "MOST_PEOPLE",
    "Epsilon",
    "SimulatedWidths",
    "replan",
    "require_sizes",
    "simulate_widths",
]

Epsilon = float | Fraction

MOST_PEOPLE = 10**10
_DRAWS = 2_000
_SEED = 20_221


@dataclass(frozen=True, slots=True)
class SimulatedWidths:
    """Intervals of many drawn releases, in short."""

    mean_width: float
    unbounded: float
    rejected: float


def simulate_widths(
    plan: Plan,
    question: PlannedQuestion,
    unit: UnitMoments,
    n: int,
    level: float,
    against: float,
) -> SimulatedWidths:
    """Draw releases with the same seed each time, so that forecasts compare."""
    rng = np.random.default_rng(_SEED)
    sums = unit.sums(n, _DRAWS, rng)
    found = [
        estimate_ratios(part.release, level=level)
        for part in simulate_parts(sums, plan, question, rng)
    ]
    lower = np.concatenate([each.ci_lower for each in found])
    upper = np.concatenate([each.ci_upper for each in found])
    bounded = np.isfinite(lower) & np.isfinite(upper)
    width = (upper - lower)[bounded]
    rejected = (against < lower) | (against > upper)
    return SimulatedWidths(
        mean_width=float(width.mean()) if bounded.any() else math.inf,
        unbounded=float(1 - bounded.mean()),
        rejected=float(rejected.mean()),
    )


def replan(
    plan: Plan, epsilon: Epsilon, n: int, guess: Guess | Population | None
) -> Plan:
    """Make the plan again for another epsilon."""
    return make_plan(
        [
            Question(
                each.ratio,
                groups=plan.partitions[each.partition],
                answers=each.answers,
                share=each.weight,
                name=each.name,
            )
            for each in plan.questions
        ],
        bounds=plan.bounds,
        budget=Budget(epsilon, plan.budget.delta),
        unit=plan.unit,
        strategy=plan.strategy,
        mechanism=plan.mechanism,
        n=n,
        guess=guess if isinstance(guess, Guess) else None,
        stage=None if plan.stage is None else plan.stage.epsilon / plan.epsilon,
    )


def require_sizes(sizes: Sequence[int]) -> None:
    """Refuse numbers of people that cannot be forecast."""
    counted = bool(sizes) and all(
        isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MOST_PEOPLE
        for n in sizes
    )
    require(counted, "n must be a whole number of at least 1", sizes)
