"""The same people in two declared months, simulated: coverage and width, pair by pair.

Both plans spend the same: one leaves the months alone, and its comparison has the
bound; the other declares them as a pair.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.comparison.measured_pairs import (
    CrossMoments,
    measured_between,
    moments_of_products,
)
from dpratio.analyst.comparison.shared_people import bounded_between
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import quantile_of
from dpratio.analyst.sums.moments import moments_of
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.population import People
from dpratio.simulation.simulate import clip_people, simulate_release, sum_products
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "KINDS",
    "RATES",
    "TOTALS",
    "PairedMonths",
    "columns_of",
    "contest_of",
    "paired_coverage",
]

# What the same person does in the second month: as in `shared_months`; "similar" goes
# with the first month at a rank correlation of about 0.9.
KINDS = ("mirrored", "opposite", "unrelated", "similar", "alike")
TOTALS = {"spent": Bounds(0, 10), "visits": Bounds(0, 5)}
RATES = (0.5, 0.4)
CORRELATION = 0.9

Columns = tuple[Floats, Floats]


@dataclass(frozen=True)
class PairedMonths:
    """So many people in both months, at so much epsilon, with so many more in one."""

    people: int
    epsilon: float
    kind: str
    alone: int = 0
    strategy: str = "focused"
    delta: float = 0.0

    def plan(self, *, paired: bool) -> Plan:
        """Plan revenue per visit in two months."""
        return make_plan(
            Ratio("spent", per="visits"),
            bounds=TOTALS,
            groups=Groups("month", ["jan", "feb"]),
            budget=Budget(self.epsilon, self.delta),
            unit=PrivacyUnit("id", totals=TOTALS, most_groups=2),
            strategy=self.strategy,
            clipping="unmeasured",
            stage=0,
            pairs=[("jan", "feb")] if paired else (),
        )

    def drawn(self, runs: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
        """Draw what people spend and how often they come, runs × people, by month."""
        first = rng.random((2, runs, self.people))
        second = {
            "mirrored": lambda: 1 - first,
            "opposite": lambda: 1 - first,
            "unrelated": lambda: rng.random(first.shape),
            "similar": lambda: _similar(first, rng),
            "alike": lambda: first,
        }[self.kind]()
        others = rng.random((2, runs, self.alone))
        second = np.concatenate([second, others], axis=2)
        one, two = (
            columns_of(uniforms, rate, is_even=self.kind == "mirrored")
            for uniforms, rate in zip((first, second), RATES, strict=True)
        )
        return one, two


def _similar(first: Floats, rng: np.random.Generator) -> Floats:
    apart = np.sqrt(1 - CORRELATION**2) * rng.normal(size=first.shape)
    near: Floats = ndtr(CORRELATION * ndtri(first) + apart)
    return near


def columns_of(uniforms: Floats, rate: float, *, is_even: bool) -> Columns:
    """Some spend, and all come one to five times; or all spend and come thrice."""
    if is_even:
        return 10 * rate * uniforms[0], np.full(uniforms[0].shape, 3.0)
    spent = np.where(uniforms[0] < rate, 10 * uniforms[0] / rate, 0.0)
    return spent, np.floor(1 + 5 * uniforms[1])


def paired_coverage(
    months: PairedMonths, runs: int, seed: int = 1, link: str = "difference"
) -> dict[str, float]:
    """Give coverage and median width with the bound, and as the pair is measured."""
    rng = np.random.default_rng(seed)
    people = months.drawn(runs, rng)
    one, two = (5 * rate / 3 for rate in RATES)
    truth = one - two if link == "difference" else one / two - 1
    told: dict[str, float] = {}
    for name in ("bound", "measured"):
        plan = months.plan(paired=name == "measured")
        contest = contest_of(plan, people, link, rng)
        if name == "bound":
            contest = bounded_between(contest)
        else:
            cross = _cross(plan, people, months.people, rng)
            contest, used = measured_between(contest, cross)
            told["used"] = float(used.mean())
        ends = contest.ends(quantile_of(0.95, "two-sided"))
        covers = (ends.lower <= truth) & (truth <= ends.upper)
        told[name] = float(covers.mean())
        told[f"{name}_width"] = float(np.median(ends.upper - ends.lower))
    return told


def contest_of(
    plan: Plan, people: tuple[Columns, Columns], link: str, rng: np.random.Generator
) -> Between:
    """Release both months with noise, and set the one against the other."""
    (question,) = plan.questions
    contrast = plan.contrast(question)
    factors = [each.summand.factors for each in question.sums]
    found = []
    for columns in people:
        clipped = clip_people(People(*columns), plan.box(question))
        sums = sum_products(clipped, factors, contrast)
        moments = moments_of(simulate_release(sums, plan, question, rng))
        form = "kish" if contrast is None else "linearised"
        found.append(statistic_of(moments, form, lowest=0.0))
    every = np.arange(len(found[0].numerator))
    return Between(found[0], found[1], (every, every), link)


def _cross(
    plan: Plan, people: tuple[Columns, Columns], both: int, rng: np.random.Generator
) -> CrossMoments:
    """Add up the products of those who are in both months, and put noise on them."""
    (question,) = plan.questions
    pairs: Any = question.pairs
    contrast = plan.contrast(question)
    rows = np.eye(2) if contrast is None else np.array(contrast.rows)
    one, two = (
        [row[0] * spent[:, :both] + row[1] * visits[:, :both] for row in rows]
        for spent, visits in people
    )
    products = np.stack([(a * b).sum(axis=1) for a in one for b in two], axis=1)
    draw = rng.laplace if plan.mechanism == "laplace" else rng.normal
    noise = draw(scale=np.array(pairs.scales), size=products.shape)
    cells = np.rint(products / [each.step for each in pairs.sums]) + np.rint(noise)
    values, covariance = moments_of_products(plan, question, cells.astype(np.int64))
    held = np.broadcast_to(covariance, (len(values), 4, 4))
    return CrossMoments(np.arange(len(values)), values, held)
