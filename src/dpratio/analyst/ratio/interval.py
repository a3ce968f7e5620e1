"""Intervals for every cell of one part: by pivot, or by the paper's methods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.confidence_set import ROWS_AT_ONCE, set_around
from dpratio.analyst.ratio.delta import noise_spread, sampling_spread
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import Wald, wald
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import sampling_variance, weights_are_lost
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.statuses import Codes, codes_of
from dpratio.arrays import Flags, Floats
from dpratio.terms.bounds import Bounds

_CODES = codes_of(STATUSES)
_OK, _FLOORED, _WEAK = (_CODES[each] for each in ("ok", "variance_floored", "weak"))
_UNBOUNDED = _CODES["unbounded"]
_OF_KIND = np.array(
    [_OK, _CODES["half_line"], _CODES["disconnected"], _UNBOUNDED], dtype=np.int8
)


@dataclass(frozen=True, slots=True)
class Options:
    """How intervals are made."""

    method: str
    link: str
    level: float
    variance: str
    draws: int = 2
    rng: int | np.random.Generator | None = None

    @property
    def quantile(self) -> float:
        """The normal quantile of the level."""
        return normal_quantile(self.level)


@dataclass(frozen=True, slots=True)
class Signs:
    """Whether the numerator and the denominator can be negative."""

    numerator_is_positive: bool
    denominator_is_positive: bool

    @classmethod
    def of(cls, box: dict[str, Bounds]) -> "Signs":
        """Tell from the bounds of one unit."""
        return cls(box["s"].lower >= 0, box["y"].lower >= 0)

    @property
    def is_positive(self) -> bool:
        """Whether the ratio cannot be negative."""
        return self.numerator_is_positive and self.denominator_is_positive

    @property
    def lowest(self) -> float:
        """The smallest ratio there can be."""
        return 0.0 if self.is_positive else -np.inf


@dataclass(frozen=True, slots=True)
class RatioIntervals:
    """Intervals on the scale of the ratio, variances on that of the method.

    ``public`` has the squared widths without noise, and their doubt, where known.
    """

    lower: Floats
    upper: Floats
    sampling: Floats
    privacy: Floats
    status: Codes
    public: tuple[Floats, Floats] | None = None


def intervals(moments: Moments, reach: Signs, options: Options) -> RatioIntervals:
    """Make the interval of every cell."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if options.method == "pivot":
            starts = range(0, max(len(moments.values), 1), ROWS_AT_ONCE)
            parts = (moments.only(slice(at, at + ROWS_AT_ONCE)) for at in starts)
            return _joined([_by_pivot(part, reach, options) for part in parts])
        return _by_wald(moments, reach, options)


def ratios_of(moments: Moments, reach: Signs) -> Floats:
    """Give the ratio of every cell, NaN where its denominator is none."""
    bottom = moments["wy"]
    undefined = bottom <= 0 if reach.denominator_is_positive else bottom == 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        raw = moments["ws"] / bottom
    ratio = np.maximum(raw, reach.lowest)
    ratio[undefined] = np.nan
    return ratio


def standard_errors(
    sampling: Floats, privacy: Floats, lost: Flags, unit: float | Floats = 1.0
) -> dict[str, Floats]:
    """Give the standard error and its two parts, in units of the answer."""
    return {
        "se": np.where(lost, np.inf, unit * np.sqrt(sampling + privacy)),
        "se_sampling": np.where(lost, np.nan, unit * np.sqrt(sampling)),
        "se_privacy": np.where(lost, np.nan, unit * np.sqrt(privacy)),
    }


def _by_pivot(moments: Moments, reach: Signs, options: Options) -> RatioIntervals:
    """Keep the ratios that are not rejected; the set is the same on both links."""
    statistic = statistic_of(moments, options.variance, lowest=reach.lowest)
    empty = weights_are_lost(moments, options.variance)
    if reach.denominator_is_positive:
        # A denominator that noise took below zero says nothing of the ratio.
        empty |= ~(moments["wy"] > 0)
    cells = len(moments.values)
    lower, upper = np.full(cells, reach.lowest), np.full(cells, np.inf)
    status = np.full(cells, _UNBOUNDED, dtype=np.int8)
    here = AtEstimate.of(statistic)
    told: Flags | slice = ~empty if empty.any() else slice(None)
    near = here.only(told) if isinstance(told, np.ndarray) else here
    found = set_around(near, options.quantile)
    lower[told], upper[told] = found.lower, found.upper
    status[told] = _OF_KIND[found.kind]
    status[(status == _OK) & here.is_weak()] = _WEAK
    status[(status == _OK) & here.is_drowned()] = _FLOORED
    sampling, privacy = here.variances()
    if options.link == "log":
        squared = here.ratio**2
        sampling, privacy = sampling / squared, privacy / squared
    public = here.public_widths(options.quantile)
    return RatioIntervals(lower, upper, sampling, privacy, status, public)


def _joined(parts: Sequence[RatioIntervals]) -> RatioIntervals:
    if len(parts) == 1:
        return parts[0]
    widths = [each.public for each in parts if each.public is not None]
    return RatioIntervals(
        np.concatenate([each.lower for each in parts]),
        np.concatenate([each.upper for each in parts]),
        np.concatenate([each.sampling for each in parts]),
        np.concatenate([each.privacy for each in parts]),
        np.concatenate([each.status for each in parts]),
        (
            np.concatenate([squared for squared, _ in widths]),
            np.concatenate([doubt for _, doubt in widths]),
        ),
    )


def _by_wald(moments: Moments, reach: Signs, options: Options) -> RatioIntervals:
    """Give symmetric intervals, unbounded where the denominator is weak."""
    answer = wald(
        moments,
        options.method,
        (options.link,),
        draws=options.draws,
        rng=np.random.default_rng(options.rng),
        variance=options.variance,
    )[options.link]
    answer, floored = _floor_sampling(answer, moments, options)
    weak = _is_weak(moments, options, is_positive=reach.denominator_is_positive)
    lower, upper = answer.ends(options.quantile)
    if options.link == "log":
        lower, upper = np.exp(lower), np.exp(upper)
    unbounded = weak | ~np.isfinite(answer.centre) | ~np.isfinite(upper)
    status = np.zeros(len(unbounded), dtype=np.int8)
    status[floored] = _FLOORED
    status[unbounded] = _UNBOUNDED
    lower[unbounded], upper[unbounded] = -np.inf, np.inf
    lower, upper = (np.maximum(each, reach.lowest) for each in (lower, upper))
    return RatioIntervals(lower, upper, answer.sampling, answer.privacy, status)


def _floor_sampling(
    answer: Wald, moments: Moments, options: Options
) -> tuple[Wald, NDArray[np.bool_]]:
    """Replace a sampling variance that noise made meaningless.

    One standard deviation of that variance's own noise stands in for it.
    """
    floored = ~(answer.sampling > 0)
    if not floored.any():
        return answer, floored
    hidden = moments.only(floored)
    estimated = sampling_variance(hidden, options.variance)
    ratio = hidden["ws"] / hidden["wy"]
    per_square = hidden["ws" if options.link == "log" else "wy"] ** 2
    sampling = answer.sampling.copy()
    sampling[floored] = (
        np.sqrt(estimated.doubt_at((np.ones_like(ratio), ratio))) / per_square
    )
    return Wald(answer.centre, sampling, answer.privacy), floored


def _is_weak(
    moments: Moments, options: Options, *, is_positive: bool
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
    return weak | weights_are_lost(moments, options.variance)
