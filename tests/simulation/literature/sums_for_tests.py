"""Moments that tests make by hand."""

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import Noise

KISH = ("w", "ww", "ws", "wy", "wss", "wys", "wyy")
LINEARISED = ("ws", "wy", "aa", "ab", "bb")


def moments(
    names: tuple[str, ...], values: list[float], scale: float = 0.0, *, rows: int = 1
) -> Moments:
    """Give rows of the same moments, each released with Laplace noise of this scale."""
    noise = Noise(
        np.full((1, len(names)), 2 * scale**2), np.full((1, len(names)), scale)
    )
    return Moments(names, np.tile(values, (rows, 1)), np.eye(len(names)), noise)
