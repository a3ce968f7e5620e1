"""What a summary says privacy costs is what it costs in widths."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import dpratio as dpr
from dpratio.arrays import Floats
from dpratio.simulation.simulate import simulate_release, sum_products
from dpratio.terms.bounds import Bounds

GROUPS = 400
REAL = {"s": Bounds(0, 50), "y": Bounds(0, 10)}
SCORES = {"s": Bounds(0, 1), "y": Bounds.binary()}


def spend(rng: np.random.Generator, shape: tuple[int, int]) -> dpr.simulation.People:
    bought = rng.random(shape) < 0.1
    spent = np.where(bought, np.minimum(rng.lognormal(1, 1, shape), 50), 0.0)
    return dpr.simulation.People(spent, np.minimum(rng.poisson(2, shape), 10.0))


def scores(rng: np.random.Generator, shape: tuple[int, int]) -> dpr.simulation.People:
    score = rng.beta(2, 8, shape)
    return dpr.simulation.People(score, (rng.random(shape) < score).astype(float))


def public_widths(people: dpr.simulation.People) -> Floats:
    """Fieller's intervals of the same people without noise, by their quadratic."""
    s, y = people.score, people.label
    q = 1.959964**2
    above, below = s.sum(axis=1), y.sum(axis=1)
    a = below**2 - q * (y * y).sum(axis=1)
    b = above * below - q * (s * y).sum(axis=1)
    c = above**2 - q * (s * s).sum(axis=1)
    widths: Floats = 2 * np.sqrt(b * b - a * c) / a
    return widths


@pytest.mark.parametrize(
    ("invent", "bounds", "n", "epsilon", "at_least"),
    [
        (scores, SCORES, 200, 0.5, 0.4),
        (scores, SCORES, 500, 1, 0.02),
        (scores, SCORES, 2_000, 0.2, 0.1),
        (spend, REAL, 500, 1, 0.4),
        (spend, REAL, 2_000, 1, 0.4),
    ],
)
def test_the_range_holds_the_true_price(
    invent: Callable[[np.random.Generator, tuple[int, int]], dpr.simulation.People],
    bounds: dict[str, Bounds],
    n: int,
    epsilon: float,
    at_least: float,
) -> None:
    rng = np.random.default_rng(20261117)
    people = invent(rng, (GROUPS, n))
    ratio = dpr.Ratio("s", per="y")
    plan = dpr.make_plan(
        ratio,
        bounds=bounds,
        budget=dpr.Budget(epsilon),
        n=n,
        stage=0,
        clipping="unmeasured",
    )
    question = plan.measurements[0]
    products = [each.summand.factors for each in question.sums]
    sums = sum_products(people, products, plan.layout(question).contrast)
    found = dpr.estimate_ratios(simulate_release(sums, plan, question, rng))
    widths = found.ci_upper - found.ci_lower
    bounded = np.isfinite(widths) & (widths > 0)
    true = float(np.median(widths[bounded] / public_widths(people)[bounded])) - 1
    least, most = found.privacy_widens() or (math.nan, math.nan)
    assert least <= true + 0.02
    assert most >= true - 0.02
    assert at_least <= least
