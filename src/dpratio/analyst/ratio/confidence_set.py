"""All ratios that a test does not reject: an interval, a half-line, or more.

A set is bounded exactly if infinity is rejected; its ends are then found on each side
of the estimate. The few other sets are walked around the projective line on a grid, and
their end is bisected.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.crossing import find_crossing
from dpratio.analyst.ratio.noisy_reach import has_table, reach_between
from dpratio.analyst.ratio.statistic import Point, Statistic
from dpratio.arrays import Flags, Floats, Integers

__all__ = ["ROWS_AT_ONCE", "SHAPES", "ConfidenceSet", "confidence_set"]

SHAPES = ("interval", "half_line", "disconnected", "everything")
ROWS_AT_ONCE = 2**15  # A column of them fits a processor's cache.
_INTERVAL, _HALF_LINE, _DISCONNECTED, _EVERYTHING = range(4)
_GRID = 256
_CELLS_AT_ONCE = 2**13
_BISECTIONS = 50
_MARGIN = 1e-6


@dataclass(frozen=True, slots=True)
class ConfidenceSet:
    """The smallest interval around each set, and its shape by place in `SHAPES`."""

    lower: Floats
    upper: Floats
    kind: NDArray[np.int8]

    @property
    def shape(self) -> NDArray[np.str_]:
        """The shape of each set in a word."""
        return np.array(SHAPES)[self.kind]

    @property
    def is_interval(self) -> Flags:
        """Whether a set has both ends."""
        told: Flags = self.kind == _INTERVAL
        return told

    @property
    def has_lower(self) -> Flags:
        """Whether a set has a lower end."""
        told: Flags = self.kind <= _HALF_LINE
        return told

    def only(self, chosen: Integers | Flags | slice) -> "ConfidenceSet":
        """Keep some rows, perhaps repeatedly."""
        return ConfidenceSet(self.lower[chosen], self.upper[chosen], self.kind[chosen])


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
    if rows > ROWS_AT_ONCE:
        starts = range(0, rows, ROWS_AT_ONCE)
        parts = (statistic.only(slice(at, at + ROWS_AT_ONCE)) for at in starts)
        return _joined([confidence_set(part, quantile) for part in parts])
    lowest = statistic.lowest
    lower, upper = np.full(rows, lowest), np.full(rows, np.inf)
    kind = np.full(rows, _INTERVAL, dtype=np.int8)
    bounded = _is_rejected(statistic, (np.zeros(1), np.ones(1)), quantile)
    weak = ~bounded
    if bounded.any():
        chosen = bounded if weak.any() else slice(None)
        ends = _ends(statistic.only(chosen), quantile)
        lower[chosen], upper[chosen] = (np.maximum(each, lowest) for each in ends)
    if weak.any():
        kind[weak] = _EVERYTHING
        weak[weak] = _may_reject(statistic.only(weak), quantile)
    if weak.any():
        lower[weak], kind[weak] = _walk(statistic.only(weak), quantile)
    return ConfidenceSet(lower, upper, kind)


def _joined(parts: Sequence[ConfidenceSet]) -> ConfidenceSet:
    return ConfidenceSet(
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([part.kind for part in parts]),
    )


def _is_rejected(statistic: Statistic, at: Point, quantile: float) -> Flags:
    return statistic.distance(at).exceeds(quantile)


def _ends(statistic: Statistic, quantile: float) -> tuple[Floats, Floats]:
    """Find both ends of bounded sets, outwards from the estimate."""
    one, near = np.ones(1), AtEstimate.of(statistic)
    centre, kept = near.ratio, np.full_like(near.ratio, -quantile)
    squared, expanded = statistic.denominator**2, near.expanded()
    # What tail and allowance add to the variance changes little along the set.
    factor = near.held.reach(quantile) ** 2 / expanded[0]

    def beyond(ratio: Floats, rows: Integers | slice) -> Floats:
        chosen = statistic if isinstance(rows, slice) else statistic.only(rows)
        excess: Floats = chosen.distance((one, ratio)).against(quantile) - quantile
        return excess

    def end(side: float, step: Floats) -> Floats:
        guess = centre + step
        there = statistic.distance((one, guess))
        told = there.against(quantile)
        reach = quantile * there.size / told
        here = reach * reach / there.variance
        further = _fieller(squared, expanded, here, side)
        # From the estimate to the guess it changed so much; so it will go on.
        here = here + (here - factor) * (further / step - 1)
        step = side * _fieller(squared, expanded, here, side)
        is_step = (step > 0) & np.isfinite(step)
        if not is_step.all():
            step = np.where(is_step, step, quantile * np.sqrt(expanded[0] / squared))
        step = np.maximum(step, 1e-12 * np.maximum(np.abs(centre), 1e-300))
        seen = (guess, told - quantile)
        return find_crossing(beyond, centre, kept, side * step, seen)

    below, above = (
        end(side, _fieller(squared, expanded, factor, side)) for side in (-1.0, 1.0)
    )
    return below, above


def _fieller(
    squared: Floats,
    expanded: tuple[Floats, Floats, Floats],
    factor: Floats,
    side: float,
) -> Floats:
    """Give how far from the estimate, on one side, T² is a factor times A.

    Fieller (1954); Wald's distance where there is no such end.
    """
    whole, lean, bent = (factor * each for each in expanded)
    flat = squared - bent
    end = (lean + side * np.sqrt(lean * lean + flat * whole)) / flat
    if (flat > 0).all():
        return end
    return np.where(flat > 0, end, side * np.sqrt(whole / squared))


def _may_reject(statistic: Statistic, quantile: float) -> Flags:
    """Tell where some ratio may be rejected, by the largest T² over its noise.

    By Cauchy and Schwarz that is (S, Y) N⁻¹ (S, Y)ᵀ, and the variance is never below N.
    """
    numerator, denominator = statistic.numerator, statistic.denominator
    above, below = statistic.noise_of_sums()
    apart = statistic.noise_variance((np.ones(1), np.ones(1)))
    mixed = (above + below - apart) / 2
    largest = (
        numerator * numerator * below
        - 2 * numerator * denominator * mixed
        + denominator * denominator * above
    )
    least = _least_reach(statistic, quantile) ** 2 * (1 - _MARGIN)
    # Where noise enters one sum alone, or none, nothing is excluded.
    whole = above * below - mixed * mixed
    return ~((whole > _MARGIN * above * below) & (largest <= least * whole))


def _least_reach(statistic: Statistic, quantile: float) -> float:
    """Give how many standard deviations are rejected at the least."""
    if not any(term.laplace.any() for term in statistic.noise):
        return quantile
    return reach_between(quantile)[0] if has_table(quantile) else 0.0


def _walk(statistic: Statistic, quantile: float) -> tuple[Floats, NDArray[np.int8]]:
    """Walk unbounded sets around the projective line, past what is left out."""
    lowest = statistic.lowest
    angles = (np.arange(_GRID) + 0.5) / _GRID * np.pi - np.pi / 2
    above, below = statistic.noise_of_sums()
    unit = np.sqrt(
        (statistic.numerator**2 + above) / (statistic.denominator**2 + below)
    )
    rejected = _rejected_at(statistic, angles, unit, quantile)
    some = rejected.any(axis=1)
    last = _GRID - 1 - np.argmax(rejected[:, ::-1], axis=1)
    first = np.argmax(rejected, axis=1)
    after = np.minimum(last + 1, _GRID - 1)
    half_line = some & (unit * np.tan(angles[first]) <= lowest)
    low = np.full_like(unit, np.inf)
    if half_line.any():
        between = angles[last[half_line]], angles[after[half_line]]
        part = statistic.only(half_line)
        low[half_line] = _bisect(part, quantile, unit[half_line], between)
    half_line &= statistic.numerator / statistic.denominator > low
    kind = np.where(some, _DISCONNECTED, _EVERYTHING)
    kind = np.where(half_line, _HALF_LINE, kind).astype(np.int8)
    return np.where(half_line, np.maximum(low, lowest), lowest), kind


def _rejected_at(
    statistic: Statistic, angles: Floats, unit: Floats, quantile: float
) -> NDArray[np.bool_]:
    """Tell for each row which angles are rejected, as many at once as fit a cache."""
    rows, at_once = len(unit), max(1, _CELLS_AT_ONCE // len(unit))
    each = np.tile(np.arange(rows), at_once)
    many = statistic.only(each)
    found = []
    for start in range(0, len(angles), at_once):
        some = np.repeat(angles[start : start + at_once], rows)
        here = slice(len(some))
        at = np.cos(some), unit[each[here]] * np.sin(some)
        found.append(_is_rejected(many.only(here), at, quantile))
    return np.concatenate(found).reshape(len(angles), rows).T


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
