"""The one statistic: T = αS − βY, whose mean is zero if β/α is the ratio.

It varies from sample to sample by V, a quadratic form in (α, β) that is estimated from
noisy sums, and by the known noise of S and Y: A = max(V, 0) + N. Every answer about
ratios comes from it.

Ratios are points β/α of the projective line: infinity is the point (0, 1).
docs/methods/pivot.md derives all of it.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.ratio.tail import Distance
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import take
from dpratio.analyst.sums.variance import (
    SamplingVariance,
    sampling_variance,
    weights_are_lost,
)
from dpratio.arrays import Flags, Floats, Integers

Point = tuple[Floats, Floats]

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """One independent noise that enters S and Y with these weights.

    Its variance and the scale of its Laplace part are by row, or one for all; so are
    the weights.
    """

    variance: Floats
    laplace: Floats
    in_numerator: float | Floats
    in_denominator: float | Floats

    def only(self, chosen: object) -> "NoiseTerm":
        """Keep some rows."""
        weights = (
            take(each, chosen) if isinstance(each, np.ndarray) else each
            for each in (self.in_numerator, self.in_denominator)
        )
        return NoiseTerm(
            take(self.variance, chosen), take(self.laplace, chosen), *weights
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

    ``lowest`` is the smallest ratio there can be: 0 or −∞. A denominator that cannot be
    negative has no ratio where noise made it so. With ``is_one_sided`` distances are
    those of tests of one side.
    """

    numerator: Floats
    denominator: Floats
    sampling: SamplingVariance
    noise: tuple[NoiseTerm, ...]
    lowest: float
    denominator_is_positive: bool = False
    is_one_sided: bool = False

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
        return sum(
            (term.at(at) ** 2 * term.variance for term in self.noise),
            np.zeros_like(at[1]),
        )

    def noise_of_sums(self) -> tuple[Floats, Floats]:
        """Give the noise variances of numerators and of denominators."""
        one, zero = np.ones(1), np.zeros(1)
        return self.noise_variance((one, zero)), self.noise_variance((zero, one))

    def variance(self, at: Point) -> Floats:
        """Give A = max(V, 0) + N."""
        total: Floats = np.maximum(self.sampling.at(at), 0.0) + self.noise_variance(at)
        return total

    def laplace(self, at: Point) -> list[Floats]:
        """Give the scales of the Laplace noises in T."""
        return [np.abs(term.at(at)) * term.laplace for term in self.noise]

    def distance(self, at: Point) -> Distance:
        """Say how far out T is."""
        squares = [term.at(at) ** 2 for term in self.noise]
        pairs = list(zip(squares, self.noise, strict=True))
        parts = [squared * term.variance for squared, term in pairs]
        value, sampled = self.value(at), self.sampling.at(at)
        noise = sum(parts[1:], parts[0]) if parts else np.zeros_like(at[1])
        return Distance(
            size=np.abs(value),
            sampling=self.cautious(at, value, sampled, noise),
            noise=noise,
            doubt=self.sampling.doubt_at(at),
            heavy=[
                squared * (2 * term.laplace**2)
                for squared, term in pairs
                if term.laplace.any()
            ],
        )

    def cautious(
        self, at: Point, value: Floats, sampled: Floats, noise: Floats
    ) -> Floats:
        """Give V; for a test of one side, at least what it is under the hypothesis.

        A sample that misses a long tail has a small sum and a small V, so that it is
        rejected too often on one side. Under the hypothesis its sums are S and Y
        without what they share with T, and its amounts are larger as the sums are.
        """
        if not (self.is_one_sided and np.isfinite(self.lowest)):
            return sampled
        (alpha, beta), one, zero = at, np.ones(1), np.zeros(1)
        whole = np.maximum(sampled, 0.0) + noise + _TINY

        def times(total: Floats, shared: Floats) -> Floats:
            """Give the sum under the hypothesis, per sum; not by sums lost in noise."""
            fall = shared * value / (whole * np.maximum(total, np.sqrt(whole)))
            return np.clip(1 - fall, 0.5, 2.0)

        # Cov(αS, T) and Cov(βY, T), by the derivatives of V.
        of_top = alpha * self.sampling.slope(at, (one, zero)) / 2
        of_bottom = -beta * self.sampling.slope(at, (zero, one)) / 2
        top = alpha * times(alpha * self.numerator, of_top)
        bottom = beta * times(beta * self.denominator, of_bottom)
        return np.maximum(sampled, self.sampling.at((top, bottom)))

    def deviates(self, ratio: float) -> Floats:
        """Test one ratio in every row: positive deviates speak for more."""
        one = np.ones_like(self.numerator)
        at = (one, ratio * one)
        # Where nothing varies at all, any deviation is beyond doubt.
        held = self.distance(at)
        held = replace(held, noise=np.maximum(held.noise, _TINY))
        signed: Floats = np.sign(self.value(at)) * self.facing() * held.deviate()
        return signed

    def facing(self) -> Floats:
        """Give the sign of the denominators: 1 unless they may be negative and are."""
        may_be_negative = not (self.denominator_is_positive or np.isfinite(self.lowest))
        return np.where(may_be_negative & (self.denominator < 0), -1.0, 1.0)

    def score(self, at: Point, along: Point) -> Scored:
        """Score a ratio; ``along`` is the derivative of the path through it."""
        sampled = self.sampling.at(at)
        moved = np.where(sampled > 0, self.sampling.slope(at, along), 0.0)
        noise = np.zeros_like(sampled)
        for term in self.noise:
            weight, change = term.at(at), term.at(along)
            own = weight * term.variance
            noise = noise + weight * own
            moved = moved + 2 * change * own
        variance = np.maximum(np.maximum(sampled, 0.0) + noise, _TINY)
        value = self.value(at)
        # Kleibergen (2002): the slope without what it shares with the value itself.
        slope = 0.5 * value * moved / variance - self.value(along)
        return Scored(value, variance, sampled, noise, slope)

    def slope(self, at: Point, along: Point, sampled: Floats) -> Floats:
        """Give the derivative of A along a path of ratios, where V is this."""
        moved = np.where(sampled > 0, self.sampling.slope(at, along), 0.0)
        for term in self.noise:
            moved = moved + 2 * term.at(at) * term.at(along) * term.variance
        return moved


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


def silenced_statistic(moments: Moments, variance: str, *, lowest: float) -> Statistic:
    """Give the statistic; rows whose weights are lost in noise say nothing."""
    lost = weights_are_lost(moments, variance)
    return statistic_of(moments, variance, lowest=lowest).silenced(lost)
