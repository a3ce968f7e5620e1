"""The relative risk of a 2 × 2 table: noisy counts, and the default, on the log scale.

Shoham & Ligett (2025, arXiv 2505.20351) put Laplace noise on each of the four counts,
which are of different people, and divide. Their interval has the variance of both the
sampling and the noise: here by the delta method for the log relative risk.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.ratio.statistic import Statistic, statistic_of
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.noise import Noise
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.literature.interval import Interval
from dpratio.simulation.population import People
from dpratio.simulation.simulate import simulate_release, view_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = ["Risks", "default", "draw_counts", "from_counts", "noisy_counts"]

# Of outcomes and of the rest, in one arm: what the test of a rate is made of.
_NAMES = ("ws", "wy", "aa", "ab", "bb")
_COUNTS = np.array([[1.0, 0], [1, 1], [1, 0], [1, 0], [1, 1]])


@dataclass(frozen=True, slots=True)
class Risks:
    """Two arms of so many people, and the risk of each."""

    n: int
    first: float
    second: float

    @property
    def truth(self) -> float:
        """The log relative risk."""
        return float(np.log(self.first / self.second))


def draw_counts(risks: Risks, runs: int, rng: np.random.Generator) -> Floats:
    """Draw tables: outcomes and the rest of the first arm, then of the second."""
    cases = [rng.binomial(risks.n, each, runs) for each in (risks.first, risks.second)]
    columns = [each for own in cases for each in (own, risks.n - own)]
    return np.array(columns, dtype=np.float64)


def noisy_counts(
    counts: Floats, epsilon: float, quantile: float, *, corrected: bool
) -> Interval:
    """Give the interval of four noisy counts; none where one is not positive."""
    ok = (counts > 0).all(axis=0)
    cases, rest, other_cases, other_rest = np.where(ok, counts, np.nan)
    size, other = cases + rest, other_cases + other_rest
    centre = np.log(cases / size) - np.log(other_cases / other)
    variance = 1 / cases - 1 / size + 1 / other_cases - 1 / other
    if corrected:
        slopes = (
            1 / cases - 1 / size,
            1 / size,
            1 / other_cases - 1 / other,
            1 / other,
        )
        variance = variance + 2 / epsilon**2 * sum(each**2 for each in slopes)
    reach = quantile * np.sqrt(variance)
    return Interval(centre, centre - reach, centre + reach)


def from_counts(counts: Floats, epsilon: float, quantile: float) -> Interval:
    """Give our own test of two ratios, from the same four noisy counts."""
    scale = np.full((1, 2), 1 / epsilon)
    noise = Noise(2 * scale**2, scale)
    first, second = (
        Moments(_NAMES, counts[at : at + 2].T @ _COUNTS.T, _COUNTS, noise)
        for at in (0, 2)
    )
    return _compared(
        statistic_of(first, "linearised", lowest=0.0),
        statistic_of(second, "linearised", lowest=0.0),
        quantile,
    )


def default(
    exact: Floats, epsilon: float, quantile: float, rng: np.random.Generator
) -> Interval:
    """Give what a study of the two arms gives by default."""
    plan = _plan(epsilon)
    first, second = (_statistic(exact[at], exact[at + 1], plan, rng) for at in (0, 2))
    return _compared(first, second, quantile)


def _plan(epsilon: float) -> Plan:
    return make_plan(
        Ratio("outcome", per="rows"),
        bounds={"outcome": Bounds.binary()},
        budget=Budget(epsilon),
        mechanism="laplace",
    )


def _statistic(
    cases: Floats, rest: Floats, plan: Plan, rng: np.random.Generator
) -> Statistic:
    """Release the sums of an arm, made of one person of each kind."""
    (question,) = plan.questions
    people = People(np.array([[1.0], [0.0]]), np.ones((2, 1)))
    case, other = view_of(plan, question).sums(people)
    exact = np.outer(cases, case) + np.outer(rest, other)
    release = simulate_release(exact, plan, question, rng)
    moments = moments_of(release, release.questions[0])
    return statistic_of(moments, choose_variance(moments, None), lowest=0.0)


def _compared(first: Statistic, second: Statistic, quantile: float) -> Interval:
    every = np.arange(len(first.numerator))
    pairs = Between(first, second, (every, every), "log_ratio")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ends = pairs.ends(quantile)
        return Interval(pairs.estimates()[0], ends.lower, ends.upper)
