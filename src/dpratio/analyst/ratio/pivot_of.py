"""The pivot of a release, from its moments."""

import numpy as np

from dpratio.analyst.ratio.pivot import Pivot, TermOfT
from dpratio.analyst.sums.moments import Floats, Moments
from dpratio.analyst.sums.variance import second_moments

__all__ = ["pivot_of", "variances_at"]


def pivot_of(moments: Moments, quantile: float, variance: str) -> Pivot:
    """Give the test of every ratio.

    Under the ratio r the mean of s − r y is zero, so squares around zero estimate the
    variance of Σw(s − r y).
    """
    return Pivot(
        numerator=moments["ws"],
        denominator=moments["wy"],
        terms=_terms_of(moments),
        second=second_moments(moments, variance),
        quantile=quantile,
    )


def _terms_of(moments: Moments) -> tuple[TermOfT, ...]:
    """List the noises that enter the numerator or the denominator."""
    pairs = zip(moments.loading("ws"), moments.loading("wy"), strict=True)
    return tuple(
        TermOfT(moments.noise.variance[:, at], moments.noise.laplace[:, at], *loadings)
        for at, loadings in enumerate(pairs)
        if any(loadings)
    )


def variances_at(pivot: Pivot, ratio: Floats) -> tuple[Floats, Floats]:
    """Give the sampling and the noise variance of a ratio, by the delta method."""
    one = np.ones_like(ratio)
    squared = pivot.denominator**2
    sampling = np.maximum(pivot.second.variance_at(one, ratio), 0.0) / squared
    return sampling, pivot.noise_variance(one, ratio) / squared
