"""Symmetric intervals around the ratio or its logarithm: the paper's three methods.

Nothing is corrected here: a negative variance or the logarithm of a negative ratio
gives NaN, as in the paper. `estimate` turns these into statuses.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.analyst.ratio.delta import (
    Spread,
    noise_spread,
    ratio_variance,
    sampling_spread,
)
from dpratio.analyst.ratio.monte_carlo import extra_variances
from dpratio.analyst.sums.moments import Moments
from dpratio.arrays import Floats

WALD_METHODS = ("analytical", "monte_carlo", "no_correction")
LINKS = ("ratio", "log")


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
    links: tuple[str, ...],
    *,
    draws: int,
    rng: np.random.Generator,
    variance: str = "kish",
) -> dict[str, Wald]:
    """Estimate the ratio on one or both links by one of the paper's methods."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = moments["ws"] / moments["wy"]
        centres = {link: np.log(ratio) if link == "log" else ratio for link in links}
        sampling = _variances(moments, sampling_spread(moments, variance), links)
        privacy = {link: np.zeros(len(ratio)) for link in links}
        if method == "monte_carlo":
            privacy = extra_variances(moments, links, draws=draws, rng=rng)
        elif method == "analytical":
            privacy = _variances(moments, noise_spread(moments), links)
    return {link: Wald(centres[link], sampling[link], privacy[link]) for link in links}


def _variances(
    moments: Moments, spread: Spread, links: tuple[str, ...]
) -> dict[str, Floats]:
    return {link: ratio_variance(moments, spread, link) for link in links}
