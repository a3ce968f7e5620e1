"""The same people in two months, simulated: how often comparisons of them cover."""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.comparison.comparison_target import bounded_between
from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import quantile_of
from dpratio.analyst.sums.moments import moments_of
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.simulation.population import People
from dpratio.simulation.simulate import clip_people, simulate_release, sum_products
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

# What the same person does in the second month: the mirror image, where the bound is
# met; the opposite; anything; the same.
KINDS = ("mirrored", "opposite", "unrelated", "alike")
TOTALS = {"spent": Bounds(0, 10), "visits": Bounds(0, 5)}
RATES = (0.5, 0.4)


@dataclass(frozen=True)
class Months:
    """So many people in both months, at so much epsilon, with so many more in one."""

    people: int
    epsilon: float
    kind: str
    alone: int = 0

    def contest(self, runs: int, seed: int) -> Between:
        """Simulate both months, many times: releases of the same people."""
        rng = np.random.default_rng(seed)
        first = rng.random((2, runs, self.people))
        second = {
            "mirrored": 1 - first,
            "opposite": 1 - first,
            "unrelated": rng.random(first.shape),
            "alike": first,
        }[self.kind]
        others = rng.random((2, runs, self.alone))
        second = np.concatenate([second, others], axis=2)
        plan = make_plan(
            Ratio("spent", per="visits"),
            bounds=TOTALS,
            budget=Budget(self.epsilon),
            stage=0,
            clipping="unmeasured",
        )
        (question,) = plan.measurements
        contrast = plan.layout(question).contrast
        factors = [each.summand.factors for each in question.sums]
        found = []
        for uniforms, rate in zip((first, second), RATES, strict=True):
            people = _people(uniforms, rate, is_even=self.kind == "mirrored")
            clipped = clip_people(people, plan.box(question))
            sums = sum_products(clipped, factors, contrast)
            moments = moments_of(simulate_release(sums, plan, question, rng))
            found.append(statistic_of(moments, "linearised", lowest=0.0))
        every = np.arange(runs)
        return Between(found[0], found[1], (every, every), "difference")


def _people(uniforms: Floats, rate: float, *, is_even: bool) -> People:
    """Some spend, and all come one to five times; or all spend and come thrice."""
    if is_even:
        return People(10 * rate * uniforms[0], np.full(uniforms[0].shape, 3.0))
    spent = np.where(uniforms[0] < rate, 10 * uniforms[0] / rate, 0.0)
    return People(spent, np.floor(1 + 5 * uniforms[1]))


def coverage(months: Months, runs: int, seed: int = 1) -> tuple[float, float, float]:
    """Give coverage under the bound and as if independent, and how much wider it is."""
    plain = months.contest(runs, seed)
    truth = (10 * 0.5 / 2 - 10 * 0.4 / 2) / 3
    held, widths = [], []
    for contest in (bounded_between(plain), plain):
        ends = contest.ends(quantile_of(0.95, "two-sided"))
        held.append(float(((ends.lower <= truth) & (truth <= ends.upper)).mean()))
        widths.append(float(np.median(ends.upper - ends.lower)))
    return held[0], held[1], widths[0] / widths[1]
