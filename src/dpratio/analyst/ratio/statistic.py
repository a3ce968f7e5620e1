"""The one statistic: T = αS − βY, whose mean is zero if β/α is the ratio.

It varies from sample to sample by V, a quadratic form in (α, β) that is estimated from
noisy sums, and by the known noise of S and Y: A = max(V, 0) + N. Every answer about
ratios comes from it.

Ratios are points β/α of the projective line: infinity is the point (0, 1).
docs/methods/pivot.md derives all of it.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.ratio.tail import Distance, is_drowned, stand_in
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import take
from dpratio.analyst.sums.variance import SamplingVariance, sampling_variance
from dpratio.arrays import Flags, Floats, Integers

__all__ = ["NoiseTerm", "Point", "Scored", "Statistic", "statistic_of"]

Point = tuple[Floats, Floats]

_TINY = np.finfo(np.float64).tiny
# In standard deviations: of both sums together, and of the denominator alone; and the
# quantile for which these deviations have their allowance.
_FAR, _APART, _QUANTILE = 4.5, 3.0, 5.0


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """One independent noise that enters S and Y with these weights.

    Its variance and the scale of its Laplace part are by row, or one for all.
    """

    variance: Floats
    laplace: Floats
    in_numerator: float
    in_denominator: float

    def only(self, chosen: object) -> "NoiseTerm":
        """Keep some rows."""
        return replace(
            self,
            variance=take(self.variance, chosen),
            laplace=take(self.laplace, chosen),
        )

    def at(self, point: Point) -> Floats:
        """Give its weight in αS − βY."""
        alpha, beta = point
        weight: Floats = alpha * self.in_numerator - beta * self.in_denominator
        return weight


@dataclass(frozen=True, slots=True)
class Scored:
    """T, its variance A and A's parts V and N at a ratio, and how sharply T falls.

    ``slope`` is −√A times the derivative of T/√A along a path of ratios.
    """

    value: Floats
    variance: Floats
    sampling: Floats
    noise: Floats
    slope: Floats

    @property
    def squared(self) -> Floats:
        """T²/A."""
        ratio: Floats = self.value * self.value / self.variance
        return ratio

    @property
    def information(self) -> Floats:
        """How sharply the ratio is determined here."""
        told: Floats = self.slope * self.slope / self.variance
        return told


@dataclass(frozen=True, slots=True)
class Statistic:
    """What the test of a ratio needs, for every row of a table.

    ``lowest`` is the smallest ratio there can be: 0 or −∞.
    """

    numerator: Floats
    denominator: Floats
    sampling: SamplingVariance
    noise: tuple[NoiseTerm, ...]
    lowest: float

    def only(self, chosen: Flags | Integers | slice) -> "Statistic":
        """Keep some rows, perhaps repeatedly."""
        return replace(
            self,
            numerator=self.numerator[chosen],
            denominator=self.denominator[chosen],
            sampling=self.sampling.only(chosen),
            noise=tuple(term.only(chosen) for term in self.noise),
        )

    def silenced(self, lost: Flags) -> "Statistic":
        """Take the sums of some rows as 0, so that they say nothing."""
        if not lost.any():
            return self
        return replace(
            self,
            numerator=np.where(lost, 0.0, self.numerator),
            denominator=np.where(lost, 0.0, self.denominator),
            sampling=SamplingVariance(
                np.where(lost, 0.0, self.sampling.values),
                np.where(lost[:, None, None], 0.0, self.sampling.noise),
            ),
        )

    def value(self, at: Point) -> Floats:
        """Give T."""
        alpha, beta = at
        value: Floats = alpha * self.numerator - beta * self.denominator
        return value

    def noise_variance(self, at: Point) -> Floats:
        """Give N, what noise adds to the variance."""
        total = np.zeros_like(at[0])
        for term in self.noise:
            total += term.at(at) ** 2 * term.variance
        return total

    def variance(self, at: Point) -> Floats:
        """Give A = max(V, 0) + N."""
        total: Floats = np.maximum(self.sampling.at(at), 0.0) + self.noise_variance(at)
        return total

    def laplace(self, at: Point) -> list[Floats]:
        """Give the scales of the Laplace noises in T."""
        return [np.abs(term.at(at)) * term.laplace for term in self.noise]

    def distance(self, at: Point) -> Distance:
        """Say how far out T is."""
        return Distance(
            size=np.abs(self.value(at)),
            sampling=self.sampling.at(at),
            noise=self.noise_variance(at),
            doubt=self.sampling.doubt_at(at),
            laplace=self.laplace(at),
        )

    def is_drowned(self, ratio: Floats) -> Flags:
        """Tell where noise hides V at a ratio and an answer depends on it."""
        at = (np.ones_like(ratio), ratio)
        return is_drowned(
            self.sampling.at(at), self.noise_variance(at), self.sampling.doubt_at(at)
        )

    def is_weak(self) -> Flags:
        """Tell where the sums lie so near zero that a set may be bounded by luck.

        A set is bounded where the denominator came out large enough. Luck that moves
        both sums along the ratio leaves T where it was; luck across it does not. So
        what must be far from zero is the pair (S, Y), in its own standard deviations:
        the denominator's distance over √(1 − ρ²), ρ the correlation of Y with T at the
        estimate. Noise that makes the variance small makes sums seem far, and a set
        narrow; so deviations are taken larger by half of s/A, the noise in the
        estimated variance of T over all of it (docs/methods/intervals.md).
        """
        one = np.ones_like(self.numerator)
        bottom, at = (0 * one, one), (one, self.numerator / self.denominator)
        alone, across = self.distance(bottom), self.distance(at)
        shared = (self._slope(at, bottom, across.sampling) / 2) ** 2
        whole = alone.widened(_QUANTILE) * across.widened(_QUANTILE)
        apart = 1 - np.divide(shared, whole, out=0 * one, where=whole > 0)
        unsure = np.sqrt(across.doubt) / np.maximum(across.variance, _TINY)
        enough = (_FAR * (1 + unsure / 2)) ** 2 * apart
        away = alone.at(_QUANTILE)
        far: Flags = (away > _APART) & (away**2 > enough)
        return ~far

    def deviates(self, ratio: float) -> Floats:
        """Test one ratio in every row: positive deviates speak for more."""
        one = np.ones_like(self.numerator)
        at = (one, ratio * one)
        # Where nothing varies at all, any deviation is beyond doubt.
        held = self.distance(at)
        held = replace(held, noise=np.maximum(held.noise, _TINY))
        signed: Floats = np.sign(self.value(at)) * held.deviate()
        return signed

    def score(self, at: Point, along: Point) -> Scored:
        """Score a ratio; ``along`` is the derivative of the path through it."""
        sampled, noise = self.sampling.at(at), self.noise_variance(at)
        moved = self._slope(at, along, sampled)
        variance = np.maximum(np.maximum(sampled, 0.0) + noise, _TINY)
        value = self.value(at)
        # Kleibergen (2002): the slope without what it shares with the value itself.
        slope = 0.5 * value * moved / variance - self.value(along)
        return Scored(value, variance, sampled, noise, slope)

    def _slope(self, at: Point, along: Point, sampled: Floats) -> Floats:
        """Give the derivative of A along a path of ratios, where V is this."""
        moved = np.where(sampled > 0, self.sampling.slope(at, along), 0.0)
        for term in self.noise:
            moved = moved + 2 * term.at(at) * term.at(along) * term.variance
        return moved

    def ratio_variances(self, ratio: Floats) -> tuple[Floats, Floats]:
        """Give sampling and noise variance of a ratio, by the delta method."""
        at = (np.ones_like(ratio), ratio)
        squared, noise = self.denominator**2, self.noise_variance(at)
        least = stand_in(noise, self.sampling.doubt_at(at))
        return np.maximum(self.sampling.at(at), least) / squared, noise / squared

    def public_widths(self, ratio: Floats, quantile: float) -> tuple[Floats, Floats]:
        """Estimate the squared width of each interval without noise, and its doubt.

        Fieller (1954), with what noise may have done to the estimate as a standard
        deviation; NaN where there would be no bounded interval without noise either.
        """
        at = (np.ones_like(ratio), ratio)
        above, both, below = self.sampling.values
        share = quantile**2 * np.maximum(below, 0.0) / self.denominator**2
        apart = np.where(below > 0, above - both * both / below, 0.0)
        sampling = self.sampling.at(at)
        apart = np.clip(apart, 0.0, np.maximum(sampling, 0.0))
        unit = (2 * quantile / (self.denominator * (1 - share))) ** 2
        unit = np.where(share < 1, unit, np.nan)
        doubt = np.sqrt(self.sampling.doubt_at(at))
        return (sampling - share * apart) * unit, doubt * unit


def statistic_of(moments: Moments, variance: str, *, lowest: float) -> Statistic:
    """Give the statistic of every row of some moments.

    Under the ratio r the mean of s − r y is zero, so squares around zero estimate the
    variance of Σw(s − r y).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sampling = sampling_variance(moments, variance)
    pairs = zip(moments.loading("ws"), moments.loading("wy"), strict=True)
    noise = tuple(
        NoiseTerm(moments.noise.variance[:, at], moments.noise.laplace[:, at], *loading)
        for at, loading in enumerate(pairs)
        if any(loading)
    )
    return Statistic(moments["ws"], moments["wy"], sampling, noise, lowest)
