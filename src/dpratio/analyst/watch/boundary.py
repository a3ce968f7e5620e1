"""How far T may go by chance, at all looks at once.

Two boundaries for a sum of independent terms with variance A so far, in units of √A.
Both hold at every look, whatever the sizes of the periods are; they differ in where
they are narrow. docs/methods/watching.md derives them and compares them with others.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpratio.arrays import Floats

_STEPS = 60
_ROOT = math.sqrt(2.0)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundary of a confidence sequence.

    Args:
        alpha: The chance that it is ever crossed, on either side.
        looks: The number of looks at which it is narrowest, in periods like the first.
        is_last: Whether that number was declared. Then the boundary is a straight
            line, narrower there and wider elsewhere; otherwise it is a normal mixture.

    Example:
        >>> import numpy as np
        >>> time, first = np.array([90.0]), np.array([1.0])
        >>> Boundary(0.05, 90).quantile(time, first).round(3)
        array([3.035])
        >>> Boundary(0.05, 90, is_last=True).quantile(time, first).round(3)
        array([2.681])
    """

    alpha: float
    looks: int
    is_last: bool = False

    def quantile(self, time: Floats, first: Floats) -> Floats:
        """Give the boundary over √A.

        Args:
            time: A, the variance so far.
            first: The variance of the first period, which gives A its scale.
        """
        if self.is_last:
            share = np.sqrt(time / (self.looks * first))
            straight: Floats = _steepness(self.alpha) * (share + 1 / share)
            return straight
        past = time / self._prior(first)
        # Robbins (1970): a normal mixture of likelihood ratios.
        squared = (1 + 1 / past) * (np.log1p(past) - 2 * math.log(self.alpha))
        return np.sqrt(squared)

    def slope(self, time: Floats, first: Floats) -> Floats:
        """Give λ, the drift that a path at the boundary speaks for: of exp(λT − λ²A/2).

        What the normal law leaves out, noise that is not normal and a variance that is
        not known, is counted at this λ.
        """
        if self.is_last:
            declared: Floats = 2 * _steepness(self.alpha) / np.sqrt(self.looks * first)
            return declared
        touched = self.quantile(time, first) * np.sqrt(time)
        drift: Floats = touched / (time + self._prior(first))
        return drift

    def _prior(self, first: Floats) -> Floats:
        """Give the variance that the mixture begins with, best for the looks."""
        prior: Floats = first * (self.looks / _sharpest(self.alpha))
        return prior


@cache
def _steepness(alpha: float) -> float:
    """Give s of the line s(√A* + A/√A*) that is crossed with chance α before 2A*.

    A* is the variance that so many periods like the first would have. Whatever the
    variance comes to, the chance is 2·exp(−2s²) at most: 1.1 α.
    """
    from scipy.special import ndtr

    low, high = 0.0, 40.0
    for _ in range(_STEPS):
        steep = (low + high) / 2
        # Doob (1949): the chance that a Brownian path crosses a line by some time.
        passed = ndtr(-3 * steep / _ROOT) + math.exp(-2 * steep**2) * ndtr(
            steep / _ROOT
        )
        low, high = (steep, high) if 2 * passed > alpha else (low, steep)
    return high


def _sharpest(alpha: float) -> float:
    """Give A over the prior where the mixture is narrowest: x = log((1 + x)/α²)."""
    best = 8.0
    for _ in range(_STEPS):
        best = math.log1p(best) - 2 * math.log(alpha)
    return best
