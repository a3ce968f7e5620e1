"""The delta method on noisy sums as if they were exact, or with their noise added.

Both are symmetric. Without a correction a variance that noise made negative leaves no
interval; with one it counts as 0, and the noise is left.
"""

import numpy as np

from dpratio.analyst.ratio.wald import wald
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.simulation.literature.interval import Interval

__all__ = ["estimate", "plug_in"]


def plug_in(moments: Moments, quantile: float, *, corrected: bool) -> Interval:
    """Give the symmetric interval of every row."""
    centre, se = estimate(moments, corrected=corrected)
    return Interval(centre, centre - quantile * se, centre + quantile * se)


def estimate(moments: Moments, *, corrected: bool) -> tuple[Floats, Floats]:
    """Give ratios and their standard errors."""
    found = wald(
        moments,
        "analytical" if corrected else "no_correction",
        ("ratio",),
        draws=2,
        rng=np.random.default_rng(0),  # Not drawn from.
        variance=choose_variance(moments, None),
    )["ratio"]
    sampling = np.maximum(found.sampling, 0.0) if corrected else found.sampling
    with np.errstate(invalid="ignore"):
        return found.centre, np.sqrt(sampling + found.privacy)
