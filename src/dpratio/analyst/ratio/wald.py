"""Symmetric intervals around the ratio or its logarithm: the paper's three methods.

Nothing is mended here: a negative variance or the logarithm of a negative ratio is
NaN, as in the paper. `estimate` turns these into statuses.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.delta import (
    Spread,
    log_ratio_variance,
    noise_spread,
    ratio_variance,
    sampling_spread,
)
from dpratio.analyst.ratio.monte_carlo import extra_variances
from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats

__all__ = ["SCALES", "WALD_METHODS", "Wald", "wald"]

WALD_METHODS = ("analytical", "monte_carlo", "no_correction")
SCALES = ("ratio", "log")


@dataclass(frozen=True, slots=True)
class Wald:
    """The centre of an interval and the two parts of its variance, on its scale."""

    centre: Floats
    sampling: Floats
    privacy: Floats

    def ends(self, quantile: float) -> tuple[Floats, Floats]:
        """Give both ends at the quantile of a level; NaN where they are undefined."""
        with np.errstate(invalid="ignore"):
            reach = quantile * np.sqrt(self.sampling + self.privacy)
        return self.centre - reach, self.centre + reach


def wald(
    moments: Moments,
    method: str,
    scales: tuple[str, ...],
    *,
    draws: int,
    rng: np.random.Generator,
    variance: str = "kish",
) -> dict[str, Wald]:
    """Estimate the ratio on one or both scales by one of the paper's methods."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = moments["ws"] / moments["wy"]
        centres = {
            scale: np.log(ratio) if scale == "log" else ratio for scale in scales
        }
        sampling = _variances(moments, sampling_spread(moments, variance), scales)
        privacy = {scale: np.zeros(len(ratio)) for scale in scales}
        if method == "monte_carlo":
            privacy = extra_variances(moments, scales, draws=draws, rng=rng)
        elif method == "analytical":
            privacy = _variances(moments, noise_spread(moments), scales)
    return {
        scale: Wald(centres[scale], sampling[scale], privacy[scale]) for scale in scales
    }


def _variances(
    moments: Moments, spread: Spread, scales: tuple[str, ...]
) -> dict[str, Floats]:
    formula = {"ratio": ratio_variance, "log": log_ratio_variance}
    return {scale: formula[scale](moments, spread) for scale in scales}
