"""The delta method for a ratio of two sums, and its correction for the noise.

Formulas are those of Miao & Li (2022), section 2.3, written for sums: multiplying
the moments of means by (Σw)² and Σw cancels in the ratio.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats


@dataclass(frozen=True, slots=True)
class Spread:
    """Variances and covariance of the two sums, Σws and Σwy."""

    numerator: Floats
    denominator: Floats
    covariance: Floats

    def __add__(self, other: "Spread") -> "Spread":
        return Spread(
            self.numerator + other.numerator,
            self.denominator + other.denominator,
            self.covariance + other.covariance,
        )


def sampling_spread(moments: Moments, variance: str) -> Spread:
    """Estimate how the two sums vary from sample to sample.

    ``kish`` is Miao & Li (2022), eqs. 3 and 4, times (Σw)²; ``linearised`` takes the
    squares of units, since their number varies too.
    """
    if variance == "linearised":
        return Spread(moments["aa"], moments["bb"], moments["ab"])
    weight, kish = moments["w"], moments["ww"]
    score, label = moments["ws"] / weight, moments["wy"] / weight
    return Spread(
        kish * (moments["wss"] / weight - score**2),
        kish * (moments["wyy"] / weight - label**2),
        kish * (moments["wys"] / weight - score * label),
    )


def noise_spread(moments: Moments) -> Spread:
    """Give the part of the two sums' variance that privacy adds."""
    return Spread(
        np.asarray(moments.noise_covariance("ws", "ws")),
        np.asarray(moments.noise_covariance("wy", "wy")),
        np.asarray(moments.noise_covariance("ws", "wy")),
    )


def ratio_variance(moments: Moments, spread: Spread, link: str = "ratio") -> Floats:
    """Give the variance of the ratio, or of its logarithm.

    Miao & Li (2022), eq. 1 and section 2.3: both divide the variance of Σws − r̂·Σwy.
    """
    ratio = moments["ws"] / moments["wy"]
    residual = spread.numerator + ratio * (
        ratio * spread.denominator - 2 * spread.covariance
    )
    size = moments["ws" if link == "log" else "wy"]
    variance: Floats = residual / (size * size)
    return variance
