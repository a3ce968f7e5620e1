"""Shares of bins with few people: intervals that are not symmetric, and hold."""

import math

import numpy as np
import pytest

from analyst.samples import binned_sums, curves_release, plan_for
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.curve.curve_results import Curve
from tiers import quick_first

RUNS, BINS, PEOPLE = 3_000, 5, 100
NORMAL = 1.959963984540054


def curves(epsilon: float, *, weighted: bool = False, runs: int = RUNS) -> Curve:
    """A curve of a hundred people for each run, epsilon 0 for no noise."""
    plan = plan_for(
        "focused", "laplace", epsilon or 1, PEOPLE, weighted=weighted, bins=BINS
    )
    sums = binned_sums(plan, PEOPLE, runs, 4, lambda score: 0 * score)
    return calibration_curve(curves_release(plan, sums, noise=epsilon > 0))


def test_a_share_without_noise_has_the_interval_of_wilson() -> None:
    """Wilson (1927); ten people are few for a symmetric interval."""
    found = curves(0, runs=100).share
    share, squared = found.estimate, NORMAL**2 / PEOPLE
    middle = (share + squared / 2) / (1 + squared)
    reach = np.sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    assert found.ci_lower == pytest.approx(middle - reach, abs=1e-9)
    assert found.ci_upper == pytest.approx(middle + reach, abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "weighted"),
    quick_first([(16, False), (1, False), (1, True), (16, True)]),
)
def test_shares_of_bins_with_ten_people_cover(
    epsilon: float, *, weighted: bool
) -> None:
    """The outer bins, with a share of 0.104; by the delta method 0.90 to 0.94."""
    found = curves(epsilon, weighted=weighted).share
    covers = (found.ci_lower <= 0.104) & (found.ci_upper >= 0.104)
    outer = covers.reshape(RUNS, BINS)[:, [0, -1]]
    assert outer.mean() > 0.945 - 3 * math.sqrt(0.95 * 0.05 / RUNS / 2)


def test_nobody_has_any_share() -> None:
    """Where noise leaves no weight at all, nothing is known of a share."""
    plan = plan_for("focused", "laplace", 1, PEOPLE, weighted=False, bins=BINS)
    none = np.full((1, BINS, len(plan.measurements[0].sums)), -50.0)
    found = calibration_curve(curves_release(plan, none, noise=False)).share
    assert np.isnan(found.estimate).all()
    assert (found.ci_lower.tolist(), found.ci_upper.tolist()) == ([0] * 5, [1] * 5)
