"""How far out a statistic is, as the normal deviate of the same p-value.

A statistic is a normal variable plus Laplace noise, and its variance was estimated from
noisy sums. The deviate allows for both. The allowance grows with the quantile that the
deviate is compared with (docs/methods/pivot.md), so a deviate is asked for at a fixed
quantile, or where quantile and deviate agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.noisy_tail import noisy_deviate, two_scales
from dpratio.arrays import Flags, Floats
from dpratio.plan.strategy.allowance import QUANTILE, allowance, wobble

__all__ = [
    "Distance",
    "is_drowned",
    "normal_quantile",
    "pvalues_of",
    "quantile_of",
    "stand_in",
    "upper_tail",
]

_STEPS = 12
_PRECISION = 1e-10
_TINY = np.finfo(np.float64).tiny
_UNCOMMON = 1.5  # Standard deviations; noise goes further in 6 or 7 of 100 draws.


@dataclass(frozen=True, slots=True)
class Distance:
    """The size of a statistic in every row, and what it is held against.

    Args:
        size: Its absolute value.
        sampling: The variance of its normal part, estimated; noise may have taken it
            below 0.
        noise: The variance of its noise, known.
        doubt: The variance of the noise in that estimate.
        laplace: Scales of the independent Laplace noises in it.
    """

    size: Floats
    sampling: Floats
    noise: Floats
    doubt: Floats
    laplace: Sequence[Floats]

    @property
    def variance(self) -> Floats:
        """The whole variance, before any allowance."""
        whole: Floats = np.maximum(self.sampling, 0.0) + self.noise
        return whole

    def widened(self, quantile: float | Floats) -> Floats:
        """The whole variance with the allowance for one quantile."""
        squares = sum(scale * scale for scale in self._scales())
        heavy = 2 * squares / np.maximum(self.noise, _TINY)
        allowed = allowance(self.sampling, self.noise, self.doubt, quantile, heavy)
        widened: Floats = self.variance + allowed
        return widened

    def at(self, quantile: float | Floats) -> Floats:
        """Give the deviate under the allowance for one quantile.

        It exceeds the quantile just where `deviate` does.
        """
        variance = self.widened(quantile)
        if scales := self._scales():
            return noisy_deviate(self.size, variance, *scales)
        plain: Floats = self.size / np.sqrt(variance)
        return plain

    def _scales(self) -> Sequence[Floats]:
        """Give two scales for the Laplace noises; none without such noise."""
        if not any(scale.any() for scale in self.laplace):
            return ()
        return two_scales(self.laplace)

    def deviate(self) -> Floats:
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
        """Solve size² = A k² (1 + c (k² + 1)/4) for k: exact without Laplace noise."""
        share = wobble(self.sampling, self.noise, self.doubt) / 4
        half = (1 + share) / 2
        squared = self.size * self.size / self.variance
        # Written so that nothing cancels where the share is small.
        root = np.sqrt(half * half + share * squared)
        solved: Floats = np.sqrt(squared / (half + root))
        return solved


def stand_in(noise: Floats, doubt: Floats) -> Floats:
    """Give what stands for V where noise hides it: the allowance at level 0.95."""
    return allowance(np.zeros_like(doubt), noise, doubt, QUANTILE)


def is_drowned(sampling: Floats, noise: Floats, doubt: Floats) -> Flags:
    """Tell where an answer depends on the substitute for V.

    Noise took the estimate of V below 0 by more than is common, and known noise is the
    smaller part of the variance. Just below 0 is common where V is small, and the
    allowance is made for it: there is nothing to warn of.
    """
    below = ~(sampling > -_UNCOMMON * np.sqrt(doubt))
    drowned: Flags = below & ~(stand_in(noise, doubt) < noise)
    return drowned


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


def normal_quantile(level: float) -> float:
    """Give the two-sided normal quantile of a confidence level."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))
