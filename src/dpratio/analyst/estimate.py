"""From a release to ratios with intervals.

Floor: analyst. Imports: checks, release, and the rest of this room.
"""

import math

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.delta import noise_spread, sampling_spread, sampling_variance_noise
from dpratio.analyst.moments import Floats, Moments, moments_of
from dpratio.analyst.results import Estimates
from dpratio.analyst.wald import METHODS, SCALES, Wald, normal_quantile, wald
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release

__all__ = ["estimate_ratios"]


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
    seeded = isinstance(rng, np.random.Generator | None) or (
        isinstance(rng, int) and not isinstance(rng, bool) and rng >= 0
    )
    require(seeded, "rng must be a seed of 0 or more, or a Generator", rng)
    hint = "Use scale 'ratio'."
    rule = "scale 'log' needs a numerator and denominator that cannot be negative"
    require(_is_positive(release) or scale == "ratio", rule, scale, hint)
    moments = moments_of(release)
    answer = wald(
        moments, method, (scale,), draws=draws, rng=np.random.default_rng(rng)
    )[scale]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        answer, floored = _floor_sampling(answer, moments, scale)
        weak = _is_weak(
            moments,
            normal_quantile(level),
            counts_noise=method != "no_correction",
            is_positive=release.plan.factor_bounds["y"].lower >= 0,
        )
        return _finish(release, moments, answer, weak, floored, (method, scale, level))


def _finish(
    release: Release,
    moments: Moments,
    answer: Wald,
    weak: NDArray[np.bool_],
    floored: NDArray[np.bool_],
    options: tuple[str, str, float],
) -> Estimates:
    """Give every group its status and lay the columns out."""
    method, scale, level = options
    positive, plan = _is_positive(release), release.plan
    smallest = 0.0 if positive else -np.inf
    deviation = np.sqrt(answer.sampling + answer.privacy)
    unbounded = weak | ~np.isfinite(answer.centre) | ~np.isfinite(deviation)
    lower, upper = answer.ends(level)
    if scale == "log":
        unbounded |= np.isinf(np.exp(upper))
    lower = np.where(unbounded, -np.inf, lower)
    upper = np.where(unbounded, np.inf, upper)
    status = np.where(floored, "variance_floored", "ok")
    ratio = moments["ws"] / moments["wy"]
    never_negative = plan.factor_bounds["y"].lower >= 0
    undefined = moments["wy"] <= 0 if never_negative else moments["wy"] == 0
    logs: dict[str, Floats] = {}
    if scale == "log":
        logs = {
            "log_ratio": np.where(undefined, np.nan, answer.centre),
            "log_ci_lower": lower,
            "log_ci_upper": upper,
        }
        lower, upper = np.exp(lower), np.exp(upper)
    return Estimates(
        group_column=None if plan.groups is None else plan.groups.column,
        keys=plan.keys,
        ratio=np.where(undefined, np.nan, np.maximum(ratio, smallest)),
        ci_lower=np.maximum(lower, smallest),
        ci_upper=np.maximum(upper, smallest),
        se=np.where(unbounded, np.inf, deviation),
        se_sampling=np.where(unbounded, np.nan, np.sqrt(answer.sampling)),
        se_privacy=np.where(unbounded, np.nan, np.sqrt(answer.privacy)),
        status=tuple(np.where(unbounded, "unbounded", status).tolist()),
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
