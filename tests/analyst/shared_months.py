"""The same people in two months, simulated: how often comparisons of them cover."""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.comparison.shared_people import bounded_between
from dpratio.analyst.ratio.statistic import Statistic, statistic_of
from dpratio.analyst.ratio.tail import quantile_of
from dpratio.analyst.sums.moments import moments_of
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.population import People
from dpratio.simulation.simulate import clip_people, simulate_release, sum_products
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

# What the same person does in the second month: the mirror image, where the bound is
# met; the opposite; anything; the same.
KINDS = ("mirrored", "opposite", "unrelated", "alike")


@dataclass(frozen=True)
class Months:
    """So many people in both months, at so much epsilon, with so many more in one."""

    people: int
    epsilon: float
    kind: str
    alone: int = 0

    def statistics(self, runs: int, seed: int) -> tuple[Statistic, Statistic]:
        """Simulate both months, many times: releases of the same people."""
        rng = np.random.default_rng(seed)
        plan, found = _plan(self.epsilon), []
        first = rng.random((2, runs, self.people))
        second = {
            "mirrored": 1 - first,
            "opposite": 1 - first,
            "unrelated": rng.random(first.shape),
            "alike": first,
        }[self.kind]
        others = rng.random((2, runs, self.alone))
        second = np.concatenate([second, others], axis=2)
        for uniforms, rate in ((first, 0.5), (second, 0.4)):
            sums = _sums(plan, uniforms, rate, is_even=self.kind == "mirrored")
            release = simulate_release(sums, plan, plan.questions[0], rng)
            moments = moments_of(release)
            found.append(statistic_of(moments, "linearised", lowest=0.0))
        return found[0], found[1]


def _sums(plan: Plan, uniforms: Floats, rate: float, *, is_even: bool) -> Floats:
    """Revenue per visit: some people spend, and all have one to five visits.

    Where all is even, everybody spends and has three visits.
    """
    spent = np.where(uniforms[0] < rate, 10 * uniforms[0] / rate, 0.0)
    visits = np.floor(1 + 5 * uniforms[1])
    if is_even:
        spent, visits = 10 * rate * uniforms[0], np.full(uniforms[0].shape, 3.0)
    question = plan.questions[0]
    people = clip_people(People(spent, visits), plan.box(question))
    factors = [each.summand.factors for each in question.sums]
    return sum_products(people, factors, plan.contrast(question))


def _plan(epsilon: float) -> Plan:
    bounds = {"spent": Bounds(0, 10), "visits": Bounds(0, 5)}
    asked = Ratio("spent", per="visits")
    return make_plan(
        asked, bounds=bounds, budget=Budget(epsilon), stage=0, clipping="unmeasured"
    )


def coverage(months: Months, runs: int, seed: int = 1) -> tuple[float, float, float]:
    """Give coverage under the bound and as if independent, and how much wider it is."""
    one, two = months.statistics(runs, seed)
    every = np.arange(runs)
    plain = Between(one, two, (every, every), "difference")
    truth = (10 * 0.5 / 2 - 10 * 0.4 / 2) / 3
    held, widths = [], []
    for contest in (bounded_between(plain), plain):
        ends = contest.ends(quantile_of(0.95, "two-sided"))
        held.append(float(((ends.lower <= truth) & (truth <= ends.upper)).mean()))
        widths.append(float(np.median(ends.upper - ends.lower)))
    return held[0], held[1], widths[0] / widths[1]
