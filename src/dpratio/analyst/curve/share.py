"""The share of weight in each bin of a curve, with an interval that holds for few."""

import numpy as np

from dpratio.analyst.curve.calibration_error import Bins, Measured
from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.sampling import Sampling
from dpratio.plan.strategy.allowance import allowance


def share_of(bins: Bins, sampling: Sampling, level: float) -> Measured:
    """Give the share of weight in each bin: all p with (W − pW₊)² ≤ z² variance(p).

    A unit of weight w in bin k moves W − pW₊ by w(1 − p), and one of any other bin by
    −wp; noise does the same. A bin of share p has Σw² in proportion to it: without
    weights and noise this is the interval of Wilson (1927).
    """
    weight = bins.gaps["wy"]
    whole = bins.add(weight)[bins.codes]
    share = weight / whole
    noise = bins.gaps.noise_covariance("wy", "wy") * np.ones(len(weight))
    own = np.maximum(sampling.moments["ww"], 0.0)
    all_squares, all_noise = (bins.add(each)[bins.codes] for each in (own, noise))
    if sampling.is_weighted:
        doubt = sampling.moments.noise_covariance("ww", "ww") * np.ones(len(weight))
        own = own + allowance(own, noise, doubt, normal_quantile(level))
    # The variance is flat + slope p + bend p².
    flat = own - share * all_squares + noise
    slope, bend = all_squares - 2 * flat, all_noise - all_squares
    here = np.maximum(flat + share * (slope + share * bend), np.finfo(float).tiny)
    weights = np.abs(bins.gaps.loading("wy"))
    heavy = fourth_moment_scale(list((weights * bins.gaps.noise.laplace).T))
    squared = noisy_quantile(level, here, np.abs(1 - share) * heavy) ** 2 / here
    leading = whole**2 - squared * bend
    middle = weight * whole + squared * slope / 2
    root = np.sqrt(middle**2 - leading * (weight**2 - squared * flat))
    known = (whole > 0) & (leading > 0) & np.isfinite(root)
    return Measured(
        np.where(whole > 0, np.clip(share, 0.0, 1.0), np.nan),
        np.where(known, np.clip((middle - root) / leading, 0.0, 1.0), 0.0),
        np.where(known, np.clip((middle + root) / leading, 0.0, 1.0), 1.0),
    )
