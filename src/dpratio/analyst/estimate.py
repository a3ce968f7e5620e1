"""From a release to ratios with intervals.

Floor: analyst. Imports: checks, release, and the rest of this room.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.delta import noise_spread, sampling_spread
from dpratio.analyst.moments import Floats, Moments, moments_of
from dpratio.analyst.pivot_of import pivot_of, variances_at
from dpratio.analyst.pivot_set import pivot_set
from dpratio.analyst.results import Estimates
from dpratio.analyst.variance import choose_variance, second_moments
from dpratio.analyst.wald import SCALES, WALD_METHODS, Wald, normal_quantile, wald
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release

__all__ = ["METHODS", "estimate_ratios"]

METHODS = ("pivot", *WALD_METHODS)


def estimate_ratios(
    release: Release,
    *,
    method: str = "pivot",
    scale: str = "ratio",
    level: float = 0.95,
    variance: str | None = None,
    draws: int = 200,
    rng: int | np.random.Generator | None = None,
) -> Estimates:
    """Estimate every ratio of a release, with confidence intervals.

    Args:
        release: Noisy sums; no data and no budget are needed.
        method: ``"pivot"`` keeps every ratio that a test does not reject, with the
            exact law of the noise, and stays right where the denominator is weak.
            Those of Miao & Li (2022): ``"analytical"`` adds the noise variance to
            the sampling variance, ``"monte_carlo"`` estimates it by redrawing the
            noise, ``"no_correction"`` ignores it and is there to be compared with.
        scale: ``"ratio"``, or ``"log"`` for intervals built on the logarithm.
        level: Confidence level, between 0 and 1.
        variance: ``"linearised"`` or ``"kish"``; by default what the release holds.
        draws: Redraws of the Monte Carlo method.
        rng: Seed or generator of the redraws.

    Returns:
        One row per declared key. A denominator that cannot be told from zero gives
        an unbounded interval and the status ``"unbounded"``, never an error.

    Raises:
        InvalidInput: When an option is not one of the known ones, or needs sums that
            the release does not hold; the message names the plan to make.
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
    options = _Options(method, scale, level, choose_variance(moments, variance))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if method == "pivot":
            found = _by_pivot(release, moments, options)
        else:
            found = _by_wald(release, moments, options, draws, rng)
        return _lay_out(release, moments, found, options)


@dataclass(frozen=True, slots=True)
class _Options:
    """How intervals are made."""

    method: str
    scale: str
    level: float
    variance: str

    @property
    def quantile(self) -> float:
        return normal_quantile(self.level)


@dataclass(frozen=True, slots=True)
class _Found:
    """Intervals on the scale of the ratio, variances on that of the method."""

    lower: Floats
    upper: Floats
    sampling: Floats
    privacy: Floats
    status: NDArray[np.str_]


def _by_pivot(release: Release, moments: Moments, options: _Options) -> _Found:
    """Keep the ratios that are not rejected; the set is the same on both scales."""
    pivot = pivot_of(moments, options.quantile, options.variance)
    lowest = 0.0 if _is_positive(release) else -np.inf
    empty = _is_empty(moments, options.variance)
    found = pivot_set(pivot.only(~empty), lowest=lowest)
    groups = len(empty)
    lower, upper = np.full(groups, lowest), np.full(groups, np.inf)
    status = np.full(groups, "unbounded", dtype="<U16")
    lower[~empty], upper[~empty] = found.lower, found.upper
    names = {"interval": "ok", "everything": "unbounded"}
    status[~empty] = [names.get(shape, shape) for shape in found.shape.tolist()]
    ratio = moments["ws"] / moments["wy"]
    hidden = ~(pivot.second.variance_at(np.ones(groups), ratio) > 0)
    status = np.where((status == "ok") & hidden, "variance_floored", status)
    sampling, privacy = variances_at(pivot, ratio)
    per_square = ratio**2 if options.scale == "log" else np.ones(groups)
    return _Found(lower, upper, sampling / per_square, privacy / per_square, status)


def _by_wald(
    release: Release,
    moments: Moments,
    options: _Options,
    draws: int,
    rng: int | np.random.Generator | None,
) -> _Found:
    """Give symmetric intervals, unbounded where the denominator is weak."""
    answer = wald(
        moments,
        options.method,
        (options.scale,),
        draws=draws,
        rng=np.random.default_rng(rng),
        variance=options.variance,
    )[options.scale]
    answer, floored = _floor_sampling(answer, moments, options)
    is_positive = release.plan.factor_bounds["y"].lower >= 0
    weak = _is_weak(moments, options, is_positive=is_positive)
    lower, upper = answer.ends(options.level)
    if options.scale == "log":
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
    options: _Options,
) -> Estimates:
    """Clip what cannot be negative and lay the columns out."""
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
    if options.scale == "log":
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
        method=options.method,
        scale=options.scale,
        level=options.level,
        variance=options.variance,
        is_simulated=release.is_simulated,
        **logs,
    )


def _floor_sampling(
    answer: Wald, moments: Moments, options: _Options
) -> tuple[Wald, NDArray[np.bool_]]:
    """Replace a sampling variance that noise made meaningless.

    One standard deviation of that variance's own noise stands in for it.
    """
    floored = ~(answer.sampling > 0)
    second = second_moments(moments, options.variance)
    ratio = moments["ws"] / moments["wy"]
    per_square = moments["ws" if options.scale == "log" else "wy"] ** 2
    floor = np.sqrt(second.noise_at(np.ones_like(ratio), ratio)) / per_square
    sampling = np.where(floored, floor, answer.sampling)
    return Wald(answer.centre, sampling, answer.privacy), floored


def _is_weak(
    moments: Moments, options: _Options, *, is_positive: bool
) -> NDArray[np.bool_]:
    """Tell where zero is a plausible denominator, or no unit seems to be there.

    Fieller (1954): the exact set for a ratio is unbounded just where the denominator
    is not significantly different from zero at the level of the interval.
    """
    spread = sampling_spread(moments, options.variance)
    variance = np.maximum(spread.denominator, 0.0)
    if options.method != "no_correction":
        variance = variance + noise_spread(moments).denominator
    size = moments["wy"] if is_positive else np.abs(moments["wy"])
    weak: NDArray[np.bool_] = ~(size > options.quantile * np.sqrt(variance))
    return weak | _is_empty(moments, options.variance)


def _is_empty(moments: Moments, variance: str) -> NDArray[np.bool_]:
    """Tell where the sum of weights, by which kish divides, is lost in noise."""
    if variance == "linearised":
        return np.zeros(len(moments.values), dtype=np.bool_)
    return ~((moments["w"] > 0) & (moments["ww"] > 0))


def _is_positive(release: Release) -> bool:
    bounds = release.plan.factor_bounds
    return bounds["s"].lower >= 0 and bounds["y"].lower >= 0


def _require_level(level: object) -> None:
    is_level = isinstance(level, float) and math.isfinite(level) and 0 < level < 1
    hint = "0.95 is usual."
    require(is_level, "level must lie between 0 and 1", level, hint)
