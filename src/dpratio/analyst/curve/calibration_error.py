"""How far a score is from calibrated, over bins: two errors.

With G = Σw(s − y) and W = Σw of each bin and W₊ = ΣW, the expected calibration error is
Σ|G|/W₊ and the squared one Σ(G²/W)/W₊. Sampling and noise move every G, so both sums
are too large on average, and more so with more bins. docs/methods/calibration_curve.md
says how that is subtracted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.statistic import Statistic, statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats
from dpratio.plan.strategy.allowance import allowance

# What is left of the bias of |X|, in deviations, where so much of it, in deviations as
# well, is the true size: computed by integration. Most is left at 0, and a little too
# much is taken off around 1.5.
_SIZES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_LEFT = (
    *(0.467, 0.249, 0.093, -0.009, -0.066, -0.09),
    *(-0.092, -0.067, -0.036, -0.016, -0.006, 0.0),
)
_MOST_TAKEN = 1.5
# How far the true size of a gap is taken to lie below the one seen, for either end.
_BELOW, _ABOVE = 2.0, 1.0
_WELL_KNOWN = 5.0


@dataclass(frozen=True, slots=True)
class Measured:
    """An estimate and its interval, row by row."""

    estimate: Floats
    ci_lower: Floats
    ci_upper: Floats


@dataclass(frozen=True, slots=True)
class Bins:
    """Gaps and weights of all bins; ``codes`` says to which curve each bin belongs.

    ``gaps`` are moments in which ``ws`` is G and ``wy`` is W.
    """

    gaps: Moments
    variance: str
    codes: NDArray[np.int64]
    curves: int

    def add(self, values: Floats) -> Floats:
        """Add up over the bins of each curve."""
        total = np.zeros(self.curves)
        np.add.at(total, self.codes, values)
        return total

    @property
    def statistic(self) -> Statistic:
        """The statistic αG − βW of every bin."""
        return statistic_of(self.gaps, self.variance, lowest=-np.inf)

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Whether a bin's weight stands well clear of its noise."""
        noise = np.sqrt(self.gaps.noise_covariance("wy", "wy"))
        known: NDArray[np.bool_] = self.gaps["wy"] > _WELL_KNOWN * noise
        return known


def absolute_error(bins: Bins, level: float) -> Measured:
    """Estimate Σ|G|/W₊, with an interval that allows for the bias that is left.

    The mean of |X| for a normal X around g with deviation τ exceeds |g| by τ·b(|g|/τ).
    The estimate takes off that bias at the gap seen, as Kumar, Liang & Ma (2019) do by
    simulation. What is left of it depends on the true gap; the interval allows for the
    most that is plausible, either way (bias-aware, as Armstrong & Kolesár 2020).
    """
    whole, statistic = bins.add(bins.gaps["wy"]), bins.statistic
    one = np.ones(len(bins.codes))
    deviation = np.sqrt(statistic.variance((one, np.zeros_like(one))))
    size = np.abs(bins.gaps["ws"])
    reach = size / np.maximum(deviation, np.finfo(np.float64).tiny)
    error = bins.add(size - deviation * _bias(reach)) / whole
    least = np.maximum(_left(np.maximum(reach - _BELOW, 0.0)), 0.0)
    left = bins.add(deviation * least) / whole
    taken = bins.add(deviation * _left(np.maximum(reach - _ABOVE, _MOST_TAKEN))) / whole
    side = np.where(bins.gaps["ws"] < 0, -1.0, 1.0)
    at = (side, np.maximum(error, 0.0)[bins.codes])
    sampled = bins.add(np.maximum(statistic.sampling.at(at), 0.0))
    noise = bins.add(statistic.noise_variance(at))
    doubt = bins.add(statistic.sampling.doubt_at(at))
    quantile = normal_quantile(level)
    widened = allowance(sampled, noise, doubt, quantile)
    move = quantile * np.sqrt(sampled + noise + widened) / whole
    return _shown(error, error - left - move, error - taken + move, whole)


def squared_error(bins: Bins, level: float) -> Measured:
    """Estimate Σ(G²/W)/W₊ without bias, from bins whose weight is known.

    E(Ĝ/W)² is the squared gap plus the variance of Ĝ/W, which is taken off. Where no
    bin is known, nothing is known of the error.
    """
    known, statistic = bins.is_known, bins.statistic
    whole = bins.add(bins.gaps["wy"])
    weight = np.where(known, bins.gaps["wy"], 1.0)
    gap = np.where(known, bins.gaps["ws"] / weight, 0.0)
    share = np.where(known, weight, 0.0) / whole[bins.codes]
    one = np.ones(len(gap))
    square = statistic.variance((one, gap)) / weight**2
    estimate = bins.add(share * (gap**2 - square))
    slope = gap**2 + np.maximum(estimate, 0.0)[bins.codes]
    first = statistic.variance(
        (np.where(known, 2 * gap, 0.0), np.where(known, slope, 0.0))
    )
    loads = bins.gaps.loading("ws") - gap[:, None] * bins.gaps.loading("wy")
    fourth = 12 * ((loads * bins.gaps.noise.laplace) ** 4).sum(axis=1) / weight**4
    quadratic = bins.add(share**2 * (2 * square**2 + fourth))
    # The first part grows with the error itself: keep the errors that a test with
    # the variance at that error does not reject (as Wilson 1927 for proportions).
    plain = bins.add(share * gap**2)
    growth = bins.add(first) / whole**2 / np.where(plain > 0, plain, 1.0)
    squared = normal_quantile(level) ** 2
    centre = estimate + squared * growth / 2
    inside = centre**2 - estimate**2 + squared * quadratic
    move = np.sqrt(np.maximum(inside, 0.0))
    any_known = np.where(bins.add(known.astype(np.float64)) > 0, whole, 0.0)
    return _shown(estimate, centre - move, centre + move, any_known)


def _bias(reach: Floats) -> Floats:
    """Give E|X| − |g| for a normal X around g, in deviations."""
    from scipy.special import ndtr

    density = np.exp(-(reach**2) / 2) / np.sqrt(2 * np.pi)
    bias: Floats = 2 * density - 2 * reach * ndtr(-reach)
    return bias


def _left(size: Floats) -> Floats:
    """Give what the correction leaves of the bias of |X|, in deviations."""
    left: Floats = np.interp(size, _SIZES, _LEFT)
    return left


def _shown(estimate: Floats, lower: Floats, upper: Floats, whole: Floats) -> Measured:
    """Keep errors at 0 or more; nothing is known where no weight is."""
    empty = ~(whole > 0)
    return Measured(
        np.where(empty, np.nan, np.maximum(estimate, 0.0)),
        np.where(empty, 0.0, np.maximum(lower, 0.0)),
        np.where(empty, np.inf, np.maximum(upper, 0.0)),
    )
