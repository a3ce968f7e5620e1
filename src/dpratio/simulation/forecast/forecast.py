"""What a plan will give, before any data: width and power.

A guessed population is reduced to the mean and covariance of one person's summands.
Sums of n people are then drawn as normal, noise is put on them, and the analyst's own
interval is made: a forecast takes milliseconds, reads no data and costs nothing.
People whom nobody described give ranges, over a stated family.
docs/methods/forecast.md.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.tables.options import require_level
from dpratio.checks import require
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.plan import Plan, require_ratios
from dpratio.simulation.forecast.forecast_row import (
    Forecast,
    ForecastRange,
    ForecastRow,
    told_apart,
)
from dpratio.simulation.forecast.promise import promised_range
from dpratio.simulation.forecast.simulated_widths import (
    Epsilon,
    Wanted,
    replan,
    require_sizes,
    simulate_widths,
)
from dpratio.simulation.forecast.unit_moments import (
    UnitMoments,
    population_of,
    questions_of,
    unit_moments,
)
from dpratio.simulation.population import DrawPeople
from dpratio.terms.population import Population


def forecast(  # noqa: PLR0913 (keyword-only options of a forecast)
    plan: Plan,
    *,
    n: int | Sequence[int],
    population: Population | DrawPeople | None = None,
    question: str | int | None = None,
    epsilon: Epsilon | Sequence[Epsilon] | None = None,
    level: float = 0.95,
    against: float | None = None,
    power: float = 0.8,
) -> Forecast:
    """Forecast widths and power of a plan, without data and without cost.

    Args:
        plan: What would be measured.
        n: People behind one answer, one size or several.
        population: What the people are like, such as ``study.population``. Without one
            a focused plan gives ranges over a stated family of people.
        question: One question, by its name or its number from 1; otherwise all. A
            guess is about the columns of one ratio, and about the unit's totals;
            questions with totals of their own have ranges, unless one is named.
        epsilon: Budgets to plan for instead of the plan's own; each is planned anew.
        level: Confidence level of the intervals.
        against: The ratio that a test is against. By default the guess of the ratio
            that the plan is made around; where nobody gave one, that of the people;
            1 where questions differ.
        power: The power wanted of ``detectable``.

    Returns:
        A table: one row per question, size and epsilon; ``ranges`` without a guess.

    Raises:
        InvalidInput: When an option breaks a rule, or a plan of the paper's sums is
            forecast without a guess.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.45))
        >>> found = dpr.forecast(plan, n=[1_000, 10_000], population=population)
        >>> [round(row["width"], 2) for row in found.to_dicts()]
        [0.17, 0.05]
    """
    require_ratios(plan)
    sizes = [n] if isinstance(n, int) else list(n)
    require_sizes(sizes)
    require_level(level)
    require(0 < power < 1, "power must lie between 0 and 1", power)
    population = population_of(plan, population)
    asked = questions_of(plan, question, population)
    if against is None:
        tested = {_tested(each, population) for each, _ in asked}
        against = tested.pop() if len(tested) == 1 else 1.0
    wanted = Wanted(level, against, power)
    budgets: Sequence[Epsilon | None] = (
        [None]
        if epsilon is None
        else [epsilon]
        if isinstance(epsilon, int | float | Fraction)
        else list(epsilon)
    )
    found: list[ForecastRow | ForecastRange] = []
    for size in sizes:
        for budget in budgets:
            planned = plan if budget is None else replan(plan, budget, size, population)
            for each, told in asked:
                own = pick_question(planned.measurements, each.name)
                if told is None:
                    found.append(_range(planned, own, size, wanted))
                else:
                    unit = unit_moments(planned, own, told)
                    found.append(_row(planned, own, unit, size, wanted))
    rows = tuple(each for each in found if isinstance(each, ForecastRow))
    if len(rows) == len(found):
        return Forecast(rows, (), level, against, power)
    ranges = tuple(
        ForecastRange.around(each) if isinstance(each, ForecastRow) else each
        for each in found
    )
    if not rows:
        return Forecast((), ranges, level, against, power)
    apart = told_apart([each.name for each, told in asked if told is None])
    return Forecast((), ranges, level, against, power, assumed=apart)


def _tested(question: Measurement, population: Population | DrawPeople | None) -> float:
    """Say what a test is against where nobody does: what is guessed of the ratio."""
    ratio = question.ratio
    if isinstance(population, Population) and ratio.guess_is == "unknown":
        return population.ratio  # The plan's own follows from bounds, or is no guess.
    return 1.0 if ratio.guess is None else ratio.guess


def _row(
    plan: Plan, question: Measurement, unit: UnitMoments, n: int, wanted: Wanted
) -> ForecastRow:
    drawn = simulate_widths(plan, question, unit, n, wanted)
    quantile = normal_quantile(wanted.level)
    public = unit.public_width(n, wanted.level)
    kept = n * (public / drawn.median_width) ** 2
    apart = abs(unit.ratio - wanted.against) / (math.sqrt(2) * drawn.error)
    return ForecastRow(
        question=question.name,
        ratio=unit.ratio,
        n=n,
        epsilon=float(plan.budget.epsilon),
        mechanism=plan.law.name,
        width=drawn.median_width,
        width_public=public,
        unbounded=drawn.unbounded,
        people_lost=max(0, round(n - kept)),
        power=drawn.rejected,
        detectable=wanted.against + drawn.reach,
        power_between=_normal(apart - quantile) + _normal(-apart - quantile),
        detectable_between=wanted.against + math.sqrt(2) * drawn.reach,
    )


def _range(plan: Plan, question: Measurement, n: int, wanted: Wanted) -> ForecastRange:
    found = promised_range(plan, question, n, normal_quantile(wanted.level))
    low, high = (
        wanted.deviates * each for each in (found.errors.lowest, found.errors.highest)
    )
    return ForecastRange(
        question=question.name,
        n=n,
        epsilon=float(plan.budget.epsilon),
        mechanism=plan.law.name,
        width_low=found.widths.lowest,
        width_high=found.widths.highest,
        width_public_low=found.public.lowest,
        width_public_high=found.public.highest,
        detectable_low=wanted.against + low,
        detectable_high=wanted.against + high,
        detectable_between_low=wanted.against + math.sqrt(2) * low,
        detectable_between_high=wanted.against + math.sqrt(2) * high,
    )


def _normal(at: float) -> float:
    return math.erfc(-at / math.sqrt(2)) / 2
