"""All ratios that a test does not reject: an interval, a half-line, or more.

A set is bounded exactly if infinity is rejected; its ends are then found on each side
of the estimate. The few other sets are walked around the projective line on a grid, and
their end is bisected.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.analyst.ratio.statistic import Point, Statistic
from dpratio.arrays import Flags, Floats

__all__ = ["ConfidenceSet", "confidence_set"]

_ROWS_AT_ONCE = 2**15
_MOST_THREADS = 4  # More of them wait for the interpreter's lock.
_GRID = 256
_BISECTIONS = 50


@dataclass(frozen=True, slots=True)
class ConfidenceSet:
    """The smallest interval around each set, and the shape of the set."""

    lower: Floats
    upper: Floats
    shape: NDArray[np.str_]

    @property
    def is_interval(self) -> Flags:
        """Whether a set has both ends."""
        told: Flags = self.shape == "interval"
        return told

    @property
    def has_lower(self) -> Flags:
        """Whether a set has a lower end."""
        told: Flags = self.is_interval | (self.shape == "half_line")
        return told


def confidence_set(statistic: Statistic, quantile: float) -> ConfidenceSet:
    """Find all ratios that are not rejected.

    Args:
        statistic: The test of each ratio.
        quantile: The normal quantile beyond which a ratio is rejected.

    Returns:
        For each row the hull of its set. Shapes are ``interval``, ``half_line`` (no
        upper end), ``disconnected`` (all but a stretch between) and ``everything``.
    """
    rows = len(statistic.numerator)
    if rows > _ROWS_AT_ONCE:
        starts = range(0, rows, _ROWS_AT_ONCE)
        parts = [statistic.only(slice(at, at + _ROWS_AT_ONCE)) for at in starts]
        with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as threads:
            return _joined(list(threads.map(_quietly, parts, repeat(quantile))))
    lowest = statistic.lowest
    lower, upper = np.full(rows, lowest), np.full(rows, np.inf)
    shape = np.full(rows, "everything", dtype="<U12")
    infinity = (np.zeros(rows), np.ones(rows))
    bounded = _is_rejected(statistic, infinity, quantile)
    if bounded.any():
        part = statistic.only(bounded)
        lower[bounded] = np.maximum(_end(part, -1.0, quantile), lowest)
        upper[bounded] = np.maximum(_end(part, 1.0, quantile), lowest)
        shape[bounded] = "interval"
    if not bounded.all():
        lower[~bounded], shape[~bounded] = _walk(statistic.only(~bounded), quantile)
    return ConfidenceSet(lower, upper, shape)


def _quietly(statistic: Statistic, quantile: float) -> ConfidenceSet:
    """Find sets in a thread, which does not know what its caller ignores."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return confidence_set(statistic, quantile)


def _joined(parts: Sequence[ConfidenceSet]) -> ConfidenceSet:
    return ConfidenceSet(
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([part.shape for part in parts]),
    )


def _is_rejected(statistic: Statistic, at: Point, quantile: float) -> Flags:
    rejected: Flags = statistic.distance(at).at(quantile) > quantile
    return rejected


def _end(statistic: Statistic, side: float, quantile: float) -> Floats:
    """Find one end of bounded sets, outwards from the estimate."""
    one = np.ones_like(statistic.numerator)
    centre = statistic.numerator / statistic.denominator
    spread = statistic.variance((one, centre))
    step = quantile * np.sqrt(spread) / np.abs(statistic.denominator)
    step = np.maximum(step, 1e-12 * np.maximum(np.abs(centre), 1e-300))

    def beyond(ratio: Floats, rows: Flags | slice) -> Floats:
        chosen = statistic if isinstance(rows, slice) else statistic.only(rows)
        distance = chosen.distance((np.ones_like(ratio), ratio)).at(quantile)
        excess: Floats = distance - quantile
        return excess

    return find_crossing(beyond, centre, np.full_like(centre, -quantile), side * step)


def _walk(statistic: Statistic, quantile: float) -> tuple[Floats, NDArray[np.str_]]:
    """Walk unbounded sets around the projective line, past what is left out."""
    lowest = statistic.lowest
    angles = (np.arange(_GRID) + 0.5) / _GRID * np.pi - np.pi / 2
    one, zero = np.ones_like(statistic.numerator), np.zeros_like(statistic.numerator)
    top = statistic.numerator**2 + statistic.noise_variance((one, zero))
    bottom = statistic.denominator**2 + statistic.noise_variance((zero, one))
    unit = np.sqrt(top / bottom)
    rejected = np.stack(
        [
            _is_rejected(
                statistic, (np.full_like(unit, np.cos(a)), unit * np.sin(a)), quantile
            )
            for a in angles
        ],
        axis=1,
    )
    some = rejected.any(axis=1)
    last = _GRID - 1 - np.argmax(rejected[:, ::-1], axis=1)
    first = np.argmax(rejected, axis=1)
    after = np.minimum(last + 1, _GRID - 1)
    low = _bisect(statistic, quantile, unit, (angles[last], angles[after]))
    start = unit * np.tan(angles[first])
    estimate = statistic.numerator / statistic.denominator
    half_line = some & (start <= lowest) & (estimate > low)
    shape = np.where(some, "disconnected", "everything")
    shape = np.where(half_line, "half_line", shape)
    return np.where(half_line, np.maximum(low, lowest), lowest), shape


def _bisect(
    statistic: Statistic, quantile: float, unit: Floats, between: Point
) -> Floats:
    """Find where rejection ends, between two angles."""
    rejected, kept = between
    for _ in range(_BISECTIONS):
        middle = (rejected + kept) / 2
        out = _is_rejected(statistic, (np.cos(middle), unit * np.sin(middle)), quantile)
        rejected = np.where(out, middle, rejected)
        kept = np.where(out, kept, middle)
    low: Floats = unit * np.tan(kept)
    return low
