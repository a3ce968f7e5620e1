"""How far out a statistic is, as the normal deviate of the same p-value.

A statistic is a normal variable plus Laplace noise, and its variance was estimated from
noisy sums. The deviate allows for both. The allowance grows with the quantile that the
deviate is compared with (docs/methods/pivot.md), so a deviate is asked for at a fixed
quantile, or where quantile and deviate agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.noisy_reach import noisy_reach, reach_between
from dpratio.analyst.ratio.noisy_tail import as_one, noisy_deviate
from dpratio.arrays import Flags, Floats, Integers
from dpratio.plan.strategy.allowance import QUANTILE, allowance, wobble

_STEPS = 12
_PRECISION = 1e-10
_TINY = np.finfo(np.float64).tiny
# Of level 0.04, or 0.52 on one side: for less a set would have no width to look for.
_LEAST_QUANTILE = 0.05
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
        heavy: Variances of the independent Laplace noises in it, part of the noise.
    """

    size: Floats
    sampling: Floats
    noise: Floats
    doubt: Floats
    heavy: Sequence[Floats]

    @property
    def variance(self) -> Floats:
        """The whole variance, before any allowance."""
        whole: Floats = np.maximum(self.sampling, 0.0) + self.noise
        return whole

    def widened(self, quantile: float | Floats) -> Floats:
        """The whole variance with the allowance for one quantile."""
        allowed = allowance(self.sampling, self.noise, self.doubt, quantile)
        widened: Floats = self.variance + allowed
        return widened

    def at(self, quantile: float | Floats) -> Floats:
        """Give the deviate under the allowance for one quantile.

        It exceeds the quantile just where `deviate` does.
        """
        variance = self.widened(quantile)
        if not self.heavy:
            plain: Floats = self.size / np.sqrt(variance)
            return plain
        scales = (np.sqrt(each / 2) for each in self._two())
        return noisy_deviate(self.size, variance, *scales)

    def reach(self, quantile: float) -> Floats:
        """Give the size at which the deviate is a quantile."""
        variance = self.widened(quantile)
        if self.heavy:
            return noisy_reach(quantile, variance, *self._two())
        plain: Floats = quantile * np.sqrt(variance)
        return plain

    def against(self, quantile: float) -> Floats:
        """Give what exceeds a quantile just where `at` does, for less work."""
        scaled: Floats = quantile * self.size / self.reach(quantile)
        return scaled

    def exceeds(self, quantile: float) -> Flags:
        """Tell where `at` exceeds a quantile, by its tail only where that matters."""
        if not self.heavy:
            return self.at(quantile) > quantile
        far = self.size / np.sqrt(self.widened(quantile))
        least, most = reach_between(quantile)
        beyond: Flags = far > most
        rest = np.flatnonzero((far >= least) & ~beyond)
        if rest.size:
            beyond[rest] = self.only(rest).against(quantile) > quantile
        return beyond

    def is_surely_beyond(self, least: Floats, quantile: float) -> Flags:
        """Tell rows where `at` of a quantile exceeds deviates of 3 or more; not all.

        By Chernoff's bound. With s²h ≤ 1, h the share of Laplace noise, the tail beyond
        t deviations is at most exp(s²/2 − st + 0.2); the normal tail beyond k ≥ 3 is at
        least exp(−k²/2 − k/2 − 0.7).
        """
        variance = self.widened(quantile)
        square = least * least
        share = sum(self.heavy, np.zeros(1)) / np.maximum(variance, _TINY)
        slope = least / np.sqrt(np.maximum(square * share, 1.0))
        enough = slope / 2 + ((square + least) / 2 + 0.9) / slope
        sure: Flags = self.size > enough * np.sqrt(variance)
        return sure

    def only(self, chosen: Flags | Integers) -> "Distance":
        """Keep some rows."""

        def kept(column: Floats) -> Floats:
            if column.shape != self.size.shape:
                column = np.broadcast_to(column, self.size.shape)
            return column[chosen]

        return Distance(
            size=kept(self.size),
            sampling=kept(self.sampling),
            noise=kept(self.noise),
            doubt=kept(self.doubt),
            heavy=[kept(each) for each in self.heavy],
        )

    def _two(self) -> Sequence[Floats]:
        """Give the variances of two Laplace noises that stand for all of them."""
        if len(self.heavy) > 2:  # noqa: PLR2004
            return (as_one(self.heavy), np.zeros(1))
        return (*self.heavy, np.zeros(1), np.zeros(1))[:2]

    def deviate(self) -> Floats:
        """Give the deviate that agrees with its own quantile: a p-value in disguise."""
        behind = self._normal()
        # The deviate falls slowly as the quantile grows, so it is a better guess.
        guess = self.at(behind)
        behind_value, value = guess - behind, self.at(guess) - guess
        for _ in range(_STEPS):
            settled = np.abs(value) <= _PRECISION * (1 + guess)
            if settled.all():
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                step = value * (guess - behind) / (value - behind_value)
            step = np.where(np.isfinite(step) & ~settled, step, 0.0)
            behind, behind_value = guess, value
            guess = np.maximum(guess - step, 0.0)
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
    below: Flags = ~(sampling > -_UNCOMMON * np.sqrt(doubt))
    rows = np.flatnonzero(below)
    known, unsure = (
        np.broadcast_to(each, below.shape)[rows] for each in (noise, doubt)
    )
    below[rows] = ~(stand_in(known, unsure) < known)
    return below


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
    return max(float(-ndtri(tail)), _LEAST_QUANTILE)


def normal_quantile(level: float) -> float:
    """Give the two-sided normal quantile of a confidence level."""
    return quantile_of(level, "two-sided")
