"""From a release to ratios with intervals.

Floor: analyst. Imports: checks, release, and the rest of this room.
"""

import math

import numpy as np

from dpratio.analyst.delta import (
    Spread,
    log_ratio_variance,
    noise_spread,
    ratio_variance,
    sampling_spread,
    sampling_variance_noise,
)
from dpratio.analyst.moments import Floats, Moments, moments_of
from dpratio.analyst.monte_carlo import extra_variance
from dpratio.analyst.results import Estimates
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release

__all__ = ["METHODS", "SCALES", "estimate_ratios"]

METHODS = ("analytical", "monte_carlo", "no_correction")
SCALES = ("ratio", "log")


def estimate_ratios(
    release: Release,
    *,
    method: str = "analytical",
    scale: str = "ratio",
    level: float = 0.95,
    draws: int = 200,
    rng: int | np.random.Generator | None = None,
) -> Estimates:
    """Estimate every ratio of a release, with confidence intervals.

    Args:
        release: Noisy sums; no data and no budget are needed.
        method: ``"analytical"`` adds the noise variance to the sampling variance;
            ``"monte_carlo"`` estimates it by redrawing the noise;
            ``"no_correction"`` ignores it and is there to be compared with.
        scale: ``"ratio"``, or ``"log"`` for intervals built on the logarithm.
        level: Confidence level, between 0 and 1.
        draws: Redraws of the Monte Carlo method.
        rng: Seed or generator of the redraws.

    Returns:
        One row per declared key. A denominator that cannot be told from zero gives
        an unbounded interval and the status ``"unbounded"``, never an error.

    Raises:
        InvalidInput: When an option is not one of the known ones.
    """
    require(isinstance(release, Release), "release must be a Release", release)
    require_one_of(method, METHODS, "method")
    require_one_of(scale, SCALES, "scale")
    _require_level(level)
    require(isinstance(draws, int) and draws >= 2, "draws must be at least 2", draws)  # noqa: PLR2004
    bounds = release.plan.factor_bounds
    is_positive = bounds["s"].lower >= 0 and bounds["y"].lower >= 0
    hint = "Use scale 'ratio'."
    rule = "scale 'log' needs a numerator and denominator that cannot be negative"
    require(is_positive or scale == "ratio", rule, scale, hint)
    moments = moments_of(release)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return _estimate(
            release, moments, method, scale, level, draws, np.random.default_rng(rng)
        )


def _estimate(
    release: Release,
    moments: Moments,
    method: str,
    scale: str,
    level: float,
    draws: int,
    rng: np.random.Generator,
) -> Estimates:
    bounds = release.plan.factor_bounds
    is_positive = bounds["s"].lower >= 0 and bounds["y"].lower >= 0
    quantile = _normal_quantile(level)
    sampling, floored = _sampling_variance(moments, scale)
    privacy = _privacy_variance(moments, method, scale, draws, rng)
    deviation = np.sqrt(sampling + privacy)
    ratio = moments["ws"] / moments["wy"]
    unbounded = _is_unbounded(moments, method, quantile, is_positive=is_positive)
    centre = np.log(ratio) if scale == "log" else ratio
    unbounded |= ~np.isfinite(centre) | ~np.isfinite(deviation)
    lower = np.where(unbounded, -np.inf, centre - quantile * deviation)
    upper = np.where(unbounded, np.inf, centre + quantile * deviation)
    status = np.where(
        unbounded, "unbounded", np.where(floored, "variance_floored", "ok")
    )
    undefined = (moments["wy"] <= 0) if is_positive else (moments["wy"] == 0)
    smallest = 0.0 if is_positive else -np.inf
    plan = release.plan
    logs = {}
    if scale == "log":
        logs = {"log_ratio": centre, "log_ci_lower": lower, "log_ci_upper": upper}
        lower, upper = np.exp(lower), np.exp(upper)
    return Estimates(
        group_column=None if plan.groups is None else plan.groups.column,
        keys=plan.keys,
        ratio=np.where(undefined, np.nan, np.maximum(ratio, smallest)),
        ci_lower=np.maximum(lower, smallest),
        ci_upper=np.maximum(upper, smallest),
        se=np.where(unbounded, np.inf, deviation),
        se_sampling=np.where(unbounded, np.nan, np.sqrt(sampling)),
        se_privacy=np.where(unbounded, np.nan, np.sqrt(privacy)),
        status=tuple(status.tolist()),
        method=method,
        scale=scale,
        level=level,
        is_simulated=release.is_simulated,
        **logs,
    )


def _sampling_variance(moments: Moments, scale: str) -> tuple[Floats, np.ndarray]:
    """Give the sampling variance, and where noise made it meaningless.

    There one standard deviation of its own noise stands in for it.
    """
    variance = _variance(moments, sampling_spread(moments), scale)
    per_square = moments["ws" if scale == "log" else "wy"] ** 2
    floor = sampling_variance_noise(moments) / per_square
    floored = ~(variance > 0)
    return np.where(floored, floor, variance), floored


def _privacy_variance(
    moments: Moments, method: str, scale: str, draws: int, rng: np.random.Generator
) -> Floats:
    if method == "no_correction":
        return np.zeros(len(moments.values))
    if method == "monte_carlo":
        return extra_variance(moments, scale=scale, draws=draws, rng=rng)
    return _variance(moments, noise_spread(moments), scale)


def _variance(moments: Moments, spread: Spread, scale: str) -> Floats:
    if scale == "log":
        return log_ratio_variance(moments, spread)
    return ratio_variance(moments, spread)


def _is_unbounded(
    moments: Moments, method: str, quantile: float, *, is_positive: bool
) -> np.ndarray:
    """Tell where zero is a plausible denominator, or no unit seems to be there.

    Fieller (1954): the exact set for a ratio is unbounded just where the denominator
    is not significantly different from zero at the level of the interval.
    """
    spread = sampling_spread(moments)
    if method != "no_correction":
        spread += noise_spread(moments)
    size = moments["wy"] if is_positive else np.abs(moments["wy"])
    deviation = np.sqrt(np.maximum(spread.denominator, 0.0))
    empty = (moments["w"] <= 0) | (moments["ww"] <= 0)
    weak: np.ndarray = ~(size > quantile * deviation)
    return weak | empty


def _normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2))


def _require_level(level: object) -> None:
    is_level = isinstance(level, float) and math.isfinite(level) and 0 < level < 1
    hint = "0.95 is usual."
    require(is_level, "level must lie between 0 and 1", level, hint)
