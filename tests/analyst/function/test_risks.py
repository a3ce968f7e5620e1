"""Relative risk and odds ratio: tables worked by hand, and how often they cover."""

import math

import numpy as np
import pytest

from analyst.given import given_release, noiseless
from analyst.samples import with_noise
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import (
    odds_ratio,
    ratio_of_ratios,
    relative_risk,
    total,
)
from dpratio.arrays import Floats
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.population import People
from dpratio.simulation.simulate import sum_products
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys
from dpratio.terms.ratio import Ratio

ARMS = Groups("arm", ["new", "old"])


def plan_of(epsilon: float, groups: Groups, **terms: object) -> Plan:
    """A plan of conversions per visitor."""
    return make_plan(
        Ratio("bought", per="rows"),
        bounds={"bought": Bounds.binary()},
        budget=Budget(str(epsilon)),
        groups=groups,
        stage=0,
        **terms,
    )


def sums_of(plan: Plan, bought: Floats, visitors: int) -> Floats:
    """The sums of so many visitors of whom so many bought, one row for each."""
    question = plan.measurements[0]
    factors = [each.summand.factors for each in question.sums]
    one, none = (
        sum_products(
            People(np.full((1, 1), score), np.ones((1, 1))),
            factors,
            plan.layout(question).contrast,
        )[0]
        for score in (1.0, 0.0)
    )
    return np.outer(bought, one) + np.outer(visitors - bought, none)


def covered(
    shares: tuple[float, float], visitors: int, epsilon: float, samples: int, seed: int
) -> tuple[float, float]:
    """How often the intervals of both hold the truth; epsilon 0 means no noise."""
    pairs = Groups.cross(Keys("pair", range(samples)), Keys("arm", ["new", "old"]))
    plan = plan_of(epsilon or 1, pairs)
    rng = np.random.default_rng(seed)
    bought = rng.binomial(visitors, np.tile(shares, samples)).astype(np.float64)
    sums = sums_of(plan, bought, visitors)
    release = with_noise(plan, sums, pairs, seed, noise=epsilon > 0)
    odds = [share / (1 - share) for share in shares]
    held = []
    for function, truth in (
        (relative_risk(), shares[0] / shares[1]),
        (odds_ratio(), odds[0] / odds[1]),
    ):
        found = estimate_function(release, function, arms=("new", "old"))
        inside = (found.ci_lower <= truth) & (truth <= found.ci_upper)
        held.append(float(inside.mean()))
    return held[0], held[1]


def test_a_table_of_two_by_two_is_worked_by_hand() -> None:
    """60 of 400 against 90 of 500: Katz (1978) for the risk, Woolf (1955) for the odds.

    log RR has the variance 1/a − 1/n₁ + 1/c − 1/n₂, log OR 1/a + 1/b + 1/c + 1/d.
    """
    plan = noiseless(plan_of(1e6, ARMS))
    sums = np.concatenate(
        [sums_of(plan, np.array([a]), n) for a, n in ((60.0, 400), (90.0, 500))]
    )
    steps = [each.step for each in plan.measurements[0].sums]
    release = given_release(plan, np.rint(sums / steps).astype(np.int64))
    worked = {
        relative_risk(): (60 / 400) / (90 / 500),
        odds_ratio(): (60 / 340) / (90 / 410),
    }
    variances = (
        1 / 60 - 1 / 400 + 1 / 90 - 1 / 500,
        1 / 60 + 1 / 340 + 1 / 90 + 1 / 410,
    )
    for (function, value), squared in zip(worked.items(), variances, strict=True):
        found = estimate_function(
            release, function, arms=("new", "old"), method="delta"
        )
        reach = 1.959964 * math.sqrt(squared)
        assert found.estimate[0] == pytest.approx(value, rel=1e-6)
        assert found.ci_lower[0] == pytest.approx(value * math.exp(-reach), rel=1e-3)
        assert found.ci_upper[0] == pytest.approx(value * math.exp(reach), rel=1e-3)
    same = estimate_function(release, ratio_of_ratios(), arms=("new", "old"))
    assert same.estimate[0] == pytest.approx((60 / 400) / (90 / 500), rel=1e-6)


def test_odds_of_more_than_everybody_are_not_told() -> None:
    """A share that noise put above 1 has no odds."""
    plan = plan_of(1, ARMS)
    sums = np.concatenate(
        [sums_of(plan, np.array([bought]), 20) for bought in (23.0, 4.0)]
    )
    steps = [each.step for each in plan.measurements[0].sums]
    release = given_release(plan, np.rint(sums / steps).astype(np.int64))
    found = estimate_function(release, odds_ratio(), arms=("new", "old"))
    assert found.status == ("unbounded",)
    assert (found.ci_lower[0], found.ci_upper[0]) == (0.0, np.inf)


def test_no_risk_is_told_where_noise_made_the_second_share_negative() -> None:
    """Two negative shares would have a ratio above 0, and some a bounded set."""
    samples, visitors = 4_000, 100
    pairs = Groups.cross(Keys("pair", range(samples)), Keys("arm", ["new", "old"]))
    plan = plan_of(1, pairs)
    rng = np.random.default_rng(5)
    bought = rng.binomial(visitors, 0.02, 2 * samples).astype(np.float64)
    release = with_noise(plan, sums_of(plan, bought, visitors), pairs, 5, noise=True)
    parts = estimate_function(release, total()).estimate.reshape(-1, 2)
    below = np.flatnonzero(parts[:, 1] < 0)
    assert len(below) > 0.1 * samples
    found = estimate_function(release, relative_risk(), arms=("new", "old"))
    assert {found.status[at] for at in below} == {"unbounded"}


def test_a_share_is_the_ratio_or_the_mean_of_a_column() -> None:
    with pytest.raises(InvalidInput, match="share"):
        odds_ratio("weight")
    with pytest.raises(InvalidInput, match="share"):
        relative_risk("weight")


@pytest.mark.parametrize("epsilon", [0, 0.5])
@pytest.mark.parametrize("shares", [(0.3, 0.25), (0.05, 0.04)])
def test_both_cover(shares: tuple[float, float], epsilon: float) -> None:
    samples = 2_000
    for held in covered(shares, 2_000, epsilon, samples, seed=23):
        assert abs(held - 0.955) < 0.01 + 3 * math.sqrt(0.95 * 0.05 / samples)
