"""What a plan will give, before any data: width, power, and what is needed for them.

A guessed population is reduced to the mean and covariance of one person's summands.
Sums of n people are then drawn as normal, noise is put on them, and the analyst's own
interval is made: a forecast takes milliseconds, reads no data and costs nothing.
docs/methods/forecast.md. Floor: study. Imports: analyst, plan, guessed, simulate.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpratio.analyst.estimate import estimate_ratios
from dpratio.analyst.wald import normal_quantile
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.study.person import Person, person_of
from dpratio.study.population import Population
from dpratio.study.simulate import simulate_release
from dpratio.tabular import Tabular
from dpratio.terms.budget import Budget
from dpratio.terms.guess import Guess

__all__ = [
    "Forecast",
    "Outlook",
    "forecast",
    "needed_epsilon",
    "needed_people",
    "person_of",
]

Epsilon = float | Fraction

_DRAWS = 2_000
_SEED = 20_221
_MOST_PEOPLE = 10**10
_EPSILONS = (1e-3, 20.0)
_DIGITS = 1e-3


@dataclass(frozen=True, slots=True)
class Outlook:
    """One plan at one size: what its intervals will be like.

    ``width`` is the mean over bounded intervals, ``width_public`` that without noise.
    ``people_lost`` is how many fewer people a non-private study would need. ``power``
    is the chance to find that the guessed ratio differs from ``against``;
    ``detectable`` the smallest ratio above ``against`` that is found with the wanted
    power; ``…_between`` the same for two groups of this size.
    """

    n: int
    epsilon: float
    mechanism: str
    width: float
    width_public: float
    unbounded: float
    people_lost: int
    power: float
    detectable: float
    power_between: float
    detectable_between: float


@dataclass(frozen=True, slots=True)
class Forecast(Tabular):
    """One row per size and epsilon.

    Example:
        >>> import dpratio as dpr
        >>> dpr.forecast(dpr.example_release().plan, n=5_000).level
        0.95
    """

    outlooks: tuple[Outlook, ...]
    ratio: float
    level: float
    against: float
    power: float

    def columns(self) -> dict[str, list[Any]]:
        """The outlooks as a table."""
        names = list(Outlook.__slots__)
        return {name: [getattr(each, name) for each in self.outlooks] for name in names}

    def notes(self) -> list[str]:
        """Say what was assumed, and that nothing was spent."""
        return [
            (
                f"Forecast for a guessed ratio of {self.ratio:.4g}, intervals at level "
                f"{self.level:g}. No data were read and nothing was spent."
            ),
            (
                f"power: chance to tell the ratio from {self.against:g}; detectable: "
                f"least ratio above it found with power {self.power:g}; …_between: "
                "for two groups of this size."
            ),
        ]

    def said(self) -> list[str]:
        """The notes."""
        return self.notes()


def forecast(
    plan: Plan,
    *,
    n: int | Sequence[int],
    guess: Guess | Population | None = None,
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
        epsilon: Budgets to plan for instead of the plan's own; each is planned anew.
        level: Confidence level of the intervals.
        against: The ratio that a test is against.
        power: The power wanted of ``detectable``.

    Returns:
        A table: one row per size and epsilon.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release()).plan
        >>> found = dpr.forecast(plan, n=[1_000, 10_000])
        >>> [round(row["width"], 2) for row in found.to_dicts()]
        [0.2, 0.05]
    """
    require(isinstance(plan, Plan), "plan must be a Plan", type(plan).__name__)
    sizes = [n] if isinstance(n, int) else list(n)
    _require_sizes(sizes)
    require(0 < power < 1, "power must lie between 0 and 1", power)
    person = person_of(plan, guess)
    budgets: Sequence[Epsilon | None] = (
        [None]
        if epsilon is None
        else [epsilon]
        if isinstance(epsilon, int | float | Fraction)
        else list(epsilon)
    )
    outlooks = []
    for size in sizes:
        for each in budgets:
            planned = plan if each is None else _replan(plan, each, size, guess)
            drawn = _draw(planned, person, size, level, against)
            outlooks.append(
                _outlook(planned, person, drawn, size, (level, against, power))
            )
    return Forecast(tuple(outlooks), person.ratio, level, against, power)


def needed_people(
    plan: Plan,
    *,
    width: float,
    guess: Guess | Population | None = None,
    level: float = 0.95,
) -> int | None:
    """Give the number of people for which intervals have a mean width.

    Args:
        plan: What would be measured.
        width: The mean width wanted, from end to end.
        guess: What the people are like; by default the middle of every range.
        level: Confidence level of the intervals.

    Returns:
        About the least number that does, or None where ten billion do not.

    Raises:
        InvalidInput: When the width is not positive.

    Example:
        >>> import dpratio as dpr
        >>> round(dpr.needed_people(dpr.example_release().plan, width=0.1), -2)
        2700
    """
    require(width > 0, "the width must be positive", width)
    person = person_of(plan, guess)

    def wide(log_n: float) -> float:
        n = max(1, round(math.exp(log_n)))
        return _draw(plan, person, n, level, 1.0).mean_width - width

    enough = _fall_below(wide, 0.0, math.log(_MOST_PEOPLE))
    return None if enough is None else math.ceil(math.exp(enough))


def needed_epsilon(
    plan: Plan,
    *,
    width: float,
    n: int,
    guess: Guess | Population | None = None,
    level: float = 0.95,
) -> float | None:
    """Give the epsilon for which intervals about n people have a mean width.

    Args:
        plan: What would be measured; it is planned anew for every epsilon tried.
        width: The mean width wanted, from end to end.
        n: People behind one answer.
        guess: What the people are like; by default the middle of every range.
        level: Confidence level of the intervals.

    Returns:
        About the least epsilon that does, or None where 20 does not: n people may be
        too few for the width even without noise.

    Raises:
        InvalidInput: When the width is not positive.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release()).plan
        >>> round(dpr.needed_epsilon(plan, width=0.1, n=10_000), 2)
        0.16
    """
    require(width > 0, "the width must be positive", width)
    _require_sizes([n])
    person = person_of(plan, guess)

    def wide(log_epsilon: float) -> float:
        planned = _replan(plan, round(math.exp(log_epsilon), 6), n, guess)
        return _draw(planned, person, n, level, 1.0).mean_width - width

    enough = _fall_below(wide, *(math.log(end) for end in _EPSILONS))
    return None if enough is None else math.exp(enough)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Intervals of many drawn releases, in short."""

    mean_width: float
    unbounded: float
    rejected: float


def _draw(plan: Plan, person: Person, n: int, level: float, against: float) -> _Drawn:
    """Draw releases with the same seed each time, so that forecasts compare."""
    rng = np.random.default_rng(_SEED)
    sums = person.sums(n, _DRAWS, rng)
    found = estimate_ratios(simulate_release(sums, plan, rng), level=level)
    bounded = np.isfinite(found.ci_lower) & np.isfinite(found.ci_upper)
    width = (found.ci_upper - found.ci_lower)[bounded]
    rejected = (against < found.ci_lower) | (against > found.ci_upper)
    return _Drawn(
        mean_width=float(width.mean()) if bounded.any() else math.inf,
        unbounded=float(1 - bounded.mean()),
        rejected=float(rejected.mean()),
    )


def _outlook(
    plan: Plan,
    person: Person,
    drawn: _Drawn,
    n: int,
    options: tuple[float, float, float],
) -> Outlook:
    level, against, power = options
    quantile = normal_quantile(level)
    se = drawn.mean_width / (2 * quantile)
    reach = (quantile + normal_quantile(2 * power - 1)) * se
    public = person.public_width(n, level)
    kept = n * (public / drawn.mean_width) ** 2
    apart = abs(person.ratio - against) / (math.sqrt(2) * se)
    return Outlook(
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


def _replan(
    plan: Plan, epsilon: Epsilon, n: int, guess: Guess | Population | None
) -> Plan:
    """Make the plan again for another epsilon."""
    return make_plan(
        list(dict.fromkeys(part.ratio for part in plan.parts)),
        bounds=plan.bounds,
        budget=Budget(epsilon, plan.budget.delta),
        groups=plan.partitions,
        unit=plan.unit,
        weights=_weights(plan),
        answers=plan.answers,
        strategy=plan.strategy,
        mechanism=plan.mechanism,
        n=n,
        guess=guess if isinstance(guess, Guess) else None,
    )


def _weights(plan: Plan) -> list[float | Fraction]:
    """Give the weight of each partition."""
    shares = [
        [part.weight for part in plan.parts if part.partition == at]
        for at in range(len(plan.partitions))
    ]
    return [sum(each, Fraction(0)) for each in shares]


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


def _require_sizes(sizes: Sequence[int]) -> None:
    counted = bool(sizes) and all(
        isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= _MOST_PEOPLE
        for n in sizes
    )
    require(counted, "n must be a whole number of at least 1", sizes)
