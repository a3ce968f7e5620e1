"""Intervals of releases that are drawn from one unit's moments, under a plan."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.noisy_tail import (
    fourth_moment_scale,
    normal_laplace_tail,
)
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.strategy.allowance import allowance
from dpratio.simulation.forecast.unit_moments import UnitMoments
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.stages import Part, simulate_parts
from dpratio.terms.budget import Budget
from dpratio.terms.population import Population

Epsilon = float | Fraction

MOST_PEOPLE = 10**10
_DRAWS = 2_000
_ROUNDS, _HALVINGS = 4, 30
_SEED = 20_221


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of intervals: their level, and a test at it with some power."""

    level: float = 0.95
    against: float = 1.0
    power: float = 0.8

    @property
    def deviates(self) -> float:
        """How many standard errors lie between a ratio and what it is told from."""
        return normal_quantile(self.level) + normal_quantile(2 * self.power - 1)


@dataclass(frozen=True, slots=True)
class SimulatedWidths:
    """Intervals of many drawn releases, in short.

    ``median_width`` counts intervals without an end as infinite. ``error`` is the
    standard error of a test of ``against``, and ``reach`` how far a ratio must be from
    it to be told from it with the wanted power.
    """

    median_width: float
    unbounded: float
    rejected: float
    error: float
    reach: float


def simulate_widths(
    plan: Plan,
    question: Measurement,
    unit: UnitMoments,
    n: int,
    wanted: Wanted,
) -> SimulatedWidths:
    """Draw releases with the same seed each time, so that forecasts compare."""
    parts = _drawn(plan, question, unit, n)
    lower, upper, widths = _intervals(parts, wanted.level)
    rejected = (wanted.against < lower) | (wanted.against > upper)
    noises = np.concatenate([_noise_at(part, wanted.against) for part in parts], axis=1)
    error, reach = _test(np.median(noises, axis=1), unit, n, wanted)
    return SimulatedWidths(
        median_width=float(np.median(widths)),
        unbounded=float(1 - (np.isfinite(lower) & np.isfinite(upper)).mean()),
        rejected=float(rejected.mean()),
        error=error,
        reach=reach,
    )


def median_width(
    plan: Plan, question: Measurement, unit: UnitMoments, n: int, level: float
) -> float:
    """Give the median width of `simulate_widths` alone: a test takes as long again."""
    *_, widths = _intervals(_drawn(plan, question, unit, n), level)
    return float(np.median(widths))


def _drawn(
    plan: Plan, question: Measurement, unit: UnitMoments, n: int
) -> Sequence[Part]:
    rng = np.random.default_rng(_SEED)
    return simulate_parts(unit.sums(n, _DRAWS, rng), plan, question, rng)


def _intervals(parts: Sequence[Part], level: float) -> tuple[Floats, Floats, Floats]:
    """Give the ends and widths of all intervals; without an end they are infinite."""
    found = [estimate_ratios(part.release, level=level) for part in parts]
    lower = np.concatenate([each.ci_lower for each in found])
    upper = np.concatenate([each.ci_upper for each in found])
    bounded = np.isfinite(lower) & np.isfinite(upper)
    return lower, upper, np.where(bounded, upper - lower, np.inf)


def _noise_at(part: Part, ratio: float) -> Floats:
    """Give the noise in the test of a ratio, by release, in three rows.

    Its variance, the variance of the noise in the estimate of the sampling variance,
    and the scale of its Laplace part.
    """
    moments = moments_of(part.release, part.release.questions[0])
    form = choose_variance(moments, None)
    statistic = statistic_of(moments, form, lowest=-math.inf)
    one = np.ones_like(statistic.numerator)
    at = (one, ratio * one)
    heavy = fourth_moment_scale(statistic.laplace(at))
    return np.stack(
        [statistic.noise_variance(at), statistic.sampling.doubt_at(at), heavy * one]
    )


def _test(
    noises: Floats, unit: UnitMoments, n: int, wanted: Wanted
) -> tuple[float, float]:
    """Give the standard error of a test, and how far from the tested ratio it reaches.

    The test rejects where T = Σw(s − r·y) is beyond a quantile of its law, with the
    allowance for noise in the variance. People whose ratio is that far above r move T
    beyond it with the wanted power.
    """
    noise, doubt, heavy = (float(each) for each in noises)
    quantile, size = normal_quantile(wanted.level), abs(unit.denominator)
    reach = beyond = 0.0
    for _ in range(_ROUNDS):  # How people vary hangs on how far away they are.
        square = unit.square_at(wanted.against + reach, wanted.against)
        widened = n * square + noise + allowance(n * square, noise, doubt, quantile)
        varied = n * max(square - (reach * size) ** 2, 0.0) + noise
        beyond = _tail_quantile(wanted.level, widened, heavy)
        above = _tail_quantile(abs(2 * wanted.power - 1), varied, heavy)
        reach = (beyond + math.copysign(above, wanted.power - 0.5)) / (n * size)
    return beyond / quantile / (n * size), reach


def _tail_quantile(level: float, variance: float, heavy: float) -> float:
    """Give t with P(|N + L| > t) = 1 − level, for a Laplace L of a scale."""
    rest = math.sqrt(max(variance - 2 * heavy**2, 1e-12 * variance))
    laws = (np.array([rest]), np.array([heavy]), np.zeros(1))
    low, high = 0.0, 50 * math.sqrt(variance)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tail = float(normal_laplace_tail(np.array([middle]), *laws)[0])
        low, high = (middle, high) if 2 * tail > 1 - level else (low, middle)
    return high


def replan(
    plan: Plan,
    epsilon: Epsilon,
    n: int,
    population: Population | DrawPeople | None,
    *,
    delta: Fraction | None = None,
) -> Plan:
    """Make the plan again for another epsilon, and perhaps another delta."""
    return make_plan(
        [each.question for each in plan.measurements],
        bounds=plan.bounds,
        budget=Budget(epsilon, plan.budget.delta if delta is None else delta),
        unit=plan.unit,
        strategy=plan.study.strategy,
        mechanism=plan.law.name,
        n=n,
        population=population if isinstance(population, Population) else None,
        stage=0 if plan.stage is None else plan.stage.epsilon / plan.epsilon,
        clipping=plan.study.clipping,
    )


def require_sizes(sizes: Sequence[int]) -> None:
    """Refuse numbers of people that cannot be forecast."""
    counted = bool(sizes) and all(
        isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MOST_PEOPLE
        for n in sizes
    )
    require(counted, "n must be a whole number of at least 1", sizes)
