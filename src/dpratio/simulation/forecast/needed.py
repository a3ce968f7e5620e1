"""How many people, or how much epsilon, intervals of a width need."""

import math
from collections.abc import Callable

from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import pick_question
from dpratio.simulation.forecast.simulated_widths import (
    MOST_PEOPLE,
    replan,
    require_sizes,
    simulate_widths,
)
from dpratio.simulation.forecast.unit_moments import unit_moments
from dpratio.simulation.population import Population
from dpratio.terms.guess import Guess

__all__ = ["needed_epsilon", "needed_people"]

_EPSILONS = (1e-3, 20.0)
_DIGITS = 1e-3


def needed_people(
    plan: Plan,
    *,
    width: float,
    guess: Guess | Population | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> int | None:
    """Give the number of people for which intervals have a mean width.

    Args:
        plan: What would be measured.
        width: The mean width wanted, from end to end.
        guess: What the people are like; by default the middle of every range.
        question: Which of several questions: its name, or its number from 1.
        level: Confidence level of the intervals.

    Returns:
        About the least number that does, or None where ten billion do not.

    Raises:
        InvalidInput: When the width is not positive.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> round(dpr.needed_people(plan, width=0.1), -2)
        2700
    """
    require(width > 0, "the width must be positive", width)
    asked = pick_question(plan.questions, question)
    unit = unit_moments(plan, asked, guess)

    def wide(log_n: float) -> float:
        n = max(1, round(math.exp(log_n)))
        return simulate_widths(plan, asked, unit, n, level, 1.0).mean_width - width

    enough = _fall_below(wide, 0.0, math.log(MOST_PEOPLE))
    return None if enough is None else math.ceil(math.exp(enough))


def needed_epsilon(
    plan: Plan,
    *,
    width: float,
    n: int,
    guess: Guess | Population | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> float | None:
    """Give the epsilon for which intervals about n people have a mean width.

    Args:
        plan: What would be measured; it is planned anew for every epsilon tried.
        width: The mean width wanted, from end to end.
        n: People behind one answer.
        guess: What the people are like; by default the middle of every range.
        question: Which of several questions: its name, or its number from 1.
        level: Confidence level of the intervals.

    Returns:
        About the least epsilon that does, or None where 20 does not: n people may be
        too few for the width even without noise.

    Raises:
        InvalidInput: When the width is not positive.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> round(dpr.needed_epsilon(plan, width=0.1, n=10_000), 2)
        0.16
    """
    require(width > 0, "the width must be positive", width)
    require_sizes([n])
    asked = pick_question(plan.questions, question)
    unit = unit_moments(plan, asked, guess)

    def wide(log_epsilon: float) -> float:
        planned = replan(plan, round(math.exp(log_epsilon), 6), n, guess)
        own = pick_question(planned.questions, asked.name)
        found = simulate_widths(planned, own, unit, n, level, 1.0)
        return found.mean_width - width

    enough = _fall_below(wide, *(math.log(end) for end in _EPSILONS))
    return None if enough is None else math.exp(enough)


def _fall_below(
    excess: Callable[[float], float], low: float, high: float
) -> float | None:
    """Find, to a thousandth, where a falling function falls below zero."""
    if excess(high) > 0:
        return None
    while high - low > _DIGITS:
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high
