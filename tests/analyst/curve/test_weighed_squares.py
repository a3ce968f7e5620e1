"""The law of weighted squares: its moments, and its size if variances are off."""

from typing import Any

import numpy as np
import pytest

from dpratio.analyst.curve.cells import Cells
from dpratio.analyst.curve.weighed_squares import WeighedSquares

DRAWS, BINS = 200_000, 8
HEARD = np.linspace(0.3, 1.0, BINS)
ALONG = np.linspace(-1.0, 1.0, BINS)


def one_curve() -> Cells:
    edges: Any = (np.zeros(BINS), np.ones(BINS))
    nothing: Any = None
    return Cells(nothing, np.zeros(BINS, dtype=np.int64), 1, edges, None, False)  # noqa: FBT003


def law(level: float, slope: float, own: float) -> WeighedSquares:
    errors = (np.full(BINS, level), slope * ALONG)
    one = np.ones(BINS)
    return WeighedSquares(one_curve(), HEARD, one, errors, own**2 * one)


def drawn(level: float, slope: float, own: float) -> np.ndarray[Any, Any]:
    """Σ c·d², with each square divided by a variance that is off by x: 1 − x + x²."""
    rng = np.random.default_rng(8)
    off = level * rng.standard_normal((DRAWS, 1))
    off = off + slope * ALONG * rng.standard_normal((DRAWS, 1))
    off = off + own * rng.standard_normal((DRAWS, BINS))
    squares = rng.standard_normal((DRAWS, BINS)) ** 2
    total: np.ndarray[Any, Any] = (HEARD * squares * (1 - off + off**2)).sum(axis=1)
    return total


@pytest.mark.parametrize(
    "errors", [(0.15, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.2), (0.1, 0.1, 0.1)]
)
def test_its_moments_are_those_of_squares_whose_variance_is_off(
    errors: tuple[float, float, float],
) -> None:
    """To second order in the errors; without any the moments differ by 4 to 30 %."""
    given, sample = law(*errors), drawn(*errors)
    assert given.mean[0] == pytest.approx(sample.mean(), rel=0.006)
    assert 2 * given.spread[0] == pytest.approx(sample.var(), rel=0.05)
    third = 8 * np.sqrt(given.spread[0] ** 3 / given.degrees[0])
    centred = sample - sample.mean()
    assert third == pytest.approx((centred**3).mean(), rel=0.15)


@pytest.mark.parametrize("errors", [(0.0, 0.0, 0.0), (0.15, 0.0, 0.0), (0.1, 0.2, 0.1)])
def test_it_keeps_its_size_if_variances_are_off(
    errors: tuple[float, float, float],
) -> None:
    """Without the errors the second and third sizes would be 0.060 and 0.062."""
    given, square = law(*errors), drawn(*errors)
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        far = given.pvalue(np.full(BINS, middle))[0] < 0.05
        low, high = (low, middle) if far else (middle, high)
    assert (square > high).mean() == pytest.approx(0.05, abs=0.002)
