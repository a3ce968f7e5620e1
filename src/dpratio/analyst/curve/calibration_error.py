"""How far a score is from calibrated, over bins: two errors and a test.

With G = Σw(s − y) and W = Σw of each bin and W₊ = ΣW, the expected calibration error
is Σ|G|/W₊ and the squared one Σ(G²/W)/W₊. Sampling and noise move every G, so both sums
are too large on average, the more so the more bins there are; how that is taken off
stands in docs/methods/calibration_curve.md.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.curve.recast import seen_as_ratio
from dpratio.analyst.ratio.statistic import Statistic, statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.sampling import Sampling
from dpratio.analyst.sums.variance import (
    SamplingVariance,
    sampling_variance,
    weights_are_lost,
)
from dpratio.arrays import Floats
from dpratio.plan.strategy.allowance import allowance

__all__ = ["Bins", "Measured", "absolute_error", "calibration_test", "squared_error"]

Edges = tuple[Floats, Floats]

# A true gap lies within so many deviations of the one seen, but for 5 in 10,000 bins.
_SURELY = 3.5
_WELL_KNOWN = 5.0
_TEST_LEVEL = 0.95


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
    """Estimate Σ|G|/W₊, with an interval that allows for the largest bias.

    The mean of |X| for a normal X around g with deviation τ exceeds |g| by τ·b(|g|/τ).
    The estimate takes off that bias at the gap seen, as Kumar, Liang & Ma (2019) do by
    simulation; the interval allows for all of it that is possible within 3.5 deviations
    of the gap seen (bias-aware, as Armstrong & Kolesár 2020).
    """
    whole, statistic = bins.add(bins.gaps["wy"]), bins.statistic
    one = np.ones(len(bins.codes))
    deviation = np.sqrt(statistic.variance((one, np.zeros_like(one))))
    size = np.abs(bins.gaps["ws"])
    reach = size / deviation
    plain = bins.add(size) / whole
    likely = bins.add(deviation * _bias(reach)) / whole
    most = bins.add(deviation * _bias(np.maximum(reach - _SURELY, 0.0))) / whole
    side = np.where(bins.gaps["ws"] < 0, -1.0, 1.0)
    at = (side, plain[bins.codes])
    sampled = bins.add(np.maximum(statistic.sampling.at(at), 0.0))
    noise = bins.add(statistic.noise_variance(at))
    doubt = bins.add(statistic.sampling.doubt_at(at))
    quantile = normal_quantile(level)
    widened = allowance(sampled, noise, doubt, quantile)
    move = quantile * np.sqrt(sampled + noise + widened) / whole
    return _shown(plain - likely, plain - most - move, plain + move, whole)


def squared_error(bins: Bins, level: float) -> Measured:
    """Estimate Σ(G²/W)/W₊ without bias, from bins whose weight is known.

    E(Ĝ/W)² is the squared gap plus the variance of Ĝ/W, which is taken off.
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
    return _shown(estimate, centre - move, centre + move, whole)


def calibration_test(
    sampling: Sampling, bins: Bins, edges: Edges | None
) -> tuple[Floats, Floats, Floats]:
    """Test that mean score and mean label agree in every bin.

    Each bin gives the normal deviate of its own test of G = 0, with the exact law of
    the noise; their squares add up to χ² with one degree of freedom each. Labels of 0
    and 1 that a score s predicts vary by s(1 − s), so Σw²s(1 − s) is their variance in
    a calibrated bin, even where few labels are 1 (Hosmer & Lemeshow 1980); of other
    labels it is Σw²(s − y)².

    Args:
        sampling: The sums of every bin.
        bins: The same, as gaps.
        edges: Between which the scores of each bin lie, where bins are of the score.

    Returns:
        The statistic, its degrees of freedom and the p-value of each curve.
    """
    from scipy.special import chdtrc, chdtri

    moments = sampling.moments
    known = ~weights_are_lost(moments, bins.variance)
    count = bins.add(known.astype(np.float64))
    # At the edge of rejection a bin's square is so large on average.
    most = max(float(count.max(initial=1.0)), 1.0)
    typical = float(np.sqrt(chdtri(most, 1 - _TEST_LEVEL) / most))
    one, none = np.ones(len(bins.codes)), np.zeros(len(bins.codes))
    tested = bins.statistic
    if sampling.is_binary:
        tested = replace(tested, sampling=_of_calibrated(sampling, edges))
    distance = tested.distance((one, none)).at(typical)
    statistic = bins.add(np.where(known, distance, 0.0) ** 2)
    pvalue: Floats = np.where(count > 0, chdtrc(np.maximum(count, 1), statistic), 1.0)
    return statistic, count, pvalue


def _of_calibrated(sampling: Sampling, edges: Edges | None) -> SamplingVariance:
    """Give Σw²s(1 − s), the variance of G where labels are as the score says."""
    # Of the mean Σws/Σw, whose second moments are Σw²s², Σw²s and Σw².
    view, form = seen_as_ratio(sampling, {"ws": 1.0}, {"w": 1.0})
    second = sampling_variance(view, form)
    values, noise = np.zeros_like(second.values), np.zeros_like(second.noise)
    value = second.values[1] - second.values[0]
    unsure = second.noise[:, 1, 1] - 2 * second.noise[:, 0, 1] + second.noise[:, 0, 0]
    if edges is not None:
        # With scores between two edges and their mean m known, Σw²s(1 − s) lies
        # within Σw²(m(1 − m) − (upper − m)(m − lower)) and Σw²m(1 − m).
        weight = np.maximum(second.values[2], 0.0)
        mean = np.clip(second.values[1] / second.values[2], *edges)
        mean = np.where(np.isfinite(mean), mean, sum(edges) / 2)
        most = mean * (1 - mean)
        width = weight * (edges[1] - mean) * (mean - edges[0])
        value = np.clip(value, weight * most - width, weight * most)
        bounded = (width / 2) ** 2 + most**2 * second.noise[:, 2, 2]
        unsure = np.minimum(unsure, bounded)
        noise = np.zeros((len(value), 3, 3))
    values[0], noise[:, 0, 0] = value, unsure
    return SamplingVariance(values, noise)


def _bias(reach: Floats) -> Floats:
    """Give E|X| − |g| for a normal X around g, in deviations."""
    from scipy.special import ndtr

    density = np.exp(-(reach**2) / 2) / np.sqrt(2 * np.pi)
    bias: Floats = 2 * density - 2 * reach * ndtr(-reach)
    return bias


def _shown(estimate: Floats, lower: Floats, upper: Floats, whole: Floats) -> Measured:
    """Keep errors at 0 or more; nothing is known where no weight is."""
    empty = ~(whole > 0)
    return Measured(
        np.where(empty, np.nan, np.maximum(estimate, 0.0)),
        np.where(empty, 0.0, np.maximum(lower, 0.0)),
        np.where(empty, np.inf, np.maximum(upper, 0.0)),
    )
