"""Lower bounds from counts: worked by hand, and never above the truth too often."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from dpratio.plan.laws import CLASSICAL_GAUSSIAN, LAPLACE
from dpratio.simulation.audit.bound import (
    RISK,
    Counts,
    largest_scale,
    least_epsilon,
    least_mu,
    proportion_bounds,
)

NORMAL = NormalDist()


def test_bounds_at_the_ends_are_those_worked_by_hand() -> None:
    root = 0.01 ** (1 / 50)
    assert proportion_bounds(0, 50, 0.01) == pytest.approx((0.0, 1 - root))
    assert proportion_bounds(50, 50, 0.01) == pytest.approx((root, 1.0))


@pytest.mark.parametrize(("hits", "trials"), [(3, 40), (50_000, 100_000), (99, 100)])
@pytest.mark.parametrize("risk", [1e-7, 0.01])
def test_bounds_are_those_of_the_exact_binomial_test(
    hits: int, trials: int, risk: float
) -> None:
    theirs = binomtest(hits, trials).proportion_ci(1 - 2 * risk, method="exact")
    ours = proportion_bounds(hits, trials, risk)
    assert ours == pytest.approx((theirs.low, theirs.high), rel=1e-6)


@pytest.mark.parametrize("chance", [0.001, 0.03, 0.2, 0.5, 0.9, 0.999])
def test_each_bound_is_wrong_no_more_often_than_stated(chance: float) -> None:
    """Summed over all outcomes of 60 trials: no simulation."""
    trials, risk = 60, 0.02
    outcomes = range(trials + 1)
    bounds = [proportion_bounds(hits, trials, risk) for hits in outcomes]
    weights = np.asarray(binom.pmf(list(outcomes), trials, chance))
    for side, wrong in ((0, np.greater), (1, np.less)):
        missed = [bool(wrong(each[side], chance)) for each in bounds]
        assert float(weights[missed].sum()) <= risk


def test_mu_is_the_distance_of_two_quantiles() -> None:
    counts = Counts(0.0, 88_493, 11_507, 100_000)
    low, _ = proportion_bounds(88_493, 100_000, RISK / 2)
    _, high = proportion_bounds(11_507, 100_000, RISK / 2)
    by_hand = NORMAL.inv_cdf(low) - NORMAL.inv_cdf(high)
    assert least_mu([counts]) == pytest.approx(by_hand)
    assert 2.3 < least_mu([counts]) < 2.4


def test_epsilon_of_one_sum_has_a_closed_form() -> None:
    counts = Counts(0.0, 88_493, 11_507, 100_000)
    low, high = counts.bounds(RISK)
    by_hand = -2 * math.log(1 - (low - high))
    assert least_epsilon([1.0], [counts]) == pytest.approx(by_hand, rel=1e-6)


def test_a_ratio_of_chances_alone_shows_epsilon() -> None:
    """At a threshold of ε no pure law allows any excess: log(power / size) shows."""
    counts = Counts(2.0, 60_000, 6_000, 100_000)
    low, high = counts.bounds(RISK)
    assert math.log(low / high) > 2.0
    assert least_epsilon([1.0], [counts]) > 2.0
    assert least_epsilon([0.5, 0.5], [counts]) > 2.0


@pytest.mark.parametrize("hits", [0, 500, 1000])
def test_equal_counts_show_nothing(hits: int) -> None:
    counts = [Counts(at, hits, hits, 1000) for at in (-1.0, 0.0, 1.0)]
    assert least_mu(counts) == 0.0
    assert least_epsilon([0.5, 0.5], counts) == 0.0


def test_several_thresholds_share_the_risk() -> None:
    counts = Counts(0.0, 880, 120, 1000)
    assert least_mu([counts] * 3) == pytest.approx(least_mu([counts], RISK / 3))
    assert least_mu([counts] * 3) < least_mu([counts])
    alone = least_epsilon([1.0], [counts], RISK / 3)
    assert least_epsilon([1.0], [counts] * 3) == pytest.approx(alone)


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_the_scale_of_noise_is_bounded_by_how_often_it_is_large(scale: float) -> None:
    trials, beyond = 10**6, 1.5
    for law, chance in (
        (LAPLACE, math.exp(-beyond / scale)),
        (CLASSICAL_GAUSSIAN, 2 * NORMAL.cdf(-beyond / scale)),
    ):
        hits = round(trials * chance)
        bound = largest_scale(law, beyond=beyond, hits=hits, trials=trials)
        assert scale < bound < 1.02 * scale
    always = {"beyond": 1.0, "hits": 50, "trials": 50}
    assert largest_scale(LAPLACE, **always) == math.inf  # type: ignore[arg-type]


def counts_of(first: np.ndarray, second: np.ndarray, side: float) -> list[Counts]:
    return [
        Counts(at, int((first > at).sum()), int((second > at).sum()), len(first))
        for at in (-side, 0.0, side)
    ]


def test_bounds_from_samples_lie_below_the_truth_as_often_as_stated() -> None:
    """400 audits of 2,000 samples each, at a risk of a tenth; a fixed seed."""
    rng = np.random.default_rng(7)
    runs, samples, risk = 400, 2_000, 0.1
    allowed = runs * risk + 3 * math.sqrt(runs * risk * (1 - risk))
    above = 0
    for _ in range(runs):
        ratio = 2.4 * rng.normal(size=(2, samples))
        counts = counts_of(ratio[0] + 2.88, ratio[1] - 2.88, 1.44)
        above += least_mu(counts, risk) > 2.4
    assert 0 < above <= allowed
    above = 0
    moves = np.array([3.0, 1.0])
    for _ in range(runs // 4):
        noise = rng.laplace(size=(2, samples, 2))
        first, second = noise[0] + moves, noise[1]
        one, two = (
            (np.abs(x) - np.abs(x - moves)).sum(axis=1) for x in (first, second)
        )
        above += least_epsilon([0.75, 0.25], counts_of(one, two, 2.0), risk) > 4.0
    assert above <= runs / 4 * risk + 3 * math.sqrt(runs / 4 * risk * (1 - risk))
