"""Intervals stretched until they cover alike, by hand."""

import numpy as np
import pytest

from dpratio.simulation.literature.interval import (
    Interval,
    at_equal_coverage,
    needed_factors,
)

# Around 0, one after another: twice too short above, half as long would do below,
# without an upper end, undefined, its estimate outside (taken as its middle, 3).
GIVEN = Interval(
    np.array([0.0, 2.0, 0.0, np.nan, 9.0]),
    np.array([-1.0, 0.0, -1.0, np.nan, 2.0]),
    np.array([0.5, 3.0, np.inf, np.nan, 4.0]),
)


def test_the_factor_is_the_distance_of_the_truth_in_lengths_of_that_side() -> None:
    assert needed_factors(GIVEN, 1.0).tolist() == [2.0, 0.5, 0.0, np.inf, 2.0]


def test_a_truth_that_is_the_estimate_needs_nothing() -> None:
    point = Interval(np.array([1.0]), np.array([1.0]), np.array([1.0]))
    assert needed_factors(point, 1.0).tolist() == [0.0]
    assert needed_factors(point, 2.0).tolist() == [np.inf]


def test_the_factor_that_covers_at_the_level_is_an_order_statistic() -> None:
    centre = np.zeros(100)
    given = Interval(centre, centre - 1, centre + np.arange(1, 101) / 100)
    equal = at_equal_coverage(given, 1.0, level=0.95, lowest=-np.inf)
    # 95 of 100 have an upper side of at least 0.06.
    assert equal.factor == pytest.approx(1 / 0.06)
    assert equal.width == pytest.approx((1 + 0.505) / 0.06)
    low, high = 1 / 0.08, 1 / 0.03  # The 93rd and the 98th: 95 ∓ 2.18, rounded up.
    assert equal.error == pytest.approx((high - low) / 2 * 0.06)


def test_what_is_undefined_too_often_never_covers() -> None:
    equal = at_equal_coverage(GIVEN, 1.0, level=0.95, lowest=-np.inf)
    assert equal.factor == equal.width == np.inf


def test_stretched_intervals_stop_where_ratios_do() -> None:
    given = Interval(np.array([1.0]), np.array([0.5]), np.array([2.0]))
    stretched = given.stretched(4, 0.0)
    assert (stretched.lower.item(), stretched.upper.item()) == (0.0, 5.0)


def test_most_intervals_without_an_end_have_no_median_width() -> None:
    ends = np.array([1.0, np.inf, np.inf])
    given = Interval(np.zeros(3), -np.ones(3), ends)
    equal = at_equal_coverage(given, 0.5, level=0.95, lowest=-np.inf)
    assert equal.width == np.inf
