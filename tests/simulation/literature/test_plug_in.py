"""The delta method on noisy sums, by hand."""

import math

import numpy as np
import pytest

from dpratio.simulation.literature.plug_in import estimate, plug_in
from simulation.literature.sums_for_tests import KISH, LINEARISED, moments

# 100 people, means 1 and 2, variances 1 and 4, covariance 1: the residual s − y/2 has
# variance 1 + 4/4 − 1 = 1, so the ratio 1/2 has the variance 100·1/200².
PEOPLE = [100.0, 100, 100, 200, 200, 300, 800]


def test_without_correction_noise_is_forgotten() -> None:
    centre, se = estimate(moments(KISH, PEOPLE, 10), corrected=False)
    assert centre.item() == 0.5
    assert se.item() == pytest.approx(10 / 200)


def test_with_correction_the_noise_of_both_sums_is_added() -> None:
    # Noise of variance 200 on each of the two sums: 200 + 200/4 more.
    _, se = estimate(moments(KISH, PEOPLE, 10), corrected=True)
    assert se.item() == pytest.approx(math.sqrt(100 + 250) / 200)


def test_squares_of_units_serve_as_well() -> None:
    # Σ(a − b/2)² = 200 − 300 + 200.
    given = moments(LINEARISED, [100.0, 200, 200, 300, 800], 10)
    assert estimate(given, corrected=False)[1].item() == pytest.approx(10 / 200)


def test_a_negative_variance_leaves_no_interval_or_the_noise() -> None:
    lost = moments(LINEARISED, [100.0, 200, 200, 500, 800], 10)
    assert np.isnan(plug_in(lost, 2.0, corrected=False).lower).all()
    found = plug_in(lost, 2.0, corrected=True)
    assert found.upper.item() == pytest.approx(0.5 + 2 * math.sqrt(250) / 200)
    assert found.centre - found.lower == pytest.approx(found.upper - found.centre)
