"""The statistic at its own estimate, where T is 0: what is told there, and how surely.

Everything here starts from V, N and their doubt at the estimate, and at infinity, which
are worked out once.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.ratio.tail import Distance, is_drowned, stand_in
from dpratio.arrays import Flags, Floats

_TINY = np.finfo(np.float64).tiny
# In standard deviations: of both sums together, and of the denominator alone; and the
# quantile for which these deviations have their allowance.
_FAR, _APART, _QUANTILE = 4.5, 3.0, 5.0
_INFINITY = (np.zeros(1), np.ones(1))


@dataclass(frozen=True, slots=True)
class AtEstimate:
    """A statistic, its estimate of the ratio, and what T is held against there.

    ``alone`` says how far out infinity is, where T is the denominator.
    """

    statistic: Statistic
    ratio: Floats
    held: Distance
    alone: Distance

    @classmethod
    def of(cls, statistic: Statistic) -> "AtEstimate":
        """Look at every row."""
        ratio = statistic.numerator / statistic.denominator
        held = statistic.distance((np.ones(1), ratio))
        return cls(statistic, ratio, held, statistic.distance(_INFINITY))

    def only(self, chosen: Flags) -> "AtEstimate":
        """Keep some rows."""
        return AtEstimate(
            self.statistic.only(chosen),
            self.ratio[chosen],
            self.held.only(chosen),
            self.alone.only(chosen),
        )

    def variances(self) -> tuple[Floats, Floats]:
        """Give sampling and noise variance of the ratio, by the delta method."""
        squared, held = self.statistic.denominator**2, self.held
        least = stand_in(held.noise, held.doubt)
        return np.maximum(held.sampling, least) / squared, held.noise / squared

    def is_drowned(self) -> Flags:
        """Tell where noise hides V and an answer depends on it."""
        return is_drowned(self.held.sampling, self.held.noise, self.held.doubt)

    def is_weak(self, far: float = _FAR) -> Flags:
        """Tell where the sums lie so near zero that a set may be bounded by luck.

        A set is bounded where the denominator came out large enough. Luck that moves
        both sums along the ratio leaves T where it was; luck across it does not. So
        what must be far from zero is the pair (S, Y), in its own standard deviations:
        the denominator's distance over √(1 − ρ²), ρ the correlation of Y with T at the
        estimate. Noise that makes the variance small makes sums seem far, and a set
        narrow; so deviations are taken larger by half of s/A, the noise in the
        estimated variance of T over all of it (docs/methods/intervals.md).
        """
        unsure = np.sqrt(self.held.doubt) / np.maximum(self.held.variance, _TINY)
        most = far * (1 + unsure / 2)
        weak = ~self.alone.is_surely_beyond(most, _QUANTILE)
        if weak.any():
            # The few others: ρ is worked out, and the tail looked at.
            rest = self.only(weak)
            least = np.maximum(most[weak] * rest._across(), _APART)  # noqa: SLF001
            weak[weak] = ~(rest.alone.at(_QUANTILE) > least)
        return weak

    def _across(self) -> Floats:
        """Give √(1 − ρ²)."""
        shared = (self._slope() / 2) ** 2
        whole = self.alone.widened(_QUANTILE) * self.held.widened(_QUANTILE)
        across: Floats = np.sqrt(np.maximum(1 - shared / np.maximum(whole, _TINY), 0.0))
        return across

    def expanded(self) -> tuple[Floats, Floats, Floats]:
        """Give A at r̂ + d as a₀ + 2a₁d + a₂d², with V left out where it is below 0."""
        last = self.statistic.sampling.values[2]
        bent = self.alone.noise + (self.held.sampling > 0) * last
        return self.held.variance, self._slope() / 2, bent

    def public_widths(self, quantile: float) -> tuple[Floats, Floats]:
        """Estimate the squared width of each interval without noise, and its doubt.

        Fieller (1954), with what noise may have done to the estimate as a standard
        deviation; NaN where there would be no bounded interval without noise either.
        """
        sampling, denominator = self.held.sampling, self.statistic.denominator
        above, both, below = self.statistic.sampling.values
        share = quantile**2 * np.maximum(below, 0.0) / denominator**2
        apart = np.where(below > 0, above - both * both / below, 0.0)
        apart = np.clip(apart, 0.0, np.maximum(sampling, 0.0))
        unit = (2 * quantile / (denominator * (1 - share))) ** 2
        unit = np.where(share < 1, unit, np.nan)
        doubt = np.sqrt(self.held.doubt)
        return (sampling - share * apart) * unit, doubt * unit

    def _slope(self) -> Floats:
        """Give the derivative of A by the ratio."""
        at = (np.ones(1), self.ratio)
        return self.statistic.slope(at, _INFINITY, self.held.sampling)
