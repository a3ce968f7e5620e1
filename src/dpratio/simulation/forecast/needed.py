"""How many people, or how much epsilon, intervals of a width need."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.tables.options import require_level
from dpratio.checks import require
from dpratio.plan.measurement import pick_question
from dpratio.plan.plan import Plan, require_ratios
from dpratio.simulation.forecast.promise import WidthRange, promised_range
from dpratio.simulation.forecast.simulated_widths import (
    MOST_PEOPLE,
    median_width,
    replan,
    require_sizes,
)
from dpratio.simulation.forecast.unit_moments import population_of, unit_moments
from dpratio.simulation.population import DrawPeople
from dpratio.terms.budget import decimal_text
from dpratio.terms.population import Population

_EPSILONS = (1e-3, 20.0)
_DIGITS = 1e-3


def needed_people(
    plan: Plan,
    *,
    width: float,
    population: Population | DrawPeople | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> int | None:
    """Give the number of people for which intervals have a median width.

    Args:
        plan: What would be measured.
        width: The median width wanted, from end to end.
        population: What the people are like. Without one the number is enough for the
            widest of a stated family of people; fewer may do.
        question: Which of several questions: its name, or its number from 1.
        level: Confidence level of the intervals.

    Returns:
        About the least number that does, or None where ten billion do not.

    Raises:
        InvalidInput: When the width is not positive, or a plan of the paper's sums has
            no guess.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.45))
        >>> round(dpr.needed_people(plan, width=0.1, population=population), -2)
        2700
    """
    need = Need.of(
        plan, width=width, population=population, question=question, level=level
    )
    return need.people(widest=True)


def needed_epsilon(
    plan: Plan,
    *,
    width: float,
    n: int,
    population: Population | DrawPeople | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> float | None:
    """Give the epsilon for which intervals about n people have a median width.

    Args:
        plan: What would be measured; it is planned anew for every epsilon tried.
        width: The median width wanted, from end to end.
        n: People behind one answer.
        population: What the people are like. Without one the epsilon is enough for the
            widest of a stated family of people; less may do.
        question: Which of several questions: its name, or its number from 1.
        level: Confidence level of the intervals.

    Returns:
        About the least epsilon that does, or None where 20 does not: n people may be
        too few for the width even without noise.

    Raises:
        InvalidInput: When the width is not positive, or a plan of the paper's sums has
            no guess.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.45))
        >>> needed = dpr.needed_epsilon(
        ...     plan, width=0.1, n=10_000, population=population
        ... )
        >>> round(needed, 2)
        0.04
    """
    need = Need.of(
        plan, width=width, population=population, question=question, level=level
    )
    return need.epsilon(n, widest=True)


@dataclass(frozen=True, slots=True)
class Need:
    """A width that is wanted of one question of a plan, and of whom.

    Where nobody described the people there are the narrowest and the widest intervals
    of a family.
    """

    plan: Plan
    question: str
    population: Population | DrawPeople | None
    width: float
    level: float

    @classmethod
    def of(
        cls,
        plan: Plan,
        *,
        width: float,
        population: Population | DrawPeople | None,
        question: str | int | None,
        level: float,
    ) -> "Need":
        """Check what is wanted."""
        require_ratios(plan)
        require(width > 0, "the width must be positive", width)
        require_level(level)
        asked, population = (
            pick_question(plan.measurements, question),
            population_of(plan, population),
        )
        return cls(plan, asked.name, population, width, level)

    def people(self, *, widest: bool) -> int | None:
        """Give the number of people who are enough for one end of the family."""

        def wide(log_n: float) -> float:
            n = max(1, round(math.exp(log_n)))
            return self._wide(self.plan, n, widest=widest)

        enough = _fall_below(wide, 0.0, math.log(MOST_PEOPLE))
        return None if enough is None else math.ceil(math.exp(enough))

    def epsilon(self, n: int, *, widest: bool) -> float | None:
        """Give the epsilon that is enough for one end of the family."""
        require_sizes([n])

        def wide(log_epsilon: float) -> float:
            tried = round(math.exp(log_epsilon), 6)
            planned = replan(self.plan, tried, n, self.population)
            return self._wide(planned, n, widest=widest)

        enough = _fall_below(wide, *(math.log(end) for end in _EPSILONS))
        return None if enough is None else math.exp(enough)

    def said(self, sizes: Sequence[int]) -> list[str]:
        """Say which number of people, and which epsilon for each size, is enough."""
        # Of people whom nobody described: what the narrowest need, and the widest.
        ends = (True,) if self.population is not None else (False, True)
        at = f"at epsilon {decimal_text(self.plan.epsilon)}"
        people = [self.people(widest=end) for end in ends]
        lines = [
            f"A width of {self.width:g} needs {_between(people, ',')} people {at}"
            f"{_for_whom(people, 'number')}"
            if people[0] is not None
            else f"No number of people gives a width of {self.width:g} {at}."
        ]
        for n in sizes:
            epsilons = [self.epsilon(n, widest=end) for end in ends]
            lines.append(
                f"With {n:,} people it needs epsilon {_between(epsilons, '.3g')}"
                f"{_for_whom(epsilons, 'epsilon')}"
                if epsilons[0] is not None
                else f"With {n:,} people no epsilon gives it: they are too few."
            )
        return lines

    def _wide(self, plan: Plan, n: int, *, widest: bool) -> float:
        """Say by how much intervals are wider than is wanted."""
        asked = pick_question(plan.measurements, self.question)
        if self.population is not None:
            # Another plan may measure other sums, and count cuts or not.
            unit = unit_moments(plan, asked, self.population)
            return median_width(plan, asked, unit, n, self.level) - self.width
        widths: WidthRange = promised_range(
            plan, asked, n, normal_quantile(self.level)
        ).widths
        return (widths.highest if widest else widths.lowest) - self.width


def _between(ends: Sequence[float | None], form: str) -> str:
    """Write one number, or both ends of a range."""
    known = [f"{each:{form}}" for each in ends if each is not None]
    return " to ".join(known) if len(known) == len(ends) else f"{known[0]} or more"


def _for_whom(ends: Sequence[float | None], word: str) -> str:
    """End a sentence about needs with the people they are for."""
    if len(ends) == 1:
        return "."
    if ends[-1] is None:
        return f", by what the people are like; for some no {word} is enough."
    return ", by what the people are like."


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
