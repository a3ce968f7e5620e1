"""The tail of a normal plus up to two Laplace variables, exactly.

P(N + L > t) has a closed form through erfcx; with two Laplace variables the tail is a
weighted difference of two such tails, which cancels when the scales are close: there
its confluent limit is approached by spreading the scales a little.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce

import numpy as np

from dpratio.arrays import Floats

# Scales closer than this are spread to ±0.005 % around their root mean square. The
# error is of second order, below 1e-8 of the tail, and so is what cancels.
_CLOSE = 0.9999
_SPREAD = 0.00005
_NODES, _HALVINGS = 513, 60
_DEEP = 1e-250
_ROOT_TWO = np.sqrt(2.0)


def normal_laplace_tail(
    distance: Floats, deviation: Floats, first: Floats, second: Floats
) -> Floats:
    """Give P(N + L₁ + L₂ > distance) for distance ≥ 0.

    Args:
        distance: Where the tail starts.
        deviation: Standard deviation of N, positive.
        first: Scale of L₁; 0 leaves it out.
        second: Scale of L₂; 0 leaves it out.
    """
    large, small = np.maximum(first, second), np.minimum(first, second)
    close = small > _CLOSE * large
    middle = np.sqrt((large**2 + small**2) / 2)
    large = np.where(close, middle * (1 + _SPREAD), large)
    small = np.where(close, middle * (1 - _SPREAD), small)
    # A scale far below the deviation changes nothing that doubles can show.
    large = np.maximum(large, 1e-9 * deviation)
    small = np.maximum(small, 1e-10 * deviation)
    at = distance / deviation
    wide, narrow = _one(at, deviation / large), _one(at, deviation / small)
    squared = large**2 - small**2
    tail: Floats = (large**2 * wide - small**2 * narrow) / squared
    return np.minimum(np.maximum(tail, 0.0), 1.0)


def noisy_deviate(
    distance: Floats, variance: Floats, first: Floats, second: Floats
) -> Floats:
    """Give the normal deviate with the tail of N + L₁ + L₂ beyond a distance.

    Args:
        distance: Where the tail starts, at 0 or more.
        variance: Of N, L₁ and L₂ together, positive.
        first: Scale of L₁.
        second: Scale of L₂.
    """
    from scipy.special import ndtri

    heavy = 2 * (first**2 + second**2)
    deviation = np.sqrt(np.maximum(variance - heavy, 1e-12 * variance))
    tail = normal_laplace_tail(distance, deviation, first, second)
    # Deep in the tail a normal deviate says the same without underflow.
    deep = tail < _DEEP
    shown = -ndtri(np.where(deep, 0.5, tail))
    return np.where(deep, 33.0 + distance / np.sqrt(variance), shown)


def as_one(variances: Sequence[Floats]) -> Floats:
    """Give the variance of the one Laplace variable that stands for several.

    It is √Σv². With what is left of their variance as a normal part, the first four
    moments of the sum are kept. The square of a variance need not fit in a double.
    """
    large: Floats = reduce(np.maximum, variances, np.zeros(1))
    safe = np.where(large > 0, large, 1.0)
    one: Floats = large * np.sqrt(sum((each / safe) ** 2 for each in variances))
    return one


def fourth_moment_scale(scales: Sequence[Floats]) -> Floats:
    """Give (Σb⁴)^¼, the scale of the one Laplace variable that stands for several."""
    return np.sqrt(as_one([scale * scale for scale in scales]))


def noisy_quantile(level: float, variance: Floats, scale: Floats) -> Floats:
    """Give t with P(|N + L| > t) = 1 − level, for a Laplace L of a scale.

    Args:
        level: Between 0 and 1.
        variance: Of N and L together, positive.
        scale: Of L; the rest of the variance is that of the normal N.
    """
    from scipy.special import ndtri

    normal = float(ndtri(0.5 + level / 2))
    if not np.any(scale):
        return normal * np.sqrt(variance)
    # In units of the whole deviation the answer depends on one number alone.
    part = np.minimum(scale / np.sqrt(variance), np.sqrt(0.5))
    quantile: Floats = np.interp(part, *_quantiles(level)) * np.sqrt(variance)
    return quantile


@lru_cache(maxsize=16)
def _quantiles(level: float) -> tuple[Floats, Floats]:
    """Give quantiles of N + L with variance 1, by the scale of L."""
    nodes = np.sqrt(0.5) * np.sin(np.linspace(0, np.pi / 2, _NODES))
    rest = np.sqrt(np.maximum(1 - 2 * nodes**2, 1e-12))
    low, high = np.zeros(_NODES), np.full(_NODES, 50.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tail = normal_laplace_tail(middle, rest, nodes, np.zeros(_NODES))
        too_near = 2 * tail > 1 - level
        low, high = np.where(too_near, middle, low), np.where(too_near, high, middle)
    return nodes, low


def _one(at: Floats, rate: Floats) -> Floats:
    """Give P(N + L > at) for a standard normal N and L of scale 1/rate."""
    from scipy.special import erfcx, ndtr

    density = np.exp(-at * at / 2)
    with np.errstate(over="ignore", under="ignore"):
        inside = 0.5 * density * erfcx(np.maximum(rate - at, 0.0) / _ROOT_TWO)
        outside = np.exp(np.minimum(rate * (rate / 2 - at), 0.0)) * ndtr(at - rate)
        near = np.where(rate > at, inside, outside)
        far = 0.5 * density * erfcx((rate + at) / _ROOT_TWO)
    tail: Floats = ndtr(-at) + 0.5 * (near - far)
    return tail
