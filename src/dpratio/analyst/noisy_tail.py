"""The tail of a normal plus up to two Laplace variables, exactly.

P(N + L > t) has a closed form through erfcx; with two Laplace variables the tail is a
weighted difference of two such tails, which cancels when the scales are close: there
its confluent limit is approached by spreading the scales a little.
Floor: analyst. Imports: nothing.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["normal_laplace_tail"]

Floats = NDArray[np.float64]

# Scales closer than this are spread to ±0.25 % around their root mean square: the
# variance stays the same, and the error is of second order, below 1e-5 of the tail.
_CLOSE = 0.995
_SPREAD = 0.0025
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
