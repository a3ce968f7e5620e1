"""How far out a standardised statistic is, as a normal deviate that says the same.

A statistic has variance 1: some of it normal, some of it Laplace noise, and it was
divided by a variance that is itself noisy. The deviate of the same p-value allows for
both. The allowance grows with the quantile it is compared with (docs/methods/pivot.md),
so a deviate is asked for at a fixed quantile, or where quantile and deviate agree.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.noisy_tail import noisy_deviate
from dpratio.analyst.ratio.pivot import TEMPER

__all__ = ["Standardised", "pvalues_of", "quantile_of", "upper_tail"]

Floats = NDArray[np.float64]

_STEPS = 12
_PRECISION = 1e-10


@dataclass(frozen=True, slots=True)
class Standardised:
    """Statistics of variance 1, for every row.

    Args:
        size: The absolute value.
        wobble: Standard deviation of the noise in the estimated variance, which is 1.
        first: Scale of one Laplace noise within the statistic; 0 for none.
        second: Scale of another.
    """

    size: Floats
    wobble: Floats
    first: Floats
    second: Floats

    def at(self, quantile: float | Floats) -> Floats:
        """Give the deviate under the allowance for one quantile.

        It exceeds the quantile just where `own` does.
        """
        squared = self.wobble * self.wobble
        wider = (quantile * quantile + 1) / 4 * squared / (1 + TEMPER * self.wobble)
        if not (self.first.any() or self.second.any()):
            plain: Floats = self.size / np.sqrt(1 + wider)
            return plain
        return noisy_deviate(self.size, 1 + wider, self.first, self.second)

    def own(self) -> Floats:
        """Give the deviate that agrees with its own quantile: a p-value in disguise."""
        below = np.zeros_like(self.size)
        above = self.at(below)  # The deviate falls as the quantile grows.
        guess = self._normal()
        value = self.at(guess) - guess
        behind, behind_value = below, above
        for _ in range(_STEPS):
            if np.all(np.abs(value) <= _PRECISION * (1 + guess)):
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                step = value * (guess - behind) / (value - behind_value)
            step = np.where(np.isfinite(step), step, 0.0)
            behind, behind_value = guess, value
            guess = np.clip(guess - step, below, above)
            value = self.at(guess) - guess
        return guess

    def _normal(self) -> Floats:
        """Solve size² = k² (1 + c (k² + 1)/4) for k: exact without Laplace noise."""
        share = self.wobble * self.wobble / (1 + TEMPER * self.wobble) / 4
        half = (1 + share) / 2
        squared = self.size * self.size
        # Written so that nothing cancels where the share is small.
        root = np.sqrt(half * half + share * squared)
        solved: Floats = np.sqrt(squared / (half + root))
        return solved


def upper_tail(deviate: Floats) -> Floats:
    """Give the normal probability above a deviate."""
    from scipy.special import ndtr

    tail: Floats = ndtr(-deviate)
    return tail


def pvalues_of(statistic: Floats, alternative: str) -> Floats:
    """Turn normal deviates into p-values."""
    if alternative == "two-sided":
        return 2 * upper_tail(np.abs(statistic))
    return upper_tail(statistic if alternative == "greater" else -statistic)


def quantile_of(level: float, alternative: str) -> float:
    """Give the normal quantile of a level, one- or two-sided."""
    from scipy.special import ndtri

    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    return float(-ndtri(tail))
