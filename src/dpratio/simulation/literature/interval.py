"""An interval of every repetition, and how wide it is where all cover alike."""

from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats

__all__ = ["EqualCoverage", "Interval", "at_equal_coverage", "needed_factors"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Estimates with both ends; NaN where a method gives none."""

    centre: Floats
    lower: Floats
    upper: Floats

    def within(self, lowest: float) -> "Interval":
        """Cut off what no ratio can be."""
        lower, upper = (np.maximum(end, lowest) for end in (self.lower, self.upper))
        return Interval(self.centre, lower, upper)

    def stretched(self, factor: float, lowest: float) -> "Interval":
        """Make both sides this many times as long."""
        middle = _middle(self)
        with np.errstate(invalid="ignore"):
            lower = middle - factor * (middle - self.lower)
            upper = middle + factor * (self.upper - middle)
        return Interval(middle, lower, upper).within(lowest)


@dataclass(frozen=True, slots=True)
class EqualCoverage:
    """What intervals must be multiplied by to cover at their level, and their width.

    ``error`` is the standard error of the factor, as a share of it.
    """

    factor: float
    width: float
    error: float


def needed_factors(interval: Interval, truth: float) -> Floats:
    """Say how far each interval must be stretched to reach the truth.

    An interval without ends needs nothing; one that is undefined never gets there.
    """
    middle = _middle(interval)
    away = np.abs(truth - middle)
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = np.where(
            truth >= middle, interval.upper - middle, middle - interval.lower
        )
        factors = np.where(away > 0, away / reach, 0.0)
    undefined = np.isnan(interval.lower) | np.isnan(interval.upper)
    endless = ~undefined & (np.isinf(interval.lower) | np.isinf(interval.upper))
    factors = np.where(endless, 0.0, factors)
    return np.where(undefined, np.inf, factors)


def at_equal_coverage(
    interval: Interval, truth: float, *, level: float, lowest: float
) -> EqualCoverage:
    """Stretch or shrink intervals until this share covers; give the median width."""
    factors = np.sort(needed_factors(interval, truth))
    runs = len(factors)
    apart = np.sqrt(level * (1 - level) / runs)
    low, factor, high = (
        float(factors[_place(each, runs)])
        for each in (level - apart, level, level + apart)
    )
    if not np.isfinite(factor):
        return EqualCoverage(np.inf, np.inf, np.nan)
    changed = interval.stretched(factor, lowest)
    with np.errstate(invalid="ignore"):
        widths = changed.upper - changed.lower
    endless = np.isinf(interval.lower) | np.isinf(interval.upper)
    widths = np.where(endless, np.inf, widths)
    known = widths[~np.isnan(widths)]
    error = (high - low) / 2 / factor if factor > 0 else np.nan
    return EqualCoverage(factor, float(np.median(known)), error)


def _place(share: float, runs: int) -> int:
    """Find the smallest place up to which this share lies."""
    return min(max(int(np.ceil(share * runs)) - 1, 0), runs - 1)


def _middle(interval: Interval) -> Floats:
    """Give the estimate, or the middle where it does not lie inside."""
    with np.errstate(invalid="ignore"):
        inside = (interval.lower < interval.centre) & (interval.centre < interval.upper)
        middle = (interval.lower + interval.upper) / 2
    return np.where(inside, interval.centre, middle)
