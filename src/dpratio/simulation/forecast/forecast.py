"""What a plan will give, before any data: width and power.

A guessed population is reduced to the mean and covariance of one person's summands.
Sums of n people are then drawn as normal, noise is put on them, and the analyst's own
interval is made: a forecast takes milliseconds, reads no data and costs nothing.
docs/methods/forecast.md.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion, pick_question
from dpratio.simulation.forecast.forecast_row import Forecast, ForecastRow
from dpratio.simulation.forecast.simulated_widths import (
    Epsilon,
    SimulatedWidths,
    replan,
    require_sizes,
    simulate_widths,
)
from dpratio.simulation.forecast.unit_moments import (
    UnitMoments,
    questions_of,
    unit_moments,
)
from dpratio.simulation.population import Population
from dpratio.terms.guess import Guess

__all__ = ["forecast"]


def forecast(  # noqa: PLR0913 (keyword-only options of a forecast)
    plan: Plan,
    *,
    n: int | Sequence[int],
    guess: Guess | Population | None = None,
    question: str | int | None = None,
    epsilon: Epsilon | Sequence[Epsilon] | None = None,
    level: float = 0.95,
    against: float = 1.0,
    power: float = 0.8,
) -> Forecast:
    """Forecast widths and power of a plan, without data and without cost.

    Args:
        plan: What would be measured.
        n: People behind one answer, one size or several.
        guess: What the people are like; by default the middle of every range.
        question: One question, by its name or its number from 1; otherwise all. A
            guess is about the columns of one ratio.
        epsilon: Budgets to plan for instead of the plan's own; each is planned anew.
        level: Confidence level of the intervals.
        against: The ratio that a test is against.
        power: The power wanted of ``detectable``.

    Returns:
        A table: one row per question, size and epsilon.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> found = dpr.forecast(plan, n=[1_000, 10_000])
        >>> [round(row["width"], 2) for row in found.to_dicts()]
        [0.2, 0.05]
    """
    require(isinstance(plan, Plan), "plan must be a Plan", type(plan).__name__)
    sizes = [n] if isinstance(n, int) else list(n)
    require_sizes(sizes)
    require(0 < power < 1, "power must lie between 0 and 1", power)
    asked = questions_of(plan, question, guess)
    units = [unit_moments(plan, each, guess) for each in asked]
    budgets: Sequence[Epsilon | None] = (
        [None]
        if epsilon is None
        else [epsilon]
        if isinstance(epsilon, int | float | Fraction)
        else list(epsilon)
    )
    rows = []
    for size in sizes:
        for budget in budgets:
            planned = plan if budget is None else replan(plan, budget, size, guess)
            for each, unit in zip(asked, units, strict=True):
                own = pick_question(planned.questions, each.name)
                drawn = simulate_widths(planned, own, unit, size, level, against)
                options = (level, against, power)
                rows.append(_row(planned, own, unit, drawn, size, options))
    return Forecast(tuple(rows), level, against, power)


def _row(
    plan: Plan,
    question: PlannedQuestion,
    unit: UnitMoments,
    drawn: SimulatedWidths,
    n: int,
    options: tuple[float, float, float],
) -> ForecastRow:
    level, against, power = options
    quantile = normal_quantile(level)
    se = drawn.mean_width / (2 * quantile)
    reach = (quantile + normal_quantile(2 * power - 1)) * se
    public = unit.public_width(n, level)
    kept = n * (public / drawn.mean_width) ** 2
    apart = abs(unit.ratio - against) / (math.sqrt(2) * se)
    return ForecastRow(
        question=question.name,
        ratio=unit.ratio,
        n=n,
        epsilon=float(plan.budget.epsilon),
        mechanism=plan.mechanism,
        width=drawn.mean_width,
        width_public=public,
        unbounded=drawn.unbounded,
        people_lost=max(0, round(n - kept)),
        power=drawn.rejected,
        detectable=against + reach,
        power_between=_normal(apart - quantile) + _normal(-apart - quantile),
        detectable_between=against + math.sqrt(2) * reach,
    )


def _normal(at: float) -> float:
    return math.erfc(-at / math.sqrt(2)) / 2
