import math

import numpy as np
import pytest

from dpratio.simulation.judge import judge


def test_four_intervals_are_judged_by_hand() -> None:
    lower = np.array([0.0, 2.0, math.nan, -math.inf])
    upper = np.array([2.0, 3.0, math.nan, 5.0])
    judged = judge(lower, upper, truth=1.0, level=0.9)
    assert judged.coverage == 0.5  # The first and the unbounded one.
    assert (judged.undefined, judged.unbounded) == (0.25, 0.25)
    assert judged.width.mean == pytest.approx(1.5)
    # Scores 2 and 1 + (2 / 0.1) · (2 − 1): Gneiting & Raftery (2007), eq. 43.
    assert judged.score.mean == pytest.approx((2 + 21) / 2)
    assert judged.score.largest == pytest.approx(21)
    assert judged.width.median == pytest.approx(1.5)


def test_missing_above_and_below_cost_the_same() -> None:
    ends = np.array([2.0]), np.array([3.0])
    below = judge(*ends, truth=1.0, level=0.95).score.mean
    above = judge(*ends, truth=4.0, level=0.95).score.mean
    assert below == pytest.approx(above) == pytest.approx(41)


def test_a_few_wide_intervals_are_seen_to_carry_the_mean() -> None:
    upper = np.ones(1000)
    even = judge(np.zeros(1000), upper, truth=0.5, level=0.95)
    upper[:5] = 1e6
    carried = judge(np.zeros(1000), upper, truth=0.5, level=0.95)
    assert even.width.carried_by_few == pytest.approx(0.01)
    assert carried.width.carried_by_few > 0.99
    assert carried.width.sd > 10 * carried.width.mean


def test_without_a_finite_interval_there_is_no_width() -> None:
    judged = judge(np.array([math.nan]), np.array([math.nan]), truth=1, level=0.95)
    assert math.isnan(judged.width.mean)
    assert judged.coverage == 0


def test_the_error_of_coverage_at_20000_repetitions_is_three_thousandths() -> None:
    lower = np.where(np.arange(20_000) < 1_000, 2.0, 0.0)
    judged = judge(lower, np.full(20_000, 3.0), truth=1.0, level=0.95)
    assert judged.coverage == 0.95
    assert judged.coverage_error == pytest.approx(0.003, abs=0.0001)
