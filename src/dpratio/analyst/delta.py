"""The delta method for a ratio of two sums, and its correction for the noise.

Formulas are those of Miao & Li (2022), section 2.3, written for sums: multiplying
the moments of means by (Σw)² and Σw cancels in the ratio.
Floor: analyst. Imports: moments.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.moments import Floats, Moments
from dpratio.plan.sums import MOMENTS

__all__ = [
    "Spread",
    "log_ratio_variance",
    "noise_spread",
    "ratio_variance",
    "sampling_spread",
    "sampling_variance_noise",
]


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


def sampling_spread(moments: Moments) -> Spread:
    """Estimate how the two sums vary from sample to sample.

    Miao & Li (2022), eqs. 3 and 4, times (Σw)².
    """
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


def ratio_variance(moments: Moments, spread: Spread) -> Floats:
    """Give the variance of the ratio: Miao & Li (2022), eq. 1."""
    numerator, denominator = moments["ws"], moments["wy"]
    variance: Floats = (
        spread.numerator / denominator**2
        - 2 * numerator / denominator**3 * spread.covariance
        + numerator**2 / denominator**4 * spread.denominator
    )
    return variance


def log_ratio_variance(moments: Moments, spread: Spread) -> Floats:
    """Give the variance of the log ratio: Miao & Li (2022), section 2.3."""
    numerator, denominator = moments["ws"], moments["wy"]
    variance: Floats = (
        spread.numerator / numerator**2
        - 2 / (numerator * denominator) * spread.covariance
        + spread.denominator / denominator**2
    )
    return variance


def sampling_variance_noise(moments: Moments) -> Floats:
    """Give the noise sd of the estimated sampling variance of Σws − r̂ Σwy.

    At r̂ that variance is V = Σw²/Σw · (Σws² − 2r̂ Σwys + r̂² Σwy²). Each independent
    noise moves V by its slope along the way the noise enters the moments; r̂ moves too.
    """
    ratio = moments["ws"] / moments["wy"]
    share = moments["ww"] / moments["w"]
    inner = moments["wss"] - 2 * ratio * moments["wys"] + ratio**2 * moments["wyy"]
    by_ratio = 2 * share * (ratio * moments["wyy"] - moments["wys"])
    slopes = {
        "w": -share / moments["w"] * inner,
        "wy": -by_ratio * ratio / moments["wy"],
        "ws": by_ratio / moments["wy"],
        "ww": inner / moments["w"],
        "wyy": ratio**2 * share,
        "wss": share,
        "wys": -2 * ratio * share,
    }
    gradient = np.stack([slopes[name] for name in MOMENTS], axis=1)
    variance = np.zeros_like(ratio)
    for term in moments.noise:
        variance += term.variance * (gradient @ term.loading) ** 2
    deviation: Floats = np.sqrt(variance)
    return deviation
