"""From a release to ratios with intervals.

Floor: analyst. Imports: checks, release, and the rest of this room.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.delta import noise_spread, sampling_spread, sampling_variance_noise
from dpratio.analyst.moments import Floats, Moments, moments_of
from dpratio.analyst.pivot_of import pivot_of, variances_at
from dpratio.analyst.pivot_set import pivot_set
from dpratio.analyst.results import Estimates
from dpratio.analyst.wald import SCALES, WALD_METHODS, Wald, normal_quantile, wald
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release

__all__ = ["METHODS", "estimate_ratios"]

METHODS = (*WALD_METHODS, "pivot")


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
            ``"no_correction"`` ignores it and is there to be compared with;
            ``"pivot"`` keeps every ratio that a test does not reject, with the exact
            law of the noise, and stays right where the denominator is weak.
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
    seeded = isinstance(rng, np.random.Generator | None) or (
        isinstance(rng, int) and not isinstance(rng, bool) and rng >= 0
    )
    require(seeded, "rng must be a seed of 0 or more, or a Generator", rng)
    hint = "Use scale 'ratio'."
    rule = "scale 'log' needs a numerator and denominator that cannot be negative"
    require(_is_positive(release) or scale == "ratio", rule, scale, hint)
    moments = moments_of(release)
    generator = np.random.default_rng(rng)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if method == "pivot":
            found = _by_pivot(release, moments, scale, level)
        else:
            answer = wald(moments, method, (scale,), draws=draws, rng=generator)[scale]
            found = _by_wald(release, moments, answer, (method, scale, level))
        return _lay_out(release, moments, found, (method, scale, level))


@dataclass(frozen=True, slots=True)
class _Found:
    """Intervals on the scale of the ratio, variances on that of the method."""

    lower: Floats
    upper: Floats
    sampling: Floats
    privacy: Floats
    status: NDArray[np.str_]


def _by_pivot(release: Release, moments: Moments, scale: str, level: float) -> _Found:
    """Keep the ratios that are not rejected; the set is the same on both scales."""
    pivot = pivot_of(moments, normal_quantile(level))
    lowest = 0.0 if _is_positive(release) else -np.inf
    empty = ~((moments["w"] > 0) & (moments["ww"] > 0))
    found = pivot_set(pivot.only(~empty), lowest=lowest)
    groups = len(empty)
    lower, upper = np.full(groups, lowest), np.full(groups, np.inf)
    status = np.full(groups, "unbounded", dtype="<U16")
    lower[~empty], upper[~empty] = found.lower, found.upper
    names = {"interval": "ok", "everything": "unbounded"}
    status[~empty] = [names.get(shape, shape) for shape in found.shape.tolist()]
    ratio = moments["ws"] / moments["wy"]
    hidden = ~(pivot.sampling_variance(np.ones(groups), ratio) > 0)
    status = np.where((status == "ok") & hidden, "variance_floored", status)
    sampling, privacy = variances_at(pivot, ratio)
    per_square = ratio**2 if scale == "log" else np.ones(groups)
    return _Found(lower, upper, sampling / per_square, privacy / per_square, status)


def _by_wald(
    release: Release,
    moments: Moments,
    answer: Wald,
    options: tuple[str, str, float],
) -> _Found:
    """Give symmetric intervals, unbounded where the denominator is weak."""
    method, scale, level = options
    answer, floored = _floor_sampling(answer, moments, scale)
    weak = _is_weak(
        moments,
        normal_quantile(level),
        counts_noise=method != "no_correction",
        is_positive=release.plan.factor_bounds["y"].lower >= 0,
    )
    lower, upper = answer.ends(level)
    if scale == "log":
        lower, upper = np.exp(lower), np.exp(upper)
    unbounded = weak | ~np.isfinite(answer.centre) | ~np.isfinite(upper)
    status = np.where(floored, "variance_floored", "ok")
    return _Found(
        np.where(unbounded, -np.inf, lower),
        np.where(unbounded, np.inf, upper),
        answer.sampling,
        answer.privacy,
        np.where(unbounded, "unbounded", status),
    )


def _lay_out(
    release: Release,
    moments: Moments,
    found: _Found,
    options: tuple[str, str, float],
) -> Estimates:
    """Clip what cannot be negative and lay the columns out."""
    method, scale, level = options
    plan = release.plan
    smallest = 0.0 if _is_positive(release) else -np.inf
    never_negative = plan.factor_bounds["y"].lower >= 0
    undefined = moments["wy"] <= 0 if never_negative else moments["wy"] == 0
    ratio = np.maximum(moments["ws"] / moments["wy"], smallest)
    ratio = np.where(undefined, np.nan, ratio)
    lower = np.maximum(found.lower, smallest)
    upper = np.maximum(found.upper, smallest)
    endless = np.isinf(upper)
    logs: dict[str, Floats] = {}
    if scale == "log":
        raw = moments["ws"] / moments["wy"]
        centre = np.where(undefined, np.nan, np.log(raw))
        ends = np.log(lower), np.log(upper)
        logs = {"log_ratio": centre, "log_ci_lower": ends[0], "log_ci_upper": ends[1]}
    return Estimates(
        group_column=None if plan.groups is None else plan.groups.column,
        keys=plan.keys,
        ratio=ratio,
        ci_lower=lower,
        ci_upper=upper,
        se=np.where(endless, np.inf, np.sqrt(found.sampling + found.privacy)),
        se_sampling=np.where(endless, np.nan, np.sqrt(found.sampling)),
        se_privacy=np.where(endless, np.nan, np.sqrt(found.privacy)),
        status=tuple(found.status.tolist()),
        method=method,
        scale=scale,
        level=level,
        is_simulated=release.is_simulated,
        **logs,
    )


def _floor_sampling(
    answer: Wald, moments: Moments, scale: str
) -> tuple[Wald, NDArray[np.bool_]]:
    """Replace a sampling variance that noise made meaningless.

    One standard deviation of that variance's own noise stands in for it.
    """
    floored = ~(answer.sampling > 0)
    per_square = moments["ws" if scale == "log" else "wy"] ** 2
    floor = sampling_variance_noise(moments) / per_square
    sampling = np.where(floored, floor, answer.sampling)
    return Wald(answer.centre, sampling, answer.privacy), floored


def _is_weak(
    moments: Moments, quantile: float, *, counts_noise: bool, is_positive: bool
) -> NDArray[np.bool_]:
    """Tell where zero is a plausible denominator, or no unit seems to be there.

    Fieller (1954): the exact set for a ratio is unbounded just where the denominator
    is not significantly different from zero at the level of the interval.
    """
    variance = np.maximum(sampling_spread(moments).denominator, 0.0)
    if counts_noise:
        variance = variance + noise_spread(moments).denominator
    size = moments["wy"] if is_positive else np.abs(moments["wy"])
    empty = (moments["w"] <= 0) | (moments["ww"] <= 0)
    weak: NDArray[np.bool_] = ~(size > quantile * np.sqrt(variance))
    return weak | empty


def _is_positive(release: Release) -> bool:
    bounds = release.plan.factor_bounds
    return bounds["s"].lower >= 0 and bounds["y"].lower >= 0


def _require_level(level: object) -> None:
    is_level = isinstance(level, float) and math.isfinite(level) and 0 < level < 1
    hint = "0.95 is usual."
    require(is_level, "level must lie between 0 and 1", level, hint)
