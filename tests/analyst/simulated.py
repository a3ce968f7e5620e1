"""Many simulated cells at once, to see how often tests reject and intervals cover."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic, silenced_statistic
from dpratio.analyst.sums.moments import Moments, exact_moments, moments_of
from dpratio.analyst.sums.variance import SamplingVariance, choose_variance
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.simulation.forecast.unit_moments import unit_moments
from dpratio.simulation.population import DrawPeople, PaperPopulation
from dpratio.simulation.simulate import (
    Seeds,
    simulate_release,
    simulate_sums,
    view_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from real_people import RealPeople

# Up to so many people are invented one by one; sums of more are drawn as normal.
_ONE_BY_ONE = 500


@dataclass(frozen=True)
class Setting:
    """Who is asked, how many they are, and how they are protected."""

    people: int
    epsilon: float
    mechanism: str = "laplace"
    weighted: bool = False
    strategy: str = "focused"
    is_noisy: bool = True

    def __str__(self) -> str:
        noise = f"{self.mechanism}-{self.epsilon}" if self.is_noisy else "no-noise"
        weights = "-weighted" if self.weighted else ""
        return f"{self.people}-{noise}{weights}-{self.strategy}"

    @property
    def plan(self) -> Plan:
        bounds = {"score": Bounds(0, 1), "label": Bounds.binary()}
        if self.weighted:
            bounds["weight"] = Bounds(1 / 3, 3)
        return make_plan(
            Ratio("score", per="label", weight="weight" if self.weighted else None),
            bounds=bounds,
            budget=Budget(self.epsilon, 0 if self.mechanism == "laplace" else "1e-6"),
            mechanism=self.mechanism,
            strategy=self.strategy,
            clipping="unmeasured",
        )


SETTINGS = [
    Setting(500, 0.2),
    Setting(500, 1),
    Setting(500, 1, is_noisy=False),
    Setting(2_000, 0.2, weighted=True),
    Setting(5_000, 0.2, "analytic_gaussian", weighted=True),
    Setting(10_000, 0.2, "analytic_gaussian"),
    Setting(1_000, 4, weighted=True),
    Setting(2_000, 1, weighted=True, strategy="joint"),
]


@cache
def exact_sums(setting: Setting, cells: int, ratio: float, seed: int) -> Floats:
    """Sums of invented people, cells × measured sums."""
    people = PaperPopulation(ratio)
    return sums_of(setting.plan, people, setting.people, cells, seed)


def sums_of(
    plan: Plan, population: DrawPeople, count: int, cells: int, seed: int
) -> Floats:
    """Sums of so many people of a population, cells × measured sums."""
    (question,) = plan.measurements
    if count > _ONE_BY_ONE:
        rng = np.random.default_rng([seed, 1])
        return unit_moments(plan, question, population).sums(count, cells, rng)
    return simulate_sums(
        population,
        {"sums": view_of(plan, question)},
        count=count,
        repetitions=cells,
        seeds=Seeds(seed),
    )["sums"]


def real_release(
    people: RealPeople, count: int, epsilon: float, cells: int, *, seed: int
) -> Release:
    """A release of people with long tails or odd weights, its groups repetitions."""
    plan = make_plan(
        Ratio("s", per="y", weight="w" if "w" in people.bounds else None),
        bounds=people.bounds,
        budget=Budget(epsilon),
        mechanism="laplace",
        stage=0,
        clipping="unmeasured",
    )
    sums = sums_of(plan, people, count, cells, seed)
    rng = np.random.default_rng([seed, 2])
    return simulate_release(sums, plan, plan.measurements[0], rng)


def many_cells_release(
    setting: Setting, cells: int, *, ratio: float = 1.1, seed: int = 1
) -> Release:
    """A release whose groups are repetitions of one sample."""
    sums = exact_sums(setting, cells, ratio, seed)
    plan, rng = setting.plan, np.random.default_rng([seed, 2])
    return simulate_release(sums, plan, plan.measurements[0], rng)


def many_cells(
    setting: Setting, cells: int, *, ratio: float = 1.1, seed: int = 1
) -> Statistic:
    """The tests of so many samples, noisy or not."""
    moments: Moments
    if setting.is_noisy:
        moments = moments_of(many_cells_release(setting, cells, ratio=ratio, seed=seed))
    else:
        sums, plan = exact_sums(setting, cells, ratio, seed), setting.plan
        moments = exact_moments(sums, plan.measurements[0])
    return silenced_statistic(moments, choose_variance(moments, None), lowest=0.0)


# Equal ratios in units of the noise, and denominators or numerators, whichever is
# larger, of both sides in deviations of their noise.
DROWNED = [
    (mechanism, ratio, sizes)
    for mechanism in ("laplace", "analytic_gaussian")
    for ratio, sizes in [
        (0.01, (0.3, 100)),
        (0.01, (1, 8)),
        (0.01, (8, 8)),
        (0.3, (0.3, 100)),
        (1, (3, 3)),
        (100, (1, 8)),
        (100, (2, 4)),
    ]
]


def drowned_cells(
    mechanism: str, ratio: float, size: float, cells: int, *, seed: int
) -> Statistic:
    """Cells whose people are all alike: sums that vary by noise of variance 1 alone."""
    rng, one = np.random.default_rng(seed), np.ones(cells)
    scale = np.sqrt(0.5) if mechanism == "laplace" else 0.0
    noise = rng.standard_normal((2, cells))
    if mechanism == "laplace":
        noise = rng.laplace(scale=scale, size=(2, cells))
    denominator = size * min(1.0, 1 / ratio)
    return Statistic(
        ratio * denominator + noise[0],
        denominator + noise[1],
        SamplingVariance(np.zeros((3, cells)), np.zeros((1, 3, 3))),
        (NoiseTerm(one, scale * one, 1.0, 0.0), NoiseTerm(one, scale * one, 0.0, 1.0)),
        lowest=0.0,
    )
