"""The allowance for a noisy variance, held against exact coverage by quadrature."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from dpratio.arrays import Floats
from dpratio.plan.strategy.allowance import (
    QUANTILE,
    allowance,
    allowance_slopes,
    wobble,
)

# In units of s: a true V, a known N, and the estimate of V.
TRUE = np.concatenate([np.arange(0, 4, 0.25), np.arange(4, 20.5, 1.0)])
KNOWN = [0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]
EDGES = np.linspace(-8, 40, 1201)
SEEN = np.concatenate([[-8.0], (EDGES[1:] + EDGES[:-1]) / 2])
LAWS = ["laplace", "normal"]


@cache
def chances(law: str) -> Floats:
    """Give the chance of every estimate, for every true V."""
    from scipy.stats import laplace, norm

    noise = norm() if law == "normal" else laplace(scale=math.sqrt(0.5))
    below = noise.cdf(EDGES[None, :] - TRUE[:, None])
    parts = np.diff(below, axis=1)
    chance: Floats = np.concatenate([below[:, :1], parts], axis=1)
    chance[:, -1] += 1 - below[:, -1]
    return chance


def mapped(law: str, known: float, quantile: float) -> tuple[Floats, Floats]:
    """Give the rate of rejection and the mean log width, for every true V."""
    from scipy.special import ndtr

    noise, doubt = np.full_like(SEEN, known), np.ones_like(SEEN)
    allowed = allowance(SEEN, noise, doubt, quantile)
    widened = np.maximum(SEEN, 0.0) + known + allowed
    spread = np.maximum(TRUE + known, 1e-9)
    rejected = 2 * ndtr(-quantile * np.sqrt(widened / spread[:, None]))
    chance = chances(law)
    width = chance @ np.log(widened) / 2 - np.log(spread) / 2
    return (chance * rejected).sum(axis=1), np.exp(width)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("known", KNOWN)
def test_the_level_holds_on_the_whole_map(law: str, known: float) -> None:
    rejected, _ = mapped(law, known, QUANTILE)
    assert rejected.max() < 0.056
    # The second order is exact: far from the cut the level is met from both sides.
    far = TRUE + known >= 8
    far &= TRUE >= 4
    assert rejected[far] == pytest.approx(0.05, abs=0.0006)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("true", "known", "width", "rejected"),
    [
        (0.5, 0.0, 1.46, 0.013),
        (1.0, 0.0, 1.19, 0.036),
        (1.5, 0.0, 1.11, 0.046),
        (0.5, 0.3, 1.26, 0.027),
        (0.0, 1.0, 1.25, 0.020),
        (0.5, 1.0, 1.12, 0.038),
        (0.0, 2.0, 1.13, 0.031),
    ],
)
def test_little_is_paid_where_noise_drowns_the_variance(
    law: str, true: float, known: float, width: float, rejected: float
) -> None:
    """A denominator A + 1.5 s in place of √(A² + B²) fails each of these.

    Where noise is known, so does an allowance that does not see how far an estimate is
    below 0.
    """
    rates, widths = mapped(law, known, QUANTILE)
    at = int(np.flatnonzero(true == TRUE)[0])
    assert widths[at] < width
    assert rates[at] > rejected


@pytest.mark.parametrize(
    ("quantile", "most"),
    [(0.67, 1.02), (1.0, 1.04), (1.645, 1.08), (2.576, 1.11), (3.3, 1.16), (4.0, 1.4)],
)
def test_every_level_holds(quantile: float, most: float) -> None:
    tail = math.erfc(quantile / math.sqrt(2))
    rates = [mapped(law, known, quantile)[0] for law in LAWS for known in KNOWN]
    assert np.max(rates) / tail < most


def test_a_larger_estimate_never_gives_a_smaller_variance() -> None:
    seen = np.linspace(-6, 30, 3601)
    noise, doubt = np.zeros_like(seen), np.ones_like(seen)
    for known, quantile in product(KNOWN, (0.67, QUANTILE, 4.0)):
        allowed = allowance(seen, noise + known, doubt, quantile)
        widened = np.maximum(seen, 0.0) + allowed
        assert np.all(np.diff(widened) >= 0)
        assert np.all(np.diff(widened)[seen[:-1] >= 0] > 0)


def test_no_more_is_taken_off_than_known_noise_stands_in_for() -> None:
    for known in KNOWN:
        at_zero = allowance(0.0, known, 1.0, QUANTILE)
        far_below = allowance(-5000.0, known, 1.0, QUANTILE)
        least = max(at_zero - known, 0.0)
        assert far_below == pytest.approx(least, abs=1e-4)
    assert allowance(-3.0, 0.0, 1.0, QUANTILE) == allowance(0.0, 0.0, 1.0, QUANTILE)
    assert np.isfinite(allowance(-1.0, 1.0, 0.0, QUANTILE))


def test_small_noise_is_allowed_for_to_second_order() -> None:
    for sampling, noise in ((1.0, 0.0), (0.5, 0.5), (0.05, 0.95)):
        allowed = allowance(sampling, noise, 1e-10, 2.0)
        assert allowed == pytest.approx(5 / 4 * 1e-10, rel=1e-3)
    assert allowance(0.0, 1.0, 0.0, 2.0) == 0


def test_the_wobble_is_what_the_allowance_answers_to() -> None:
    whole = 1.1 * (1 + (2.0**2 + 1) / 4 * wobble(0.7, 0.4, 0.3))
    assert whole == pytest.approx(1.1 + allowance(0.7, 0.4, 0.3, 2.0))
    whole = 0.4 * (1 + (1.5**2 + 1) / 4 * wobble(-0.7, 0.4, 0.3))
    assert whole == pytest.approx(0.4 + allowance(-0.7, 0.4, 0.3, 1.5))


@pytest.mark.parametrize("at", [(0.7, 0.4, 0.3), (0.0, 1.0, 4.0), (5.0, 0.2, 1.0)])
def test_the_slopes_are_those_of_the_allowance(at: tuple[float, float, float]) -> None:
    def moved(place: int, step: float) -> float:
        v, n, doubt = (each + step * (place == one) for one, each in enumerate(at))
        return allowance(v, n, doubt, QUANTILE)

    allowed, *slopes = allowance_slopes(*at, QUANTILE)
    assert allowed == allowance(*at, QUANTILE)
    for place, slope in enumerate(slopes, 1):
        found = (moved(place, 1e-6) - moved(place, -1e-6)) / 2e-6
        assert slope == pytest.approx(found, rel=1e-4)
