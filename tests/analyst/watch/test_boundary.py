"""Boundaries: against integrals, textbook constants and random walks."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpratio.analyst.watch.boundary import Boundary

ALPHAS = (0.05, 0.01, 5e-6)


def one(boundary: Boundary, time: float, first: float = 1.0) -> float:
    return float(boundary.quantile(np.array([time]), np.array([first]))[0])


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("time", [1.0, 40.0, 400.0])
def test_on_the_mixture_likelihood_ratios_average_one_over_alpha(
    alpha: float, time: float
) -> None:
    """Robbins (1970): ∫ exp(λT − λ²A/2) dN(0, 1/ρ) = 1/α where T is the boundary."""
    boundary = Boundary(alpha, 90)
    reached = one(boundary, time) * math.sqrt(time)
    best = 8.0
    for _ in range(99):
        best = math.log((1 + best) / alpha**2)
    prior = 90 / best
    centre, width = reached / (time + prior), 1 / math.sqrt(time + prior)

    def weighed(drift: float) -> float:
        likely = math.exp(drift * reached - drift**2 * time / 2)
        return likely * stats.norm.pdf(drift, scale=1 / math.sqrt(prior))

    found, _ = integrate.quad(
        weighed, centre - 12 * width, centre + 12 * width, epsabs=0
    )
    assert found == pytest.approx(1 / alpha, rel=1e-6)


@pytest.mark.parametrize(
    ("is_last", "times"), [(False, 1.5486), (True, 1.3679)], ids=["open", "last"]
)
def test_at_the_expected_look_it_is_so_many_times_a_fixed_interval(
    *, is_last: bool, times: float
) -> None:
    boundary = Boundary(0.05, 90, is_last=is_last)
    assert one(boundary, 90) / stats.norm.ppf(0.975) == pytest.approx(times, abs=5e-4)
    nearby = [one(boundary, 90 * share) for share in (0.97, 1.03)]
    assert min(nearby) >= one(boundary, 90) - 2e-3


@pytest.mark.parametrize("looks", [34, 350])
def test_the_open_one_stays_below_1_6_far_from_the_expected_look(looks: int) -> None:
    assert one(Boundary(0.05, 90), looks) < 1.6 * stats.norm.ppf(0.975)


@pytest.mark.parametrize("is_last", [False, True])
def test_only_the_scale_of_the_first_period_matters(*, is_last: bool) -> None:
    boundary = Boundary(0.05, 40, is_last=is_last)
    assert one(boundary, 7e6, 2e5) == pytest.approx(one(boundary, 35.0), rel=1e-12)
    slopes = [
        float(boundary.slope(np.array([time]), np.array([first]))[0])
        for time, first in ((7e6, 2e5), (35.0, 1.0))
    ]
    assert slopes[0] * math.sqrt(2e5) == pytest.approx(slopes[1])


@pytest.mark.parametrize(
    ("is_last", "low", "high"), [(False, 0.011, 0.019), (True, 0.022, 0.035)]
)
def test_random_walks_cross_it_as_often_as_promised_and_not_much_more_seldom(
    *, is_last: bool, low: float, high: float
) -> None:
    """20,000 walks over 90 looks; standard error 0.0011.

    A boundary with α twice or half as large would fail: rates move by half or more.
    """
    rng = np.random.default_rng(29)
    walk = rng.standard_normal((20_000, 90)).cumsum(axis=1)
    time = np.arange(1.0, 91.0)
    ends = Boundary(0.05, 90, is_last=is_last).quantile(time, np.ones(90))
    rate = float((np.abs(walk) > ends * np.sqrt(time)).any(axis=1).mean())
    assert low < rate < high


def test_the_line_keeps_its_error_where_periods_grow() -> None:
    """Later periods have twice the variance of the first: looks are worth more."""
    rng = np.random.default_rng(30)
    scale = np.r_[1.0, np.full(89, math.sqrt(2.0))]
    walk = (scale * rng.standard_normal((20_000, 90))).cumsum(axis=1)
    time = (scale**2).cumsum()
    ends = Boundary(0.05, 90, is_last=True).quantile(time, np.ones(90))
    assert (np.abs(walk) > ends * np.sqrt(time)).any(axis=1).mean() < 0.05
