"""Intervals for ratios without cuts: what a histogram saw is put back into the sums."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from dpratio.analyst.bounds.cut_off import CutOff
from dpratio.analyst.ratio.confidence_set import ConfidenceSet, confidence_set
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.arrays import Flags, Floats

__all__ = ["Corner", "uncut_ends", "with_cut_off"]

_LEAST_SHARE = 1e-3


@dataclass(frozen=True, slots=True)
class Corner:
    """What the sums above and below the line lost, at least or at most; by row."""

    above: tuple[CutOff, ...]
    below: tuple[CutOff, ...]


def uncut_ends(
    statistic: Statistic,
    above: tuple[Sequence[CutOff], Sequence[CutOff]],
    below: tuple[Sequence[CutOff], Sequence[CutOff]],
    quantile: float,
    *,
    is_positive: bool = True,
) -> tuple[Floats, Floats]:
    """Give the ends of ratios of sums that lost something between two amounts.

    Args:
        statistic: The test of ratios of the clipped sums.
        above: What the numerator lost at least and at most: of every row, or one of
            all rows.
        below: The same of the denominator.
        quantile: The normal quantile beyond which a ratio is rejected.
        is_positive: Whether the denominator cannot be negative.

    Returns:
        The hull of the sets at the corners: a ratio is monotone in both sums, so that
        whatever was lost in between lies within. Over a positive denominator the lower
        end is that of the least numerator, and the upper end that of the largest.
    """

    # Where nothing was lost, the least is the most, and is looked at once.
    @cache
    def found(corner: Corner) -> ConfidenceSet:
        return confidence_set(with_cut_off(statistic, corner), quantile)

    low, high = (above[:1], above[1:]) if is_positive else (above, above)
    lower, upper = (
        [found(Corner(tuple(one), tuple(other))) for one, other in product(each, below)]
        for each in (low, high)
    )
    return (
        np.minimum.reduce([each.lower for each in lower]),
        np.maximum.reduce([each.upper for each in upper]),
    )


def with_cut_off(statistic: Statistic, corner: Corner) -> Statistic:
    """Put what was lost back into both sums, with its noise and its sampling.

    How what was lost varies together with what was kept is not known. For shares λ that
    add up to 1, Cauchy and Schwarz bound the variance of a sum by the variances over
    their shares, whatever the correlations; shares in the proportion of the deviations
    are the best.
    """
    above, below = _columns(corner.above), _columns(corner.below)
    numerator = statistic.numerator + above["value"]
    denominator = statistic.denominator + below["value"]
    ratio = numerator / denominator
    at = (np.ones_like(ratio), np.where(np.isfinite(ratio), ratio, 0.0))
    parts = [
        np.sqrt(statistic.variance(at)),
        np.sqrt(above["sampling"]),
        np.abs(at[1]) * np.sqrt(below["sampling"]),
    ]
    kept, lost_above, lost_below = _shares(
        parts, [above["sampling"] > 0, below["sampling"] > 0]
    )
    sampling = statistic.sampling.times(1 / kept)
    values = sampling.values.copy()
    values[0] += above["sampling"] / lost_above
    values[2] += below["sampling"] / lost_below
    noise = [
        NoiseTerm(each["noise"], each["laplace"], *loading)
        for each, loading in ((above, (1.0, 0.0)), (below, (0.0, 1.0)))
        if each["noise"].any()
    ]
    return replace(
        statistic,
        numerator=numerator,
        denominator=denominator,
        sampling=replace(sampling, values=values),
        noise=(*statistic.noise, *noise),
    )


def _columns(given: Sequence[CutOff]) -> dict[str, Floats]:
    return {
        name: np.array([getattr(each, name) for each in given])
        for name in CutOff.__slots__
    }


def _shares(parts: Sequence[Floats], is_lost: Sequence[Flags]) -> list[Floats]:
    """Share 1 among parts by their size; what is nothing has no share."""
    whole = sum(parts[1:], parts[0])
    whole = np.where(whole > 0, whole, 1.0)
    takes = [np.ones_like(whole, dtype=np.bool_), *is_lost]
    sizes = [
        np.where(is_there, np.maximum(each / whole, _LEAST_SHARE), 0.0)
        for each, is_there in zip(parts, takes, strict=True)
    ]
    shared = sum(sizes[1:], sizes[0])
    # What has no share is divided by 1: it is 0.
    return [np.where(each > 0, each / shared, 1.0) for each in sizes]
