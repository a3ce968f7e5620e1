"""Parametric bootstraps beside slow ones that draw every person."""

import numpy as np
import pytest

from dpratio.analyst.ratio.delta import Spread
from dpratio.arrays import Floats
from dpratio.simulation.literature.bootstrap import (
    debiased,
    ends_of,
    percentile,
    pivotal,
)
from dpratio.simulation.literature.model import possible, redraw, root_of
from simulation.literature.sums_for_tests import KISH, LINEARISED, moments

N, MEAN, COVARIANCE = 40, np.array([1.0, 2.0]), np.array([[1.0, 1.0], [1.0, 4.0]])
SCALE = 5.0
SUMS = [40.0, 40, 40, 80, 80, 120, 320]
DRAWS = 4_000


def drawn_slowly(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw people one data set at a time; give ratios and their standard errors."""
    ratios, errors = [], []
    for _ in range(DRAWS):
        s, y = rng.multivariate_normal(MEAN, COVARIANCE, N).T
        exact = [N, N, s.sum(), y.sum(), (s * s).sum(), (s * y).sum(), (y * y).sum()]
        w, ww, ws, wy, wss, wys, wyy = exact + rng.laplace(scale=SCALE, size=7)
        r = ws / wy
        square = (wss - 2 * r * wys + r * r * wyy) / w - ((ws - r * wy) / w) ** 2
        spread = max(ww * square, 0) + 2 * SCALE**2 * (1 + r * r)
        ratios.append(r)
        errors.append(np.sqrt(spread) / abs(wy))
    return np.array(ratios), np.array(errors)


@pytest.fixture(scope="module")
def slow() -> tuple[Floats, Floats]:
    return drawn_slowly(np.random.default_rng(1))


def test_drawn_ratios_are_those_of_people_drawn_one_by_one(
    slow: tuple[Floats, Floats],
) -> None:
    given = moments(KISH, SUMS, SCALE)
    found = percentile(given, 0.95, DRAWS, np.random.default_rng(2))
    low, high = np.quantile(slow[0], [0.025, 0.975])
    # A quantile of 4,000 draws is known to some 1.5 % of the width here.
    error = 0.07 * (high - low)
    assert found.lower.item() == pytest.approx(low, abs=error)
    assert found.upper.item() == pytest.approx(high, abs=error)


def test_the_pivotal_interval_is_the_percentile_one_turned_around() -> None:
    given = moments(KISH, SUMS, SCALE, rows=3)
    one = percentile(given, 0.9, 99, np.random.default_rng(3))
    other = pivotal(given, 0.9, 99, np.random.default_rng(3))
    assert other.lower.tolist() == (2 * 0.5 - one.upper).tolist()
    assert other.upper.tolist() == (2 * 0.5 - one.lower).tolist()


def test_drawn_errors_in_standard_errors_are_those_of_people_drawn_one_by_one(
    slow: tuple[Floats, Floats],
) -> None:
    given = moments(KISH, SUMS, SCALE)
    found = debiased(given, 0.95, DRAWS, np.random.default_rng(4))
    low, high = np.quantile((slow[0] - 0.5) / slow[1], [0.025, 0.975])
    se = np.sqrt(N * 1 + 2 * SCALE**2 * 1.25) / 80
    error = 0.07 * (high - low) * se
    assert found.lower.item() == pytest.approx(0.5 - high * se, abs=error)
    assert found.upper.item() == pytest.approx(0.5 - low * se, abs=error)


def test_labels_of_zero_and_one_are_their_own_squares() -> None:
    given = moments(KISH, [40.0, 40, 20, 20, 12, 12, 20])
    matrix = np.eye(len(KISH))
    matrix[KISH.index("wyy")] = matrix[KISH.index("wy")]
    known = type(given)(KISH, given.values, matrix, given.noise)
    again = redraw(known, 5, np.random.default_rng(5))
    assert again["wyy"].tolist() == again["wy"].tolist()


def test_sums_of_units_are_drawn_with_their_squares_as_they_are() -> None:
    given = moments(LINEARISED, [40.0, 80, 80, 120, 320])
    again = redraw(given, DRAWS, np.random.default_rng(6))
    drawn = np.cov(again["ws"], again["wy"])
    assert drawn == pytest.approx(np.array([[80, 120], [120, 320]]), rel=0.1)
    assert set(again["aa"]) == {80.0}


def test_without_people_there_is_no_interval() -> None:
    given = moments(KISH, [-1.0, 40, 40, 80, 80, 120, 320], SCALE)
    found = debiased(given, 0.95, 39, np.random.default_rng(7))
    assert np.isnan(found.lower).all()


def test_impossible_moments_become_possible_ones() -> None:
    given = Spread(*(np.array(each) for each in ([4.0, -1], [9.0, 9], [7.0, 2])))
    found = possible(given)
    assert found.numerator.tolist() == [4, 0]
    assert found.covariance.tolist() == [6, 0]
    root = root_of(found)
    assert (root.top.tolist(), root.mixed.tolist()) == ([2, 0], [3, 0])
    assert root.last.tolist() == [0, 3]


def test_quantiles_of_39_draws_are_the_smallest_and_the_largest() -> None:
    drawn = np.arange(39.0)[::-1, None]
    assert ends_of(drawn, 0.95).ravel() == pytest.approx([0, 38], abs=1e-9)
